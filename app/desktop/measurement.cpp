#include "app/desktop/measurement.h"

#include "engine/project/default_run.h"
#include "engine/session/simulation_plan.h"
#include "ui/file_desk.h"
#include "ui/main_window.h"
#include "ui/panes/field_view.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

namespace ondo {

namespace {

constexpr int kWarmMilliseconds = 1500;
constexpr double kSpacing = 10.0; // m
constexpr double kLongRun = 1e4;  // s, longer than any measurement
// Of a trace: few, because what is measured is the field; and of a run in steps at most as many as a person's run would have.
constexpr int kFewSamples = 10000, kSamples = 16384;

// Speed grows with depth and undulates: nothing that a picture could not show.
Result<Model> measuredModel(int nodes, int rank)
{
    const Result<Grid> grid = rank == 3 ? Grid::make3D(nodes, nodes, nodes, kSpacing, kSpacing, kSpacing)
                                        : Grid::make2D(nodes, nodes, kSpacing, kSpacing);
    if (!grid) {
        return tl::unexpected<Error>(grid.error());
    }
    std::vector<float> velocity;
    velocity.reserve(static_cast<std::size_t>(grid->nodes()));
    for (int iz = 0; iz < grid->nz; ++iz) {
        for (int iy = 0; iy < grid->ny; ++iy) {
            for (int ix = 0; ix < grid->nx; ++ix) {
                const double depth =
                    static_cast<double>(iz) / nodes + 0.03 * std::sin(9.0 * ix / nodes) * std::cos(6.0 * iy / nodes);
                velocity.push_back(static_cast<float>(1500.0 + 250.0 * std::floor(12.0 * std::max(0.0, depth))));
            }
        }
    }
    return Model::make(*grid, std::move(velocity), "measured");
}

// Counters at one moment; steps belong to the moment of the report that named them.
struct Count {
    std::int64_t step = 0;
    double stepSeconds = 0.0;
    std::uint64_t views = 0;
    std::uint64_t pictureBytes = 0, fieldBytes = 0;
    double seconds = 0.0;
};

struct Watch {
    QElapsedTimer clock;
    std::int64_t step = 0;
    double stepSeconds = 0.0;
    bool warm = false;
    Count from; // seconds > 0 once it is taken

    [[nodiscard]] double seconds() const { return static_cast<double>(clock.nsecsElapsed()) * 1e-9; }
    [[nodiscard]] bool measured() const { return from.seconds > 0.0 && step > from.step; }
};

Count countNow(MainWindow& window, const Watch& watch)
{
    Count count;
    count.step = watch.step;
    count.stepSeconds = watch.stepSeconds;
    count.seconds = watch.seconds();
    count.views = window.field().viewsShown();
    const kernels::CopyCounters copies = window.session().device()->backend().copies();
    count.pictureBytes = copies.toHost[static_cast<int>(kernels::CopyPurpose::Picture)];
    count.fieldBytes = copies.toHost[static_cast<int>(kernels::CopyPurpose::Field)];
    return count;
}

// FNV-1a over the bits of all samples, trace after trace: two runs have the same traces or, to all purposes, another hash.
QString hashOf(const Gather& gather)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const float sample : gather.traces) {
        const auto bits = std::bit_cast<std::uint32_t>(sample);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (bits >> shift & 0xFFU)) * 0x100000001b3ULL;
        }
    }
    return QStringLiteral("%1").arg(hash, 16, 16, QLatin1Char('0'));
}

// Pa. The hash of silence would be the same whatever a view did.
double largestOf(const Gather& gather)
{
    double largest = 0.0;
    for (const float sample : gather.traces) {
        largest = std::max(largest, static_cast<double>(std::abs(sample)));
    }
    return largest;
}

QString gridText(const Grid& grid)
{
    return grid.rank == 3 ? QStringLiteral("%1x%2x%3").arg(grid.nz).arg(grid.ny).arg(grid.nx)
                          : QStringLiteral("%1x%2").arg(grid.nz).arg(grid.nx);
}

void leave(MainWindow& window, int code)
{
    window.session().disconnect(&window);
    window.close();
    QApplication::exit(code);
}

