#include "engine/inversion/fired_shots.h"

#include "engine/inversion/inversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ondo {

namespace {

// splitmix64 (Steele, Lea, Flood 2014): the same everywhere, unlike the standard's distributions.
class Draw {
public:
    Draw(std::uint64_t seed, int record)
        : m_state(seed * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(record) * 0xD1B54A32D192ED03ULL)
    {
    }
    std::uint64_t operator()()
    {
        m_state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }

private:
    std::uint64_t m_state;
};

// The first `count` of a random order.
std::vector<int> shuffled(int shots, int count, Draw& next)
{
    std::vector<int> all(static_cast<std::size_t>(shots));
    std::iota(all.begin(), all.end(), 0);
    for (int i = 0; i < count; ++i) {
        const auto rest = static_cast<std::uint64_t>(shots - i);
        std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i) + next() % rest]);
    }
    all.resize(static_cast<std::size_t>(count));
    return all;
}

std::size_t superShotOf(double code)
{
    return static_cast<std::size_t>(std::abs(code)) - 1;
}

Result<> checkEncoding(const Survey& survey, const InversionSettings& s)
{
    if (s.shotsPerIteration > 0) {
        return badInput(fmt::format("{} shots drawn an iteration and {} super-shots of all shots", s.shotsPerIteration,
                                    s.encodedShots),
                        "set one of shots_per_iteration and encoded_shots to 0");
    }
    if (s.data.kind != "l2") {
        return badInput(fmt::format("encoded shots with the misfit \"{}\"", s.data.kind),
                        "use l2: of others the derivative is not linear in the residual, so that what shots add to "
                        "each other's does not vanish in the mean");
    }
    if (s.data.sourceScale || s.data.sourceFilter == "shot") {
        return badInput(fmt::format("encoded shots with a source {} a shot", s.data.sourceScale ? "factor" : "filter"),
                        "one cannot fit all sources of a super-shot: leave it out, or set source_filter to common");
    }
    const TraceWindow& w = s.data.window;
    if (w.nearest > 0.0 || w.farthest || w.muteSpeed > 0.0) {
        return badInput(
            "encoded shots with offsets or a mute: a trace of a super-shot has the offsets of all its shots",
            "leave nearest_offset, farthest_offset and mute_speed out; windows in time are fine");
    }
    for (std::size_t i = 1; i < survey.shots.size(); ++i) {
        if (survey.shots[i].receivers != survey.shots.front().receivers) {
            return badInput(fmt::format("encoded shots where the receivers of shot {} are not those of shot 1", i + 1),
                            "encode surveys whose receivers stay in place alone: of traces that only some shots have, "
                            "no super-shot can be made");
        }
    }
    return {};
}

} // namespace

std::vector<int> drawnShots(int shots, int count, std::uint64_t seed, int record)
{
    Draw next(seed, record);
    auto drawn = shuffled(shots, count, next);
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

std::vector<double> shotCodes(int shots, int superShots, std::uint64_t seed, int record)
{
    Draw next(seed, record);
    const auto order = shuffled(shots, shots, next);
    std::vector<double> codes(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double sign = (next() >> 63U) == 0 ? 1.0 : -1.0;
        codes[static_cast<std::size_t>(order[i])] =
            sign * static_cast<double>(1 + i % static_cast<std::size_t>(superShots));
    }
    return codes;
}

FiredShots firedShots(const Survey& survey, const InversionSettings& settings, int record)
{
    FiredShots fired;
    const auto shots = static_cast<int>(survey.shots.size());
    if (settings.encodedShots > 0) {
        fired.codes = shotCodes(shots, settings.encodedShots, settings.seed, record);
        fired.survey.shots.resize(static_cast<std::size_t>(settings.encodedShots));
        for (std::size_t i = 0; i < fired.codes.size(); ++i) {
            Shot& to = fired.survey.shots[superShotOf(fired.codes[i])];
            to.receivers = survey.shots[i].receivers;
            for (Source source : survey.shots[i].sources) {
                source.wavelet.amplitude *= fired.codes[i] < 0.0 ? -1.0 : 1.0;
                to.sources.push_back(std::move(source));
            }
        }
    } else if (settings.shotsPerIteration > 0) {
        fired.drawn = drawnShots(shots, settings.shotsPerIteration, settings.seed, record);
        for (const int s : fired.drawn) {
            fired.survey.shots.push_back(survey.shots[static_cast<std::size_t>(s)]);
        }
        fired.share = static_cast<double>(shots) / static_cast<double>(fired.drawn.size());
    } else {
        fired.survey = survey;
    }
    return fired;
}

std::vector<TraceTable> firedTraces(const std::vector<TraceTable>& observed, const FiredShots& fired)
{
    std::vector<TraceTable> out;
    if (!fired.codes.empty()) {
        out.resize(fired.survey.shots.size());
        for (std::size_t i = 0; i < observed.size(); ++i) {
            TraceTable& to = out[superShotOf(fired.codes[i])];
            const double sign = fired.codes[i] < 0.0 ? -1.0 : 1.0;
            if (to.values.empty()) {
                to = {observed[i].receivers, observed[i].samples, observed[i].dt, {}};
                to.values.assign(observed[i].values.size(), 0.0);
            }
            for (std::size_t k = 0; k < to.values.size(); ++k) {
                to.values[k] += sign * observed[i].values[k];
            }
        }
        return out;
    }
    if (fired.drawn.empty()) {
        return observed;
    }
    for (const int s : fired.drawn) {
        out.push_back(observed[static_cast<std::size_t>(s)]);
    }
    return out;
}

Result<> checkFiredShots(const Survey& survey, const InversionSettings& s)
{
    const auto shots = static_cast<int>(survey.shots.size());
    for (const auto& [count, key] : {std::pair{s.shotsPerIteration, "shots"}, {s.encodedShots, "super-shots"}}) {
        if (count < 0 || count > shots) {
            return badInput(fmt::format("{} {} of {} shots an iteration", count, key, shots),
                            "give no more than there are shots, or 0 for all shots, each alone");
        }
    }
    const bool random = s.shotsPerIteration > 0 || s.encodedShots > 0;
    if (random && s.optimiser.method != "adam") {
        return badInput(fmt::format("shots {} at random with the optimiser \"{}\"",
                                    s.encodedShots > 0 ? "encoded" : "drawn", s.optimiser.method),
                        "use adam: misfits and gradients of different draws cannot be told against each other in a "
                        "line search, nor make a curvature");
    }
    return s.encodedShots > 0 ? checkEncoding(survey, s) : Result<>();
}

} // namespace ondo
