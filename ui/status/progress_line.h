// How far the run is: simulated time of the whole, a bar, time left, and a word when an edit waits for the next run.
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace ondo {

class FileDesk;
class NumberLabel;
class ProgressTrack;
class ProjectModel;
class SessionBridge;

class ProgressLine : public QWidget {
public:
    ProgressLine(ProjectModel& project, SessionBridge& session, FileDesk& files, QWidget* parent = nullptr);

private:
    void showAll();

    ProjectModel& m_project;
    SessionBridge& m_session;
    FileDesk& m_files;
    NumberLabel *m_time, *m_left;
    ProgressTrack* m_track;
    QLabel *m_busy, *m_differs;
    QToolButton* m_cancel;
};

} // namespace ondo
