// The session: its laws (the cases of engine/selftest) and the order of what it tells. Clean under ThreadSanitizer.
#include "engine/device/device_list.h"
#include "engine/selftest/case.h"
#include "engine/session/session.h"

#include <QtTest>

#include <atomic>

using namespace ondo;

namespace {

// Pictures of the whole of plan()'s model, so many a second at most.
void watch(Session& session, double perSecond)
{
    ViewRate rate;
    rate.perSecond = perSecond;
    rate.share = 1.0;
    session.setViewRate(rate);
    PictureSettings picture;
    picture.frame = {0.0, 0.0, 690.0, 590.0, 345, 295};
    picture.fieldColours = picture.modelColours = std::make_shared<const ColourTable>();
    session.setPicture(picture);
}

} // namespace

class TestSession : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void laws_data();
    void laws();
    void tellsInOrder();
    void severalShotsFinishInTurn();
    void stopKeepsEveryShotOfTheLaunch();
    void secondStartIsRefused();
    void probeRecordsFromNowOn();
    void ratesDoNotFlicker();
    void clipOfTheLastPictureIsItsOwn();
    void goingAwayWhileRunning();

private:
    [[nodiscard]] std::shared_ptr<const SimulationPlan> plan(double seconds, int shots = 1, int atOnce = 1) const;

    std::shared_ptr<Device> m_cpu;
};

void TestSession::initTestCase()
{
    const auto cpu = openDevice("cpu");
    QVERIFY(cpu.has_value());
    m_cpu = cpu->device;
}

std::shared_ptr<const SimulationPlan> TestSession::plan(double seconds, int shots, int atOnce) const
{
    RunDescription run;
    run.duration = seconds;
    run.boundary.layerCells = 10;
    run.shotsAtOnce = atOnce;
    for (int s = 0; s < shots; ++s) {
        run.survey.shots.push_back({{{{200.0 + 40.0 * s, 0.0, 150.0}, Wavelet::ricker(12.0)}},
                                    {{{400.0, 0.0, 100.0}}, {{420.0, 0.0, 100.0}}}});
    }
    const auto made =
        SimulationPlan::make(run, *Model::constant(*Grid::make2D(60, 70, 10.0, 10.0), 2000.0F), m_cpu->facts());
    return made ? *made : nullptr;
}

void TestSession::laws_data()
{
    QTest::addColumn<int>("index");
    const auto& all = selftestCases();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].group == "session") {
            QTest::newRow(all[i].name.c_str()) << static_cast<int>(i);
        }
    }
}

void TestSession::laws()
{
    QFETCH(int, index);
    SelftestContext context{m_cpu, m_cpu};
    const auto outcome = runCase(selftestCases()[static_cast<std::size_t>(index)], context);
    qInfo("%s", outcome.describe().c_str());
    QVERIFY2(outcome.verdict == SelftestVerdict::Passed, outcome.describe().c_str());
}

void TestSession::tellsInOrder()
{
    std::atomic<int> calls{0};
    Session session([&calls] { ++calls; });
    QVERIFY(session.start(plan(0.3), m_cpu, {}).has_value());
    session.waitUntilIdle();
    const auto events = session.takeEvents();
    QVERIFY(calls >= 1);
    QVERIFY(events.size() >= 3);
    QVERIFY(std::holds_alternative<Started>(events.front()));
    QVERIFY(std::holds_alternative<Finished>(events.back()));
    int finished = 0;
    for (const auto& e : events) {
        if (const auto* shot = std::get_if<ShotFinished>(&e)) {
            ++finished;
            QCOMPARE(shot->gather->recorded, shot->gather->samples);
            QCOMPARE(shot->gather->receiverCount(), 2);
        }
    }
    QCOMPARE(finished, 1);
    QCOMPARE(session.state(), SessionState::Idle);
}

void TestSession::severalShotsFinishInTurn()
{
    // Three shots, two at a time: the same traces as one at a time.
    std::vector<std::vector<float>> traces[2];
    for (int atOnce = 1; atOnce <= 2; ++atOnce) {
        Session session;
        QVERIFY(session.start(plan(0.3, 3, atOnce), m_cpu, {}).has_value());
        session.waitUntilIdle();
        for (const auto& e : session.takeEvents()) {
            if (const auto* shot = std::get_if<ShotFinished>(&e)) {
                QCOMPARE(shot->gather->shot, static_cast<int>(traces[atOnce - 1].size()));
                traces[atOnce - 1].push_back(shot->gather->traces);
            }
        }
    }
    QCOMPARE(traces[0].size(), std::size_t{3});
    QVERIFY(traces[0] == traces[1]);
    QVERIFY(traces[0][0] != traces[0][1]);
}

