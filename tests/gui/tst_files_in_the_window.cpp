// Files at the window: dropped, refused, asked about, cancelled, exported, saved and opened again; unsaved edits; the way
// pictures take; and what a narrow window still shows. Files are read back and their numbers compared.
#include "tests/gui/window_test.h"

#include "engine/io/array_file.h"
#include "engine/io/npy_writer.h"
#include "ui/actions/action_list.h"
#include "ui/field_link.h"
#include "ui/file_desk.h"
#include "ui/forms/quantity_edit.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>

using namespace ondo;

namespace {

// Speed in m/s of node (z, x): an axis taken for the other cannot hide.
float speedAt(int z, int x)
{
    return 1500.0F + 20.0F * static_cast<float>(z) + static_cast<float>(x);
}

constexpr int kRows = 61, kColumns = 83;

void writeBareModel(const QString& path)
{
    std::vector<float> values;
    for (int z = 0; z < kRows; ++z) {
        for (int x = 0; x < kColumns; ++x) {
            values.push_back(speedAt(z, x));
        }
    }
    QVERIFY(writeNpy(path.toStdString(), values, {kRows, kColumns}).has_value());
}

// A .npy header over a hole in a file: as long to read as a large model, and no room on the disk.
void writeLargeModel(const QString& path, int nodes)
{
    QByteArray header =
        QStringLiteral("{'descr': '<f4', 'fortran_order': False, 'shape': (%1, %1), }").arg(nodes).toLatin1();
    header = header.leftJustified(117) + '\n';
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("\x93NUMPY\x01\x00\x76\x00", 10) + header);
    QVERIFY(file.resize(file.size() + qint64{4} * nodes * nodes));
}

} // namespace

class TestFilesInTheWindow : public WindowTest {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    QString path(const char* name) { return m_folder->filePath(QLatin1String(name)); }
    FileDesk& files() { return m_window->files(); }
    QString told() { return m_window->findChild<QLabel*>(QStringLiteral("bannerText"))->text(); }
    bool telling() { return m_window->findChild<QLabel*>(QStringLiteral("bannerText"))->isVisible(); }
    void act(const char* name) { m_window->actions().find(QLatin1String(name))->trigger(); }

    // As a file manager does it, on the picture.
    void drop(const QString& file)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        const QPoint at = field().mapTo(m_window.get(), field().rect().center());
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &event);
        QVERIFY(event.isAccepted());
    }

    QDialog* question() { return m_window->findChild<QDialog*>(QStringLiteral("readDialog")); }
    void type(const char* name, double value)
    {
        auto* edit = question()->findChild<QuantityEdit*>(QLatin1String(name));
        QVERIFY(edit != nullptr);
        edit->setValue(value);
    }
    void answer(QDialogButtonBox::StandardButton button)
    {
        question()->findChild<QDialogButtonBox*>()->button(button)->click();
    }

    // Does what a person does in the next file dialog: picks a kind, types a name.
    void answerFileDialog(const QString& file, const QString& kind = {})
    {
        QTimer::singleShot(0, this, [this, file, kind] {
            auto* dialog = m_window->findChild<QFileDialog*>(QStringLiteral("newFileDialog"));
            if (dialog == nullptr || !dialog->isVisible()) {
                answerFileDialog(file, kind);
                return;
            }
            if (!kind.isEmpty()) {
                dialog->selectNameFilter(kind);
                emit dialog->filterSelected(kind);
            }
            dialog->setDirectory(QFileInfo(file).absolutePath());
            dialog->selectFile(QFileInfo(file).fileName());
            dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
        });
    }

    void runToTheEnd()
    {
        session().run();
        QTRY_VERIFY_WITH_TIMEOUT(session().lastRunSeconds() > 0.0 && !session().active(), kPatience);
    }

