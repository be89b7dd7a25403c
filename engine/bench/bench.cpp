#include "engine/bench/bench.h"

#include "engine/bench/bench_case.h"
#include "engine/core/nearest.h"
#include "engine/session/guard.h"
#include "kernels/host/thread_team.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

bool chosen(const BenchCase& which, const BenchOptions& options, bool host)
{
    if (!options.only.empty()) {
        return isNamedBy(which.name, options.only);
    }
    return (which.inQuick || !options.quick) && (which.onHost || !host);
}

// A step of 64 x 64 nodes: nothing but launches.
double smallStepSeconds(const std::shared_ptr<Device>& device, const BenchOptions& options)
{
    BenchOptions brief = options;
    brief.quick = true;
    brief.layerCells = 8;
    const BenchFigure tiny = measureSteps({"small step", 2, 64, 8, 1, true, true}, device, brief);
    return tiny.skipped.empty() ? tiny.stepSeconds.least : 0.0;
}

// The host's launches wait for its team of threads, and for nothing else.
double teamSeconds(int threads)
{
    constexpr int kRuns = 2000;
    constexpr int kTimes = 9;
    kernels::ThreadTeam team(threads);
    double least = 0.0;
    for (int i = 0; i < kTimes; ++i) {
        const auto from = Clock::now();
        for (int k = 0; k < kRuns; ++k) {
            team.run([](kernels::Share /*share*/) {});
        }
        const double seconds = secondsSince(from) / kRuns;
        least = i == 0 ? seconds : std::min(least, seconds);
    }
    return least;
}

kernels::Overheads overheadsOf(const std::shared_ptr<Device>& device)
{
    if (device->isHost()) {
        return {0.0, 0.0, teamSeconds(device->facts().threads)};
    }
    const Stream stream(device, kernels::StreamPriority::Solver);
    return device->backend().overheads(stream.handle());
}

Result<std::vector<BenchCase>> chooseCases(const BenchOptions& options, bool host)
{
    std::vector<BenchCase> cases;
    std::vector<std::string> names;
    for (const auto& which : benchCases()) {
        names.push_back(which.name);
        if (chosen(which, options, host)) {
            cases.push_back(which);
        }
    }
    if (cases.empty()) {
        const std::string near = nearestWord(options.only, names);
        return badInput(fmt::format("there is no case {}", options.only),
                        near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                     : fmt::format("did you mean {}?", near));
    }
    return cases;
}

} // namespace

const std::vector<BenchCase>& benchCases()
{
    static const std::vector<BenchCase> kAll = {
        {"2d-300-o8", 2, 300, 8, 1, true, false},         {"2d-500-o8", 2, 500, 8, 1, true, false},
        {"2d-1000-o8", 2, 1000, 8, 1, true, true},        {"2d-1000-o4", 2, 1000, 4, 1, true, false},
        {"2d-2048-o8", 2, 2048, 8, 1, true, false},       {"2d-2048-o4", 2, 2048, 4, 1, false, false},
        {"2d-4096-o8", 2, 4096, 8, 1, false, false},      {"2d-4096-o4", 2, 4096, 4, 1, false, false},
        {"2d-1000-o8-s32", 2, 1000, 8, 32, false, false}, {"3d-128-o8", 3, 128, 8, 1, true, true},
        {"3d-256-o8", 3, 256, 8, 1, true, false},         {"3d-256-o4", 3, 256, 4, 1, false, false},
        {"3d-512-o8", 3, 512, 8, 1, false, false},
    };
    return kAll;
}

double loadAverage()
{
    std::ifstream in("/proc/loadavg");
    double load = -1.0;
    in >> load;
    return load;
}

bool isNamedBy(const std::string& name, const std::string& words)
{
    for (std::size_t at = 0; at <= words.size();) {
        const std::size_t end = std::min(words.find(',', at), words.size());
        const std::string word = words.substr(at, end - at);
        if (!word.empty() && name.find(word) != std::string::npos) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

double copyBandwidth(const std::shared_ptr<Device>& device, std::size_t bytes, int times)
{
    const Stream stream(device, kernels::StreamPriority::Solver);
    const Buffer<char> from(device, bytes, "bench copy", BlockSize::Exact, BlockContent::Zeroed, stream);
    const Buffer<char> to(device, bytes, "bench copy", BlockSize::Exact, BlockContent::Zeroed, stream);
    // On the host a single thread cannot ask for all that the memory gives.
    kernels::ThreadTeam team(device->isHost() ? device->facts().threads : 1);
    const auto once = [&] {
        if (!device->isHost()) {
            device->backend().copyOnDevice(to.data(), from.data(), bytes, stream.handle());
            return;
        }
        team.run([&](kernels::Share share) {
            const std::size_t first =
                bytes * static_cast<std::size_t>(share.index) / static_cast<std::size_t>(share.count);
            const std::size_t last =
                bytes * (static_cast<std::size_t>(share.index) + 1) / static_cast<std::size_t>(share.count);
            std::memcpy(to.data() + first, from.data() + first, last - first);
        });
    };
    const int together = device->isHost() ? 1 : 20; // so that a launch does not count
    double best = 0.0;
    once();
    device->backend().synchronize(stream.handle());
    for (int i = 0; i < times; ++i) {
        const auto begun = Clock::now();
        for (int k = 0; k < together; ++k) {
            once();
        }
        device->backend().synchronize(stream.handle());
        best = std::max(best, 2.0 * static_cast<double>(bytes) * together / secondsSince(begun));
    }
    return best;
}

Result<BenchReport> runBench(const std::shared_ptr<Device>& device, const BenchOptions& options)
{
    const bool host = device->isHost();
    auto cases = chooseCases(options, host);
    if (!cases) {
        return tl::unexpected<Error>(cases.error());
    }
    const auto tell = [&options](const std::string& what) {
        if (options.telling) {
            options.telling(what);
        }
    };
    BenchReport report;
    report.version = ONDO_VERSION;
    report.device = device->facts();
    report.host = host;
    report.quick = options.quick;
    report.loadBefore = loadAverage();
    report.copyBytes = (host ? std::size_t{256} : std::size_t{1024}) << 20U;
    const auto all = guarded([&]() -> Result<> {
        const std::size_t freeBefore = device->backend().facts().memoryFree;
        tell("copy bandwidth");
        report.copyBefore = copyBandwidth(device, report.copyBytes, 7);
        device->arena().trim();
        tell("the cost of an empty step");
        report.overheads = overheadsOf(device);
        report.smallStepSeconds = smallStepSeconds(device, options);
        device->arena().trim();
        for (const auto& which : *cases) {
            if (options.stop && options.stop()) {
                report.stopped = true;
                break;
            }
            tell(which.name);
            BenchFigure figure;
            const auto done = guarded([&]() -> Result<> {
                figure = measureCase(which, device, options, freeBefore);
                return {};
            });
            if (!done) {
                figure.which = which;
                figure.skipped = done.error().text();
            }
            report.figures.push_back(std::move(figure));
        }
        tell("copy bandwidth again");
        report.copyAfter = copyBandwidth(device, report.copyBytes, 7);
        return {};
    });
    if (!all) {
        return tl::unexpected<Error>(all.error());
    }
    report.loadAfter = loadAverage();
    device->arena().trim();
    return report;
}

} // namespace ondo
