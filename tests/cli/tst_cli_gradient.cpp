// `ondo gradient` from data that `ondo run` wrote: a file that others read, the same from every format and memory mode,
// refusals by exit code, and nothing left behind by a stop.
#include "ondo_process.h"

#include <QtTest>

#include <csignal>

class TestCliGradient : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void h5pyReadsTheGradient();
    void dataComeFromAnyFormat();
    void memoryModesAndStorage();
    void ofVariableDensity();
    void dryRunWritesNothing();
    void refuses_data();
    void refuses();
    void aStopLeavesNothing();

private:
    [[nodiscard]] static QStringList small(const QString& command, const QStringList& more)
    {
        return QStringList{command,       "--device", "cpu",         "--set", "time.sample_interval=0.002", "--set",
                           "model.dz=10", "--set",    "model.dx=10", "--set", "time.duration=0.3"} +
               more;
    }

    Workshop m_shop;
};

void TestCliGradient::initTestCase()
{
    m_shop.writeModel("true.npy", 61, 83);
    m_shop.writeModel("start.npy", 61, 83);
    // A little slower everywhere below the header: the misfit is not zero.
    QByteArray bytes = m_shop.bytes("start.npy");
    const auto header = bytes.indexOf('\n') + 1;
    auto* values = reinterpret_cast<float*>(bytes.data() + header);
    for (qsizetype i = 0; i < 61 * 83; ++i) {
        values[i] *= 0.98F;
    }
    m_shop.write("start.npy", bytes);
    const auto o = m_shop.ondo(small("run", {"--set", "model.path=true.npy", "--out", "d.h5", "--gather", "d.sgy"}));
    QVERIFY2(o.code == 0, o.all());
    const auto p = m_shop.ondo(small("run", {"--set", "model.path=true.npy", "--gather", "d.npy"}));
    QVERIFY2(p.code == 0, p.all());
}

void TestCliGradient::h5pyReadsTheGradient()
{
    if (!m_shop.findH5py()) {
        QSKIP("python3 with h5py is not installed");
    }
    const auto o =
        m_shop.ondo(small("gradient", {"--set", "model.path=start.npy", "--observed", "d.h5", "--out", "g.h5"}));
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.startsWith("g.h5 "), o.all());
    const auto read =
        m_shop.python("import h5py, numpy as np\n"
                      "f = h5py.File('g.h5', 'r'); d = h5py.File('d.h5', 'r')\n"
                      "g = f['gradient/velocity']\n"
                      "assert g.shape == (61, 83) and np.isfinite(g[...]).all() and abs(g[...]).max() > 0\n"
                      "assert g.attrs['unit'] == 'Pa^2 s/(m/s)' and list(g.attrs['spacing']) == [10, 10]\n"
                      "t = f['shots/0000/traces']; o = d['shots/0000/traces'][...].astype(float)\n"
                      "j = 0.5 * ((t[...] - o)**2).sum() * t.attrs['sample_interval']\n"
                      "assert abs(j / f.attrs['misfit'] - 1) < 1e-12, (j, f.attrs['misfit'])\n"
                      "s = f['shots/0000/gradient']\n"
                      "assert s['wavelets'].shape[0] == 1 and abs(s['wavelets'][...]).max() > 0\n"
                      "assert s['receiver_positions'].shape == (t.shape[0], 3)\n"
                      "assert s['source_positions'].shape == (1, 3)\n");
    QVERIFY2(read.code == 0, read.all());
}

