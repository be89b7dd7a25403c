#include "ui/inversion/inversion_desk.h"

#include "engine/io/inversion_keys.h"
#include "engine/project/default_run.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/inversion/inversion_run.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

constexpr std::size_t kKept = 12; // looks, for going to and fro

std::shared_ptr<const FieldFrame> frameOf(const Grid& grid, std::vector<float> values)
{
    auto frame = std::make_shared<FieldFrame>();
    frame->nz = grid.nz;
    frame->ny = grid.ny;
    frame->nx = grid.nx;
    frame->values = std::move(values);
    return frame;
}

std::vector<float> difference(const std::vector<float>& a, const std::vector<float>& b)
{
    std::vector<float> out(a.size());
    std::transform(a.begin(), a.end(), b.begin(), out.begin(), [](float x, float y) { return x - y; });
    return out;
}

// The data as the file names them; a name that leads nowhere from here is looked for beside the file.
QString observedBeside(const QString& file, const QString& observed)
{
    const QFileInfo beside(QFileInfo(file).absolutePath() + QLatin1Char('/') + QFileInfo(observed).fileName());
    if (observed.isEmpty() || QFileInfo::exists(observed) || !beside.exists()) {
        return observed.isEmpty() ? QString() : QFileInfo(observed).absoluteFilePath();
    }
    return beside.filePath();
}

} // namespace

QString lookText(InversionLook look)
{
    switch (look) {
    case InversionLook::Model: return InversionDesk::tr("Model");
    case InversionLook::Update: return InversionDesk::tr("Update");
    case InversionLook::FromStart: return InversionDesk::tr("Change from the start");
    case InversionLook::Gradient: return InversionDesk::tr("Gradient");
    case InversionLook::Illumination: return InversionDesk::tr("Illumination");
    }
    return {};
}

InversionDesk::InversionDesk(ProjectModel& project, SessionBridge& session, QObject* parent)
    : QObject(parent)
    , m_project(project)
    , m_session(session)
    , m_watch(this)
    , m_run(new InversionRun(*this, project, session))
    , m_detail(new InversionDetail(*this, project, session))
{
    connect(&m_watch, &InversionWatch::changed, this, &InversionDesk::followFile);
    connect(m_run, &InversionRun::pictureChanged, this, &InversionDesk::pictureChanged);
    connect(m_detail, &InversionDetail::gradientChanged, this, &InversionDesk::pictureChanged);
    for (const auto changed :
         {&InversionDesk::fileChanged, &InversionDesk::selectionChanged, &InversionDesk::pictureChanged}) {
        connect(this, changed, this, &InversionDesk::acted);
    }
    connect(m_run, &InversionRun::progressed, this, &InversionDesk::acted);
    connect(m_detail, &InversionDetail::tracesChanged, this, &InversionDesk::acted);
    connect(&m_session, &SessionBridge::stateChanged, this, [this] {
        if (m_session.active()) {
            setShown(false); // the run's own pictures
        }
    });
}

InversionDesk::~InversionDesk() = default;

void InversionDesk::open(const QString& path, std::function<void()> then)
{
    m_then = std::move(then);
    m_adopt = true;
    m_shown = true;
    m_following = true;
    m_selected = -1;
    m_kept.clear();
    m_loaded.reset();
    m_whole.reset();
    m_range = {};
    m_watch.open(path);
}

void InversionDesk::follow(const QString& path)
{
    if (path != m_watch.path()) {
        open(path);
    } else {
        m_following = true;
        setShown(true);
    }
    m_adopt = false;
}

int InversionDesk::count() const
{
    return m_watch.overview() == nullptr ? 0 : static_cast<int>(m_watch.overview()->records.size());
}

const InversionRecord* InversionDesk::record() const
{
    return m_selected >= 0 && m_selected < count() ? &m_watch.overview()->records[static_cast<std::size_t>(m_selected)]
                                                   : nullptr;
}

