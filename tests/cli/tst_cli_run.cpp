// `ondo run` on a small model: files that others read, the same numbers each time, Ctrl-C, kill -9, no display.
#include "ondo_process.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <vector>

class TestCliRun : public QObject {
    Q_OBJECT

private slots:
    void leavesOneLineAFile();
    void h5pyReadsTheResults();
    void aRunFileIsObeyed();
    void needsNoDisplay();
    void dryRunWritesNothing();
    void theSpeedIsMeasuredOnce();
    void twoRunsAgreeToTheBit();
    void instructionSetsAgree();
    void overridesReachTheDefaultShot();
    void aStopKeepsTheTraces_data();
    void aStopKeepsTheTraces();
    void aFailureKeepsTheShotsBefore();
    void aKillLeavesNoHalfFile();
    void saysThatNothingIsWritten();
    void aFullDiskIsOneLineAFile();
    void saysWhatIsChosen();
    void saysWhatIsPictured();

private:
    [[nodiscard]] static QStringList small(const QStringList& more)
    {
        return QStringList{"run",   "--device",    "cpu",   "--set",      "model.path=m.npy",
                           "--set", "model.dz=10", "--set", "model.dx=10"} +
               more;
    }
};

void TestCliRun::leavesOneLineAFile()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    const auto o =
        w.ondo(small({"--out", "a.h5", "--png", "a.png", "--gather", "a.sgy", "--set", "time.duration=0.3"}));
    QVERIFY2(o.code == 0, o.all());
    QCOMPARE(w.files(), QStringList({"a.h5", "a.png", "a.sgy", "m.npy"}));
    const auto lines = o.out.trimmed().split('\n');
    QVERIFY2(lines.size() == 3, o.all());
    QVERIFY(lines[0].startsWith("a.h5 "));
    QVERIFY(lines[1].startsWith("a.sgy "));
    QVERIFY(lines[2].startsWith("a.png "));
    QVERIFY(w.bytes("a.png").startsWith("\x89PNG"));
    QVERIFY(w.bytes("a.h5").startsWith("\x89HDF"));
    QVERIFY(w.bytes("a.sgy").size() > 3600);
}

void TestCliRun::h5pyReadsTheResults()
{
    Workshop w;
    if (!w.findH5py()) {
        QSKIP("python3 with h5py is not installed");
    }
    w.writeModel("m.npy", 61, 83);
    const auto o = w.ondo(small({"--out", "a.h5", "--gather", "a.npy", "--set", "time.duration=0.3", "--quiet"}));
    QVERIFY2(o.code == 0, o.all());
    const auto read =
        w.python("import h5py, numpy as np\n"
                 "f = h5py.File('a.h5', 'r')\n"
                 "t = f['shots/0000/traces'][...]\n"
                 "assert np.array_equal(t, np.load('a.npy'))\n"
                 "assert np.isfinite(t).all() and abs(t).max() > 0\n"
                 "assert f['model/velocity'].shape == (61, 83)\n"
                 "assert np.array_equal(f['model/velocity'][...], np.load('m.npy'))\n"
                 "assert f['field/pressure'].shape == (61, 83)\n"
                 "assert f['shots/0000/receivers'].shape == (t.shape[0], 3)\n"
                 "assert abs(f['shots/0000/traces'].attrs['sample_interval'] * (t.shape[1] - 1) - 0.3) < 0.002\n"
                 "print(dict(f.attrs))\n");
    QVERIFY2(read.code == 0, read.all());
}

