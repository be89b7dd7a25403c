// The TOML run description: every key round-trips, what is wrong is refused with its line and the nearest key.
#include "engine/io/run_file.h"

#include "engine/io/model_reader.h"
#include "engine/io/npy_writer.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace ondo;

namespace {

QString messageOf(const char* text)
{
    const auto r = parseRunFile(text, "run.toml");
    return r ? QString() : QString::fromStdString(r.error().text());
}

} // namespace

class TestRunFile : public QObject {
    Q_OBJECT

private slots:
    void everyKeyIsDescribed();
    void defaultsAreEmpty();
    void readsAll();
    void roundTripCompact();
    void roundTripGeneral();
    void refuses_data();
    void refuses();
    void sets();
    void setRefuses();
    void writesPathsRelative();
    void densityComesBack();
    void densityIsRead();
};

void TestRunFile::everyKeyIsDescribed()
{
    QVERIFY(runKeys().size() > 50);
    for (const auto& key : runKeys()) {
        QVERIFY2(!key.type.empty() && !key.meaning.empty() && !key.defaultText.empty(), key.name.c_str());
        QVERIFY(runKeysText().find(key.meaning) != std::string::npos);
    }
}

void TestRunFile::defaultsAreEmpty()
{
    const auto r = parseRunFile("", "run.toml");
    QVERIFY(r.has_value());
    QVERIFY(*r == RunDescription{});
    QCOMPARE(QString::fromStdString(runFileText({})), QString());
}

void TestRunFile::readsAll()
{
    const auto r = parseRunFile(R"(
title = "a \"quoted\" line"
[model]
path = "/data/m.bin"
nz = 301
nx = 941
dz = 10
dx = 12.5
origin_x = -200
sample_type = "int16"
byte_order = "big"
axes = "xz"
quantity = "slowness"
unit = "km/s"
[boundary]
all = "rigid"
top = "free"
x_low = "absorbing"
layer_cells = 30
reflection = 1e-4
frequency = 8
[wavelet]
kind = "ormsby"
corners = [3, 8, 30, 45]
amplitude = 2e6
[source]
first = [1000, 20]
last = [3000, 20]
count = 3
[receivers]
first = [0, 5, 10]
last = [4000, 5, 10]
count = 5
[time]
duration = 2.5
sample_interval = 0.002
courant = 0.5
[numerics]
order = 12
precision = "float64"
[run]
device = "cuda:1"
shots_at_once = 4
[output]
results = "out.h5"
picture = "out.png"
gather = "out.segy"
)",
                                "run.toml");
    QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
    QCOMPARE(r->title, std::string("a \"quoted\" line"));
    QCOMPARE(r->model.nz, 301);
    QCOMPARE(*r->model.dx, 12.5);
    QCOMPARE(r->model.axes, std::string("xz"));
    QVERIFY(r->boundary.at(Face::ZLow) == FaceCondition::Free);
    QVERIFY(r->boundary.at(Face::XLow) == FaceCondition::Absorbing);
    QVERIFY(r->boundary.at(Face::XHigh) == FaceCondition::Rigid);
    QCOMPARE(r->boundary.layerCells, 30);
    QCOMPARE(r->survey.shots.size(), std::size_t{3});
    QCOMPARE(r->survey.shots[1].sources[0].position.x, 2000.0);
    QVERIFY(r->survey.shots[2].sources[0].wavelet.kind == WaveletKind::Ormsby);
    QCOMPARE(r->survey.shots[0].receivers.size(), std::size_t{5});
    QCOMPARE(r->survey.shots[0].receivers[1].position.y, 5.0);
    QCOMPARE(r->spaceOrder, 12);
    QVERIFY(r->precision == Precision::Float64);
    QCOMPARE(*r->sampleInterval, 0.002);
    QCOMPARE(r->shotsAtOnce, 4);
    const auto back = parseRunFile(runFileText(*r), "run.toml");
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QVERIFY(*back == *r);
}

void TestRunFile::roundTripCompact()
{
    RunDescription d;
    d.courant = 0.1 + 0.2; // a number that needs all its digits
    d.survey.shots = {
        {{{{1.0 / 3.0, 0.0, 7.0}, Wavelet::ricker(11.5, 0.2, 1e-7)}}, {{{1, 0, 2}}, {{5, 0, 2}}, {{6, 3, 2}}}}};
    const auto back = parseRunFile(runFileText(d), "run.toml");
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QVERIFY(*back == d);
}

