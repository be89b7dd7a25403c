// Joins the picture with the project and the session: what is dragged becomes an edit, what is edited is drawn, a run's
// pictures reach the screen. UI thread.
#pragma once

#include "engine/core/position.h"
#include "engine/frame/frame_exchange.h"
#include "ui/panes/field_view.h"
#include "ui/shown_kernel.h"
#include "ui/view_settings.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace ondo {

class InversionDesk;
class KernelDesk;
class ProjectModel;
class SessionBridge;

// What is in use, and why: what was found out (automatic), unless the user wishes otherwise.
[[nodiscard]] DisplayVerdict displayInUse(const DisplayVerdict& automatic, DisplayWish wish);

class FieldLink : public QObject {
public:
    FieldLink(ProjectModel& project, SessionBridge& session, KernelDesk& kernel, InversionDesk& inversion,
              FieldView& field);
    ~FieldLink() override;

    // The way pictures of the device in use take, and why: see displayInUse().
    [[nodiscard]] const DisplayVerdict& verdict() const { return m_verdict; }
    // Called when that changed, and with what is under the pointer (empty: nothing).
    void onVerdict(std::function<void()> told) { m_verdictTold = std::move(told); }
    void onCursor(std::function<void(const QString&)> told) { m_cursorTold = std::move(told); }
    void setDark(bool dark);

private:
    void listenToField();
    void showModel();
    void showShot();
    void showView();
    void showStill();
    void listenToKernel();
    void showModelInForce();
    [[nodiscard]] std::optional<ShownField> shownField() const;
    [[nodiscard]] int planeOfTheSource() const;
    void chooseDisplay();
    void showVerdict();
    void beforeRun();
    void afterRun();
    void moveSource(int index, const Position& position, FieldView::DragPhase phase);

    ProjectModel& m_project;
    SessionBridge& m_session;
    KernelDesk& m_kernel;
    InversionDesk& m_inversion;
    FieldView& m_field;
    std::shared_ptr<Device> m_device; // whose pictures the view is ready for
    DisplayVerdict m_verdict;
    std::function<void()> m_verdictTold;
    std::function<void(const QString&)> m_cursorTold;
    std::shared_ptr<const std::vector<float>> m_modelShown; // samples that the view has
    int m_gesture = -1;                                     // of the drag that is on
    bool m_attached = false;
};

} // namespace ondo
