// An inversion computed by this window: what is asked for, what it will need, the job that computes it into its file, and how
// far it is. The iterates are seen in the file, as everybody else sees them. On a device of its own, so that shots and
// kernels can be computed meanwhile. UI thread; computes on a worker.
#pragma once

#include "ui/inversion/inversion_setup.h"
#include "ui/jobs/job_pool.h"
#include "ui/shown_kernel.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ondo {

class InversionDesk;
class ProjectModel;
class SessionBridge;

class InversionRun : public QObject {
    Q_OBJECT
public:
    InversionRun(InversionDesk& desk, ProjectModel& project, SessionBridge& session);
    ~InversionRun() override;

    // By key of the [inversion] section, as a run file has it; what is not set is the key's standard.
    void setValue(const std::string& key, const std::string& value);
    [[nodiscard]] const std::map<std::string, std::string>& values() const { return m_values; }
    void setValues(const InversionSettings& settings); // all of them, and the memory mode
    void setTape(const TapeOptions& tape);
    [[nodiscard]] const TapeOptions& tape() const { return m_tape; }
    void setObserved(const QString& path);
    [[nodiscard]] const QString& observed() const { return m_observed; }
    void setOut(const QString& path);
    [[nodiscard]] const QString& out() const { return m_out; }

    // The project, its model the start, with all that is set.
    [[nodiscard]] InversionOrder order() const;
    [[nodiscard]] QString misfitUnit() const; // of the data, "Pa^2 s"; empty: no such misfit
    [[nodiscard]] QString adjointUnit() const;
    // What it comes to, by lines for a person; or why not. Neither: being looked at.
    [[nodiscard]] const QString& forecast() const { return m_forecast; }
    [[nodiscard]] const std::optional<Error>& forecastError() const { return m_forecastError; }
    void setEngaged(bool engaged); // is the forecast looked at?

    void start();               // a new file; refused where there is one
    void resume(int from = -1); // the watched file, from this record (-1: the last); later ones are dropped
    void cancel();              // within a step; the file keeps every iteration that was complete
    [[nodiscard]] bool running() const { return m_job != nullptr; }
    struct Progress {
        bool begun = false;
        double fraction = 0.0;
        double secondsLeft = -1.0; // < 0: not known yet
        InversionProgress at;
        int records = 0; // of this run's
    };
    [[nodiscard]] const Progress& progress() const { return m_progress; }

    void setLook(GradientLook look); // while each gradient runs backwards
    [[nodiscard]] GradientLook look() const { return m_look; }
    [[nodiscard]] const std::optional<ShownField>& livePicture() const { return m_picture; }

signals:
    void orderChanged();
    void forecastChanged();
    void progressed(); // running(), progress()
    void pictureChanged();

private:
    struct Live;
    struct Outcome {
        std::optional<Error> error;
    };
    [[nodiscard]] static Outcome work(const InversionOrder& order, const std::string& out, bool again, int from,
                                      Live& live, JobTicket& ticket);
    void begin(const QString& out, bool again, int from);
    void judge();
    void listen();
    void finish(const Outcome& outcome);
    void rest();

    InversionDesk& m_desk;
    ProjectModel& m_project;
    SessionBridge& m_session;
    std::map<std::string, std::string> m_values;
    TapeOptions m_tape;
    QString m_observed, m_out;
    QString m_forecast;
    std::optional<Error> m_forecastError;
    OneQuestion m_judgement;
    bool m_engaged = false;

    std::shared_ptr<JobTicket> m_job;
    std::shared_ptr<Live> m_live;
    Progress m_progress;
    QElapsedTimer m_elapsed;
    QTimer m_clock;
    std::optional<ShownField> m_picture;
    GradientLook m_look = GradientLook::AdjointField;

    JobPool m_forecasts;
    JobPool m_jobs; // last: its job is stopped and waited for first
};

} // namespace ondo
