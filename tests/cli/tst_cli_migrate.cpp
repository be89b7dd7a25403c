// `ondo migrate` from data that `ondo run` wrote: a file that others read, with the image where the layer is; refusals by exit
// code, nothing left behind by a dry run.
#include "ondo_process.h"

#include <QtTest>

class TestCliMigrate : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void h5pyFindsTheLayer();
    void dryRunWritesNothing();
    void refuses_data();
    void refuses();

private:
    [[nodiscard]] Outcome migrate(const QStringList& more) const
    {
        return m_shop.ondo(QStringList{"migrate", "smooth.toml", "--device", "cpu"} + more);
    }

    Workshop m_shop;
};

void TestCliMigrate::initTestCase()
{
    constexpr int kRows = 51;
    constexpr int kColumns = 61;
    for (const bool truth : {true, false}) {
        QByteArray header = QString("{'descr': '<f4', 'fortran_order': False, 'shape': (%1, %2), }")
                                .arg(kRows)
                                .arg(kColumns)
                                .toLatin1();
        header += QByteArray(117 - header.size(), ' ') + "\n";
        QByteArray bytes = QByteArray("\x93NUMPY\x01\x00", 8) + QByteArray("\x76\x00", 2) + header;
        for (int z = 0; z < kRows; ++z) {
            for (int x = 0; x < kColumns; ++x) {
                const float v = truth && z == 30 ? 2100.0F : 2000.0F; // a thin layer at 300 m
                bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
            }
        }
        const QString name = truth ? "true" : "smooth";
        m_shop.write(name + ".npy", bytes);
        m_shop.write(name + ".toml", "[model]\npath = \"" + name.toLatin1() +
                                         ".npy\"\ndz = 10.0\ndx = 10.0\n"
                                         "[time]\nduration = 0.6\nsample_interval = 0.002\n"
                                         "[wavelet]\nfrequency = 15.0\n[boundary]\nlayer_cells = 12\n"
                                         "[source]\nfirst = [100.0, 20.0]\nlast = [500.0, 20.0]\ncount = 3\n"
                                         "[receivers]\nfirst = [20.0, 20.0]\nlast = [580.0, 20.0]\ncount = 57\n");
    }
    const auto o = m_shop.ondo({"run", "true.toml", "--device", "cpu", "--out", "d.h5"});
    QVERIFY2(o.code == 0, o.all());
}

void TestCliMigrate::h5pyFindsTheLayer()
{
    if (!m_shop.findH5py()) {
        QSKIP("python3 with h5py is not installed");
    }
    const auto o = migrate({"--observed", "d.h5", "--out", "m.h5", "--png", "m.png", "--lsrtm", "2", "--lags", "60",
                            "--columns", "200", "--mute-depth", "80"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("\nm.h5 ") && o.out.contains("\nm.png ") && o.out.startsWith("iteration   1 "), o.all());
    QVERIFY(m_shop.bytes("m.png").startsWith("\x89PNG"));
    const auto read = m_shop.python(
        "import h5py, numpy as np\n"
        "f = h5py.File('m.h5', 'r')\n"
        "assert f.attrs['format'] == 'ondoscope migration'\n"
        "i = f['image/migrated']\n"
        "assert i.shape == (51, 61) and i.attrs['unit'] == 'Pa^2 s' and list(i.attrs['spacing']) == [10, 10]\n"
        "assert np.abs(i[:8]).max() == 0\n"
        "assert (np.abs(i[:, 20:41]).argmax(0) == 30).all(), np.abs(i[:, 20:41]).argmax(0)\n"
        "n = f['iterations']; assert list(n) == ['0000', '0001']\n"
        "r = [n[k].attrs['residual'] for k in n]; assert 1 > r[0] > r[1] > 0, r\n"
        "assert abs(n['0001/reflectivity'][:, 30]).argmax() == 30\n"
        "g = f['gathers']; c = g['lag_x']\n"
        "assert c.shape == (len(g['columns']), 51, 13) and list(g['lags_x'][[0, 6, 12]]) == [-60, 0, 60]\n"
        "assert g['angle'].shape == (c.shape[0], 51, len(g['angles'])) and g['angles'][0] == -60\n"
        "x = int(g['columns'][1, 0] / 10)\n"
        "a, b = c[1, 10:45, 6], f['image/gradient'][10:45, x]\n"
        "assert np.abs(a - b).max() < 0.02 * np.abs(b).max(), np.abs(a - b).max() / np.abs(b).max()\n");
    QVERIFY2(read.code == 0, read.all());
}

void TestCliMigrate::dryRunWritesNothing()
{
    const auto before = m_shop.files();
    const auto o = migrate(
        {"--observed", "d.h5", "--out", "dry.h5", "--png", "dry.png", "--lsrtm", "3", "--lags", "50", "--dry-run"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("migration 3 shots") && o.out.contains("least squares: 3 iterations"), o.all());
    QVERIFY2(o.out.contains("space-lag gathers: 15 columns, 11 lags"), o.all());
    QCOMPARE(m_shop.files(), before);
}

void TestCliMigrate::refuses_data()
{
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QByteArray>("said");
    const QStringList data{"--observed", "d.h5"};
    QTest::newRow("no data") << QStringList{} << QByteArray("there are no observed data");
    QTest::newRow("mute") << data + QStringList{"--mute-depth", "450"} << QByteArray("a mute of the first 450 m");
    QTest::newRow("lags") << data + QStringList{"--lags", "5"} << QByteArray("space lags up to 5 m");
    QTest::newRow("long lags") << data + QStringList{"--lags", "400"} << QByteArray("space lags up to 400 m");
    QTest::newRow("water") << data + QStringList{"--water", "0"} << QByteArray("largest illumination");
    QTest::newRow("damping") << data + QStringList{"--lsrtm", "1", "--damping", "-1"} << QByteArray("a damping of -1");
    QTest::newRow("mode") << data + QStringList{"--memory", "lots"} << QByteArray("lots");
    QTest::newRow("picture") << data + QStringList{"--png", "m.jpg"} << QByteArray("m.jpg");
    QTest::newRow("itself") << data + QStringList{"--out", "d.h5"} << QByteArray("d.h5");
    QTest::newRow("shape") << data + QStringList{"--set", "receivers.count=50"} << QByteArray("d.h5");
    QTest::newRow("nothing to image") << data + QStringList{"--set", "model.path=true.npy", "--lsrtm", "1"}
                                      << QByteArray("the data are zero");
}

void TestCliMigrate::refuses()
{
    QFETCH(QStringList, more);
    QFETCH(QByteArray, said);
    const auto before = m_shop.files();
    const auto o = migrate(more + QStringList{"--out", "no.h5"}.mid(more.contains("--out") ? 2 : 0));
    QVERIFY2(o.code == 2, o.all());
    QVERIFY2(o.err.contains(said), o.all());
    QCOMPARE(m_shop.files(), before);
}

QTEST_GUILESS_MAIN(TestCliMigrate)
#include "tst_cli_migrate.moc"
