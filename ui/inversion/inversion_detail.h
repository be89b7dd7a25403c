// What is not kept in an inversion's file and is computed when somebody asks: a shot's traces at an iterate beside the
// observed ones, its part of the gradient, the misfit along the line between two models. One job at a time, on a device of its
// own. UI thread; computes on a worker.
#pragma once

#include "engine/frame/gather.h"
#include "engine/inversion/misfit_line.h"
#include "ui/inversion/inversion_setup.h"
#include "ui/jobs/job_pool.h"
#include "ui/shown_kernel.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>

namespace ondo {

class InversionDesk;
class ProjectModel;
class SessionBridge;

// A shot's traces as the misfit sees them: low-passed as in the iterate's stage, the source as it was estimated there.
struct TraceComparison {
    int shot = 0, index = 0;                                       // of the survey; the record
    double lowPass = 0.0;                                          // Hz; 0: none
    std::shared_ptr<const Gather> observed, synthetic, difference; // synthetic - observed
    double misfit = 0.0;                                           // of this shot, in the misfit's unit
    double left = 0.0;                                             // |synthetic - observed| / |observed|, L2
};

class InversionDetail : public QObject {
    Q_OBJECT
public:
    enum class Work { None, Traces, Gradient, Line };

    InversionDetail(InversionDesk& desk, ProjectModel& project, SessionBridge& session);
    ~InversionDetail() override;

    void setShot(int shot); // of the survey
    [[nodiscard]] int shot() const { return m_shot; }

    void computeTraces(); // of the chosen iterate and shot
    [[nodiscard]] const std::optional<TraceComparison>& traces() const { return m_traces; }
    enum class Way { Beside, Wipe, Flicker };
    void setWay(Way way); // how they are looked at
    [[nodiscard]] Way way() const { return m_way; }
    [[nodiscard]] bool tracesFresh() const; // are they of the chosen iterate and shot?

    void computeGradient(); // this shot's part of the chosen iterate's
    void hideGradient();
    // The one that was asked for last, while its iterate is the chosen one.
    [[nodiscard]] std::optional<ShownField> shownGradient(double percentile) const;

    // From the start to the chosen iterate, or from there to a model in a file (a model, or an inversion's last iterate).
    struct LineEnds {
        bool fromStart = true;
        QString file; // empty: to the chosen iterate
    };
    void setLine(const LineEnds& ends, const MisfitLineRequest& request);
    void computeLine();
    [[nodiscard]] const MisfitLine& line() const { return m_line; }      // grows
    [[nodiscard]] const QString& lineEnds() const { return m_lineEnds; } // "t = 0: the start; t = 1: iteration 7"

    void cancel();
    [[nodiscard]] Work working() const { return m_job != nullptr ? m_work : Work::None; }
    [[nodiscard]] double fraction() const; // < 0: not known

signals:
    void progressed(); // working(), fraction()
    void shotChanged();
    void tracesChanged();
    void gradientChanged();
    void lineChanged();

private:
    struct OfShot {
        std::shared_ptr<const FieldFrame> frame;
        std::vector<float> clips;
        int shot = 0, index = 0;
    };
    struct Growing;

    [[nodiscard]] std::optional<int> chosen() const; // tells why not
    [[nodiscard]] double stageLowPass(int index) const;
    [[nodiscard]] SourceFilter commonSource() const;
    void begin(Work work);
    void end(const std::optional<Error>& error);
    void listen();

    InversionDesk& m_desk;
    ProjectModel& m_project;
    SessionBridge& m_session;
    int m_shot = 0;
    Work m_work = Work::None;
    std::shared_ptr<JobTicket> m_job;
    std::optional<TraceComparison> m_traces;
    std::optional<OfShot> m_gradient;
    Way m_way = Way::Beside;
    LineEnds m_ends;
    MisfitLineRequest m_request;
    MisfitLine m_line;
    QString m_lineEnds;
    std::shared_ptr<Growing> m_growing;
    QTimer m_clock;
    JobPool m_jobs;
};

} // namespace ondo