void TestCliGradient::dataComeFromAnyFormat()
{
    if (!m_shop.findH5py()) {
        QSKIP("python3 with h5py is not installed");
    }
    const QStringList start = {"--set", "model.path=start.npy", "--quiet"};
    const auto a =
        m_shop.ondo(small("gradient", start + QStringList{"--observed", "d.h5", "--out", "a.h5", "--memory", "full"}));
    QVERIFY2(a.code == 0, a.all());
    const auto b = m_shop.ondo(
        small("gradient", start + QStringList{"--observed", "d.npy", "--out", "b.h5", "--memory", "chunks"}));
    QVERIFY2(b.code == 0, b.all());
    const auto c =
        m_shop.ondo(small("gradient", start + QStringList{"--observed", "d.sgy", "--out", "c.h5", "--every", "2"}));
    QVERIFY2(c.code == 0, c.all());
    const auto read = m_shop.python("import h5py, numpy as np\n"
                                    "a, b, c = (h5py.File(n + '.h5', 'r') for n in 'abc')\n"
                                    "g = [f['gradient/velocity'][...] for f in (a, b, c)]\n"
                                    "assert np.array_equal(g[0], g[1])\n"
                                    "e = np.linalg.norm(g[0] - g[2]) / np.linalg.norm(g[0])\n"
                                    "assert 0 < e < c.attrs['declared_error'], e\n"
                                    "assert a.attrs['declared_error'] == 0 and b.attrs['memory_mode'] == 'chunks'\n"
                                    "assert b.attrs['memory_choice'] == 'named'\n"
                                    "assert c.attrs['memory_choice'].startswith(c.attrs['memory_mode'] + ' on ')\n");
    QVERIFY2(read.code == 0, read.all());
}

// Every mode and way to store that the command line names: near the full tape's gradient, its peak beside the prediction.
void TestCliGradient::memoryModesAndStorage()
{
    if (!m_shop.findH5py()) {
        QSKIP("python3 with h5py is not installed");
    }
    const QStringList start = {"--set", "model.path=start.npy", "--observed", "d.h5"};
    const auto full = m_shop.ondo(small("gradient", start + QStringList{"--out", "full.h5", "--memory", "full"}));
    QVERIFY2(full.code == 0, full.all());
    QVERIFY2(full.err.contains("peak on the device ") && full.err.contains(", predicted "), full.all());
    QDir().mkpath(m_shop.path("tape"));
    // The bounds of the gradient matrix.
    const QList<std::pair<QStringList, const char*>> modes = {
        {{"--memory", "boundary"}, "1e-6"},
        {{"--memory", "boundary", "--storage", "float32"}, "1e-6"},
        {{"--memory", "boundary", "--storage", "bfloat16"}, "2e-3"},
        {{"--memory", "boundary", "--storage", "float16", "--chunk", "20"}, "3e-4"},
        {{"--memory", "boundary", "--storage", "int8"}, "6e-3"},
        {{"--memory", "chunks", "--storage", "int8"}, "6e-3"},
        {{"--storage", "bfloat16"}, "2e-3"},
        {{"--place", "host"}, "0"},
        {{"--memory", "boundary", "--place", "disk", "--tape-folder", m_shop.path("tape")}, "1e-6"},
        {{"--memory", "binomial"}, "0"},
        {{"--memory", "binomial", "--checkpoints", "2", "--host-checkpoints", "3", "--disk-checkpoints", "4",
          "--tape-folder", m_shop.path("tape")},
         "0"}};
    for (const auto& [more, bound] : modes) {
        const auto o = m_shop.ondo(small("gradient", start + more + QStringList{"--out", "mode.h5"}));
        QVERIFY2(o.code == 0, o.all());
        const auto read = m_shop.python(QByteArray("import h5py, numpy as np\n"
                                                   "a, b = (h5py.File(n + '.h5', 'r') for n in ('full', 'mode'))\n"
                                                   "g, h = (f['gradient/velocity'][...] for f in (a, b))\n"
                                                   "e = np.linalg.norm(g - h) / np.linalg.norm(g)\n"
                                                   "assert e <= ") +
                                        bound + ", (e, b.attrs['memory_mode'], b.attrs['storage'])\n");
        QVERIFY2(read.code == 0, more.join(' ').toUtf8() + ": " + read.all());
        QVERIFY(QDir(m_shop.path("tape")).isEmpty(QDir::Files | QDir::Hidden));
    }
}

