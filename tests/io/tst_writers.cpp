// What is written reads back, here and in other programs; writing is all or nothing.
#include "engine/io/array_file.h"
#include "engine/io/atomic_file.h"
#include "engine/io/convert.h"
#include "engine/io/gather_writer.h"
#include "engine/io/model_reader.h"
#include "engine/io/model_writer.h"
#include "engine/io/npy_writer.h"
#include "engine/io/png_writer.h"
#include "engine/io/read_watch.h"
#include "engine/io/result_writer.h"
#include "engine/io/wavelet_reader.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace ondo;

namespace {

// Not square, not symmetric: a swapped axis cannot hide.
Model aModel()
{
    const Grid grid = *Grid::make2D(7, 12, 5.0, 12.5, {-30.0, 0.0, 10.0});
    std::vector<float> v;
    for (int z = 0; z < 7; ++z) {
        for (int x = 0; x < 12; ++x) {
            v.push_back(1500.0F + 100.0F * static_cast<float>(z) + static_cast<float>(x));
        }
    }
    return *Model::make(grid, std::move(v), "test");
}

Gather aGather(int shot)
{
    Gather g;
    g.shot = shot;
    g.dt = 0.002;
    g.samples = 50;
    g.recorded = 50;
    g.sources = {{{1000.25, 0.0, 20.0}, Wavelet::ricker(10.0)}};
    g.receivers = receiverLine({0.0, 0.0, 10.0}, {400.0, 0.0, 12.0}, 3);
    for (int i = 0; i < 150; ++i) {
        g.traces.push_back(static_cast<float>(i + 1000 * shot) * 0.5F);
    }
    return g;
}

QByteArray bytesOf(const std::string& path)
{
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Runs a line of Python that has numpy and h5py; false with `skip` when there is none.
bool python(const QString& code, QString& out, bool& skip)
{
    QProcess process;
    for (const QString& program : {QString("/usr/bin/python3"), QString("python3")}) {
        process.start(program, {"-c", "import numpy, h5py"});
        if (process.waitForFinished(60000) && process.exitCode() == 0) {
            process.start(program, {"-c", code});
            process.waitForFinished(60000);
            out = process.readAllStandardOutput() + process.readAllStandardError();
            return process.exitCode() == 0;
        }
    }
    skip = true;
    return false;
}

} // namespace

class TestWriters : public QObject {
    Q_OBJECT

private slots:
    void modelRoundTrip_data();
    void modelRoundTrip();
    void gatherSegy();
    void gatherSegyOfAnyTitle();
    void coarseModelAsSegy();
    void aModelWithoutATrend();
    void gatherNpy();
    void segyRefuses();
    void resultsInHdf5();
    void resultsReadByOthers();
    void npyReadByOthers();
    void atomic();
    void png();
    void wavelets();
    void wrongEndings();
    void convertsTraces();
    void readingIsWatched_data();
    void readingIsWatched();

private:
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }
    QTemporaryDir m_folder;
};

void TestWriters::modelRoundTrip_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"m.npy", "m.bin", "m.rsf", "m.segy", "m.h5"}) {
        QTest::newRow(name) << name;
    }
}

void TestWriters::modelRoundTrip()
{
    QFETCH(QString, name);
    if (name == "m.h5" && !canWriteHdf5()) {
        QSKIP("built without HDF5");
    }
    const Model model = aModel();
    const std::string file = m_folder.filePath(name).toStdString();
    const auto written = writeModel(file, model);
    QVERIFY2(written.has_value(), written ? "" : written.error().text().c_str());
    ModelSource source;
    source.path = file;
    if (name == "m.npy" || name == "m.bin") {
        const auto bare = readModel(source);
        QVERIFY(!bare.has_value());
        source.nz = 7;
        source.nx = 12;
        source.dz = 5.0;
        source.dx = 12.5;
        source.originX = -30.0;
        source.originZ = 10.0;
    }
    const auto back = readModel(source);
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QVERIFY2(back->model.grid() == model.grid(), back->model.grid().describe().c_str());
    QVERIFY(back->model.velocity().samples() == model.velocity().samples());
    const auto report = inspect(file, name == "m.bin" ? source : ModelSource{});
    QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->statistics.low, 1500.0);
    QCOMPARE(report->statistics.high, 2111.0);
}

