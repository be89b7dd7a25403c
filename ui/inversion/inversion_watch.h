// An inversion's file, read when it is opened and again whenever it is replaced: by this program, another one or another
// machine. A worker looks and reads; nothing waits. A file that goes away or cannot be read leaves what was read, with a
// sentence. UI thread.
#pragma once

#include "engine/io/inversion_reader.h"
#include "ui/jobs/job_pool.h"

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <memory>
#include <optional>

namespace ondo {

class InversionWatch : public QObject {
    Q_OBJECT
public:
    explicit InversionWatch(QObject* parent);

    // Another file, or none (empty).
    void open(const QString& path);
    void look(); // now, and not when the next look is due
    [[nodiscard]] const QString& path() const { return m_path; }
    // As it was when it could be read last; null: not yet.
    [[nodiscard]] const std::shared_ptr<const InversionOverview>& overview() const { return m_overview; }
    // The model that it began with; null while there is no record.
    [[nodiscard]] const std::shared_ptr<const Model>& start() const { return m_start; }
    // Why it cannot be read now; empty: it can.
    [[nodiscard]] const QString& trouble() const { return m_trouble; }
    [[nodiscard]] QString remedy() const { return m_remedy; }
    [[nodiscard]] const QDateTime& lastChange() const { return m_lastChange; } // that was noticed

signals:
    void changed(); // overview() or trouble()

private:
    // What tells one state of a file from the next.
    struct Stamp {
        std::int64_t time = 0;
        std::uint64_t size = 0;
        bool operator==(const Stamp&) const = default;
    };
    struct Look {
        Stamp stamp;
        bool there = false, again = false; // again: it is another than before
        std::shared_ptr<const InversionOverview> overview;
        std::shared_ptr<const Model> start;
        std::optional<Error> error;
    };
    struct Before {
        std::optional<Stamp> stamp;
        std::string created; // of the file whose start model is at hand
        std::shared_ptr<const Model> start;
    };
    [[nodiscard]] static Look lookAt(const std::string& path, const Before& before);
    void take(Look look);

    QString m_path;
    QString m_trouble, m_remedy;
    std::shared_ptr<const InversionOverview> m_overview;
    std::shared_ptr<const Model> m_start;
    std::optional<Stamp> m_stamp;
    QDateTime m_lastChange;
    QFileSystemWatcher m_folder;
    QTimer m_clock;
    std::shared_ptr<JobTicket> m_job;
    bool m_lookAgain = false;
    JobPool m_jobs;
};

} // namespace ondo
