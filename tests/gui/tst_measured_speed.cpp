// The speed of the device at the window: measured in the background where it is not known, never beside a run, cancelled by
// the user, kept for the next window; the plan's time follows.
#include "tests/gui/window_test.h"

#include "ui/file_desk.h"
#include "ui/speed_desk.h"

#include <QDir>
#include <QLabel>
#include <QTemporaryDir>
#include <QToolButton>

namespace ondo {

class TestMeasuredSpeed : public WindowTest {
    Q_OBJECT

private slots:
    void initTestCase() { beginAll(); }
    void init();
    void cleanup() { endOne(); }
    void cleanupTestCase() { endAll(); }

    void givesThePlanItsTime();
    void waitsForTheRun();
    void isCancelledByTheUser();

private:
    [[nodiscard]] bool kept() const { return !QDir(m_cache->path() + "/ondoscope").entryList(QDir::Files).isEmpty(); }
    SpeedDesk& speed() { return session().speed(); }
    std::unique_ptr<QTemporaryDir> m_cache;
};

void TestMeasuredSpeed::init()
{
    m_cache = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", m_cache->path().toUtf8());
}

void TestMeasuredSpeed::givesThePlanItsTime()
{
    openShot(1.0);
    QCOMPARE(session().plan()->secondsEstimate, 0.0);
    speed().measureWhenIdle();
    auto* busy = m_window->findChild<QLabel*>(QStringLiteral("progressBusy"));
    QVERIFY(busy != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(speed().measuring(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(busy->isVisible() && busy->toolTip().contains(QLatin1String("Measuring")), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session().plan()->secondsEstimate > 0.0, 2 * kPatience);
    QVERIFY(!speed().measuring());
    QVERIFY(!busy->isVisible());
    QVERIFY(kept());
    auto* time = m_window->findChild<QLabel*>(QStringLiteral("planTime"));
    QVERIFY(time != nullptr);
    QVERIFY2(time->text().contains(QLatin1String("about")), qPrintable(time->text()));
    // The next window reads it and measures nothing.
    m_window.reset();
    openShot(1.0);
    QTRY_VERIFY_WITH_TIMEOUT(session().plan()->secondsEstimate > 0.0, kPatience);
    QVERIFY(!speed().measuring());
}

void TestMeasuredSpeed::waitsForTheRun()
{
    openEndlessShot();
    speed().measureWhenIdle();
    QTRY_VERIFY_WITH_TIMEOUT(speed().measuring(), kPatience);
    session().run();
    QVERIFY(!speed().measuring());
    QTRY_COMPARE_WITH_TIMEOUT(session().phase(), RunPhase::Running, kPatience);
    QTest::qWait(2000); // longer than the rest it takes
    QVERIFY(!speed().measuring());
    QVERIFY(!kept());
    session().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!session().active(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(speed().speed() != nullptr, 2 * kPatience);
    QVERIFY(kept());
}

void TestMeasuredSpeed::isCancelledByTheUser()
{
    openShot(1.0);
    speed().measureWhenIdle();
    QTRY_VERIFY_WITH_TIMEOUT(speed().measuring(), kPatience);
    auto* cancel = m_window->findChild<QToolButton*>(QStringLiteral("cancelReading"));
    QVERIFY(cancel != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), kPatience);
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!speed().measuring());
    QTest::qWait(2000);
    QVERIFY(!speed().measuring());
    QVERIFY(!kept());
    QCOMPARE(session().plan()->secondsEstimate, 0.0);
}

} // namespace ondo

int main(int argc, char** argv)
{
    return ondo::runGuiTest<ondo::TestMeasuredSpeed>(argc, argv);
}

#include "tst_measured_speed.moc"
