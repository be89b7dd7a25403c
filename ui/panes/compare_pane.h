// A shot's observed traces, those of the chosen iterate and their difference: side by side, one wiped over the other, or in
// turn; one clip for all. Shows what InversionDetail says and tells it what is wanted.
#pragma once

#include <QTimer>
#include <QWidget>

#include <array>
#include <vector>

class QLabel;
class QPushButton;

namespace ondo {

class Choice;
class GatherCanvas;
class InversionDesk;
class NumberLabel;
class ProjectModel;
class QuantityEdit;
struct GatherReading;

class ComparePane : public QWidget {
public:
    ComparePane(ProjectModel& project, InversionDesk& desk, QWidget* parent = nullptr);
    [[nodiscard]] std::vector<QWidget*> views() const;

private:
    void buildHead();
    void showTraces();
    void showShots();
    void showProgress();
    void flicker();
    void read(int part, const GatherReading* reading);

    ProjectModel& m_project;
    InversionDesk& m_desk;
    double m_wipe = 0.5;
    bool m_second = false; // of flicker: the synthetic one is seen
    double m_percentile = 96.0;
    Choice* m_shot = nullptr;
    Choice* m_ways = nullptr;
    QuantityEdit* m_clip = nullptr;
    QPushButton* m_compute = nullptr;
    QLabel* m_says = nullptr;
    NumberLabel* m_readOut = nullptr;
    std::array<GatherCanvas*, 3> m_parts{};
    std::array<QLabel*, 3> m_titles{};
    std::array<QWidget*, 3> m_columns{};
    QTimer m_flicker;
};

} // namespace ondo
