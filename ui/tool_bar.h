// The bar at the top: open and save, the transport, progress, colours, search, theme.
#pragma once

#include <QToolBar>

class QToolButton;

namespace ondo {

class ActionList;
class FileDesk;
class ProjectModel;
class SessionBridge;

class ToolBar : public QToolBar {
public:
    ToolBar(const ActionList& actions, ProjectModel& project, SessionBridge& session, FileDesk& files, QWidget* parent);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    QToolButton* m_search = nullptr;
};

} // namespace ondo
