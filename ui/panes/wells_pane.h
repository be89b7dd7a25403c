// Two cuts through what an inversion does: the amplitude spectra of the chosen shot's traces, observed, synthetic and their
// difference, and a well: the speed down a column of the start, the chosen iterate and, if it is known, the true model. Shows
// what InversionDesk and InversionDetail say.
#pragma once

#include "engine/model/model.h"
#include "ui/jobs/job_pool.h"

#include <QWidget>

#include <optional>
#include <vector>

class QBoxLayout;
class QLabel;
class QPushButton;

namespace ondo {

class CurvePlot;
class InversionDesk;
class ProjectModel;
class QuantityEdit;

class WellsPane : public QWidget {
    Q_OBJECT
public:
    WellsPane(ProjectModel& project, InversionDesk& desk, QWidget* parent = nullptr);
    [[nodiscard]] std::vector<QWidget*> views() const; // in which single letters are commands

    void setTruth(const QString& path); // read on a worker; what is wrong with it is told

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QWidget* head();
    [[nodiscard]] QString wavelet() const;
    void showSpectra();
    void showWell();
    void showFile();

    ProjectModel& m_project;
    InversionDesk& m_desk;
    std::optional<Model> m_truth;
    QBoxLayout* m_plots = nullptr;
    QuantityEdit* m_at = nullptr;
    QPushButton* m_choose = nullptr;
    QLabel* m_says = nullptr;
    CurvePlot* m_spectra = nullptr;
    CurvePlot* m_well = nullptr;
    JobPool m_jobs;
};

} // namespace ondo
