// The iterations of an inversion: the misfit as they went down, by stages, which is also what one chooses an iteration by; the
// misfit of each shot at the chosen one; and its numbers. Shows what InversionDesk says and tells it what is wanted.
#pragma once

#include <QWidget>

#include <vector>

class QBoxLayout;
class QLabel;
class QSlider;

namespace ondo {

class BarPlot;
class CurvePlot;
class InversionDesk;
class InversionThumbnails;
class ProjectModel;
class ThumbnailStrip;

class IterationPane : public QWidget {
public:
    IterationPane(ProjectModel& project, InversionDesk& desk, QWidget* parent = nullptr);
    [[nodiscard]] std::vector<QWidget*> views() const; // in which single letters are commands

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QWidget* strip();
    void showFile();
    void showSelection();
    void showShots();

    void showThumbnails();
    void buildThumbnails();

    ProjectModel& m_project;
    InversionDesk& m_desk;
    InversionThumbnails* m_thumbnails = nullptr;
    ThumbnailStrip* m_strip = nullptr;
    QBoxLayout* m_plots = nullptr;
    QSlider* m_slider = nullptr;
    QLabel* m_which = nullptr;
    QLabel* m_facts = nullptr;
    QLabel* m_state = nullptr;
    CurvePlot* m_misfit = nullptr;
    BarPlot* m_shots = nullptr;
};

} // namespace ondo
