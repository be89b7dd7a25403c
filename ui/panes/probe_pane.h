// Pressure against time at the probe, with its place typed in metres.
#pragma once

#include <QWidget>

namespace ondo {

class ProjectModel;
class QuantityEdit;
class SessionBridge;
class TracePlot;

class ProbePane : public QWidget {
public:
    ProbePane(ProjectModel& project, SessionBridge& session, QWidget* parent = nullptr);
    [[nodiscard]] TracePlot& plot() { return *m_plot; }

private:
    void place();
    void showProbe();
    void showTrace();

    ProjectModel& m_project;
    SessionBridge& m_session;
    QuantityEdit* m_x = nullptr;
    QuantityEdit* m_y = nullptr;
    QuantityEdit* m_z = nullptr;
    TracePlot* m_plot = nullptr;
};

} // namespace ondo
