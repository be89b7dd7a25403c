// The shot from top to bottom: model, source, receivers, run, each folded away by its title.
#pragma once

#include <QWidget>

namespace ondo {

class FileDesk;
class ProjectModel;
class SessionBridge;

class SetupPanel : public QWidget {
public:
    SetupPanel(ProjectModel& project, SessionBridge& session, FileDesk& files, QWidget* parent = nullptr);
};

} // namespace ondo
