// The gate without an old report: our step against the plain loop, by turns in one run, with all layers, sources and
// receivers on our side and none on the loop's. The bounds lie far below what was measured: what falls below them is no
// noise but another algorithm, a lost instruction set, a thread that waits. On a busy machine the least times of both sides
// are compared, on one thread, because OpenMP's many suffer more from company than ours; what is spoilt all the same is told
// and measured again, and the best of three counts.
#include "engine/bench/bench.h"
#include "engine/device/device_list.h"

#include <QtTest>

#include <algorithm>

using namespace ondo;

class TestBenchGate : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void stepIsFasterThanABound_data();
    void stepIsFasterThanABound();
};

void TestBenchGate::initTestCase()
{
#ifdef ONDO_NO_SPEED
    QSKIP(ONDO_NO_SPEED);
#endif
}

void TestBenchGate::stepIsFasterThanABound_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("threads");  // 0: all
    QTest::addColumn<double>("bound"); // times the plain loop's speed
    QTest::newRow("2-D, one thread") << "2d-500-o8" << 1 << 0.5;
    QTest::newRow("3-D, one thread") << "3d-128-o8" << 1 << 0.3;
    QTest::newRow("2-D, all threads") << "2d-500-o8" << 0 << 0.5;
}

void TestBenchGate::stepIsFasterThanABound()
{
    QFETCH(QString, name);
    QFETCH(int, threads);
    QFETCH(double, bound);
    constexpr int kAttempts = 3;
    const auto choice = openDevice("cpu", threads);
    QVERIFY(choice.has_value());
    BenchOptions options;
    options.only = name.toStdString();
    options.quick = true;
    options.wholeSteps = 0; // the step alone
    double best = 0.0;
    for (int attempt = 1; attempt <= kAttempts && best < bound; ++attempt) {
        const auto report = runBench(choice->device, options);
        QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
        const BenchFigure& figure = report->figures.at(0);
        QVERIFY2(figure.skipped.empty(), figure.skipped.c_str());
        const double times = figure.plainSeconds.least / figure.stepSeconds.least;
        best = std::max(best, times);
        qInfo("attempt %d: %.2f x plain (bound %.2f), step %.1f us, load %.2f", attempt, times, bound,
              1e6 * figure.stepSeconds.least, report->loadAfter);
    }
    QVERIFY2(best >= bound,
             qPrintable(QString("%1: %2 times the plain loop in the best of %3 runs; at least %4 is expected")
                            .arg(name)
                            .arg(best, 0, 'f', 2)
                            .arg(kAttempts)
                            .arg(bound)));
}

QTEST_GUILESS_MAIN(TestBenchGate)
#include "tst_bench_gate.moc"
