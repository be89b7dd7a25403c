// `ondo invert`: an inversion that is killed again and again ends where an unbroken one does, to the bit; its file can
// be read
// at any time; refusals by exit code.
#include "ondo_process.h"

#include <QElapsedTimer>
#include <QtTest>

#include <cmath>
#include <csignal>

class TestCliInvert : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void survivesKills_data();
    void survivesKills();
    void rollsBack();
    void densityMovesToo();
    void h5pyReadsTheFile();
    void aStopKeepsWhatThereIs();
    void alongALine();
    void dryRunWritesNothing();
    void keysAreListed();
    void refuses_data();
    void refuses();

private:
    [[nodiscard]] Outcome invert(const QStringList& more) const
    {
        return m_shop.ondo(QStringList{"invert", "start.toml", "--device", "cpu", "--observed", "d.h5"} + more);
    }
    // The same records, all numbers but the seconds.
    [[nodiscard]] Outcome compared(const QByteArray& a, const QByteArray& b) const
    {
        return m_shop.python("import h5py, numpy as np\n"
                             "a, b = (h5py.File(n, 'r')['iterations'] for n in ('" +
                             a + "', '" + b +
                             "'))\n"
                             "assert list(a) == list(b), (list(a), list(b))\n"
                             "for k in a:\n"
                             "    assert list(a[k]) == list(b[k]) and 'velocity' in a[k] and 'gradient' in a[k]\n"
                             "    for d in a[k]:\n"
                             "        assert np.array_equal(a[k][d][...], b[k][d][...]), (k, d)\n"
                             "    for t in a[k].attrs:\n"
                             "        assert t == 'seconds' or a[k].attrs[t] == b[k].attrs[t], (k, t)\n");
    }

    Workshop m_shop;
    bool m_python = false;
};

void TestCliInvert::initTestCase()
{
    constexpr int kRows = 41;
    constexpr int kColumns = 47;
    for (const bool truth : {true, false}) {
        QByteArray header = QString("{'descr': '<f4', 'fortran_order': False, 'shape': (%1, %2), }")
                                .arg(kRows)
                                .arg(kColumns)
                                .toLatin1();
        header += QByteArray(117 - header.size(), ' ') + "\n";
        QByteArray bytes = QByteArray("\x93NUMPY\x01\x00", 8) + QByteArray("\x76\x00", 2) + header;
        for (int z = 0; z < kRows; ++z) {
            for (int x = 0; x < kColumns; ++x) {
                const double r = std::hypot(z - 20, x - 23) / 4.0;
                const auto v = static_cast<float>(2000.0 + (truth ? 150.0 * std::exp(-r * r) : 0.0));
                bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
            }
        }
        const QString name = truth ? "true" : "start";
        m_shop.write(name + ".npy", bytes);
        m_shop.write(name + ".toml", "[model]\npath = \"" + name.toLatin1() +
                                         ".npy\"\ndz = 10.0\ndx = 10.0\n"
                                         "[time]\nduration = 0.4\nsample_interval = 0.002\n"
                                         "[wavelet]\nfrequency = 14.0\n[boundary]\nlayer_cells = 12\n"
                                         "[source]\nfirst = [30.0, 20.0]\nlast = [430.0, 20.0]\ncount = 4\n"
                                         "[receivers]\nfirst = [10.0, 380.0]\nlast = [450.0, 380.0]\ncount = 23\n"
                                         "[inversion]\niterations = [3, 4]\nlow_pass = [12.0, 0]\n"
                                         "smoothing = 15.0\nslowest = 1700\nfastest = 2300\n");
    }
    const auto o = m_shop.ondo({"run", "true.toml", "--device", "cpu", "--out", "d.h5"});
    QVERIFY2(o.code == 0, o.all());
    const auto whole = invert({"--out", "whole.h5"});
    QVERIFY2(whole.code == 0, whole.all());
    QVERIFY2(whole.out.contains("stage 2 iteration   4") && whole.out.contains("inversion: 9 records"), whole.all());
    m_python = m_shop.findH5py();
}

void TestCliInvert::survivesKills_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QStringList>("more");
    QTest::newRow("plain") << QByteArray("whole.h5") << QStringList{};
    const auto set = [](std::initializer_list<const char*> values) {
        QStringList out;
        for (const char* value : values) {
            out << "--set" << value;
        }
        return out;
    };
    QTest::newRow("encoded, one source estimated")
        << QByteArray("encoded.h5")
        << set({"inversion.optimiser=adam", "inversion.encoded_shots=2", "inversion.source_filter=common",
                "inversion.first_step=5", "inversion.iterations=[8,12]"});
    QTest::newRow("a source a shot estimated")
        << QByteArray("sources.h5") << set({"inversion.source_filter=shot", "wavelet.frequency=12"});
}

