#include "ui/actions/action_list.h"
#include "ui/panels/display_panel.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"

#include <QCoreApplication>

#include <algorithm>

namespace ondo {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("RunActions", text);
}

// One button that says what a press will do.
void playOrPause(SessionBridge& session)
{
    switch (session.phase()) {
    case RunPhase::Running: session.pause(); break;
    case RunPhase::Pausing:
    case RunPhase::Paused: session.resume(); break;
    case RunPhase::NoDevice:
    case RunPhase::Ready: session.run(); break;
    case RunPhase::Starting:
    case RunPhase::Stopping: break;
    }
}

void showPlay(Action& action, RunPhase phase)
{
    const bool running = phase == RunPhase::Running || phase == RunPhase::Pausing || phase == RunPhase::Starting;
    const bool paused = phase == RunPhase::Paused;
    // While the last steps of a batch end, the button says that the wish was heard.
    action.setText(phase == RunPhase::Pausing    ? tr("Pausing…")
                   : phase == RunPhase::Starting ? tr("Starting…")
                   : phase == RunPhase::Stopping ? tr("Stopping…")
                   : running                     ? tr("Pause")
                   : paused                      ? tr("Resume")
                                                 : tr("Run"));
    action.setIconName(running ? QStringLiteral("pause") : QStringLiteral("run"));
    action.setEnabled(phase != RunPhase::Starting && phase != RunPhase::Stopping);
    action.setTip(running ? tr("Pause the shot") : paused ? tr("Go on") : tr("Run the shot"));
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table, one action after the other
ActionGroup runActions(const AppContext& context, QObject* parent)
{
    SessionBridge& session = context.session;
    ProjectModel& project = context.project;
    const auto on = [&session](Action& action) { action.setEnabled(session.active()); };
    ActionGroup group{tr("&Run"), {}};
    const auto add = [&](Action::Spec spec) { group.actions.push_back(new Action(std::move(spec), parent)); };
    add({QStringLiteral("actionPlay"),
         tr("Run"),
         QStringLiteral("run"),
         {Qt::Key_Space, Qt::CTRL | Qt::Key_R},
         KeyScope::View,
         [&session] { playOrPause(session); },
         [&session](Action& action) { showPlay(action, session.phase()); }});
    add({QStringLiteral("actionPlayAnywhere"),
         tr("Run or pause"),
         {},
         {Qt::Key_F5},
         KeyScope::Window,
         [&session] { playOrPause(session); },
         {}});
    add({QStringLiteral("actionStep"),
         tr("Step"),
         QStringLiteral("step"),
         {Qt::Key_Period},
         KeyScope::View,
         [&session] { session.step(); },
         [&session](Action& action) {
             const RunPhase phase = session.phase();
             action.setEnabled(phase != RunPhase::Starting && phase != RunPhase::Stopping);
         },
         tr("One step of the scheme, then pause")});
    add({QStringLiteral("actionStop"),
         tr("Stop"),
         QStringLiteral("stop"),
         {Qt::CTRL | Qt::Key_Period},
         KeyScope::Window,
         [&session] { session.stop(); },
         on,
         tr("End the run and keep its traces")});
    add({QStringLiteral("actionRestart"),
         tr("Restart"),
         QStringLiteral("restart"),
         {Qt::Key_Home},
         KeyScope::View,
         [&session] { session.run(); },
         {},
         tr("Start the shot again with the project as it is now")});
    group.actions.push_back(nullptr);
    const auto pace = [&project](int steps) {
        ViewSettings view = project.view();
        const auto last = static_cast<int>(paceStops().size()) - 1;
        view.watchSeconds =
            paceStops()[static_cast<std::size_t>(std::clamp(paceStopOf(view.watchSeconds) + steps, 0, last))];
        project.setView(view);
    };
    add({QStringLiteral("actionSlower"),
         tr("Slower"),
         QStringLiteral("slower"),
         {Qt::Key_Less, Qt::SHIFT | Qt::Key_Less},
         KeyScope::View,
         [pace] { pace(1); },
         {},
         tr("Slower: a shot takes longer, for the eye to follow")});
    add({QStringLiteral("actionFaster"),
         tr("Faster"),
         QStringLiteral("faster"),
         {Qt::Key_Greater, Qt::SHIFT | Qt::Key_Greater},
         KeyScope::View,
         [pace] { pace(-1); },
         {},
         tr("Faster: up to the full speed of the device")});
    group.actions.push_back(nullptr);
    add({QStringLiteral("actionPoke"),
         tr("Poke"),
         QStringLiteral("poke"),
         {Qt::Key_K},
         KeyScope::View,
         [&project] {
             ViewSettings view = project.view();
             view.poke = !view.poke;
             project.setView(view);
         },
         [&project](Action& action) {
             action.setCheckable(true);
             action.setChecked(project.view().poke);
         },
         tr("Poke: a click in the picture sends a wavelet from there")});
    return group;
}

} // namespace ondo