void InversionDesk::followFile()
{
    if (count() > 0 && std::exchange(m_adopt, false)) {
        adopt();
    }
    const int before = m_selected;
    const int last = count() - 1;
    m_selected = m_following || m_selected > last ? last : m_selected;
    // A roll back writes other records under old numbers.
    const auto& overview = m_watch.overview();
    std::erase_if(m_kept, [&](const Loaded& kept) {
        return kept.index > last ||
               kept.record->objective != overview->records[static_cast<std::size_t>(kept.index)].objective;
    });
    emit fileChanged();
    if (m_selected != before) {
        emit selectionChanged();
    }
    fetch();
    if ((overview != nullptr || !m_watch.trouble().isEmpty()) && m_then) {
        std::exchange(m_then, nullptr)();
    }
}

void InversionDesk::adopt()
{
    const auto& overview = m_watch.overview();
    const Model& start = *m_watch.start();
    RunDescription run;
    if (overview->run) {
        run = *overview->run;
    } else {
        run = withDefaultSurvey(run, start);
        m_project.tell({NoticeKind::Warning,
                        tr("The inversion's shots are not known here: %1").arg(fromEngine(overview->runProblem)),
                        tr("Its iterates can be seen, but nothing can be computed of them")});
    }
    run.device = m_project.run().device; // chosen for this machine, not by the file
    const bool first = m_project.model().empty();
    m_session.stop();
    m_project.open(tr("Open an inversion"), start, run, {});
    if (first) {
        m_project.undoStack().clear(); // there is nothing to go back to
    }
    m_run->setValues(overview->settings);
    m_run->setOut(m_watch.path());
    m_run->setObserved(observedBeside(m_watch.path(), fromEngine(overview->observed)));
}

void InversionDesk::select(int index)
{
    const int wanted = std::clamp(index, -1, count() - 1);
    m_following = wanted == count() - 1;
    if (wanted != m_selected) {
        m_selected = wanted;
        emit selectionChanged();
        fetch();
    }
    if (!m_shown) {
        setShown(true);
    }
}

void InversionDesk::setLook(InversionLook look)
{
    m_look = look;
    m_detail->hideGradient();
    emit selectionChanged();
    fetch();
    if (!m_shown) {
        setShown(true);
    }
}

void InversionDesk::setWell(double x)
{
    m_well = x;
    emit wellChanged();
}

double InversionDesk::well() const
{
    if (m_watch.start() == nullptr) {
        return m_well.value_or(0.0);
    }
    const Grid& g = m_watch.start()->grid();
    return std::clamp(m_well.value_or(g.origin.x + 0.5 * g.lengthX()), g.origin.x, g.origin.x + g.lengthX());
}

void InversionDesk::setPercentile(double percentile)
{
    m_percentile = percentile;
    emit pictureChanged();
}

void InversionDesk::setShown(bool shown)
{
    if (m_shown != shown) {
        m_shown = shown;
        emit pictureChanged();
    }
}

void InversionDesk::fetch()
{
    if (m_selected < 0) {
        m_loaded.reset();
        m_whole.reset();
        emit pictureChanged();
        return;
    }
    for (const Loaded& kept : m_kept) {
        if (kept.index == m_selected && kept.look == m_look) {
            show(kept);
            return;
        }
    }
    if (m_fetching) {
        m_fetchAgain = true;
        return;
    }
    m_fetching = true;
    m_jobs.start(
        this,
        [path = toEngine(m_watch.path()), start = m_watch.start(), index = m_selected, look = m_look,
         parameters = m_watch.overview()->settings.parameters](JobTicket&) {
            return load(path, *start, parameters, index, look);
        },
        [this, path = m_watch.path()](Result<Loaded> loaded) {
            m_fetching = false;
            const bool again = std::exchange(m_fetchAgain, false);
            if (path == m_watch.path() && loaded) {
                m_kept.push_back(std::move(*loaded));
                if (m_kept.size() > kKept) {
                    m_kept.pop_front();
                }
                if (m_kept.back().index == m_selected && m_kept.back().look == m_look) {
                    show(m_kept.back());
                    return;
                }
            } else if (path == m_watch.path() && !again) {
                m_missing = noticeOf(loaded.error()).text;
                emit pictureChanged();
                return;
            }
            fetch();
        });
}

