// Where sources and receivers stand, read from files: the real ones as their catalogue says, our own by the columns of
// the standards, and what must be refused.
#include "engine/io/geometry_file.h"
#include "engine/io/run_file.h"
#include "engine/io/run_loader.h"
#include "engine/io/segy_writer.h"
#include "engine/io/survey_files.h"
#include "tests/io/case_catalogue.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <cmath>

using namespace ondo;

namespace {

bool mentions(const std::vector<std::string>& lines, const char* word)
{
    return std::any_of(lines.begin(), lines.end(), [word](const auto& l) { return l.find(word) != std::string::npos; });
}

} // namespace

#define READ(var, ...)                                                                                                 \
    const auto var##_ = readGeometry(__VA_ARGS__);                                                                     \
    QVERIFY2(var##_.has_value(), var##_ ? "" : var##_.error().text().c_str());                                         \
    const GeometryFile& var = *var##_

class TestGeometry : public QObject {
    Q_OBJECT

private slots:
    void sps();
    void spsWithoutColumns();
    void p190();
    void tables();
    void ownColumns();
    void headersOfTraces();
    void projection();
    void runFile();
    void relationsMakeShots();
    void refusals_data();
    void refusals();

private:
    std::string write(const char* name, const std::string& text)
    {
        QFile file(m_scratch.filePath(name));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(text.data(), static_cast<qint64>(text.size()));
        }
        return file.fileName().toStdString();
    }
    std::string real(const char* name) { return (m_folder + "/geometry/" + name).toStdString(); }
    QString m_folder = casesFolder();
    QTemporaryDir m_scratch;
};

void TestGeometry::sps()
{
    if (m_folder.isEmpty()) {
        QSKIP("the folder of real cases is not beside the project (ONDO_CASES)");
    }
    QVERIFY(isGeometryFile(real("sps/sps.txt")));
    READ(g, real("sps/sps.txt"));
    QCOMPARE(g.sources.size(), 536U);
    QCOMPARE(g.receivers.size(), 537U);
    QCOMPARE(g.relations.size(), 536U);
    const auto& s = g.sources.front();
    QCOMPARE(g.lines[static_cast<std::size_t>(s.line)], std::string("DX08-01G"));
    QCOMPARE(s.number, 151.5);
    QCOMPARE(s.x, 613764.6);
    QCOMPARE(s.y, 9828422.9);
    QCOMPARE(s.elevation, 9.4);
    QCOMPARE(s.depth, 2.5);
    QCOMPARE(g.receivers.back().number, 637.0);
    QCOMPARE(g.receivers.back().x, 621334.4);
    QCOMPARE(g.receivers.back().y, 9840866.1);
    const auto& x = g.relations.front();
    QCOMPARE(x.record, std::int64_t{9});
    QCOMPARE(x.sourcePoint, 151.5);
    QCOMPARE(x.fromChannel, 1);
    QCOMPARE(x.toChannel, 121);
    QCOMPARE(x.fromReceiver, 101.0);
    QCOMPARE(x.toReceiver, 221.0);
    QVERIFY(mentions(g.description, "revision 0") && mentions(g.description, "taken as metres"));
}

// Trap 15: a leading blank, fields that keep no columns, and feet.
void TestGeometry::spsWithoutColumns()
{
    if (m_folder.isEmpty()) {
        QSKIP("the folder of real cases is not beside the project (ONDO_CASES)");
    }
    READ(r, real("sps/kanpur.rps"));
    QCOMPARE(r.receivers.size(), 200U);
    QCOMPARE(r.receivers.front().number, 2001.0);
    QCOMPARE(r.receivers.back().number, 2200.0);
    QVERIFY(std::abs(r.receivers[1].x - r.receivers[0].x - 20 * 0.30480061) < 1e-9);
    QVERIFY(std::abs(r.receivers.back().x - 3980 * 0.30480061) < 1e-9);
    QVERIFY(mentions(r.description, "as the file says") && !r.warnings.empty());
    READ(s, real("sps/kanpur.sps"));
    QCOMPARE(s.sources.size(), 21U);
    QCOMPARE(s.sources.back().number, 41021.0);
    READ(x, real("sps/kanpur.xps"));
    QCOMPARE(x.relations.size(), 21U);
    QCOMPARE(x.relations.front().fromReceiver, 2030.0);
    QCOMPARE(x.relations.front().toReceiver, 2170.0);
    QCOMPARE(x.relations.front().toChannel - x.relations.front().fromChannel, 140);
    // The user's word goes before the file's, and that is said.
    READ(m, real("sps/kanpur.rps"), {"m", {}, {}, {}});
    QCOMPARE(m.receivers.back().x, 3980.0);
    QVERIFY(mentions(m.warnings, "as you stated"));
}

