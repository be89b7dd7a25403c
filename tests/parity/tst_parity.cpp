// The parity and session cases of engine/selftest, on the CPU and on the first CUDA device if there is one.
#include "engine/device/device_list.h"
#include "engine/selftest/case.h"

#include <QtTest>

using namespace ondo;

class TestParity : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void agrees_data();
    void agrees();

private:
    void openDevices();

    SelftestContext m_host, m_device;
};

// -datatags asks for the rows without initTestCase().
void TestParity::openDevices()
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

void TestParity::initTestCase()
{
    openDevices();
}

void TestParity::agrees_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<bool>("onDevice");
    openDevices();
    const bool gpu = !m_device.device->isHost();
    const auto& all = selftestCases();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].group != "parity" && all[i].group != "session") {
            continue;
        }
        const bool needsGpu = all[i].name.find("against the host") != std::string::npos;
        if (!needsGpu) {
            QTest::newRow(all[i].id().c_str()) << static_cast<int>(i) << false;
        }
        if (gpu || needsGpu) {
            QTest::newRow((all[i].id() + " (device)").c_str()) << static_cast<int>(i) << true;
        }
    }
}

void TestParity::agrees()
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

QTEST_GUILESS_MAIN(TestParity)
#include "tst_parity.moc"