void TestWriters::gatherSegy()
{
    const std::vector<Gather> gathers = {aGather(0), aGather(1)};
    QVERIFY(writeGathers(path("g.segy"), gathers, "two shots").has_value());
    QVERIFY(writeGathers(path("h.segy"), gathers, "two shots").has_value());
    const QByteArray bytes = bytesOf(path("g.segy"));
    QVERIFY(bytes == bytesOf(path("h.segy")));
    QCOMPARE(bytes.size(), 3600 + 6 * (240 + 4 * 50));
    const auto word = [&bytes](qsizetype at, int width) {
        qint64 v = bytes[at] < 0 ? -1 : 0;
        for (int i = 0; i < width; ++i) {
            v = v * 256 + static_cast<unsigned char>(bytes[at + i]);
        }
        return v;
    };
    // Both headers: interval, samples, code, revision, one length (issue 232 of segyio: a file without them crashed others).
    QCOMPARE(word(3216, 2), 2000);
    QCOMPARE(word(3220, 2), 50);
    QCOMPARE(word(3224, 2), 5);
    QCOMPARE(word(3500, 2), 0x0100);
    QCOMPARE(word(3502, 2), 1);
    QCOMPARE(word(3212, 2), 3);
    const qsizetype fifth = 3600 + 4 * (240 + 200);
    QCOMPARE(word(fifth, 4), 5);
    QCOMPARE(word(fifth + 8, 4), 2);  // the second shot
    QCOMPARE(word(fifth + 12, 4), 2); // its second channel
    QCOMPARE(word(fifth + 114, 2), 50);
    QCOMPARE(word(fifth + 116, 2), 2000);
    QCOMPARE(word(fifth + 70, 2), -1000);
    QCOMPARE(word(fifth + 72, 4), 1000250);
    QCOMPARE(word(fifth + 80, 4), 200000);
    QCOMPARE(word(fifth + 40, 4), -11000);
    QCOMPARE(word(fifth + 48, 4), 20000);
    // Unassigned bytes are zero.
    QCOMPARE(bytes.mid(3260, 240).count('\0'), 240);
    QCOMPARE(bytes.mid(fifth + 200, 40).count('\0'), 40);
    const auto report = inspect(path("g.segy"));
    QVERIFY(report.has_value());
    QVERIFY(report->warnings.empty());
    QCOMPARE(report->shape, (std::vector<std::int64_t>{6, 50}));
    QCOMPARE(report->statistics.high, 574.5);
    QCOMPARE(*report->sampleInterval, 0.002);
}

// A letter outside ASCII once turned into two wrong ones.
void TestWriters::gatherSegyOfAnyTitle()
{
    const std::vector<Gather> gathers = {aGather(0)};
    QVERIFY(writeGathers(path("u.segy"), gathers, "Zwei Sch\xc3\xbcsse").has_value());
    QVERIFY(writeGathers(path("v.segy"), gathers, "Zwei Sch?sse").has_value());
    QVERIFY(bytesOf(path("u.segy")) == bytesOf(path("v.segy")));
}

// 80 m are more millimetres than a 16-bit word holds.
void TestWriters::coarseModelAsSegy()
{
    for (const double dz : {32.0, 80.0, 400.0}) {
        const Grid grid = *Grid::make2D(7, 12, dz, 12.5);
        const Model model = *Model::constant(grid, 2000.0F);
        const auto written = writeModel(path("coarse.segy"), model);
        QVERIFY2(written.has_value(), written ? "" : written.error().text().c_str());
        ModelSource source;
        source.path = path("coarse.segy");
        const auto back = readModel(source);
        QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
        QVERIFY(back->model.grid() == grid);
    }
}

