#include "ui/inversion/inversion_detail.h"

#include "engine/io/inversion_reader.h"
#include "engine/io/model_reader.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_run.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/speed_desk.h"
#include "ui/text.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace ondo {

namespace {

constexpr int kClockMilliseconds = 100;

std::shared_ptr<const Gather> gatherOf(const Shot& shot, int index, const TraceTable& table)
{
    auto gather = std::make_shared<Gather>();
    gather->shot = index;
    gather->sources = shot.sources;
    gather->receivers = shot.receivers;
    gather->dt = table.dt;
    gather->samples = gather->recorded = table.samples;
    gather->traces.assign(table.values.begin(), table.values.end());
    return gather;
}

double norm(const std::vector<double>& values)
{
    double sum = 0.0;
    for (const double v : values) {
        sum += v * v;
    }
    return std::sqrt(sum);
}

struct ShotWork {
    InversionOrder order;
    Model model;
    int shot = 0, index = 0;
    double lowPass = 0.0;
    SourceFilter common; // the iterate's, where one was estimated for all shots
};

// One shot, its data and its misfit, as the inversion's stage has them.
struct ShotSetup {
    InversionWithData with;
    MisfitFunction misfit;
    std::shared_ptr<const DataMisfitReport> report; // of its last call
};

Result<ShotSetup> setUpShot(const ShotWork& work)
{
    auto with = setUpWithData(work.order);
    if (!with) {
        return tl::unexpected<Error>(with.error());
    }
    DataMisfitOptions options = with->setup.settings.data;
    options.lowPass = work.lowPass;
    auto report = std::make_shared<DataMisfitReport>();
    auto whole = dataMisfit(*with->setup.plan.plan, with->observed.shots, options, report, work.common);
    if (!whole) {
        return tl::unexpected<Error>(whole.error());
    }
    return ShotSetup{std::move(*with),
                     [misfit = std::move(*whole), shot = work.shot](int, const TraceTable& synthetic) {
                         return misfit(shot, synthetic);
                     },
                     report};
}

Result<TraceComparison> compareShot(const ShotWork& work, JobTicket& ticket)
{
    const auto shotSetup = setUpShot(work);
    if (!shotSetup) {
        return tl::unexpected<Error>(shotSetup.error());
    }
    const auto& [with, misfit, report] = *shotSetup;
    ForwardHooks hooks;
    hooks.stop = &ticket.cancelled;
    hooks.progress = [&](double fraction) { ticket.fraction = static_cast<float>(fraction); };
    auto traces = computeTraces(planAt(*with.setup.plan.plan, work.model, work.shot), with.setup.device, hooks);
    if (!traces) {
        return tl::unexpected<Error>(traces.error());
    }
    TraceTable synthetic = std::move(traces->front());
    TraceTable observed = with.observed.shots.at(static_cast<std::size_t>(work.shot));
    const auto judged = misfit(work.shot, synthetic);
    if (!judged) {
        return tl::unexpected<Error>(judged.error());
    }
    for (TraceTable* table : {&synthetic, &observed}) {
        if (work.lowPass > 0.0) {
            lowPass(table->values, static_cast<std::size_t>(table->samples), table->dt, work.lowPass);
        }
    }
    const auto at = static_cast<std::size_t>(work.shot);
    const double factor = report->factor.at(at); // the source that the misfit found
    for (double& v : synthetic.values) {
        v *= factor;
    }
    if (const SourceFilter& filter = report->filter.at(at); filter.any()) {
        filter.apply(synthetic.values, static_cast<std::size_t>(synthetic.samples));
    }
    TraceTable difference = synthetic;
    std::transform(synthetic.values.begin(), synthetic.values.end(), observed.values.begin(), difference.values.begin(),
                   std::minus<>());
    const Shot& shot = work.order.run.survey.shots.at(static_cast<std::size_t>(work.shot));
    const double size = norm(observed.values);
    return TraceComparison{work.shot,
                           work.index,
                           work.lowPass,
                           gatherOf(shot, work.shot, observed),
                           gatherOf(shot, work.shot, synthetic),
                           gatherOf(shot, work.shot, difference),
                           judged->misfit,
                           size > 0.0 ? norm(difference.values) / size : 0.0};
}

Result<std::vector<float>> gradientOfShot(const ShotWork& work, JobTicket& ticket)
{
    const auto shotSetup = setUpShot(work);
    if (!shotSetup) {
        return tl::unexpected<Error>(shotSetup.error());
    }
    const auto& [with, misfit, report] = *shotSetup;
    GradientHooks hooks;
    hooks.stop = &ticket.cancelled;
    hooks.progress = [&](const GradientProgress& p) {
        const double done = static_cast<double>(p.step) / std::max(1, p.steps);
        ticket.fraction = static_cast<float>(p.backwards ? 0.33 + 0.67 * done : 0.33 * done);
    };
    const auto g = computeGradient(planAt(*with.setup.plan.plan, work.model, work.shot), with.setup.device, misfit,
                                   with.setup.settings.gradient, hooks);
    if (!g) {
        return tl::unexpected<Error>(g.error());
    }
    return std::vector<float>(g->speed.begin(), g->speed.end());
}

Result<Model> modelIn(const std::string& path, const ModelSource& hints)
{
    if (isInversionFile(path)) {
        return readInversionModel(path);
    }
    ModelSource source = hints;
    source.path = path;
    auto loaded = readModel(source);
    if (!loaded) {
        return tl::unexpected<Error>(loaded.error());
    }
    return std::move(loaded->model);
}

} // namespace

