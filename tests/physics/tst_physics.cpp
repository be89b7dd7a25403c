// The cases of engine/selftest about truth, plan and physics, on the CPU. Rows are the cases' names.
#include "engine/device/device_list.h"
#include "engine/selftest/case.h"

#include <QtTest>

using namespace ondo;

class TestPhysics : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void holds_data();
    void holds();

private:
    SelftestContext m_context;
};

void TestPhysics::initTestCase()
{
    if (!qEnvironmentVariableIsSet("ONDO_CASES")) {
        qputenv("ONDO_CASES", ONDO_SOURCE_DIR "/../shared/cases");
    }
    const auto cpu = openDevice("cpu");
    QVERIFY(cpu.has_value());
    m_context = {cpu->device, cpu->device};
}

void TestPhysics::holds_data()
{
    QTest::addColumn<int>("index");
    const auto& all = selftestCases();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].group != "parity" && all[i].group != "session" && all[i].group != "adjoint" &&
            all[i].slow == (qEnvironmentVariableIsSet("ONDO_SLOW"))) {
            QTest::newRow(all[i].id().c_str()) << static_cast<int>(i);
        }
    }
}

void TestPhysics::holds()
{
    QFETCH(int, index);
    const auto outcome = runCase(selftestCases()[static_cast<std::size_t>(index)], m_context);
    if (outcome.verdict == SelftestVerdict::Skipped) {
        QSKIP(outcome.reason.c_str());
    }
    qInfo("%s", outcome.describe().c_str());
    QVERIFY2(outcome.verdict == SelftestVerdict::Passed, outcome.describe().c_str());
}

QTEST_GUILESS_MAIN(TestPhysics)
#include "tst_physics.moc"
