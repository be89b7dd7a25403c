// What the window's command line refuses: it says so and leaves, also without a display.
#include <QProcess>
#include <QProcessEnvironment>
#include <QtTest>

class TestDesktopOptions : public QObject {
    Q_OBJECT

private slots:
    void refuses_data();
    void refuses();
};

void TestDesktopOptions::refuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const QStringList& arguments, const char* says) {
        QTest::newRow(qPrintable(arguments.join(' '))) << arguments << QByteArray(says);
    };
    row({"--theme", "purple"}, "--theme is light or dark, not \"purple\"");
    row({"--size", "large"}, "--size is WIDTHxHEIGHT");
    row({"--size", "0x0"}, "--size is WIDTHxHEIGHT");
    row({"--after", "nan"}, "--after is a number from 0");
    row({"--after", "-1"}, "--after is a number from 0");
    row({"--grid", "1e9"}, "--grid is a number from 16");
    row({"--grid", "300^4"}, "--grid is a number from 16");
    row({"--grid", "4096^3"}, "or with ^3 behind it from 16 to 2048, not \"4096^3\"");
    row({"--measure-steps", "-1"}, "--measure-steps is a number from 0");
    row({"--measure", "1", "--measure-steps", "10"}, "two ways to measure");
    row({"--display", "none", "--views", "inf"}, "--views is a number from 0");
    row({"--pictures", "paper"}, "--display is auto or direct or host or none");
    row({"--bogus"}, "bogus");
    row({"a.npy", "b.npy"}, "one file at a time");
}

void TestDesktopOptions::refuses()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        environment.remove(name);
    }
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(ONDO_DESKTOP, arguments);
    QVERIFY(process.waitForFinished(20000));
    const QByteArray told = process.readAllStandardError();
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QVERIFY2(process.exitCode() == 2, told);
    QVERIFY2(told.startsWith("ondoscope: ") && told.contains(says), told);
    QCOMPARE(told.count('\n'), 1);
}

QTEST_GUILESS_MAIN(TestDesktopOptions)
#include "tst_desktop_options.moc"
