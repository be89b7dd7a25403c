#include "ui/panes/wells_pane.h"

#include "engine/inversion/trace_spectrum.h"
#include "engine/io/model_reader.h"
#include "ui/forms/form.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/panes/curve_plot.h"
#include "ui/project_model.h"
#include "ui/text.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr int kBesideFrom = 620;    // pixels: two plots with their legends
constexpr double kShownDown = 1e-2; // of the observed peak: frequencies above the last such one are left out

// The column nearest to x, of a volume in its middle y: speed across, depth down.
PlotCurve columnOf(const Model& model, double x, const QString& name)
{
    const Grid& g = model.grid();
    const int ix = std::clamp(static_cast<int>(std::lround((x - g.origin.x) / g.dx)), 0, g.nx - 1);
    PlotCurve out;
    out.name = name;
    for (int z = 0; z < g.nz; ++z) {
        const auto node =
            (static_cast<std::size_t>(z) * static_cast<std::size_t>(g.ny) + static_cast<std::size_t>(g.ny / 2)) *
                static_cast<std::size_t>(g.nx) +
            static_cast<std::size_t>(ix);
        out.x.push_back(static_cast<double>(model.velocity().samples()[node]));
        out.y.push_back(g.origin.z + z * g.dz);
    }
    return out;
}

} // namespace

WellsPane::WellsPane(ProjectModel& project, InversionDesk& desk, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_desk(desk)
{
    setObjectName(QStringLiteral("wellsPane"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin, 2, kDockMargin, kGap);
    layout->setSpacing(4);
    layout->addWidget(head());
    m_plots = new QHBoxLayout;
    m_plots->setSpacing(kGap);
    m_spectra = new CurvePlot(QStringLiteral("inversionSpectra"), {}, this);
    m_spectra->setToolTip(tr("Amplitude spectra of the shot's traces, root mean square over receivers"));
    m_spectra->setAccessibleName(tr("Amplitude spectra of observed, synthetic and difference"));
    m_well = new CurvePlot(QStringLiteral("inversionWell"), {}, this);
    m_well->setToolTip(tr("Speed down a column of the models; a click into a small model chooses its x"));
    m_well->setAccessibleName(tr("Speed against depth of start, iterate and true model"));
    m_plots->addWidget(m_spectra, 1);
    m_plots->addWidget(m_well, 1);
    layout->addLayout(m_plots, 1);
    m_says = quietLabel({}, this);
    m_says->setObjectName(QStringLiteral("wellsSays"));
    m_says->setWordWrap(true);
    layout->addWidget(m_says);
    connect(&m_desk, &InversionDesk::fileChanged, this, &WellsPane::showFile);
    connect(&m_desk, &InversionDesk::selectionChanged, this, &WellsPane::showSpectra);
    connect(&m_desk, &InversionDesk::pictureChanged, this, &WellsPane::showWell);
    connect(&m_desk, &InversionDesk::pictureChanged, this, &WellsPane::showSpectra);
    connect(&m_desk, &InversionDesk::wellChanged, this, &WellsPane::showWell);
    connect(&m_desk.detail(), &InversionDetail::tracesChanged, this, &WellsPane::showSpectra);
    connect(&m_desk.detail(), &InversionDetail::shotChanged, this, &WellsPane::showSpectra);
    showFile();
}

std::vector<QWidget*> WellsPane::views() const
{
    return {m_spectra, m_well};
}

QWidget* WellsPane::head()
{
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_at = new QuantityEdit(
        QStringLiteral("wellX"), {tr("m"), -1e9, 1e9, 1, 10.0, {}}, [this](double x) { m_desk.setWell(x); }, row);
    m_at->setAccessibleName(tr("x of the well"));
    m_at->setToolTip(tr("x of the well; a click into a small model of the iterations chooses it too"));
    m_choose = new QPushButton(tr("True model…"), row);
    m_choose->setObjectName(QStringLiteral("wellTruth"));
    m_choose->setToolTip(tr("A model on the same grid to draw beside, if the true one is known"));
    connect(m_choose, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("The true model"));
        if (!path.isEmpty()) {
            setTruth(path);
        }
    });
    auto* label = new QLabel(tr("Well at x"), row);
    label->setBuddy(m_at);
    layout->addWidget(label);
    layout->addWidget(m_at, 1);
    layout->addWidget(m_choose);
    return row;
}

void WellsPane::setTruth(const QString& path)
{
    ModelSource source = m_desk.computed().run.model; // what that file does not say
    source.path = toEngine(path);
    m_jobs.start(
        this, [source](JobTicket&) { return readModel(source); },
        [this](auto loaded) {
            if (!loaded) {
                m_project.tell(noticeOf(loaded.error()));
                return;
            }
            if (m_desk.watch().start() != nullptr && !(loaded->model.grid() == m_desk.watch().start()->grid())) {
                m_project.tell({NoticeKind::Refused,
                                tr("The model lies on another grid than the inversion's: %1")
                                    .arg(fromEngine(loaded->model.grid().describe())),
                                tr("Give one on %1").arg(fromEngine(m_desk.watch().start()->grid().describe()))});
                return;
            }
            m_truth = std::move(loaded->model);
            showWell();
        });
}

