// Measured speeds on disk: what is written comes back; what is damaged, of another device or cannot be written is told of.
#include "engine/core/json_reader.h"
#include "engine/device/device_list.h"
#include "engine/io/atomic_file.h"
#include "engine/io/speed_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace ondo;

class TestSpeedFile : public QObject {
    Q_OBJECT

private slots:
    void init();
    void comesBack();
    void keyTellsDevicesApart();
    void folderIsTheUsersCache();
    void badFilesAreNotUsed_data();
    void badFilesAreNotUsed();
    void measuredIsKept();
    void measuredWithoutAFolderHolds();
    void jsonIsRead();
    void brokenJsonIsRefused_data();
    void brokenJsonIsRefused();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    kernels::DeviceFacts m_device;
};

namespace {

DeviceSpeed sample()
{
    DeviceSpeed speed;
    speed.device = "a device";
    speed.when = "2026-05-01 12:00:00";
    speed.took = 2.1;
    speed.load = 0.3;
    for (const int rank : {2, 3}) {
        RankSpeed& r = speed.rank[rank - 2];
        r.plain = {{rank, 2, {{4096.0, 1.9e-6}, {1e6, 1.0 / 3.0}}}, {rank, 8, {{4096.0, 3e-6}}}};
        r.layered = {{rank, 8, {{1e4, 0.0}}}};
        r.slabWeight[1] = rank == 2 ? 0.0 : 1.25;
        r.wide = {rank, 8, {{1e4, 1.9}}};
        r.wideLayered = {rank, 8, {{1e4, 1.8}}};
        r.eightShots = {{rank, 8, {{1e4, 7.1}}}};
        r.general = {{12.0, 8.0}, {20.0, 12.0}};
        r.generalLayered = {{12.0, 3.0}};
        r.receivers = {{1e4, 1e-6, 2e-9}};
        r.sourceNode = 3e-9;
        for (auto& part : r.gradient.at) {
            part = {{1e4, 2e-6}, {1e5, 1e-5}};
        }
        r.gradient.orderFour[GradientSpeed::Back] = 0.75;
        r.gradient.wide[GradientSpeed::Rewind] = 1.5;
    }
    speed.call.fixed = 1e-4;
    speed.call.traceSample = 6e-9;
    speed.staging.filed = 5e-10;
    return speed;
}

void write(const std::string& file, const std::string& text)
{
    QDir().mkpath(QFileInfo(QString::fromStdString(file)).path());
    QVERIFY(writeText(file, text).has_value());
}

} // namespace

void TestSpeedFile::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", m_folder->path().toUtf8());
    m_device.id = "cpu";
    m_device.name = "a device";
    m_device.backend = "host";
    m_device.threads = 2;
}

void TestSpeedFile::comesBack()
{
    DeviceSpeed speed = sample();
    speed.key = speedKey(m_device);
    const auto back = parseSpeed(speedText(speed));
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(speedText(*back), speedText(speed));
    QCOMPARE(back->rank[1].plain[0].at[1].seconds, 1.0 / 3.0);
    QCOMPARE(back->rank[1].slabWeight[1], 1.25);
    QCOMPARE(back->call.traceSample, 6e-9);
    QCOMPARE(back->rank[0].gradient.at[GradientSpeed::Shell][1].seconds, 1e-5);
    QCOMPARE(back->rank[1].gradient.orderFour[GradientSpeed::Back], 0.75);
    QCOMPARE(back->rank[1].gradient.wide[GradientSpeed::Rewind], 1.5);
    QCOMPARE(back->staging.filed, 5e-10);
    write(speedFile(m_device), speedText(speed));
    const KnownSpeed known = readSpeed(m_device);
    QVERIFY(known.speed != nullptr);
    QVERIFY(known.notes.empty());
    QCOMPARE(known.speed->when, speed.when);
}

void TestSpeedFile::keyTellsDevicesApart()
{
    const auto changed = [this](auto change) {
        kernels::DeviceFacts other = m_device;
        change(other);
        return speedKey(other) != speedKey(m_device) && speedFile(other) != speedFile(m_device);
    };
    QVERIFY(changed([](auto& d) { d.threads = 4; }));
    QVERIFY(changed([](auto& d) { d.name = "a device, AVX2"; }));
    QVERIFY(changed([](auto& d) { d.uuid = "GPU-1"; }));
    QVERIFY(changed([](auto& d) { d.driverVersion = 13000; }));
    QVERIFY(!changed([](auto& d) { d.memoryFree = 1; }));
}

void TestSpeedFile::folderIsTheUsersCache()
{
    QVERIFY(speedFile(m_device).starts_with(m_folder->path().toStdString() + "/ondoscope/speed-"));
    const QByteArray home = qgetenv("HOME");
    qputenv("XDG_CACHE_HOME", "relative");
    qputenv("HOME", "/somewhere");
    QVERIFY(speedFile(m_device).starts_with("/somewhere/.cache/ondoscope/"));
    qunsetenv("HOME");
    QVERIFY(speedFile(m_device).empty());
    qputenv("HOME", home);
}

