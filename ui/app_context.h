// What an action may use: handed in, nothing global.
#pragma once

namespace ondo {

class FieldView;
class FileDesk;
class InversionDesk;
class KernelDesk;
class ProjectModel;
class SessionBridge;

// What actions ask of the window that holds them.
class WindowPort {
public:
    WindowPort() = default;
    WindowPort(const WindowPort&) = delete;
    WindowPort& operator=(const WindowPort&) = delete;
    virtual ~WindowPort() = default;
    virtual void showPalette() = 0;
    virtual void showKeys() = 0;
    virtual void showDiagnostics() = 0;
    virtual void showAbout() = 0;
    virtual void changeTheme() = 0;
    virtual void resetLayout() = 0;
    virtual void showPanel(const char* dock) = 0; // by the name of its dock
    virtual void changeFullScreen() = 0;
    virtual void leave() = 0;
};

struct AppContext {
    ProjectModel& project;
    SessionBridge& session;
    FileDesk& files;
    FieldView& field;
    KernelDesk& kernel;
    InversionDesk& inversion;
    WindowPort& window;
};

} // namespace ondo