void WellsPane::resizeEvent(QResizeEvent* event)
{
    m_plots->setDirection(width() > kBesideFrom ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    QWidget::resizeEvent(event);
}

void WellsPane::showFile()
{
    const bool any = m_desk.watch().start() != nullptr;
    m_at->setEnabled(any);
    m_choose->setEnabled(any);
    m_spectra->setEmpty(any ? tr("Compute the shot's traces (Ctrl+Shift+I):\ntheir spectra appear here")
                            : tr("Open an inversion's file (Ctrl+Alt+O), or start one (Ctrl+J)"));
    m_well->setEmpty(any ? tr("The iterate is being read") : tr("No inversion is open"));
    if (any && m_truth && !(m_truth->grid() == m_desk.watch().start()->grid())) {
        m_truth.reset();
    }
    showSpectra();
    showWell();
}

// What an estimated source is at the chosen iterate, in numbers; empty: none was estimated.
QString WellsPane::wavelet() const
{
    const auto& whole = m_desk.whole();
    const auto& overview = m_desk.watch().overview();
    if (whole == nullptr || whole->wavelets.empty() || !overview->run || whole->filters.empty()) {
        return {};
    }
    const bool common = overview->settings.data.sourceFilter == "common";
    const std::size_t fired = whole->drawn.empty() ? whole->misfits.size() : whole->drawn.size();
    const std::size_t samples = whole->wavelets.size() / (common ? 1 : std::max<std::size_t>(1, fired));
    const auto shot = static_cast<std::size_t>(m_desk.detail().shot());
    const auto drawn = std::find(whole->drawn.begin(), whole->drawn.end(), static_cast<double>(shot));
    if (!common && !whole->drawn.empty() && drawn == whole->drawn.end()) {
        return {}; // not drawn: nothing was estimated
    }
    const std::size_t at = common                 ? 0
                           : whole->drawn.empty() ? shot
                                                  : static_cast<std::size_t>(drawn - whole->drawn.begin());
    if ((at + 1) * samples > whole->wavelets.size()) {
        return {};
    }
    const auto first = whole->wavelets.begin() + static_cast<std::ptrdiff_t>(at * samples);
    const auto peak = std::max_element(first, first + static_cast<std::ptrdiff_t>(samples),
                                       [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double seconds =
        static_cast<double>(peak - first) *
        overview->run->sampleInterval.value_or(overview->run->duration / static_cast<double>(samples));
    return (common ? tr("Estimated wavelet of all shots: largest %1 at %2 s")
                   : tr("Estimated wavelet of this shot: largest %1 at %2 s"))
        .arg(*peak, 0, 'g', 3)
        .arg(seconds, 0, 'f', 3);
}

void WellsPane::showSpectra()
{
    const auto& traces = m_desk.detail().traces();
    std::vector<PlotCurve> curves;
    double highest = 1.0;
    QString says;
    if (traces && m_desk.count() > 0) {
        for (const auto& [gather, name] : {std::pair{traces->observed, tr("observed")},
                                           {traces->synthetic, tr("synthetic")},
                                           {traces->difference, tr("difference")}}) {
            const auto s = amplitudeSpectrum(gather->traces, gather->samples, gather->dt);
            curves.push_back({name, s.hertz, s.amplitude, false});
        }
        const auto& seen = curves.front();
        const double peak = *std::max_element(seen.y.begin(), seen.y.end());
        for (std::size_t k = 0; k < seen.x.size(); ++k) {
            highest = seen.y[k] > kShownDown * peak ? seen.x[k] : highest;
        }
        says = tr("Spectra of shot %1 at iteration %2").arg(traces->shot + 1).arg(traces->index);
        says += m_desk.detail().tracesFresh() ? QString() : tr(": not of the chosen one, compute again");
    }
    if (const QString source = wavelet(); !source.isEmpty()) {
        says += says.isEmpty() ? source : QStringLiteral(". ") + source;
    }
    m_spectra->setAxes({tr("Frequency, Hz"), 0.0, highest}, tr("Amplitude, Pa s"), false);
    m_spectra->setCurves(std::move(curves));
    m_says->setText(says);
    m_says->setVisible(!says.isEmpty());
}

void WellsPane::showWell()
{
    std::vector<PlotCurve> curves;
    PlotAxis across{tr("Speed, m/s"), 0.0, 1.0};
    PlotAxis down{tr("Depth, m"), 0.0, 1.0};
    if (const auto& start = m_desk.watch().start(); start != nullptr) {
        const Grid& g = start->grid();
        const double x = m_desk.well();
        m_at->setRange(g.origin.x, g.origin.x + g.lengthX());
        m_at->set(x);
        down = {down.title, g.origin.z, g.origin.z + g.lengthZ()};
        curves.push_back(columnOf(*start, x, tr("start")));
        if (const Model now = m_desk.model(); !now.empty() && now.grid() == g) {
            curves.push_back(columnOf(now, x, tr("iteration %1").arg(m_desk.loaded())));
        }
        if (m_truth) {
            curves.push_back(columnOf(*m_truth, x, tr("true")));
        }
        across.low = INFINITY;
        across.high = -INFINITY;
        for (const PlotCurve& curve : curves) {
            const auto [low, high] = std::minmax_element(curve.x.begin(), curve.x.end());
            across.low = std::min(across.low, *low);
            across.high = std::max(across.high, *high);
        }
        const double margin = std::max(10.0, 0.06 * (across.high - across.low));
        across.low -= margin;
        across.high += margin;
    }
    m_well->setAxes(across, down.title, false);
    m_well->setDown(down);
    m_well->setCurves(std::move(curves));
}

} // namespace ondo