void TestSpeedFile::badFilesAreNotUsed_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("says");
    QTest::newRow("cut off") << QByteArray("\"call\"") << QByteArray() << QString("missing there");
    QTest::newRow("no number") << QByteArray("1.9e-06") << QByteArray("\"fast\"") << QString("is no number");
    QTest::newRow("negative") << QByteArray("1.9e-06") << QByteArray("-1") << QString("is no number");
    QTest::newRow("nothing a step") << QByteArray("1.9e-06") << QByteArray("0") << QString("plain");
    QTest::newRow("sizes that fall") << QByteArray("4096") << QByteArray("2e6") << QString("is no number");
    QTest::newRow("another format") << QByteArray("\"format\": 3") << QByteArray("\"format\": 99") << QString("99");
    QTest::newRow("a member less") << QByteArray("\"trace_sample\"") << QByteArray("\"x\"") << QString("trace_sample");
    QTest::newRow("a part less") << QByteArray("\"rewind\"") << QByteArray("\"x\"") << QString("rewind");
    QTest::newRow("no staging") << QByteArray("\"filed_byte\"") << QByteArray("\"x\"") << QString("filed_byte");
    QTest::newRow("another device") << QByteArray("2 threads") << QByteArray("3 threads") << QString("3 threads");
}

void TestSpeedFile::badFilesAreNotUsed()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, says);
    DeviceSpeed speed = sample();
    speed.key = speedKey(m_device);
    QByteArray text = QByteArray::fromStdString(speedText(speed));
    QVERIFY(text.contains(from));
    text = to.isEmpty() ? text.left(text.indexOf(from)) : text.replace(from, to);
    write(speedFile(m_device), text.toStdString());
    const KnownSpeed known = readSpeed(m_device);
    QVERIFY(known.speed == nullptr);
    QCOMPARE(known.notes.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(known.notes[0]).contains(says), known.notes[0].c_str());
}

void TestSpeedFile::measuredIsKept()
{
    const auto device = openDevice("cpu")->device;
    CalibrationOptions options;
    options.seconds = 0.3;
    QVERIFY(readSpeed(device->facts()).speed == nullptr);
    const auto measured = measureSpeed(device, options);
    QVERIFY2(measured.has_value(), measured ? "" : measured.error().text().c_str());
    QVERIFY2(measured->notes.empty(), measured->notes.empty() ? "" : measured->notes[0].c_str());
    const KnownSpeed known = readSpeed(device->facts());
    QVERIFY(known.speed != nullptr);
    QCOMPARE(speedText(*known.speed), speedText(*measured->speed));
    QCOMPARE(QDir(m_folder->path() + "/ondoscope").entryList(QDir::Files | QDir::Hidden).size(), 1);
}

void TestSpeedFile::measuredWithoutAFolderHolds()
{
    const auto device = openDevice("cpu")->device;
    CalibrationOptions options;
    options.seconds = 0.3;
    // A file where the folder should be: refused to root as well.
    write(m_folder->path().toStdString() + "/ondoscope", "a file");
    const auto measured = measureSpeed(device, options);
    QVERIFY2(measured.has_value(), measured ? "" : measured.error().text().c_str());
    QVERIFY(measured->speed != nullptr);
    QCOMPARE(measured->notes.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(measured->notes[0]).contains("is not kept"), measured->notes[0].c_str());
}

void TestSpeedFile::jsonIsRead()
{
    const auto all =
        json::parse(R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "x\"\\\nz\u00e9\ud83d\ude00"}, "d": {}} )");
    QVERIFY2(all.has_value(), all ? "" : all.error().text().c_str());
    const json::Value& a = *all->find("a");
    QCOMPARE(a.items.size(), std::size_t{5});
    QCOMPARE(a.items[1].number, -2500.0);
    QVERIFY(a.items[2].boolean && !a.items[3].boolean);
    QVERIFY(a.items[4].kind == json::ValueKind::Null);
    QCOMPARE(all->find("b")->textAt("c"), std::string("x\"\\\nz\xC3\xA9\xF0\x9F\x98\x80"));
    QVERIFY(all->find("d")->members.empty());
    QVERIFY(all->find("e") == nullptr);
    QCOMPARE(all->numberAt("b", 7.0), 7.0);
}

void TestSpeedFile::brokenJsonIsRefused_data()
{
    QTest::addColumn<std::string>("text");
    for (const char* text : {"", "{", "[1,]", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"open", "\"\\x\"", "\"\\ud800\"",
                             "1.2.3", "nul", "[1] 2", "1e999", "nan", "-", "\"\t\""}) {
        QTest::newRow(text) << std::string(text);
    }
    QTest::newRow("deep") << std::string(10000, '[');
}

void TestSpeedFile::brokenJsonIsRefused()
{
    QFETCH(std::string, text);
    QVERIFY(!json::parse(text).has_value());
}

QTEST_GUILESS_MAIN(TestSpeedFile)
#include "tst_speed_file.moc"