void report(MainWindow& window, const DesktopOptions& options, const Watch& watch)
{
    const Count& from = watch.from;
    const Count now = countNow(window, watch);
    const double seconds = now.seconds - from.seconds;
    const DisplayVerdict verdict = window.field().displayVerdict();
    const bool host = options.display == QLatin1String("host") || verdict.transport == FrameTransport::Host;
    SessionBridge& session = window.session();
    QJsonObject line;
    line[QStringLiteral("device")] = fromEngine(session.device()->facts().name);
    line[QStringLiteral("grid")] = gridText(window.project().model().grid());
    line[QStringLiteral("order")] = window.project().run().spaceOrder;
    line[QStringLiteral("window")] = QStringLiteral("%1x%2").arg(window.width()).arg(window.height());
    line[QStringLiteral("view")] = QStringLiteral("%1x%2").arg(window.field().width()).arg(window.field().height());
    line[QStringLiteral("seconds")] = seconds;
    line[QStringLiteral("steps_per_second")] =
        static_cast<double>(now.step - from.step) / (now.stepSeconds - from.stepSeconds);
    line[QStringLiteral("views_per_second")] = static_cast<double>(now.views - from.views) / seconds;
    line[QStringLiteral("gl_ms_per_view")] = window.field().glMillisecondsPerView();
    line[QStringLiteral("field_bytes_to_host")] = static_cast<double>(now.fieldBytes - from.fieldBytes);
    line[QStringLiteral("picture_bytes_to_host")] = static_cast<double>(now.pictureBytes - from.pictureBytes);
    line[QStringLiteral("view_share")] = session.progress().viewShare;
    line[QStringLiteral("display")] = options.display == QLatin1String("none") ? QStringLiteral("none")
                                      : host                                   ? QStringLiteral("host")
                                                                               : QStringLiteral("direct");
    line[QStringLiteral("reason")] = verdict.reason;
    if (options.measureSteps > 0) {
        line[QStringLiteral("steps")] = session.runningPlan()->time.innerSteps();
        line[QStringLiteral("samples")] = session.gather()->samples;
        line[QStringLiteral("traces_hash")] = hashOf(*session.gather());
        line[QStringLiteral("traces_largest_pa")] = largestOf(*session.gather());
    }
    std::printf("%s\n", QJsonDocument(line).toJson(QJsonDocument::Compact).constData());
    std::fflush(stdout);
}

// Measuring begins with the first step that is told after the warm-up: one of a large grid may take longer than that.
void beginIfWarm(MainWindow& window, Watch& watch)
{
    if (watch.warm && watch.step > 0 && watch.from.seconds == 0.0) {
        watch.from = countNow(window, watch);
    }
}

// And later, if no step has been told between.
void reportAfter(int milliseconds, MainWindow& window, const DesktopOptions& options,
                 const std::shared_ptr<Watch>& watch)
{
    QTimer::singleShot(milliseconds, &window, [&window, options, watch] {
        if (watch->measured()) {
            report(window, options, *watch);
            leave(window, 0);
        } else {
            reportAfter(200, window, options, watch);
        }
    });
}

// `run` for so many seconds; or, if the options say steps, for about so many of the scheme's own.
RunDescription timed(RunDescription run, const Model& model, const DesktopOptions& options, double duration)
{
    run.duration = duration;
    run.sampleInterval = duration / kFewSamples;
    if (options.measureSteps > 0) {
        RunDescription brief = run;
        brief.duration = 1.0;
        brief.sampleInterval.reset();
        // A refusal is the window's to tell, of the run itself.
        if (const auto plan = SimulationPlan::make(brief, model, {})) {
            // Steps a sample: a power of two, as in most runs, because a GPU's graphs of steps end where samples fall due.
            const auto ratio =
                std::bit_ceil(static_cast<std::uint64_t>((options.measureSteps + kSamples - 1) / kSamples));
            run.sampleInterval = static_cast<double>(ratio) * (*plan)->time.dt;
            run.duration = static_cast<double>(options.measureSteps) * (*plan)->time.dt;
        }
    }
    return run;
}

