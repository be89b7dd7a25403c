#include "ui/panes/iteration_pane.h"

#include "render/colour_map.h"
#include "render/ticks.h"
#include "ui/forms/form.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/inversion/inversion_run.h"
#include "ui/panes/bar_plot.h"
#include "ui/panes/curve_plot.h"
#include "ui/panes/thumbnail_strip.h"
#include "ui/project_model.h"
#include "ui/text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr int kRecent = 120; // s: who has written in this time is taken to be at work

QString amount(double value)
{
    return fromEngine(spellAmount(value, 3));
}

std::vector<PlotBand> stagesOf(const InversionOverview& overview)
{
    std::vector<PlotBand> bands;
    const int last = static_cast<int>(overview.records.size()) - 1;
    for (int i = 0; i <= last; ++i) {
        const InversionRecord& r = overview.records[static_cast<std::size_t>(i)];
        if (r.iteration == 0) {
            const auto stage = static_cast<std::size_t>(r.stage);
            const double corner =
                stage < overview.settings.stages.size() ? overview.settings.stages[stage].lowPass : 0.0;
            const QString name = IterationPane::tr("stage %1").arg(r.stage + 1);
            bands.push_back({i - 0.5, last + 0.5,
                             corner > 0.0 ? IterationPane::tr("%1, below %2 Hz").arg(name).arg(corner) : name});
            if (bands.size() > 1) {
                bands[bands.size() - 2].to = i - 0.5;
            }
        }
    }
    return bands;
}

// Bars are shots, or the super-shots that they fired in: then its first shot stands for it.
int barOf(const InversionRecord& r, int shot)
{
    const auto at = static_cast<std::size_t>(shot);
    return at < r.codes.size() ? static_cast<int>(std::abs(r.codes[at])) - 1 : shot;
}

int shotOf(const InversionRecord* r, int bar)
{
    for (int shot = 0; r != nullptr && shot < static_cast<int>(r->codes.size()); ++shot) {
        if (barOf(*r, shot) == bar) {
            return shot;
        }
    }
    return bar;
}

// D / D0 of each stage, a curve each: stages compare other data, and no line leads from one to the next.
std::vector<PlotCurve> curvesOf(const InversionOverview& overview)
{
    PlotCurve curve;
    curve.dots = true;
    for (std::size_t i = 0; i < overview.records.size(); ++i) {
        const InversionRecord& r = overview.records[i];
        if (r.iteration == 0 && i > 0) {
            curve.x.push_back(static_cast<double>(i) - 0.5);
            curve.y.push_back(std::nan(""));
        }
        curve.x.push_back(static_cast<double>(i));
        curve.y.push_back(r.reference > 0.0 ? r.data / r.reference : r.objective);
    }
    return {curve};
}

} // namespace

