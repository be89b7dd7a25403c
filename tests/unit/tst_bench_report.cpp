// What the bench makes of its numbers: ratios, JSON that reads back, two reports side by side, the gate, the cost of a view.
#include "engine/bench/bench.h"
#include "engine/bench/bench_compare.h"
#include "engine/bench/view_report.h"
#include "engine/core/json_reader.h"

#include <QtTest>

using namespace ondo;

class TestBenchReport : public QObject {
    Q_OBJECT

private slots:
    void figuresAreWhatTheyAreCalled();
    void aReportReadsBack();
    void whatIsNoReportIsRefused_data();
    void whatIsNoReportIsRefused();
    void reportsAreCompared();
    void otherMachinesAreNoted();
    void theGateJudgesRatios();
    void aGpuIsJudgedByItsRoofline();
    void theCostOfAView();
    void aViewMustNotChangeTraces();
};

namespace {

// 1000 x 1000 with layers of 20: 1040 x 1040 nodes.
BenchFigure figureOf(const char* name, double step, double plain)
{
    BenchFigure f;
    f.which = {name, 2, 1000, 8, 1, true, true};
    f.paddedNodes = 1040 * 1040;
    f.userNodes = 1000 * 1000;
    f.layerNodes = 2 * 40 * 1040;
    f.shortSteps = 100;
    f.longSteps = 400;
    f.pairs = 5;
    f.stepSeconds = {step, 0.9 * step};
    f.plainSeconds = {plain, plain};
    f.wholeSteps = 2000;
    f.wholeSeconds = 2000 * 1.05 * step;
    f.memory = {.peak = 15'000'000, .traces = 4'000'000, .state = 10'000'000, .device = 0};
    return f;
}

BenchReport reportOf(std::vector<BenchFigure> figures)
{
    BenchReport r;
    r.version = "0.1.0";
    r.device.name = "a processor";
    r.device.backend = "host";
    r.device.threads = 2;
    r.copyBefore = 20e9;
    r.copyAfter = 21e9;
    r.overheads.barrier = 3e-7;
    r.smallStepSeconds = 2e-6;
    r.figures = std::move(figures);
    return r;
}

BenchSummary summaryOf(const BenchReport& report, const char* name = "old.json")
{
    auto summary = readBenchSummary(report.json(), name);
    return summary ? *summary : BenchSummary{};
}

std::string lineOf(double stepsPerSecond, const char* hash, const char* display = "direct")
{
    return R"({"device":"GPU","display":")" + std::string(display) +
           R"(","gl_ms_per_view":0.8,"grid":"1000x1000","order":8,"reason":"","samples":4001,"seconds":4,"steps":4000,)"
           R"("steps_per_second":)" +
           std::to_string(stepsPerSecond) + R"(,"traces_hash":")" + hash +
           R"(","view":"778x883","views_per_second":29.9,"window":"1600x1000"})";
}

ViewFigure viewOf(const std::vector<double>& speeds, const std::vector<const char*>& hashes)
{
    ViewFigure f;
    f.caseName = "2d-1000-o8";
    for (std::size_t i = 0; i < speeds.size(); ++i) {
        f.runs.push_back(*readViewRun(lineOf(speeds[i], hashes[i])));
    }
    return f;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

} // namespace

void TestBenchReport::figuresAreWhatTheyAreCalled()
{
    const BenchFigure f = figureOf("2d-1000-o8", 1e-3, 2e-3);
    const double nodes = 1040.0 * 1040.0;
    QVERIFY(near(f.paddedRate(), nodes / 1e-3));
    QVERIFY(near(f.userRate(), 1e9));
    QVERIFY(near(f.timesPlain(), 2.0));
    QVERIFY(near(f.wholeRatio(), 1.05));
    QVERIFY(near(f.memory.ratio(), 1.1));
    const double bytes = 16.0 * nodes + 16.0 * 2.0 * 40.0 * 1040.0;
    QVERIFY(near(f.bytesAStep(), bytes));
    QVERIFY(near(f.rooflineRate(20e9), nodes * 20e9 / bytes));
    QVERIFY(near(f.roofline(20e9), bytes / 20e9 / 1e-3));
    BenchFigure two = f;
    two.which.shots = 2;
    QVERIFY(near(two.bytesAStep(), 2.0 * bytes));
    QVERIFY(near(two.rooflineRate(20e9), f.rooflineRate(20e9)));
    QCOMPARE(BenchFigure{}.roofline(20e9), 0.0);
    QCOMPARE(BenchFigure{}.memory.ratio(), 0.0);
}

