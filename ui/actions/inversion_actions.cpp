#include "ui/actions/action_list.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/inversion/inversion_run.h"

#include <QCoreApplication>

#include <algorithm>

namespace ondo {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("InversionActions", text);
}

constexpr InversionLook kLooks[] = {InversionLook::Model, InversionLook::Update, InversionLook::FromStart,
                                    InversionLook::Gradient, InversionLook::Illumination};

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one action after the other
void addInversionActions(const AppContext& context, QObject* parent, ActionGroup& group)
{
    InversionDesk& desk = context.inversion;
    WindowPort& window = context.window;
    const auto add = [&](Action::Spec spec) { group.actions.push_back(new Action(std::move(spec), parent)); };
    const auto withAny = [&desk](Action& action) { action.setEnabled(desk.count() > 0); };
    const auto panel = [&](const char* name, const QString& text, const QKeySequence& key, const char* dock) {
        add({QLatin1String(name), text, {}, {key}, KeyScope::Window, [&window, dock] { window.showPanel(dock); }});
    };
    panel("actionInversionPanel", tr("Inversion"), Qt::CTRL | Qt::SHIFT | Qt::Key_V, "inversionDock");
    add({QStringLiteral("actionInversionStart"),
         tr("Start an inversion"),
         {},
         {Qt::CTRL | Qt::Key_J},
         KeyScope::Window,
         [&desk, &window] {
             window.showPanel("inversionDock");
             if (desk.run().running()) {
                 desk.run().cancel();
             } else {
                 window.showPanel("iterationDock");
                 desk.run().start();
             }
         },
         [&desk](Action& action) {
             action.setText(desk.run().running() ? tr("Stop the inversion") : tr("Start an inversion"));
         }});
    add({QStringLiteral("actionInversionResume"),
         tr("Resume the inversion"),
         {},
         {Qt::CTRL | Qt::SHIFT | Qt::Key_J},
         KeyScope::Window,
         [&desk] { desk.run().resume(); },
         [&desk](Action& action) { action.setEnabled(!desk.run().running() && desk.count() > 0); },
         tr("Go on from the file's last iteration")});
    add({QStringLiteral("actionInversionRollBack"),
         tr("Go on from the chosen iteration"),
         {},
         {},
         KeyScope::Window,
         [&desk] { desk.run().resume(desk.selected()); },
         [&desk](Action& action) { action.setEnabled(!desk.run().running() && desk.count() > 0); },
         tr("Rolls back: later iterations are dropped from the file")});
    group.actions.push_back(nullptr);
    const auto step = [&](const char* name, const QString& text, const QKeySequence& key, int steps) {
        add({QLatin1String(name),
             text,
             {},
             {key},
             KeyScope::View,
             [&desk, steps] { desk.select(std::max(0, desk.selected() + steps)); },
             withAny});
    };
    step("actionNextIteration", tr("Next iteration"), Qt::Key_PageDown, 1);
    step("actionPreviousIteration", tr("Previous iteration"), Qt::Key_PageUp, -1);
    step("actionNewestIteration", tr("Newest iteration"), Qt::SHIFT | Qt::Key_PageDown, 1 << 20);
    step("actionFirstIteration", tr("The start"), Qt::SHIFT | Qt::Key_PageUp, -(1 << 20));
    add({QStringLiteral("actionIterateShown"),
         tr("Show the iterate"),
         {},
         {Qt::Key_I},
         KeyScope::View,
         [&desk] { desk.setShown(!desk.shown()); },
         [&desk](Action& action) {
             action.setCheckable(true);
             action.setChecked(desk.shown());
             action.setEnabled(desk.count() > 0);
         },
         tr("The iterate, or the wave field and the project's model")});
    add({QStringLiteral("actionIterateLook"),
         tr("Model, update, gradient in turn"),
         {},
         {Qt::Key_U},
         KeyScope::View,
         [&desk] {
             const auto* at = std::find(std::begin(kLooks), std::end(kLooks), desk.look());
             desk.setLook(at + 1 == std::end(kLooks) ? kLooks[0] : *(at + 1));
         },
         withAny});
    group.actions.push_back(nullptr);
    panel("actionIterationPane", tr("Iterations"), Qt::CTRL | Qt::ALT | Qt::Key_1, "iterationDock");
    panel("actionComparePane", tr("Observed, synthetic, difference"), Qt::CTRL | Qt::ALT | Qt::Key_2, "compareDock");
    panel("actionLinePane", tr("Misfit along a line"), Qt::CTRL | Qt::ALT | Qt::Key_3, "lineDock");
    panel("actionWellsPane", tr("Spectra and wells"), Qt::CTRL | Qt::ALT | Qt::Key_4, "wellsDock");
    add({QStringLiteral("actionCompareTraces"),
         tr("Compute the shot's traces"),
         {},
         {Qt::CTRL | Qt::SHIFT | Qt::Key_I},
         KeyScope::Window,
         [&desk, &window] {
             window.showPanel("compareDock");
             desk.detail().computeTraces();
         },
         withAny});
    add({QStringLiteral("actionCompareWay"),
         tr("Side by side, wipe, flicker in turn"),
         {},
         {Qt::Key_A},
         KeyScope::View,
         [&desk] {
             const int next = (static_cast<int>(desk.detail().way()) + 1) % 3;
             desk.detail().setWay(static_cast<InversionDetail::Way>(next));
         },
         [&desk](Action& action) { action.setEnabled(desk.detail().traces().has_value()); }});
    add({QStringLiteral("actionLine"),
         tr("Compute the misfit along the line"),
         {},
         {Qt::CTRL | Qt::Key_L},
         KeyScope::Window,
         [&desk, &window] {
             window.showPanel("lineDock");
             desk.detail().computeLine();
         },
         withAny});
    add({QStringLiteral("actionGradientOfShot"),
         tr("Gradient of one shot"),
         {},
         {Qt::CTRL | Qt::SHIFT | Qt::Key_G},
         KeyScope::Window,
         [&desk] { desk.detail().computeGradient(); },
         withAny});
}

} // namespace ondo