void TestSession::stopKeepsEveryShotOfTheLaunch()
{
    Session session;
    QVERIFY(session.start(plan(2000.0, 2, 2), m_cpu, {}).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(session.gather().recorded > 50, 20000);
    session.stop();
    session.waitUntilIdle();
    const auto events = session.takeEvents();
    const auto* stopped = std::get_if<Stopped>(&events.back());
    QVERIFY(stopped != nullptr);
    QCOMPARE(stopped->gathers.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(stopped->gathers[i]->shot, static_cast<int>(i));
        QCOMPARE(stopped->gathers[i]->recorded, stopped->gathers[0]->recorded);
        QVERIFY(*std::max_element(stopped->gathers[i]->traces.begin(), stopped->gathers[i]->traces.end()) > 0.0F);
    }
}

void TestSession::secondStartIsRefused()
{
    Session session;
    QVERIFY(session.start(plan(1000.0), m_cpu, {}).has_value());
    const auto again = session.start(plan(0.1), m_cpu, {});
    QVERIFY(!again.has_value());
    QVERIFY(again.error().what.find("run is on") != std::string::npos);
    session.stop();
    session.waitUntilIdle();
    QVERIFY(session.start(plan(0.1), m_cpu, {}).has_value());
    session.waitUntilIdle();
}

// Five views a second and ten reports: half of the reports see no view, and still tell what views cost.
void TestSession::ratesDoNotFlicker()
{
    Session session;
    watch(session, 5.0);
    QVERIFY(session.start(plan(1000.0), m_cpu, {}).has_value());
    int reports = 0;
    int withoutViews = 0;
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 2500) {
        PaintedFrame frame;
        if (const int slot = session.frames().beginRead(frame); slot >= 0) {
            session.frames().endRead(slot);
        }
        for (const SessionEvent& event : session.takeEvents()) {
            if (const auto* p = std::get_if<Progressed>(&event); p != nullptr && clock.elapsed() > 800) {
                ++reports;
                withoutViews += p->viewShare > 0.0 && p->viewsPerSecond > 0.5 ? 0 : 1;
            }
        }
        QTest::qWait(5);
    }
    session.stop();
    session.waitUntilIdle();
    QVERIFY(reports > 5);
    QCOMPARE(withoutViews, 0);
}

// Two pictures in all, as of a shot that a fast device ends between two views: one of silence, one of the end.
void TestSession::clipOfTheLastPictureIsItsOwn()
{
    Session session;
    watch(session, 0.001);
    QVERIFY(session.start(plan(0.25), m_cpu, {}).has_value());
    PaintedFrame last;
    while (session.state() != SessionState::Idle) {
        if (const int slot = session.frames().beginRead(last); slot >= 0) {
            session.frames().endRead(slot);
        }
        QTest::qWait(1);
    }
    const auto events = session.takeEvents();
    const auto* const finished = std::get_if<Finished>(&events.back());
    QVERIFY(finished != nullptr);
    const auto field = finished->lastField;
    float largest = 0.0F;
    for (const float value : field->values) {
        largest = std::max(largest, std::abs(value));
    }
    QVERIFY(largest > 0.0F);
    QVERIFY2(last.clip > 0.02 * largest && last.clip < 50.0 * largest,
             qPrintable(QStringLiteral("clip %1 Pa, largest %2 Pa").arg(last.clip).arg(largest)));
}

void TestSession::probeRecordsFromNowOn()
{
    Session session;
    SessionOptions options;
    options.startPaused = true;
    QVERIFY(session.start(plan(0.4), m_cpu, options).has_value());
    QTRY_COMPARE(session.state(), SessionState::Paused);
    session.stepOnce(50);
    QTRY_COMPARE(session.state(), SessionState::Paused);
    session.setProbe(Position{400.0, 0.0, 100.0}); // where receiver 1 stands
    session.resume();
    session.waitUntilIdle();
    const auto probe = session.probeTrace();
    const auto gather = session.gather();
    const int first = static_cast<int>(std::lround(probe.firstTime / gather.dt));
    QVERIFY2(first == 51, qPrintable(QString::number(first)));
    QCOMPARE(static_cast<int>(probe.samples.size()), gather.samples - first);
    for (std::size_t i = 0; i < probe.samples.size(); ++i) {
        QCOMPARE(probe.samples[i], gather.trace(0)[i + static_cast<std::size_t>(first)]);
    }
}

void TestSession::goingAwayWhileRunning()
{
    for (int i = 0; i < 5; ++i) {
        Session session;
        QVERIFY(session.start(plan(1000.0), m_cpu, {}).has_value());
        QTest::qWait(5 * i);
    }
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
