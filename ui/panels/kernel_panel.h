// The sensitivity kernel: the pair and the window of its trace, the memory mode with its cost and error, what came out, and
// why it may look odd. Shows what KernelDesk says and tells it what is wanted.
#pragma once

#include "ui/forms/form.h"

#include <QWidget>

class QPushButton;

namespace ondo {

class KernelDesk;
class ProgressTrack;
class ProjectModel;
class SessionBridge;
class TraceWindowPlot;

class KernelPanel : public QWidget {
public:
    KernelPanel(ProjectModel& project, SessionBridge& session, KernelDesk& kernel, QWidget* parent = nullptr);
    [[nodiscard]] TraceWindowPlot& trace() { return *m_trace; }

private:
    [[nodiscard]] QWidget* pairPart();
    [[nodiscard]] QWidget* runPart();
    [[nodiscard]] QWidget* memoryPart();
    [[nodiscard]] QWidget* resultPart();
    void chooseTape();
    void showSurvey();
    void showRequest();
    void showTrace();
    void showForecast();
    void showProgress();
    void showResult();
    void showChecks();

    ProjectModel& m_project;
    SessionBridge& m_session;
    KernelDesk& m_kernel;
    Choice* m_shot = nullptr;
    Choice* m_receiver = nullptr;
    Choice* m_measure = nullptr;
    TraceWindowPlot* m_trace = nullptr;
    QuantityEdit* m_from = nullptr;
    QuantityEdit* m_to = nullptr;
    QLabel* m_statement = nullptr;
    QPushButton* m_compute = nullptr;
    ProgressTrack* m_track = nullptr;
    QLabel* m_phase = nullptr;
    Choice* m_look = nullptr;
    Form* m_memory = nullptr;
    Choice* m_mode = nullptr;
    Choice* m_storage = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_predicted = nullptr;
    QLabel* m_error = nullptr;
    TickBox* m_shown = nullptr;
    SliderQuantity* m_clip = nullptr;
    QLabel* m_full = nullptr;
    QLabel* m_measured = nullptr;
    QLabel* m_peak = nullptr;
    QLabel* m_took = nullptr;
    QLabel* m_compare = nullptr;
    QLabel* m_checks = nullptr;
};

} // namespace ondo
