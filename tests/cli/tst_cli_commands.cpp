// info, check, convert, selftest and bench: what they print can be read by people and by machines.
#include "ondo_process.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

class TestCliCommands : public QObject {
    Q_OBJECT

private slots:
    void infoSpeaksJson();
    void infoSaysWhyThereIsNoGpu();
    void checkReadsAModel();
    void checkGoesOnAfterABadFile();
    void checkPlansARun();
    void convertGoesAndComesBack();
    void selftestListsAndRuns();
    void benchLists();
    void calibrateMeasuresAndChecks();
};

void TestCliCommands::infoSpeaksJson()
{
    const Workshop w;
    const auto o = w.ondo({"info", "--json"});
    QVERIFY2(o.code == 0, o.all());
    QJsonParseError error;
    const auto all = QJsonDocument::fromJson(o.out, &error).object();
    QVERIFY2(error.error == QJsonParseError::NoError, o.out);
    QCOMPARE(all["version"].toString(), QString(ONDO_VERSION));
    QCOMPARE(all["devices"].toArray()[0].toObject()["id"].toString(), QString("cpu"));
    QVERIFY(all["devices"].toArray()[0].toObject()["memory_total"].toDouble() > 1e8);
    QVERIFY(all["cuda"].toObject().contains("why_not"));
    QVERIFY(all["features"].toObject()["hdf5"].isBool());
    QCOMPARE(all["cuda"].toObject()["available"].toBool(), all["devices"].toArray().size() > 1);
}

void TestCliCommands::infoSaysWhyThereIsNoGpu()
{
    const Workshop w;
    qputenv("ONDO_FAKE_DRIVER_VERSION", "0");
    const auto o = w.ondo({"info"});
    qunsetenv("ONDO_FAKE_DRIVER_VERSION");
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("none: "), o.all());
    QVERIFY2(o.out.contains("driver"), o.all());
}

void TestCliCommands::checkReadsAModel()
{
    Workshop w;
    w.writeModel("m.npy", 20, 30);
    const auto o = w.ondo({"check", "m.npy"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("20") && o.out.contains("30") && o.out.contains("NumPy"), o.all());
}

void TestCliCommands::checkGoesOnAfterABadFile()
{
    Workshop w;
    w.writeModel("m.npy", 20, 30);
    w.write("bad.npy", "\x93NUMPY");
    const auto o = w.ondo({"check", "bad.npy", "m.npy"});
    QVERIFY2(o.code == 2, o.all());
    QVERIFY2(o.err.contains("bad.npy"), o.all());
    QVERIFY2(o.out.contains("m.npy"), o.all());
}

void TestCliCommands::checkPlansARun()
{
    Workshop w;
    w.writeModel("m.npy", 40, 50);
    w.write("r.toml",
            "[model]\npath = 'm.npy'\ndz = 10\ndx = 10\n[wavelet]\nfrequency = 60\n[source]\nposition = [200, 20]\n");
    const auto o = w.ondo({"check", "r.toml"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("warning"), o.all());
    QVERIFY2(o.out.contains("points per shortest wavelength"), o.all());
}

void TestCliCommands::convertGoesAndComesBack()
{
    Workshop w;
    w.writeModel("m.npy", 20, 30);
    const QStringList spacing = {"--set", "model.dz=5", "--set", "model.dx=12.5"};
    const auto there = w.ondo(QStringList{"convert", "m.npy", "m.rsf"} + spacing);
    QVERIFY2(there.code == 0, there.all());
    const auto back = w.ondo({"convert", "m.rsf", "back.npy"});
    QVERIFY2(back.code == 0, back.all());
    QCOMPARE(w.bytes("back.npy").right(20 * 30 * 4), w.bytes("m.npy").right(20 * 30 * 4));
}

void TestCliCommands::selftestListsAndRuns()
{
    const Workshop w;
    const auto list = w.ondo({"selftest", "--list"});
    QVERIFY2(list.code == 0, list.all());
    QVERIFY2(list.out.contains("plan/"), list.all());
    const auto o = w.ondo({"selftest", "--device", "cpu", "--only", "plan", "--json"});
    QVERIFY2(o.code == 0, o.all());
    const auto all = QJsonDocument::fromJson(o.out).object();
    QCOMPARE(all["failed"].toInt(-1), 0);
    QVERIFY(all["passed"].toInt() > 0);
    QCOMPARE(all["cases"].toArray().size(), all["passed"].toInt() + all["skipped"].toInt());
}

void TestCliCommands::benchLists()
{
    const Workshop w;
    const auto list = w.ondo({"bench", "--list"});
    QVERIFY2(list.code == 0, list.all());
    QVERIFY2(list.out.contains("2d-1000-o8") && list.out.contains("3d-512-o8"), list.all());
}

void TestCliCommands::calibrateMeasuresAndChecks()
{
    const Workshop w;
    const auto list = w.ondo({"calibrate", "--list"});
    QVERIFY2(list.code == 0 && list.out.contains("3d-256-o8-layers-s8\n"), list.all());
    const auto stray = w.ondo({"calibrate", "--quick"});
    QVERIFY2(stray.code == 2 && stray.err.contains("--quick") && stray.err.contains("--check"), stray.all());
    const auto nothing = w.ondo({"calibrate", "--device", "cpu", "--check", "--case", "7d"});
    QVERIFY2(nothing.code == 2 && nothing.err.contains("7d"), nothing.all());
    const auto json = w.ondo({"calibrate", "--device", "cpu", "--json"});
    QVERIFY2(json.code == 0, json.all());
    const auto all = QJsonDocument::fromJson(json.out).object();
    QVERIFY(all["rank2"].toObject()["plain"].toArray().size() == 3);
    // Right or not depends on what else this machine does; the memory does not.
    const auto check = w.ondo({"calibrate", "--device", "cpu", "--check", "--case", "2d-300-o8-layers"});
    QVERIFY2(check.code == 0 || check.code == 1, check.all());
    QVERIFY2(check.out.contains("2d-300-o8-layers-s8") && check.out.contains("worst"), check.all());
}

QTEST_GUILESS_MAIN(TestCliCommands)
#include "tst_cli_commands.moc"
