#include "ui/inversion/inversion_watch.h"

#include "ui/text.h"

#include <QFileInfo>

#include <filesystem>
#include <utility>

namespace ondo {

namespace {

constexpr int kLookMilliseconds = 1000; // folders of other machines tell of no change

} // namespace

InversionWatch::InversionWatch(QObject* parent)
    : QObject(parent)
{
    m_clock.setInterval(kLookMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &InversionWatch::look);
    // The folder and not the file: a file that is replaced is another one.
    connect(&m_folder, &QFileSystemWatcher::directoryChanged, this, &InversionWatch::look);
}

void InversionWatch::open(const QString& path)
{
    if (m_job != nullptr) {
        m_job->cancelled = true;
        m_job.reset();
    }
    if (!m_folder.directories().isEmpty()) {
        m_folder.removePaths(m_folder.directories());
    }
    m_path = path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
    m_overview.reset();
    m_start.reset();
    m_stamp.reset();
    m_trouble.clear();
    m_remedy.clear();
    m_lastChange = {};
    m_lookAgain = false;
    if (m_path.isEmpty()) {
        m_clock.stop();
    } else {
        (void)m_folder.addPath(QFileInfo(m_path).absolutePath());
        m_clock.start();
        look();
    }
    emit changed();
}

void InversionWatch::look()
{
    if (m_path.isEmpty()) {
        return;
    }
    if (m_job != nullptr) {
        m_lookAgain = true;
        return;
    }
    m_job = m_jobs.start(
        this,
        [path = toEngine(m_path), before = Before{m_stamp, m_overview != nullptr ? m_overview->created : std::string(),
                                                  m_start}](JobTicket&) { return lookAt(path, before); },
        [this](Look look) {
            m_job.reset();
            take(std::move(look));
            if (std::exchange(m_lookAgain, false)) {
                this->look();
            }
        });
}

InversionWatch::Look InversionWatch::lookAt(const std::string& path, const Before& before)
{
    Look look;
    std::error_code code;
    look.stamp.size = std::filesystem::file_size(path, code);
    look.there = !code;
    if (!look.there) {
        return look;
    }
    look.stamp.time = std::filesystem::last_write_time(path, code).time_since_epoch().count();
    look.again = !before.stamp || !(look.stamp == *before.stamp);
    if (look.again) {
        auto overview = readInversion(path);
        if (overview && !overview->records.empty()) {
            look.start = overview->created == before.created ? before.start : nullptr;
            if (look.start == nullptr) {
                auto model = readInversionModel(path, 0);
                if (!model) {
                    look.error = model.error();
                    return look;
                }
                look.start = std::make_shared<const Model>(std::move(*model));
            }
        }
        if (overview) {
            look.overview = std::make_shared<const InversionOverview>(std::move(*overview));
        } else {
            look.error = overview.error();
        }
    }
    return look;
}

void InversionWatch::take(Look look)
{
    if (!look.there) {
        const bool news = m_trouble.isEmpty();
        m_trouble = m_overview != nullptr ? tr("The file is gone; what is shown was read at %1")
                                                .arg(m_lastChange.time().toString(QStringLiteral("hh:mm:ss")))
                                          : tr("There is no such file");
        m_remedy = tr("It is looked for once a second");
        m_stamp.reset();
        if (news) {
            emit changed();
        }
        return;
    }
    if (!look.again) {
        return;
    }
    m_stamp = look.stamp;
    m_lastChange = QDateTime::currentDateTime();
    if (look.error) {
        m_trouble = noticeOf(*look.error).text;
        m_remedy = noticeOf(*look.error).remedy;
        m_stamp.reset(); // it may be on its way to being whole: once more, at the next look
    } else {
        m_trouble.clear();
        m_remedy.clear();
        m_overview = std::move(look.overview);
        m_start = std::move(look.start);
    }
    emit changed();
}

} // namespace ondo
