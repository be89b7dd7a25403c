// What the command line refuses, how it says so, and that it never crashes.
#include "ondo_process.h"

#include <QtTest>

class TestCliRefusals : public QObject {
    Q_OBJECT

private slots:
    void refuses_data();
    void refuses();
    void namesTheNearest_data();
    void namesTheNearest();
};

void TestCliRefusals::refuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QStringList& arguments, const char* says) {
        QTest::newRow(name) << arguments << QByteArray(says);
    };
    row("no command", {}, "no command");
    row("missing run file", {"run", "absent.toml"}, "absent.toml");
    row("missing model", {"run", "--set", "model.path=absent.npy"}, "absent.npy");
    row("not a TOML file", {"run", "broken.toml"}, "broken.toml:2");
    row("unknown key in a file", {"run", "unknown.toml"}, "unknown.toml:2");
    row("wrong type", {"run", "--set", "numerics.order=many"}, "numerics.order");
    row("odd order", {"run", "--set", "numerics.order=7"}, "even");
    row("no equals sign", {"run", "--set", "numerics.order"}, "key=value");
    row("source outside", {"run", "--set", "source.position=[1e6, 20]"}, "outside the model");
    row("unstable", {"run", "--set", "time.courant=1"}, "unstable");
    row("no such device", {"run", "--device", "gpu"}, "no device");
    row("no such folder", {"run", "--out", "absent/a.h5"}, "no folder absent");
    row("wrong ending of results", {"run", "--out", "a.txt"}, "does not end in .h5");
    row("wrong ending of a gather", {"run", "--gather", "a.wav"}, "does not end in .sgy");
    row("output is a folder", {"run", "--png", "folder.png"}, "folder");
    row("two outputs, one name", {"run", "--gather", "a.npy", "--set", "output.picture=a.png", "--png", "a.npy"},
        "a.npy");
    row("a gather over the model",
        {"run", "--set", "model.path=m.npy", "--set", "model.dz=5", "--set", "model.dx=5", "--gather", "./m.npy"},
        "the run reads this file");
    row("a gather over the model by another name",
        {"run", "--set", "model.path=m.npy", "--set", "model.dz=5", "--set", "model.dx=5", "--gather", "link.npy"},
        "the run reads this file");
    row("a gather over the wavelet",
        {"run", "--set", "wavelet.file=w.npy", "--set", "wavelet.step=0.001", "--gather", "w.npy"},
        "the run reads this file");
    row("more samples than SEG-Y holds", {"run", "--set", "time.duration=20", "--gather", "a.sgy"}, "33223 samples");
    row("a longer interval than SEG-Y holds",
        {"run", "--dry-run", "--set", "time.sample_interval=0.05", "--gather", "a.sgy"}, "50000 us");
    row("an array of shots that differ", {"run", "--gather", "a.npy", "differ.toml"}, "different numbers of receivers");
    row("an unknown format before the model is read", {"convert", "m.npy", "m.xyz"}, ".xyz");
    row("convert a header onto its samples", {"convert", "split.rsf", "split.bin"}, "holds the samples of split.rsf");
    row("a sample interval beyond the run", {"run", "--set", "time.sample_interval=100"}, "longer than the run");
    row("a value out of range, once", {"run", "--set", "time.courant=2"}, "ondo: --set: time.courant = 2; it must be");
    row("a list on one line", {"run", "--set", "source.position=[nan, 1]"}, "source.position = [ nan, 1 ]; it must");
    row("no line of a file that nobody wrote", {"run", "--set", "wavelet.corners=[1, 2]"},
        "ondo: --set: wavelet.corners has 2 numbers");
    row("negative threads", {"run", "--threads", "-2"}, "--threads");
    row("threads that are no number", {"run", "--threads", "two"}, "--threads");
    row("option without its value", {"run", "--out"}, "--out");
    row("one argument too many", {"run", "a.toml", "b.toml"}, "too many");
    row("nothing to check", {"check"}, "FILE");
    row("check a missing file", {"check", "absent.sgy"}, "absent.sgy");
    row("check an empty file", {"check", "empty.npy"}, "empty");
    row("check noise", {"check", "noise.bin"}, "noise.bin");
    row("check with a key that is no hint", {"check", "m.npy", "--set", "time.duration=1"}, "model");
    row("convert without a second name", {"convert", "m.npy"}, "OUT");
    row("convert to an unknown format", {"convert", "m.npy", "m.xyz", "--set", "model.dz=5", "--set", "model.dx=5"},
        ".xyz");
    row("convert a file onto itself", {"convert", "m.npy", "m.npy"}, "both the input and the output");
    row("selftest of nothing", {"selftest", "--only", "nonsense"}, "nonsense");
    row("bench of nothing", {"bench", "--case", "nonsense"}, "nonsense");
    row("a gate without a report", {"bench", "--gate", "10"}, "name one with --compare");
    row("a gate beyond all", {"bench", "--compare", "old.json", "--gate", "101"}, "--gate");
    row("a gate that is no number", {"bench", "--compare", "old.json", "--gate", "much"}, "--gate");
    row("compare with an absent report", {"bench", "--compare", "absent.json"}, "absent.json");
    row("compare with noise", {"bench", "--compare", "noise.bin"}, "noise.bin is no bench report: no JSON at");
    row("compare with other JSON", {"bench", "--compare", "other.json"}, "other.json is JSON, but no bench report");
    row("compare with an older schema", {"bench", "--compare", "old.json"}, "old.json is a bench report of schema 1");
    row("two things on standard output", {"bench", "--compare", "old.json", "--json"}, "--json FILE");
    row("the same with a dash", {"bench", "--compare", "old.json", "--json", "-"}, "--json FILE");
    row("JSON into an absent folder", {"bench", "--json", "absent/a.json"}, "no folder absent");
    row("JSON over a folder", {"bench", "--json", "folder.png"}, "this is a folder");
    row("threads of a window", {"bench", "--view", "--threads", "1"}, "leave out --threads");
    row("a view compared", {"bench", "--view", "--compare", "old.json"}, "leave out --view");
    row("a view of many shots", {"bench", "--view", "--case", "s32"}, "no case s32 that a window can show");
}