struct InversionDetail::Growing {
    std::mutex mutex;
    MisfitLine line;
    bool grew = false;
};

InversionDetail::InversionDetail(InversionDesk& desk, ProjectModel& project, SessionBridge& session)
    : QObject(&desk)
    , m_desk(desk)
    , m_project(project)
    , m_session(session)
{
    m_clock.setInterval(kClockMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &InversionDetail::listen);
    connect(&m_desk, &InversionDesk::fileChanged, this, [this] { setShot(m_shot); });
}

InversionDetail::~InversionDetail() = default;

void InversionDetail::setShot(int shot)
{
    const int most = std::max(0, static_cast<int>(m_desk.shots().size()) - 1);
    const int wanted = std::clamp(shot, 0, most);
    if (wanted != m_shot) {
        m_shot = wanted;
        emit shotChanged();
    }
}

std::optional<int> InversionDetail::chosen() const
{
    if (m_desk.record() == nullptr || m_desk.loaded() < 0 || m_shot >= static_cast<int>(m_desk.shots().size())) {
        m_project.tell({NoticeKind::Refused, tr("No iterate is chosen of which this could be computed"),
                        tr("Open an inversion's file (Ctrl+Alt+O), or start one (Ctrl+J)")});
        return std::nullopt;
    }
    return std::min(m_desk.loaded(), m_desk.count() - 1);
}

double InversionDetail::stageLowPass(int index) const
{
    const auto& overview = *m_desk.watch().overview();
    const auto stage = static_cast<std::size_t>(overview.records.at(static_cast<std::size_t>(index)).stage);
    return stage < overview.settings.stages.size() ? overview.settings.stages[stage].lowPass : 0.0;
}

SourceFilter InversionDetail::commonSource() const
{
    const bool common = m_desk.watch().overview()->settings.data.sourceFilter == "common";
    return {common && m_desk.whole() != nullptr ? m_desk.whole()->filters : std::vector<double>()};
}

void InversionDetail::begin(Work work)
{
    cancel();
    m_work = work;
    m_session.speed().hold(true);
    m_clock.start();
}

void InversionDetail::end(const std::optional<Error>& error)
{
    m_job.reset();
    m_clock.stop();
    m_session.speed().hold(m_desk.run().running());
    if (error) {
        m_project.tell(noticeOf(*error));
    }
    emit progressed();
}

void InversionDetail::cancel()
{
    if (m_job != nullptr) {
        m_job->cancelled = true; // ends within a step; nothing comes back
        end(std::nullopt);
    }
}

double InversionDetail::fraction() const
{
    return m_job != nullptr ? static_cast<double>(m_job->fraction.load()) : 0.0;
}

void InversionDetail::listen()
{
    if (m_growing != nullptr) {
        const std::lock_guard lock(m_growing->mutex);
        if (std::exchange(m_growing->grew, false)) {
            m_line = m_growing->line;
            emit lineChanged();
        }
    }
    emit progressed();
}

bool InversionDetail::tracesFresh() const
{
    return m_traces && m_traces->shot == m_shot && m_traces->index == m_desk.selected();
}