void TestCliRun::aRunFileIsObeyed()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    w.write("shots.toml", "title = 'two shots'\n[model]\npath = 'm.npy'\ndz = 10\ndx = 10\n"
                          "[source]\nfirst = [200, 50]\nlast = [600, 50]\ncount = 2\n[receivers]\nfirst = [100, 20]\n"
                          "last = [700, 20]\ncount = 7\n[wavelet]\nfrequency = 8\n[time]\nduration = 0.2\n"
                          "sample_interval = 0.004\n[output]\ngather = 'g.npy'\n");
    const auto o = w.ondo({"run", "shots.toml", "--device", "cpu"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(w.bytes("g.npy").contains("(2, 7, 51)"), o.all());
}

void TestCliRun::needsNoDisplay()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    const auto o = w.ondo(small({"--png", "a.png", "--set", "time.duration=0.1"}),
                          {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY(w.bytes("a.png").size() > 1000);
}

void TestCliRun::dryRunWritesNothing()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    const auto o = w.ondo(small({"--out", "a.h5", "--png", "a.png", "--gather", "a.sgy", "--dry-run"}));
    QVERIFY2(o.code == 0, o.all());
    QCOMPARE(w.files(), QStringList{"m.npy"});
    for (const char* word : {"model ", "courant ", "sampling ", "estimate "}) {
        QVERIFY2(o.out.contains(word), o.all());
    }
}

void TestCliRun::theSpeedIsMeasuredOnce()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    const QByteArray cache = qgetenv("XDG_CACHE_HOME");
    const QTemporaryDir empty;
    qputenv("XDG_CACHE_HOME", empty.path().toUtf8());
    const auto first = w.ondo(small({"--dry-run"}));
    const auto second = w.ondo(small({"--dry-run"}));
    const QDir folder(empty.path() + "/ondoscope");
    const QStringList files = folder.entryList(QDir::Files);
    QFile kept(folder.filePath(files.value(0)));
    const bool damaged = kept.resize(100);
    const auto third = w.ondo(small({"--dry-run"}));
    qputenv("XDG_CACHE_HOME", cache);
    QVERIFY2(first.code == 0 && first.err.contains("measuring the speed") && first.out.contains("estimate  about"),
             first.all());
    QCOMPARE(files.size(), 1);
    QVERIFY2(second.code == 0 && !second.err.contains("measuring") && second.out.contains("estimate  about"),
             second.all());
    QVERIFY(damaged);
    QVERIFY2(third.code == 0 && third.err.contains("is not used") && third.err.contains("measuring the speed"),
             third.all());
}

void TestCliRun::twoRunsAgreeToTheBit()
{
    Workshop w;
    w.writeModel("m.npy", 131, 149);
    for (const char* name : {"a.npy", "b.npy", "c.npy"}) {
        const QString threads = QString(name) == "c.npy" ? "1" : "2";
        const auto o = w.ondo(small({"--gather", name, "--threads", threads, "--set", "time.duration=0.5"}));
        QVERIFY2(o.code == 0, o.all());
    }
    QCOMPARE(w.bytes("a.npy"), w.bytes("b.npy"));
    QCOMPARE(w.bytes("a.npy"), w.bytes("c.npy"));
}

// Each rounds a product and sum once or twice, so their traces differ by round-off: 1e-5 of the peak, as between backends.
void TestCliRun::instructionSetsAgree()
{
    Workshop w;
    w.writeModel("m.npy", 131, 149);
    std::vector<float> first;
    for (const char* set : {"baseline", "avx2", "avx512"}) {
        qputenv("ONDO_ISA", set);
        const auto o = w.ondo(small({"--gather", "a.npy", "--set", "time.duration=0.5", "--quiet"}));
        qunsetenv("ONDO_ISA");
        QVERIFY2(o.code == 0, o.all());
        const QByteArray bytes = w.bytes("a.npy");
        const int header = 10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
        std::vector<float> samples(static_cast<std::size_t>(bytes.size() - header) / sizeof(float));
        std::memcpy(samples.data(), bytes.data() + header, samples.size() * sizeof(float));
        if (first.empty()) {
            first = samples;
        }
        QCOMPARE(samples.size(), first.size());
        float peak = 0.0F;
        float worst = 0.0F;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            peak = std::max(peak, std::abs(first[i]));
            worst = std::max(worst, std::abs(samples[i] - first[i]));
        }
        QVERIFY2(peak > 0.0F && worst <= 1e-5F * peak, set);
    }
}

void TestCliRun::overridesReachTheDefaultShot()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    const auto o = w.ondo(small({"--gather", "a.npy", "--set", "time.duration=0.2", "--set", "receivers.count=5",
                                 "--set", "time.sample_interval=0.01", "--set", "wavelet.frequency=6"}));
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(w.bytes("a.npy").contains("(5, 21)"), w.bytes("a.npy").left(128));
}

