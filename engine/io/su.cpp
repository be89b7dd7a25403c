// SU: SEG-Y's traces without its file header, float32, in whichever byte order the machine had. Nothing in the file
// says which, so it is inferred: the right one gives traces that end exactly with the file.
#include "engine/io/formats.h"
#include "engine/io/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace ondo::formats {

namespace {

constexpr std::int64_t kHeader = 240;
constexpr std::int64_t kProbes = 1000;

struct Walk {
    ByteOrder order = ByteOrder::Little;
    bool clean = false;
    std::int64_t traces = 0;  // whole ones
    std::int64_t samples = 0; // of the first trace
    bool equal = true;
    std::vector<std::int64_t> starts; // only when lengths differ
    std::vector<std::int64_t> counts;
    int plausible = 0; // how many words of the first header make sense
};

int word16(const std::vector<unsigned char>& h, std::size_t at, ByteOrder order)
{
    return loadNumber<std::int16_t>(h.data() + at, order);
}

std::int64_t sampleCount(const std::vector<unsigned char>& h, ByteOrder order)
{
    return loadNumber<std::uint16_t>(h.data() + 114, order);
}

int plausibility(const std::vector<unsigned char>& h, ByteOrder order)
{
    const auto isScalar = [](int v) {
        const int a = std::abs(v);
        return a == 0 || a == 1 || a == 3 || a == 10 || a == 100 || a == 1000 || a == 10000;
    };
    const auto first = loadNumber<std::int32_t>(h.data(), order);
    const int interval = loadNumber<std::uint16_t>(h.data() + 116, order);
    int good = 0;
    good += first >= 0 && first < 100'000'000 ? 1 : 0;
    good += std::abs(word16(h, 28, order)) <= 200 ? 1 : 0;
    good += isScalar(word16(h, 68, order)) ? 1 : 0;
    good += isScalar(word16(h, 70, order)) ? 1 : 0;
    good += interval <= 32767 ? 1 : 0;
    good += word16(h, 156, order) >= 0 && word16(h, 156, order) <= 2200 ? 1 : 0;
    return good;
}

// Equal traces are checked at up to a thousand places, so that a large file is not read whole to be recognised.
bool equalLengths(const InputFile& file, Walk& walk)
{
    const std::int64_t stride = kHeader + 4 * walk.samples;
    if (file.size() % stride != 0) {
        return false;
    }
    const std::int64_t traces = file.size() / stride;
    const std::int64_t step = std::max<std::int64_t>(1, traces / kProbes);
    for (std::int64_t t = 0; t < traces; t += step) {
        auto h = file.bytes(t * stride, kHeader);
        if (!h || sampleCount(*h, walk.order) != walk.samples) {
            return false;
        }
    }
    walk.traces = traces;
    walk.clean = true;
    return true;
}

Walk walkFile(const InputFile& file, ByteOrder order)
{
    Walk walk;
    walk.order = order;
    auto first = file.bytes(0, kHeader);
    if (!first) {
        return walk;
    }
    walk.samples = sampleCount(*first, order);
    walk.plausible = plausibility(*first, order);
    if (walk.samples == 0 || equalLengths(file, walk)) {
        return walk;
    }
    std::int64_t at = 0;
    while (at < file.size()) {
        auto h = file.bytes(at, kHeader);
        const std::int64_t n = h ? sampleCount(*h, order) : 0;
        if (n == 0 || n * 4 > file.size() - at - kHeader) {
            return walk;
        }
        walk.starts.push_back(at + kHeader);
        walk.counts.push_back(n);
        walk.equal = walk.equal && n == walk.samples;
        ++walk.traces;
        at += kHeader + 4 * n;
    }
    walk.clean = true;
    return walk;
}

Walk bestWalk(const InputFile& file)
{
    Walk big = walkFile(file, ByteOrder::Big);
    Walk little = walkFile(file, ByteOrder::Little);
    if (big.clean != little.clean) {
        return big.clean ? big : little;
    }
    return little.plausible > big.plausible ? little : big;
}

// A transfer in text mode puts a carriage return before every line feed.
std::optional<std::int64_t> textModeDamage(const InputFile& file)
{
    auto bytes = file.bytes(0, std::min<std::int64_t>(file.size(), 1 << 24));
    if (!bytes) {
        return std::nullopt;
    }
    std::int64_t pairs = 0;
    for (std::size_t i = 0; i < bytes->size(); ++i) {
        if ((*bytes)[i] != '\n') {
            continue;
        }
        if (i == 0 || (*bytes)[i - 1] != '\r') {
            return std::nullopt;
        }
        ++pairs;
    }
    return pairs > 8 ? std::optional(pairs) : std::nullopt;
}

} // namespace

