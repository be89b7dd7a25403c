// A shot computed and seen live: Session, display thread and FieldView together, on whatever device there is.
// ONDO_DEVICE picks the device ("auto"); ONDO_LIVE_MEASURE=1 also measures what a view costs the solver (needs a GPU to mean much).
#include "engine/device/device_list.h"
#include "engine/session/session.h"
#include "render/colour_map.h"
#include "render/gl_scene.h"
#include "tests/gui/gui_main.h"
#include "ui/panes/field_view.h"

#include <QDir>
#include <QElapsedTimer>
#include <QMainWindow>
#include <QObject>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <utility>

// ms: what a busy two-core machine without a GPU may need for what takes a moment elsewhere.
static constexpr int kPatience = 30000;

using namespace ondo;

namespace {

constexpr double kLong = 2e4; // s: no device reaches the end while a test looks

Model twoLayers(int n, double h)
{
    std::vector<float> v(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 1500.0F);
    std::fill(v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end(), 2500.0F);
    return Model::make(Grid::make2D(n, n, h, h).value(), std::move(v), "two layers").value();
}

std::shared_ptr<const SimulationPlan> planFor(const Model& model, const Device& device, double seconds)
{
    RunDescription run;
    const Grid& g = model.grid();
    Shot shot;
    shot.sources = {Source{{0.5 * g.lengthX(), 0.0, 0.3 * g.lengthZ()}, Wavelet::ricker(1500.0 / (12.0 * g.dx))}};
    shot.receivers =
        receiverLine({0.1 * g.lengthX(), 0, 0.1 * g.lengthZ()}, {0.9 * g.lengthX(), 0, 0.1 * g.lengthZ()}, 50);
    run.survey.shots = {shot};
    run.duration = seconds;
    run.sampleInterval = 0.02; // few samples of a long run
    const auto plan = SimulationPlan::make(run, model, device.facts());
    if (!plan) {
        qFatal("%s", plan.error().text().c_str());
    }
    return *plan;
}

} // namespace

