#include "engine/inversion/lag_gathers.h"

#include "engine/inversion/gradient_needs.h"
#include "engine/inversion/illumination.h"
#include "engine/inversion/launch_waves.h"
#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

constexpr int kColumns = 16;       // along x, when nobody said
constexpr double kAngleStep = 2.0; // degrees

std::vector<int> nodesEvery(int count, double spacing, double apart)
{
    std::vector<int> nodes;
    const int steps = std::max(1, static_cast<int>(std::lround(apart / spacing)));
    for (int i = std::min(steps, count) / 2; i < count; i += steps) {
        nodes.push_back(i);
    }
    return nodes;
}

std::vector<double> lagsOf(int nodes, double spacing)
{
    std::vector<double> lags;
    for (int j = -nodes; j <= nodes; ++j) {
        lags.push_back(j * spacing);
    }
    return lags;
}

// A shot's gathers so far.
struct ShotSums {
    std::vector<double> alongX, alongY;
};

template<class T>
class LagRun {
public:
    LagRun(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device, LagNeeds needs,
           const LagHooks& hooks)
        : m_plan(*plan)
        , m_needs(std::move(needs))
        , m_hooks(hooks)
        , m_stream(device, kernels::StreamPriority::Solver)
        , m_domain(plan, device, m_stream)
        , m_compact(compactLayout(m_plan))
    {
        auto field = m_domain.field(1, "field"); // the launch's own takes its place
        m_domain.upload(field);
    }

    [[nodiscard]] Result<> run(const std::vector<std::vector<double>>& residuals, LagGathers& out)
    {
        for (int shot = 0; shot < static_cast<int>(residuals.size()); ++shot) {
            ShotSums sums{std::vector<double>(out.alongX.size()), std::vector<double>(out.alongY.size())};
            if (auto ok = one(shot, residuals[static_cast<std::size_t>(shot)], sums); !ok) {
                return ok;
            }
            const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
                std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
            };
            add(out.alongX, sums.alongX);
            add(out.alongY, sums.alongY);
        }
        return {};
    }

