// A person looks at an inversion: opens its file, steps through it, watches another program write it, starts one and stops
// it, goes on, rolls back, compares traces, looks along a line. Values are compared with the file's own.
#include "tests/gui/window_test.h"

#include "engine/io/inversion_reader.h"
#include "tests/cli/ondo_process.h"
#include "ui/actions/action_list.h"
#include "ui/file_desk.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_detail.h"
#include "ui/inversion/inversion_run.h"
#include "ui/panes/bar_plot.h"
#include "ui/panes/curve_plot.h"
#include "ui/panes/gather_canvas.h"
#include "ui/panes/thumbnail_strip.h"
#include "ui/panes/wells_pane.h"

#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>

using namespace ondo;

namespace {

constexpr int kRows = 41, kColumns = 47;
constexpr int kRecords = 9; // two stages of 3 and 4 iterations, and where each begins

const char* const kRun = "[time]\nduration = 0.4\nsample_interval = 0.002\n"
                         "[wavelet]\nfrequency = 14.0\n[boundary]\nlayer_cells = 12\n"
                         "[source]\nfirst = [30.0, 20.0]\nlast = [430.0, 20.0]\ncount = 4\n"
                         "[receivers]\nfirst = [10.0, 380.0]\nlast = [450.0, 380.0]\ncount = 23\n"
                         "[inversion]\niterations = [3, 4]\nlow_pass = [12.0, 0]\n"
                         "smoothing = 15.0\nslowest = 1700\nfastest = 2300\n";

QByteArray modelBytes(double anomaly)
{
    QByteArray header =
        QString("{'descr': '<f4', 'fortran_order': False, 'shape': (%1, %2), }").arg(kRows).arg(kColumns).toLatin1();
    header += QByteArray(117 - header.size(), ' ') + "\n";
    QByteArray bytes = QByteArray("\x93NUMPY\x01\x00", 8) + QByteArray("\x76\x00", 2) + header;
    for (int z = 0; z < kRows; ++z) {
        for (int x = 0; x < kColumns; ++x) {
            const double r = std::hypot(z - 20, x - 23) / 4.0;
            const auto v = static_cast<float>(2000.0 + anomaly * std::exp(-r * r));
            bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
        }
    }
    return bytes;
}

} // namespace

class TestInversionInTheWindow : public WindowTest {
    Q_OBJECT

    Workshop m_shop;

    template<class Widget>
    Widget* part(const char* name)
    {
        auto* widget = m_window->findChild<Widget*>(QLatin1String(name));
        [&] { QVERIFY2(widget != nullptr, name); }();
        return widget;
    }
    InversionDesk& desk() { return m_window->inversion(); }
    QString bannerText() { return part<QLabel>("bannerText")->text(); }
    void trigger(const char* action) { m_window->actions().find(QLatin1String(action))->trigger(); }

    void openWindow(const QString& file)
    {
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1280, 800);
        m_window->project().setDevice("cpu");
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->open(m_shop.path(file), false);
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void openWhole()
    {
        openWindow("whole.h5");
        QTRY_COMPARE_WITH_TIMEOUT(desk().count(), kRecords, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), kRecords - 1, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(desk().picture().has_value(), kPatience);
    }
    [[nodiscard]] std::unique_ptr<QProcess> invert(const QStringList& more) const
    {
        return m_shop.start(QStringList{"invert", "start.toml", "--device", "cpu", "--observed", "d.h5"} + more);
    }
    // The file's own word for it.
    [[nodiscard]] InversionRecord recordOf(const QString& file, int index) const
    {
        return *readInversionRecord(m_shop.path(file).toStdString(), index, *Grid::make2D(kRows, kColumns, 10.0, 10.0));
    }
    // With ONDO_SHOTS=folder the window is kept as a picture for people to look at.
    void keep(const QString& name, int wait = 900)
    {
        const QString folder = qEnvironmentVariable("ONDO_SHOTS");
        if (!folder.isEmpty()) {
            QDir().mkpath(folder);
            QTest::qWait(wait);
            m_window->grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
        }
    }

private slots:
    void initTestCase()
    {
        beginAll();
        for (const bool truth : {true, false}) {
            const QByteArray name = truth ? "true" : "start";
            m_shop.write(name + ".npy", modelBytes(truth ? 150.0 : 0.0));
            m_shop.write(name + ".toml", "[model]\npath = \"" + name + ".npy\"\ndz = 10.0\ndx = 10.0\n" + kRun);
        }
        const auto data = m_shop.ondo({"run", "true.toml", "--device", "cpu", "--out", "d.h5"});
        QVERIFY2(data.code == 0, data.all());
        auto process = invert({"--out", "whole.h5"});
        const auto whole = m_shop.finish(*process);
        QVERIFY2(whole.code == 0, whole.all());
    }
    void cleanup() { endOne(); }
    void cleanupTestCase() { endAll(); }