// Rounding in the means of a model that is the same everywhere is no sign that it lies on its side.
void TestWriters::aModelWithoutATrend()
{
    const std::vector<float> samples(std::size_t{31} * 35, 2000.0F);
    QVERIFY(writeNpy(path("flat.npy"), samples, {31, 35}).has_value());
    ModelSource source;
    source.path = path("flat.npy");
    source.dz = source.dx = 10.0;
    const auto flat = readModel(source);
    QVERIFY(flat.has_value());
    for (const auto& note : flat->notes) {
        QVERIFY2(note.find("on its side") == std::string::npos, note.c_str());
    }
}

void TestWriters::gatherNpy()
{
    const std::vector<Gather> gathers = {aGather(0), aGather(1)};
    QVERIFY(writeGathers(path("one.npy"), std::span(gathers).first(1)).has_value());
    QVERIFY(writeGathers(path("two.npy"), gathers).has_value());
    QCOMPARE(inspect(path("one.npy"))->shape, (std::vector<std::int64_t>{3, 50}));
    QCOMPARE(inspect(path("two.npy"))->shape, (std::vector<std::int64_t>{2, 3, 50}));
    QCOMPARE(inspect(path("two.npy"))->statistics.high, 574.5);
}

void TestWriters::segyRefuses()
{
    Gather g = aGather(0);
    g.samples = 40000;
    g.receivers.resize(1);
    g.traces.assign(40000, 1.0F);
    const auto longer = writeGathers(path("long.segy"), {&g, 1});
    QVERIFY(!longer.has_value() && longer.error().text().find("32767") != std::string::npos);
    g = aGather(0);
    g.dt = 1e-8;
    QVERIFY(!writeGathers(path("fast.segy"), {&g, 1}).has_value());
    QVERIFY(!QFile::exists(m_folder.filePath("long.segy")));
}

void TestWriters::resultsInHdf5()
{
    if (!canWriteHdf5()) {
        QSKIP("built without HDF5");
    }
    RunResult result;
    result.model = aModel();
    result.description.title = "a run";
    result.description.survey.shots = {{aGather(0).sources, aGather(0).receivers}};
    result.gathers = {aGather(0), aGather(1)};
    result.device = "CPU";
    result.planText = "a plan\nof two lines";
    LastField field;
    field.nz = 7;
    field.nx = 12;
    field.pressure.assign(84, 0.25F);
    field.step = 123;
    field.time = 0.25;
    result.field = field;
    const auto r = writeResults(path("r.h5"), result);
    QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
    const auto report = inspect(path("r.h5"));
    QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
    const auto find = [&report](const std::string& name) {
        return std::find_if(report->arrays.begin(), report->arrays.end(),
                            [&name](const auto& a) { return a.name == name; });
    };
    QVERIFY(find("shots/0001/traces") != report->arrays.end());
    QCOMPARE(find("shots/0001/traces")->shape, (std::vector<std::int64_t>{3, 50}));
    QCOMPARE(find("shots/0001/traces")->statistics->high, 574.5);
    QCOMPARE(find("field/pressure")->statistics->sum, 21.0);
    // The model in a results file is a model to read.
    ModelSource source;
    source.path = path("r.h5");
    const auto model = readModel(source);
    QVERIFY2(model.has_value(), model ? "" : model.error().text().c_str());
    QVERIFY(model->model.grid() == result.model.grid());
    result.gathers[0].traces.pop_back();
    QVERIFY(!writeResults(path("bad.h5"), result).has_value());
    QVERIFY(!QFile::exists(m_folder.filePath("bad.h5")));
}

