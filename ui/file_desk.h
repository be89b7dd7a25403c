// Opening, saving and exporting: reads and writes on a worker, tells what went wrong in the banner and leaves the
// project as it was. Dialogs only ask for names.
#pragma once

#include "engine/project/run_description.h"
#include "ui/jobs/job_pool.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

class QWidget;

namespace ondo {

class FieldView;
class ProjectModel;
class SessionBridge;
struct OpenedFile;

class FileDesk : public QObject {
    Q_OBJECT
public:
    FileDesk(ProjectModel& project, SessionBridge& session, QWidget& window);

    // A model of any kind or a run file; empty: the model that comes with the program. `then` when it is open.
    void open(const QString& path, std::function<void()> then = {});
    // A model, with what its file does not say. Where something is still missing, the user is asked.
    void openModel(const ModelSource& source, std::function<void()> then = {});
    void askInversion();
    void askModel();
    void askRun();
    bool save(); // false: not saved, and told why, or called off
    bool saveAs();
    // Called with the file of an inversion that was opened, in the place of a model or a run.
    using Inversion = std::function<void(const QString& path, const std::function<void()>& then)>;
    void onInversion(Inversion told) { m_inversionTold = std::move(told); }
    // What the window hands in as the picture of the section; the file is written elsewhere.
    void setPictureSource(std::function<QImage()> grab) { m_grab = std::move(grab); }
    void exportPicture();
    void exportGather();
    void exportResults();
    void copyCommand();
    [[nodiscard]] QString commandLine() const;

    // What the progress line tells of a file that takes a moment.
    struct Busy {
        QString text;          // "Reading big.npy, 43 %"; empty: nothing to tell
        double fraction = 0.0; // of the bytes
        bool canCancel = false;
    };
    [[nodiscard]] const Busy& busy() const { return m_busy; }
    // Is a file being read, told or not?
    [[nodiscard]] bool reading() const { return m_reading != nullptr; }
    void cancel(); // the reading
    // Called when busy() changes.
    void onBusy(std::function<void()> told) { m_busyTold = std::move(told); }

private:
    // refused: may deal with an error, and says whether it did.
    void read(const QString& name, const std::function<Result<OpenedFile>()>& work, std::function<void()> then,
              std::function<bool(const Error&)> refused);
    void openHdf5(const QString& path, std::function<void()> then); // a model or an inversion
    void take(OpenedFile opened);
    bool saveTo(const QString& path);
    [[nodiscard]] QString askNewFile(const QString& title, const QString& name, const QStringList& kinds);
    void write(const QString& path, std::function<Result<>()> work);
    void setBusy(Busy busy);
    void showReading();
    void stopReading();
    [[nodiscard]] QString lastFolder() const;
    void rememberFolder(const QString& path);

    ProjectModel& m_project;
    SessionBridge& m_session;
    QWidget& m_window;
    Busy m_busy;
    QString m_readingName, m_folder;
    QTimer m_readingClock;
    std::function<void()> m_busyTold;
    std::function<QImage()> m_grab;
    Inversion m_inversionTold;
    std::shared_ptr<JobTicket> m_reading;
    JobPool m_jobs;
};

} // namespace ondo
