// `ondo bench`: short cases, that their figures hang together, and what is made of an earlier report.
#include "ondo_process.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

class TestCliBench : public QObject {
    Q_OBJECT

private slots:
    void figuresHangTogether();
    void anEarlierReportIsCompared();
    void aViewNeedsADisplay();
};

namespace {

QJsonObject objectOf(const QByteArray& text)
{
    return QJsonDocument::fromJson(text).object();
}

} // namespace

void TestCliBench::figuresHangTogether()
{
    const Workshop w;
    const auto o = w.ondo({"bench", "--device", "cpu", "--quick", "--case", "2d-1000-o4", "--json"});
    QVERIFY2(o.code == 0, o.all());
    const auto all = objectOf(o.out);
    QCOMPARE(all["schema"].toInt(), 2);
    QVERIFY(all["copy_bytes_per_second_before"].toDouble() > 1e8);
    QVERIFY(all["small_step_seconds"].toDouble() > 0.0);
    QVERIFY(all["barrier_seconds"].toDouble() > 0.0);
    QCOMPARE(all["launch_seconds"].toDouble(), 0.0); // which a CPU has not
    const auto one = all["cases"].toArray()[0].toObject();
    QCOMPARE(one["name"].toString(), QString("2d-1000-o4"));
    QVERIFY(one["pairs"].toInt() >= 5);
    QCOMPARE(one["padded_nodes"].toDouble(), 1040.0 * 1040.0);
    QCOMPARE(one["layer_nodes"].toDouble(), 2.0 * 40.0 * 1040.0);
    QCOMPARE(one["receivers"].toInt(), 500);
    const double median = one["step_seconds_median"].toDouble();
    QVERIFY(one["step_seconds_least"].toDouble() <= median);
    QVERIFY(qAbs(one["padded_points_per_second"].toDouble() * median - 1040.0 * 1040.0) < 1.0);
    QVERIFY(one["times_plain_loop"].toDouble() > 0.0);
    const double fraction = one["padded_points_per_second"].toDouble() / one["roofline_points_per_second"].toDouble();
    QVERIFY(qAbs(one["roofline_fraction"].toDouble() - fraction) < 1e-9);
    const int wholeSteps = one["whole_steps"].toInt();
    QVERIFY(wholeSteps > 0 && wholeSteps <= 2000);
    const double whole = one["whole_seconds"].toDouble() / wholeSteps;
    QVERIFY(qAbs(one["whole_over_marginal"].toDouble() - whole / median) < 1e-9);
    const auto memory = one["memory"].toObject();
    QVERIFY(memory["state_bytes"].toDouble() > 3.0 * 4.0 * 1040.0 * 1040.0);
    QCOMPARE(memory["trace_bytes"].toDouble(), 4.0 * 500.0 * (wholeSteps + 1));
    QVERIFY(memory["ratio"].toDouble() >= 1.0 && memory["ratio"].toDouble() <= 1.05);
    QCOMPARE(all["peak_bytes"].toDouble(), memory["peak_bytes"].toDouble());
}

void TestCliBench::anEarlierReportIsCompared()
{
    const Workshop w;
    const QStringList measure = {"bench", "--device", "cpu", "--quick", "--case", "2d-300-o8"};
    const auto first = w.ondo(measure + QStringList{"--json", "first.json"});
    QVERIFY2(first.code == 0, first.all());
    QVERIFY2(first.out.contains("roofline"), first.all()); // the text is there all the same
    auto report = objectOf(w.bytes("first.json"));
    QCOMPARE(report["program"].toString(), QString("ondo bench"));

    // Against itself nothing falls by nearly all there is, however busy the machine.
    const auto again = w.ondo(measure + QStringList{"--compare", "first.json", "--gate", "95"});
    QVERIFY2(again.code == 0, again.all());
    QVERIFY2(again.out.contains("compared with first.json") && again.out.contains("gate: none of 1 case"), again.all());

    // Against one that was a hundred times as fast beside the plain loop, and on another machine.
    auto cases = report["cases"].toArray();
    auto one = cases[0].toObject();
    one["times_plain_loop"] = 100.0 * one["times_plain_loop"].toDouble();
    cases[0] = one;
    report["cases"] = cases;
    auto device = report["device"].toObject();
    device["name"] = "abacus";
    report["device"] = device;
    w.write("faster.json", QJsonDocument(report).toJson());
    const auto fallen = w.ondo(measure + QStringList{"--compare", "faster.json", "--gate", "50"});
    QVERIFY2(fallen.code == 1, fallen.all());
    QVERIFY2(fallen.err.contains("ondo: --gate 50: 2d-300-o8 has fallen by 9"), fallen.all());
    QVERIFY2(fallen.out.contains("note: another device: abacus before"), fallen.all());
    report["cases"] = QJsonArray();
    w.write("empty.json", QJsonDocument(report).toJson());
    const auto nothing = w.ondo(measure + QStringList{"--compare", "empty.json", "--gate", "50"});
    QVERIFY2(nothing.code == 2 && nothing.err.contains("share no case"), nothing.all());
}

void TestCliBench::aViewNeedsADisplay()
{
    const Workshop w;
    const auto o = w.ondo({"bench", "--view"}, {"DISPLAY", "WAYLAND_DISPLAY"});
    QVERIFY2(o.code == 3, o.all());
    QVERIFY2(o.out.isEmpty() && o.err.contains("nothing was started") && o.err.contains("Xvfb"), o.all());
}

QTEST_GUILESS_MAIN(TestCliBench)
#include "tst_cli_bench.moc"
