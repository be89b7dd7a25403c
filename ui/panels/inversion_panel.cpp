#include "ui/panels/inversion_panel.h"

#include "engine/inversion/inversion_checks.h"
#include "render/ticks.h"
#include "ui/forms/progress_track.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/inversion/inversion_run.h"
#include "ui/panels/inversion_form.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ondo {

namespace {

constexpr double kLeastPercentile = 50.0;
const GradientLook kMeanwhile[] = {GradientLook::AdjointField, GradientLook::SpeedGradient, GradientLook::Nothing};
const InversionLook kLooks[] = {InversionLook::Model, InversionLook::Update, InversionLook::FromStart,
                                InversionLook::Gradient, InversionLook::Illumination};

} // namespace

InversionPanel::InversionPanel(SessionBridge& session, InversionDesk& desk, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_desk(desk)
{
    setObjectName(QStringLiteral("inversionPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin - kGap, 0, kDockMargin - kGap, kGap);
    layout->setSpacing(2);
    layout->addWidget(runPart()); // on top: at hand, however low the panel
    layout->addWidget(new Section(QStringLiteral("inversionShownSection"), tr("In the picture"), shownPart(), this));
    layout->addWidget(new Section(QStringLiteral("inversionFileSection"), tr("Data and file"), filePart(), this));
    m_form = new InversionForm(m_desk.run(), this);
    layout->addWidget(m_form);
    m_checks = proseLabel(QStringLiteral("inversionChecks"), tr("Why a gradient may be zero, noisy or striped"), this);
    m_checks->setTextFormat(Qt::RichText);
    m_checks->setContentsMargins(kGap, 2, kGap, 2);
    layout->addWidget(
        new Section(QStringLiteral("inversionCheckSection"), tr("Zero, noisy, striped?"), m_checks, this));
    layout->addStretch(1);
    InversionRun& run = m_desk.run();
    connect(&run, &InversionRun::progressed, this, &InversionPanel::showRun);
    connect(&run, &InversionRun::orderChanged, this, &InversionPanel::showOrder);
    connect(&run, &InversionRun::forecastChanged, this, &InversionPanel::showForecast);
    connect(&m_desk, &InversionDesk::fileChanged, this, &InversionPanel::showSelection);
    connect(&m_desk, &InversionDesk::selectionChanged, this, &InversionPanel::showSelection);
    connect(&m_desk, &InversionDesk::pictureChanged, this, &InversionPanel::showPicture);
    connect(&m_desk.detail(), &InversionDetail::progressed, this, &InversionPanel::showPicture);
    connect(&m_desk.detail(), &InversionDetail::shotChanged, this, &InversionPanel::showPicture);
    showRun();
    showOrder();
    showForecast();
    showSelection();
}

QWidget* InversionPanel::runPart()
{
    auto* form = new Form(this);
    const auto button = [&](const QString& name, const QString& text, auto pressed) {
        auto* made = new QPushButton(text, this);
        made->setObjectName(name);
        connect(made, &QPushButton::clicked, this, pressed);
        return made;
    };
    m_start = button(QStringLiteral("inversionStart"), tr("Start an inversion"), [this] {
        InversionRun& run = m_desk.run();
        if (run.running()) {
            run.cancel();
        } else {
            run.start();
        }
    });
    form->wide(m_start);
    m_resume = button(QStringLiteral("inversionResume"), tr("Resume"), [this] { m_desk.run().resume(); });
    m_resume->setToolTip(tr("Goes on from the file's last iteration (Ctrl+Shift+J)"));
    m_back = button(QStringLiteral("inversionRollBack"), tr("From here"),
                    [this] { m_desk.run().resume(m_desk.selected()); });
    auto* pair = new QWidget(this);
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(m_resume, 1);
    row->addWidget(m_back, 1);
    form->wide(pair);
    m_track = new ProgressTrack(QStringLiteral("inversionTrack"), this);
    form->wide(m_track);
    m_phase = proseLabel(QStringLiteral("inversionPhase"), tr("How far the inversion is"), this);
    form->wide(m_phase);
    m_meanwhile = new Choice(
        QStringLiteral("inversionMeanwhile"),
        {tr("Adjoint field"), tr("Gradient building up"), tr("The iterates alone")},
        [this](int index) { m_desk.run().setLook(kMeanwhile[index]); }, this);
    m_meanwhile->setToolTip(tr("What the picture shows while each gradient goes back in time"));
    form->row(tr("Meanwhile"), m_meanwhile);
    return form;
}

QWidget* InversionPanel::shownPart()
{
    auto* form = new Form(this);
    m_shown = new TickBox(
        QStringLiteral("inversionShown"), tr("Show the iterate (I)"), [this](bool on) { m_desk.setShown(on); }, this);
    form->wide(m_shown);
    QStringList looks;
    for (const InversionLook look : kLooks) {
        looks << lookText(look);
    }
    m_look = new Choice(
        QStringLiteral("inversionLook"), looks, [this](int index) { m_desk.setLook(kLooks[index]); }, this);
    form->row(tr("Of it"), m_look);
    m_clip = new SliderQuantity(
        QStringLiteral("inversionClip"), {tr("%"), kLeastPercentile, 100.0, 1, 0.5, {}},
        linearMap(kLeastPercentile, 100.0), [this](double value) { m_desk.setPercentile(value); }, this);
    m_clip->setToolTip(tr("Full colour at this percentile of the magnitude over all nodes"));
    form->row(tr("Clip"), m_clip);
    m_full = form->readOut(tr("Full colour"), QStringLiteral("inversionFull"));
    m_ofShot = new QPushButton(this);
    m_ofShot->setObjectName(QStringLiteral("inversionOfShot"));
    m_ofShot->setToolTip(tr("What this shot alone adds to the gradient: one gradient is computed (Ctrl+Shift+G)"));
    connect(m_ofShot, &QPushButton::clicked, this, [this] {
        InversionDetail& detail = m_desk.detail();
        if (detail.working() == InversionDetail::Work::Gradient) {
            detail.cancel();
        } else {
            detail.computeGradient();
        }
    });
    form->wide(m_ofShot);
    return form;
}

QWidget* InversionPanel::path(const QString& name, const QString& label, QLineEdit*& edit, bool save)
{
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    edit = new QLineEdit(row);
    edit->setObjectName(name);
    edit->setAccessibleName(label);
    edit->setMinimumWidth(80);
    auto* browse = new QPushButton(tr("…"), row);
    browse->setObjectName(name + QStringLiteral("Browse"));
    browse->setAccessibleName(tr("Choose: %1").arg(label));
    browse->setToolTip(label);
    browse->setMaximumWidth(40);
    layout->addWidget(edit, 1);
    layout->addWidget(browse);
    const auto take = [this, save](const QString& path) {
        if (save) {
            m_desk.run().setOut(path);
        } else {
            m_desk.run().setObserved(path);
        }
    };
    connect(edit, &QLineEdit::editingFinished, this, [edit, take] { take(edit->text()); });
    connect(browse, &QPushButton::clicked, this, [this, edit, take, label, save] {
        const QString path =
            save ? QFileDialog::getSaveFileName(this, label, edit->text(), tr("HDF5 (*.h5)"))
                 : QFileDialog::getOpenFileName(
                       this, label, edit->text(),
                       tr("Traces (*.h5 *.hdf5 *.sgy *.segy *.su *.npy *.npz *.mat *.rsf *.bin);;All files (*)"));
        if (!path.isEmpty()) {
            take(path);
        }
    });
    return row;
}

QWidget* InversionPanel::filePart()
{
    auto* form = new Form(this);
    form->row(tr("Observed"), path(QStringLiteral("inversionObserved"), tr("Observed data"), m_observed, false));
    m_observed->setPlaceholderText(tr("traces of all shots"));
    form->row(tr("Result file"), path(QStringLiteral("inversionOut"), tr("File of the iterates"), m_out, true));
    m_out->setPlaceholderText(tr("inversion.h5"));
    m_forecast = form->readOut(tr("Needs"), QStringLiteral("inversionForecast"));
    m_file = form->readOut(tr("Watched"), QStringLiteral("inversionFile"));
    return form;
}

void InversionPanel::showRun()
{
    const InversionRun& run = m_desk.run();
    const bool on = run.running();
    m_start->setText(on ? tr("Stop the inversion") : tr("Start an inversion"));
    m_start->setToolTip(on ? tr("The file keeps every iteration that was complete (Ctrl+J)")
                           : tr("Of the project's run, its model the start (Ctrl+J)"));
    const bool any = m_desk.count() > 0;
    m_resume->setEnabled(!on && any);
    m_back->setEnabled(!on && any);
    m_back->setText(any ? tr("Go on from %1").arg(m_desk.selected()) : tr("Go on from here"));
    m_back->setToolTip(tr("Rolls back: later iterations are dropped from the file"));
    const InversionRun::Progress& progress = run.progress();
    m_track->setFraction(on ? progress.fraction : 0.0);
    if (!on) {
        m_phase->setText(any ? tr("Not running in this window")
                             : tr("Give observed data and a result file, then start"));
        return;
    }
    if (!progress.begun) {
        m_phase->setText(tr("Starting: reading the data"));
        return;
    }
    const InversionProgress& at = progress.at;
    const QString left =
        progress.secondsLeft >= 0.0 ? tr(", %1 left").arg(secondsText(progress.secondsLeft)) : QString();
    m_phase->setText(tr("Stage %1 of %2, iteration %3 of %4, gradient %5: shot %6 of %7, %8%9")
                         .arg(at.stage + 1)
                         .arg(at.stages)
                         .arg(at.iteration)
                         .arg(at.iterations)
                         .arg(at.evaluation)
                         .arg(at.gradient.shot + 1)
                         .arg(at.gradient.shots)
                         .arg(at.gradient.backwards ? tr("backwards") : tr("forwards"), left));
}

void InversionPanel::showOrder()
{
    const InversionRun& run = m_desk.run();
    if (m_observed->text() != run.observed()) {
        m_observed->setText(run.observed());
    }
    if (m_out->text() != run.out()) {
        m_out->setText(run.out());
    }
    m_observed->setToolTip(run.observed());
    m_out->setToolTip(run.out());
    m_meanwhile->set(
        static_cast<int>(std::find(std::begin(kMeanwhile), std::end(kMeanwhile), run.look()) - std::begin(kMeanwhile)));
}

void InversionPanel::showForecast()
{
    const InversionRun& run = m_desk.run();
    const auto& error = run.forecastError();
    m_forecast->setText(error ? noticeOf(*error).text + QStringLiteral(". ") + noticeOf(*error).remedy
                        : run.forecast().isEmpty() ? QStringLiteral("–")
                                                   : run.forecast());
    setTone(m_forecast, error ? "bad" : "");
}

void InversionPanel::showSelection()
{
    const InversionWatch& watch = m_desk.watch();
    QString text = watch.path().isEmpty() ? tr("no file: open one (Ctrl+Alt+O)") : QFileInfo(watch.path()).fileName();
    if (const auto& overview = watch.overview()) {
        text += tr(", begun %1 on %2").arg(fromEngine(overview->created), fromEngine(overview->device));
        if (!overview->settingsWhole) {
            text += tr("; the last stage's length is not kept in this file");
        }
    }
    text += watch.trouble().isEmpty() ? QString()
                                      : QStringLiteral(". ") + watch.trouble() + QStringLiteral(". ") + watch.remedy();
    m_file->setText(text);
    m_file->setToolTip(watch.path());
    setTone(m_file, watch.trouble().isEmpty() ? "" : "warning");
    m_look->set(static_cast<int>(std::find(std::begin(kLooks), std::end(kLooks), m_desk.look()) - std::begin(kLooks)));
    showRun();
    showPicture();
}

void InversionPanel::showPicture()
{
    m_shown->set(m_desk.shown());
    m_shown->setEnabled(m_desk.count() > 0);
    m_look->setEnabled(m_desk.count() > 0);
    m_clip->set(m_desk.percentile());
    const auto picture = m_desk.picture();
    m_full->setText(!m_desk.missing().isEmpty() ? m_desk.missing()
                    : picture && picture->field ? tr("±%1 %2, %3")
                                                      .arg(fromEngine(spellAmount(picture->field->clip, 3)),
                                                           picture->field->unit, picture->field->name)
                    : picture ? tr("%1 to %2 m/s, as of all iterates seen")
                                    .arg(picture->range.low, 0, 'f', 0)
                                    .arg(picture->range.high, 0, 'f', 0)
                              : QStringLiteral("–"));
    const InversionDetail& detail = m_desk.detail();
    const bool working = detail.working() == InversionDetail::Work::Gradient;
    m_ofShot->setText(!working ? tr("Gradient of shot %1 alone").arg(detail.shot() + 1)
                               : tr("Stop, %1 %").arg(std::max(0, qRound(100.0 * detail.fraction()))));
    m_ofShot->setEnabled(working || m_desk.count() > 0);
    showChecks();
}

void InversionPanel::showChecks()
{
    const auto& whole = m_desk.whole();
    if (whole == nullptr || m_desk.watch().overview() == nullptr) {
        m_checks->setText(
            tr("Of the chosen iterate's gradient, this lists what could be wrong with it, and the remedy."));
        return;
    }
    const InversionOverview& overview = *m_desk.watch().overview();
    m_checks->setText(checksText(checkIterate(*whole, m_session.plan().get(), overview.low, overview.high), palette()));
}

} // namespace ondo
