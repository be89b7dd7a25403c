// Opening, saving and exporting: reads and writes on a worker, tells what went wrong in the banner and leaves the
// project as it was. Dialogs only ask for names.
#pragma once

#include "engine/project/run_description.h"
#include "ui/jobs/job_pool.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>

class QWidget;

namespace ondo {

class FieldView;
class ProjectModel;
class SessionBridge;

class FileDesk : public QObject {
    Q_OBJECT
public:
    FileDesk(ProjectModel& project, SessionBridge& session, QWidget& window);

    // A model of any kind or a run file; empty: the model that comes with the program. `then` when it is open.
    void open(const QString& path, std::function<void()> then = {});
    void askModel();
    void askRun();
    void save();
    void saveAs();
    // What the window hands in as the picture of the section; the file is written elsewhere.
    void setPictureSource(std::function<QImage()> grab) { m_grab = std::move(grab); }
    void exportPicture();
    void exportGather();
    void exportResults();
    void copyCommand();
    [[nodiscard]] QString commandLine() const;

    // A file is being read: its name for the progress line, empty when none.
    [[nodiscard]] const QString& busyWith() const { return m_busyWith; }
    void cancel();
    // Called when busyWith() changes.
    void onBusy(std::function<void()> told) { m_busyTold = std::move(told); }

private:
    struct Opened;
    void openRead(const QString& path, const std::function<Result<Opened>()>& read, std::function<void()> then);
    void take(Opened opened);
    void saveTo(const QString& path);
    void write(const QString& path, std::function<Result<>()> work);
    void setBusy(const QString& name);
    [[nodiscard]] QString lastFolder() const;
    void rememberFolder(const QString& path);

    ProjectModel& m_project;
    SessionBridge& m_session;
    QWidget& m_window;
    QString m_busyWith, m_folder;
    std::function<void()> m_busyTold;
    std::function<QImage()> m_grab;
    std::shared_ptr<JobTicket> m_reading;
    JobPool m_jobs;
};

} // namespace ondo
