#include "engine/inversion/born_traces.h"

#include "engine/inversion/launch_waves.h"
#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace ondo {

namespace {

constexpr int kTold = 64; // steps between two tellings

// Far above the ids of point_table.cpp, which count from 1.
std::uint64_t nextId()
{
    static std::atomic<std::uint64_t> last{std::uint64_t{1} << 62U};
    return ++last;
}

// m of each node of the padded domain, layers as WaveDomain continues the model into them.
template<class Visit>
void overPadded(const SimulationPlan& plan, const std::vector<double>& m, const Visit& visit)
{
    const Grid& g = plan.model.grid();
    for (int z = 0; z < plan.nz; ++z) {
        const int uz = std::clamp(z - plan.layerLow[0], 0, g.nz - 1);
        for (int y = 0; y < plan.ny; ++y) {
            const int uy = std::clamp(y - plan.layerLow[1], 0, g.ny - 1);
            for (int x = 0; x < plan.nx; ++x) {
                const int ux = std::clamp(x - plan.layerLow[2], 0, g.nx - 1);
                visit(z, y, x, m[static_cast<std::size_t>((std::int64_t{uz} * g.ny + uy) * g.nx + ux)]);
            }
        }
    }
}

template<class T>
class BornRun {
public:
    BornRun(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
            const std::vector<double>& reflectivity, const GradientHooks& hooks)
        : m_plan(*plan)
        , m_hooks(hooks)
        , m_stream(device, kernels::StreamPriority::Solver)
        , m_domain(plan, device, m_stream)
        , m_compact(compactLayout(m_plan))
    {
        {
            auto field = m_domain.field(1, "field"); // the runs' own take its place
            m_domain.upload(field);
        }
        placeScatterers(reflectivity);
    }

