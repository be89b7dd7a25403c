#include "ui/file_desk.h"

#include "engine/io/inversion_reader.h"
#include "engine/io/model_reader.h"
#include "engine/io/read_watch.h"
#include "engine/io/run_file.h"
#include "engine/project/default_run.h"
#include "ui/dialogs/read_dialog.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>
#include <QWidget>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

struct OpenedFile {
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

bool isHdf5(const QString& path)
{
    return path.endsWith(QLatin1String(".h5"), Qt::CaseInsensitive) ||
           path.endsWith(QLatin1String(".hdf5"), Qt::CaseInsensitive);
}

constexpr int kQuickMilliseconds = 200; // what takes no longer is not told of
constexpr int kLookMilliseconds = 100;

// Standard result of a worker that writes.
struct Written {
    std::optional<Error> error;
};

Result<OpenedFile> withModel(const RunDescription& run)
{
    Result<LoadedModel> loaded = readRunModel(run);
    if (!loaded) {
        return tl::unexpected<Error>(std::move(loaded.error()));
    }
    OpenedFile opened;
    opened.model = std::move(loaded->model);
    for (const std::string& note : loaded->notes) {
        if (!run.model.path.empty()) {
            opened.notes << fromEngine(note);
        }
    }
    for (const std::string& remark : run.remarks.lines) {
        opened.notes << fromEngine(remark);
    }
    opened.run = withDefaultSurvey(run, opened.model);
    return opened;
}

Result<OpenedFile> readRun(const QString& path)
{
    Result<RunDescription> run = readRunFile(toEngine(path));
    if (!run) {
        return tl::unexpected<Error>(std::move(run.error()));
    }
    Result<OpenedFile> opened = withModel(*run);
    if (opened) {
        opened->runFile = path;
    }
    return opened;
}

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
    connect(&m_readingClock, &QTimer::timeout, this, &FileDesk::showReading);
}

void FileDesk::open(const QString& path, std::function<void()> then)
{
    const QString absolute = path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
    if (!path.isEmpty()) {
        rememberFolder(absolute);
    }
    if (isHdf5(absolute) && m_inversionTold) {
        openHdf5(absolute, std::move(then));
        return;
    }
    if (!isRunFile(absolute)) {
        ModelSource source;
        source.path = toEngine(absolute);
        openModel(source, std::move(then));
        return;
    }
    read(QFileInfo(absolute).fileName(), [absolute] { return readRun(absolute); }, std::move(then), {});
}

void FileDesk::openHdf5(const QString& path, std::function<void()> then)
{
    cancel();
    m_reading = m_jobs.start(
        this, [file = toEngine(path)](JobTicket&) { return isInversionFile(file); },
        [this, path, then = std::move(then)](bool inversion) {
            stopReading();
            if (inversion) {
                m_inversionTold(path, then);
                return;
            }
            ModelSource source;
            source.path = toEngine(path);
            openModel(source, then);
        });
}

void FileDesk::openModel(const ModelSource& source, std::function<void()> then)
{
    const QString name =
        source.path.empty() ? tr("the built-in structure") : QFileInfo(fromEngine(source.path)).fileName();
    const auto refused = [this, source, then](const Error& error) {
        // What a key of the run description would help against, the user is asked for; and again if the answer was wrong.
        ModelSource asFound;
        asFound.path = source.path;
        const bool helpable = error.kind == ErrorKind::BadInput &&
                              (error.remedy.find("model.") != std::string::npos || !(source == asFound));
        if (helpable) {
            askHowToRead(m_window, source, error, [this, then](const ModelSource& hinted) { openModel(hinted, then); });
        }
        return helpable;
    };
    read(
        name,
        [source] {
            RunDescription run;
            run.model = source;
            return withModel(run);
        },
        std::move(then), refused);
}