void TestRunFile::roundTripGeneral()
{
    RunDescription d;
    const auto sampled = Wavelet::sampled({0.0, 1.0, -0.5, 1e-9}, 0.004);
    QVERIFY(sampled.has_value());
    d.survey.shots = {{{{{10, 0, 5}, Wavelet::ricker(10)}, {{20, 1, 5}, *sampled}}, {{{1, 0, 2}}}},
                      {{{{30, 0, 5}, Wavelet::ricker(12)}}, {}}};
    const auto back = parseRunFile(runFileText(d), "run.toml");
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QVERIFY(*back == d);
}

void TestRunFile::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("key") << "[wavelet]\nfrequncy = 3\n"
                         << "run.toml:2: unknown key wavelet.frequncy; did you mean wavelet.frequency?";
    QTest::newRow("section") << "[wavelett]\n"
                             << "run.toml:1: unknown key or section wavelett; did you mean wavelet?";
    QTest::newRow("wrong section") << "[run]\norder = 4\n"
                                   << "did you mean numerics.order?";
    QTest::newRow("negative") << "\n[wavelet]\nfrequency = -12\n"
                              << "run.toml:3: wavelet.frequency = -12; it must be a number, above 0";
    QTest::newRow("type") << "[time]\nduration = \"2\"\n"
                          << "run.toml:2: time.duration";
    QTest::newRow("fraction") << "[model]\nnz = 2.5\n"
                              << "it must be an integer";
    QTest::newRow("not a number") << "[time]\nduration = nan\n"
                                  << "run.toml:2: time.duration";
    QTest::newRow("choice") << "[boundary]\ntop = \"open\"\n"
                            << "one of absorbing, free, rigid";
    QTest::newRow("odd order") << "[numerics]\norder = 7\n"
                               << "even";
    QTest::newRow("position") << "[source]\nposition = [1]\n"
                              << "a position is [x, z]";
    QTest::newRow("two ways") << "[source]\nposition = [1, 2]\ncount = 3\n"
                              << "more than one way";
    QTest::newRow("line without end") << "[receivers]\nfirst = [1, 2]\ncount = 3\n"
                                      << "without its ends";
    QTest::newRow("corners") << "[wavelet]\nkind = \"ormsby\"\ncorners = [9, 8, 30, 40]\n"
                             << "run.toml:1";
    QTest::newRow("sampled without") << "[wavelet]\nkind = \"sampled\"\n"
                                     << "needs wavelet.file";
    QTest::newRow("missing wavelet") << "[wavelet]\nfile = \"/nowhere/w.txt\"\n"
                                     << "/nowhere/w.txt";
    QTest::newRow("faces differ") << "[boundary]\ntop = \"free\"\nz_low = \"rigid\"\n"
                                  << "the same face";
    QTest::newRow("shot and source") << "[source]\nposition = [1, 2]\n[[shot]]\n"
                                     << "use one of them";
    QTest::newRow("empty shot") << "[[shot]]\n"
                                << "without a source";
    QTest::newRow("lone step") << "[wavelet]\nstep = 0.1\n"
                               << "without a recorded wavelet";
    QTest::newRow("syntax") << "[time]\nduration = = 2\n"
                            << "run.toml:2:";
    QTest::newRow("section as value") << "model = 3\n"
                                      << "model must be a section";
}

void TestRunFile::refuses()
{
    QFETCH(QString, text);
    QFETCH(QString, message);
    const QString got = messageOf(text.toUtf8().constData());
    QVERIFY2(got.contains(message), qPrintable(got));
}

void TestRunFile::sets()
{
    auto d = parseRunFile(
        "[source]\nfirst=[0,10]\nlast=[100,10]\ncount=2\n[receivers]\nfirst=[0,1]\nlast=[10,1]\ncount=11\n",
        "run.toml");
    QVERIFY(d.has_value());
    for (const char* assignment :
         {"wavelet.frequency=15", "source.position = [3000, 12.5]", "receivers.count=21", "boundary.top=free",
          "run.device=cpu", "time.duration=1.5", "title=two words", "numerics.order=4"}) {
        const auto r = setKey(*d, assignment);
        QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
    }
    QCOMPARE(d->survey.shots.size(), std::size_t{1});
    QCOMPARE(d->survey.shots[0].sources[0].position.z, 12.5);
    QCOMPARE(d->survey.shots[0].sources[0].wavelet.peakFrequency, 15.0);
    QCOMPARE(d->survey.shots[0].receivers.size(), std::size_t{21});
    QCOMPARE(d->device, std::string("cpu"));
    QCOMPARE(d->title, std::string("two words"));
    QVERIFY(d->boundary.at(Face::ZLow) == FaceCondition::Free);
    const std::vector<std::string> faces = {"boundary.layer_cells=33", "boundary.all=rigid", "boundary.x_low=free"};
    QVERIFY(setKeys(*d, faces).has_value());
    QVERIFY(d->boundary.at(Face::ZLow) == FaceCondition::Rigid && d->boundary.at(Face::XLow) == FaceCondition::Free);
    QCOMPARE(d->boundary.layerCells, 33);
    // Together they make sense, one by one they do not.
    const std::vector<std::string> line = {"source.last=[90,5]", "source.count=4", "source.first=[0,5]"};
    QVERIFY(!setKey(*d, line[0]).has_value());
    const auto r = setKeys(*d, line);
    QVERIFY2(r.has_value(), r ? "" : r.error().text().c_str());
    QCOMPARE(d->survey.shots.size(), std::size_t{4});
    QCOMPARE(d->survey.shots[1].sources[0].position.x, 30.0);
}