void TestBenchReport::aReportReadsBack()
{
    BenchReport report = reportOf({figureOf("2d-1000-o8", 1e-3, 2e-3)});
    BenchFigure skipped;
    skipped.which.name = "3d-512-o8";
    skipped.skipped = "it does not fit";
    report.figures.push_back(skipped);
    const BenchSummary s = summaryOf(report);
    QCOMPARE(s.device, std::string("a processor"));
    QCOMPARE(s.threads, 2);
    QVERIFY(s.host && !s.quick);
    QVERIFY(near(s.copyBandwidth, 21e9));
    QVERIFY(near(s.barrierSeconds, 3e-7));
    QCOMPARE(s.cases.size(), std::size_t{2});
    QVERIFY(near(s.cases[0].roofline, report.figures[0].roofline(21e9)));
    QVERIFY(near(s.cases[0].timesPlain, 2.0));
    QVERIFY(near(s.cases[0].memoryRatio, 1.1));
    QCOMPARE(s.find("3d-512-o8")->skipped, std::string("it does not fit"));
    // The text holds what the issue of a bench is: yardsticks, figure, fraction, memory.
    const std::string text = report.text();
    for (const char* word :
         {"copy ", "barrier ", "roofline", "x plain", "whole", "memory", "not run: it does not fit"}) {
        QVERIFY2(text.find(word) != std::string::npos, word);
    }
}

void TestBenchReport::whatIsNoReportIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("nothing") << QByteArray() << QByteArray("old.json is no bench report: no JSON at byte 0");
    QTest::newRow("other JSON") << QByteArray("{\"cases\": []}") << QByteArray("is JSON, but no bench report");
    QTest::newRow("no object") << QByteArray("[1]") << QByteArray("is JSON, but no bench report");
    QTest::newRow("first schema") << QByteArray(R"({"program": "ondo bench", "cases": []})")
                                  << QByteArray("of schema 1; this program compares schema 2");
    QTest::newRow("a later schema") << QByteArray(R"({"program": "ondo bench", "schema": 9, "cases": []})")
                                    << QByteArray("of schema 9");
    QTest::newRow("of views") << QByteArray(R"({"program": "ondo bench --view", "schema": 2, "cases": []})")
                              << QByteArray("no bench report");
}

void TestBenchReport::whatIsNoReportIsRefused()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, says);
    const auto summary = readBenchSummary(text.toStdString(), "old.json");
    QVERIFY(!summary.has_value());
    QCOMPARE(exitCode(summary.error()), 2);
    QVERIFY2(QByteArray(summary.error().text().c_str()).contains(says), summary.error().text().c_str());
    QVERIFY(!summary.error().remedy.empty());
}

void TestBenchReport::reportsAreCompared()
{
    const BenchSummary before = summaryOf(reportOf({figureOf("a", 1e-3, 2e-3), figureOf("gone", 1e-3, 2e-3)}));
    const BenchSummary now = summaryOf(reportOf({figureOf("a", 0.5e-3, 2e-3), figureOf("new", 1e-3, 2e-3)}));
    const BenchComparison c = compareBench(before, now);
    QVERIFY2(c.notes.empty(), c.text().c_str());
    const auto has = [&c](const char* word) { return c.table.find(word) != std::string::npos; };
    QVERIFY2(has("1000 us         500 us    0.500"), c.table.c_str());
    QVERIFY2(has("x plain"), c.table.c_str());
    QVERIFY2(has("copy bandwidth"), c.table.c_str());
    QVERIFY2(has("before measured, now not among its cases"), c.table.c_str());
    QVERIFY2(has("before not among its cases, now measured"), c.table.c_str());
    QVERIFY2(!has("node of a graph"), c.table.c_str()); // which a host has not
    QCOMPARE(c.verdicts.size(), std::size_t{1});
    QVERIFY(near(c.verdicts[0].change(), 1.0));
}

void TestBenchReport::otherMachinesAreNoted()
{
    BenchReport other = reportOf({figureOf("a", 1e-3, 2e-3)});
    other.device.name = "another";
    other.device.threads = 4;
    other.version = "0.2.0";
    other.quick = true;
    other.loadAfter = 9.0;
    const std::string text = compareBench(summaryOf(reportOf({figureOf("a", 1e-3, 2e-3)})), summaryOf(other)).text();
    for (const char* word : {"another device: a processor before, another now", "number of threads: 2 before, 4 now",
                             "version: 0.1.0 before, 0.2.0 now", "full before, quick now", "loaded now: 9.0"}) {
        QVERIFY2(text.find(word) != std::string::npos, text.c_str());
    }
}