IterationPane::IterationPane(ProjectModel& project, InversionDesk& desk, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_desk(desk)
{
    setObjectName(QStringLiteral("iterationPane"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin, 2, kDockMargin, kGap);
    layout->setSpacing(4);
    layout->addWidget(strip());
    buildThumbnails();
    layout->addWidget(m_strip);
    m_plots = new QHBoxLayout;
    m_plots->setSpacing(kGap);
    m_misfit = new CurvePlot(QStringLiteral("inversionMisfit"), {}, this);
    m_misfit->setToolTip(tr("Misfit of the data, of what it was where the stage began"));
    m_misfit->setAccessibleName(tr("Misfit by iteration; left and right choose one"));
    m_misfit->onChosen([this](double x) { m_desk.select(std::max(0, static_cast<int>(std::lround(x)))); });
    m_misfit->onStep([this](int steps) { m_desk.select(std::max(0, m_desk.selected() + steps)); });
    m_shots =
        new BarPlot(QStringLiteral("inversionShots"), tr("The misfit of each shot of the chosen iteration"), this);
    m_shots->setAccessibleName(tr("Misfit by shot; left and right choose one"));
    m_shots->onChosen([this](int bar) { m_desk.detail().setShot(shotOf(m_desk.record(), bar)); });
    m_plots->addWidget(m_misfit, 3);
    m_plots->addWidget(m_shots, 2);
    layout->addLayout(m_plots, 1);
    m_facts = quietLabel({}, this);
    m_facts->setObjectName(QStringLiteral("iterationFacts"));
    m_facts->setAccessibleName(tr("Numbers of the chosen iteration"));
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_facts);
    m_state = quietLabel({}, this);
    m_state->setObjectName(QStringLiteral("iterationState"));
    m_state->setWordWrap(true);
    layout->addWidget(m_state);
    connect(&m_desk, &InversionDesk::fileChanged, this, &IterationPane::showFile);
    connect(&m_desk, &InversionDesk::selectionChanged, this, &IterationPane::showSelection);
    connect(&m_desk.detail(), &InversionDetail::shotChanged, this, &IterationPane::showShots);
    connect(&m_desk.run(), &InversionRun::progressed, this, &IterationPane::showFile);
    showFile();
}

std::vector<QWidget*> IterationPane::views() const
{
    return {m_misfit, m_shots};
}

QWidget* IterationPane::strip()
{
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    m_which = new QLabel(row);
    m_which->setObjectName(QStringLiteral("iterationWhich"));
    m_slider = new QuietSlider(row);
    m_slider->setObjectName(QStringLiteral("iterationSlider"));
    m_slider->setAccessibleName(tr("Iteration"));
    m_slider->setToolTip(tr("Iteration (Page Up, Page Down)"));
    m_slider->setPageStep(1);
    connect(m_slider, &QSlider::valueChanged, this, [this](int index) { m_desk.select(index); });
    layout->addWidget(m_which);
    layout->addWidget(m_slider, 1);
    return row;
}

void IterationPane::buildThumbnails()
{
    m_thumbnails = new InversionThumbnails(m_desk);
    m_strip = new ThumbnailStrip(this);
    m_strip->onRoom([this] { showThumbnails(); });
    m_strip->onChosen([this](int index, double share) {
        const Grid& g = m_desk.watch().overview()->grid;
        m_desk.select(index);
        m_desk.setWell(g.origin.x + share * g.lengthX());
    });
    connect(m_thumbnails, &InversionThumbnails::changed, this, &IterationPane::showThumbnails);
    connect(&m_desk, &InversionDesk::wellChanged, this, &IterationPane::showThumbnails);
    connect(&m_project, &ProjectModel::viewChanged, this, &IterationPane::showThumbnails);
}

void IterationPane::showThumbnails()
{
    const bool any = m_desk.count() > 0;
    m_strip->setVisible(any);
    if (!any) {
        return;
    }
    const Grid& g = m_desk.watch().overview()->grid;
    m_strip->setCount(m_desk.count());
    m_thumbnails->want(m_strip->indices());
    m_strip->setColours(colourTable(ColourMapUse::Model, toEngine(m_project.view().modelMap)));
    m_strip->setThumbnails(m_thumbnails->all(), g);
    m_strip->setWell((m_desk.well() - g.origin.x) / g.lengthX());
}

// Beside each other where there is the width, else below.
void IterationPane::resizeEvent(QResizeEvent* event)
{
    m_plots->setDirection(width() > height() * 3 / 2 ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    QWidget::resizeEvent(event);
}

void IterationPane::showFile()
{
    const auto& overview = m_desk.watch().overview();
    const bool any = m_desk.count() > 0;
    m_misfit->setEmpty(
        !m_desk.watch().path().isEmpty() && m_desk.watch().trouble().isEmpty()
            ? tr("No iteration is in the file yet: the first one appears here when it is complete")
        : !m_desk.watch().trouble().isEmpty()
            ? m_desk.watch().trouble() + QStringLiteral(". ") + m_desk.watch().remedy()
            : tr("Open an inversion's file (Ctrl+Alt+O), or start one (Ctrl+J):\nits misfit falls here"));
    showThumbnails();
    const double last = any ? m_desk.count() - 0.5 : 1.5;
    m_misfit->setAxes({tr("Iteration"), -0.5, last}, tr("Misfit, rel."), any);
    m_misfit->setCurves(any ? curvesOf(*overview) : std::vector<PlotCurve>());
    m_misfit->setBands(any ? stagesOf(*overview) : std::vector<PlotBand>());
    {
        const QSignalBlocker quiet(m_slider);
        m_slider->setRange(0, std::max(0, m_desk.count() - 1));
        m_slider->setEnabled(m_desk.count() > 1);
    }
    const qint64 ago = m_desk.watch().lastChange().secsTo(QDateTime::currentDateTime());
    m_state->setText(!m_desk.watch().trouble().isEmpty()
                         ? tr("The file cannot be read now; what was read before is shown")
                     : m_desk.run().running() ? tr("Growing: computed by this window")
                     : any && ago < kRecent   ? tr("Watched: a new iteration appears by itself")
                                              : QString());
    m_state->setVisible(!m_state->text().isEmpty());
    m_state->setToolTip(m_desk.watch().trouble());
    setTone(m_state, m_desk.watch().trouble().isEmpty() ? "dim" : "warning");
    showSelection();
}

void IterationPane::showSelection()
{
    const InversionRecord* record = m_desk.record();
    m_strip->setChosen(m_desk.selected());
    m_misfit->setChosen(record != nullptr ? std::optional<double>(m_desk.selected()) : std::nullopt);
    {
        const QSignalBlocker quiet(m_slider);
        m_slider->setValue(std::max(0, m_desk.selected()));
    }
    if (record == nullptr) {
        m_which->setText(tr("No iteration"));
        m_facts->clear();
        showShots();
        return;
    }
    const InversionRecord& r = *record;
    const auto& overview = *m_desk.watch().overview();
    m_which->setText(tr("Iteration %1 of %2 (stage %3, %4)")
                         .arg(m_desk.selected())
                         .arg(m_desk.count() - 1)
                         .arg(r.stage + 1)
                         .arg(r.iteration));
    QStringList facts;
    facts << tr("misfit %1 %2, %3 of the stage's first")
                 .arg(amount(r.data), unitText((*findTraceMisfit(overview.settings.data.kind))->unit),
                      amount(r.reference > 0.0 ? r.data / r.reference : 0.0));
    facts << tr("objective %1").arg(amount(r.objective));
    if (r.roughness > 0.0) {
        facts << tr("roughness %1").arg(amount(r.roughness));
    }
    if (r.iteration > 0) {
        facts << tr("step %1 of the %2 direction, at most %3 m/s at a node")
                     .arg(amount(r.step), fromEngine(overview.settings.optimiser.method), amount(r.change));
    }
    facts << (r.evaluations == 1 ? tr("1 gradient") : tr("%1 gradients").arg(r.evaluations)) +
                 tr(" in %1").arg(secondsText(r.seconds));
    if (r.restarted) {
        facts << tr("the optimiser forgot what it knew");
    }
    if (r.unused > 0) {
        facts << tr("traces that could not be judged: %1").arg(r.unused);
    }
    for (QString& fact : facts) { // a short one is not torn apart
        if (fact.size() < 36) {
            fact.replace(QLatin1Char(' '), QChar(QChar::Nbsp));
        }
    }
    m_facts->setText(facts.join(QStringLiteral(" · ")));
    showShots();
}

void IterationPane::showShots()
{
    const InversionRecord* record = m_desk.record();
    if (record == nullptr) {
        m_shots->setBars({}, {}, tr("Shot"), tr("Misfit"));
        return;
    }
    // Across each: where its stage began.
    const auto& overview = *m_desk.watch().overview();
    std::vector<double> now = record->misfits;
    std::vector<double> before;
    if (record->iteration > 0 && record->drawn.empty() && record->codes.empty()) {
        before = overview.records[static_cast<std::size_t>(m_desk.selected() - record->iteration)].misfits;
    }
    double most = 0.0;
    for (const auto* list : {&now, &before}) {
        for (const double v : *list) {
            most = std::max(most, v);
        }
    }
    const int power = most > 0.0 ? static_cast<int>(std::floor(std::log10(most))) : 0;
    const double unit = std::pow(10.0, power);
    for (auto* list : {&now, &before}) {
        for (double& v : *list) {
            v /= unit;
        }
    }
    const QString lines = !record->codes.empty() ? tr("Misfit by super-shot of this iteration")
                          : before.empty()       ? tr("Misfit by shot")
                                                 : tr("Misfit by shot (lines: at the stage's start)");
    const QString name = unitText((*findTraceMisfit(overview.settings.data.kind))->unit);
    m_shots->setBars(std::move(now), std::move(before), lines,
                     power == 0 ? name : QStringLiteral("%1 %2").arg(fromEngine(spellPowerOfTen(power)), name));
    m_shots->setChosen(barOf(*record, m_desk.detail().shot()));
}

} // namespace ondo
