// info, check, convert, selftest and bench: what they print can be read by people and by machines.
#include "ondo_process.h"

#include <QElapsedTimer>
#include <QFile>
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
    void placesAreUnderstood();
    void largeFilesArePreviewed();
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

// Sources and receivers from files, laid along a line and planned; a model that could not be right is told.
void TestCliCommands::placesAreUnderstood()
{
    Workshop w;
    w.writeModel("m.npy", 40, 50);
    w.write("s.csv", "x,y,depth\n1000,2000,20\n1000,2100,20\n");
    w.write("r.csv", "x,y,depth\n1000,2000,30\n1000,2050,30\n1000,2200,30\n1000,2200,30\n");
    const auto check = w.ondo({"check", "r.csv"});
    QVERIFY2(check.code == 0 && check.out.contains("named columns") && check.out.contains("where another does"),
             check.all());
    w.write("r.toml",
            "[model]\npath = 'm.npy'\ndz = 10\ndx = 10\n[source]\nfile = 's.csv'\n[receivers]\nfile = 'r.csv'\n"
            "[geometry]\norigin_x = 1000\norigin_y = 1950\nazimuth = 0\n");
    const auto run = w.ondo({"check", "r.toml"});
    QVERIFY2(run.code == 0 && run.out.contains("azimuth 0 degrees") && run.out.contains("2 shots"), run.all());
    // Without the origin the line lies far from the model, and no wave is computed.
    const auto far = w.ondo({"run", "--dry-run", "--set", "model.path=m.npy", "--set", "model.dz=10", "--set",
                             "model.dx=10", "--set", "source.file=s.csv"});
    QVERIFY2(far.code == 2 && far.err.contains("outside the model"), far.all());
    w.writeModel("slow.npy", 20, 30);
    auto bytes = w.bytes("slow.npy");
    bytes.replace(bytes.size() - 8, 8, QByteArray(8, '\0'));
    w.write("slow.npy", bytes);
    const auto slow = w.ondo({"check", "slow.npy", "--set", "model.dz=5", "--set", "model.dx=5"});
    QVERIFY2(slow.code == 0 && slow.out.contains("2 of 600 nodes are zero or negative"), slow.all());
}

// Twenty gigabytes of SEG-Y that take no room on the disk: their headers are told within a second, in little memory.
void TestCliCommands::largeFilesArePreviewed()
{
    Workshop w;
    QByteArray head(3200, ' ');
    head += QByteArray(400, '\0');
    head[3216] = 0x07; // 2000 us
    head[3217] = static_cast<char>(0xD0);
    head[3220] = 0x07; // 2000 samples
    head[3221] = static_cast<char>(0xD0);
    head[3225] = 5;
    w.write("large.sgy", head);
    QFile file(w.path("large.sgy"));
    const qint64 traces = 2'500'000;
    if (!file.open(QIODevice::ReadWrite) || !file.resize(3600 + traces * (240 + 8000))) {
        QSKIP("the disk has no sparse files");
    }
    QElapsedTimer clock;
    clock.start();
    const auto o = w.ondo({"info", "large.sgy"});
    const double seconds = static_cast<double>(clock.elapsed()) * 1e-3;
    QVERIFY2(o.code == 0 && o.out.contains("2500000 x 2000") && o.out.contains("0.002 s"), o.all());
    // A second on an idle machine; tests share theirs.
    QVERIFY2(seconds < 5.0, qPrintable(QString("%1 s").arg(seconds)));
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
