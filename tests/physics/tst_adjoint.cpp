// The cases of engine/selftest about the adjoint, on the CPU and on the first CUDA device if there is one; the slow ones
// with ONDO_SLOW in the environment.
#include "engine/device/device_list.h"
#include "engine/selftest/case.h"

#include <QtTest>

using namespace ondo;

class TestAdjoint : public QObject {
    Q_OBJECT

private slots:
    void holds_data();
    void holds();

private:
    void openDevices();

    SelftestContext m_host, m_device;
};

// -datatags asks for the rows alone.
void TestAdjoint::openDevices()
{
    if (m_host.device != nullptr) {
        return;
    }
    const auto cpu = openDevice("cpu");
    QVERIFY(cpu.has_value());
    m_host = {cpu->device, cpu->device};
    const auto best = openDevice("auto");
    QVERIFY(best.has_value());
    m_device = {best->device, cpu->device};
}

void TestAdjoint::holds_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<bool>("onDevice");
    openDevices();
    const auto& all = selftestCases();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].group != "adjoint" || all[i].slow != qEnvironmentVariableIsSet("ONDO_SLOW")) {
            continue;
        }
        QTest::newRow(all[i].id().c_str()) << static_cast<int>(i) << false;
        if (!m_device.device->isHost()) {
            QTest::newRow((all[i].id() + " (device)").c_str()) << static_cast<int>(i) << true;
        }
    }
}

void TestAdjoint::holds()
{
    QFETCH(int, index);
    QFETCH(bool, onDevice);
    const auto outcome = runCase(selftestCases()[static_cast<std::size_t>(index)], onDevice ? m_device : m_host);
    if (outcome.verdict == SelftestVerdict::Skipped) {
        QSKIP(outcome.reason.c_str());
    }
    qInfo("%s", outcome.describe().c_str());
    QVERIFY2(outcome.verdict == SelftestVerdict::Passed, outcome.describe().c_str());
}

QTEST_GUILESS_MAIN(TestAdjoint)
#include "tst_adjoint.moc"
