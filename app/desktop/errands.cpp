#include "app/desktop/errands.h"

#include "engine/project/default_run.h"
#include "ui/main_window.h"
#include "ui/panes/field_view.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPixmap>
#include <QTimer>

#include <cmath>
#include <cstdio>
#include <memory>

namespace ondo {

namespace {

constexpr int kWarmMilliseconds = 1500;
constexpr double kSpacing = 10.0; // m

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

struct Count {
    std::int64_t step = 0;
    std::uint64_t views = 0;
    std::uint64_t pictureBytes = 0, fieldBytes = 0;
    QElapsedTimer clock;
};

Count countNow(MainWindow& window)
{
    Count count;
    count.step = window.session().progress().step;
    count.views = window.field().viewsShown();
    const kernels::CopyCounters copies = window.session().device()->backend().copies();
    count.pictureBytes = copies.toHost[static_cast<int>(kernels::CopyPurpose::Picture)];
    count.fieldBytes = copies.toHost[static_cast<int>(kernels::CopyPurpose::Field)];
    count.clock.start();
    return count;
}

void report(MainWindow& window, const DesktopOptions& options, const Count& from)
{
    const double seconds = static_cast<double>(from.clock.nsecsElapsed()) * 1e-9;
    const Count now = countNow(window);
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
    line[QStringLiteral("steps_per_second")] = static_cast<double>(now.step - from.step) / seconds;
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

} // namespace

void takeScreenshot(MainWindow& window, const DesktopOptions& options)
{
    QTimer::singleShot(static_cast<int>(options.after * 1000.0), &window, [&window, file = options.screenshot] {
        const bool written = window.grab().save(file);
        if (!written) {
            std::fprintf(stderr, "ondoscope: cannot write %s\n", qUtf8Printable(file));
        }
        window.close();
        QApplication::exit(written ? 0 : 3);
    });
}

void measure(MainWindow& window, const DesktopOptions& options)
{
    if (options.path.isEmpty()) {
        const Result<Model> model = measuredModel(options.grid);
        if (!model) {
            std::fprintf(stderr, "ondoscope: %s\n", model.error().text().c_str());
            QTimer::singleShot(0, qApp, [] { QApplication::exit(2); });
            return;
        }
        RunDescription run = defaultRun(*model);
        run.duration = 1e4; // longer than any measurement
        run.sampleInterval = 0.1;
        run.survey.shots.front().receivers.resize(64);
        run.device = toEngine(options.device.isEmpty() ? QStringLiteral("auto") : options.device);
        window.project().open(QString(), *model, run);
    }
    window.session().openDevice();
    auto from = std::make_shared<Count>();
    const int milliseconds = static_cast<int>(options.measure * 1000.0);
    QObject::connect(&window.session(), &SessionBridge::started, &window, [&window, options, from, milliseconds] {
        window.session().session().setViewing(options.display != QLatin1String("none"));
        QTimer::singleShot(kWarmMilliseconds, &window, [&window, from] { *from = countNow(window); });
        QTimer::singleShot(kWarmMilliseconds + milliseconds, &window, [&window, options, from] {
            report(window, options, *from);
            window.close();
            QApplication::exit(0);
        });
    });
    window.session().run();
}

} // namespace ondo