void InversionDetail::computeTraces()
{
    const auto index = chosen();
    if (!index) {
        return;
    }
    begin(Work::Traces);
    const ShotWork work{m_desk.computed(), m_desk.model(), m_shot, *index, stageLowPass(*index), commonSource()};
    m_job = m_jobs.start(
        this, [work](JobTicket& ticket) { return compareShot(work, ticket); },
        [this](Result<TraceComparison> found) {
            end(found ? std::nullopt : std::optional(found.error()));
            if (found) {
                m_traces = std::move(*found);
                emit tracesChanged();
            }
        });
    emit progressed();
}

void InversionDetail::computeGradient()
{
    const auto index = chosen();
    if (!index) {
        return;
    }
    begin(Work::Gradient);
    const ShotWork work{m_desk.computed(), m_desk.model(), m_shot, *index, stageLowPass(*index), commonSource()};
    m_job = m_jobs.start(
        this, [work](JobTicket& ticket) { return gradientOfShot(work, ticket); },
        [this, shot = m_shot, index = *index](Result<std::vector<float>> found) {
            end(found ? std::nullopt : std::optional(found.error()));
            if (found) {
                auto frame = std::make_shared<FieldFrame>();
                const Grid& grid = m_desk.watch().overview()->grid;
                frame->nz = grid.nz;
                frame->ny = grid.ny;
                frame->nx = grid.nx;
                frame->values = std::move(*found);
                m_gradient = OfShot{frame, clipsOf(frame->values), shot, index};
                m_desk.setShown(true);
                emit gradientChanged();
            }
        });
    emit progressed();
}

void InversionDetail::hideGradient()
{
    if (m_gradient) {
        m_gradient.reset();
        emit gradientChanged();
    }
}

std::optional<ShownField> InversionDetail::shownGradient(double percentile) const
{
    if (!m_gradient || m_gradient->index != m_desk.selected()) {
        return std::nullopt;
    }
    return ShownField{m_gradient->frame, tr("Shot %1").arg(m_gradient->shot + 1),
                      m_desk.run().misfitUnit() + tr("/(m/s)"), clipAt(m_gradient->clips, percentile)};
}

void InversionDetail::setWay(Way way)
{
    m_way = way;
    emit tracesChanged();
}

void InversionDetail::setLine(const LineEnds& ends, const MisfitLineRequest& request)
{
    m_ends = ends;
    m_request = request;
}

void InversionDetail::computeLine()
{
    const LineEnds ends = m_ends;
    const auto index = chosen();
    if (!index) {
        return;
    }
    begin(Work::Line);
    m_line = {};
    m_growing = std::make_shared<Growing>();
    const QString here = tr("iteration %1").arg(*index);
    const QString from = ends.fromStart ? tr("the start") : here;
    m_lineEnds = tr("t = 0: %1; t = 1: %2").arg(from, ends.file.isEmpty() ? here : QFileInfo(ends.file).fileName());
    emit lineChanged();
    MisfitLineRequest request = m_request;
    request.data = m_desk.watch().overview()->settings.data;
    request.data.lowPass = stageLowPass(*index);
    const Model a = ends.fromStart ? *m_desk.watch().start() : m_desk.model();
    m_job = m_jobs.start(
        this,
        [order = m_desk.computed(), a, b = m_desk.model(), file = toEngine(ends.file), request,
         growing = m_growing](JobTicket& ticket) -> Result<MisfitLine> {
            const auto with = setUpWithData(order);
            if (!with) {
                return tl::unexpected<Error>(with.error());
            }
            auto end = file.empty() ? Result<Model>(b) : modelIn(file, order.run.model);
            if (!end) {
                return tl::unexpected<Error>(end.error());
            }
            const auto plan = planMisfitLine(order.run, a, *end, with->setup.device->facts(), request);
            if (!plan) {
                return tl::unexpected<Error>(plan.error());
            }
            MisfitLineHooks hooks;
            hooks.stop = &ticket.cancelled;
            hooks.progress = [&](double fraction) { ticket.fraction = static_cast<float>(fraction); };
            hooks.grown = [&](const MisfitLine& soFar) {
                const std::lock_guard lock(growing->mutex);
                growing->line = soFar;
                growing->grew = true;
            };
            return computeMisfitLine(**plan, with->setup.device, with->observed.shots, *end, request, hooks);
        },
        [this](Result<MisfitLine> line) {
            m_growing.reset();
            end(line ? std::nullopt : std::optional(line.error()));
            if (line) {
                m_line = std::move(*line);
                emit lineChanged();
            }
        });
    emit progressed();
}

} // namespace ondo