    // Opened like any file: the run and the start model are the project, the newest iterate is in the picture.
    void aFileIsOpenedAndScrubbed()
    {
        openWhole();
        QCOMPARE(project().run().survey.shots.size(), std::size_t{4});
        QCOMPARE(project().model().velocity().samples(), recordOf("whole.h5", 0).speed);
        QCOMPARE(desk().picture()->model.velocity().samples(), recordOf("whole.h5", kRecords - 1).speed);
        QCOMPARE(part<QSlider>("iterationSlider")->maximum(), kRecords - 1);
        const QImage newest = field().grabFramebuffer();
        key(Qt::Key_PageUp, Qt::ShiftModifier); // the start
        QCOMPARE(desk().selected(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), 0, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(field().grabFramebuffer() != newest, kPatience);
        for (int i = 1; i <= 3; ++i) {
            key(Qt::Key_PageDown);
            QCOMPARE(desk().selected(), i);
        }
        QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), 3, kPatience);
        QCOMPARE(desk().picture()->model.velocity().samples(), recordOf("whole.h5", 3).speed);
        const QString which = part<QLabel>("iterationWhich")->text();
        QVERIFY2(which.contains("3 of 8") && which.contains("stage 1"), qPrintable(which));
        key(Qt::Key_I); // away, and back
        QVERIFY(!desk().picture().has_value());
        key(Qt::Key_I);
        QVERIFY(desk().picture().has_value());
        keep("scrubbed");
    }

    // The misfit curve is the file's; it is clicked and stepped through with the keys.
    void theMisfitIsTheFiles()
    {
        openWhole();
        auto* plot = static_cast<CurvePlot*>(part<QWidget>("inversionMisfit"));
        QCOMPARE(plot->curves().size(), std::size_t{1});
        int at = 0;
        for (std::size_t i = 0; i < plot->curves()[0].y.size(); ++i) {
            if (std::isfinite(plot->curves()[0].y[i])) {
                const auto r = recordOf("whole.h5", at++);
                QCOMPARE(plot->curves()[0].y[i], r.data / r.reference);
            }
        }
        QCOMPARE(at, kRecords);
        QTest::mouseClick(plot, Qt::LeftButton, Qt::NoModifier,
                          QPoint(static_cast<int>(plot->frame().x(2.0)), plot->height() / 2));
        QCOMPARE(desk().selected(), 2);
        plot->setFocus();
        QTest::keyClick(plot, Qt::Key_Right);
        QCOMPARE(desk().selected(), 3);
        QTest::keyClick(plot, Qt::Key_Home);
        QCOMPARE(desk().selected(), 0);
        QTest::keyClick(plot, Qt::Key_End);
        QCOMPARE(desk().selected(), kRecords - 1);
        auto* bars = static_cast<BarPlot*>(part<QWidget>("inversionShots"));
        const auto misfits = recordOf("whole.h5", kRecords - 1).misfits;
        QCOMPARE(bars->values().size(), misfits.size());
        // In a unit of its own: a power of ten.
        QVERIFY(std::abs(bars->values()[1] / bars->values()[0] - misfits[1] / misfits[0]) < 1e-12);
        QTest::mouseClick(bars, Qt::LeftButton, Qt::NoModifier,
                          QPoint(static_cast<int>(bars->frame().x(3.0)), bars->height() / 2));
        QCOMPARE(desk().detail().shot(), 2);
        const QString facts = part<QLabel>("iterationFacts")->text();
        QVERIFY2(facts.contains(QStringLiteral("Pa² s")) && facts.contains("lbfgs") && facts.contains("m/s"),
                 qPrintable(facts));
    }

    void updateAndGradientAreTheFiles()
    {
        openWhole();
        const auto now = recordOf("whole.h5", kRecords - 1);
        const auto before = recordOf("whole.h5", kRecords - 2);
        const auto field = [&](InversionLook look) {
            desk().setLook(look);
            [&] {
                QTRY_VERIFY_WITH_TIMEOUT(desk().picture() && desk().picture()->field &&
                                             desk().picture()->field->name == lookText(look),
                                         kPatience);
            }();
            return desk().picture()->field->field->values;
        };
        const auto update = field(InversionLook::Update);
        const auto gradient = field(InversionLook::Gradient);
        for (std::size_t i = 0; i < update.size(); ++i) {
            QCOMPARE(update[i], now.speed[i] - before.speed[i]);
            QCOMPARE(gradient[i], static_cast<float>(now.gradient[i]));
        }
        keep("gradient");
        desk().setLook(InversionLook::Illumination); // where a stage begins alone
        QTRY_VERIFY_WITH_TIMEOUT(desk().missing().contains("Not kept in this file"), kPatience);
        QVERIFY(part<QLabel>("inversionFull")->text().contains("Not kept"));
        desk().select(0);
        QTRY_VERIFY_WITH_TIMEOUT(desk().missing().isEmpty() && desk().picture()->field.has_value(), kPatience);
        const QString checks = part<QLabel>("inversionChecks")->text();
        QVERIFY2(checks.contains("Every shot has a part") && checks.contains("shortest wavelength"),
                 qPrintable(checks));
    }

    // Another program writes; this one looks, and locks nobody out.
    void watchedWhileItGrows()
    {
        const auto writer = invert({"--out", "grows.h5", "--set", "inversion.iterations=[3,12]"});
        QElapsedTimer clock;
        clock.start();
        while (!isInversionFile(m_shop.path("grows.h5").toStdString()) && clock.elapsed() < kPatience) {
            QTest::qWait(20);
        }
        openWindow("grows.h5");
        int seen = 0;
        int last = -1;
        connect(&desk(), &InversionDesk::fileChanged, this, [&] {
            seen += desk().count() > last ? 1 : 0;
            last = desk().count();
        });
        QTRY_VERIFY_WITH_TIMEOUT(desk().count() >= 2, kPatience);
        QCOMPARE(desk().selected(), desk().count() - 1); // the newest is followed
        desk().select(1);
        QTRY_COMPARE_WITH_TIMEOUT(writer->state(), QProcess::NotRunning, 3 * kPatience); // while this window looks on
        const auto written = m_shop.finish(*writer);
        QVERIFY2(written.code == 0 && written.out.contains("inversion: 17 records"), written.all());
        QTRY_COMPARE_WITH_TIMEOUT(desk().count(), 17, kPatience);
        QVERIFY2(seen >= 3, qPrintable(QString::number(seen)));
        QCOMPARE(desk().selected(), 1); // who looks at one is left alone
        QCOMPARE(part<QSlider>("iterationSlider")->maximum(), 16);
    }

    void aFileThatGoesAwayIsSaid()
    {
        m_shop.write("gone.h5", m_shop.bytes("whole.h5"));
        openWindow("gone.h5");
        QTRY_COMPARE_WITH_TIMEOUT(desk().count(), kRecords, kPatience);
        QVERIFY(QFile::remove(m_shop.path("gone.h5")));
        QTRY_VERIFY_WITH_TIMEOUT(desk().watch().trouble().contains("The file is gone"), kPatience);
        QCOMPARE(desk().count(), kRecords);                           // what was read stays
        m_shop.write("gone.h5", m_shop.bytes("whole.h5").left(5000)); // half of it
        QTRY_VERIFY_WITH_TIMEOUT(desk().watch().trouble().contains("HDF5"), kPatience);
        QCOMPARE(desk().count(), kRecords);
        m_shop.write("gone.h5", m_shop.bytes("whole.h5"));
        QTRY_VERIFY_WITH_TIMEOUT(desk().watch().trouble().isEmpty(), kPatience);
    }

    // From the project, by the form; stopped; the file resumes to what an unbroken run by the command line has, to the bit.
    void startedStoppedResumed()
    {
        openWindow("start.toml");
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr, kPatience);
        InversionRun& run = desk().run();
        trigger("actionInversionPanel");
        QTRY_VERIFY_WITH_TIMEOUT(part<QWidget>("inversionPanel")->isVisible(), kPatience);
        trigger("actionInversionStart");
        QVERIFY2(!run.running() && bannerText().contains("no file to keep"), qPrintable(bannerText()));
        const auto type = [&](const char* name, const QString& text) {
            auto* edit = part<QLineEdit>(name);
            edit->setText(text);
            emit edit->editingFinished();
        };
        type("inversion_iterations", "[3, many]");
        QVERIFY(part<QLabel>("inversionRefused")->text().contains("integer"));
        type("inversion_iterations", "[3, 4]");
        type("inversion_low_pass", "[12.0, 0]");
        type("inversion_smoothing", "15");
        type("inversion_slowest", "1700");
        type("inversion_fastest", "2300");
        QTRY_VERIFY_WITH_TIMEOUT(run.forecast().startsWith("9 iterations, 1700 to 2300 m/s"), kPatience);
        type("inversionObserved", m_shop.path("none.h5"));
        type("inversionOut", m_shop.path("window.h5"));
        run.start();
        QTRY_VERIFY_WITH_TIMEOUT(!run.running(), kPatience);
        QVERIFY2(bannerText().contains("none.h5"), qPrintable(bannerText()));
        type("inversionObserved", m_shop.path("d.h5"));
        bool adjoint = false;
        connect(&run, &InversionRun::pictureChanged, this, [&] {
            adjoint = adjoint || (run.livePicture() && run.livePicture()->name.contains("Adjoint field") &&
                                  run.livePicture()->unit == QStringLiteral("Pa s"));
        });
        part<QPushButton>("inversionStart")->click();
        QVERIFY(run.running());
        QTRY_VERIFY_WITH_TIMEOUT(desk().count() >= 2, kPatience);
        QVERIFY(adjoint);
        QVERIFY(run.progress().secondsLeft > 0.0 && run.progress().fraction > 0.0);
        const QString phase = part<QLabel>("inversionPhase")->text();
        QVERIFY2(phase.contains("Stage 1 of 2") && phase.contains("of 4"), qPrintable(phase));
        keep("running", 0);
        QElapsedTimer clock;
        clock.start();
        part<QPushButton>("inversionStart")->click(); // says Stop now
        QVERIFY(!run.running());
        QVERIFY(clock.elapsed() < 200);
        QVERIFY2(bannerText().contains("was stopped"), qPrintable(bannerText()));
        QTest::qWait(700); // its last step
        QVERIFY(desk().count() < kRecords);
        trigger("actionInversionResume");
        QVERIFY(run.running());
        QTRY_VERIFY_WITH_TIMEOUT(!run.running(), kPatience);
        QVERIFY2(bannerText().contains("is done"), qPrintable(bannerText()));
        QTRY_COMPARE_WITH_TIMEOUT(desk().count(), kRecords, kPatience);
        for (int i = 0; i < kRecords; ++i) {
            QVERIFY2(recordOf("window.h5", i).speed == recordOf("whole.h5", i).speed, qPrintable(QString::number(i)));
        }
        // Rolled back to 5, the rest is computed once more: the same.
        desk().select(5);
        part<QPushButton>("inversionRollBack")->click();
        QTRY_VERIFY_WITH_TIMEOUT(desk().count() < kRecords, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!run.running(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(desk().count(), kRecords, kPatience);
        QVERIFY(recordOf("window.h5", kRecords - 1).speed == recordOf("whole.h5", kRecords - 1).speed);
        // Other settings do not go on with this file.
        run.setValue("smoothing", "20");
        run.resume();
        QTRY_VERIFY_WITH_TIMEOUT(!run.running(), kPatience);
        QVERIFY2(bannerText().contains("smoothing"), qPrintable(bannerText()));
    }

    // Computed where they are not kept: of the start far from the data, of the last iterate near.
    void tracesAreCompared()
    {
        openWhole();
        InversionDetail& detail = desk().detail();
        const auto left = [&](int index) {
            desk().select(index);
            [&] { QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), index, kPatience); }();
            trigger("actionCompareTraces");
            [&] { QTRY_VERIFY_WITH_TIMEOUT(detail.tracesFresh(), kPatience); }();
            return detail.traces()->left;
        };
        const double before = left(4); // where the second stage, of all frequencies, begins
        // The misfit that is told of the shot is the file's: one run in another launch, to rounding.
        const double told = detail.traces()->misfit;
        const double kept = recordOf("whole.h5", 4).misfits.at(0);
        QVERIFY2(std::abs(told / kept - 1.0) < 1e-4, qPrintable(QString::number(told / kept)));
        const double after = left(kRecords - 1);
        QVERIFY2(after < 0.6 * before, qPrintable(QString("%1 %2").arg(before).arg(after)));
        const TraceComparison& traces = *detail.traces();
        for (std::size_t i = 0; i < traces.observed->traces.size(); i += 97) {
            QVERIFY(std::abs(traces.synthetic->traces[i] - traces.observed->traces[i] - traces.difference->traces[i]) <=
                    1e-6F * std::abs(traces.observed->traces[i]) + 1e-12F);
        }
        QVERIFY(part<QLabel>("compareSays")->text().contains("full colour ±"));
        keep("traces");
        auto* first = static_cast<GatherCanvas*>(part<QWidget>("compareObserved"));
        key(Qt::Key_A);
        QCOMPARE(detail.way(), InversionDetail::Way::Wipe);
        QVERIFY(!part<QWidget>("compareSynthetic")->isVisible());
        const QImage half = first->grab().toImage();
        QTest::mouseClick(first, Qt::LeftButton, Qt::NoModifier,
                          QPoint(static_cast<int>(first->frame().area.left()) + 20, first->height() / 2));
        QVERIFY(first->grab().toImage() != half);
        keep("wipe");
        key(Qt::Key_A);
        QCOMPARE(detail.way(), InversionDetail::Way::Flicker);
        key(Qt::Key_A);
        QVERIFY(part<QWidget>("compareSynthetic")->isVisible());
        desk().select(0);
        QVERIFY(!detail.tracesFresh());
        QVERIFY(part<QLabel>("compareSays")->text().contains("compute again"));
    }

    // Small models in a row choose an iterate and the x of the well, whose columns are the files' own; spectra are of the traces.
    void thumbnailsSpectraAndWells()
    {
        openWhole();
        trigger("actionResetLayout");
        trigger("actionIterationPane");
        auto* strip = static_cast<ThumbnailStrip*>(part<QWidget>("iterationThumbnails"));
        QTRY_VERIFY_WITH_TIMEOUT(strip->isVisible() && strip->indices().size() >= 2, kPatience);
        const auto shown = strip->indices();
        QCOMPARE(shown.front(), 0);
        QCOMPARE(shown.back(), kRecords - 1);
        const QRect cell = strip->cell(1);
        QTest::mouseClick(strip, Qt::LeftButton, Qt::NoModifier,
                          QPoint(cell.left() + 1 + (cell.width() - 2) / 2, cell.height() / 3));
        QCOMPARE(desk().selected(), shown[1]);
        QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), shown[1], kPatience);
        QVERIFY(std::abs(desk().well() - 230.0) < 7.0); // the middle, to a pixel
        trigger("actionWellsPane");
        auto* pane = static_cast<WellsPane*>(part<QWidget>("wellsPane"));
        auto* well = static_cast<CurvePlot*>(part<QWidget>("inversionWell"));
        pane->setTruth(m_shop.path("true.npy"));
        QTRY_COMPARE_WITH_TIMEOUT(well->curves().size(), std::size_t{3}, kPatience);
        desk().setWell(234.0); // column 23
        desk().select(kRecords - 1);
        QTRY_COMPARE_WITH_TIMEOUT(well->curves()[1].name, QStringLiteral("iteration %1").arg(kRecords - 1), kPatience);
        const auto record = recordOf("whole.h5", kRecords - 1);
        for (int z = 0; z < kRows; ++z) {
            const auto at = static_cast<std::size_t>(z);
            QCOMPARE(well->curves()[0].x[at], 2000.0);
            QCOMPARE(well->curves()[1].x[at], static_cast<double>(record.speed[at * kColumns + 23]));
            QCOMPARE(well->curves()[1].y[at], 10.0 * z);
        }
        QVERIFY(std::abs(well->curves()[2].x[20] - 2150.0) < 1.0);
        trigger("actionCompareTraces");
        QTRY_VERIFY_WITH_TIMEOUT(desk().detail().tracesFresh(), kPatience);
        trigger("actionWellsPane");
        auto* spectra = static_cast<CurvePlot*>(part<QWidget>("inversionSpectra"));
        QCOMPARE(spectra->curves().size(), std::size_t{3});
        const auto& seen = spectra->curves()[0];
        const auto peak = std::max_element(seen.y.begin(), seen.y.end()) - seen.y.begin();
        const double hertz = seen.x[static_cast<std::size_t>(peak)]; // a 14 Hz Ricker, in 2-D half a derivative less
        QVERIFY2(hertz > 10.0 && hertz < 16.0, qPrintable(QString::number(hertz)));
        QVERIFY(spectra->curves()[2].y[static_cast<std::size_t>(peak)] < 0.3 * seen.y[static_cast<std::size_t>(peak)]);
        for (const bool dark : {false, true}) {
            m_window->setTheme(dark ? ThemeKind::Dark : ThemeKind::Light);
            const QString name =
                QString("_%1_%2").arg(dark ? "dark" : "light").arg(qRound(100.0 * qApp->devicePixelRatio()));
            trigger("actionWellsPane");
            keep("wells" + name);
            trigger("actionIterationPane");
            keep("thumbnails" + name);
        }
    }

    // A source estimated for all shots is told, and the traces are seen through it.
    void estimatedSourcesAreShown()
    {
        auto process = invert(
            {"--out", "source.h5", "--set", "inversion.source_filter=common", "--set", "inversion.iterations=[1,1]"});
        const auto o = m_shop.finish(*process);
        QVERIFY2(o.code == 0, o.all());
        openWindow("source.h5");
        QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), 3, kPatience);
        const QString says = part<QLabel>("wellsSays")->text();
        QVERIFY2(says.contains("Estimated wavelet of all shots"), qPrintable(says));
        trigger("actionCompareTraces");
        QTRY_VERIFY_WITH_TIMEOUT(desk().detail().tracesFresh(), kPatience);
        const double told = desk().detail().traces()->misfit;
        const double kept = recordOf("source.h5", 3).misfits.at(0);
        QVERIFY2(std::abs(told / kept - 1.0) < 1e-4, qPrintable(QString::number(told / kept)));
    }

    void shotsAddUpToTheGradient()
    {
        openWhole();
        desk().select(4);
        QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), 4, kPatience);
        const auto record = recordOf("whole.h5", 4);
        std::vector<double> sum(record.gradient.size(), 0.0);
        for (int shot = 0; shot < 4; ++shot) {
            desk().detail().setShot(shot);
            trigger("actionGradientOfShot");
            QTRY_VERIFY_WITH_TIMEOUT(desk().detail().shownGradient(99.0) &&
                                         desk().detail().shownGradient(99.0)->name.endsWith(QString::number(shot + 1)),
                                     kPatience);
            const auto& values = desk().detail().shownGradient(99.0)->field->values;
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] += static_cast<double>(values[i]) / record.reference;
            }
        }
        QVERIFY(desk().picture()->field->name.contains("Shot 4"));
        QVERIFY2(relativeDifference(sum, record.gradient) < 1e-5, // floats for the eye
                 qPrintable(QString::number(relativeDifference(sum, record.gradient))));
    }

    void alongALine()
    {
        openWhole();
        m_window->findChild<QAction*>(QStringLiteral("lineKind_envelope"))->trigger();
        QCOMPARE(part<QPushButton>("lineKinds")->text(), QStringLiteral("l2, envelope"));
        InversionDetail& detail = desk().detail();
        MisfitLineRequest request;
        request.points = 13;
        request.kinds = {"l2", "envelope"};
        detail.setLine({true, m_shop.path("true.npy")}, request);
        trigger("actionLine");
        QTRY_VERIFY_WITH_TIMEOUT(detail.working() == InversionDetail::Work::None && detail.line().t.size() == 13,
                                 kPatience);
        const auto minima = minimaOf(detail.line().t, detail.line().curves[0].values);
        QCOMPARE(minima.size(), std::size_t{1});
        QVERIFY(std::abs(minima[0].t - 1.0) < 0.02); // the truth is at its end
        auto* plot = static_cast<CurvePlot*>(part<QWidget>("linePlot"));
        QCOMPARE(plot->curves().size(), std::size_t{2});
        QCOMPARE(plot->marks().size(), std::size_t{2});
        QVERIFY(part<QLabel>("lineSays")->text().contains("l2: 1 minimum, at t = 1.00"));
        keep("line");
        trigger("actionLine");
        QTRY_VERIFY_WITH_TIMEOUT(detail.fraction() > 0.0, kPatience);
        part<QPushButton>("lineCompute")->click(); // says Stop
        QCOMPARE(detail.working(), InversionDetail::Work::None);
    }

    // Nothing is open: every pane says what to do.
    void emptyPanesSayWhatToDo()
    {
        openShot(0.3);
        for (const char* action :
             {"actionIterationPane", "actionComparePane", "actionLinePane", "actionInversionPanel"}) {
            trigger(action);
        }
        QVERIFY(!m_window->actions().find(QStringLiteral("actionInversionResume"))->isEnabled());
        QVERIFY(!part<QPushButton>("compareCompute")->isEnabled());
        desk().run().resume();
        QVERIFY2(bannerText().contains("No inversion is open"), qPrintable(bannerText()));
        keep("empty");
    }

    void looksGood_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        QTest::newRow("1600x1000") << QSize(1600, 1000) << true;
        QTest::newRow("1280x800") << QSize(1280, 800) << false;
    }
    // Of a larger inversion, if ONDO_INVERSION names its file.
    void looksGood()
    {
        if (qEnvironmentVariableIsEmpty("ONDO_SHOTS")) {
            QSKIP("pictures for people: set ONDO_SHOTS to a folder");
        }
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        const QString name = QString("%1_%2_").arg(size.width()).arg(qRound(100.0 * qApp->devicePixelRatio()));
        openWindow("start.toml");
        m_window->resize(size);
        m_window->setTheme(dark ? ThemeKind::Dark : ThemeKind::Light);
        m_window->files().open(qEnvironmentVariable("ONDO_INVERSION", m_shop.path("whole.h5")));
        QTRY_VERIFY_WITH_TIMEOUT(desk().count() > 2 && desk().loaded() == desk().count() - 1, kPatience);
        trigger("actionResetLayout");
        trigger("actionInversionPanel");
        trigger("actionIterationPane");
        keep(name + "model");
        desk().select(desk().count() / 2);
        desk().setLook(InversionLook::FromStart);
        QTRY_COMPARE_WITH_TIMEOUT(desk().loaded(), desk().count() / 2, kPatience);
        keep(name + "change");
        desk().setLook(InversionLook::Gradient);
        desk().detail().setShot(2);
        trigger("actionCompareTraces");
        QTRY_VERIFY_WITH_TIMEOUT(desk().detail().tracesFresh(), 3 * kPatience);
        keep(name + "traces");
        key(Qt::Key_A);
        keep(name + "wipe");
        key(Qt::Key_A, Qt::NoModifier);
        key(Qt::Key_A, Qt::NoModifier);
        trigger("actionGradientOfShot");
        QTRY_VERIFY_WITH_TIMEOUT(desk().detail().shownGradient(99.0).has_value(), 3 * kPatience);
        for (const char* kind : {"lineKind_envelope", "lineKind_traveltime"}) {
            m_window->findChild<QAction*>(QLatin1String(kind))->trigger();
        }
        trigger("actionLine");
        QTRY_VERIFY_WITH_TIMEOUT(desk().detail().working() == InversionDetail::Work::None, 20 * kPatience);
        keep(name + "line");
        auto* scroll = part<QWidget>("inversionDock")->findChild<QScrollArea*>();
        for (const char* row : {"inversionFile", "inversion_misfit", "inversionChecks"}) {
            QTest::qWait(50);
            scroll->verticalScrollBar()->setValue(part<QWidget>(row)->mapTo(scroll->widget(), QPoint()).y() - 100);
            keep(name + QLatin1String(row), 300);
        }
    }
};

int main(int argc, char** argv)
{
    return ondo::runGuiTest<TestInversionInTheWindow>(argc, argv);
}

#include "tst_inversion_in_the_window.moc"