class TestLiveView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QString id = qEnvironmentVariable("ONDO_DEVICE", "auto");
        const auto choice = openDevice(id.toStdString());
        QVERIFY2(choice.has_value(), choice ? "" : choice.error().text().c_str());
        m_device = choice->device;
        qInfo("device %s, %s", m_device->facts().id.c_str(), m_device->facts().name.c_str());
    }
    void init()
    {
        m_window = std::make_unique<QMainWindow>();
        m_view = new FieldView;
        m_window->setCentralWidget(m_view);
        m_session = std::make_unique<Session>();
        m_progress = {};
        m_failure.clear();
    }
    void cleanup()
    {
        m_session->stop();
        m_session->waitUntilIdle();
        m_view->detach();
        const unsigned error = m_view->takeGlError();
        m_window.reset();
        m_session.reset();
        QCOMPARE(error, 0U);
        const std::vector<std::string> said = takeVtkMessages();
        QVERIFY2(said.empty(), said.empty() ? "" : said.front().c_str());
        QVERIFY2(m_failure.empty(), m_failure.c_str());
    }

    void showsTheMovingField()
    {
        open(twoLayers(301, 10.0), {700, 620});
        QSignalSpy shown(m_view, &FieldView::pictureShown);
        start(kLong, {});
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() >= 10, kPatience);
        for (qsizetype i = 1; i < shown.size(); ++i) {
            QVERIFY(shown[i].at(0).toDouble() >= shown[i - 1].at(0).toDouble());
        }
        QVERIFY(shown.last().at(2).toDouble() > 0.0);
        save("live");

        // Another size and another window while it runs.
        m_window->resize(900, 500);
        const std::uint64_t before = m_view->viewsShown();
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() > before + 5, kPatience);
        QCOMPARE(m_view->pictureSettings().frame.pixelsX, m_view->sectionView().fieldRect().width);

        // Hidden: nothing comes. (What was on its way may still.)
        m_window->hide();
        QTest::qWait(150);
        const std::uint64_t published = m_session->frames().published();
        QTest::qWait(300);
        QVERIFY(m_session->frames().published() <= published + 1);
        m_window->show();
        const std::uint64_t hidden = m_view->viewsShown();
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() > hidden + 5, kPatience);

        // Minimised: likewise.
        m_window->setWindowState(Qt::WindowMinimized);
        QCoreApplication::processEvents();
        QTest::qWait(150);
        const std::uint64_t minimised = m_session->frames().published();
        QTest::qWait(200);
        QVERIFY(m_session->frames().published() <= minimised + 1);
        m_window->setWindowState(Qt::WindowNoState);
        const std::uint64_t back = m_view->viewsShown();
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() > back + 3, kPatience);

        // Paused: a changed style is shown at once.
        m_session->pause();
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_session->state() == SessionState::Paused, kPatience);
        QTest::qWait(200);
        const QImage still = m_view->grabFramebuffer();
        const std::uint64_t paused = m_view->viewsShown();
        PictureSettings style = m_view->pictureSettings();
        style.fieldColours = colourTable(ColourMapUse::Field, "ember");
        style.gain = 3.0;
        m_view->setStyle(style);
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() > paused, kPatience);
        QTest::qWait(50);
        QVERIFY(m_view->grabFramebuffer() != still);
        save("live_paused");
        m_session->resume();
        const std::uint64_t resumed = m_view->viewsShown();
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() > resumed + 3, kPatience);
    }

    void noFieldCrossesToTheHost()
    {
        open(twoLayers(301, 10.0), {700, 620});
        start(kLong, {});
        if (m_view->displayVerdict().transport != FrameTransport::Direct) {
            QSKIP(qPrintable("through the host: " + m_view->displayVerdict().reason));
        }
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() >= 5, kPatience);
        const kernels::CopyCounters before = m_device->backend().copies();
        const std::uint64_t views = m_view->viewsShown();
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() >= views + 30, kPatience);
        const kernels::CopyCounters after = m_device->backend().copies();
        for (const kernels::CopyPurpose purpose : {kernels::CopyPurpose::Field, kernels::CopyPurpose::Picture}) {
            QCOMPARE(after.toHost[static_cast<int>(purpose)], before.toHost[static_cast<int>(purpose)]);
        }
        // And back to the host while it runs.
        m_session->setTransport(FrameTransport::Host);
        const std::uint64_t direct = m_view->viewsShown();
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() >= direct + 10, kPatience);
        QVERIFY(m_device->backend().copies().toHost[static_cast<int>(kernels::CopyPurpose::Picture)] >
                after.toHost[static_cast<int>(kernels::CopyPurpose::Picture)]);
    }

    void closedWhileRunning()
    {
        open(twoLayers(301, 10.0), {600, 500});
        start(kLong, {});
        QTRY_VERIFY_WITH_TIMEOUT(drained() && m_view->viewsShown() >= 3, kPatience);
        m_window->close();
        m_view->detach();
        m_window.reset();
        m_window = std::make_unique<QMainWindow>();
        m_view = new FieldView;
        m_window->setCentralWidget(m_view);
    }

    void whatAViewCosts()
    {
        if (qEnvironmentVariableIsEmpty("ONDO_LIVE_MEASURE")) {
            QSKIP("ONDO_LIVE_MEASURE is not set");
        }
        const int n = qEnvironmentVariable("ONDO_LIVE_NODES", "2048").toInt();
        for (const bool host : {false, true}) {
            qputenv("ONDO_DISPLAY", host ? "host" : "");
            open(twoLayers(n, 5.0), {1600, 1000});
            start(kLong, {});
            qInfo("%s %s", m_view->displayVerdict().transport == FrameTransport::Direct ? "direct" : "host",
                  qPrintable(m_view->displayVerdict().reason));
            const PixelRect r = m_view->sectionView().fieldRect();
            QTest::qWait(1500);
            for (int round = 0; round < 3; ++round) {
                m_session->setViewing(false);
                const double alone = stepsPerSecond(2.0);
                m_session->setViewing(true);
                const std::uint64_t views = m_view->viewsShown();
                QElapsedTimer timer;
                timer.start();
                const double watched = stepsPerSecond(3.0);
                const double perSecond =
                    1e3 * static_cast<double>(m_view->viewsShown() - views) / static_cast<double>(timer.elapsed());
                // Painted by the device but brought to no screen: what is left is the solver's own part.
                m_view->detach();
                m_session->setViewing(true);
                m_taken = 0;
                const double painted = stepsPerSecond(2.0);
                const int taken = std::exchange(m_taken, -1);
                m_view->attach(*m_session);
                qInfo("%d nodes, field %d x %d: alone %.0f steps/s, watched %.0f (%.1f %% loss), %.1f views/s, GL %.2f "
                      "ms; "
                      "painted only %.0f (%.1f %%, %d taken)",
                      n, r.width, r.height, alone, watched, 100.0 * (1.0 - watched / alone), perSecond,
                      m_view->glMillisecondsPerView(), painted, 100.0 * (1.0 - painted / alone), taken);
            }
            save(host ? "cost_host" : "cost_direct");
            m_session->stop();
            m_session->waitUntilIdle();
            m_view->detach();
        }
        qunsetenv("ONDO_DISPLAY");
    }

