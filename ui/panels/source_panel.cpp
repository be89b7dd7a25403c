#include "ui/panels/source_panel.h"

#include "ui/panels/wavelet_preview.h"
#include "ui/panes/trace_plot.h"
#include "ui/project_model.h"
#include "ui/text.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ondo {

SourcePanel::SourcePanel(ProjectModel& project, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_form(new Form(this))
{
    setObjectName(QStringLiteral("sourcePanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    m_shot = new Choice(
        QStringLiteral("shotChoice"), {}, [this](int index) { m_project.setShotIndex(index); }, this);
    m_form->row(tr("Shot"), m_shot);
    m_index = new Choice(
        QStringLiteral("sourceChoice"), {}, [this](int) { showRun(); }, this);
    m_form->row(tr("Source"), m_index);
    addPlace();
    addWavelet();
    auto* pictures = new QWidget(this);
    auto* row = new QHBoxLayout(pictures);
    row->setContentsMargins(0, 2, 0, 0);
    row->setSpacing(kGap);
    m_wavelet = new TracePlot(QStringLiteral("waveletPlot"), {true, false, false, {}}, pictures);
    m_spectrum = new TracePlot(QStringLiteral("spectrumPlot"), {false, false, true, {}}, pictures);
    m_wavelet->setAccessibleName(tr("Wavelet"));
    m_spectrum->setAccessibleName(tr("Spectrum of the wavelet"));
    row->addWidget(m_wavelet);
    row->addWidget(m_spectrum);
    m_form->wide(pictures);
    connect(&m_project, &ProjectModel::runChanged, this, &SourcePanel::showRun);
    connect(&m_project, &ProjectModel::modelChanged, this, &SourcePanel::showRun);
    showRun();
}

void SourcePanel::addPlace()
{
    const auto place = [&](const QString& name, const QString& label, double Position::*axis) {
        auto* field = new QuantityEdit(
            name, {tr("m"), -1e7, 1e7, 2, 0.0, {}},
            [this, axis](double value) {
                edit(tr("Move the source"), [=](Source& source) { source.position.*axis = value; });
            },
            this);
        m_form->row(label, field);
        return field;
    };
    m_x = place(QStringLiteral("sourceX"), tr("Position x"), &Position::x);
    m_y = place(QStringLiteral("sourceY"), tr("Position y"), &Position::y);
    m_z = place(QStringLiteral("sourceZ"), tr("Depth z"), &Position::z);
}

QuantityEdit* SourcePanel::waveletField(const QString& name, const QString& label, const QString& unit, double low,
                                        double high, const QString& automatic,
                                        std::function<void(Wavelet&, double)> change)
{
    auto* field = new QuantityEdit(
        name, {unit, low, high, 4, 0.0, automatic},
        [this, change = std::move(change)](double value) {
            edit(tr("Change the wavelet"), [&](Source& source) { change(source.wavelet, value); });
        },
        this);
    m_form->row(label, field);
    return field;
}

void SourcePanel::addWavelet()
{
    m_kind = new Choice(
        QStringLiteral("waveletKind"),
        {tr("Ricker"), tr("Gaussian"), tr("Gaussian derivative"), tr("Ormsby"), tr("Klauder"), tr("Recorded")},
        [this](int kind) {
            edit(tr("Change the wavelet"),
                 [kind](Source& source) { source.wavelet.kind = static_cast<WaveletKind>(kind); });
        },
        this);
    m_form->row(tr("Wavelet"), m_kind);
    m_frequency = waveletField(QStringLiteral("waveletFrequency"), tr("Peak frequency"), tr("Hz"), 0.001, 1e6, {},
                               [](Wavelet& w, double value) { w.peakFrequency = value; });
    m_derivative = waveletField(QStringLiteral("waveletDerivative"), tr("Derivative"), {}, 1.0, 3.0, {},
                                [](Wavelet& w, double value) { w.derivative = static_cast<int>(value); });
    m_derivative->setDecimals(0);
    const QString cornerLabels[] = {tr("Low cut"), tr("Low pass"), tr("High pass"), tr("High cut")};
    for (std::size_t i = 0; i < m_corners.size(); ++i) {
        m_corners[i] = waveletField(QStringLiteral("waveletCorner%1").arg(i + 1), cornerLabels[i], tr("Hz"), 0.0, 1e6,
                                    {}, [i](Wavelet& w, double value) { w.corners[i] = value; });
    }
    m_sweep[0] = waveletField(QStringLiteral("sweepLow"), tr("Sweep from"), tr("Hz"), 0.001, 1e6, {},
                              [](Wavelet& w, double value) { w.sweepLow = value; });
    m_sweep[1] = waveletField(QStringLiteral("sweepHigh"), tr("Sweep to"), tr("Hz"), 0.001, 1e6, {},
                              [](Wavelet& w, double value) { w.sweepHigh = value; });
    m_sweep[2] = waveletField(QStringLiteral("sweepLength"), tr("Sweep length"), tr("s"), 0.01, 1e4, {},
                              [](Wavelet& w, double value) { w.sweepLength = value; });
    m_amplitude = waveletField(QStringLiteral("waveletAmplitude"), tr("Amplitude"), tr("Pa m"), -1e12, 1e12, {},
                               [](Wavelet& w, double value) { w.amplitude = value; });
    m_delay = waveletField(QStringLiteral("waveletDelay"), tr("Peak at"), tr("s"), 0.0, 1e4, tr("automatic"),
                           [](Wavelet& w, double value) { w.delay = value; });
}

void SourcePanel::edit(const QString& text, const std::function<void(Source&)>& change)
{
    Shot shot = m_project.shot();
    const auto index = static_cast<std::size_t>(std::max(0, m_index->currentIndex()));
    if (index < shot.sources.size()) {
        change(shot.sources[index]);
        m_project.editShot(text, shot);
    }
}

void SourcePanel::showRun()
{
    const auto& shots = m_project.run().survey.shots;
    const auto list = [](Choice* choice, std::size_t count, int current) {
        const QSignalBlocker quiet(choice);
        if (choice->count() != static_cast<int>(count)) {
            choice->clear();
            for (std::size_t i = 0; i < count; ++i) {
                choice->addItem(QCoreApplication::translate("SourcePanel", "%1 of %2").arg(i + 1).arg(count));
            }
        }
        choice->setCurrentIndex(std::clamp(current, 0, std::max(0, static_cast<int>(count) - 1)));
    };
    const Shot& shot = m_project.shot();
    list(m_shot, shots.size(), m_project.shotIndex());
    list(m_index, shot.sources.size(), m_index->currentIndex());
    m_form->setRowVisible(m_shot, shots.size() > 1);
    m_form->setRowVisible(m_index, shot.sources.size() > 1);
    setEnabled(!shot.sources.empty());
    static const Source kNone;
    const Source& source =
        shot.sources.empty() ? kNone : shot.sources[static_cast<std::size_t>(m_index->currentIndex())];
    const Wavelet& wavelet = source.wavelet;
    m_x->set(source.position.x);
    m_y->set(source.position.y);
    m_z->set(source.position.z);
    m_form->setRowVisible(m_y, m_project.threeDimensional());
    m_amplitude->setSuffix(m_project.threeDimensional() ? tr(" Pa m") : tr(" Pa"));
    m_kind->set(static_cast<int>(wavelet.kind));
    const bool peaked = wavelet.kind == WaveletKind::Ricker || wavelet.kind == WaveletKind::Gaussian ||
                        wavelet.kind == WaveletKind::GaussianDerivative;
    m_form->setRowVisible(m_frequency, peaked);
    m_form->setRowVisible(m_derivative, wavelet.kind == WaveletKind::GaussianDerivative);
    m_frequency->set(wavelet.peakFrequency);
    m_derivative->set(wavelet.derivative);
    for (std::size_t i = 0; i < m_corners.size(); ++i) {
        m_form->setRowVisible(m_corners[i], wavelet.kind == WaveletKind::Ormsby);
        m_corners[i]->set(wavelet.corners[i]);
    }
    const double sweep[] = {wavelet.sweepLow, wavelet.sweepHigh, wavelet.sweepLength};
    for (std::size_t i = 0; i < m_sweep.size(); ++i) {
        m_form->setRowVisible(m_sweep[i], wavelet.kind == WaveletKind::Klauder);
        m_sweep[i]->set(sweep[i]);
    }
    m_amplitude->set(wavelet.amplitude);
    m_delay->set(wavelet.delay);
    m_delay->setSpecialValueText(tr("automatic"));
    showPreview(wavelet);
}

void SourcePanel::showPreview(const Wavelet& wavelet)
{
    const WaveletPreview preview = previewOf(wavelet);
    m_wavelet->setCurve(preview.wavelet, preview.duration, tr("0 to %1 s").arg(significant(preview.duration, 2)), {});
    m_spectrum->setCurve(preview.spectrum, preview.highest, tr("0 to %1 Hz").arg(significant(preview.highest, 2)), {});
}

} // namespace ondo
