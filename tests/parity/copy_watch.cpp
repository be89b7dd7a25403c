// A profiler for one question: which bytes does a program move between host and device? CUPTI's own records, so that the
// program's counters (CopyCounters) are not their own witness. CUDA loads it into any program:
//   CUDA_INJECTION64_PATH=.../libondo_copy_watch.so ONDO_COPY_WATCH=report.txt ondoscope --measure 5
// The report: one line a direction with copies and bytes, and below it the sizes that make up nine tenths of the bytes.
// Writes of kernels into mapped host memory are no copies and are not seen.
#include <cupti.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

struct Watch {
    std::mutex mutex;
    std::map<int, std::map<std::uint64_t, std::uint64_t>> sizes; // by CUpti_ActivityMemcpyKind: bytes -> copies
    std::uint64_t dropped = 0;
};

Watch& watch()
{
    static auto* const once = new Watch; // outlives every static of the program
    return *once;
}

void CUPTIAPI giveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most)
{
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBuffer));
    *size = kBuffer;
    *most = 0;
}

void CUPTIAPI takeBuffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t, std::size_t valid)
{
    Watch& w = watch();
    const std::lock_guard lock(w.mutex);
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
            ++w.sizes[copy->copyKind][copy->bytes];
        }
    }
    std::size_t lost = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS) {
        w.dropped += lost;
    }
    std::free(buffer);
}

const char* nameOf(int kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD: return "host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return "device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return "host to array";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return "array to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA: return "device to array (texture)";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD: return "array to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD: return "device to device";
    default: return "other";
    }
}

void report()
{
    (void)cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const char* path = std::getenv("ONDO_COPY_WATCH");
    std::FILE* out = path != nullptr ? std::fopen(path, "w") : stderr;
    if (out == nullptr) {
        return;
    }
    Watch& w = watch();
    const std::lock_guard lock(w.mutex);
    for (const auto& [kind, sizes] : w.sizes) {
        std::uint64_t copies = 0, bytes = 0;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> largest; // total, size
        for (const auto& [size, count] : sizes) {
            copies += count;
            bytes += size * count;
            largest.emplace_back(size * count, size); // total first: the order they are shown in
        }
        std::fprintf(out, "copies %s: %llu, %llu bytes\n", nameOf(kind), static_cast<unsigned long long>(copies),
                     static_cast<unsigned long long>(bytes));
        std::sort(largest.rbegin(), largest.rend());
        std::uint64_t shown = 0;
        for (const auto& [total, size] : largest) {
            if (10 * shown >= 9 * bytes) {
                break;
            }
            shown += total;
            std::fprintf(out, "    %llu x %llu bytes\n", static_cast<unsigned long long>(sizes.at(size)),
                         static_cast<unsigned long long>(size));
        }
    }
    std::fprintf(out, "records lost: %llu\n", static_cast<unsigned long long>(w.dropped));
    if (path != nullptr) {
        std::fclose(out);
    }
}

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection()
{
    if (cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer) != CUPTI_SUCCESS ||
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) != CUPTI_SUCCESS) {
        std::fprintf(stderr, "copy_watch: CUPTI does not start here\n");
        return 0;
    }
    std::atexit(report);
    return 1;
}
