// The window: composes the picture, the panes, the panels, the actions and the bars; decides nothing by itself.
#pragma once

#include "ui/app_context.h"
#include "ui/theme/theme.h"

#include <QMainWindow>

#include <functional>
#include <memory>

namespace ondo {

class ActionList;
class Banner;
class FieldLink;
class InversionDesk;
class KernelDesk;
class MachineBar;

class MainWindow : public QMainWindow, private WindowPort {
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] ProjectModel& project() { return *m_project; }
    [[nodiscard]] SessionBridge& session() { return *m_session; }
    [[nodiscard]] FileDesk& files() { return *m_files; }
    [[nodiscard]] KernelDesk& kernel() { return *m_kernel; }
    [[nodiscard]] InversionDesk& inversion() { return *m_inversion; }
    [[nodiscard]] FieldView& field() { return *m_field; }
    [[nodiscard]] const ActionList& actions() const { return *m_actions; }
    // Looks for the device and opens what is to be shown (empty: the model that comes with the program).
    void open(const QString& path, bool runAtOnce);
    void setTheme(ThemeKind kind);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildCentre();
    void buildDocks();
    void buildTools();
    void buildStatus();
    void watch(const QString& path, const std::function<void()>& then); // an inversion
    void refresh();
    [[nodiscard]] AppContext context();

    void showPalette() override;
    void showKeys() override;
    void showDiagnostics() override;
    void showAbout() override;
    void changeTheme() override;
    void resetLayout() override;
    void showPanel(const char* dock) override;
    void changeFullScreen() override;
    void leave() override;

    // In the order in which they need each other; the session outlives what shows its pictures (see the destructor).
    ProjectModel* m_project;
    SessionBridge* m_session;
    KernelDesk* m_kernel;
    InversionDesk* m_inversion;
    FileDesk* m_files;
    FieldView* m_field = nullptr;
    FieldLink* m_link = nullptr;
    Banner* m_banner = nullptr;
    MachineBar* m_machine = nullptr;
    std::unique_ptr<ActionList> m_actions;
    bool m_leaving = false;  // asked and answered
    bool m_arranged = false; // by the user once, or by the first model
    ThemeKind m_theme;
};

} // namespace ondo
