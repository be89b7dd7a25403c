// A person asks for sensitivity kernels: picks a source and a receiver, in the picture, in the gather and by lists, sets the
// window of the trace, computes, switches the memory mode and sees the same, stops in the middle. Fields are compared.
#include "tests/gui/window_test.h"

#include "ui/actions/action_list.h"
#include "ui/banner.h"
#include "ui/kernel_desk.h"
#include "ui/panes/gather_canvas.h"
#include "ui/panes/trace_window.h"

#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>

using namespace ondo;

namespace {

constexpr double kDuration = 0.7; // s: the direct wave and the echo of the layer

double largest(const std::vector<double>& values)
{
    double most = 0.0;
    for (const double v : values) {
        most = std::max(most, std::abs(v));
    }
    return most;
}

} // namespace

class TestKernelInTheWindow : public WindowTest {
    Q_OBJECT

    template<class Widget>
    Widget* part(const char* name)
    {
        auto* widget = m_window->findChild<Widget*>(QLatin1String(name));
        [&] { QVERIFY2(widget != nullptr, name); }();
        return widget;
    }
    KernelDesk& kernel() { return m_window->kernel(); }
    QString bannerText() { return part<QLabel>("bannerText")->text(); }

    void openPair(double duration = kDuration)
    {
        openShot(duration);
        m_window->actions().find(QStringLiteral("actionKernelPanel"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(kernel().engaged(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(kernel().forecast().has_value(), kPatience);
    }

    void computeToTheEnd()
    {
        if (!kernel().computing()) {
            kernel().compute();
        }
        QTRY_VERIFY_WITH_TIMEOUT(!kernel().computing() && kernel().fresh(), kPatience);
    }

    void choose(const char* name, int index)
    {
        auto* box = part<QComboBox>(name);
        box->setFocus();
        box->setCurrentIndex(index);
        emit box->activated(index);
    }

    // With ONDO_SHOTS=folder the window is kept as a picture for people to look at.
    void keep(const QString& name, int wait = 900)
    {
        const QString folder = qEnvironmentVariable("ONDO_SHOTS");
        if (!folder.isEmpty()) {
            QDir().mkpath(folder);
            QTest::qWait(wait); // the bar's ends are spelled anew seldom
            m_window->grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
        }
    }

private slots:
    void initTestCase() { beginAll(); }
    void cleanup() { endOne(); }
    void cleanupTestCase() { endAll(); }

    // The pair of the picture, of the gather and of the lists is one pair.
    void aPairIsPickedInThreeWays()
    {
        openShot(kDuration);
        QTRY_VERIFY_WITH_TIMEOUT(!kernel().engaged(), kPatience); // its panel lies behind the shot's
        m_window.reset();
        openPair();
        const auto& receivers = project().shot().receivers;
        const int wanted = static_cast<int>(receivers.size()) / 3;
        QTest::mouseClick(&field(), Qt::LeftButton, Qt::NoModifier,
                          pixelOf(receivers[static_cast<std::size_t>(wanted)].position));
        QVERIFY(std::abs(kernel().request().receiver - wanted) <= 1);
        QVERIFY(project().undoStack().index() <= 1); // a click moves nothing
        QCOMPARE(part<QComboBox>("kernelReceiver")->currentIndex(), kernel().request().receiver);
        auto* canvas = static_cast<GatherCanvas*>(part<QWidget>("gatherCanvas"));
        QTest::mouseClick(canvas, Qt::LeftButton, Qt::NoModifier, canvas->frame().area.center().toPoint());
        QVERIFY(std::abs(kernel().request().receiver - static_cast<int>(receivers.size()) / 2) <= 1);
        choose("kernelReceiver", 3);
        QCOMPARE(kernel().request().receiver, 3);
        key(Qt::Key_N);
        QCOMPARE(kernel().request().receiver, 4);
        key(Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(kernel().request().receiver, 3);
    }

    void anotherMemoryModeIsTheSamePicture()
    {
        openPair();
        computeToTheEnd();
        QVERIFY(kernel().shown());
        const std::vector<double> full = kernel().result()->kernel->values;
        QVERIFY(largest(full) > 0.0);
        const auto seen = [&] {
            QTest::qWait(900); // the bar's ends
            return field().grabFramebuffer();
        };
        const QImage first = seen();
        QCOMPARE(kernel().request().tape.mode, std::string(kAutomaticTape)); // the default, and it says why
        QVERIFY(!kernel().result()->kernel->plan.why.empty());
        for (std::size_t i = 1; i <= tapeKinds().size(); ++i) {
            choose("kernelMode", static_cast<int>(i));
            QVERIFY(kernel().computing()); // by itself: who looks at a kernel sees that it is the same
            computeToTheEnd();
            QCOMPARE(kernel().result()->kernel->request.tape.mode, std::string(tapeKinds()[i - 1].name));
            QVERIFY(kernel().comparison().has_value());
            QVERIFY(kernel().comparison()->difference <= 2e-6); // each within 1e-6 of the full one
            QVERIFY(relativeDifference(kernel().result()->kernel->values, full) <= 1e-6);
            const SensitivityKernel& k = *kernel().result()->kernel;
            const double ratio = static_cast<double>(k.peakBytes) / static_cast<double>(k.plan.memory.total());
            QVERIFY2(std::abs(ratio - 1.0) < 0.1, qPrintable(QString::number(ratio)));
        }
        const QImage last = seen();
        QCOMPARE(last.size(), first.size());
        int different = 0;
        for (int y = 0; y < first.height(); ++y) {
            for (int x = 0; x < first.width(); ++x) {
                const QColor a = first.pixelColor(x, y);
                const QColor b = last.pixelColor(x, y);
                const int most = std::max(
                    {std::abs(a.red() - b.red()), std::abs(a.green() - b.green()), std::abs(a.blue() - b.blue())});
                different += most > 6 ? 1 : 0; // a step of the colour table
            }
        }
        QVERIFY2(different == 0, qPrintable(QString::number(different)));
    }

    void fewerBitsStayWithinTheirError()
    {
        openPair();
        computeToTheEnd();
        const std::vector<double> full = kernel().result()->kernel->values;
        for (const StorageKind& storage : storageKinds()) {
            TapeOptions tape;
            tape.storage = storage.storage;
            kernel().setTape(tape);
            computeToTheEnd();
            const SensitivityKernel& k = *kernel().result()->kernel;
            QVERIFY2(relativeDifference(k.values, full) <= k.plan.error, storage.name.data());
        }
    }

    void toggledBackToTheWaveField()
    {
        openPair();
        runToTheEnd();
        const QImage wave = field().grabFramebuffer();
        computeToTheEnd();
        QTRY_VERIFY_WITH_TIMEOUT(field().grabFramebuffer() != wave, kPatience);
        key(Qt::Key_V);
        QVERIFY(!kernel().shown());
        QVERIFY(!kernel().picture().has_value());
        key(Qt::Key_V);
        QVERIFY(kernel().shown());
        session().run(); // the run's own pictures
        QTRY_VERIFY_WITH_TIMEOUT(!kernel().shown(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!session().active(), kPatience);
    }

    void theAdjointFieldIsSeenOnItsWay()
    {
        openPair(10.0); // as long as the test wants it to go on
        TapeOptions tape;
        tape.mode = "boundary";
        kernel().setTape(tape);
        int seen = 0;
        bool backwards = false;
        QString title;
        connect(&kernel(), &KernelDesk::pictureChanged, this, [&] {
            if (kernel().computing() && kernel().picture()) {
                ++seen;
                backwards = kernel().progress().backwards;
                title = kernel().picture()->name + QLatin1Char(' ') + kernel().picture()->unit;
            }
        });
        kernel().compute();
        QTRY_VERIFY_WITH_TIMEOUT(seen >= 2, kPatience);
        QVERIFY2(title.contains(QStringLiteral("Adjoint field Pa s")), qPrintable(title));
        QVERIFY(backwards);
        keep(QStringLiteral("adjoint"), 150);
        choose("kernelLook", 1);
        seen = 0;
        QTRY_VERIFY_WITH_TIMEOUT(seen >= 1, kPatience);
        QVERIFY2(title.contains(QStringLiteral("so far")), qPrintable(title));
        kernel().cancel();
    }

    // Stopped in its adjoint run: the kernel before is there, and everything works.
    void stopInTheAdjointRun()
    {
        openPair();
        computeToTheEnd();
        const auto before = kernel().result()->kernel;
        RunDescription longer = project().run();
        longer.duration = 20.0;
        project().editRun(QStringLiteral("longer"), longer);
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr && session().plan()->time.duration() > 19.0, kPatience);
        auto tape = kernel().request().tape;
        tape.mode = "boundary"; // a long run in little memory
        kernel().setTape(tape);
        if (!kernel().computing()) {
            part<QPushButton>("kernelCompute")->click();
        }
        QTRY_VERIFY_WITH_TIMEOUT(kernel().progress().backwards, 3 * kPatience);
        QElapsedTimer clock;
        clock.start();
        part<QPushButton>("kernelCompute")->click(); // says Stop now
        QVERIFY(!kernel().computing());
        QVERIFY(clock.elapsed() < 200);
        QVERIFY(kernel().result()->kernel == before);
        project().undoStack().undo();
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr && session().plan()->time.duration() < 1.0, kPatience);
        computeToTheEnd();
        QVERIFY(relativeDifference(kernel().result()->kernel->values, before->values) <= 1e-6);
        const Gather gather = runToTheEnd();
        QVERIFY(gather.samples > 0);
        QCOMPARE(gather.recorded, gather.samples);
    }

    void aRunEndsTheKernel()
    {
        openPair(10.0);
        kernel().compute();
        QVERIFY(kernel().computing());
        session().run();
        QTRY_VERIFY_WITH_TIMEOUT(session().active() && !kernel().computing(), kPatience);
        QVERIFY2(bannerText().contains(QStringLiteral("a run began")), qPrintable(bannerText()));
        kernel().compute(); // not while it runs, and says so
        QVERIFY(!kernel().computing());
        QVERIFY2(bannerText().contains(QStringLiteral("running")), qPrintable(bannerText()));
        session().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!session().active(), kPatience);
    }

    void aBadWindowIsRefused_data()
    {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<QString>("said");
        QTest::newRow("backwards") << 0.5 << 0.2 << "ends before it begins";
        QTest::newRow("beyond the trace") << 0.5 << 9.0 << "outside of the trace";
        QTest::newRow("too short") << 0.3 << 0.3001 << "fewer than";
    }
    void aBadWindowIsRefused()
    {
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(QString, said);
        openPair();
        computeToTheEnd();
        const auto before = kernel().result()->kernel;
        auto* first = part<QDoubleSpinBox>("kernelFrom");
        auto* last = part<QDoubleSpinBox>("kernelTo");
        for (const auto& [edit, value] : {std::pair{first, from}, {last, to}}) {
            edit->setFocus();
            edit->selectAll();
            QTest::keyClicks(edit, QString::number(value));
            QTest::keyClick(edit, Qt::Key_Return);
        }
        QCOMPARE(kernel().request().to, to);
        QTRY_VERIFY_WITH_TIMEOUT(kernel().forecastError().has_value(), kPatience);
        part<QPushButton>("kernelCompute")->click();
        QTRY_VERIFY_WITH_TIMEOUT(!kernel().computing(), kPatience);
        QVERIFY2(bannerText().contains(said), qPrintable(bannerText()));
        QVERIFY(kernel().result()->kernel == before); // the old one is intact
    }

    void handlesAreTheWindow()
    {
        openPair();
        computeToTheEnd();
        auto* trace = static_cast<TraceWindowPlot*>(part<QWidget>("kernelTrace"));
        const QPoint from = trace->handleAt(trace->from()).toPoint();
        const QPoint to = trace->handleAt(0.2).toPoint();
        QTest::mousePress(trace, Qt::LeftButton, Qt::NoModifier, from);
        QTest::mouseMove(trace, to);
        QTest::mouseRelease(trace, Qt::LeftButton, Qt::NoModifier, to);
        QVERIFY(std::abs(kernel().request().from - 0.2) < 0.01);
        trace->setFocus();
        const double end = trace->to();
        QTest::keyClick(trace, Qt::Key_Left, Qt::ShiftModifier);
        QVERIFY(kernel().request().to < end && kernel().request().to > 0.98 * end);
        QVERIFY(!kernel().fresh());
    }

    // The end of the trace is before anything arrives: zero, and the list says why.
    void theListSaysWhyItIsZero()
    {
        openPair();
        choose("kernelReceiver", static_cast<int>(project().shot().receivers.size()) - 1);
        kernel().setWindow(0.0, 0.02);
        computeToTheEnd();
        const QString said = part<QLabel>("kernelChecks")->text();
        QVERIFY2(said.contains(QStringLiteral("before anything can arrive")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("move the window")), qPrintable(said));
    }

    void looksGood_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }
    void looksGood()
    {
        if (qEnvironmentVariableIsEmpty("ONDO_SHOTS")) {
            QSKIP("pictures for people: set ONDO_SHOTS to a folder");
        }
        QFETCH(bool, dark);
        const QString theme = dark ? QStringLiteral("dark") : QStringLiteral("light");
        openShot(1.2);
        m_window->resize(1560, 960);
        m_window->setTheme(dark ? ThemeKind::Dark : ThemeKind::Light);
        keep(theme + QStringLiteral("_start"));
        runToTheEnd();
        m_window->actions().find(QStringLiteral("actionKernelPanel"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(kernel().forecast().has_value(), kPatience);
        kernel().setReceiver(static_cast<int>(project().shot().receivers.size()) * 4 / 5);
        keep(theme + QStringLiteral("_picked"));
        kernel().compute();
        QTRY_VERIFY_WITH_TIMEOUT(kernel().picture().has_value() && kernel().computing(), 10 * kPatience);
        keep(theme + QStringLiteral("_adjoint"), 150);
        QTRY_VERIFY_WITH_TIMEOUT(!kernel().computing() && kernel().fresh(), 10 * kPatience);
        TapeOptions tape;
        tape.mode = "boundary";
        tape.storage = Storage::Int8;
        kernel().setTape(tape);
        QTRY_VERIFY_WITH_TIMEOUT(!kernel().computing() && kernel().comparison(), 10 * kPatience);
        keep(theme + QStringLiteral("_kernel"));
        auto* scroll = part<QWidget>("kernelDock")->findChild<QScrollArea*>();
        for (const char* row : {"kernelStorage", "kernelChecks"}) {
            QTest::qWait(50);
            scroll->verticalScrollBar()->setValue(part<QWidget>(row)->mapTo(scroll->widget(), QPoint()).y() - 60);
            keep(theme + QLatin1Char('_') + QLatin1String(row));
        }
        scroll->verticalScrollBar()->setValue(0);
        kernel().setMeasure(KernelMeasure::TravelTime);
        kernel().setWindow(0.5, 0.1);
        kernel().compute();
        QTRY_VERIFY_WITH_TIMEOUT(!kernel().computing(), 10 * kPatience);
        keep(theme + QStringLiteral("_refused"));
    }
};

int main(int argc, char** argv)
{
    return ondo::runGuiTest<TestKernelInTheWindow>(argc, argv);
}

#include "tst_kernel_in_the_window.moc"