void TestGeometry::p190()
{
    if (m_folder.isEmpty()) {
        QSKIP("the folder of real cases is not beside the project (ONDO_CASES)");
    }
    READ(g, real("p190/mgl0807.p190"));
    QCOMPARE(g.format, std::string("P1/90"));
    QCOMPARE(g.sources.size(), 2U);
    QCOMPARE(g.receivers.size(), 1272U);
    QCOMPARE(g.sources.front().number, 143003.0);
    QCOMPARE(g.sources.front().x, 393071.8);
    QCOMPARE(g.sources.front().y, 1124674.5);
    QCOMPARE(g.receivers.front().x, 393299.0);
    QCOMPARE(g.receivers.front().y, 1116464.1);
    QCOMPARE(g.receivers.front().depth, 5.8);
    QCOMPARE(g.receivers[4].depth, 5.9);
    QCOMPARE(g.spreads.size(), 2U);
    QCOMPARE(g.spreads[0].size(), 636U);
    QCOMPARE(g.spreads[1].front(), 636U);
    // Degrees and grid agree, so that the unit of the header is right.
    QVERIFY2(g.warnings.empty(), g.warnings.empty() ? "" : g.warnings.front().c_str());
}

void TestGeometry::tables()
{
    if (m_folder.isEmpty()) {
        QSKIP("the folder of real cases is not beside the project (ONDO_CASES)");
    }
    READ(s, real("tables/source_OBC_VSP.dat"));
    QCOMPARE(s.sources.size(), 100U);
    QCOMPARE(s.sources.front().x, 800.0);
    QCOMPARE(s.sources.front().depth, 40.0);
    QCOMPARE(s.sources.back().x, 8720.0);
    READ(tow, real("tables/source_streamer_tow.dat"));
    QCOMPARE(tow.sources.size(), 97U);
    READ(r, real("tables/receiver_OBC.dat"));
    QCOMPARE(r.places.size(), 400U);
    QCOMPARE(r.places.front().x, 800.0);
    QCOMPARE(r.places.front().depth, 460.0);
    READ(v, real("tables/receiver_VSP.dat"));
    QCOMPARE(v.places.size(), 201U);
    QCOMPARE(v.places.back().depth, 3000.0);
    READ(st, real("tables/STATIONS_checker"));
    QCOMPARE(st.format, std::string("STATIONS of SPECFEM"));
    QCOMPARE(st.places.size(), 132U);
    QCOMPARE(st.places.front().x, 243610.0);
    QCOMPARE(st.places.front().elevation, 278904.0);
    READ(spn, real("tables/spnXY.txt"));
    QCOMPARE(spn.places.size(), 56U);
    QCOMPARE(spn.places.front().number, 100.0);
    QCOMPARE(spn.places.front().x, 107575.318015);
    QCOMPARE(spn.lines.front(), std::string("31-81"));
    QVERIFY(mentions(spn.description, "metres"));
    // Two columns of counts hold no places of their own accord.
    QVERIFY(!isGeometryFile(real("tables/recnoSpn.txt")));
    QVERIFY(isGeometryFile(real("tables/spnXY.txt")) && isGeometryFile(real("tables/STATIONS_checker")) &&
            isGeometryFile(real("tables/source_OBC_VSP.dat")));
}

