// The sensitivity kernel of the pair that is picked: what is asked for, the forecast of its cost, the job that computes it on
// the session's device, its result and the one before, and what of it the view is to show.
// Never at the same time as a run: a run that starts ends the job, and says so. UI thread; computes on a worker.
#pragma once

#include "engine/inversion/sensitivity.h"
#include "ui/jobs/job_pool.h"
#include "ui/shown_kernel.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace ondo {

class ProjectModel;
class SessionBridge;

class KernelDesk : public QObject {
    Q_OBJECT
public:
    KernelDesk(ProjectModel& project, SessionBridge& session, QObject* parent);
    ~KernelDesk() override;

    // The pair, the window and the memory mode that are picked. The shot is the project's.
    [[nodiscard]] const KernelRequest& request() const { return m_request; }
    void setReceiver(int receiver);
    void setMeasure(KernelMeasure measure);
    void setWindow(double from, double to); // s; to = 0: to the trace's end
    void setTape(const TapeOptions& tape);
    // Is the pair being worked on? It is marked in the views then.
    void setEngaged(bool engaged);
    [[nodiscard]] bool engaged() const { return m_engaged; }
    [[nodiscard]] double traceEnd() const; // s; 0: not known yet

    void compute();
    void cancel();
    [[nodiscard]] bool computing() const { return m_job != nullptr; }
    struct Progress {
        bool begun = false, backwards = false;
        double fraction = 0.0;
        double secondsLeft = -1.0; // < 0: not known yet
    };
    [[nodiscard]] const Progress& progress() const { return m_progress; }

    // Of the request as it is now; neither: not known yet.
    [[nodiscard]] const std::optional<KernelPlan>& forecast() const { return m_forecast; }
    [[nodiscard]] const std::optional<Error>& forecastError() const { return m_forecastError; }

    [[nodiscard]] const std::optional<ShownKernel>& result() const { return m_result; }
    // Is the result that of the project and pair as they are now?
    [[nodiscard]] bool fresh() const;
    // Is at least its trace that of the project and pair as they are now, whatever the window?
    [[nodiscard]] bool ofThisTrace() const;
    // The result against the one before of the same pair; none: there is none to compare with.
    struct Comparison {
        double difference = 0.0; // of the L2 norm
        QString before, after;   // memory modes
    };
    [[nodiscard]] const std::optional<Comparison>& comparison() const { return m_comparison; }

    // What the view shows of it.
    void setShown(bool shown);
    [[nodiscard]] bool shown() const { return m_shown; }
    void setPercentile(double percentile);
    [[nodiscard]] double percentile() const { return m_percentile; }
    void setLook(GradientLook look); // while it runs backwards
    [[nodiscard]] GradientLook look() const { return m_look; }
    [[nodiscard]] std::optional<ShownField> picture() const; // none: the wave field and the model
    [[nodiscard]] double clip() const;                       // of the result at the percentile; 0: there is none

signals:
    void requestChanged();
    void forecastChanged();
    void progressed(); // computing(), progress()
    void resultChanged();
    void pictureChanged();

private:
    struct Live; // what the worker tells on the way

    void change(const KernelRequest& request);
    void followProject();
    void followSession();
    void judge();
    void listen(); // to what the worker has told
    void tellNotes();
    void finish(Result<ShownKernel> result);

    ProjectModel& m_project;
    SessionBridge& m_session;
    KernelRequest m_request;
    std::optional<KernelPlan> m_forecast;
    std::optional<Error> m_forecastError;
    OneQuestion m_judgement;
    bool m_engaged = false;

    std::shared_ptr<JobTicket> m_job;
    std::shared_ptr<Live> m_live;
    Progress m_progress;
    QElapsedTimer m_elapsed;
    QTimer m_clock;
    std::optional<ShownField> m_livePicture;

    std::optional<ShownKernel> m_result;
    std::optional<Comparison> m_comparison;
    bool m_shown = false;
    double m_percentile = 99.0;
    GradientLook m_look = GradientLook::AdjointField;

    JobPool m_forecasts;
    JobPool m_jobs; // last: its job is stopped and waited for first
};

} // namespace ondo
