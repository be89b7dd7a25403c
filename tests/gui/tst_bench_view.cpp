// `ondo bench --view` with real windows: the window's program is found beside ondo, runs its steps with and without a view,
// and the traces are the same bit for bit.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QtTest>

class TestBenchView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void aViewIsMeasured();
};

void TestBenchView::initTestCase()
{
    if (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("WAYLAND_DISPLAY")) {
        QSKIP("no display: windows are tested under packaging/test.sh, which brings a virtual one");
    }
}

void TestBenchView::aViewIsMeasured()
{
    QProcess ondo;
    ondo.start(ONDO_PROGRAM, {"bench", "--view", "--device", "cpu", "--quick", "--case", "2d-300-o8", "--json"});
    QVERIFY(ondo.waitForFinished(400000));
    const QByteArray said = ondo.readAllStandardError();
    QVERIFY2(ondo.exitCode() == 0, said);
    const auto one = QJsonDocument::fromJson(ondo.readAllStandardOutput()).object()["cases"].toArray()[0].toObject();
    QCOMPARE(one["grid"].toString(), QString("300x300"));
    QCOMPARE(one["window"].toString(), QString("1600x1000"));
    QVERIFY(one["same_traces"].toBool());
    const auto runs = one["runs"].toArray();
    QCOMPARE(runs.size(), 4);
    for (const auto& run : runs) {
        const auto each = run.toObject();
        const bool view = each["views_asked"].toInt() > 0;
        QCOMPARE(each["display"].toString(), QString(view ? "host" : "none"));
        QVERIFY(each["steps_per_second"].toDouble() > 0.0);
        QVERIFY(view == (each["views_per_second"].toDouble() > 0.0));
    }
    QCOMPARE(runs[0].toObject()["views_asked"].toInt(), 0);
    QCOMPARE(runs[3].toObject()["views_asked"].toInt(), 0);
}

QTEST_GUILESS_MAIN(TestBenchView)
#include "tst_bench_view.moc"
