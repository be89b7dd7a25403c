// `ondo bench`: the shortest case, and that its figures hang together.
#include "ondo_process.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

class TestCliBench : public QObject {
    Q_OBJECT

private slots:
    void figuresHangTogether();
};

void TestCliBench::figuresHangTogether()
{
    const Workshop w;
    const auto o = w.ondo({"bench", "--device", "cpu", "--quick", "--case", "2d-1000-o8", "--json"});
    QVERIFY2(o.code == 0, o.all());
    const auto all = QJsonDocument::fromJson(o.out).object();
    QVERIFY(all["copy_bytes_per_second_before"].toDouble() > 1e8);
    QVERIFY(all["launch_seconds"].toDouble() > 0.0);
    const auto one = all["cases"].toArray()[0].toObject();
    QCOMPARE(one["name"].toString(), QString("2d-1000-o8"));
    QVERIFY(one["pairs"].toInt() >= 5);
    QCOMPARE(one["padded_nodes"].toDouble(), 1040.0 * 1040.0);
    QCOMPARE(one["receivers"].toInt(), 500);
    const double median = one["step_seconds_median"].toDouble();
    QVERIFY(one["step_seconds_least"].toDouble() <= median);
    QVERIFY(qAbs(one["padded_points_per_second"].toDouble() * median - 1040.0 * 1040.0) < 1.0);
    QVERIFY(one["arena_bytes"].toDouble() > 3.0 * 4.0 * 1040.0 * 1040.0);
    QVERIFY(one["whole_seconds"].toDouble() > 0.0);
}

QTEST_GUILESS_MAIN(TestCliBench)
#include "tst_cli_bench.moc"