// Written by the columns of SPS 2.1, which differ from revision 0's.
void TestGeometry::ownColumns()
{
    const auto s = [](double line, double point, double depth, double x, double y, double elevation) {
        return fmt::format("S{:10.2f}{:10.2f}  1V1{:4d}{:4.1f}{:4d}{:2d}{:6.1f}{:9.1f}{:10.1f}{:6.1f}177042821\n", line,
                           point, 0, depth, 0, 0, 0.0, x, y, elevation);
    };
    const std::string head = fmt::format("{:<32}SPS 2.1,JAN2006\n", "H00 SPS format version num.");
    const auto path = write("own.s01", head + s(3762, 3961, 7.2, 454773.4, 3008241.9, -0.2) +
                                           s(3762, 3959, 7.2, 454762.9, 3008193.0, 12.5));
    READ(g, path);
    QVERIFY(mentions(g.description, "revision 2.1"));
    QCOMPARE(g.sources.size(), 2U);
    QCOMPARE(g.sources[0].number, 3961.0);
    QCOMPARE(g.sources[0].depth, 7.2);
    QCOMPARE(g.sources[1].elevation, 12.5);
    QCOMPARE(g.lines[0], std::string("3762.00"));
    const auto x = fmt::format("X{:>6}{:8d}11{:10.2f}{:10.2f}1{:5d}{:5d}1{:10.2f}{:10.2f}{:10.2f}1\n", 1001, 82873,
                               19248.0, 27516.0, 1, 435, 27023.0, 18875.0, 19743.0);
    READ(relations, write("own.x01", head + x));
    QCOMPARE(relations.relations.size(), 1U);
    const auto& r = relations.relations[0];
    QCOMPARE(r.record, std::int64_t{82873});
    QCOMPARE(r.sourcePoint, 27516.0);
    QCOMPARE(relations.lines[static_cast<std::size_t>(r.sourceLine)], std::string("19248.00"));
    QCOMPARE(r.toChannel, 435);
    QCOMPARE(r.fromReceiver, 18875.0);
    QCOMPARE(r.toReceiver, 19743.0);
    // Slipped by one blank, and with lines that end as on other systems.
    std::string slipped = " " + s(3762, 3961, 7.2, 454773.4, 3008241.9, -0.2);
    slipped.insert(slipped.size() - 1, "\r");
    READ(b, write("slipped.s01", head + slipped));
    QCOMPARE(b.sources[0].x, 454773.4);
    QVERIFY(mentions(b.description, "slipped") && !b.warnings.empty());
    // Named columns: order and separators are the file's.
    READ(c, write("c.csv", "station;northing;easting;elevation\nA1;200.5;100;3\nA2;201.5;110;4\n"));
    QCOMPARE(c.places[1].x, 110.0);
    QCOMPARE(c.places[1].y, 201.5);
    QCOMPARE(c.places[1].elevation, 4.0);
    READ(n, write("n.txt", "7 1 2 3\n8 4 5 6\n"), {"km", "- x y depth", {}, {}});
    QCOMPARE(n.places[1].x, 4000.0);
    QCOMPARE(n.places[1].depth, 6000.0);
    // A station that stands twice is told.
    READ(twice, write("t.csv", "x,y\n1,2\n3,4\n1,2\n"));
    QVERIFY(mentions(twice.warnings, "where another does"));
}

void TestGeometry::headersOfTraces()
{
    const std::vector<float> samples(20, 1.0F);
    SegyDocument d;
    d.intervalMicroseconds = 2000;
    for (int shot = 0; shot < 3; ++shot) {
        for (int r = 0; r < 4; ++r) {
            SegyTrace t;
            t.samples = samples;
            t.source = {100.25 + 50 * shot, 10.0, 6.0};
            t.receiver = {200.0 + 25 * (r + shot), 10.0, 8.5};
            t.shot = shot + 1;
            t.channel = r + 1;
            d.traces.push_back(t);
        }
    }
    const std::string path = m_scratch.filePath("g.sgy").toStdString();
    QVERIFY(writeSegy(path, d).has_value());
    READ(g, path);
    QCOMPARE(g.sources.size(), 3U);
    QCOMPARE(g.receivers.size(), 6U);
    QCOMPARE(g.sources[1].x, 150.25);
    QCOMPARE(g.sources[1].depth, 6.0);
    QCOMPARE(g.receivers[5].x, 325.0);
    QCOMPARE(g.receivers[5].elevation, -8.5);
    QCOMPARE(g.spreads[2], (std::vector<std::uint32_t>{2, 3, 4, 5}));
    QCOMPARE(projected(g.receivers[5], {}).z, 8.5);
}

void TestGeometry::projection()
{
    GeometryPoint p;
    p.x = 1000.0;
    p.y = 2000.0;
    p.elevation = 30.0;
    p.depth = 2.0;
    const Position plain = projected(p, {});
    QCOMPARE(plain, (Position{1000.0, 2000.0, -28.0}));
    // x to the north: y is then west.
    const Position north = projected(p, {400.0, 500.0, 0.0, 100.0});
    QVERIFY(std::abs(north.x - 1500.0) < 1e-9 && std::abs(north.y + 600.0) < 1e-9);
    QCOMPARE(north.z, 72.0);
    // Turning keeps distances, and 90 degrees is no turn at all.
    const Position turned = projected(p, {400.0, 500.0, 37.0, 0.0});
    QVERIFY(std::abs(std::hypot(turned.x, turned.y) - std::hypot(600.0, 1500.0)) < 1e-9);
    const Position nearly = projected(p, {400.0, 500.0, 90.0 + 1e-9, 0.0});
    QVERIFY(std::abs(nearly.x - 600.0) < 1e-6 && std::abs(nearly.y - 1500.0) < 1e-6);
    QCOMPARE(projected(p, {}, 5.0).z, 5.0);
}