void TestBenchReport::theGateJudgesRatios()
{
    const BenchSummary before = summaryOf(reportOf({figureOf("a", 1e-3, 2e-3), figureOf("b", 1e-3, 2e-3)}));
    // The machine is half as fast now, and so is the plain loop: nothing has fallen, whatever the seconds say.
    BenchReport slower = reportOf({figureOf("a", 2e-3, 4e-3), figureOf("b", 2e-3, 3e-3)});
    const BenchComparison c = compareBench(before, summaryOf(slower));
    QCOMPARE(c.verdicts.size(), std::size_t{2});
    QCOMPARE(c.fallen(20.0).size(), std::size_t{1}); // b: from 2 times to 1.5
    QCOMPARE(c.fallen(20.0)[0].caseName, std::string("b"));
    QCOMPARE(c.fallen(20.0)[0].yardstick, std::string("x plain"));
    QVERIFY(c.fallen(30.0).empty());
}

void TestBenchReport::aGpuIsJudgedByItsRoofline()
{
    const auto onGpu = [](double step, double copy) {
        BenchReport r = reportOf({figureOf("a", step, 0.0)});
        r.host = false;
        r.device.backend = "cuda13";
        r.overheads = {2e-6, 1e-6, 1e-6};
        r.copyBefore = r.copyAfter = copy;
        return r;
    };
    const BenchSummary before = summaryOf(onGpu(5e-6, 4e12));
    QVERIFY(!before.host);
    const BenchComparison same = compareBench(before, summaryOf(onGpu(10e-6, 2e12)));
    QCOMPARE(same.verdicts.at(0).yardstick, std::string("of the roofline"));
    QVERIFY(same.fallen(1.0).empty());
    QVERIFY(same.table.find("node of a graph") != std::string::npos);
    QCOMPARE(compareBench(before, summaryOf(onGpu(6e-6, 4e12))).fallen(10.0).size(), std::size_t{1});
    // A processor's roofline is no measure of a GPU's.
    QVERIFY(compareBench(before, summaryOf(reportOf({figureOf("a", 1e-3, 2e-3)}))).verdicts.empty());
}

void TestBenchReport::theCostOfAView()
{
    const ViewFigure f = viewOf({1000.0, 960.0, 900.0, 1040.0}, {"h", "h", "h", "h"});
    QVERIFY(near(f.baseline(), 1020.0));
    QVERIFY(near(f.kept(1), 960.0 / 1020.0));
    QVERIFY(near(f.drift(), 40.0 / 1020.0));
    QVERIFY(f.sameTraces());
    ViewReport report;
    report.version = "0.1.0";
    report.figures = {f, {"3d-256-o8", "it does not fit", {}}};
    const std::string text = report.text();
    for (const char* word : {"94.1%", "5.9%", "direct", "29.9", "0.80", "bit-identical", "drifted by 3.9%",
                             "so much drift", "not measured: it does not fit"}) {
        QVERIFY2(text.find(word) != std::string::npos, text.c_str());
    }
    const auto back = json::parse(report.json());
    QVERIFY(back.has_value());
    const auto& runs = back->find("cases")->items.at(0).find("runs")->items;
    QCOMPARE(runs.size(), kViewRates.size());
    QVERIFY(near(runs[2].numberAt("solver_share", 0.0), 900.0 / 1020.0));
}

void TestBenchReport::aViewMustNotChangeTraces()
{
    QVERIFY(!viewOf({1.0, 1.0, 1.0, 1.0}, {"h", "h", "other", "h"}).sameTraces());
    QVERIFY(!viewOf({1.0, 1.0, 1.0, 1.0}, {"", "", "", ""}).sameTraces()); // not told
    QVERIFY(!ViewFigure{}.sameTraces());
    ViewReport report;
    report.figures = {viewOf({1.0, 1.0, 1.0, 1.0}, {"h", "h", "other", "h"})};
    QVERIFY(report.text().find("DIFFER") != std::string::npos);
    QVERIFY(report.text().find("silent so far") != std::string::npos); // of which the lines tell no largest sample
    QVERIFY(!readViewRun("").has_value());
    QVERIFY(!readViewRun("{\"steps_per_second\": 0, \"display\": \"host\"}").has_value());
}

QTEST_GUILESS_MAIN(TestBenchReport)
#include "tst_bench_report.moc"