void TestRunFile::setRefuses()
{
    RunDescription d;
    d.title = "kept";
    for (const char* assignment :
         {"no equals", "wavelet.frequncy=3", "time.courant=7", "numerics.order=3", "model.nz=many"}) {
        const auto r = setKey(d, assignment);
        QVERIFY2(!r.has_value(), assignment);
        QVERIFY(r.error().text().find("--set") != std::string::npos);
        QCOMPARE(exitCode(r.error()), 2);
    }
    QVERIFY(d.title == "kept" && d.courant == 0.0);
}

void TestRunFile::densityComesBack()
{
    const auto d = parseRunFile("equation = \"variable-density\"\n[density]\npath = \"/data/z.npy\"\nquantity = "
                                "\"impedance\"\n[source]\nposition = [1, 2]\n",
                                "run.toml");
    QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
    QVERIFY(d->equation == Equation::VariableDensity && d->density.quantity == "impedance");
    const auto again = parseRunFile(runFileText(*d), "again.toml");
    QVERIFY(again.has_value() && *again == *d);
    QVERIFY(!parseRunFile("equation = \"elastic\"\n", "run.toml").has_value());
}

// One value, Gardner's rule, and impedance over speed; two at once are refused.
void TestRunFile::densityIsRead()
{
    RunDescription d;
    const auto at = [](const RunDescription& run) {
        const auto loaded = readRunModel(run);
        return loaded && loaded->model.hasDensity() ? static_cast<double>(loaded->model.density().samples()[0]) : -1.0;
    };
    QCOMPARE(at(d), -1.0);
    d.density.value = 1900.0;
    QCOMPARE(at(d), 1900.0);
    d.density.gardner = true;
    QVERIFY(!readRunModel(d).has_value());
    d.density.value.reset();
    const double v = static_cast<double>(readRunModel(d)->model.velocity().samples()[0]);
    QVERIFY(std::abs(at(d) / (310.0 * std::sqrt(std::sqrt(v))) - 1.0) < 1e-6);
    const QTemporaryDir folder;
    const std::string file = folder.path().toStdString() + "/z.npy";
    const Grid g = readRunModel(d)->model.grid();
    QVERIFY(writeNpy(file, std::vector<float>(static_cast<std::size_t>(g.nodes()), 3.0e6F),
                     {static_cast<std::int64_t>(g.nz), static_cast<std::int64_t>(g.nx)})
                .has_value());
    d.density = {};
    d.density.path = file;
    d.density.quantity = "impedance";
    QVERIFY2(std::abs(at(d) * v / 3.0e6 - 1.0) < 1e-6, qPrintable(QString::number(at(d))));
}

void TestRunFile::writesPathsRelative()
{
    const QTemporaryDir folder;
    const std::string inside = folder.path().toStdString();
    std::filesystem::create_directory(inside + "/sub");
    std::ofstream(inside + "/sub/w.txt") << "0 0\n0.002 1\n0.004 0\n";
    std::ofstream(inside + "/run.toml")
        << "[model]\npath=\"sub/m.npy\"\n[wavelet]\nfile=\"sub/w.txt\"\n[source]\nposition=[1,2]\n";
    const auto d = readRunFile(inside + "/run.toml");
    QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
    QCOMPARE(d->model.path, inside + "/sub/m.npy");
    QCOMPARE(d->survey.shots[0].sources[0].wavelet.recordedStep, 0.002);
    QVERIFY(writeRunFile(*d, inside + "/copy.toml").has_value());
    std::ifstream copy(inside + "/copy.toml");
    const std::string text((std::istreambuf_iterator<char>(copy)), {});
    QVERIFY2(text.find("\"sub/m.npy\"") != std::string::npos && text.find("\"sub/w.txt\"") != std::string::npos,
             text.c_str());
    const auto back = readRunFile(inside + "/copy.toml");
    QVERIFY(back.has_value() && *back == *d);
}

QTEST_GUILESS_MAIN(TestRunFile)
#include "tst_run_file.moc"
