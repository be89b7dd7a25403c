#include "engine/inversion/illumination.h"

#include "engine/inversion/launch_waves.h"
#include "engine/session/guard.h"

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

template<class T>
void addSquares(const SimulationPlan& plan, const kernels::Layout& compact, const std::vector<T>& w,
                std::vector<double>& sum)
{
    const Grid& g = plan.model.grid();
    const auto& v = plan.model.velocity().samples();
    std::size_t node = 0;
    for (int z = 0; z < g.nz; ++z) {
        for (int y = 0; y < g.ny; ++y) {
            for (int x = 0; x < g.nx; ++x, ++node) {
                const auto at = compact.at(z + plan.layerLow[0], y + plan.layerLow[1], x + plan.layerLow[2]);
                const double one =
                    2.0 * static_cast<double>(w[static_cast<std::size_t>(at)]) / static_cast<double>(v[node]);
                sum[node] += one * one;
            }
        }
    }
}

template<class T>
Result<> illuminate(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const std::atomic<bool>* stop, std::vector<double>& sum)
{
    const Stream stream(device, kernels::StreamPriority::Solver);
    WaveDomain<T> domain(plan, device, stream);
    {
        auto field = domain.field(1, "field"); // the launch's own takes its place
        domain.upload(field);
    }
    const int every = illuminationEvery(*plan);
    for (int shot = 0; shot < static_cast<int>(plan->run.survey.shots.size()); ++shot) {
        const LaunchSurvey survey(*plan, shot, 1);
        ForwardWave<T> wave(domain, survey, false);
        const std::size_t count = wave.keptBytes() / sizeof(T);
        const Buffer<T> kept(device, count, "illumination", BlockSize::Kept, BlockContent::Uninitialised, stream);
        std::vector<T> w(count);
        for (int n = 0; n < wave.steps(); n += every) {
            if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
                device->backend().synchronize(stream.handle());
                return fail(ErrorKind::Cancelled, "the illumination was stopped before it was complete");
            }
            wave.advance(n, {std::min(every, wave.steps() - n), kept.data(), 0, every, 0});
            device->backend().copyToHost(w.data(), kept.data(), count * sizeof(T), stream.handle(),
                                         kernels::CopyPurpose::Field);
            device->backend().synchronize(stream.handle());
            addSquares(*plan, compactLayout(*plan), w, sum);
        }
    }
    return {};
}

} // namespace

int illuminationEvery(const SimulationPlan& plan)
{
    double highest = 0.0;
    for (const auto& shot : plan.run.survey.shots) {
        for (const auto& source : shot.sources) {
            highest = std::max(highest, source.wavelet.highestFrequency());
        }
    }
    const double steps = highest > 0.0 ? 1.0 / (8.0 * highest * plan.time.innerStep()) : 1.0;
    return std::clamp(static_cast<int>(steps), 1, 1000);
}

Result<std::vector<double>> computeIllumination(const std::shared_ptr<const SimulationPlan>& plan,
                                                const std::shared_ptr<Device>& device, const std::atomic<bool>* stop)
{
    std::vector<double> sum(static_cast<std::size_t>(plan->model.grid().nodes()), 0.0);
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64 ? illuminate<double>(plan, device, stop, sum)
                                                         : illuminate<float>(plan, device, stop, sum);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    if (!std::all_of(sum.begin(), sum.end(), [](double v) { return std::isfinite(v); })) {
        return fail(ErrorKind::Unstable, "the illumination is not finite everywhere: a field grew beyond all bounds",
                    "use a smaller Courant fraction");
    }
    return sum;
}

} // namespace ondo
