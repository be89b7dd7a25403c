#include "app/desktop/errands.h"

#include "engine/project/default_run.h"
#include "ui/actions/action_list.h"
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
#include <QMenu>
#include <QMenuBar>
#include <QPixmap>
#include <QScreen>
#include <QTimer>

#include <cmath>
#include <cstdio>
#include <memory>

namespace ondo {

namespace {

constexpr int kWarmMilliseconds = 1500;
constexpr double kSpacing = 10.0; // m
constexpr double kLongRun = 1e4;  // s, longer than any measurement

// Speed grows with depth and undulates: nothing that a picture could not show.
Result<Model> measuredModel(int nodes)
{
    const Result<Grid> grid = Grid::make2D(nodes, nodes, kSpacing, kSpacing);
    if (!grid) {
        return tl::unexpected<Error>(grid.error());
    }
    std::vector<float> velocity(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes));
    for (int iz = 0; iz < nodes; ++iz) {
        for (int ix = 0; ix < nodes; ++ix) {
            const double depth = static_cast<double>(iz) / nodes + 0.03 * std::sin(9.0 * ix / nodes);
            velocity[static_cast<std::size_t>(iz) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(ix)] =
                static_cast<float>(1500.0 + 250.0 * std::floor(12.0 * std::max(0.0, depth)));
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
    Count from;

    [[nodiscard]] double seconds() const { return static_cast<double>(clock.nsecsElapsed()) * 1e-9; }
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

void report(MainWindow& window, const DesktopOptions& options, const Watch& watch)
{
    const Count& from = watch.from;
    const Count now = countNow(window, watch);
    const double seconds = now.seconds - from.seconds;
    const DisplayVerdict verdict = window.field().displayVerdict();
    const bool host = options.display == QLatin1String("host") || verdict.transport == FrameTransport::Host;
    const Grid& grid = window.project().model().grid();
    QJsonObject line;
    line[QStringLiteral("device")] = fromEngine(window.session().device()->facts().name);
    line[QStringLiteral("grid")] = QStringLiteral("%1x%2").arg(grid.nz).arg(grid.nx);
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
    line[QStringLiteral("view_share")] = window.session().progress().viewShare;
    line[QStringLiteral("display")] = options.display == QLatin1String("none") ? QStringLiteral("none")
                                      : host                                   ? QStringLiteral("host")
                                                                               : QStringLiteral("direct");
    line[QStringLiteral("reason")] = verdict.reason;
    std::printf("%s\n", QJsonDocument(line).toJson(QJsonDocument::Compact).constData());
    std::fflush(stdout);
}

// The given file, or a square model of options.grid nodes an axis, in a run of `duration` seconds.
void openMeasured(MainWindow& window, const DesktopOptions& options, double duration)
{
    if (!options.path.isEmpty()) {
        window.session().openDevice();
        window.files().open(options.path, [&window, duration] {
            RunDescription run = window.project().run();
            run.duration = duration;
            run.sampleInterval = duration / 10000.0;
            window.project().editRun(QString(), run);
            window.session().run();
        });
        return;
    }
    const Result<Model> model = measuredModel(options.grid);
    if (!model) {
        std::fprintf(stderr, "ondoscope: %s\n", model.error().text().c_str());
        QTimer::singleShot(0, qApp, [] { QApplication::exit(2); });
        return;
    }
    RunDescription run = defaultRun(*model);
    run.duration = duration;
    run.sampleInterval = duration / 10000.0; // few samples: what is measured is the field
    run.device = toEngine(options.device.isEmpty() ? QStringLiteral("auto") : options.device);
    window.project().open(QString(), *model, run);
    window.session().openDevice();
    window.session().run();
}

// By its title without the mnemonic; false: there is none.
bool openMenu(QMenuBar& bar, const QString& title)
{
    for (QAction* entry : bar.actions()) {
        if (entry->text().remove(QLatin1Char('&')) == title) {
            entry->menu()->popup(bar.mapToGlobal(bar.actionGeometry(entry).bottomLeft()));
            return true;
        }
    }
    return false;
}

} // namespace

void takeScreenshot(MainWindow& window, const DesktopOptions& options)
{
    const int milliseconds = static_cast<int>(options.after * 1000.0);
    if (!options.show.isEmpty()) {
        QTimer::singleShot(milliseconds / 2, &window, [&window, name = options.show] {
            if (Action* action = window.actions().find(name)) {
                action->trigger();
            } else if (!openMenu(*window.menuBar(), name)) {
                std::fprintf(stderr, "ondoscope: --show %s: no action and no menu has this name\n",
                             qUtf8Printable(name));
                window.close();
                QApplication::exit(2);
            }
        });
    }
    QTimer::singleShot(milliseconds, &window, [&window, options] {
        const QPixmap picture = options.show.isEmpty() ? window.grab() : window.screen()->grabWindow(0);
        const bool written = picture.save(options.screenshot);
        if (!written) {
            std::fprintf(stderr, "ondoscope: cannot write %s\n", qUtf8Printable(options.screenshot));
        }
        window.close();
        QApplication::exit(written ? 0 : 3);
    });
}

void measure(MainWindow& window, const DesktopOptions& options)
{
    ViewSettings view = window.project().view();
    view.watchSeconds = 0.0;
    view.rate.perSecond = options.views;
    window.project().setView(view);
    auto watch = std::make_shared<Watch>();
    watch->clock.start();
    SessionBridge& session = window.session();
    QObject::connect(&session, &SessionBridge::progressed, &window, [&session, watch] {
        watch->step = session.progress().step;
        watch->stepSeconds = watch->seconds();
    });
    QObject::connect(&session, &SessionBridge::ended, &window, [&window] {
        std::fprintf(stderr, "ondoscope: the run ended before the measurement did\n");
        window.close();
        QApplication::exit(3);
    });
    const int milliseconds = static_cast<int>(options.measure * 1000.0);
    QObject::connect(&session, &SessionBridge::started, &window, [&window, options, watch, milliseconds] {
        window.session().session().setViewing(options.display != QLatin1String("none"));
        QTimer::singleShot(kWarmMilliseconds, &window, [&window, watch] { watch->from = countNow(window, *watch); });
        QTimer::singleShot(kWarmMilliseconds + milliseconds, &window, [&window, options, watch] {
            report(window, options, *watch);
            window.session().disconnect(&window);
            window.close();
            QApplication::exit(0);
        });
    });
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