Result<InversionDesk::Loaded> InversionDesk::load(const std::string& path, const Model& start,
                                                  InvertedParameters parameters, int index, InversionLook look)
{
    const Grid& grid = start.grid();
    Loaded out;
    out.index = index;
    out.look = look;
    auto record = readInversionRecord(path, index, grid);
    if (!record) {
        return tl::unexpected<Error>(record.error());
    }
    out.model = modelOf(start, record->speed, record->second, parameters);
    if (look == InversionLook::Update || look == InversionLook::FromStart) {
        const int from = look == InversionLook::Update ? std::max(0, index - 1) : 0;
        const auto before = readInversionRecord(path, from, grid);
        if (!before) {
            return tl::unexpected<Error>(before.error());
        }
        out.frame = frameOf(grid, difference(record->speed, before->speed));
        out.missing = index == 0 ? tr("The start: nothing has changed yet") : QString();
    } else if (look == InversionLook::Gradient) {
        out.frame = frameOf(grid, {record->gradient.begin(), record->gradient.end()});
    } else if (look == InversionLook::Illumination) {
        if (record->illumination.empty()) {
            out.missing =
                tr("Not kept in this file for this iteration: illumination is where a stage begins, if at all");
        } else {
            out.frame = frameOf(grid, {record->illumination.begin(), record->illumination.end()});
        }
    }
    if (out.frame != nullptr) {
        out.clips = clipsOf(out.frame->values);
    }
    out.record = std::make_shared<const InversionRecord>(std::move(*record));
    return out;
}

void InversionDesk::show(const Loaded& loaded)
{
    m_loaded = loaded;
    m_whole = loaded.record;
    m_missing = loaded.missing;
    const ValueRange range = loaded.model.range();
    m_range = m_range.high > 0.0 ? ValueRange{std::min(m_range.low, range.low), std::max(m_range.high, range.high), 0}
                                 : range;
    emit pictureChanged();
}

const std::vector<Shot>& InversionDesk::shots() const
{
    const auto& overview = m_watch.overview();
    return overview != nullptr && overview->run ? overview->run->survey.shots : m_project.run().survey.shots;
}

InversionOrder InversionDesk::computed() const
{
    InversionOrder order = m_run->order();
    const auto& overview = m_watch.overview();
    if (overview == nullptr || m_watch.start() == nullptr) {
        return order;
    }
    if (overview->run) {
        const std::string device = order.run.device;
        order.run = *overview->run;
        order.run.output = {};
        order.run.device = device;
        order.start = *m_watch.start();
    }
    order.assignments.clear();
    order.tape = overview->settings.gradient.tape;
    const auto keys = inversionKeys();
    const auto values = inversionValues(overview->settings);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (values[i] != kChosen) {
            order.assignments.push_back("inversion." + keys[i].name + "=" + values[i]);
        }
    }
    return order;
}

std::optional<InversionDesk::Picture> InversionDesk::picture() const
{
    if (!m_shown || !m_loaded || !(m_loaded->model.grid() == m_project.model().grid())) {
        return std::nullopt;
    }
    Picture out{
        m_loaded->model, m_range, std::nullopt,
        tr("Iteration %1 of %2: %3").arg(m_loaded->index).arg(count() - 1).arg(lookText(m_loaded->look).toLower())};
    if (const auto& live = m_run->livePicture()) {
        out.field = live;
    } else if (const auto& ofShot = m_detail->shownGradient(m_percentile)) {
        out.field = ofShot;
    } else if (m_loaded->frame != nullptr) {
        const QString unit = m_loaded->look == InversionLook::Gradient       ? tr("1/(m/s)")
                             : m_loaded->look == InversionLook::Illumination ? tr("relative")
                                                                             : tr("m/s");
        out.field = ShownField{m_loaded->frame, lookText(m_loaded->look), unit, clipAt(m_loaded->clips, m_percentile)};
    }
    return out;
}

} // namespace ondo
