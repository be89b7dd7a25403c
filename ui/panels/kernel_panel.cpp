#include "ui/panels/kernel_panel.h"

#include "render/ticks.h"
#include "ui/forms/progress_track.h"
#include "ui/kernel_desk.h"
#include "ui/panes/trace_window.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"
#include "ui/theme/theme.h"

#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kLeastPercentile = 50.0;
const GradientLook kLooks[] = {GradientLook::AdjointField, GradientLook::SpeedGradient, GradientLook::Nothing};

QString amount(double value)
{
    return fromEngine(spellAmount(value, 3));
}

QString place(const Position& at, bool deep)
{
    return deep ? KernelPanel::tr("x %1, y %2, z %3 m").arg(at.x, 0, 'f', 0).arg(at.y, 0, 'f', 0).arg(at.z, 0, 'f', 0)
                : KernelPanel::tr("x %1, z %2 m").arg(at.x, 0, 'f', 0).arg(at.z, 0, 'f', 0);
}

} // namespace

KernelPanel::KernelPanel(ProjectModel& project, SessionBridge& session, KernelDesk& kernel, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_session(session)
    , m_kernel(kernel)
{
    setObjectName(QStringLiteral("kernelPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin - kGap, 0, kDockMargin - kGap, kGap);
    layout->setSpacing(2);
    layout->addWidget(runPart()); // on top: at hand, however low the panel
    layout->addWidget(new Section(QStringLiteral("kernelPairSection"), tr("Pair and window"), pairPart(), this));
    layout->addWidget(new Section(QStringLiteral("kernelMemorySection"), tr("Memory mode"), memoryPart(), this));
    layout->addWidget(new Section(QStringLiteral("kernelResultSection"), tr("Kernel"), resultPart(), this));
    m_checks = proseLabel(QStringLiteral("kernelChecks"), tr("Why a kernel may be zero, noisy or striped"), this);
    m_checks->setTextFormat(Qt::RichText);
    m_checks->setContentsMargins(kGap, 2, kGap, 2);
    layout->addWidget(new Section(QStringLiteral("kernelCheckSection"), tr("Zero, noisy, striped?"), m_checks, this));
    layout->addStretch(1);
    connect(&m_project, &ProjectModel::runChanged, this, &KernelPanel::showSurvey);
    connect(&m_project, &ProjectModel::modelChanged, this, &KernelPanel::showSurvey);
    connect(&m_session, &SessionBridge::gatherChanged, this, &KernelPanel::showTrace);
    connect(&m_session, &SessionBridge::stateChanged, this, &KernelPanel::showProgress);
    connect(&m_kernel, &KernelDesk::requestChanged, this, &KernelPanel::showRequest);
    connect(&m_kernel, &KernelDesk::forecastChanged, this, &KernelPanel::showForecast);
    connect(&m_kernel, &KernelDesk::progressed, this, &KernelPanel::showProgress);
    connect(&m_kernel, &KernelDesk::resultChanged, this, &KernelPanel::showResult);
    connect(&m_kernel, &KernelDesk::pictureChanged, this, &KernelPanel::showResult);
    showSurvey();
    showProgress();
    showResult();
}

QWidget* KernelPanel::pairPart()
{
    auto* form = new Form(this);
    m_shot = new Choice(
        QStringLiteral("kernelShot"), {}, [this](int index) { m_project.setShotIndex(index); }, this);
    form->row(tr("Shot"), m_shot);
    m_receiver = new Choice(
        QStringLiteral("kernelReceiver"), {}, [this](int index) { m_kernel.setReceiver(index); }, this);
    m_receiver->setToolTip(
        tr("Or click a receiver in the picture, or a trace of the gather (N, Shift+N: its neighbours)"));
    form->row(tr("Receiver"), m_receiver);
    m_measure = new Choice(
        QStringLiteral("kernelMeasure"), {tr("Energy"), tr("Travel time")},
        [this](int index) { m_kernel.setMeasure(static_cast<KernelMeasure>(index)); }, this);
    form->row(tr("Of the window's"), m_measure);
    m_trace = new TraceWindowPlot(QStringLiteral("kernelTrace"), this);
    m_trace->setAccessibleName(tr("Trace with its window; left and right move the beginning, with Shift the end"));
    m_trace->setMinimumHeight(150);
    m_trace->onWindow([this](double from, double to, bool done) {
        if (done) {
            m_kernel.setWindow(from, to);
        } else {
            m_from->set(from);
            m_to->set(to);
        }
    });
    form->wide(m_trace);
    const auto second = [this](const QString& name, const QString& label, const QString& automatic) {
        auto* edit = new QuantityEdit(
            name, {tr("s"), 0.0, 1e5, 4, 0.05, automatic},
            [this](double) { m_kernel.setWindow(m_from->value(), m_to->value()); }, this);
        edit->setAccessibleName(label);
        return edit;
    };
    m_from = second(QStringLiteral("kernelFrom"), tr("Window from"), {});
    m_to = second(QStringLiteral("kernelTo"), tr("Window to"), tr("end"));
    form->pair(tr("From, to"), m_from, m_to);
    m_statement = proseLabel(QStringLiteral("kernelStatement"), tr("What the kernel is"), this);
    form->wide(m_statement);
    return form;
}

QWidget* KernelPanel::runPart()
{
    auto* form = new Form(this);
    m_compute = new QPushButton(tr("Sensitivity kernel"), this);
    m_compute->setObjectName(QStringLiteral("kernelCompute"));
    connect(m_compute, &QPushButton::clicked, this, [this] {
        if (m_kernel.computing()) {
            m_kernel.cancel();
        } else {
            m_kernel.compute();
        }
    });
    form->wide(m_compute);
    m_track = new ProgressTrack(QStringLiteral("kernelTrack"), this);
    form->wide(m_track);
    m_phase = proseLabel(QStringLiteral("kernelPhase"), tr("How far the kernel is"), this);
    form->wide(m_phase);
    m_look = new Choice(
        QStringLiteral("kernelLook"), {tr("Adjoint field"), tr("Kernel building up"), tr("As before")},
        [this](int index) { m_kernel.setLook(kLooks[index]); }, this);
    m_look->setToolTip(tr("What the picture shows while the adjoint run goes back in time"));
    form->row(tr("Meanwhile"), m_look);
    return form;
}

QWidget* KernelPanel::memoryPart()
{
    m_memory = new Form(this);
    m_mode = new Choice(
        QStringLiteral("kernelMode"), {}, [this](int) { chooseTape(); }, this);
    m_mode->addItem(fromEngine(kAutomaticTape));
    m_mode->setItemData(0, tr("the fastest one that fits"), Qt::ToolTipRole);
    for (const TapeKind& kind : tapeKinds()) {
        m_mode->addItem(fromEngine(kind.name));
        m_mode->setItemData(m_mode->count() - 1, fromEngine(kind.summary), Qt::ToolTipRole);
    }
    m_memory->row(tr("Mode"), m_mode);
    m_storage = new Choice(
        QStringLiteral("kernelStorage"), {}, [this](int) { chooseTape(); }, this);
    for (const StorageKind& kind : storageKinds()) {
        m_storage->addItem(fromEngine(kind.name));
    }
    m_memory->row(tr("Stored as"), m_storage);
    m_summary = proseLabel(QStringLiteral("kernelSummary"), tr("What the memory mode keeps"), this);
    m_memory->wide(m_summary);
    m_predicted = m_memory->readOut(tr("Needs"), QStringLiteral("kernelPredicted"));
    m_error = m_memory->readOut(tr("Error"), QStringLiteral("kernelError"));
    return m_memory;
}

QWidget* KernelPanel::resultPart()
{
    auto* form = new Form(this);
    m_shown = new TickBox(
        QStringLiteral("kernelShown"), tr("Show the kernel"), [this](bool on) { m_kernel.setShown(on); }, this);
    form->wide(m_shown);
    m_clip = new SliderQuantity(
        QStringLiteral("kernelClip"), {tr("%"), kLeastPercentile, 100.0, 1, 0.5, {}},
        linearMap(kLeastPercentile, 100.0), [this](double value) { m_kernel.setPercentile(value); }, this);
    m_clip->setToolTip(tr("Full colour at this percentile of the kernel's magnitude over all nodes"));
    form->row(tr("Clip"), m_clip);
    m_full = form->readOut(tr("Full colour"), QStringLiteral("kernelFull"));
    m_measured = form->readOut(tr("Measured"), QStringLiteral("kernelMeasured"));
    m_peak = form->readOut(tr("Peak memory"), QStringLiteral("kernelPeak"));
    m_took = form->readOut(tr("Took"), QStringLiteral("kernelTook"));
    m_compare = form->readOut(tr("Compare"), QStringLiteral("kernelCompare"));
    return form;
}

void KernelPanel::chooseTape()
{
    TapeOptions tape;
    tape.mode = kAutomaticTape;
    if (m_mode->currentIndex() > 0) {
        const TapeKind& kind = tapeKinds()[static_cast<std::size_t>(m_mode->currentIndex() - 1)];
        tape.mode = kind.name;
        if (kind.stored) {
            tape.storage = storageKinds()[static_cast<std::size_t>(std::max(0, m_storage->currentIndex()))].storage;
        }
    }
    m_kernel.setTape(tape);
}

void KernelPanel::showSurvey()
{
    const bool deep = m_project.threeDimensional();
    QStringList shots;
    for (const Shot& shot : m_project.run().survey.shots) {
        const QString number = QString::number(shots.size() + 1);
        shots << (shot.sources.empty() ? tr("%1 · no source").arg(number)
                                       : tr("%1 · %2").arg(number, place(shot.sources.front().position, deep)));
    }
    m_shot->fill(shots, m_project.shotIndex());
    QStringList receivers;
    for (const Receiver& receiver : m_project.shot().receivers) {
        receivers << tr("%1 · %2").arg(receivers.size() + 1).arg(place(receiver.position, deep));
    }
    m_receiver->fill(receivers, m_kernel.request().receiver);
    m_receiver->setEnabled(!receivers.isEmpty());
    showRequest();
}

void KernelPanel::showRequest()
{
    const KernelRequest& request = m_kernel.request();
    m_receiver->set(request.receiver);
    m_measure->set(static_cast<int>(request.measure));
    m_from->set(request.from);
    m_to->set(request.to);
    const auto& kinds = tapeKinds();
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const TapeKind& k) { return k.name == request.tape.mode; });
    const bool named = kind != kinds.end();
    m_mode->set(named ? static_cast<int>(kind - kinds.begin()) + 1 : 0);
    m_memory->setRowVisible(m_storage, named && kind->stored);
    m_storage->setCurrentText(fromEngine(storageName(request.tape.storage)));
    const auto& forecast = m_kernel.forecast();
    m_summary->setText(named                                ? fromEngine(kind->summary)
                       : forecast && !forecast->why.empty() ? tr("Chosen: %1").arg(fromEngine(forecast->why))
                                                            : tr("The fastest one that fits"));
    m_look->set(
        static_cast<int>(std::find(std::begin(kLooks), std::end(kLooks), m_kernel.look()) - std::begin(kLooks)));
    const QString window =
        tr("w is 1 in the window, 0 outside, with a cosine over its first and last tenth. Each node's "
           "value is its own, its cell included.");
    m_statement->setText(
        request.measure == KernelMeasure::Energy
            ? tr("∂J/∂c at every node, in %1, of J = ½ ∫ (w d)² dt: d the trace in Pa, c the node's speed. %2")
                  .arg(fromEngine(kernelUnit(request.measure)), window)
            : tr("∂T/∂c at every node, in %1: by how much the windowed trace w d comes later (cross-correlation) as "
                 "the "
                 "node's speed c rises. %2")
                  .arg(fromEngine(kernelUnit(request.measure)), window));
    showTrace();
}

void KernelPanel::showTrace()
{
    const KernelRequest& request = m_kernel.request();
    Curve curve;
    const auto& gather = m_session.gather();
    if (m_kernel.ofThisTrace()) {
        const TraceTable& trace = m_kernel.result()->kernel->trace;
        curve.step = trace.dt;
        curve.values = trace.values;
    } else if (gather != nullptr && gather->shot == request.shot && request.receiver < gather->receiverCount()) {
        const auto trace = gather->trace(request.receiver);
        curve.step = gather->dt;
        curve.values.assign(trace.begin(), trace.begin() + gather->recorded);
    }
    double largest = 0.0;
    for (const double v : curve.values) {
        largest = std::max(largest, std::abs(v));
    }
    const PressureUnit unit = pressureUnitFor(largest);
    for (double& v : curve.values) {
        v /= unit.pascals;
    }
    const double end = m_kernel.traceEnd() > 0.0 ? m_kernel.traceEnd() : 1.0;
    m_trace->setCurve(std::move(curve), end, tr("Time (s)"), tr("Pressure (%1)").arg(fromEngine(unit.name)));
    m_trace->setWindow(request.from, request.to > 0.0 ? request.to : end);
}

void KernelPanel::showForecast()
{
    const auto& forecast = m_kernel.forecast();
    const auto& error = m_kernel.forecastError();
    if (forecast) {
        const GradientMemory& memory = forecast->memory;
        QString text = memoryText(memory);
        text += memory.seconds > 0.0 ? tr(", about %1").arg(secondsText(memory.seconds)) : QString();
        m_predicted->setText(tr("%1; forward run %2 times").arg(text).arg(1.0 + memory.forwardRuns, 0, 'f', 2));
        if (!forecast->why.empty()) {
            m_summary->setText(tr("Chosen: %1").arg(fromEngine(forecast->why)));
        }
        m_error->setText(forecast->error > 0.0 ? tr("at most %1 % of the kernel: %2")
                                                     .arg(amount(100.0 * forecast->error), fromEngine(forecast->reason))
                                               : tr("none: %1").arg(fromEngine(forecast->reason)));
    } else {
        m_predicted->setText(error ? noticeOf(*error).text + QStringLiteral(". ") + noticeOf(*error).remedy
                                   : QStringLiteral("–"));
        m_error->setText(QStringLiteral("–"));
    }
    setTone(m_predicted, error ? "bad" : "");
    showTrace();
}

void KernelPanel::showProgress()
{
    const bool on = m_kernel.computing();
    m_compute->setText(on ? tr("Stop") : tr("Sensitivity kernel"));
    m_compute->setEnabled(on || !m_session.active());
    m_compute->setToolTip(m_session.active() ? tr("A shot is running on this device: stop it first (Ctrl+.)")
                                             : tr("Ctrl+K; stops with Ctrl+Shift+K"));
    const KernelDesk::Progress& progress = m_kernel.progress();
    m_track->setFraction(on ? progress.fraction : 0.0);
    if (!on) {
        m_phase->setText(m_session.active()  ? tr("A shot is running: the kernel waits for its end")
                         : m_kernel.fresh()  ? tr("Done")
                         : m_kernel.result() ? tr("The kernel on show is of an earlier pair, window or project")
                                             : tr("Not computed yet"));
        return;
    }
    const QString left =
        progress.secondsLeft >= 0.0 ? tr(", %1 left").arg(secondsText(progress.secondsLeft)) : QString();
    m_phase->setText((!progress.begun      ? tr("Starting")
                      : progress.backwards ? tr("Adjoint run, backwards in time")
                                           : tr("Forward run")) +
                     left);
}

void KernelPanel::showResult()
{
    const auto& result = m_kernel.result();
    m_shown->set(m_kernel.shown());
    m_shown->setEnabled(result.has_value());
    m_clip->set(m_kernel.percentile());
    m_clip->setEnabled(result.has_value());
    const QString none = QStringLiteral("–");
    for (QLabel* label : {m_full, m_measured, m_peak, m_took, m_compare}) {
        label->setText(none);
    }
    if (result) {
        const SensitivityKernel& kernel = *result->kernel;
        m_full->setText(tr("±%1 %2").arg(amount(m_kernel.clip()), fromEngine(kernelUnit(kernel.request.measure))));
        m_measured->setText(kernel.request.measure == KernelMeasure::Energy
                                ? tr("J = %1 Pa² s").arg(amount(kernel.measured))
                                : tr("T, against the trace itself: 0 s"));
        const auto predicted = static_cast<double>(kernel.plan.memory.total());
        m_peak->setText(tr("%1 measured, %2 predicted (%3 % apart)")
                            .arg(bytesText(kernel.peakBytes), bytesText(kernel.plan.memory.total()))
                            .arg(100.0 * (static_cast<double>(kernel.peakBytes) / predicted - 1.0), 0, 'f', 1));
        m_took->setText(tr("%1, mode %2").arg(secondsText(kernel.seconds), tapeText(kernel.tape)));
        if (const auto& c = m_kernel.comparison()) {
            m_compare->setText(c->difference == 0.0
                                   ? tr("%1 is the same as %2 to the last bit").arg(c->after, c->before)
                                   : tr("%1 differs from %2 by %3 % of its L2 norm")
                                         .arg(c->after, c->before, amount(100.0 * c->difference)));
        } else {
            m_compare->setText(tr("nothing yet: compute the same pair again, in another memory mode"));
        }
    }
    showChecks();
    showProgress();
    showTrace();
}

void KernelPanel::showChecks()
{
    if (!m_kernel.result()) {
        m_checks->setText(tr("After a kernel is computed, this lists what could be wrong with it, and the remedy."));
        return;
    }
    m_checks->setText(checksText(m_kernel.result()->kernel->checks, palette()));
}

} // namespace ondo
