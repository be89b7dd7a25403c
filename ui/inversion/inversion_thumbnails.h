// Small sections of an inversion's iterates, read from its file as they are asked for: every second node or fewer, of a volume
// the middle y. UI thread; reads on a worker.
#pragma once

#include "ui/jobs/job_pool.h"

#include <QObject>

#include <map>
#include <vector>

namespace ondo {

class InversionDesk;

struct Thumbnail {
    int rows = 0, columns = 0;
    std::vector<float> speed; // m/s, z first
    double objective = 0.0;   // of the record it is of: a roll back writes others
};

class InversionThumbnails : public QObject {
    Q_OBJECT
public:
    explicit InversionThumbnails(InversionDesk& desk);

    void want(const std::vector<int>& indices); // others are forgotten
    [[nodiscard]] const std::map<int, Thumbnail>& all() const { return m_all; }

signals:
    void changed();

private:
    void fetch();

    InversionDesk& m_desk;
    std::vector<int> m_wanted;
    std::map<int, Thumbnail> m_all;
    QString m_path;
    bool m_fetching = false;
    JobPool m_jobs;
};

} // namespace ondo
