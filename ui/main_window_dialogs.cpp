// The window's dialogs: what actions ask of the window that holds them.
#include "ui/actions/action_list.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/command_palette.h"
#include "ui/dialogs/diagnostics_dialog.h"
#include "ui/dialogs/keys_dialog.h"
#include "ui/field_link.h"
#include "ui/main_window.h"
#include "ui/session_bridge.h"

namespace ondo {

void MainWindow::showPalette()
{
    (new CommandPalette(*m_actions, this))->show();
}

void MainWindow::showKeys()
{
    (new KeysDialog(*m_actions, this))->show();
}

void MainWindow::showDiagnostics()
{
    (new DiagnosticsDialog(*m_session, m_link->verdict(), this))->show();
}

void MainWindow::showAbout()
{
    (new AboutDialog(this))->show();
}

} // namespace ondo
