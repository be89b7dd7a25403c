#include "ui/panes/gather_pane.h"

#include "render/colour_map.h"
#include "render/gather_raster.h"
#include "ui/forms/form.h"
#include "ui/forms/number_label.h"
#include "ui/kernel_desk.h"
#include "ui/panes/gather_canvas.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ondo {

GatherPane::GatherPane(ProjectModel& project, SessionBridge& session, KernelDesk& kernel, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_session(session)
    , m_kernel(kernel)
    , m_canvas(new GatherCanvas(this))
{
    setObjectName(QStringLiteral("gatherPane"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin, 4, kDockMargin, kGap);
    layout->setSpacing(4);
    buildHead(*layout);
    layout->addWidget(m_canvas, 1);
    m_readOut = new NumberLabel(QStringLiteral("gatherReadOut"), QString(), this);
    m_readOut->setAccessibleName(tr("Under the pointer"));
    m_readOut->setTone(Tone::Dim);
    m_readOut->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    layout->addWidget(m_readOut);
    m_canvas->onReading([this](const std::optional<GatherReading>& reading) { read(reading); });
    connect(&m_project, &ProjectModel::viewChanged, this, &GatherPane::showView);
    connect(&m_project, &ProjectModel::runChanged, this, &GatherPane::showAhead);
    connect(&m_session, &SessionBridge::gatherChanged, this, &GatherPane::showGather);
    connect(&m_kernel, &KernelDesk::requestChanged, this, &GatherPane::showPicked);
    m_canvas->onPicked([this](int receiver) {
        if (m_kernel.engaged()) {
            m_kernel.setReceiver(receiver);
        }
    });
    read(std::nullopt);
    showAhead();
    showView();
}

void GatherPane::buildHead(QVBoxLayout& layout)
{
    auto* head = new QHBoxLayout;
    head->setSpacing(2);
    m_modes = new QButtonGroup(this);
    const struct {
        GatherMode mode;
        const char* name;
        QString icon, tip;
    } kModes[] = {
        {GatherMode::Density, "gatherDensity", QStringLiteral("density"), tr("Variable density (D)")},
        {GatherMode::Wiggles, "gatherWiggles", QStringLiteral("wiggle"), tr("Wiggles (W)")},
        {GatherMode::Overlay, "gatherOverlay", QStringLiteral("overlay"), tr("Wiggles over density (O)")},
    };
    for (const auto& mode : kModes) {
        auto* button = new QToolButton(this);
        button->setObjectName(QLatin1String(mode.name));
        button->setIcon(themedIcon(mode.icon));
        button->setToolTip(mode.tip);
        button->setAccessibleName(mode.tip);
        button->setCheckable(true);
        button->setIconSize(QSize(18, 18));
        m_modes->addButton(button, static_cast<int>(mode.mode));
        head->addWidget(button);
    }
    connect(m_modes, &QButtonGroup::idClicked, this, [this](int id) {
        ViewSettings view = m_project.view();
        view.gatherMode = static_cast<GatherMode>(id);
        m_project.setView(view);
    });
    head->addStretch(1);
    head->addWidget(quietLabel(tr("Clip"), this));
    head->addSpacing(4);
    m_clip = new QuantityEdit(
        QStringLiteral("gatherPercentile"), {tr("%"), 50.0, 100.0, 1, 0.5, {}},
        [this](double value) {
            ViewSettings view = m_project.view();
            view.gatherPercentile = value;
            m_project.setView(view);
        },
        this);
    m_clip->setAccessibleName(tr("Gather clip, percentile"));
    m_clip->setToolTip(tr("Full colour at this percentile of the recorded pressure"));
    head->addWidget(m_clip);
    layout.addLayout(head);
}

void GatherPane::showView()
{
    const ViewSettings& view = m_project.view();
    m_clip->set(view.gatherPercentile);
    if (QAbstractButton* button = m_modes->button(static_cast<int>(view.gatherMode))) {
        button->setChecked(true);
    }
    m_canvas->setLook(view.gatherMode, colourTable(ColourMapUse::Field, toEngine(view.fieldMap)),
                      view.reversedPolarity);
    showGather();
}

void GatherPane::showAhead()
{
    m_canvas->setAhead(m_project.shot().receivers, m_project.run().duration);
}

void GatherPane::showPicked()
{
    const KernelRequest& request = m_kernel.request();
    const double end = request.to > 0.0 ? request.to : m_kernel.traceEnd();
    m_canvas->setPicked(m_kernel.engaged() ? std::optional(GatherCanvas::Picked{request.receiver, request.from, end})
                                           : std::nullopt);
}

void GatherPane::showGather()
{
    const auto& gather = m_session.gather();
    const double percentile = m_project.view().gatherPercentile;
    if (gather != nullptr) {
        const double clip = gatherPercentile(*gather, percentile);
        // Never jumps while the traces grow: up at once, down slowly.
        const bool fresh =
            percentile != m_percentileInForce || m_clipInForce <= 0.0 || gather->recorded == gather->samples;
        m_clipInForce = fresh ? clip : std::max(clip, 0.9 * m_clipInForce + 0.1 * clip);
        m_percentileInForce = percentile;
    } else {
        m_clipInForce = 0.0;
    }
    m_canvas->setClip(m_clipInForce);
    m_canvas->setGather(gather);
}

void GatherPane::read(const std::optional<GatherReading>& reading)
{
    if (!reading) {
        m_readOut->setText(tr("Point at a trace to read it"));
        return;
    }
    m_readOut->setText(tr("Receiver %1 · x %2 m · offset %3 m · %4 s · %5")
                           .arg(reading->receiver + 1)
                           .arg(reading->position.x, 0, 'f', 0)
                           .arg(reading->offset, 0, 'f', 0)
                           .arg(reading->time, 0, 'f', 3)
                           .arg(reading->recorded ? pressureText(reading->pressure) : tr("not recorded yet")));
}

} // namespace ondo
