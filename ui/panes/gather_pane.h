// The growing gather beside the picture: its look, its clip, and a line that reads what is under the pointer.
#pragma once

#include <QWidget>

#include <optional>

class QButtonGroup;
class QVBoxLayout;

namespace ondo {

class GatherCanvas;
class KernelDesk;
class NumberLabel;
class ProjectModel;
class QuantityEdit;
class SessionBridge;
struct GatherReading;

class GatherPane : public QWidget {
public:
    GatherPane(ProjectModel& project, SessionBridge& session, KernelDesk& kernel, QWidget* parent = nullptr);
    [[nodiscard]] GatherCanvas& canvas() { return *m_canvas; }

private:
    void buildHead(QVBoxLayout& layout);
    void showView();
    void showGather();
    void showAhead();
    void showPicked();
    void read(const std::optional<GatherReading>& reading);

    ProjectModel& m_project;
    SessionBridge& m_session;
    KernelDesk& m_kernel;
    GatherCanvas* m_canvas;
    QuantityEdit* m_clip = nullptr;
    NumberLabel* m_readOut = nullptr;
    QButtonGroup* m_modes = nullptr;
    double m_clipInForce = 0.0; // Pa
    double m_percentileInForce = 0.0;
};

} // namespace ondo