private slots:
    void initTestCase() { beginAll(); }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void cleanup() { endOne(); }
    void cleanupTestCase() { endAll(); }

    // A bare array does not say how far apart its nodes are: the window asks, and the answer goes into the run.
    void droppedArrayAsksForItsSpacing()
    {
        openShot(0.4);
        const QString file = path("speeds.npy");
        writeBareModel(file);
        drop(file);
        QTRY_VERIFY_WITH_TIMEOUT(question() != nullptr, kPatience);
        auto* reason = question()->findChild<QLabel*>(QStringLiteral("readReason"));
        QVERIFY2(reason->text().contains(QStringLiteral("node spacing")), qPrintable(reason->text()));
        QCOMPARE(project().model().grid().nx, kNx); // as it was
        type("readDx", 12.5);
        answer(QDialogButtonBox::Open); // dz is still missing: asked again, what was typed is kept
        QTRY_VERIFY_WITH_TIMEOUT(question() != nullptr && question()->isVisible() && !files().reading(), kPatience);
        QCOMPARE(question()->findChild<QuantityEdit*>(QStringLiteral("readDx"))->value(), 12.5);
        type("readDz", 7.5);
        answer(QDialogButtonBox::Open);
        QTRY_COMPARE_WITH_TIMEOUT(project().model().grid().nx, kColumns, kPatience);
        const Grid& grid = project().model().grid();
        QCOMPARE(grid.nz, kRows);
        QCOMPARE(grid.dx, 12.5);
        QCOMPARE(grid.dz, 7.5);
        QCOMPARE(project().model().velocity().samples()[5 * kColumns + 7], speedAt(5, 7));
        QCOMPARE(project().run().model.dx.value_or(0.0), 12.5);
        QVERIFY(question() == nullptr || !question()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr, kPatience);
        act("actionUndo"); // the model before is one step away
        QCOMPARE(project().model().grid().nx, kNx);
    }

    void rawBinaryIsAskedForItsShape()
    {
        openShot(0.4);
        const QString file = path("speeds.bin");
        QFile raw(file);
        QVERIFY(raw.open(QIODevice::WriteOnly));
        for (int i = 0; i < kRows * kColumns; ++i) {
            const float value = speedAt(i / kColumns, i % kColumns);
            raw.write(reinterpret_cast<const char*>(&value), sizeof value);
        }
        raw.close();
        drop(file);
        QTRY_VERIFY_WITH_TIMEOUT(question() != nullptr, kPatience);
        type("readDx", 10.0);
        type("readDz", 10.0);
        type("readNx", kColumns);
        type("readNz", kRows - 1); // wrong: asked again
        answer(QDialogButtonBox::Open);
        QTRY_VERIFY_WITH_TIMEOUT(question() != nullptr && question()->isVisible() && !files().reading(), kPatience);
        type("readNz", kRows);
        answer(QDialogButtonBox::Open);
        QTRY_COMPARE_WITH_TIMEOUT(project().model().grid().nx, kColumns, kPatience);
        QCOMPARE(project().model().velocity().samples()[9 * kColumns + 3], speedAt(9, 3));
    }

    void droppedNonsenseIsRefused()
    {
        openShot(0.4);
        const auto values = project().model().velocity().values;
        const int steps = project().undoStack().count();
        QFile file(path("broken.npy"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\x93NUMPY\x01\x00 nothing of the kind");
        file.close();
        drop(file.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(telling(), kPatience);
        QVERIFY2(told().contains(QStringLiteral("broken.npy")), qPrintable(told()));
        QVERIFY(question() == nullptr);
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        QVERIFY(project().model().velocity().values == values);
        QCOMPARE(project().undoStack().count(), steps);
        drop(path("is-not-there.sgy"));
        QTRY_VERIFY_WITH_TIMEOUT(told().contains(QStringLiteral("is-not-there.sgy")), kPatience);
        QVERIFY(project().model().velocity().values == values);
        runToTheEnd(); // and everything still works
        QVERIFY(session().gather() != nullptr);
    }

    // The program is started with a bad file: it says so, and there is something to work with all the same.
    void badFileAtTheStart()
    {
        m_window = std::make_unique<MainWindow>();
        project().setDevice("cpu");
        m_window->show();
        m_window->open(path("is-not-there.mat"), false);
        QTRY_VERIFY_WITH_TIMEOUT(!project().model().empty(), kPatience);
        QVERIFY2(told().contains(QStringLiteral("is-not-there.mat")), qPrintable(told()));
        QVERIFY(telling());
    }

    // While the first model is read nothing is shown that would be one: no axes of nothing, no third dimension.
    void beforeThereIsAModel()
    {
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        for (const char* name : {"sourceY", "receiverFirstY", "probeY", "faceFront"}) {
            auto* field = m_window->findChild<QWidget*>(QLatin1String(name));
            QVERIFY2(field != nullptr && !field->isVisibleTo(m_window.get()), name);
        }
        QVERIFY(!m_window->findChild<QWidget*>(QStringLiteral("sourceX"))->isEnabled());
        const QImage picture = field().grabFramebuffer();
        const QColor ground = picture.pixelColor(1, 1);
        for (int x = 1; x < picture.width(); x += 3) {
            for (int y = 1; y < picture.height(); y += 3) {
                QVERIFY(picture.pixelColor(x, y) == ground);
            }
        }
    }

    // The frame's own border once cut the foot of the last line off.
    void aLongMessageIsWhole()
    {
        openShot(0.4);
        const QString sentence = QStringLiteral("dz = 10 m from the vector z, which begins at 0 m. ");
        auto* text = m_window->findChild<QLabel*>(QStringLiteral("bannerText"));
        for (int sentences = 1; sentences < 8; ++sentences) {
            project().tell({NoticeKind::Told, sentence.repeated(sentences), {}});
            QTRY_VERIFY_WITH_TIMEOUT(text->isVisible(), kPatience);
            QCoreApplication::sendPostedEvents(); // the layout follows
            QVERIFY2(text->height() >= text->heightForWidth(text->width()),
                     qPrintable(QStringLiteral("%1: %2 of %3")
                                    .arg(sentences)
                                    .arg(text->height())
                                    .arg(text->heightForWidth(text->width()))));
        }
    }

    // Each guess has its line, and a name is shown letter by letter.
    void namesAreNoMarkup()
    {
        openShot(0.4);
        QFile file(path("a<h1>big<b>.npy"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("no numbers");
        file.close();
        files().open(file.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(told().contains(QStringLiteral("a<h1>big<b>.npy")), kPatience);
        for (const char* name : {"bannerText", "bannerRemedy", "modelName", "progressBusy"}) {
            QCOMPARE(m_window->findChild<QLabel*>(QLatin1String(name))->textFormat(), Qt::PlainText);
        }
    }

    void longReadingTellsItsShareAndEnds()
    {
        openShot(0.4);
        const auto values = project().model().velocity().values;
        writeLargeModel(path("large.npy"), 9000);
        ModelSource source;
        source.path = path("large.npy").toStdString();
        source.dx = source.dz = 10.0;
        files().openModel(source);
        double last = 0.0;
        QTRY_VERIFY_WITH_TIMEOUT((last = files().busy().fraction) > 0.0, kPatience);
        QVERIFY(last < 1.0);
        auto* words = m_window->findChild<QLabel*>(QStringLiteral("progressBusy"));
        QVERIFY2(words->isVisible() && words->toolTip().contains(QStringLiteral("large.npy")) &&
                     words->text().endsWith(QLatin1Char('%')),
                 qPrintable(words->toolTip()));
        auto* cancel = m_window->findChild<QToolButton*>(QStringLiteral("cancelReading"));
        QVERIFY(cancel->isVisible());
        QElapsedTimer clock;
        clock.start();
        cancel->click();
        QVERIFY(!files().reading());
        QVERIFY(!words->isVisible() && !cancel->isVisible());
        // The worker has let go too: the next file does not wait for the rest of this one.
        writeBareModel(path("small.npy"));
        source.path = path("small.npy").toStdString();
        files().openModel(source);
        QTRY_COMPARE_WITH_TIMEOUT(project().model().grid().nx, kColumns, kPatience);
        QVERIFY2(clock.elapsed() < 1500, qPrintable(QString::number(clock.elapsed())));
        QVERIFY(project().model().velocity().values != values);
    }

    void closesWhileAFileIsRead()
    {
        openShot(0.4);
        writeLargeModel(path("large.npy"), 9000);
        ModelSource source;
        source.path = path("large.npy").toStdString();
        source.dx = source.dz = 10.0;
        files().openModel(source);
        QTRY_VERIFY_WITH_TIMEOUT(files().busy().fraction > 0.0, kPatience);
        QElapsedTimer clock;
        clock.start();
        m_window->close();
        m_window.reset();
        QVERIFY2(clock.elapsed() < 1500, qPrintable(QString::number(clock.elapsed())));
    }

    void exportsWhatIsThere()
    {
        openShot(0.3);
        QVERIFY(!m_window->actions().find(QStringLiteral("actionExportGather"))->isEnabled());
        runToTheEnd();
        const Gather gather = *session().gather();
        const auto wrote = [&](const QString& file) {
            QTRY_VERIFY_WITH_TIMEOUT(told().contains(QFileInfo(file).fileName()), kPatience);
            QVERIFY2(QFileInfo::exists(file), qPrintable(told()));
        };
        // The name without an ending takes that of the kind that was chosen.
        answerFileDialog(path("traces"), QStringLiteral("NumPy (*.npy)"));
        act("actionExportGather");
        wrote(path("traces.npy"));
        answerFileDialog(path("traces.sgy"));
        act("actionExportGather");
        wrote(path("traces.sgy"));
        for (const char* name : {"traces.npy", "traces.sgy"}) {
            const auto file = openArrayFile(path(name).toStdString());
            QVERIFY2(file.has_value(), name);
            QCOMPARE(file->mainArray()->shape,
                     (std::vector<std::int64_t>{gather.receiverCount(), std::int64_t{gather.samples}}));
            const auto values = readFloats(*file->mainArray());
            QVERIFY(values.has_value());
            QVERIFY2(*values == gather.traces, name);
        }

        answerFileDialog(path("all.h5"));
        act("actionExportResults");
        wrote(path("all.h5"));
        const auto results = openArrayFile(path("all.h5").toStdString());
        QVERIFY(results.has_value());
        const auto holds = [&](const std::vector<float>& wanted) {
            return std::any_of(results->arrays.begin(), results->arrays.end(), [&](const StoredArray& array) {
                return array.numeric && array.count() == static_cast<std::int64_t>(wanted.size()) &&
                       readFloats(array).value_or(std::vector<float>{}) == wanted;
            });
        };
        QVERIFY(holds(gather.traces));
        QVERIFY(session().lastField() != nullptr && holds(session().lastField()->values));
        QVERIFY(holds(*project().model().velocity().values));

        const QImage seen = field().grabFramebuffer();
        answerFileDialog(path("section.png"));
        act("actionExportPicture");
        wrote(path("section.png"));
        const QImage picture(path("section.png"));
        QCOMPARE(picture.size(), seen.size());
        for (const auto& [x, y] : {std::pair{0.5, 0.5}, {0.4, 0.3}, {0.6, 0.7}}) {
            const QPoint at(static_cast<int>(x * seen.width()), static_cast<int>(y * seen.height()));
            QCOMPARE(picture.pixelColor(at), seen.pixelColor(at));
        }
    }

    void cannotWriteThere()
    {
        openShot(0.3);
        runToTheEnd();
        answerFileDialog(path("traces.xyz")); // no format of ours
        act("actionExportGather");
        QTRY_VERIFY_WITH_TIMEOUT(told().contains(QStringLiteral("traces.xyz")), kPatience);
        QVERIFY(!QFileInfo::exists(path("traces.xyz")));
    }

    void savedRunOpensAgainTheSame()
    {
        openShot(0.3);
        writeBareModel(path("speeds.npy"));
        ModelSource source;
        source.path = path("speeds.npy").toStdString();
        source.dx = source.dz = 10.0;
        files().openModel(source);
        QTRY_COMPARE_WITH_TIMEOUT(project().model().grid().nx, kColumns, kPatience);
        RunDescription run = project().run();
        run.title = "kept";
        run.duration = 0.25;
        run.spaceOrder = 6;
        run.boundary.at(Face::ZLow) = FaceCondition::Free;
        run.survey.shots[0].sources[0].position = {321.25, 0.0, 87.5};
        run.survey.shots[0].sources[0].wavelet = Wavelet::ricker(17.5);
        run.survey.shots[0].receivers = receiverLine({50.0, 0.0, 20.0}, {700.0, 0.0, 20.0}, 14);
        project().editRun(QStringLiteral("many things"), run);
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr && session().plan()->run == project().run(), kPatience);
        runToTheEnd();
        const Gather before = *session().gather();
        answerFileDialog(path("kept"));
        act("actionSaveAs");
        QCOMPARE(project().filePath(), path("kept.toml"));
        QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("kept.toml")));

        act("actionUndo"); // elsewhere, then back from the file
        files().open({});
        QTRY_VERIFY_WITH_TIMEOUT(project().model().grid().nx > kNx, kPatience);
        QVERIFY(project().filePath().isEmpty());
        drop(path("kept.toml"));
        QTRY_COMPARE_WITH_TIMEOUT(project().filePath(), path("kept.toml"), kPatience);
        RunDescription again = project().run();
        again.device = run.device; // of this machine, not of the file
        QVERIFY(again == run);
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() != nullptr && session().plan()->run == project().run(), kPatience);
        runToTheEnd();
        QVERIFY(session().gather()->traces == before.traces);
    }

    // An edit marks the window, an undo takes the mark away; another file is a step of the history and has its own name.
    void unsavedEditsAreMarkedAndNotLost()
    {
        openShot(0.3);
        answerFileDialog(path("first.toml"));
        act("actionSaveAs");
        QVERIFY(!m_window->isWindowModified());
        project().moveSource(0, {400.0, 0.0, 300.0});
        QVERIFY(m_window->isWindowModified());
        act("actionUndo");
        QVERIFY(!m_window->isWindowModified());
        act("actionRedo");

        files().open({}); // the built-in structure, not a file
        QTRY_VERIFY_WITH_TIMEOUT(project().model().grid().nx > kNx, kPatience);
        QVERIFY(project().filePath().isEmpty());
        QVERIFY(!m_window->isWindowModified());
        act("actionUndo");
        QCOMPARE(project().filePath(), path("first.toml"));
        QCOMPARE(sourcePosition(), (Position{400.0, 0.0, 300.0}));
        QVERIFY(m_window->isWindowModified());
        act("actionSave");
        QVERIFY(!m_window->isWindowModified());
    }

    void closingAsksForUnsavedEdits()
    {
        openShot(0.3);
        answerFileDialog(path("first.toml"));
        act("actionSaveAs");
        project().moveSource(0, {400.0, 0.0, 300.0});
        const auto box = [&] { return m_window->findChild<QMessageBox*>(QStringLiteral("unsavedQuestion")); };
        m_window->close();
        QVERIFY(m_window->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(box() != nullptr && box()->isVisible(), kPatience);
        box()->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY_WITH_TIMEOUT(box() == nullptr, kPatience);
        QVERIFY(m_window->isVisible());
        m_window->close();
        QTRY_VERIFY_WITH_TIMEOUT(box() != nullptr && box()->isVisible(), kPatience);
        box()->button(QMessageBox::Save)->click();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->isVisible(), kPatience);
        QFile file(path("first.toml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("[400, 300]"));
    }

    void statusSaysWhoChoseTheWay()
    {
        const DisplayVerdict found{FrameTransport::Direct, {}};
        QCOMPARE(displayInUse(found, DisplayWish::Automatic).transport, FrameTransport::Direct);
        const DisplayVerdict wished = displayInUse(found, DisplayWish::ThroughHost);
        QCOMPARE(wished.transport, FrameTransport::Host);
        QVERIFY(wished.chosenByUser && wished.reason.contains(QStringLiteral("chosen by you")));
        const DisplayVerdict lost{FrameTransport::Host, QStringLiteral("GL on another GPU")};
        QCOMPARE(displayInUse(lost, DisplayWish::Automatic).reason, lost.reason);
        QVERIFY(displayInUse(lost, DisplayWish::ThroughHost).reason.contains(lost.reason));

        openShot(0.3);
        auto* status = m_window->findChild<QToolButton*>(QStringLiteral("statusDisplay"));
        QVERIFY(!status->toolTip().contains(QStringLiteral("chosen by you")));
        auto* way = m_window->findChild<QComboBox*>(QStringLiteral("displayWish"));
        way->setCurrentIndex(1);
        emit way->activated(1);
        QVERIFY2(status->text().contains(QStringLiteral("chosen by you")), qPrintable(status->text()));
        QVERIFY2(status->toolTip().contains(QStringLiteral("hosen by you")), qPrintable(status->toolTip()));
        way->setCurrentIndex(0);
        emit way->activated(0);
        QVERIFY2(!status->text().contains(QStringLiteral("chosen by you")), qPrintable(status->text()));
    }

    // Nothing is cut off in a narrow window: the status bar drops whole cells, the tool bar has a way to what did not fit.
    void narrowWindowCutsNothing_data()
    {
        QTest::addColumn<int>("width");
        QTest::newRow("1600") << 1600;
        QTest::newRow("1280") << 1280;
        QTest::newRow("1024") << 1024;
    }
    void narrowWindowCutsNothing()
    {
        QFETCH(int, width);
        openShot(0.3);
        m_window->resize(width, 700);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->width(), width, kPatience);
        QTest::qWait(50);
        auto* bar = m_window->findChild<QWidget*>(QStringLiteral("machineBar"));
        for (const QWidget* cell : bar->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (cell->isVisible()) {
                QVERIFY2(cell->width() >= cell->sizeHint().width() || cell->objectName().isEmpty(),
                         qPrintable(cell->objectName()));
                QVERIFY2(cell->geometry().right() < bar->width(), qPrintable(cell->objectName()));
            }
        }
        for (const char* always : {"statusDevice", "statusDisplay", "statusSteps", "statusCourant", "statusPoints"}) {
            QVERIFY2(m_window->findChild<QWidget*>(QLatin1String(always))->isVisible(), always);
        }
        auto* tools = m_window->findChild<QToolBar*>(QStringLiteral("toolBar"));
        auto* more = tools->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"));
        const bool allThere =
            tools->widgetForAction(m_window->actions().find(QStringLiteral("actionKeys")))->isVisible();
        if (width >= 1280) {
            QVERIFY(allThere);
        } else if (!allThere) {
            QVERIFY(more->isVisible());
            QVERIFY2(more->width() >= 16 && !more->icon().isNull(), qPrintable(QString::number(more->width())));
        }
    }
};

int main(int argc, char** argv)
{
    return ondo::runGuiTest<TestFilesInTheWindow>(argc, argv);
}

#include "tst_files_in_the_window.moc"
