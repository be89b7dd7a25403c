#include "engine/io/speed_file.h"

#include "engine/core/json.h"
#include "engine/core/json_reader.h"
#include "engine/io/atomic_file.h"
#include "kernels/kernel_sources.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace ondo {

namespace fs = std::filesystem;

namespace {

constexpr int kFormat = 3; // of the file; another one is measured anew
constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
constexpr double kMostSeconds = 1e6; // that a number of seconds in such a file may be

fs::path cacheFolder()
{
    const auto folder = [](const char* variable) {
        const char* text = std::getenv(variable);
        const fs::path path(text != nullptr ? text : "");
        return path.is_absolute() ? path : fs::path(); // a relative one is to be ignored: XDG base directories
    };
    if (const fs::path cache = folder("XDG_CACHE_HOME"); !cache.empty()) {
        return cache / "ondoscope";
    }
    const fs::path home = folder("HOME");
    return home.empty() ? home : home / ".cache" / "ondoscope";
}

// FNV-1a, for a file's name.
std::uint64_t hashOf(std::string_view text)
{
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return hash;
}

std::string pairs(const std::vector<SpeedPoint>& points)
{
    std::vector<std::string> all;
    for (const SpeedPoint& p : points) {
        all.push_back(json::array({json::number(p.points), json::number(p.seconds)}));
    }
    return json::array(all);
}

std::string curves(const std::vector<SpeedCurve>& curves)
{
    std::vector<std::string> all;
    for (const SpeedCurve& curve : curves) {
        json::Object o;
        o.add("order", json::number(curve.order)).add("at", pairs(curve.at));
        all.push_back(o.str());
    }
    return json::array(all);
}

constexpr const char* kParts[GradientSpeed::Parts] = {"step",         "keep",         "back",         "image",
                                                      "rewind",       "shell_node",   "step_of_many", "keep_of_many",
                                                      "back_of_many", "image_of_many"};

std::string gradientText(const GradientSpeed& speed)
{
    json::Object o;
    std::vector<std::string> four, wide;
    for (int part = 0; part < GradientSpeed::Parts; ++part) {
        o.add(kParts[part], pairs(speed.at[part]));
        four.push_back(json::number(speed.orderFour[part]));
        wide.push_back(json::number(speed.wide[part]));
    }
    return o.add("order_4", json::array(four)).add("double", json::array(wide)).str();
}

std::string rankText(const RankSpeed& speed)
{
    json::Object o;
    o.add("plain", curves(speed.plain)).add("layered", curves(speed.layered));
    o.add("slab_weight", json::array({json::number(speed.slabWeight[0]), json::number(speed.slabWeight[1]),
                                      json::number(speed.slabWeight[2])}));
    o.add("double", pairs(speed.wide.at)).add("double_layered", pairs(speed.wideLayered.at));
    o.add("eight_shots", curves(speed.eightShots)).add("general_order", pairs(speed.general));
    o.add("general_order_layered", pairs(speed.generalLayered));
    std::vector<std::string> receivers;
    for (const ReceiverCost& cost : speed.receivers) {
        receivers.push_back(
            json::array({json::number(cost.points), json::number(cost.sample), json::number(cost.node)}));
    }
    o.add("receivers", json::array(receivers)).add("source_node", json::number(speed.sourceNode));
    o.add("gradient", gradientText(speed.gradient));
    return o.str();
}

struct CallField {
    const char* name;
    double CallCost::*value;
};
constexpr CallField kCallFields[] = {
    {"fixed", &CallCost::fixed},
    {"launch", &CallCost::launch},
    {"model_point", &CallCost::modelPoint},
    {"field_point", &CallCost::fieldPoint},
    {"clear_point", &CallCost::clearPoint},
    {"read_point", &CallCost::readPoint},
    {"wavelet_sample", &CallCost::waveletSample},
    {"receiver_node", &CallCost::receiverNode},
    {"trace_sample", &CallCost::traceSample},
};

struct StagingField {
    const char* name;
    double StagingCost::*value;
};
constexpr StagingField kStagingFields[] = {
    {"copied_byte", &StagingCost::copied},         {"staged_byte", &StagingCost::staged},
    {"filed_byte", &StagingCost::filed},           {"filed_cached_byte", &StagingCost::filedCached},
    {"gathered_number", &StagingCost::gathered},   {"packed_number", &StagingCost::packed},
    {"scaled_number", &StagingCost::packedScaled}, {"gradient_point", &StagingCost::gradientPoint},
};

// Reads members and remembers whether all of them were good.
class Taker {
public:
    [[nodiscard]] const std::string& fault() const { return m_fault; }

