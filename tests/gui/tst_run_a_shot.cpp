// A person at the window: opens, drags the source, runs, pauses, steps, pokes, changes how it looks, resizes, undocks and
// closes while it runs. Numbers are compared, never pictures; nothing may be said on the console and no GL error made.
#include "tests/gui/window_test.h"

#include "ui/actions/action_list.h"
#include "ui/file_desk.h"
#include "ui/panes/gather_canvas.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>

using namespace ondo;

class TestRunAShot : public WindowTest {
    Q_OBJECT

private slots:
    void initTestCase() { beginAll(); }
    void cleanup() { endOne(); }
    void cleanupTestCase() { endAll(); }

    // One key from motion: the program's own model is there, judged, and Space makes waves.
    void startsWithSomethingToSee()
    {
        QElapsedTimer clock;
        clock.start();
        m_window = std::make_unique<MainWindow>();
        project().setDevice("cpu");
        m_window->show();
        m_window->open({}, false);
        takeFocus();
        QTRY_VERIFY_WITH_TIMEOUT(!project().model().empty(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr, kPatience);
        QCOMPARE(project().shot().sources.size(), std::size_t{1});
        QVERIFY(project().shot().receivers.size() > 50);
        key(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(session().phase() == RunPhase::Running, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(field().viewsShown() > 0, kPatience);
        qint64 first = clock.elapsed();
        QTRY_VERIFY_WITH_TIMEOUT(session().gather() != nullptr && session().gather()->recorded > 0, kPatience);
        key(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(session().phase(), RunPhase::Paused, kPatience);
        std::printf("INFO   : first wave on the screen %lld ms after the window was made\n",
                    static_cast<long long>(first));
    }

    void dragMovesTheSource()
    {
        openShot(0.4);
        const Position before = sourcePosition();
        const Position target{400.0, 0.0, 500.0};
        dragSourceTo(target);
        const double pixel = kSpacing * (kNx - 1) / field().sectionView().fieldRect().width;
        QVERIFY(std::abs(sourcePosition().x - target.x) <= 2.0 * pixel);
        QVERIFY(std::abs(sourcePosition().z - target.z) <= 2.0 * pixel);
        QCOMPARE(project().undoStack().index(), 2); // the model, then one drag: one step
        key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(sourcePosition() == before);
        key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!(sourcePosition() == before));
    }

    // Three dimensions: the section that is seen goes through the source, and follows it.
    void sectionGoesThroughTheSource()
    {
        constexpr int kN = 21;
        std::vector<float> speeds; // by y alone
        for (int i = 0; i < kN * kN * kN; ++i) {
            speeds.push_back(1500.0F + 100.0F * static_cast<float>(i / kN % kN));
        }
        const Model model =
            Model::make(Grid::make3D(kN, kN, kN, 10.0, 10.0, 10.0).value(), std::move(speeds), "slabs").value();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        RunDescription run = shortRun(model, 0.1);
        run.survey.shots[0].sources[0].position = {100.0, 70.0, 100.0};
        project().open(QStringLiteral("test"), model, run);
        QSignalSpy read(&field(), &FieldView::cursorAt);
        const auto speedSeen = [&](const Position& at) {
            QTest::mouseMove(&field(), pixelOf(at));
            return read.isEmpty() ? 0.0 : read.last().at(1).toDouble();
        };
        QCOMPARE(field().pictureSettings().planeIndex, 7);
        QTRY_COMPARE_WITH_TIMEOUT(speedSeen({50.0, 0.0, 150.0}), 2200.0, kPatience);
        project().moveSource(0, {100.0, 130.0, 100.0});
        QCOMPARE(field().pictureSettings().planeIndex, 13);
        QTRY_COMPARE_WITH_TIMEOUT(speedSeen({150.0, 0.0, 50.0}), 2800.0, kPatience);
    }

    void menuOfAPlace()
    {
        openShot(0.4);
        const Position place{700.0, 0.0, 600.0};
        const QPoint at = pixelOf(place);
        const double pixel = kSpacing * (kNx - 1) / field().sectionView().fieldRect().width;
        const auto choose = [&](const char* name) {
            QContextMenuEvent wish(QContextMenuEvent::Mouse, at, field().mapToGlobal(at));
            QCoreApplication::sendEvent(&field(), &wish);
            auto* menu = field().findChild<QMenu*>(QStringLiteral("fieldMenu"));
            QVERIFY(menu != nullptr && menu->isVisible());
            menu->findChild<QAction*>(QLatin1String(name))->trigger();
            menu->close();
            QTRY_VERIFY_WITH_TIMEOUT(field().findChild<QMenu*>(QStringLiteral("fieldMenu")) == nullptr, kPatience);
        };
        choose("sourceHere");
        QVERIFY(std::abs(sourcePosition().x - place.x) <= pixel && std::abs(sourcePosition().z - place.z) <= pixel);
        choose("probeHere");
        QVERIFY(project().probe() && std::abs(project().probe()->x - place.x) <= pixel);
        choose("pokeHere");
        QVERIFY(session().active());
    }

    void typedPositionIsTheSource()
    {
        openShot(0.4);
        auto* x = m_window->findChild<QDoubleSpinBox*>(QStringLiteral("sourceX"));
        QVERIFY(x != nullptr);
        x->setFocus();
        x->selectAll();
        QTest::keyClicks(x, QStringLiteral("432.5"));
        QTest::keyClick(x, Qt::Key_Return);
        QCOMPARE(sourcePosition().x, 432.5);
        QVERIFY(!session().active()); // no letter or space of a field is a command
    }

    void pauseStepResumeRestart()
    {
        openEndlessShot();
        key(Qt::Key_Space);
        pauseBeyond(50);
        const std::int64_t at = session().progress().step;
        for (int i = 1; i <= 3; ++i) {
            key(Qt::Key_Period);
            QTRY_COMPARE_WITH_TIMEOUT(session().progress().step, at + i, kPatience);
            QTRY_COMPARE_WITH_TIMEOUT(session().phase(), RunPhase::Paused, kPatience);
        }
        key(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(session().progress().step > at + 20, kPatience);
        key(Qt::Key_Home); // from the beginning
        QTRY_VERIFY_WITH_TIMEOUT(session().progress().step < at, kPatience);
        QElapsedTimer clock;
        clock.start();
        session().stop();
        QTRY_VERIFY_WITH_TIMEOUT(!session().active(), kPatience);
        QVERIFY(clock.elapsed() < 2000);
        QVERIFY(session().gather() != nullptr);
        QVERIFY(session().gather()->recorded < session().gather()->samples);
    }

    void tracesDoNotDependOnTheView()
    {
        openShot(0.5);
        const Gather seen = runToTheEnd();
        QVERIFY(field().viewsShown() > 0);
        QCOMPARE(seen.recorded, seen.samples);
        m_window->hide();
        const Gather unseen = runToTheEnd();
        QCOMPARE(unseen.recorded, unseen.samples);
        QVERIFY(seen.traces == unseen.traces);
        float largest = 0.0F;
        for (const float value : seen.traces) {
            largest = std::max(largest, std::abs(value));
        }
        QVERIFY(largest > 0.0F);
    }

    void changesOfLookActWhilePaused()
    {
        openEndlessShot();
        key(Qt::Key_Space);
        pauseBeyond(120);
        const std::int64_t at = session().progress().step;
        const ViewSettings before = project().view();
        const QImage first = field().grabFramebuffer();
        key(Qt::Key_C);
        QVERIFY(project().view().fieldMap != before.fieldMap);
        QTRY_VERIFY_WITH_TIMEOUT(field().grabFramebuffer() != first, kPatience);
        key(Qt::Key_BracketLeft);
        QVERIFY(project().view().percentile < before.percentile);
        key(Qt::Key_P);
        QVERIFY(project().view().reversedPolarity);
        key(Qt::Key_W);
        QCOMPARE(project().view().gatherMode, GatherMode::Wiggles);
        auto* percentile = m_window->findChild<QSlider*>(QStringLiteral("clipPercentileSlider"));
        QVERIFY(percentile != nullptr);
        percentile->setValue(percentile->maximum());
        QCOMPARE(project().view().percentile, 100.0);
        QCOMPARE(session().progress().step, at);
        QCOMPARE(session().phase(), RunPhase::Paused);
    }

    void pokeIsHeard()
    {
        openShot(0.6);
        const Gather quiet = runToTheEnd();
        key(Qt::Key_K);
        QVERIFY(project().view().poke);
        session().step(); // a paused run, one step in
        QTRY_COMPARE_WITH_TIMEOUT(session().phase(), RunPhase::Paused, kPatience);
        QTest::mouseClick(&field(), Qt::LeftButton, Qt::NoModifier, pixelOf({900.0, 0.0, 700.0}));
        session().resume();
        QTRY_VERIFY_WITH_TIMEOUT(!session().active(), kPatience);
        QVERIFY(session().gather() != nullptr);
        QCOMPARE(session().gather()->recorded, quiet.recorded);
        QVERIFY(session().gather()->traces != quiet.traces);
        key(Qt::Key_K);
        QVERIFY(!project().view().poke);
    }

    void draggedSourceGoesOn()
    {
        openEndlessShot();
        key(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(session().progress().step > 30, kPatience);
        dragSourceTo({1000.0, 0.0, 300.0});
        QVERIFY(session().active());
        QVERIFY(!session().projectDiffers()); // the run followed
        const std::int64_t at = session().progress().step;
        QTRY_VERIFY_WITH_TIMEOUT(session().progress().step > at + 30, kPatience);
        // Anything else waits for the next run, and says so.
        RunDescription run = project().run();
        run.spaceOrder = 4;
        project().editRun(QStringLiteral("order"), run);
        QVERIFY(session().projectDiffers());
        QVERIFY(m_window->findChild<QLabel*>(QStringLiteral("appliesNext"))->isVisible());
        QCOMPARE(session().runningPlan()->run.spaceOrder, 8);
    }

    void resizesAndUndocksWhileRunning()
    {
        openEndlessShot();
        key(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(field().viewsShown() > 2, kPatience);
        const auto goesOn = [&] {
            const std::uint64_t views = field().viewsShown();
            QTRY_VERIFY_WITH_TIMEOUT(field().viewsShown() > views + 2, kPatience);
        };
        m_window->resize(1000, 640);
        goesOn();
        m_window->resize(1500, 900);
        goesOn();
        for (const char* name : {"gatherDock", "probeDock", "setupDock"}) {
            auto* dock = m_window->findChild<QDockWidget*>(QLatin1String(name));
            QVERIFY(dock != nullptr);
            dock->setFloating(true);
            goesOn();
            dock->setFloating(false);
            goesOn();
        }
        m_window->setTheme(ThemeKind::Light);
        goesOn();
        m_window->setTheme(ThemeKind::Dark);
        goesOn();
    }

    // A fast device is held back for the eye, and computes the same.
    void paceHoldsTheRunBack()
    {
        openShot(0.3);
        const Gather fast = runToTheEnd();
        setPace(3.0);
        const Gather slow = runToTheEnd();
        QVERIFY2(session().lastRunSeconds() > 2.7, qPrintable(QString::number(session().lastRunSeconds())));
        QVERIFY(slow.traces == fast.traces);
        key(Qt::Key_Greater, Qt::ShiftModifier);
        QVERIFY(project().view().watchSeconds < 3.0);
    }

    // Full colour follows the field: a wave that has grown does not stay saturated.
    void clipFollowsTheField()
    {
        openShot(0.5);
        runToTheEnd();
        const auto last = session().lastField();
        QVERIFY(last != nullptr);
        const double clip = session().progress().clip;
        const double largest = std::abs(static_cast<double>(*std::max_element(
            last->values.begin(), last->values.end(), [](float a, float b) { return std::abs(a) < std::abs(b); })));
        QVERIFY2(clip > 0.2 * largest && clip < 50.0 * largest,
                 qPrintable(QStringLiteral("clip %1 Pa, largest %2 Pa").arg(clip).arg(largest)));
    }

    void gatherReadsWhatIsUnderThePointer()
    {
        openShot(0.5);
        const Gather gather = runToTheEnd();
        auto* canvas = static_cast<GatherCanvas*>(m_window->findChild<QWidget*>(QStringLiteral("gatherCanvas")));
        QVERIFY(canvas != nullptr);
        const QRectF area = canvas->frame().area;
        const auto reading = canvas->readingAt(area.center());
        QVERIFY(reading.has_value());
        QVERIFY(std::abs(reading->time - 0.25) < 0.02);
        QVERIFY(std::abs(reading->receiver - gather.receiverCount() / 2) <= 1);
        const auto sample = static_cast<std::size_t>(std::lround(reading->time / gather.dt));
        QCOMPARE(reading->pressure, static_cast<double>(gather.trace(reading->receiver)[sample]));
        QCOMPARE(reading->offset, reading->position.x - sourcePosition().x);
    }

    void badFileLeavesAllAsItWas()
    {
        openShot(0.4);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("broken.npy"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\x93NUMPY\x01\x00 nothing of the kind");
        file.close();
        const auto values = project().model().velocity().values;
        m_window->files().open(path);
        auto* text = m_window->findChild<QLabel*>(QStringLiteral("bannerText"));
        QTRY_VERIFY_WITH_TIMEOUT(text->isVisible(), kPatience);
        QVERIFY2(text->text().contains(QStringLiteral("broken.npy")), qPrintable(text->text()));
        QVERIFY(project().model().velocity().values == values);
        QVERIFY(session().plan() != nullptr);
    }

    void savedAndOpenedAgainIsTheSame()
    {
        openShot(0.4);
        dragSourceTo({400.0, 0.0, 500.0});
        const QString command = m_window->files().commandLine();
        QVERIFY2(command.startsWith(QStringLiteral("ondo run --set")), qPrintable(command));
        QVERIFY2(command.contains(QStringLiteral("source.position=")), qPrintable(command));
    }

    // Whoever does not see the window is told what each thing in it is.
    void whatTakesTheFocusHasAName()
    {
        openShot(0.4);
        QStringList nameless;
        for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool inner = qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) != nullptr ||
                               widget->objectName().startsWith(QStringLiteral("qt_"));
            if (inner || !widget->isVisibleTo(m_window.get()) || widget->focusPolicy() == Qt::NoFocus ||
                widget->focusProxy() != nullptr || qobject_cast<const QScrollArea*>(widget) != nullptr) {
                continue;
            }
            if (widget->accessibleName().isEmpty() && (button == nullptr || button->text().isEmpty())) {
                nameless << QStringLiteral("%1 %2").arg(QLatin1String(widget->metaObject()->className()),
                                                        widget->objectName());
            }
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
    }

    void paletteFindsAndDoes()
    {
        openShot(0.4);
        m_window->actions().find(QStringLiteral("actionPalette"))->trigger();
        auto* words = m_window->findChild<QLineEdit*>(QStringLiteral("paletteWords"));
        QVERIFY(words != nullptr);
        QTest::keyClicks(words, QStringLiteral("revers pol"));
        QTest::keyClick(words, Qt::Key_Return);
        QVERIFY(project().view().reversedPolarity);
    }

    void closesWhileRunning()
    {
        openEndlessShot();
        key(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(field().viewsShown() > 1, kPatience);
        QElapsedTimer clock;
        clock.start();
        m_window->close();
        m_window.reset();
        QVERIFY(clock.elapsed() < 3000);
    }
};

int main(int argc, char** argv)
{
    return ondo::runGuiTest<TestRunAShot>(argc, argv);
}

#include "tst_run_a_shot.moc"