// Killed at a moment that is later each time, at first hardly after it has begun (the whole takes some 0.4 s on a fast machine);
// the file is readable after each, and grows.
void TestCliInvert::survivesKills()
{
    if (!m_python) {
        QSKIP("python3 with h5py is not installed");
    }
    QFETCH(QByteArray, name);
    QFETCH(QStringList, more);
    if (!m_shop.has(name)) {
        const auto unbroken = invert(QStringList{"--out", name} + more);
        QVERIFY2(unbroken.code == 0, unbroken.all());
    }
    const QByteArray killed = "k_" + name;
    int kills = 0;
    Outcome last;
    for (int i = 0; i < 60; ++i) {
        QStringList arguments = {"invert", "start.toml", "--device", "cpu", "--observed", "d.h5", "--out", killed};
        arguments << more;
        if (m_shop.has(killed)) {
            arguments << "--resume";
        }
        const auto process = m_shop.start(arguments);
        QVERIFY(process->waitForStarted());
        if (!process->waitForFinished(80 + 15 * i + i * i / 2)) {
            ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
            ++kills;
            last = m_shop.finish(*process);
            if (m_shop.has(killed)) {
                const auto read = m_shop.python("import h5py\nf = h5py.File('" + killed +
                                                "', 'r')\n"
                                                "for k in f['iterations']: f['iterations'][k]['gradient'][...]\n");
                QVERIFY2(read.code == 0, read.all());
            }
            continue;
        }
        last = m_shop.finish(*process);
        break;
    }
    QVERIFY2(last.code == 0, last.all());
    QVERIFY2(kills >= 3, qPrintable(QString::number(kills)));
    qInfo("killed %d times", kills);
    const auto same = compared(name, killed);
    QVERIFY2(same.code == 0, same.all());
    for (const auto& file : m_shop.files()) {
        QVERIFY2(!file.endsWith(".part"), qPrintable(file));
    }
}

void TestCliInvert::rollsBack()
{
    if (!m_python) {
        QSKIP("python3 with h5py is not installed");
    }
    m_shop.write("r.h5", m_shop.bytes("whole.h5"));
    const auto none = invert({"--out", "r.h5", "--from", "9"});
    QVERIFY2(none.code == 2 && none.err.contains("the last one is 8"), none.all());
    const auto o = invert({"--out", "r.h5", "--from", "2"});
    QVERIFY2(o.code == 0 && o.err.contains("goes on from iteration 2"), o.all());
    const auto same = compared("whole.h5", "r.h5");
    QVERIFY2(same.code == 0, same.all());
    // More iterations of the last stage are a longer way, not another one.
    const auto longer = invert({"--out", "r.h5", "--resume", "--set", "inversion.iterations=[3,5]"});
    QVERIFY2(longer.code == 0 && longer.out.contains("inversion: 10 records"), longer.all());
}

// Density or impedance beside the speed, each with its gradient and its unit; killed by its settings' end, gone on with; held,
// it is kept once.
void TestCliInvert::densityMovesToo()
{
    if (!m_python) {
        QSKIP("python3 with h5py is not installed");
    }
    const QStringList run = {"--set", "equation=variable-density", "--set", "density.value=2100",
                             "--set", "time.duration=0.4"};
    for (const char* name : {"density", "impedance", "speed"}) {
        const QByteArray file = QByteArray(name) + ".h5";
        const QByteArray parameters = name == QByteArray("speed") ? "speed" : QByteArray("speed,") + name;
        const QStringList all = run + QStringList{"--set", "inversion.parameters=" + parameters, "--out", file};
        const auto o = invert(all + QStringList{"--set", "inversion.iterations=[1,1]"});
        QVERIFY2(o.code == 0, o.all());
        const auto more = invert(all + QStringList{"--set", "inversion.iterations=[1,2]", "--resume"});
        QVERIFY2(more.code == 0 && more.out.contains("5 records"), more.all());
    }
    const auto read =
        m_shop.python("import h5py, numpy as np\n"
                      "for n, u, q in (('density', 'kg/m^3', 2100.), ('impedance', 'kg/(m^2 s)', 2100. * 2000.)):\n"
                      "    it = h5py.File(n + '.h5', 'r')['iterations']\n"
                      "    assert it['0000'][n].attrs['unit'] == u and np.allclose(it['0000'][n][...], q)\n"
                      "    assert it.attrs['second_low'] < q < it.attrs['second_high']\n"
                      "    assert np.abs(it['0004'][n][...] / q - 1).max() > 1e-4 and np.abs(it['0004'][n + "
                      "'_gradient'][...]).max() > 0\n"
                      "    assert it['0004'].attrs['data_misfit'] < it['0002'].attrs['data_misfit']\n"
                      "it = h5py.File('speed.h5', 'r')['iterations']\n"
                      "assert np.all(it['0000']['held_density'][...] == 2100) and 'held_density' not in it['0001']\n");
    QVERIFY2(read.code == 0, read.all());
    const auto line = invert(run + QStringList{"--line", "speed.h5", "--points", "3", "--out", "l3.csv"});
    QVERIFY2(line.code == 0, line.all());
}

