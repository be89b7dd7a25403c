// The source: place, wavelet, amplitude, with small pictures of the wavelet and its spectrum.
#pragma once

#include "ui/forms/form.h"

#include <array>

namespace ondo {

class ProjectModel;
class TracePlot;
struct Wavelet;
struct Source;

class SourcePanel : public QWidget {
public:
    explicit SourcePanel(ProjectModel& project, QWidget* parent = nullptr);

private:
    void addPlace();
    void addWavelet();
    void edit(const QString& text, const std::function<void(Source&)>& change);
    QuantityEdit* waveletField(const QString& name, const QString& label, const QString& unit, double low, double high,
                               const QString& automatic, std::function<void(Wavelet&, double)> change);
    void showRun();
    void showPreview(const Wavelet& wavelet);

    ProjectModel& m_project;
    Form* m_form;
    Choice* m_shot = nullptr;
    Choice* m_index = nullptr;
    QuantityEdit *m_x = nullptr, *m_y = nullptr, *m_z = nullptr;
    Choice* m_kind = nullptr;
    QuantityEdit* m_frequency = nullptr;
    QuantityEdit* m_derivative = nullptr;
    std::array<QuantityEdit*, 4> m_corners{};
    std::array<QuantityEdit*, 3> m_sweep{};
    QuantityEdit *m_amplitude = nullptr, *m_delay = nullptr;
    TracePlot *m_wavelet = nullptr, *m_spectrum = nullptr;
};

} // namespace ondo