    [[nodiscard]] Result<TraceTable> shot(int index, const std::vector<double>& reflectivity)
    {
        const LaunchSurvey survey(m_plan, index, 1);
        // The scattered field has the survey's receivers, and its sources without a sound.
        LaunchSurvey quiet(m_plan, index, 1);
        std::vector<Source> silent;
        for (const Source* source : quiet.source) {
            silent.push_back(*source);
            silent.back().wavelet.amplitude = 0.0;
        }
        std::transform(silent.begin(), silent.end(), quiet.source.begin(), [](const Source& s) { return &s; });
        ForwardWave<T> forward(m_domain, survey, false);
        ForwardWave<T> scattered(m_domain, quiet, false);
        const Buffer<T> kept(m_domain.device(), forward.keptBytes() / sizeof(T), "scatterers", BlockSize::Kept,
                             BlockContent::Uninitialised, m_stream);
        DeviceInjection<T> ofSources;
        if (m_plan.variableDensity()) { // W is without their part
            ofSources.place(m_domain, scaledSources(survey, reflectivity), m_domain.c2(), "scatterers");
        }
        scattered.record(0);
        const int steps = forward.steps();
        for (int n = 0; n < steps; ++n) {
            if (auto ok = look(index, n, steps); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
            forward.step(n, kept.data());
            scattered.step(n, nullptr);
            scatter(m_scatterers, scattered.field(), kept.data(), 1, 0);
            scatter(ofSources, scattered.field(), forward.wavelets(), steps, n);
            if ((n + 1) % m_plan.time.ratio == 0) {
                scattered.record((n + 1) / m_plan.time.ratio);
            }
        }
        const auto rows = scattered.traces(); // [sample][receiver]
        TraceTable table{static_cast<int>(survey.receivers.size()), m_plan.time.count, m_plan.time.dt, {}};
        const auto width = survey.receivers.size();
        for (std::size_t r = 0; r < width; ++r) {
            for (std::size_t k = r; k < rows.size(); k += width) {
                table.values.push_back(static_cast<double>(rows[k]));
            }
        }
        return table;
    }

private:
    void placeScatterers(const std::vector<double>& reflectivity)
    {
        InjectionTable t;
        t.id = nextId();
        overPadded(m_plan, reflectivity, [&](int z, int y, int x, double m) {
            if (m != 0.0) {
                t.begin.push_back(static_cast<int>(t.source.size()));
                t.node.push_back(m_domain.layout().at(z, y, x));
                t.modelNode.push_back(t.node.back());
                t.source.push_back(static_cast<int>(m_compact.at(z, y, x))); // its W(n)
                t.weight.push_back(m);
            }
        });
        t.begin.push_back(static_cast<int>(t.source.size()));
        m_scatterers.place(m_domain, std::make_shared<const InjectionTable>(std::move(t)), m_domain.c2(), "scatterers");
    }

    [[nodiscard]] std::shared_ptr<const InjectionTable> scaledSources(const LaunchSurvey& survey,
                                                                      const std::vector<double>& reflectivity) const
    {
        InjectionTable t = makeInjection(m_plan, m_domain.layout(), survey.sources, PointRole::Source);
        std::vector<double> m(static_cast<std::size_t>(m_domain.layout().shotStride), 0.0);
        overPadded(m_plan, reflectivity, [&](int z, int y, int x, double value) {
            m[static_cast<std::size_t>(m_domain.layout().at(z, y, x))] = value;
        });
        for (std::size_t i = 0; i < t.node.size(); ++i) {
            for (int e = t.begin[i]; e < t.begin[i + 1]; ++e) {
                t.weight[static_cast<std::size_t>(e)] *= m[static_cast<std::size_t>(t.modelNode[i])];
            }
        }
        t.id = nextId();
        return std::make_shared<const InjectionTable>(std::move(t));
    }

    void scatter(const DeviceInjection<T>& table, T* field, const T* rows, std::int64_t stride, int step) const
    {
        kernels::InjectSources<T> body = table.body();
        body.field = field;
        body.wavelets = rows;
        body.waveletStride = stride;
        body.step = step;
        if (body.nodes > 0) {
            m_domain.backend().inject(body, m_stream.handle());
        }
    }

    [[nodiscard]] Result<> look(int shot, int n, int steps) const
    {
        if (m_hooks.stop != nullptr && m_hooks.stop->load(std::memory_order_relaxed)) {
            m_domain.backend().synchronize(m_stream.handle());
            return fail(ErrorKind::Cancelled, "the Born run was stopped before its traces were complete");
        }
        if (n % kTold == 0) {
            m_domain.backend().synchronize(m_stream.handle());
            if (m_hooks.progress) {
                m_hooks.progress({shot, static_cast<int>(m_plan.run.survey.shots.size()), false, n, steps});
            }
        }
        return {};
    }

    const SimulationPlan& m_plan;
    const GradientHooks& m_hooks;
    Stream m_stream;
    WaveDomain<T> m_domain;
    kernels::Layout m_compact;
    DeviceInjection<T> m_scatterers;
};

template<class T>
Result<> computeAll(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const std::vector<double>& reflectivity, const GradientHooks& hooks, std::vector<TraceTable>& out)
{
    BornRun<T> run(plan, device, reflectivity, hooks);
    for (int s = 0; s < static_cast<int>(plan->run.survey.shots.size()); ++s) {
        auto table = run.shot(s, reflectivity);
        if (!table) {
            return tl::unexpected<Error>(table.error());
        }
        out.push_back(std::move(*table));
    }
    return {};
}

} // namespace

Result<std::vector<TraceTable>> bornTraces(const std::shared_ptr<const SimulationPlan>& plan,
                                           const std::shared_ptr<Device>& device, const std::vector<double>& speed,
                                           const GradientHooks& hooks)
{
    const auto& c = plan->model.velocity().samples();
    if (speed.size() != c.size()) {
        return badInput(fmt::format("a change of {} speeds", speed.size()),
                        fmt::format("the model has {} nodes", c.size()));
    }
    // A power of two that brings the largest near 1: products with it are exact, and single precision keeps its range.
    double largest = 0.0;
    std::vector<double> m;
    for (std::size_t i = 0; i < c.size(); ++i) {
        m.push_back(2.0 * speed[i] / static_cast<double>(c[i]));
        if (!std::isfinite(m.back())) {
            return badInput(fmt::format("the change of speed of node {} is not finite", i + 1));
        }
        largest = std::max(largest, std::abs(m.back()));
    }
    const double scale = largest > 0.0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
    std::transform(m.begin(), m.end(), m.begin(), [scale](double v) { return v * scale; });
    std::vector<TraceTable> out;
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64 ? computeAll<double>(plan, device, m, hooks, out)
                                                         : computeAll<float>(plan, device, m, hooks, out);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    for (auto& table : out) {
        for (double& v : table.values) {
            v /= scale;
            if (!std::isfinite(v)) {
                return fail(ErrorKind::Unstable, "the scattered field grew beyond all bounds",
                            "use a smaller Courant fraction");
            }
        }
    }
    return out;
}

} // namespace ondo
