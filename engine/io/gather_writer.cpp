#include "engine/io/gather_writer.h"

#include "engine/io/npy_writer.h"
#include "engine/io/segy_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace ondo {

namespace {

Result<> writeAsSegy(const std::string& path, std::span<const Gather> gathers, const std::string& title)
{
    SegyDocument document;
    const Gather& first = gathers.front();
    document.intervalMicroseconds = first.dt * 1e6;
    document.text = {
        fmt::format("SYNTHETIC PRESSURE GATHERS, ONDOSCOPE {}", ONDO_VERSION), title.substr(0, 76),
        fmt::format("{} SHOTS, {} SAMPLES A TRACE, EXACT INTERVAL {} S", gathers.size(), first.samples, first.dt),
        "SAMPLES: IEEE FLOAT, PRESSURE IN PA. COORDINATES IN METRES BY THE SCALAR,",
        "ELEVATION IS MINUS THE RECEIVER'S DEPTH, SOURCE DEPTH IS POSITIVE DOWN"};
    for (const auto& gather : gathers) {
        if (gather.dt != first.dt) {
            return badInput(path + ": the shots have different sample intervals", "write one file a shot");
        }
        const Position source = gather.sources.empty() ? Position{} : gather.sources.front().position;
        for (int r = 0; r < gather.receiverCount(); ++r) {
            SegyTrace trace;
            trace.samples = gather.trace(r);
            trace.source = source;
            trace.receiver = gather.receivers[static_cast<std::size_t>(r)].position;
            trace.shot = gather.shot + 1;
            trace.channel = r + 1;
            trace.crossline = r + 1;
            document.traces.push_back(trace);
        }
    }
    return writeSegy(path, document);
}

Result<> writeAsNpy(const std::string& path, std::span<const Gather> gathers)
{
    const Gather& first = gathers.front();
    if (gathers.size() == 1) {
        return writeNpy(path, first.traces, {first.receiverCount(), first.samples});
    }
    std::vector<float> all;
    for (const auto& g : gathers) {
        if (g.receiverCount() != first.receiverCount() || g.samples != first.samples) {
            return badInput(path + ": the shots differ in receivers or samples, which one array cannot hold",
                            "write SEG-Y or HDF5");
        }
        all.insert(all.end(), g.traces.begin(), g.traces.end());
    }
    return writeNpy(path, all, {static_cast<std::int64_t>(gathers.size()), first.receiverCount(), first.samples});
}

} // namespace

Result<> writeGathers(const std::string& path, std::span<const Gather> gathers, const std::string& title)
{
    if (gathers.empty()) {
        return badInput(path + ": there is no gather to write", "run a shot first");
    }
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (ending == ".sgy" || ending == ".segy") {
        return writeAsSegy(path, gathers, title);
    }
    if (ending == ".npy") {
        return writeAsNpy(path, gathers);
    }
    return badInput(fmt::format("{}: a gather is not written as \"{}\"", path, ending),
                    "end the name in .segy, .sgy or .npy");
}

} // namespace ondo
