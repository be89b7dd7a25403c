#include "ui/field_link.h"

#include "engine/frame/plane_geometry.h"
#include "render/colour_map.h"
#include "ui/field_menu.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/kernel_desk.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"
#include "ui/theme/view_theme.h"

#include <QCoreApplication>
#include <QGuiApplication>

#include <utility>

namespace ondo {

DisplayVerdict displayInUse(const DisplayVerdict& automatic, DisplayWish wish)
{
    if (wish == DisplayWish::Automatic) {
        return automatic;
    }
    QString why = QCoreApplication::translate("FieldLink", "chosen by you, under Display, Path");
    if (!automatic.reason.isEmpty()) {
        why += QCoreApplication::translate("FieldLink", "; automatic would do the same: %1").arg(automatic.reason);
    }
    return {FrameTransport::Host, why, true};
}

FieldLink::FieldLink(ProjectModel& project, SessionBridge& session, KernelDesk& kernel, InversionDesk& inversion,
                     FieldView& field)
    : QObject(&field)
    , m_project(project)
    , m_session(session)
    , m_kernel(kernel)
    , m_inversion(inversion)
    , m_field(field)
{
    m_session.onBeforeRun([this] { beforeRun(); });
    connect(&m_project, &ProjectModel::modelChanged, this, &FieldLink::showModel);
    connect(&m_project, &ProjectModel::runChanged, this, &FieldLink::showShot);
    connect(&m_project, &ProjectModel::viewChanged, this, &FieldLink::showView);
    connect(&m_project, &ProjectModel::probeChanged, this, [this] { showShot(); });
    connect(&m_session, &SessionBridge::deviceChanged, this, &FieldLink::chooseDisplay);
    connect(&m_session, &SessionBridge::pictureReady, &m_field, &FieldView::pictureReady);
    connect(&m_session, &SessionBridge::ended, this, &FieldLink::afterRun);
    listenToField();
    listenToKernel();
    showModel();
    showView();
}

FieldLink::~FieldLink() = default;

void FieldLink::listenToField()
{
    connect(&m_field, &FieldView::sourceMoved, this, &FieldLink::moveSource);
    connect(&m_field, &FieldView::receiversMoved, this,
            [this](const std::vector<Position>& positions, FieldView::DragPhase phase) {
                if (m_gesture < 0) {
                    m_gesture = m_project.beginGesture();
                }
                Shot shot = m_project.shot();
                shot.receivers.clear();
                for (const Position& position : positions) {
                    shot.receivers.push_back({position});
                }
                m_project.editShot(tr("Move the receivers"), shot, m_gesture);
                if (phase == FieldView::DragPhase::Done) {
                    m_gesture = -1;
                }
            });
    connect(&m_field, &FieldView::probeMoved, this,
            [this](const Position& position, FieldView::DragPhase) { m_project.setProbe(position); });
    connect(&m_field, &FieldView::poked, this, [this](const Position& position) { m_session.poke(position); });
    connect(&m_field, &FieldView::cursorAt, this, [this](const Position& position, double velocity) {
        if (m_cursorTold) {
            const bool deep = m_project.model().grid().rank == 3;
            const QString place = deep ? tr("x %1 m · y %2 m · z %3 m")
                                             .arg(position.x, 0, 'f', 0)
                                             .arg(position.y, 0, 'f', 0)
                                             .arg(position.z, 0, 'f', 0)
                                       : tr("x %1 m · z %2 m").arg(position.x, 0, 'f', 0).arg(position.z, 0, 'f', 0);
            m_cursorTold(tr("%1 · %2 m/s").arg(place).arg(velocity, 0, 'f', 0));
        }
    });
    connect(&m_field, &FieldView::cursorLeft, this, [this] {
        if (m_cursorTold) {
            m_cursorTold({});
        }
    });
    connect(&m_field, &FieldView::menuWanted, this, [this](const QPoint& global, const Position& place) {
        showFieldMenu(m_project, m_session, m_field, global, place);
    });
    connect(&m_field, &FieldView::displayChanged, this, [this] { showVerdict(); });
}

void FieldLink::listenToKernel()
{
    connect(&m_kernel, &KernelDesk::pictureChanged, this, [this] {
        showView();
        showStill();
    });
    connect(&m_inversion, &InversionDesk::pictureChanged, this, [this] {
        showModelInForce();
        showView();
        showStill();
    });
    connect(&m_kernel, &KernelDesk::requestChanged, this, [this] {
        m_field.setPicked(m_kernel.engaged() ? std::optional(m_kernel.request().receiver) : std::nullopt);
    });
    connect(&m_field, &FieldView::receiverClicked, this, [this](int index) {
        if (m_kernel.engaged()) {
            m_kernel.setReceiver(index);
        }
    });
}

// At rest: a kernel that is asked for, or what the last run left behind.
void FieldLink::showStill()
{
    if (m_attached) {
        return; // the run's own pictures
    }
    const auto shown = shownField();
    // An iterate without a field over it is seen as it is.
    const bool bare = !shown && m_inversion.picture().has_value();
    m_field.showStill(shown ? shown->field : bare ? nullptr : m_session.lastField());
}

// A kernel goes before an inversion's field, which is there for longer.
std::optional<ShownField> FieldLink::shownField() const
{
    if (m_attached) {
        return std::nullopt;
    }
    const auto kernel = m_kernel.picture();
    const auto inversion = m_inversion.picture();
    return kernel || !inversion ? kernel : inversion->field;
}

// The chosen iterate in the place of the project's model, which stays what it is.
void FieldLink::showModelInForce()
{
    const auto inversion = m_attached ? std::nullopt : m_inversion.picture();
    const Model& model = inversion ? inversion->model : m_project.model();
    if (!model.empty() && m_modelShown != model.velocity().values) {
        m_modelShown = model.velocity().values;
        m_field.setModel(model);
    }
}

void FieldLink::moveSource(int index, const Position& position, FieldView::DragPhase phase)
{
    if (m_gesture < 0) {
        m_gesture = m_project.beginGesture();
    }
    const bool other = QGuiApplication::keyboardModifiers().testFlag(Qt::ShiftModifier);
    const bool restarts = (m_project.view().move == MoveMeaning::Restarts) != other;
    m_session.setFollowing(!restarts);
    m_project.moveSource(index, position, m_gesture);
    if (phase == FieldView::DragPhase::Done) {
        m_gesture = -1;
        m_session.setFollowing(m_project.view().move == MoveMeaning::Continues);
        if (restarts && m_session.active()) {
            m_session.run();
        }
    }
}

void FieldLink::showModel()
{
    if (!m_project.model().empty()) {
        m_modelShown = nullptr;
        showModelInForce();
        showStill();
        showView();
        showShot();
    }
}

void FieldLink::showShot()
{
    const Shot& shot = m_project.shot();
    m_field.setMarkers(shot.sources, shot.receivers);
    m_field.setProbe(m_project.view().showProbe ? m_project.probe() : std::nullopt);
    if (m_field.pictureSettings().planeIndex != planeOfTheSource()) {
        showView();
    }
}

// In three dimensions the section through the source is seen.
int FieldLink::planeOfTheSource() const
{
    const std::vector<Source>& sources = m_project.shot().sources;
    if (!m_project.threeDimensional() || sources.empty()) {
        return 0;
    }
    return planeNearest(m_project.model().grid(), sources.front().position.y);
}

void FieldLink::showView()
{
    const ViewSettings& view = m_project.view();
    PictureSettings style = m_field.pictureSettings();
    style.fieldColours = colourTable(ColourMapUse::Field, toEngine(view.fieldMap));
    style.modelColours = colourTable(ColourMapUse::Model, toEngine(view.modelMap));
    style.planeIndex = planeOfTheSource();
    style.showModel = view.showModel;
    style.blend = view.blend;
    style.gain = view.gain;
    style.reversedPolarity = view.reversedPolarity;
    style.clipMode = ClipMode::Percentile;
    style.percentile = view.percentile;
    style.hold = view.hold;
    if (!m_project.model().empty()) {
        const auto inversion = m_attached ? std::nullopt : m_inversion.picture();
        const ValueRange range = inversion ? inversion->range : m_project.model().range();
        style.modelLow = range.low;
        style.modelHigh = range.high > range.low ? range.high : range.low + 1.0;
    }
    const auto shown = shownField();
    if (shown) { // full colour is its own matter, and its sign is what it says
        style.clipMode = ClipMode::Fixed;
        style.clip = shown->clip > 0.0 ? shown->clip : 1.0;
        style.gain = 1.0;
        style.reversedPolarity = false;
        style.hold = false;
    }
    m_field.setFieldQuantity(shown ? std::optional(FieldView::FieldQuantity{shown->name, shown->unit}) : std::nullopt);
    m_field.setStyle(style);
    m_field.setTool(view.poke ? FieldView::Tool::Poke : FieldView::Tool::Move);
    m_field.setProbe(view.showProbe ? m_project.probe() : std::nullopt);
    showVerdict();
}

void FieldLink::showVerdict()
{
    m_verdict = displayInUse(m_field.displayVerdict(), m_project.view().display);
    m_session.setTransport(m_verdict.transport);
    if (m_verdictTold) {
        m_verdictTold();
    }
}

void FieldLink::setDark(bool dark)
{
    m_field.setTheme(viewTheme(dark));
}

void FieldLink::chooseDisplay()
{
    if (m_session.device() == nullptr || m_attached || m_session.device() == m_device) {
        return; // while attached: beforeRun() looks again
    }
    m_device = m_session.device();
    (void)m_field.useDevice(m_session.device()); // its verdict comes as displayChanged
    showView();
}

void FieldLink::beforeRun()
{
    afterRun();
    chooseDisplay();
    m_session.session().setPicture(m_field.pictureSettings());
    m_field.attach(m_session.session());
    m_attached = true;
    showModelInForce();
}

void FieldLink::afterRun()
{
    if (m_attached) {
        m_attached = false;
        m_field.detach();
        showModelInForce();
        showStill();
    }
}

} // namespace ondo