void TestCliInvert::h5pyReadsTheFile()
{
    if (!m_python) {
        QSKIP("python3 with h5py is not installed");
    }
    const auto read = m_shop.python(
        "import h5py, numpy as np\n"
        "f = h5py.File('whole.h5', 'r'); it = f['iterations']\n"
        "assert f.attrs['format'] == 'ondoscope inversion' and list(it) == ['%04d' % k for k in range(9)]\n"
        "t = np.load('true.npy'); e = [np.sqrt(((it[k]['velocity'][...] - t)**2).mean()) for k in it]\n"
        "assert it['0000']['velocity'].attrs['unit'] == 'm/s'\n"
        "m = [it[k].attrs['data_misfit'] for k in it]\n"
        "assert [it[k].attrs['stage'] for k in it] == [0] * 4 + [1] * 5\n"
        "assert m[3] < 0.05 * m[0] and m[8] < 0.3 * m[4], m\n"
        "assert e[8] < 0.7 * e[0], e\n"
        "for k in it:\n"
        "    assert abs(it[k]['misfits'][...].sum() / it[k].attrs['data_misfit'] - 1) < 1e-12\n"
        "    assert it[k].attrs['evaluations'] >= 1 and it[k].attrs['seconds'] > 0\n"
        "assert 'illumination' in it['0000'] and 'illumination' in it['0004']\n");
    QVERIFY2(read.code == 0, read.all());
}

void TestCliInvert::aStopKeepsWhatThereIs()
{
    const auto process = m_shop.start({"invert", "start.toml", "--device", "cpu", "--observed", "d.h5", "--out", "s.h5",
                                       "--set", "inversion.iterations=200"});
    QElapsedTimer waited;
    waited.start();
    while (!process->readAllStandardOutput().contains("iteration   1") && waited.elapsed() < 30000) {
        process->waitForReadyRead(100);
    }
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const auto o = m_shop.finish(*process);
    QVERIFY2(o.code == 130, o.all());
    QVERIFY2(o.err.contains("--resume goes on from there"), o.all());
    QVERIFY(m_shop.has("s.h5"));
}