private:
    [[nodiscard]] Result<> one(int shot, const std::vector<double>& residuals, ShotSums& sums)
    {
        const LaunchSurvey survey(m_plan, shot, 1);
        ForwardWave<T> forward(m_domain, survey, false);
        AdjointWave<T> adjoint(m_domain, survey, false, false);
        const std::size_t count = forward.keptBytes() / sizeof(T);
        const auto nodes = static_cast<std::size_t>(m_compact.shotStride); // W comes first of what is kept
        const Buffer<T> kept(m_domain.device(), count, "lag gathers", BlockSize::Kept, BlockContent::Uninitialised,
                             m_stream);
        const int steps = forward.steps();
        std::vector<std::vector<T>> w; // of every so many steps
        for (int n = 0; n < steps; ++n) {
            if (auto ok = look(shot, n, 0.5 * n / steps); !ok) {
                return ok;
            }
            const bool imaged = n % m_needs.every == 0;
            forward.step(n, imaged ? kept.data() : nullptr);
            if (imaged) {
                w.emplace_back(nodes);
                m_domain.backend().copyToHost(w.back().data(), kept.data(), nodes * sizeof(T), m_stream.handle(),
                                              kernels::CopyPurpose::Field);
                m_domain.backend().synchronize(m_stream.handle());
            }
        }
        double largest = 0.0;
        for (const double v : residuals) {
            largest = std::max(largest, std::abs(v));
        }
        const double scale = residualScale(largest);
        adjoint.setResiduals(residuals, {scale});
        adjoint.inject(m_plan.time.count - 1);
        for (int n = steps - 1; n >= 0; --n) {
            if (auto ok = look(shot, n, 1.0 - 0.5 * n / steps); !ok) {
                return ok;
            }
            if (n % m_needs.every == 0) { // q(n + 1), and W(n)
                image(adjoint.field(0), w[static_cast<std::size_t>(n / m_needs.every)], 1.0 / scale, sums);
            }
            adjoint.stepBack(n, nullptr, forward.wavelets());
            if (n % m_plan.time.ratio == 0) {
                adjoint.inject(n / m_plan.time.ratio);
            }
        }
        return {};
    }

    [[nodiscard]] Result<> look(int shot, int n, double fraction) const
    {
        if (m_hooks.stop != nullptr && m_hooks.stop->load(std::memory_order_relaxed)) {
            m_domain.backend().synchronize(m_stream.handle());
            return fail(ErrorKind::Cancelled, "the gathers were stopped before they were complete");
        }
        if (m_hooks.progress && n % 64 == 0) {
            m_hooks.progress(shot, fraction);
        }
        return {};
    }

    void image(const std::vector<T>& q, const std::vector<T>& w, double factor, ShotSums& sums) const
    {
        const Grid& g = m_plan.model.grid();
        const double nodal = factor * m_needs.every * g.dz * g.dx * (g.rank == 3 ? g.dy : 1.0);
        std::size_t atX = 0;
        std::size_t atY = 0;
        for (const auto& column : m_needs.columns) {
            for (int z = 0; z < g.nz; ++z) {
                for (int j = -m_needs.lagsX; j <= m_needs.lagsX; ++j) {
                    sums.alongX[atX++] += nodal * product(q, w, {z, column.y, column.x, 0, j});
                }
                for (int j = -m_needs.lagsY; g.rank == 3 && j <= m_needs.lagsY; ++j) {
                    sums.alongY[atY++] += nodal * product(q, w, {z, column.y, column.x, j, 0});
                }
            }
        }
    }

    struct Apart {
        int z, y, x; // node
        int lagY, lagX;
    };

    [[nodiscard]] double product(const std::vector<T>& q, const std::vector<T>& w, const Apart& a) const
    {
        const Grid& g = m_plan.model.grid();
        const auto inside = [](int i, int lag, int count) {
            return i - std::abs(lag) >= 0 && i + std::abs(lag) < count;
        };
        if (!inside(a.x, a.lagX, g.nx) || !inside(a.y, a.lagY, g.ny)) {
            return 0.0;
        }
        const int z = a.z + m_plan.layerLow[0];
        const int y = a.y + m_plan.layerLow[1];
        const int x = a.x + m_plan.layerLow[2];
        const auto there = static_cast<std::size_t>(m_domain.layout().at(z, y + a.lagY, x + a.lagX));
        const auto here = static_cast<std::size_t>(m_compact.at(z, y - a.lagY, x - a.lagX));
        return static_cast<double>(q[there]) * static_cast<double>(w[here]);
    }

    const SimulationPlan& m_plan;
    LagNeeds m_needs;
    const LagHooks& m_hooks;
    Stream m_stream;
    WaveDomain<T> m_domain;
    kernels::Layout m_compact;
};

} // namespace

Result<LagNeeds> checkLags(const SimulationPlan& plan, const LagOptions& options)
{
    const Grid& g = plan.model.grid();
    const double apart = options.apart > 0.0 ? options.apart : g.nx * g.dx / kColumns;
    LagNeeds needs;
    needs.lagsX = static_cast<int>(std::floor(options.farthest / g.dx + 1e-6));
    needs.lagsY = g.rank == 3 ? static_cast<int>(std::floor(options.farthest / g.dy + 1e-6)) : 0;
    if (!std::isfinite(options.farthest) || needs.lagsX < 1 || 2 * needs.lagsX >= g.nx ||
        (g.rank == 3 && (needs.lagsY < 1 || 2 * needs.lagsY >= g.ny))) {
        return badInput(fmt::format("space lags up to {:g} m", options.farthest),
                        fmt::format("give at least a node, {:g} m, and less than half the grid's length, {:g} m",
                                    std::max(g.dx, g.rank == 3 ? g.dy : 0.0), 0.5 * g.nx * g.dx));
    }
    if (!(options.apart >= 0.0) || (options.apart > 0.0 && options.apart < g.dx)) {
        return badInput(fmt::format("gathers every {:g} m", options.apart),
                        fmt::format("give at least a node, {:g} m", g.dx));
    }
    if (!(options.widestAngle > 0.0) || !(options.widestAngle < 89.0)) {
        return badInput(fmt::format("angles up to {:g} degrees", options.widestAngle), "give 0 to 89 degrees");
    }
    const auto rows = g.rank == 3 ? nodesEvery(g.ny, g.dy, apart) : std::vector<int>{0};
    for (const int y : rows) {
        for (const int x : nodesEvery(g.nx, g.dx, std::max(apart, g.dx))) {
            needs.columns.push_back({x, y});
        }
    }
    needs.every = illuminationEvery(plan);
    const auto instants = static_cast<std::size_t>(plan.time.innerSteps() / needs.every + 1);
    const std::size_t number = plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float);
    needs.hostBytes = instants * static_cast<std::size_t>(compactLayout(plan).shotStride) * number;
    const std::size_t free = FreeMemory::of(plan, {}).host;
    if (needs.hostBytes > free / 10 * 9) {
        return fail(ErrorKind::OutOfMemory,
                    fmt::format("space-lag gathers keep a field at {} instants in the host's memory: {} of {} free",
                                instants, bytesOf(needs.hostBytes), bytesOf(free)),
                    "a shorter run, a coarser grid or a lower frequency needs less; without lags none of it is kept");
    }
    return needs;
}