    double number(const json::Value& from, const char* name)
    {
        const double value = from.numberAt(name, -1.0);
        demand(value >= 0.0 && value < kMostSeconds, name);
        return value;
    }

    std::vector<double> list(const json::Value* from, std::size_t count, const char* name)
    {
        std::vector<double> out;
        if (from != nullptr && from->items.size() == count) {
            for (const auto& item : from->items) {
                const bool good = item.kind == json::ValueKind::Number && item.number >= 0.0;
                demand(good, name);
                out.push_back(good ? item.number : 0.0);
            }
        }
        demand(out.size() == count, name);
        out.resize(count);
        return out;
    }

    std::vector<SpeedPoint> points(const json::Value& from, const char* name)
    {
        std::vector<SpeedPoint> out;
        const json::Value* all = from.find(name);
        demand(all != nullptr && all->kind == json::ValueKind::Array, name);
        for (std::size_t i = 0; all != nullptr && i < all->items.size(); ++i) {
            const auto pair = list(&all->items[i], 2, name);
            demand(pair[0] > (out.empty() ? 0.0 : out.back().points) && pair[1] < kMostSeconds, name);
            out.push_back({pair[0], pair[1]});
        }
        return out;
    }

    std::vector<SpeedCurve> curves(const json::Value& from, int rank, const char* name)
    {
        std::vector<SpeedCurve> out;
        const json::Value* all = from.find(name);
        demand(all != nullptr && !all->items.empty(), name);
        for (std::size_t i = 0; all != nullptr && i < all->items.size(); ++i) {
            const double order = number(all->items[i], "order");
            SpeedCurve curve{rank, static_cast<int>(order), points(all->items[i], "at")};
            demand(!curve.at.empty() && curve.order > (out.empty() ? 0 : out.back().order), name);
            out.push_back(std::move(curve));
        }
        return out;
    }

    GradientSpeed gradient(const json::Value* from)
    {
        GradientSpeed speed;
        demand(from != nullptr, "gradient");
        if (from == nullptr) {
            return speed;
        }
        for (int part = 0; part < GradientSpeed::Parts; ++part) {
            speed.at[part] = points(*from, kParts[part]);
        }
        demand(!speed.empty(), "gradient");
        const auto four = list(from->find("order_4"), GradientSpeed::Parts, "order_4");
        const auto wide = list(from->find("double"), GradientSpeed::Parts, "double");
        std::copy(four.begin(), four.end(), speed.orderFour);
        std::copy(wide.begin(), wide.end(), speed.wide);
        return speed;
    }

    RankSpeed rank(const json::Value* from, int rank)
    {
        RankSpeed speed;
        if (from == nullptr) {
            demand(false, "the speed of a rank");
            return speed;
        }
        speed.plain = curves(*from, rank, "plain");
        speed.layered = curves(*from, rank, "layered");
        const auto weights = list(from->find("slab_weight"), 3, "slab_weight");
        std::copy(weights.begin(), weights.end(), speed.slabWeight);
        speed.wide = {rank, 8, points(*from, "double")};
        speed.wideLayered = {rank, 8, points(*from, "double_layered")};
        speed.eightShots = curves(*from, rank, "eight_shots");
        speed.general = points(*from, "general_order");
        speed.generalLayered = points(*from, "general_order_layered");
        const json::Value* receivers = from->find("receivers");
        demand(receivers != nullptr && !receivers->items.empty(), "receivers");
        for (std::size_t i = 0; receivers != nullptr && i < receivers->items.size(); ++i) {
            const auto cost = list(&receivers->items[i], 3, "receivers");
            demand(cost[0] > (i == 0 ? 0.0 : speed.receivers.back().points), "receivers");
            speed.receivers.push_back({cost[0], cost[1], cost[2]});
        }
        speed.sourceNode = number(*from, "source_node");
        speed.gradient = gradient(from->find("gradient"));
        for (const SpeedCurve& curve : speed.plain) {
            for (const SpeedPoint& p : curve.at) {
                demand(p.seconds > 0.0, "plain");
            }
        }
        return speed;
    }

private:
    void demand(bool good, const char* name)
    {
        if (!good && m_fault.empty()) {
            m_fault = name;
        }
    }

    std::string m_fault;
};

Result<> keep(const std::string& file, const DeviceSpeed& speed)
{
    if (file.empty()) {
        return fail(ErrorKind::Io, "no cache folder is known",
                    "set XDG_CACHE_HOME or HOME to an absolute path to have it kept");
    }
    std::error_code code;
    const fs::path folder = fs::path(file).parent_path();
    fs::create_directories(folder, code);
    if (code) {
        return fail(ErrorKind::Io, fmt::format("{}: {}", folder.string(), code.message()),
                    "set XDG_CACHE_HOME to a folder that can be written to have it kept");
    }
    return writeText(file, speedText(speed) + "\n");
}

} // namespace