// From the start to the truth: lowest at the truth, where the misfit is rounding; to an inversion's last iterate as well.
void TestCliInvert::alongALine()
{
    const auto o = invert({"--line", "true.npy", "--set", "inversion.low_pass=[0,0]", "--points", "13", "--misfits",
                           "l2,envelope", "--out", "line.csv"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("l2: 1 minimum, at t = 1.00") && o.out.contains("envelope: 1 minimum"), o.all());
    const auto rows = m_shop.bytes("line.csv").trimmed().split('\n');
    QCOMPARE(rows.size(), 14);
    QCOMPARE(rows[0], QByteArray("t,l2 (Pa^2 s),envelope (Pa^2 s)"));
    const auto number = [&](int row, int column) { return rows[row].split(',').at(column).toDouble(); };
    QCOMPARE(number(1, 0), -0.25);
    QCOMPARE(number(13, 0), 1.25);
    // t = 0 and 1 are points 2 and 10 of twelve steps of 0.125. The data were made with another time step.
    QVERIFY(std::abs(number(11, 0) - 1.0) < 1e-12);
    QVERIFY2(number(11, 1) < 1e-3 * number(3, 1), rows[11]);
    const auto iterate = invert({"--line", "whole.h5", "--points", "4", "--span", "0", "1", "--out", "line2.csv"});
    QVERIFY2(iterate.code == 0, iterate.all());
    const auto dry = invert({"--line", "true.npy", "--out", "never.csv", "--dry-run"});
    QVERIFY2(dry.code == 0 && dry.out.contains("41 points from t = -0.25") && !m_shop.has("never.csv"), dry.all());
    for (const auto& [more, text] :
         {std::pair{QStringList{"--line", "true.npy"}, "give --out F.csv"},
          {QStringList{"--line", "true.npy", "--out", "d.h5"}, "reads this file"},
          {QStringList{"--line", "true.npy", "--resume", "--out", "l.csv"}, "leave --resume"},
          {QStringList{"--line", "true.npy", "--misfits", "l3", "--out", "l.csv"}, "use one of: l2"},
          {QStringList{"--line", "none.npy", "--out", "l.csv"}, "none.npy"}}) {
        const auto refused = invert(more);
        QVERIFY2(refused.code == 2 && refused.err.contains(text), refused.all());
        QVERIFY(!m_shop.has("l.csv"));
    }
}

void TestCliInvert::dryRunWritesNothing()
{
    const auto before = m_shop.files();
    const auto o = invert({"--out", "never.h5", "--dry-run", "--memory", "chunks"});
    QVERIFY2(o.code == 0, o.all());
    for (const char* line : {"misfit l2, optimiser lbfgs, 2 stages", "1700 to 2300 m/s", "mode chunks", "\nwork ",
                             "\nbytes ", "\ntime ", "\nfile "}) {
        QVERIFY2(o.out.contains(line), o.all());
    }
    QCOMPARE(m_shop.files(), before);
}

void TestCliInvert::keysAreListed()
{
    const auto o = m_shop.ondo({"invert", "--keys"});
    QVERIFY2(o.code == 0, o.all());
    for (const char* key : {"inversion.misfit ", "inversion.low_pass ", "inversion.fastest ", "inversion.seed "}) {
        QVERIFY2(o.out.contains(key), o.all());
    }
}

void TestCliInvert::refuses_data()
{
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QByteArray>("text");
    const auto set = [](const char* value) { return QStringList{"--out", "x.h5", "--set", value}; };
    QTest::newRow("no file") << QStringList{} << QByteArray("give --out F.h5");
    QTest::newRow("there already") << QStringList{"--out", "whole.h5"} << QByteArray("go on with it by --resume");
    QTest::newRow("another smoothing") << QStringList{"--out", "whole.h5", "--resume", "--set",
                                                      "inversion.smoothing=20"}
                                       << QByteArray("\"inversion.smoothing = 15\"");
    QTest::newRow("another run") << QStringList{"--out", "whole.h5", "--resume", "--set", "wavelet.frequency=13"}
                                 << QByteArray("frequency");
    QTest::newRow("no inversion") << QStringList{"--out", "true.h5", "--resume"} << QByteArray("no inversion of this");
    QTest::newRow("misspelt") << set("inversion.smothing=20") << QByteArray("did you mean inversion.smoothing?");
    QTest::newRow("range") << set("inversion.memory=0") << QByteArray("give integer, 1 to 1000");
    QTest::newRow("type") << set("inversion.illumination=3") << QByteArray("give true or false");
    QTest::newRow("misfit") << set("inversion.misfit=l3") << QByteArray("use one of: l2, correlation");
    QTest::newRow("optimiser") << set("inversion.optimiser=newton") << QByteArray("use one of: lbfgs");
    QTest::newRow("stages") << set("inversion.low_pass=[1,2,3]") << QByteArray("lists of stages have one length");
    QTest::newRow("bounds") << set("inversion.slowest=2100") << QByteArray("outside the bounds");
    QTest::newRow("draws") << set("inversion.shots_per_iteration=2") << QByteArray("use adam");
    QTest::newRow("encoded") << set("inversion.encoded_shots=2") << QByteArray("use adam");
    QTest::newRow("source filter") << set("inversion.source_filter=each") << QByteArray("none, shot, common");
    QTest::newRow("over its data") << QStringList{"--out", "d.h5"} << QByteArray("reads this file");
}

void TestCliInvert::refuses()
{
    QFETCH(QStringList, more);
    QFETCH(QByteArray, text);
    const QByteArray whole = m_shop.bytes("whole.h5");
    if (!m_shop.has("true.h5")) {
        m_shop.write("true.h5", m_shop.bytes("d.h5"));
    }
    const auto o = invert(more);
    QVERIFY2(o.code == 2, o.all());
    QVERIFY2(o.err.contains(text), o.all());
    QVERIFY(!m_shop.has("x.h5"));
    QVERIFY(m_shop.bytes("whole.h5") == whole);
}

QTEST_GUILESS_MAIN(TestCliInvert)
#include "tst_cli_invert.moc"
