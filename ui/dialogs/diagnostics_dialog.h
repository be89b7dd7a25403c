// What the program found on this machine and why it does what it does; one click copies it all.
#pragma once

#include <QDialog>

namespace ondo {

class SessionBridge;
struct DisplayVerdict;

[[nodiscard]] QString diagnosticsText(const SessionBridge& session, const DisplayVerdict& verdict);

class DiagnosticsDialog : public QDialog {
public:
    DiagnosticsDialog(const SessionBridge& session, const DisplayVerdict& verdict, QWidget* parent);
};

} // namespace ondo
