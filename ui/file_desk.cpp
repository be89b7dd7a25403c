#include "ui/file_desk.h"

#include "engine/io/gather_writer.h"
#include "engine/io/model_reader.h"
#include "engine/io/png_writer.h"
#include "engine/io/result_writer.h"
#include "engine/io/run_file.h"
#include "engine/project/default_run.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QSettings>
#include <QWidget>

#include <utility>

namespace ondo {

struct FileDesk::Opened {
    RunDescription run;
    Model model;
    QStringList notes;
    QString runFile; // empty: a model was opened
};

namespace {

bool isRunFile(const QString& path)
{
    return path.endsWith(QLatin1String(".toml"), Qt::CaseInsensitive);
}

// Standard result of a worker that writes.
struct Written {
    std::optional<Error> error;
};

// Off the middle, half way down.
Position firstProbe(const Grid& grid)
{
    return {grid.origin.x + 0.62 * grid.lengthX(), grid.origin.y + 0.5 * grid.lengthY(),
            grid.origin.z + 0.45 * grid.lengthZ()};
}

} // namespace

FileDesk::FileDesk(ProjectModel& project, SessionBridge& session, QWidget& window)
    : QObject(&window)
    , m_project(project)
    , m_session(session)
    , m_window(window)
{
}

void FileDesk::open(const QString& path, std::function<void()> then)
{
    const QString absolute = path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
    if (!path.isEmpty()) {
        rememberFolder(absolute);
    }
    const auto read = [absolute]() -> Result<Opened> {
        Opened opened;
        if (isRunFile(absolute)) {
            Result<RunDescription> run = readRunFile(toEngine(absolute));
            if (!run) {
                return tl::unexpected<Error>(std::move(run.error()));
            }
            opened.run = std::move(*run);
            opened.runFile = absolute;
        } else {
            opened.run.model.path = toEngine(absolute);
        }
        Result<LoadedModel> loaded = readModel(opened.run.model);
        if (!loaded) {
            return tl::unexpected<Error>(std::move(loaded.error()));
        }
        opened.model = std::move(loaded->model);
        for (const std::string& note : loaded->notes) {
            if (!opened.run.model.path.empty()) {
                opened.notes << fromEngine(note);
            }
        }
        opened.run = withDefaultSurvey(opened.run, opened.model);
        return opened;
    };
    openRead(path.isEmpty() ? tr("the built-in structure") : QFileInfo(absolute).fileName(), read, std::move(then));
}

void FileDesk::openRead(const QString& path, const std::function<Result<Opened>()>& read, std::function<void()> then)
{
    cancel();
    setBusy(path);
    m_reading = m_jobs.start(
        this, [read](JobTicket&) { return read(); },
        [this, then = std::move(then)](Result<Opened> opened) {
            setBusy({});
            m_reading.reset();
            if (!opened) {
                m_project.tell(noticeOf(opened.error()));
                return;
            }
            take(std::move(*opened));
            if (then) {
                then();
            }
        });
}

void FileDesk::take(Opened opened)
{
    m_session.stop();
    if (opened.run.device == "auto") {
        opened.run.device = m_project.run().device; // chosen for this machine, not by the file
    }
    const bool first = m_project.model().empty();
    m_project.open(opened.runFile.isEmpty() ? tr("Open a model") : tr("Open a run file"), opened.model, opened.run);
    if (first) {
        m_project.undoStack().clear(); // there is nothing to go back to
    }
    m_project.setFilePath(opened.runFile);
    if (!m_project.probe()) {
        m_project.setProbe(firstProbe(opened.model.grid()));
    }
    if (!opened.notes.isEmpty()) {
        m_project.tell({NoticeKind::Told, opened.notes.join(QStringLiteral(". ")), {}});
    }
}

void FileDesk::cancel()
{
    if (m_reading != nullptr) {
        m_reading->cancelled = true;
        m_reading.reset();
        setBusy({});
    }
}

void FileDesk::setBusy(const QString& name)
{
    m_busyWith = name;
    if (m_busyTold) {
        m_busyTold();
    }
}

QString FileDesk::lastFolder() const
{
    return m_folder.isEmpty() ? QSettings().value(QStringLiteral("folder"), QDir::homePath()).toString() : m_folder;
}

void FileDesk::rememberFolder(const QString& path)
{
    m_folder = QFileInfo(path).absolutePath();
    QSettings().setValue(QStringLiteral("folder"), m_folder);
}

void FileDesk::askModel()
{
    const QString path = QFileDialog::getOpenFileName(
        &m_window, tr("Open a velocity model"), lastFolder(),
        tr("Models (*.mat *.npy *.npz *.sgy *.segy *.rsf *.h5 *.hdf5 *.su *.bin *.txt);;All files (*)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void FileDesk::askRun()
{
    const QString path =
        QFileDialog::getOpenFileName(&m_window, tr("Open a run file"), lastFolder(), tr("Run files (*.toml)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void FileDesk::save()
{
    if (m_project.filePath().isEmpty()) {
        saveAs();
    } else {
        saveTo(m_project.filePath());
    }
}

void FileDesk::saveAs()
{
    QString path =
        QFileDialog::getSaveFileName(&m_window, tr("Save the run file"), lastFolder(), tr("Run files (*.toml)"));
    if (path.isEmpty()) {
        return;
    }
    if (!isRunFile(path)) {
        path += QStringLiteral(".toml");
    }
    saveTo(path);
}

void FileDesk::saveTo(const QString& path)
{
    rememberFolder(path);
    if (const Result<> written = writeRunFile(m_project.run(), toEngine(path)); !written) {
        m_project.tell(noticeOf(written.error()));
        return;
    }
    m_project.setFilePath(path);
    m_project.tell({NoticeKind::Told, tr("Saved %1").arg(QFileInfo(path).fileName()), {}});
}

void FileDesk::write(const QString& path, std::function<Result<>()> work)
{
    rememberFolder(path);
    setBusy(QFileInfo(path).fileName());
    m_jobs.start(
        this,
        [work = std::move(work)](JobTicket&) {
            const Result<> done = work();
            return Written{done ? std::nullopt : std::optional<Error>(done.error())};
        },
        [this, path](const Written& written) {
            setBusy({});
            m_project.tell(written.error
                               ? noticeOf(*written.error)
                               : Notice{NoticeKind::Told, tr("Wrote %1").arg(QDir::toNativeSeparators(path)), {}});
        });
}

void FileDesk::exportPicture()
{
    const QString path = QFileDialog::getSaveFileName(&m_window, tr("Export the picture"),
                                                      lastFolder() + QStringLiteral("/section.png"), tr("PNG (*.png)"));
    if (path.isEmpty() || !m_grab) {
        return;
    }
    const QImage image = m_grab().convertToFormat(QImage::Format_RGBA8888);
    write(path, [image, file = toEngine(path)] {
        Picture picture;
        picture.width = image.width();
        picture.height = image.height();
        picture.channels = 4;
        picture.pixels = {image.constBits(), static_cast<std::size_t>(image.sizeInBytes())};
        return writePng(file, picture);
    });
}

void FileDesk::exportGather()
{
    const auto gather = m_session.gather();
    if (gather == nullptr) {
        return;
    }
    const QString path =
        QFileDialog::getSaveFileName(&m_window, tr("Export the gather"), lastFolder() + QStringLiteral("/gather.sgy"),
                                     tr("SEG-Y (*.sgy *.segy);;NumPy (*.npy)"));
    if (!path.isEmpty()) {
        write(path, [gather, file = toEngine(path), title = m_project.run().title] {
            return writeGathers(file, {gather.get(), 1}, title);
        });
    }
}

void FileDesk::exportResults()
{
    const auto gather = m_session.gather();
    const auto plan = m_session.runningPlan();
    if (gather == nullptr || plan == nullptr) {
        return;
    }
    const QString path = QFileDialog::getSaveFileName(&m_window, tr("Export the results"),
                                                      lastFolder() + QStringLiteral("/results.h5"), tr("HDF5 (*.h5)"));
    if (path.isEmpty()) {
        return;
    }
    write(path, [gather, plan, field = m_session.lastField(), file = toEngine(path)] {
        RunResult result;
        result.model = plan->model;
        result.description = plan->run;
        result.gathers = {*gather};
        result.complete = gather->recorded == gather->samples;
        result.device = plan->device.name;
        result.planText = plan->describe();
        if (field != nullptr) {
            result.field = LastField{field->values, field->nz, field->ny, field->nx, field->step, field->time};
        }
        return writeResults(file, result);
    });
}

QString FileDesk::commandLine() const
{
    const auto quoted = [](const QString& text) {
        QString safe = text;
        safe.replace(QLatin1Char('\''), QLatin1String("'\\''"));
        return QStringLiteral("'%1'").arg(safe);
    };
    if (!m_project.filePath().isEmpty() && m_project.undoStack().isClean()) {
        return QStringLiteral("ondo run %1").arg(quoted(m_project.filePath()));
    }
    QString command = QStringLiteral("ondo run");
    QString section;
    for (const QString& line : fromEngine(runFileText(m_project.run())).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1Char('['))) {
            section = line.mid(1, line.size() - 2) + QLatin1Char('.');
        } else if (const qsizetype equals = line.indexOf(QLatin1String(" = ")); equals > 0) {
            command += QStringLiteral(" --set %1")
                           .arg(quoted(section + line.left(equals) + QLatin1Char('=') + line.mid(equals + 3)));
        }
    }
    return command;
}

void FileDesk::copyCommand()
{
    const QString command = commandLine();
    if (command.contains(QLatin1String("--set '[shot"))) {
        m_project.tell({NoticeKind::Warning, tr("This survey does not fit into one command"),
                        tr("Save the run file, then copy again")});
        return;
    }
    QApplication::clipboard()->setText(command);
    m_project.tell({NoticeKind::Told, tr("Copied: %1").arg(command), {}});
}

} // namespace ondo
