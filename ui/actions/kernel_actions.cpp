#include "ui/actions/action_list.h"
#include "ui/kernel_desk.h"
#include "ui/session_bridge.h"

#include <QCoreApplication>

namespace ondo {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("KernelActions", text);
}

} // namespace

ActionGroup kernelActions(const AppContext& context, QObject* parent)
{
    KernelDesk& kernel = context.kernel;
    SessionBridge& session = context.session;
    WindowPort& window = context.window;
    ActionGroup group{tr("&Invert"), {}};
    const auto add = [&](Action::Spec spec) { group.actions.push_back(new Action(std::move(spec), parent)); };
    add({QStringLiteral("actionKernelPanel"),
         tr("Pick a pair"),
         {},
         {Qt::CTRL | Qt::Key_I},
         KeyScope::Window,
         [&window] { window.showPanel("kernelDock"); },
         {},
         tr("The kernel's panel: a click on a receiver or a trace picks it")});
    add({QStringLiteral("actionKernel"),
         tr("Sensitivity kernel"),
         {},
         {Qt::CTRL | Qt::Key_K},
         KeyScope::Window,
         [&kernel, &window] {
             window.showPanel("kernelDock");
             kernel.compute();
         },
         [&kernel, &session](Action& action) { action.setEnabled(!kernel.computing() && !session.active()); },
         tr("How the picked trace changes with the speed at every node")});
    add({QStringLiteral("actionKernelStop"),
         tr("Stop the kernel"),
         {},
         {Qt::CTRL | Qt::SHIFT | Qt::Key_K},
         KeyScope::Window,
         [&kernel] { kernel.cancel(); },
         [&kernel](Action& action) { action.setEnabled(kernel.computing()); }});
    add({QStringLiteral("actionKernelShown"),
         tr("Show the kernel"),
         {},
         {Qt::Key_V},
         KeyScope::View,
         [&kernel] { kernel.setShown(!kernel.shown()); },
         [&kernel](Action& action) {
             action.setCheckable(true);
             action.setChecked(kernel.shown());
             action.setEnabled(kernel.result().has_value());
         },
         tr("The kernel, or the wave field and the model")});
    group.actions.push_back(nullptr);
    const auto neighbour = [&](const char* name, const QString& text, const QKeySequence& key, int step) {
        add({QLatin1String(name), text, {}, {key}, KeyScope::View, [&kernel, &window, step] {
                 window.showPanel("kernelDock");
                 kernel.setReceiver(kernel.request().receiver + step);
             }});
    };
    neighbour("actionNextReceiver", tr("Next receiver"), Qt::Key_N, 1);
    neighbour("actionPreviousReceiver", tr("Previous receiver"), Qt::SHIFT | Qt::Key_N, -1);
    group.actions.push_back(nullptr);
    addInversionActions(context, parent, group);
    return group;
}

} // namespace ondo
