// How the shot is computed and what that will cost: judged anew with each edit, before anything is allocated.
#pragma once

#include "ui/forms/form.h"

namespace ondo {

class ProjectModel;
class SessionBridge;
struct RunDescription;

class RunPanel : public QWidget {
public:
    RunPanel(ProjectModel& project, SessionBridge& session, QWidget* parent = nullptr);

private:
    void addSettings();
    void addEstimates();
    void edit(const QString& text, const std::function<void(RunDescription&)>& change);
    void showRun();
    void showDevices();
    void showPlan();
    void showView();

    ProjectModel& m_project;
    SessionBridge& m_session;
    Form* m_form;
    QuantityEdit *m_duration = nullptr, *m_courant = nullptr;
    Choice *m_order = nullptr, *m_device = nullptr, *m_precision = nullptr, *m_move = nullptr;
    QLabel *m_memory = nullptr, *m_time = nullptr, *m_points = nullptr, *m_phase = nullptr, *m_stability = nullptr;
    QLabel* m_verdict = nullptr;
};

} // namespace ondo
