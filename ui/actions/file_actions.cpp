#include "ui/actions/action_list.h"
#include "ui/file_desk.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"

#include <QCoreApplication>

namespace ondo {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("FileActions", text);
}

} // namespace

ActionGroup fileActions(const AppContext& context, QObject* parent)
{
    FileDesk& files = context.files;
    SessionBridge& session = context.session;
    WindowPort& window = context.window;
    ActionGroup group{tr("&File"), {}};
    const auto add = [&](Action::Spec spec) { group.actions.push_back(new Action(std::move(spec), parent)); };
    const auto line = [&] { group.actions.push_back(nullptr); };
    const auto withGather = [&session](Action& action) { action.setEnabled(session.gather() != nullptr); };
    add({QStringLiteral("actionOpenModel"),
         tr("Open model…"),
         QStringLiteral("open"),
         {QKeySequence::Open},
         KeyScope::Window,
         [&files] { files.askModel(); },
         {},
         tr("Open a velocity model")});
    add({QStringLiteral("actionOpenRun"),
         tr("Open run file…"),
         QStringLiteral("open-run"),
         {Qt::CTRL | Qt::SHIFT | Qt::Key_O},
         KeyScope::Window,
         [&files] { files.askRun(); }});
    add({QStringLiteral("actionOpenInversion"),
         tr("Open inversion…"),
         {},
         {Qt::CTRL | Qt::ALT | Qt::Key_O},
         KeyScope::Window,
         [&files] { files.askInversion(); },
         {},
         tr("Open an inversion's file and watch it grow")});
    add({QStringLiteral("actionSave"),
         tr("Save run file"),
         QStringLiteral("save"),
         {QKeySequence::Save},
         KeyScope::Window,
         [&files] { files.save(); }});
    add({QStringLiteral("actionSaveAs"),
         tr("Save run file as…"),
         {},
         {Qt::CTRL | Qt::SHIFT | Qt::Key_S},
         KeyScope::Window,
         [&files] { files.saveAs(); }});
    line();
    add({QStringLiteral("actionExportPicture"),
         tr("Export picture…"),
         QStringLiteral("export-picture"),
         {Qt::CTRL | Qt::Key_E},
         KeyScope::Window,
         [&files] { files.exportPicture(); },
         {},
         tr("Export the section as PNG")});
    add({QStringLiteral("actionExportGather"),
         tr("Export gather…"),
         QStringLiteral("export-gather"),
         {Qt::CTRL | Qt::Key_G},
         KeyScope::Window,
         [&files] { files.exportGather(); },
         withGather,
         tr("Export the traces as SEG-Y or NumPy")});
    add({QStringLiteral("actionExportResults"),
         tr("Export results…"),
         QStringLiteral("export-results"),
         {Qt::CTRL | Qt::SHIFT | Qt::Key_E},
         KeyScope::Window,
         [&files] { files.exportResults(); },
         withGather,
         tr("Export traces, last field and provenance as HDF5")});
    line();
    add({QStringLiteral("actionQuit"),
         tr("Quit"),
         QStringLiteral("quit"),
         {QKeySequence::Quit},
         KeyScope::Window,
         [&window] { window.leave(); }});
    return group;
}

ActionGroup editActions(const AppContext& context, QObject* parent)
{
    QUndoStack& history = context.project.undoStack();
    FileDesk& files = context.files;
    ActionGroup group{tr("&Edit"), {}};
    const auto add = [&](Action::Spec spec) { group.actions.push_back(new Action(std::move(spec), parent)); };
    add({QStringLiteral("actionUndo"),
         tr("Undo"),
         QStringLiteral("undo"),
         {QKeySequence::Undo},
         KeyScope::Window,
         [&history] { history.undo(); },
         [&history](Action& action) {
             action.setEnabled(history.canUndo());
             action.setText(history.canUndo() ? tr("Undo: %1").arg(history.undoText()) : tr("Undo"));
         }});
    add({QStringLiteral("actionRedo"),
         tr("Redo"),
         QStringLiteral("redo"),
         {Qt::CTRL | Qt::SHIFT | Qt::Key_Z, Qt::CTRL | Qt::Key_Y},
         KeyScope::Window,
         [&history] { history.redo(); },
         [&history](Action& action) {
             action.setEnabled(history.canRedo());
             action.setText(history.canRedo() ? tr("Redo: %1").arg(history.redoText()) : tr("Redo"));
         }});
    group.actions.push_back(nullptr);
    add({QStringLiteral("actionCopyCommand"),
         tr("Copy as command"),
         QStringLiteral("terminal"),
         {Qt::CTRL | Qt::SHIFT | Qt::Key_C},
         KeyScope::Window,
         [&files] { files.copyCommand(); },
         {},
         tr("Copy the command line that computes the same shot")});
    return group;
}

ActionGroup helpActions(const AppContext& context, QObject* parent)
{
    WindowPort& window = context.window;
    ActionGroup group{tr("&Help"), {}};
    const auto add = [&](Action::Spec spec) { group.actions.push_back(new Action(std::move(spec), parent)); };
    add({QStringLiteral("actionPalette"),
         tr("Search commands…"),
         QStringLiteral("search"),
         {Qt::CTRL | Qt::SHIFT | Qt::Key_P},
         KeyScope::Window,
         [&window] { window.showPalette(); }});
    add({QStringLiteral("actionKeys"), tr("Keys"), QStringLiteral("keys"), {Qt::Key_F1}, KeyScope::Window, [&window] {
             window.showKeys();
         }});
    add({QStringLiteral("actionDiagnostics"),
         tr("Diagnostics"),
         QStringLiteral("diagnostics"),
         {},
         KeyScope::Window,
         [&window] { window.showDiagnostics(); }});
    add({QStringLiteral("actionAbout"),
         tr("About Ondoscope"),
         QStringLiteral("about"),
         {},
         KeyScope::Window,
         [&window] { window.showAbout(); }});
    return group;
}

} // namespace ondo