void FileDesk::read(const QString& name, const std::function<Result<OpenedFile>()>& work, std::function<void()> then,
                    std::function<bool(const Error&)> refused)
{
    cancel();
    m_readingName = name;
    m_readingClock.start(kQuickMilliseconds);
    m_reading = m_jobs.start(
        this,
        [work](JobTicket& ticket) {
            const ReadWatch watch([&ticket](double share) {
                ticket.fraction = static_cast<float>(share);
                return !ticket.cancelled;
            });
            return work();
        },
        [this, then = std::move(then), refused = std::move(refused)](Result<OpenedFile> opened) {
            stopReading();
            if (opened) {
                take(std::move(*opened));
                if (then) {
                    then();
                }
                return;
            }
            if (m_project.model().empty()) {
                open({}); // never an empty window: what went wrong is told over what there always is
            }
            if (!refused || !refused(opened.error())) {
                m_project.tell(noticeOf(opened.error()));
            }
        });
}

void FileDesk::take(OpenedFile opened)
{
    m_session.stop();
    if (opened.run.device == "auto") {
        opened.run.device = m_project.run().device; // chosen for this machine, not by the file
    }
    const bool first = m_project.model().empty();
    m_project.open(opened.runFile.isEmpty() ? tr("Open a model") : tr("Open a run file"), opened.model, opened.run,
                   opened.runFile);
    if (first) {
        m_project.undoStack().clear(); // there is nothing to go back to
    }
    if (!m_project.probe()) {
        m_project.setProbe(firstProbe(opened.model.grid()));
    }
    if (!opened.notes.isEmpty()) {
        m_project.tell({NoticeKind::Told, opened.notes.join(QLatin1Char('\n')), {}});
    }
}

void FileDesk::cancel()
{
    if (m_reading != nullptr) {
        m_reading->cancelled = true;
        stopReading();
    }
}

void FileDesk::stopReading()
{
    m_readingClock.stop();
    m_reading.reset();
    setBusy({});
}

void FileDesk::showReading()
{
    m_readingClock.setInterval(kLookMilliseconds);
    const double fraction = static_cast<double>(m_reading->fraction.load());
    const QString text = fraction < 0.0 ? tr("Reading %1").arg(m_readingName)
                                        : tr("Reading %1, %2 %").arg(m_readingName).arg(std::floor(100.0 * fraction));
    setBusy({text, std::max(0.0, fraction), true});
}

void FileDesk::setBusy(Busy busy)
{
    m_busy = std::move(busy);
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
        tr("Models (*.mat *.npy *.npz *.sgy *.segy *.rsf *.h5 *.hdf5 *.su *.vti *.vtk *.bin *.txt);;All files (*)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void FileDesk::askInversion()
{
    const QString path = QFileDialog::getOpenFileName(&m_window, tr("Open or watch an inversion"), lastFolder(),
                                                      tr("Inversions (*.h5 *.hdf5)"));
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

bool FileDesk::save()
{
    return m_project.filePath().isEmpty() ? saveAs() : saveTo(m_project.filePath());
}

bool FileDesk::saveAs()
{
    const QString path = askNewFile(tr("Save the run file"), QStringLiteral("shot.toml"), {tr("Run files (*.toml)")});
    return !path.isEmpty() && saveTo(path);
}

bool FileDesk::saveTo(const QString& path)
{
    rememberFolder(path);
    if (const Result<> written = writeRunFile(m_project.run(), toEngine(path)); !written) {
        m_project.tell(noticeOf(written.error()));
        return false;
    }
    m_project.setFilePath(path);
    m_project.tell({NoticeKind::Told, tr("Saved %1").arg(QFileInfo(path).fileName()), {}});
    return true;
}

// The ending follows the kind that is chosen in the dialog; who types another keeps it.
QString FileDesk::askNewFile(const QString& title, const QString& name, const QStringList& kinds)
{
    QFileDialog dialog(&m_window, title, lastFolder());
    dialog.setObjectName(QStringLiteral("newFileDialog"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.setNameFilters(kinds);
    const auto follow = [&dialog](const QString& kind) {
        dialog.setDefaultSuffix(
            kind.section(QStringLiteral("(*."), 1).section(QRegularExpression(QStringLiteral("[ )]")), 0, 0));
    };
    follow(kinds.front());
    connect(&dialog, &QFileDialog::filterSelected, &dialog, follow);
    dialog.selectFile(name);
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

void FileDesk::write(const QString& path, std::function<Result<>()> work)
{
    rememberFolder(path);
    setBusy({tr("Writing %1").arg(QFileInfo(path).fileName()), 0.0, false});
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
