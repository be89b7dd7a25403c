// The truth about the machine, in one line: device, memory, how pictures reach the screen and why, rates, stability
// margin, sampling. Each number has its unit and a tool tip.
#pragma once

#include <QTimer>
#include <QWidget>

#include <functional>

class QHBoxLayout;
class QToolButton;

namespace ondo {

class FieldView;
struct DisplayVerdict;
class NumberLabel;
class SessionBridge;

class MachineBar : public QWidget {
public:
    // why: opens the diagnostics.
    MachineBar(SessionBridge& session, FieldView& field, const std::function<void()>& why, QWidget* parent = nullptr);
    void showDisplay(const DisplayVerdict& verdict);
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, QWidget::minimumSizeHint().height()}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    NumberLabel* cell(const QString& name, const QString& label, const QString& widest);
    void addRule();
    void fit();
    void showDevice();
    void showRates();
    void showPlan();

    SessionBridge& m_session;
    FieldView& m_field;
    QHBoxLayout* m_layout;
    QToolButton *m_device, *m_display;
    QString m_displayLong, m_displayShort;
    NumberLabel *m_memory, *m_steps, *m_views, *m_gl, *m_share, *m_courant, *m_points;
};

} // namespace ondo