void TestCliRun::aStopKeepsTheTraces_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
}

void TestCliRun::aStopKeepsTheTraces()
{
    QFETCH(int, signal);
    Workshop w;
    w.writeModel("m.npy", 200, 300);
    const auto process = w.start(small(
        {"--out", "a.h5", "--gather", "a.npy", "--set", "time.duration=1000", "--set", "time.sample_interval=0.01"}));
    // The run is on once the steps are announced.
    QByteArray told;
    QElapsedTimer clock;
    clock.start();
    while (!told.contains("steps of") && clock.elapsed() < 60000) {
        process->waitForReadyRead(100);
        told += process->readAllStandardError();
    }
    QVERIFY2(told.contains("steps of"), told);
    QTest::qWait(2000); // a loaded machine needs its time to the second sample
    ::kill(static_cast<pid_t>(process->processId()), signal);
    const auto o = w.finish(*process, 20000);
    QVERIFY2(o.code == 130, told + o.all());
    QVERIFY2(o.err.contains("stopped at step"), o.all());
    QVERIFY2(w.has("a.h5") && w.has("a.npy"), o.all());
    QCOMPARE(w.files(), QStringList({"a.h5", "a.npy", "m.npy"}));
    if (w.findH5py()) {
        const auto read = w.python("import h5py, numpy as np\n"
                                   "f = h5py.File('a.h5', 'r')\n"
                                   "t = f['shots/0000/traces']\n"
                                   "n = int(t.attrs['recorded'])\n"
                                   "assert 1 < n < t.shape[1], (n, t.shape)\n"
                                   "assert abs(t[:, :n]).max() > 0 and abs(t[:, n:]).max() == 0\n"
                                   "assert str(f.attrs['complete']).strip(\"b'\") in ('0', 'no', 'False', 'false')\n");
        QVERIFY2(read.code == 0, read.all());
    }
}

// The second shot's three sources at one place go together beyond what a float holds.
void TestCliRun::aFailureKeepsTheShotsBefore()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    const QByteArray source = "[[shot.source]]\nposition = [400, 300]\n";
    const QByteArray receivers = "[shot.receivers]\nfirst = [100, 20]\nlast = [200, 20]\ncount = 3\n";
    w.write("two.toml", "[model]\npath = 'm.npy'\ndz = 10\ndx = 10\n[wavelet]\nkind = 'sampled'\n"
                        "samples = [0.0, 1e8, 1.2e8, 1e8, 0.0]\nstep = 0.04\namplitude = 1e30\n[time]\nduration = 0.3\n"
                        "[output]\ngather = 'g.npy'\n[[shot]]\n" +
                            source + receivers + "[[shot]]\n" + source + source + source + source + source + receivers);
    const auto o = w.ondo({"run", "two.toml", "--device", "cpu"});
    QVERIFY2(o.code == 3, o.all());
    QVERIFY2(o.all().contains("shot 2"), o.all());
    QVERIFY2(o.all().contains("the 1 shot before it is kept"), o.all());
    QVERIFY2(w.bytes("g.npy").contains("(3, "), o.all());
}

void TestCliRun::aKillLeavesNoHalfFile()
{
    Workshop w;
    w.writeModel("m.npy", 300, 500);
    const auto run = small({"--out", "a.h5", "--png", "a.png", "--gather", "a.sgy", "--set", "time.duration=0.3"});
    // How long it takes undisturbed, to aim the kills at the end, where the files are written.
    QElapsedTimer clock;
    clock.start();
    const auto whole = w.ondo(run);
    const auto milliseconds = static_cast<int>(clock.elapsed());
    QVERIFY2(whole.code == 0, whole.all());
    const QByteArray old = "what stood here before";
    for (int i = 0; i < 10; ++i) {
        for (const char* name : {"a.h5", "a.png", "a.sgy"}) {
            w.write(name, old);
        }
        const auto process = w.start(run);
        process->waitForStarted();
        QTest::qWait(milliseconds * (70 + 4 * i) / 100);
        process->kill();
        process->waitForFinished();
        for (const char* name : {"a.h5", "a.png", "a.sgy"}) {
            const QByteArray now = w.bytes(name);
            const auto checked =
                now == old || QByteArray(name).endsWith(".png") ? Outcome{0, {}, {}} : w.ondo({"check", name});
            QVERIFY2(checked.code == 0, checked.all());
            QVERIFY2(now == old || !name || !now.isEmpty(), name);
            if (QByteArray(name).endsWith(".png") && now != old) {
                QVERIFY2(now.contains("IEND"), name);
            }
        }
    }
}