void TestWriters::resultsReadByOthers()
{
    if (!canWriteHdf5()) {
        QSKIP("built without HDF5");
    }
    QString out;
    bool skip = false;
    const QString code = QString(R"(
import h5py, numpy
f = h5py.File('%1')
t = f['shots/0001/traces']
assert t.shape == (3, 50) and t.dtype == numpy.float32, t
assert t[1, 2] == 526.0, t[1, 2]
w = f['shots/0000/wavelets']
assert w.attrs['unit'] == 'Pa', dict(w.attrs)
assert t.attrs['unit'] == 'Pa' and list(t.attrs['axes']) == ['receiver', 'time'], dict(t.attrs)
assert t.attrs['sample_interval'] == 0.002 and t.attrs['recorded'] == 50
v = f['model/velocity']
assert v.shape == (7, 12) and v[6, 11] == 2111 and list(v.attrs['spacing']) == [5, 12.5] and list(v.attrs['origin']) == [10, -30]
assert list(f['shots/0000/receivers'][2]) == [400, 0, 12]
assert f['shots/0000/wavelets'].shape == (1, 50)
assert f['provenance/plan'].asstr()[()].startswith('a plan'), f['provenance/plan'][()]
assert b'[receivers]' in f['provenance/run_file'][()]
assert f.attrs['complete'] == 1 and f.attrs['device'] == 'CPU'
assert f['field/pressure'].attrs['step'] == 123
)")
                             .arg(m_folder.filePath("r.h5"));
    const bool fine = python(code, out, skip);
    if (skip) {
        QSKIP("no Python with numpy and h5py");
    }
    QVERIFY2(fine, qPrintable(out));
}

void TestWriters::npyReadByOthers()
{
    QVERIFY(writeNpy(path("n.npy"), std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}).has_value());
    QString out;
    bool skip = false;
    const bool fine = python(
        QString(
            "import numpy as n; a = n.load('%1'); assert a.shape == (3, 2) and a[2, 1] == 6 and a.dtype == n.float32; "
            "n.save('%2', n.asfortranarray(n.arange(6, dtype='>i2').reshape(2, 3)))")
            .arg(m_folder.filePath("n.npy"), m_folder.filePath("theirs.npy")),
        out, skip);
    if (skip) {
        QSKIP("no Python with numpy and h5py");
    }
    QVERIFY2(fine, qPrintable(out));
    const auto theirs = openArrayFile(path("theirs.npy"));
    QVERIFY(theirs.has_value() && theirs->arrays[0].firstFastest);
    QCOMPARE(*readDoubles(theirs->arrays[0]), (std::vector<double>{0, 3, 1, 4, 2, 5}));
    const auto converted = convertFile(path("theirs.npy"), path("ours.npy"));
    QVERIFY2(converted.has_value(), converted ? "" : converted.error().text().c_str());
    QCOMPARE(*readDoubles(openArrayFile(path("ours.npy"))->arrays[0]), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

void TestWriters::atomic()
{
    QVERIFY(writeText(path("a.txt"), "old").has_value());
    const auto failed = writeAtomically(path("a.txt"), [](const std::string& temporary) -> Result<> {
        std::ofstream(temporary) << "half";
        return fail(ErrorKind::Io, "the disk is full");
    });
    QVERIFY(!failed.has_value());
    QCOMPARE(bytesOf(path("a.txt")), QByteArray("old"));
    QVERIFY(!writeText(path("nowhere/a.txt"), "x").has_value());
    QVERIFY(!writeText(m_folder.path().toStdString(), "x").has_value());
    QVERIFY(QDir(m_folder.path()).entryList({".*.part"}, QDir::Files | QDir::Hidden).isEmpty());
}

void TestWriters::png()
{
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 5 * 3 * 4; ++i) {
        pixels.push_back(static_cast<std::uint8_t>(i * 4));
    }
    QVERIFY(writePng(path("p.png"), {5, 3, 4, pixels, 3780.0}).has_value());
    QVERIFY(bytesOf(path("p.png")).startsWith("\x89PNG\r\n\x1a\n"));
    QVERIFY(!writePng(path("q.png"), {5, 4, 4, pixels}).has_value());
}

