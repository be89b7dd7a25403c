#include "engine/inversion/misfit.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace ondo {

namespace {

Result<> checkShape(int shot, const TraceTable& observed, const TraceTable& synthetic)
{
    if (observed.receivers != synthetic.receivers) {
        return badInput(fmt::format("the observed data of shot {} have {} traces, the survey has {} receivers",
                                    shot + 1, observed.receivers, synthetic.receivers),
                        "give one trace a receiver, in the survey's order");
    }
    if (observed.samples != synthetic.samples) {
        return badInput(fmt::format("the observed traces of shot {} have {} samples, the run records {}", shot + 1,
                                    observed.samples, synthetic.samples),
                        "set the run's duration and sample interval to those of the data");
    }
    if (std::abs(observed.dt - synthetic.dt) > 1e-6 * synthetic.dt) {
        return badInput(fmt::format("the observed traces of shot {} have a sample every {:g} s, the run's every {:g} s",
                                    shot + 1, observed.dt, synthetic.dt),
                        "set time.sample_interval of the run to that of the data");
    }
    return {};
}

} // namespace

MisfitFunction leastSquares(std::shared_ptr<const std::vector<TraceTable>> observed)
{
    return [data = std::move(observed)](int shot, const TraceTable& synthetic) -> Result<Residual> {
        if (shot < 0 || static_cast<std::size_t>(shot) >= data->size()) {
            return badInput(fmt::format("there are observed data of {} shots, none of shot {}", data->size(), shot + 1),
                            "give the data of every shot of the survey");
        }
        const TraceTable& table = (*data)[static_cast<std::size_t>(shot)];
        if (auto ok = checkShape(shot, table, synthetic); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        Residual r;
        r.values.resize(synthetic.values.size());
        double sum = 0.0;
        for (std::size_t i = 0; i < r.values.size(); ++i) {
            const double d = synthetic.values[i] - table.values[i];
            if (!std::isfinite(table.values[i])) {
                const auto samples = static_cast<std::size_t>(table.samples);
                return badInput(fmt::format("sample {} of observed trace {} of shot {} is not a finite number",
                                            i % samples + 1, i / samples + 1, shot + 1),
                                "repair the data, or mute the trace on both sides");
            }
            sum += d * d;
            r.values[i] = d * synthetic.dt;
        }
        r.misfit = 0.5 * sum * synthetic.dt;
        return r;
    };
}

} // namespace ondo