void TestCliRun::saysThatNothingIsWritten()
{
    Workshop w;
    w.writeModel("m.npy", 30, 40);
    const auto o = w.ondo(small({"--set", "time.duration=0.05"}));
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.err.contains("nothing will be written"), o.all());
    QCOMPARE(w.files(), QStringList{"m.npy"});
}

// The limit on the size of a file stands for the disk: HDF5 once crashed the program at its end, after a failed write.
void TestCliRun::aFullDiskIsOneLineAFile()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    QProcess process;
    process.setWorkingDirectory(w.path("."));
    process.start("sh", QStringList{"-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"", ONDO_PROGRAM} +
                            small({"--quiet", "--out", "a.h5", "--gather", "a.sgy", "--png", "a.png"}));
    const auto o = w.finish(process);
    QVERIFY2(o.code == 3, o.all());
    QVERIFY2(o.err.trimmed().split('\n').size() == 3, o.all());
    QCOMPARE(o.err.count("File too large; check the space left on the disk") +
                 o.err.count("File too large); check the space left on the disk"),
             3);
    QCOMPARE(w.files(), QStringList{"m.npy"});
}

void TestCliRun::saysWhatIsChosen()
{
    Workshop w;
    w.writeModel("m.npy", 61, 83);
    w.write("w.toml", "[model]\npath = 'm.npy'\ndz = 10\ndx = 10\n[wavelet]\nfrequency = 2\n");
    const auto none = w.ondo(small({"--dry-run"}));
    QVERIFY2(none.err.contains("no source was given"), none.all());
    const auto placed = w.ondo(small({"--dry-run", "--set", "source.position=[400, 50]"}));
    QVERIFY2(placed.code == 0 && !placed.err.contains("no source was given"), placed.all());
    QVERIFY2(placed.err.contains("default shot"), placed.all());
    // The same wavelet makes the same duration, said in the file or on the command line.
    const auto said = w.ondo(small({"--dry-run", "--set", "wavelet.frequency=2"}));
    const auto written = w.ondo({"run", "--device", "cpu", "--dry-run", "w.toml"});
    QVERIFY2(said.code == 0 && said.out == written.out, said.all() + written.all());
    QVERIFY(said.out != none.out);
    const auto round = w.ondo(small({"--gather", "a.sgy", "--set", "time.sample_interval=0.0015007"}));
    QVERIFY2(round.out.contains("SEG-Y says 1501 us for 1500.7 us"), round.all());
}

// In three dimensions a picture of the middle could show nothing of a shot at the side.
void TestCliRun::saysWhatIsPictured()
{
    Workshop w;
    w.write("m.bin", QByteArray(9 * 11 * 10 * 4, '\x44')); // 785 m/s everywhere
    const auto o = w.ondo({"run",
                           "--device",
                           "cpu",
                           "--png",
                           "a.png",
                           "--set",
                           "model.path=m.bin",
                           "--set",
                           "model.nz=9",
                           "--set",
                           "model.ny=11",
                           "--set",
                           "model.nx=10",
                           "--set",
                           "model.dz=10",
                           "--set",
                           "model.dy=10",
                           "--set",
                           "model.dx=10",
                           "--set",
                           "source.positions=[[50, 20, 40], [50, 86, 40]]",
                           "--set",
                           "time.duration=0.1"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains(", shot 2 of 2, the field at ") && o.out.contains(", y = 90 m, model and gather"), o.all());
    w.writeModel("m.npy", 61, 83);
    const auto single =
        w.ondo(small({"--png", "b.png", "--set", "receivers.position=[300, 40]", "--set", "time.duration=0.1"}));
    QVERIFY2(single.code == 0 && !single.out.contains("model and gather"), single.all());
}

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