int scoreSu(const InputFile& file)
{
    if (file.size() < kHeader + 4) {
        return 0;
    }
    const Walk walk = bestWalk(file);
    if (!walk.clean) {
        // One good header and then nothing that fits: worth a refusal that says so.
        const bool begins = walk.plausible == 6 && walk.samples >= 16 && walk.traces >= 1 && textModeDamage(file);
        return begins ? 45 : 0;
    }
    const int base = walk.equal ? 62 : 50;
    return std::min(88, base + 3 * walk.plausible + (walk.traces > 1 ? 8 : 0));
}

Result<ArrayFile> openSu(const InputFilePtr& file, const ModelSource& hints)
{
    Walk walk = bestWalk(*file);
    if (!hints.byteOrder.empty()) {
        auto order = byteOrderFromName(hints.byteOrder);
        if (!order) {
            return tl::unexpected(order.error());
        }
        walk = walkFile(*file, *order);
    }
    if (!walk.clean) {
        const auto pairs = textModeDamage(*file);
        return badInput(
            fmt::format("{}: SU traces of {} samples begin, but trace {} is not where it should be{}", file->path(),
                        walk.samples, walk.traces + 1,
                        pairs ? fmt::format("; all {} line feeds have a carriage return before them: the file was "
                                            "damaged by a text-mode transfer",
                                            *pairs)
                              : ""),
            "copy the file again in binary mode");
    }
    ArrayFile out;
    out.format = "SU";
    out.description.push_back(
        fmt::format("{}-endian, {}", byteOrderName(walk.order),
                    hints.byteOrder.empty() ? "inferred: its traces end exactly with the file" : "as you stated"));
    auto header = file->bytes(0, kHeader);
    if (!header) {
        return tl::unexpected(header.error());
    }
    const int interval = loadNumber<std::uint16_t>(header->data() + 116, walk.order);
    if (interval > 0) {
        out.sampleInterval = interval * 1e-6;
        out.intervalUnit = "s";
    } else {
        out.warnings.push_back("the trace header gives no sample interval");
    }
    if (const int delay = word16(*header, 108, walk.order); delay != 0) {
        out.description.push_back(fmt::format("the first sample stands at {:.6g} s", delay * 1e-3));
    }
    TraceFile traces;
    traces.file = file;
    traces.format = "SU";
    traces.order = walk.order;
    traces.traces = walk.traces;
    traces.samples = walk.samples;
    traces.interval = out.sampleInterval;
    if (walk.equal) {
        traces.stride = kHeader + 4 * walk.samples;
    } else {
        traces.counts = walk.counts;
        for (const auto start : walk.starts) {
            traces.starts.push_back(start - kHeader);
        }
    }
    out.traces = std::make_shared<const TraceFile>(std::move(traces));
    StoredArray a;
    a.type = SampleType::Float32;
    a.order = walk.order;
    if (walk.equal) {
        a.shape = {walk.traces, walk.samples};
        a.axes = {"trace", "sample"};
        a.read = stridedReader(file, kHeader, walk.samples, kHeader + 4 * walk.samples, a.type, a.order);
    } else {
        a.axes = {"sample"};
        out.description.push_back(fmt::format("{} traces of different lengths", walk.traces));
        a.read = raggedReader(file, std::move(walk.starts), walk.counts, a.type, a.order, a.shape);
    }
    out.arrays.push_back(std::move(a));
    return out;
}

} // namespace ondo::formats