private:
    void open(const Model& model, const QSize& size)
    {
        m_model = model;
        PictureSettings style;
        style.fieldColours = colourTable(ColourMapUse::Field, "tide");
        style.modelColours = colourTable(ColourMapUse::Model, "strata");
        m_view->setModel(model);
        m_view->setStyle(style);
        m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void start(double seconds, const ViewRate& rate)
    {
        m_progress = {};
        const auto plan = planFor(m_model, *m_device, seconds);
        m_view->setMarkers(plan->run.survey.shots[0].sources, plan->run.survey.shots[0].receivers);
        SessionOptions options;
        options.transport = m_view->useDevice(m_device).transport;
        m_session->setViewRate(rate);
        m_view->attach(*m_session);
        const auto started = m_session->start(plan, m_device, options);
        QVERIFY2(started.has_value(), started ? "" : started.error().text().c_str());
    }
    // Always true: for conditions that are waited for.
    bool drained()
    {
        for (const SessionEvent& event : m_session->takeEvents()) {
            if (const auto* p = std::get_if<Progressed>(&event)) {
                m_progress = *p;
            } else if (const auto* f = std::get_if<Failed>(&event)) {
                m_failure = f->error.text();
            } else if (std::holds_alternative<PictureReady>(event)) {
                m_view->pictureReady();
            }
        }
        PaintedFrame frame;
        if (m_taken >= 0) { // in the display's place
            if (const int slot = m_session->frames().beginRead(frame); slot >= 0) {
                m_session->frames().endRead(slot);
                ++m_taken;
            }
        }
        return true;
    }
    // Over whole progress reports, so that the clock and the count belong together.
    double stepsPerSecond(double seconds)
    {
        const auto next = [&] {
            const std::int64_t step = m_progress.step;
            while (m_progress.step == step) {
                drained();
                QTest::qWait(1);
            }
            return m_progress.step;
        };
        QTest::qWait(300);
        QElapsedTimer timer;
        const std::int64_t first = next();
        timer.start();
        while (static_cast<double>(timer.elapsed()) < seconds * 1000.0) {
            drained();
            QTest::qWait(5);
        }
        const std::int64_t last = next();
        return static_cast<double>(last - first) / (static_cast<double>(timer.nsecsElapsed()) * 1e-9);
    }
    void save(const char* name)
    {
        const QString folder = qEnvironmentVariable("ONDO_SHOTS");
        if (!folder.isEmpty()) {
            QDir().mkpath(folder);
            m_view->grabFramebuffer().save(folder + "/" + name + ".png");
        }
    }

    std::shared_ptr<Device> m_device;
    std::unique_ptr<QMainWindow> m_window;
    FieldView* m_view = nullptr;
    std::unique_ptr<Session> m_session;
    Model m_model;
    Progressed m_progress;
    std::string m_failure;
    int m_taken = -1; // frames taken by the test itself; < 0: it takes none
};

int main(int argc, char** argv)
{
    return ondo::runGuiTest<TestLiveView>(argc, argv);
}

#include "tst_live_view.moc"
