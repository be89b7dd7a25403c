// A machine without a driver: the CPU is used, visibly.
#include "engine/device/device_list.h"

#include <QTest>

#include <string>

using namespace ondo;

class TestNoDevice : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qputenv("ONDO_FAKE_DRIVER_VERSION", "0"); }
    void surveySaysWhy();
    void autoFallsBackAndIsCounted();
    void cudaIsRefusedWithTheReason();
};

void TestNoDevice::surveySaysWhy()
{
    const DeviceSurvey& survey = surveyDevices();
    QCOMPARE(survey.devices.size(), std::size_t{1});
    QCOMPARE(survey.devices[0].backend, std::string("host"));
    QVERIFY(survey.cudaReason.find("no NVIDIA driver was found") == 0);
    QCOMPARE(survey.driverVersion, 0);
    QVERIFY(!survey.log.empty());
}

void TestNoDevice::autoFallsBackAndIsCounted()
{
    const auto choice = openDevice("auto", 1);
    QVERIFY(choice.has_value());
    QVERIFY(choice->device->isHost());
    QCOMPARE(choice->fallbackReason, surveyDevices().cudaReason);
    const auto counts = fallbackCounts();
    QCOMPARE(counts.size(), std::size_t{1});
    QCOMPARE(counts[0].first, choice->fallbackReason);
    QCOMPARE(counts[0].second, 1);
}

void TestNoDevice::cudaIsRefusedWithTheReason()
{
    const auto choice = openDevice("cuda:0");
    QVERIFY(!choice.has_value());
    QCOMPARE(choice.error().kind, ErrorKind::NoDevice);
    QVERIFY(choice.error().text().find("cuda:0 cannot be used: no NVIDIA driver was found") == 0);
    QVERIFY(choice.error().text().find("--device cpu") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestNoDevice)
#include "tst_no_device.moc"
