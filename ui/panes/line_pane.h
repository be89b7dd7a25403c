// The misfit along the line between two models: cycle skipping made visible. Curves a kind, each of its own value at t = 0,
// valleys marked, and a sentence. Shows what InversionDetail says and tells it what is wanted.
#pragma once

#include <QWidget>

#include <vector>

class QAction;
class QLabel;
class QPushButton;

namespace ondo {

class Choice;
class CurvePlot;
class InversionDesk;
class QuantityEdit;

class LinePane : public QWidget {
public:
    explicit LinePane(InversionDesk& desk, QWidget* parent = nullptr);
    [[nodiscard]] std::vector<QWidget*> views() const;

private:
    [[nodiscard]] QWidget* head();
    [[nodiscard]] QWidget* kinds();
    void chooseEnd(int index);
    void setLine();
    void showLine();
    void showProgress();

    InversionDesk& m_desk;
    Choice* m_ends = nullptr;
    QString m_file; // of the other end
    QuantityEdit* m_points = nullptr;
    QPushButton* m_compute = nullptr;
    QLabel* m_says = nullptr;
    QPushButton* m_chosen = nullptr; // the kinds
    std::vector<QAction*> m_kinds;
    CurvePlot* m_plot = nullptr;
};

} // namespace ondo
