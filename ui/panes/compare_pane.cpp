#include "ui/panes/compare_pane.h"

#include "render/colour_map.h"
#include "render/gather_raster.h"
#include "render/ticks.h"
#include "ui/forms/form.h"
#include "ui/forms/number_label.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/panes/gather_canvas.h"
#include "ui/project_model.h"
#include "ui/text.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace ondo {

namespace {

constexpr int kLeastWidth = 72;           // px, of one of three: axis numbers and a stretch of traces
constexpr int kFlickerMilliseconds = 450; // an eye sees what moves, and no lamp blinks

} // namespace

ComparePane::ComparePane(ProjectModel& project, InversionDesk& desk, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_desk(desk)
{
    setObjectName(QStringLiteral("comparePane"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin, 2, kDockMargin, kGap);
    layout->setSpacing(4);
    buildHead();
    auto* parts = new QHBoxLayout;
    parts->setSpacing(4);
    const char* kNames[] = {"compareObserved", "compareSynthetic", "compareDifference"};
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        m_columns[i] = new QWidget(this);
        auto* column = new QVBoxLayout(m_columns[i]);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        m_titles[i] = new QLabel(m_columns[i]);
        m_titles[i]->setAlignment(Qt::AlignCenter);
        m_titles[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // three of one width
        m_parts[i] = new GatherCanvas(m_columns[i]);
        m_parts[i]->setObjectName(QLatin1String(kNames[i]));
        m_parts[i]->setMinimumWidth(kLeastWidth);
        m_parts[i]->onReading([this, i](const std::optional<GatherReading>& reading) {
            read(static_cast<int>(i), reading ? &*reading : nullptr);
        });
        column->addWidget(m_titles[i]);
        column->addWidget(m_parts[i], 1);
        parts->addWidget(m_columns[i], 1);
    }
    m_parts[0]->onWipe([this](double fraction) {
        m_wipe = fraction;
        showTraces();
    });
    layout->addLayout(parts, 1);
    m_readOut = new NumberLabel(QStringLiteral("compareReadOut"), QString(), this);
    m_readOut->setAccessibleName(tr("Under the pointer"));
    m_readOut->setTone(Tone::Dim);
    m_readOut->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    layout->addWidget(m_readOut);
    m_flicker.setInterval(kFlickerMilliseconds);
    connect(&m_flicker, &QTimer::timeout, this, &ComparePane::flicker);
    connect(&m_project, &ProjectModel::viewChanged, this, &ComparePane::showTraces);
    connect(&m_desk, &InversionDesk::fileChanged, this, &ComparePane::showShots);
    connect(&m_desk, &InversionDesk::selectionChanged, this, &ComparePane::showTraces);
    connect(&m_desk, &InversionDesk::pictureChanged, this, &ComparePane::showProgress);
    connect(&m_desk.detail(), &InversionDetail::shotChanged, this, &ComparePane::showShots);
    connect(&m_desk.detail(), &InversionDetail::tracesChanged, this, &ComparePane::showTraces);
    connect(&m_desk.detail(), &InversionDetail::progressed, this, &ComparePane::showProgress);
    showShots();
}

void ComparePane::buildHead()
{
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    m_shot = new Choice(
        QStringLiteral("compareShot"), {}, [this](int index) { m_desk.detail().setShot(index); }, this);
    m_shot->setAccessibleName(tr("Shot"));
    m_compute = new QPushButton(tr("Compute"), this);
    m_compute->setObjectName(QStringLiteral("compareCompute"));
    m_compute->setToolTip(tr("The shot's traces at the chosen iteration: one forward run (Ctrl+Shift+I)"));
    connect(m_compute, &QPushButton::clicked, this, [this] {
        InversionDetail& detail = m_desk.detail();
        if (detail.working() == InversionDetail::Work::Traces) {
            detail.cancel();
        } else {
            detail.computeTraces();
        }
    });
    m_ways = new Choice(
        QStringLiteral("compareWay"), {tr("Side by side"), tr("Wipe"), tr("Flicker")},
        [this](int index) { m_desk.detail().setWay(static_cast<InversionDetail::Way>(index)); }, this);
    m_ways->setAccessibleName(tr("How they are compared"));
    m_ways->setToolTip(tr("Side by side, wipe (drag the line), or in turn (A)"));
    m_clip = new QuantityEdit(
        QStringLiteral("compareClip"), {tr("%"), 50.0, 100.0, 1, 0.5, {}},
        [this](double value) {
            m_percentile = value;
            showTraces();
        },
        this);
    m_clip->setAccessibleName(tr("Clip, percentile of the observed traces"));
    m_clip->setToolTip(tr("Full colour at this percentile of the observed pressure, for all three"));
    m_clip->set(m_percentile);
    for (Choice* narrow : {m_shot, m_ways}) { // a pane is no wider than its neighbour's, where a window is narrow
        narrow->setMinimumContentsLength(3);
    }
    m_says = quietLabel({}, this);
    m_says->setObjectName(QStringLiteral("compareSays"));
    m_says->setAccessibleName(tr("What the traces are"));
    m_says->setWordWrap(true);
    m_says->setTextInteractionFlags(Qt::TextSelectableByMouse);
    head->addWidget(m_shot, 1);
    head->addWidget(m_compute);
    head->addWidget(m_ways, 1);
    auto* below = new QHBoxLayout;
    below->setSpacing(6);
    below->addWidget(m_says, 1);
    below->addWidget(quietLabel(tr("Clip"), this));
    below->addWidget(m_clip);
    auto* both = static_cast<QVBoxLayout*>(layout());
    both->addLayout(head);
    both->addLayout(below);
}

std::vector<QWidget*> ComparePane::views() const
{
    return {m_parts[0], m_parts[1], m_parts[2]};
}

void ComparePane::flicker()
{
    if (isVisible()) {
        m_second = !m_second;
        showTraces();
    }
}

void ComparePane::showShots()
{
    QStringList shots;
    for (const Shot& shot : m_desk.shots()) {
        shots << (shot.sources.empty()
                      ? tr("Shot %1").arg(shots.size() + 1)
                      : tr("Shot %1 · x %2 m").arg(shots.size() + 1).arg(shot.sources.front().position.x, 0, 'f', 0));
    }
    m_shot->fill(shots, m_desk.detail().shot());
    showTraces();
}

void ComparePane::showTraces()
{
    const auto& traces = m_desk.detail().traces();
    const auto way = m_desk.detail().way();
    using Way = InversionDetail::Way;
    const bool beside = way == Way::Beside;
    m_ways->set(static_cast<int>(way));
    if (way != Way::Flicker) {
        m_flicker.stop();
        m_second = false;
    } else if (!m_flicker.isActive()) {
        m_flicker.start();
    }
    m_columns[1]->setVisible(beside);
    m_columns[2]->setVisible(beside);
    const QString synthetic = traces ? tr("Synthetic, %1").arg(traces->index) : tr("Synthetic");
    m_titles[0]->setText(way == Way::Wipe ? tr("Observed | %1 (drag the line)").arg(synthetic)
                         : m_second       ? synthetic
                                          : tr("Observed"));
    m_titles[1]->setText(synthetic);
    m_titles[1]->setToolTip(traces ? tr("At iteration %1").arg(traces->index) : QString());
    m_titles[2]->setText(tr("Difference"));
    m_titles[2]->setToolTip(tr("Synthetic − observed"));
    const ViewSettings& view = m_project.view();
    const double clip = traces ? gatherPercentile(*traces->observed, m_percentile) : 0.0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        GatherCanvas& part = *m_parts[i];
        part.setLook(view.gatherMode, colourTable(ColourMapUse::Field, toEngine(view.fieldMap)), view.reversedPolarity);
        part.setClip(clip);
        part.setEmpty(m_desk.count() == 0 ? tr("Open an inversion first (Ctrl+Alt+O)")
                      : i == 0            ? tr("Compute traces (Ctrl+Shift+I): they are not kept in the file")
                                          : QString());
        if (!m_desk.shots().empty()) {
            const auto shot = std::min(static_cast<std::size_t>(m_desk.detail().shot()), m_desk.shots().size() - 1);
            part.setAhead(m_desk.shots()[shot].receivers, m_project.run().duration);
        }
    }
    const std::shared_ptr<const Gather> none;
    m_parts[0]->setGather(!traces ? none : m_second ? traces->synthetic : traces->observed);
    m_parts[0]->setRight(traces && way == Way::Wipe ? traces->synthetic : none, m_wipe);
    m_parts[1]->setGather(traces ? traces->synthetic : none);
    m_parts[2]->setGather(traces ? traces->difference : none);
    showProgress();
}

void ComparePane::showProgress()
{
    InversionDetail& detail = m_desk.detail();
    const bool working = detail.working() == InversionDetail::Work::Traces;
    m_compute->setText(working ? tr("Stop") : tr("Compute"));
    m_compute->setEnabled(working || m_desk.count() > 0);
    const auto& traces = detail.traces();
    QString says;
    if (working) {
        says = tr("Computing, %1 %").arg(std::max(0, qRound(100.0 * detail.fraction())));
    } else if (traces) {
        const double clip = gatherPercentile(*traces->observed, m_percentile);
        says = tr("full colour ±%1 · left: %2 % of the observed")
                   .arg(pressureText(clip), fromEngine(spellAmount(100.0 * traces->left, 3)));
        if (traces->lowPass > 0.0) {
            says += tr(" · below %1 Hz").arg(traces->lowPass);
        }
        if (!detail.tracesFresh()) {
            says = tr("of shot %1, iteration %2: compute again · ").arg(traces->shot + 1).arg(traces->index) + says;
        }
    }
    m_says->setText(says);
    m_says->setToolTip(says);
    setTone(m_says, traces && !working && !detail.tracesFresh() ? "warning" : "dim");
}

void ComparePane::read(int part, const GatherReading* reading)
{
    static const char* const kParts[] = {QT_TR_NOOP("Observed"), QT_TR_NOOP("Synthetic"), QT_TR_NOOP("Difference")};
    const int shown = part == 0 && m_second ? 1 : part;
    m_readOut->setText(reading == nullptr ? tr("Point at a trace to read it")
                                          : tr("%1 · receiver %2 · x %3 m · %4 s · %5")
                                                .arg(tr(kParts[shown]))
                                                .arg(reading->receiver + 1)
                                                .arg(reading->position.x, 0, 'f', 0)
                                                .arg(reading->time, 0, 'f', 3)
                                                .arg(pressureText(reading->pressure)));
}

} // namespace ondo