Result<LagGathers> computeLagGathers(const std::shared_ptr<const SimulationPlan>& plan,
                                     const std::shared_ptr<Device>& device,
                                     const std::vector<std::vector<double>>& residuals, const LagOptions& options,
                                     const LagHooks& hooks)
{
    auto needs = checkLags(*plan, options);
    if (!needs) {
        return tl::unexpected<Error>(needs.error());
    }
    const Grid& g = plan->model.grid();
    LagGathers out;
    out.columns = needs->columns;
    out.depths = g.nz;
    out.every = needs->every;
    out.lagsX = lagsOf(needs->lagsX, g.dx);
    const std::size_t nodes = out.columns.size() * static_cast<std::size_t>(g.nz);
    out.alongX.assign(nodes * out.lagsX.size(), 0.0);
    if (g.rank == 3) {
        out.lagsY = lagsOf(needs->lagsY, g.dy);
        out.alongY.assign(nodes * out.lagsY.size(), 0.0);
    }
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64
                   ? LagRun<double>(plan, device, *needs, hooks).run(residuals, out)
                   : LagRun<float>(plan, device, *needs, hooks).run(residuals, out);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    const auto finite = [](const std::vector<double>& v) {
        return std::all_of(v.begin(), v.end(), [](double a) { return std::isfinite(a); });
    };
    if (!finite(out.alongX) || !finite(out.alongY)) {
        return fail(ErrorKind::Unstable, "the gathers are not finite everywhere: a field grew beyond all bounds",
                    "use a smaller Courant fraction");
    }
    if (g.rank == 2) {
        const int half = static_cast<int>(options.widestAngle / kAngleStep);
        for (int a = -half; a <= half; ++a) {
            out.angles.push_back(a * kAngleStep);
        }
        const std::size_t size = static_cast<std::size_t>(g.nz) * out.lagsX.size();
        for (std::size_t c = 0; c < out.columns.size(); ++c) {
            const auto from = out.alongX.begin() + static_cast<std::ptrdiff_t>(c * size);
            const std::vector<double> gather(from, from + static_cast<std::ptrdiff_t>(size));
            const auto stacked = slantStack(gather, g.nz, g.dz, out.lagsX, out.angles);
            out.byAngle.insert(out.byAngle.end(), stacked.begin(), stacked.end());
        }
    }
    return out;
}

std::vector<double> slantStack(const std::vector<double>& gather, int depths, double dz,
                               const std::vector<double>& lags, const std::vector<double>& angles)
{
    const double apart = lags.size() > 1 ? lags[1] - lags[0] : 1.0;
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(depths) * angles.size());
    for (int z = 0; z < depths; ++z) {
        for (const double angle : angles) {
            const double slope = std::tan(angle * std::numbers::pi / 180.0) / dz;
            double sum = 0.0;
            for (std::size_t h = 0; h < lags.size(); ++h) {
                const double at = z + lags[h] * slope;
                const double below = std::floor(at);
                if (below < 0.0 || below + 1.0 > depths - 1.0) {
                    continue;
                }
                const auto i = static_cast<std::size_t>(below) * lags.size() + h;
                sum += (1.0 - (at - below)) * gather[i] + (at - below) * gather[i + lags.size()];
            }
            out.push_back(sum * apart);
        }
    }
    return out;
}

double lagSpread(const std::vector<double>& gather, const std::vector<double>& lags, int top)
{
    double far = 0.0;
    double all = 0.0;
    for (std::size_t i = static_cast<std::size_t>(top) * lags.size(); i < gather.size(); ++i) {
        const double h = lags[i % lags.size()];
        far += h * h * gather[i] * gather[i];
        all += gather[i] * gather[i];
    }
    return all > 0.0 ? std::sqrt(far / all) : 0.0;
}

} // namespace ondo