// A density from a file, by speed and density, then by speed and impedance: units and names, and the chain rule between both.
void TestCliGradient::ofVariableDensity()
{
    const QStringList start = {"--set", "model.path=start.npy",     "--set",      "equation=variable-density",
                               "--set", "density.path=density.npy", "--observed", "d.h5"};
    m_shop.writeModel("density.npy", 61, 83); // 1500 ... as the speeds: kg/m^3 as good as any
    const auto a = m_shop.ondo(small("gradient", start + QStringList{"--out", "rho.h5", "--memory", "boundary", "--set",
                                                                     "numerics.precision=float64"}));
    QVERIFY2(a.code == 0, a.all());
    const auto b = m_shop.ondo(small("gradient", start + QStringList{"--out", "z.h5", "--parameters", "speed,impedance",
                                                                     "--set", "numerics.precision=float64"}));
    QVERIFY2(b.code == 0, b.all());
    const auto dry = m_shop.ondo(small("gradient", start + QStringList{"--dry-run"}));
    QVERIFY2(dry.code == 0 && dry.out.contains("of speed, density, wavelets") &&
                 dry.out.contains("variable-density refuses"),
             dry.all());
    if (!m_shop.findH5py()) {
        QSKIP("python3 with h5py is not installed");
    }
    const auto read =
        m_shop.python("import h5py, numpy as np\n"
                      "a, b = (h5py.File(n + '.h5', 'r') for n in ('rho', 'z'))\n"
                      "r = a['gradient/density']; z = b['gradient/impedance']\n"
                      "assert r.shape == (61, 83) and r.attrs['unit'] == 'Pa^2 s/(kg/m^3)'\n"
                      "assert z.attrs['unit'] == 'Pa^2 s/(kg/(m^2 s))'\n"
                      "assert 'density' not in b['gradient'] and 'impedance' not in a['gradient']\n"
                      "c = a['model/velocity'][...].astype(float); rho = a['model/density'][...].astype(float)\n"
                      "e = abs(z[...] * c - r[...]).max() / abs(r[...]).max()\n"
                      "v = b['gradient/velocity'][...]; w = a['gradient/velocity'][...] - rho / c * r[...]\n"
                      "assert e < 1e-10 and abs(v - w).max() < 1e-10 * abs(w).max(), e\n");
    QVERIFY2(read.code == 0, read.all());
}

void TestCliGradient::dryRunWritesNothing()
{
    const auto before = m_shop.files();
    const auto o = m_shop.ondo(small("gradient", {"--set", "model.path=start.npy", "--observed", "d.h5", "--out",
                                                  "never.h5", "--memory", "chunks", "--dry-run"}));
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("mode chunks") && o.out.contains("tape"), o.all());
    const auto automatic = m_shop.ondo(small("gradient", {"--set", "model.path=start.npy", "--dry-run"}));
    QVERIFY2(automatic.code == 0, automatic.all());
    for (const char* part : {"chosen    ", " free, ", "\n        * ", "full on the device", "boundary on disk"}) {
        QVERIFY2(automatic.out.contains(part), automatic.all());
    }
    QCOMPARE(m_shop.files(), before);
}