std::string speedKey(const kernels::DeviceFacts& device)
{
    return fmt::format("{}; {}; {}; driver {}; runtime {}; {} threads; {}; kernels {}; build {}", device.backend,
                       device.name, device.uuid.empty() ? device.id : device.uuid, device.driverVersion,
                       device.runtimeVersion, device.threads, ONDO_VERSION, ONDO_KERNEL_SOURCES, ONDO_BUILD_KEY);
}

std::string speedFile(const kernels::DeviceFacts& device)
{
    const fs::path folder = cacheFolder();
    return folder.empty() ? std::string()
                          : (folder / fmt::format("speed-{:016x}.json", hashOf(speedKey(device)))).string();
}

std::string speedText(const DeviceSpeed& speed)
{
    json::Object call;
    for (const CallField& field : kCallFields) {
        call.add(field.name, json::number(speed.call.*field.value));
    }
    json::Object o;
    o.add("program", json::text("ondo calibrate")).add("format", json::number(kFormat));
    o.add("key", json::text(speed.key)).add("device", json::text(speed.device));
    o.add("when", json::text(speed.when)).add("took_seconds", json::number(speed.took));
    o.add("load", json::number(speed.load));
    o.add("unit", json::text("pairs: nodes of a launch and seconds a step, seconds a layer node, or a ratio"));
    o.add("rank2", rankText(speed.rank[0])).add("rank3", rankText(speed.rank[1])).add("call", call.str());
    json::Object staging;
    for (const StagingField& field : kStagingFields) {
        staging.add(field.name, json::number(speed.staging.*field.value));
    }
    o.add("staging", staging.str());
    return o.str();
}

Result<DeviceSpeed> parseSpeed(const std::string& text)
{
    const auto all = json::parse(text);
    if (!all) {
        return tl::unexpected<Error>(all.error());
    }
    if (all->numberAt("format", 0.0) != kFormat) {
        return badInput(fmt::format("format {:g}, not {}", all->numberAt("format", 0.0), kFormat));
    }
    DeviceSpeed speed;
    speed.key = all->textAt("key");
    speed.device = all->textAt("device");
    speed.when = all->textAt("when");
    speed.load = all->numberAt("load", -1.0);
    Taker taker;
    speed.took = taker.number(*all, "took_seconds");
    speed.rank[0] = taker.rank(all->find("rank2"), 2);
    speed.rank[1] = taker.rank(all->find("rank3"), 3);
    const json::Value none;
    const json::Value* call = all->find("call");
    for (const CallField& field : kCallFields) {
        speed.call.*field.value = taker.number(call != nullptr ? *call : none, field.name);
    }
    const json::Value* staging = all->find("staging");
    for (const StagingField& field : kStagingFields) {
        speed.staging.*field.value = taker.number(staging != nullptr ? *staging : none, field.name);
    }
    if (!taker.fault().empty()) {
        return badInput(taker.fault() + " is missing or is no number that was measured");
    }
    return speed;
}

KnownSpeed readSpeed(const kernels::DeviceFacts& device)
{
    const std::string file = speedFile(device);
    std::error_code code;
    if (file.empty() || !fs::exists(file, code)) {
        return {};
    }
    const auto refused = [&file](const std::string& why) {
        return KnownSpeed{nullptr,
                          {fmt::format("{} is not used: {}; it is made anew when the speed is measured", file, why)}};
    };
    const auto text = readText(file, kMostBytes);
    if (!text) {
        return refused(text.error().what);
    }
    auto speed = parseSpeed(*text);
    if (!speed) {
        return refused(speed.error().what);
    }
    if (speed->key != speedKey(device)) {
        return refused(fmt::format("it is of \"{}\", not of \"{}\"", speed->key, speedKey(device)));
    }
    return {std::make_shared<const DeviceSpeed>(std::move(*speed)), {}};
}

Result<KnownSpeed> measureSpeed(const std::shared_ptr<Device>& device, const CalibrationOptions& options)
{
    auto measured = calibrate(device, options);
    if (!measured) {
        return tl::unexpected<Error>(measured.error());
    }
    measured->key = speedKey(device->facts());
    KnownSpeed known;
    if (const auto kept = keep(speedFile(device->facts()), *measured); !kept) {
        known.notes.push_back(fmt::format("the speed of {} is not kept for the next time: {}", device->facts().name,
                                          kept.error().text()));
    }
    known.speed = std::make_shared<const DeviceSpeed>(std::move(*measured));
    return known;
}

} // namespace ondo