// The given file, or a model of options.grid nodes an axis, in a run of `duration` seconds.
void openMeasured(MainWindow& window, const DesktopOptions& options, double duration)
{
    if (!options.path.isEmpty()) {
        window.session().openDevice();
        window.files().open(options.path, [&window, options, duration] {
            ProjectModel& project = window.project();
            project.editRun(QString(), timed(project.run(), project.model(), options, duration));
            window.session().run();
        });
        return;
    }
    const Result<Model> model = measuredModel(options.grid, options.rank);
    if (!model) {
        std::fprintf(stderr, "ondoscope: %s\n", model.error().text().c_str());
        QTimer::singleShot(0, qApp, [] { QApplication::exit(2); });
        return;
    }
    RunDescription run = timed(defaultRun(*model), *model, options, duration);
    run.device = toEngine(options.device.isEmpty() ? QStringLiteral("auto") : options.device);
    window.project().open(QString(), *model, run);
    window.session().openDevice();
    window.session().run();
}

// A run that is refused never starts, and nobody is there to read why in the window.
void leaveIfRefused(MainWindow& window)
{
    constexpr int kPatience = 3; // looks: a verdict may still be one on the project before
    auto* const clock = new QTimer(&window);
    auto seen = std::make_shared<int>(0);
    QObject::connect(&window.session(), &SessionBridge::started, clock, &QTimer::stop);
    QObject::connect(clock, &QTimer::timeout, &window, [&window, clock, seen] {
        const auto& error =
            window.session().deviceError() ? window.session().deviceError() : window.session().planError();
        *seen = error ? *seen + 1 : 0;
        if (*seen >= kPatience) {
            std::fprintf(stderr, "ondoscope: %s\n", error->text().c_str());
            clock->stop();
            leave(window, exitCode(*error));
        }
    });
    clock->start(500);
}

} // namespace

void measure(MainWindow& window, const DesktopOptions& options)
{
    ViewSettings view = window.project().view();
    view.watchSeconds = 0.0;
    view.rate.perSecond = options.views;
    window.project().setView(view);
    auto watch = std::make_shared<Watch>();
    watch->clock.start();
    SessionBridge& session = window.session();
    QObject::connect(&session, &SessionBridge::progressed, &window, [&window, &session, watch] {
        if (session.progress().step != watch->step) { // the end is told once more, later
            watch->step = session.progress().step;
            watch->stepSeconds = watch->seconds();
            beginIfWarm(window, *watch);
        }
    });
    QObject::connect(&session, &SessionBridge::started, &window, [&window, options, watch] {
        window.session().session().setViewing(options.display != QLatin1String("none"));
        QTimer::singleShot(kWarmMilliseconds, &window, [&window, watch] {
            watch->warm = true;
            beginIfWarm(window, *watch);
        });
        if (options.measureSteps == 0) {
            reportAfter(kWarmMilliseconds + static_cast<int>(options.measure * 1000.0), window, options, watch);
        }
    });
    QObject::connect(&session, &SessionBridge::ended, &window, [&window, options, watch] {
        const auto& gather = window.session().gather();
        const bool whole = gather && gather->recorded == gather->samples;
        if (options.measureSteps > 0 && whole && watch->measured()) {
            report(window, options, *watch);
            leave(window, 0);
            return;
        }
        std::fprintf(stderr, "ondoscope: the run ended before the measurement did%s\n",
                     options.measureSteps > 0 ? ": it failed, or lasted less than 1.5 s; measure more steps" : "");
        leave(window, 3);
    });
    leaveIfRefused(window);
    openMeasured(window, options, kLongRun);
}

void timeFirstWave(MainWindow& window, const DesktopOptions& options, const QElapsedTimer& sinceStart)
{
    auto started = std::make_shared<qint64>(0);
    QObject::connect(&window.session(), &SessionBridge::started, &window,
                     [sinceStart, started] { *started = sinceStart.elapsed(); });
    QObject::connect(&window.field(), &FieldView::pictureShown, &window,
                     [&window, sinceStart, started](double time, qint64 step, double) {
                         if (step <= 0) {
                             return;
                         }
                         const qint64 now = sinceStart.elapsed();
                         std::printf("{\"from_start_ms\":%lld,\"from_run_ms\":%lld,\"step\":%lld,\"time_s\":%g}\n",
                                     static_cast<long long>(now), static_cast<long long>(now - *started),
                                     static_cast<long long>(step), time);
                         std::fflush(stdout);
                         window.disconnect();
                         window.field().disconnect(&window);
                         window.close();
                         QApplication::exit(0);
                     });
    openMeasured(window, options, 10.0);
}

} // namespace ondo
