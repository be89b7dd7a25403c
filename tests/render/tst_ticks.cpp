#include "render/ticks.h"

#include <QObject>
#include <QTest>

#include <cmath>

using namespace ondo;

class TestTicks : public QObject {
    Q_OBJECT

private slots:
    void positions_data()
    {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<int>("atMost");
        QTest::addColumn<double>("step");
        QTest::newRow("metres") << 0.0 << 9000.0 << 10 << 1000.0;
        QTest::newRow("few") << 0.0 << 9000.0 << 4 << 5000.0;
        QTest::newRow("negative") << -1000.0 << 1000.0 << 5 << 500.0;
        QTest::newRow("fine") << 1.0 << 1.1 << 6 << 0.02;
        QTest::newRow("upside down") << 3.0 << 0.0 << 7 << 0.5;
        QTest::newRow("tiny") << 0.0 << 3e-7 << 4 << 1e-7;
    }
    void positions()
    {
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(int, atMost);
        QFETCH(double, step);
        const Ticks ticks = niceTicks(from, to, atMost);
        QVERIFY(std::abs(ticks.step - step) < 1e-9 * step);
        QVERIFY(ticks.major.size() >= 2 && static_cast<int>(ticks.major.size()) <= atMost + 1);
        for (std::size_t i = 0; i < ticks.major.size(); ++i) {
            QVERIFY(ticks.major[i].value >= std::min(from, to) - 1e-9 * step);
            QVERIFY(ticks.major[i].value <= std::max(from, to) + 1e-9 * step);
            QVERIFY(i == 0 || std::abs(ticks.major[i].value - ticks.major[i - 1].value - step) < 1e-6 * step);
        }
        QVERIFY(!ticks.minor.empty());
    }
    void nothingToDivide()
    {
        QVERIFY(niceTicks(1.0, 1.0, 5).major.empty());
        QVERIFY(niceTicks(0.0, NAN, 5).major.empty());
    }
    void labelsTellTicksApart()
    {
        const Ticks ticks = niceTicks(0.999, 1.001, 6);
        for (std::size_t i = 1; i < ticks.major.size(); ++i) {
            QVERIFY(ticks.major[i].label != ticks.major[i - 1].label);
        }
    }
    void spelling()
    {
        QCOMPARE(spellNumber(1234567.0, 0), std::string("1\u2009234\u2009567"));
        QCOMPARE(spellNumber(4250.0, 0), std::string("4\u2009250"));
        QCOMPARE(spellNumber(-0.35, 2), std::string("\u22120.35"));
        QCOMPARE(spellNumber(-0.001, 1), std::string("0.0"));
        QCOMPARE(spellNumber(999.0, 1), std::string("999.0"));
        QCOMPARE(spellAmount(0.022, 2), std::string("0.022"));
        QCOMPARE(spellAmount(3.2e-4, 2), std::string("3.2·10⁻⁴"));
        QCOMPARE(spellAmount(-2.5e7, 2), std::string("\u22122.5·10⁷"));
        QCOMPARE(spellAmount(99999.0, 2), std::string("1.0·10⁵"));
        QCOMPARE(spellAmount(0.0, 2), std::string("0"));
    }
    void pressureUnits()
    {
        QCOMPARE(pressureUnitFor(0.0113).name, std::string("mPa"));
        QCOMPARE(pressureUnitFor(0.9996).name, std::string("Pa")); // spelled 1.00 Pa, never 1000 mPa
        QCOMPARE(pressureUnitFor(2.5e6).pascals, 1e6);
        QCOMPARE(pressureUnitFor(1e-20).name, std::string("fPa"));
        QCOMPARE(pressureUnitFor(0.0).name, std::string("Pa"));
        QCOMPARE(pressureUnitFor(NAN).pascals, 1.0);
    }
};

QTEST_GUILESS_MAIN(TestTicks)
#include "tst_ticks.moc"