void TestWriters::wavelets()
{
    std::ofstream(path("two.csv")) << "time,value\n0,0.5\n0.001,1\n0.002,-1\n";
    const auto two = readWavelet(path("two.csv"));
    QVERIFY2(two.has_value(), two ? "" : two.error().text().c_str());
    QVERIFY(std::abs(two->recordedStep - 0.001) < 1e-12);
    QCOMPARE(two->recorded, (std::vector<double>{0.5, 1, -1}));
    std::ofstream(path("one.txt")) << "# samples\n1.0D+00\n2\n3\n";
    QVERIFY(!readWavelet(path("one.txt")).has_value());
    QCOMPARE(readWavelet(path("one.txt"), 0.004)->recorded.size(), std::size_t{3});
    std::ofstream(path("uneven.txt")) << "0 1\n1 2\n5 3\n";
    QVERIFY(!readWavelet(path("uneven.txt")).has_value());
    QVERIFY(writeNpy(path("w.npy"), std::vector<float>{0, 1, 0}, {3}).has_value());
    QCOMPARE(readWavelet(path("w.npy"), 0.002)->recorded.size(), std::size_t{3});
}

void TestWriters::wrongEndings()
{
    const auto model = writeModel(path("m.xyz"), aModel());
    QVERIFY(!model.has_value() && model.error().text().find(".npy") != std::string::npos);
    const Gather g = aGather(0);
    QVERIFY(!writeGathers(path("g.mat"), {&g, 1}).has_value());
    // The name's ending decides nothing about reading.
    QVERIFY(writeModel(path("right.npy"), aModel()).has_value());
    QVERIFY(QFile::copy(m_folder.filePath("right.npy"), m_folder.filePath("wrong.segy")));
    QCOMPARE(inspect(path("wrong.segy"))->format, std::string("NumPy .npy"));
}

void TestWriters::convertsTraces()
{
    const Gather g = aGather(0);
    QVERIFY(writeGathers(path("t.segy"), {&g, 1}).has_value());
    const auto done = convertFile(path("t.segy"), path("t.npy"));
    QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
    QCOMPARE(inspect(path("t.npy"))->shape, (std::vector<std::int64_t>{3, 50}));
    QVERIFY(!convertFile(path("t.segy"), path("t.segy")).has_value());
    QVERIFY(!convertFile(path("t.segy"), path("t.h5")).has_value());
}

void TestWriters::readingIsWatched_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("npy") << QStringLiteral("watched.npy");
    QTest::newRow("HDF5") << QStringLiteral("watched.h5");
}

// How much of a file is read is told in growing shares, up to all of it; "no" ends the reading.
void TestWriters::readingIsWatched()
{
    QFETCH(QString, name);
    constexpr int kNodes = 1501; // 9 MB: several looks
    std::vector<float> values(static_cast<std::size_t>(kNodes) * kNodes);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = 1500.0F + static_cast<float>(i % 1999);
    }
    const Model model = *Model::make(*Grid::make2D(kNodes, kNodes, 10.0, 10.0), std::move(values), "watched");
    ModelSource source;
    source.path = path(name.toUtf8().constData());
    source.dx = source.dz = 10.0;
    QVERIFY(writeModel(source.path, model).has_value());
    std::vector<double> shares;
    {
        const ReadWatch watch([&](double share) {
            shares.push_back(share);
            return true;
        });
        QVERIFY(readModel(source).has_value());
    }
    QVERIFY(shares.size() > 2);
    QVERIFY(std::is_sorted(shares.begin(), shares.end()));
    QVERIFY2(shares.front() < 0.5 && shares.back() > 0.98, qPrintable(QString::number(shares.back())));
    {
        const ReadWatch watch([](double share) { return share < 0.4; });
        const auto read = readModel(source);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().kind, ErrorKind::Cancelled);
    }
    QVERIFY(readModel(source).has_value()); // nobody watches any more
}

QTEST_GUILESS_MAIN(TestWriters)
#include "tst_writers.moc"