void TestCliRefusals::refuses()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    Workshop w;
    w.writeModel("m.npy", 20, 30);
    w.write("broken.toml", "title = 'x'\n[model\n");
    w.write("unknown.toml", "[model]\npth = 'm.npy'\n");
    w.write("differ.toml", "[[shot]]\n[[shot.source]]\nposition = [900, 40]\n[shot.receivers]\nposition = [950, 40]\n"
                           "[[shot]]\n[[shot.source]]\nposition = [900, 40]\n");
    w.write("split.rsf", "n1=2\nn2=3\nd1=1\nd2=1\nesize=4\ndata_format=\"native_float\"\nin=\"./split.bin\"\n");
    w.write("split.bin", QByteArray(24, 'D'));
    w.write("empty.npy", "");
    w.write("old.json", R"({"program": "ondo bench", "version": "0.1.0", "cases": []})");
    w.write("other.json", R"({"program": "another"})");
    w.writeModel("w.npy", 1, 30);
    QVERIFY(QFile::link("m.npy", w.path("link.npy")));
    w.write("noise.bin", QByteArray("\x01\x7f\x00\xfe\x33", 5));
    QVERIFY(QDir(w.path(".")).mkdir("folder.png"));
    const auto before = w.files();
    const auto o = w.ondo(arguments);
    QVERIFY2(o.code == 2, o.all());
    QVERIFY2(o.err.contains("ondo: "), o.all());
    QVERIFY2(o.err.contains(says), o.all());
    QVERIFY2(!o.err.contains("terminate") && !o.err.contains("internal error"), o.all());
    QCOMPARE(w.files(), before);
}

void TestCliRefusals::namesTheNearest_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("nearest");
    QTest::newRow("command") << QStringList{"rnu"} << QByteArray("did you mean run?");
    QTest::newRow("option") << QStringList{"run", "--devcie", "cpu"} << QByteArray("did you mean --device?");
    QTest::newRow("option with a value") << QStringList{"run", "--pgn=a.png"} << QByteArray("did you mean --png?");
    QTest::newRow("option before the command") << QStringList{"--versoin"} << QByteArray("did you mean --version?");
    QTest::newRow("key") << QStringList{"run", "--set", "wavelet.frequencey=3"}
                         << QByteArray("did you mean wavelet.frequency?");
    QTest::newRow("case") << QStringList{"bench", "--case", "2d-1000-o9"} << QByteArray("did you mean 2d-1000-o");
}

void TestCliRefusals::namesTheNearest()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, nearest);
    const Workshop w;
    const auto o = w.ondo(arguments);
    QVERIFY2(o.code == 2, o.all());
    QVERIFY2(o.err.contains(nearest), o.all());
}

QTEST_GUILESS_MAIN(TestCliRefusals)
#include "tst_cli_refusals.moc"