void TestCliGradient::refuses_data()
{
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no data") << QStringList{} << QByteArray("give --observed FILE");
    QTest::newRow("no such data") << QStringList{"--observed", "none.h5"} << QByteArray("No such file");
    QTest::newRow("a model") << QStringList{"--observed", "true.npy"} << QByteArray("traces, the survey");
    QTest::newRow("shorter") << QStringList{"--observed", "d.h5", "--set", "time.duration=0.2"}
                             << QByteArray("time.duration=0.3");
    QTest::newRow("interval") << QStringList{"--observed", "d.h5",
                                             "--set",      "time.sample_interval=0.001",
                                             "--set",      "time.duration=0.15"}
                              << QByteArray("time.sample_interval=0.002");
    QTest::newRow("mode") << QStringList{"--observed", "d.h5", "--memory", "disk"} << QByteArray("full, chunks");
    QTest::newRow("tail") << QStringList{"--observed", "d.h5", "--tail", "10"} << QByteArray("steps or more");
    QTest::newRow("chunks of any") << QStringList{"--observed", "d.h5", "--chunk", "10"}
                                   << QByteArray("with the memory mode \"auto\"");
    QTest::newRow("storage") << QStringList{"--observed", "d.h5", "--storage", "int4"}
                             << QByteArray("use one of: exact, float32, bfloat16, float16, int8");
    QTest::newRow("stored binomial") << QStringList{"--observed", "d.h5", "--memory", "binomial", "--storage", "int8"}
                                     << QByteArray("leave the storage out");
    QTest::newRow("place") << QStringList{"--observed", "d.h5", "--place", "cloud"}
                           << QByteArray("use one of: device, host, disk");
    QTest::newRow("checkpoints") << QStringList{"--observed", "d.h5", "--checkpoints", "9"}
                                 << QByteArray("use the mode \"binomial\"");
    QTest::newRow("no folder") << QStringList{"--observed",         "d.h5", "--memory",      "binomial",
                                              "--disk-checkpoints", "2",    "--tape-folder", "nowhere"}
                               << QByteArray("No such file");
    QTest::newRow("every") << QStringList{"--observed", "d.h5", "--every", "60"} << QByteArray("or more often");
    QTest::newRow("density without its equation")
        << QStringList{"--observed", "d.h5", "--set", "density.value=2000"} << QByteArray("has no place for it");
    QTest::newRow("no density") << QStringList{"--observed", "d.h5", "--set", "equation=variable-density"}
                                << QByteArray("needs a density");
    QTest::newRow("two densities") << QStringList{"--observed",         "d.h5",  "--set",
                                                  "density.value=2000", "--set", "density.rule=gardner"}
                                   << QByteArray("more than once");
    QTest::newRow("order beyond the proof") << QStringList{"--observed", "d.h5",
                                                           "--set",      "density.rule=gardner",
                                                           "--set",      "equation=variable-density",
                                                           "--set",      "numerics.order=20"}
                                            << QByteArray("use order 18 or less");
    QTest::newRow("impedance of one density")
        << QStringList{"--observed", "d.h5", "--parameters", "speed,impedance"} << QByteArray("which has no density");
    QTest::newRow("over its data") << QStringList{"--observed", "d.h5", "--out", "d.h5"}
                                   << QByteArray("reads this file");
}

void TestCliGradient::refuses()
{
    QFETCH(QStringList, more);
    QFETCH(QByteArray, text);
    const QByteArray data = m_shop.bytes("d.h5");
    const auto o = m_shop.ondo(small("gradient", QStringList{"--set", "model.path=start.npy"} + more));
    QVERIFY2(o.code == 2, o.all());
    QVERIFY2(o.err.contains(text), o.all());
    QVERIFY(m_shop.bytes("d.h5") == data);
}

void TestCliGradient::aStopLeavesNothing()
{
    m_shop.writeModel("large.npy", 301, 301);
    const QStringList run = {
        "--device", "cpu",         "--set", "model.path=large.npy",       "--set", "model.dz=10",
        "--set",    "model.dx=10", "--set", "time.sample_interval=0.001", "--set", "time.duration=3"};
    const auto d = m_shop.ondo(QStringList{"run"} + run + QStringList{"--gather", "large_d.npy"});
    QVERIFY2(d.code == 0, d.all());
    const auto process = m_shop.start(QStringList{"gradient"} + run +
                                      QStringList{"--observed", "large_d.npy", "--out", "s.h5", "--memory", "chunks"});
    QTest::qWait(700);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const auto o = m_shop.finish(*process);
    QVERIFY2(o.code == 130, o.all());
    QVERIFY(!m_shop.has("s.h5"));
}

QTEST_GUILESS_MAIN(TestCliGradient)
#include "tst_cli_gradient.moc"