void TestGeometry::runFile()
{
    write("s.csv", "x,depth\n1000,10\n1100,10\n");
    write("r.csv", "x,depth\n500,20\n600,20\n700,20\n");
    const auto run = write("run.toml", "[wavelet]\nfrequency = 8\n[source]\nfile = \"s.csv\"\n[receivers]\nfile = "
                                       "\"r.csv\"\ndepth = 15\n[geometry]\norigin_x = 100\n");
    const auto d = readRunFile(run);
    QVERIFY2(d.has_value(), d ? "" : d.error().text().c_str());
    QCOMPARE(d->survey.shots.size(), 2U);
    QCOMPARE(d->survey.shots[1].sources[0].position, (Position{1000.0, 0.0, 10.0}));
    QCOMPARE(d->survey.shots[1].receivers.size(), 3U);
    QCOMPARE(d->survey.shots[1].receivers[2].position, (Position{600.0, 0.0, 15.0}));
    QVERIFY(mentions(d->remarks.lines, "heard by all 3") && mentions(d->remarks.lines, "x runs east"));
    // What is written names the places themselves.
    const auto back = parseRunFile(runFileText(*d), "back.toml");
    QVERIFY(back.has_value() && back->survey == d->survey);
    // Both ways on the command line; a key of geometry alone does nothing and is refused.
    RunDescription fresh;
    const std::vector<std::string> all = {"source.file=" + m_scratch.filePath("s.csv").toStdString(),
                                          "geometry.unit=ft"};
    QVERIFY(setKeys(fresh, all).has_value());
    QCOMPARE(fresh.survey.shots[0].sources[0].position.x, 304.8);
    QVERIFY(!setKey(fresh, "geometry.unit=ft").has_value());
    QVERIFY(setKey(fresh, "source.position=[5, 6]").has_value());
    QCOMPARE(fresh.survey.shots.size(), 1U);
}

void TestGeometry::relationsMakeShots()
{
    const auto point = [](char kind, int number, double x) {
        return fmt::format("{}{:<16}{:>8}1{}1{:4d}{:4.1f}{:4d}{:2d}{:4.1f}{:9.1f}{:10.1f}{:6.1f}177042821\n", kind,
                           "L1", number, kind == 'S' ? 'E' : 'G', 0, 0.0, 0, 0, 0.0, x, 0.0, 0.0);
    };
    const auto relation = [](int record, int shot, int from, int to) {
        return fmt::format("X{:>6}{:4d}11{:<16}{:>8}1{:4d}{:4d}1{:<16}{:>8}{:>8}1\n", 1, record, "L1", shot, 1,
                           to - from + 1, "L1", from, to);
    };
    std::string text;
    for (int i = 0; i < 10; ++i) {
        text += point('R', 101 + i, 25.0 * i);
    }
    text += point('S', 1, 0.0) + point('S', 2, 50.0) + point('S', 3, 90.0);
    text += relation(1, 1, 101, 104) + relation(2, 2, 103, 106);
    const std::string path = write("all.sps", text);
    SurveyFiles files;
    files.sources = files.receivers = files.relations = path;
    const auto placed = placeSurvey(files);
    QVERIFY2(placed.has_value(), placed ? "" : placed.error().text().c_str());
    QCOMPARE(placed->sources.size(), 2U);
    QCOMPARE(placed->spreads[1], (std::vector<std::uint32_t>{2, 3, 4, 5}));
    QVERIFY(mentions(placed->notes, "heard by nobody"));
    if (!m_folder.isEmpty()) {
        SurveyFiles line;
        line.sources = line.receivers = line.relations = real("sps/sps.txt");
        const auto whole = placeSurvey(line);
        QVERIFY2(whole.has_value(), whole ? "" : whole.error().text().c_str());
        QCOMPARE(whole->sources.size(), 536U);
        QCOMPARE(whole->spreads.front().size(), 121U);
        QCOMPARE(whole->spreads.back().size(), 114U);
    }
}

void TestGeometry::refusals_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    QTest::newRow("prose") << "The survey was shot in spring.\nIt rained.\n"
                           << "name the columns";
    QTest::newRow("a column short") << "x,y\n1,2\n3\n"
                                    << "line 3";
    QTest::newRow("not a number") << "x,y\n1,2\n3,four\n"
                                  << "\"four\"";
    QTest::newRow("too large") << "x,y\n1,2\n3,1e300\n"
                               << "line 3";
    QTest::newRow("five columns without names") << "1 2 3 4 5\n6 7 8 9 10\n"
                                                << "columns have no names";
    QTest::newRow("nothing") << "x,y\n"
                             << "";
    QTest::newRow("control characters") << "x,y\n1,2\n\x01\x02,3\n"
                                        << "line 3";
}

void TestGeometry::refusals()
{
    QFETCH(QString, text);
    QFETCH(QString, word);
    const auto path = write("bad.txt", text.toStdString());
    const auto r = readGeometry(path);
    QVERIFY(!r.has_value());
    const QString why = QString::fromStdString(r.error().text());
    QVERIFY2(why.contains(word) && why.contains(QString::fromStdString(path)) && !why.contains('\n'), qPrintable(why));
    QCOMPARE(exitCode(r.error()), 2);
}

QTEST_GUILESS_MAIN(TestGeometry)
#include "tst_geometry.moc"
