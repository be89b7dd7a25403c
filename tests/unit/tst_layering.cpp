// The map of ARCHITECTURE.md, held by a machine: arrows between folders, foreign libraries, threads, line limits.
#include "layering_rules.h"

#include <QDirIterator>
#include <QFile>
#include <QtTest>

#include <algorithm>

class TestLayering : public QObject {
    Q_OBJECT

private slots:
    void sourcesKeepTheArrows();
    void equationsAreCompiled();
    void topLevelIsAsAgreed();
    void plantedFaultsAreFound_data();
    void plantedFaultsAreFound();
    void goodLinesPass_data();
    void goodLinesPass();
    void longFilesAreFound();
    void orphanEquationIsFound();
};

namespace {

const QDir kRoot(QStringLiteral(ONDO_SOURCE_DIR));
const QStringList kSources = {"*.h", "*.cpp", "*.cu", "*.cuh", "*.inl", "*.in", "*.def"};

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

void TestLayering::sourcesKeepTheArrows()
{
    QStringList faults;
    int files = 0;
    for (const char* folder : {"kernels", "engine", "render", "ui", "app"}) {
        QVERIFY2(kRoot.exists(folder), folder);
        QDirIterator it(kRoot.filePath(folder), kSources, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString path = it.next();
            ++files;
            const std::string name = kRoot.relativeFilePath(path).toStdString();
            for (const std::string& fault : layeringFaults(name, contents(path).toStdString())) {
                faults << QString::fromStdString(fault);
            }
        }
    }
    QVERIFY2(files > 10, "found too few files: is ONDO_SOURCE_DIR right?");
    QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n')));
}

void TestLayering::equationsAreCompiled()
{
    const QDir folder(kRoot.filePath("kernels/equations"));
    std::vector<std::string> headers;
    for (const QString& name : folder.entryList({"*.h"}, QDir::Files)) {
        headers.push_back(name.toStdString());
    }
    QVERIFY(!headers.empty());
    std::string compiled;
    QDirIterator it(kRoot.filePath("kernels"), kSources, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString path = it.next();
        if (!path.contains("/equations/")) {
            compiled += contents(path).toStdString();
        }
    }
    QStringList faults;
    for (const std::string& fault : orphanEquations(headers, compiled)) {
        faults << QString::fromStdString(fault);
    }
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
}

// By the project's own .gitignore: build folders, and what start.sh leaves behind.
static bool isIgnored(const QString& name)
{
    QFile list(kRoot.filePath(".gitignore"));
    if (!list.open(QIODevice::ReadOnly)) {
        return false;
    }
    const QStringList patterns = QString::fromUtf8(list.readAll()).split('\n', Qt::SkipEmptyParts);
    return std::any_of(patterns.begin(), patterns.end(), [&name](QString pattern) {
        pattern.remove('/');
        return QDir::match(pattern, name);
    });
}

void TestLayering::topLevelIsAsAgreed()
{
    const QSet<QString> folders = {"app", "ui", "render", "engine", "kernels", "resources", "tests", "packaging"};
    const QSet<QString> files = {"CMakeLists.txt",  "CMakePresets.json", "README.md",
                                 "ARCHITECTURE.md", "CONTRIBUTING.md",   "LICENSE"};
    QStringList strangers;
    for (const QFileInfo& entry : kRoot.entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot)) {
        const QString name = entry.fileName();
        // What is linked in beside the tree is the person's own.
        const bool ours = entry.isDir() ? folders.contains(name) : files.contains(name);
        if (!ours && !isIgnored(name) && !entry.isSymLink() && name != "CMakeUserPresets.json" && name != "shared") {
            strangers << name;
        }
    }
    QVERIFY2(strangers.isEmpty(), qPrintable("not agreed at the top level: " + strangers.join(", ")));
    for (const QString& folder : folders) {
        QVERIFY2(kRoot.exists(folder), qPrintable(folder + " is missing"));
    }
}

void TestLayering::plantedFaultsAreFound_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("line");
    QTest::newRow("kernels see engine") << "kernels/core/a.h"
                                        << "#include \"engine/grid/grid.h\"";
    QTest::newRow("engine sees render") << "engine/grid/a.h"
                                        << "#include \"render/scene.h\"";
    QTest::newRow("engine sees ui") << "engine/session/a.cpp"
                                    << "#include \"ui/main_window.h\"";
    QTest::newRow("engine in brackets") << "engine/session/a.cpp"
                                        << "#include <ui/main_window.h>";
    QTest::newRow("engine writes files") << "engine/session/a.cpp"
                                         << "#include \"engine/io/gather_io.h\"";
    QTest::newRow("render sees the session") << "render/a.cpp"
                                             << "#  include \"engine/session/session.h\"";
    QTest::newRow("render sees kernels") << "render/a.cpp"
                                         << "#include \"kernels/core/hd.h\"";
    QTest::newRow("ui sees kernels") << "ui/a.cpp"
                                     << "#include \"kernels/core/hd.h\"";
    QTest::newRow("ui sees app") << "ui/a.cpp"
                                 << "#include \"app/desktop/compose.h\"";
    QTest::newRow("a relative path") << "engine/grid/a.cpp"
                                     << "#include \"../model/model.h\"";
    QTest::newRow("a bare name") << "engine/grid/a.cpp"
                                 << "#include \"grid.h\"";
    QTest::newRow("Qt in the engine") << "engine/grid/a.h"
                                      << "#include <QString>";
    QTest::newRow("Qt by module in render") << "render/a.h"
                                            << "#include <QtCore/QString>";
    QTest::newRow("VTK in the engine") << "engine/a.h"
                                       << "#include <vtkImageData.h>";
    QTest::newRow("VTK in a panel") << "ui/panels/a.h"
                                    << "#include <vtkImageData.h>";
    QTest::newRow("CUDA in the engine") << "engine/device/a.h"
                                        << "#include <cuda_runtime.h>";
    QTest::newRow("CUDA in a kernel body") << "kernels/core/a.h"
                                           << "#include \"cuda_fp16.h\"";
    QTest::newRow("HDF5 in the app") << "app/cli/a.cpp"
                                     << "#include <hdf5.h>";
    QTest::newRow("a thread in the model") << "engine/model/a.cpp"
                                           << "    std::jthread worker([] {});";
    QTest::newRow("a Qt thread in a panel") << "ui/panels/a.h"
                                            << "#include <QThread>";
    QTest::newRow("a pool in an action") << "ui/actions/a.cpp"
                                         << "#include <QThreadPool>";
    QTest::newRow("a thread in a panel") << "ui/panels/a.cpp"
                                         << "std::thread t(f);";
}

void TestLayering::plantedFaultsAreFound()
{
    QFETCH(QString, path);
    QFETCH(QString, line);
    const std::string text = "// fine\n" + line.toStdString() + "\n";
    const auto faults = layeringFaults(path.toStdString(), text);
    QCOMPARE(faults.size(), std::size_t{1});
    QVERIFY2(faults[0].find(path.toStdString() + ":2: ") == 0, faults[0].c_str());
}

void TestLayering::goodLinesPass_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("line");
    QTest::newRow("engine sees kernels") << "engine/propagator/a.cpp"
                                         << "#include \"kernels/backend.h\"";
    QTest::newRow("render sees data") << "render/a.h"
                                      << "#include \"engine/frame/gather.h\"";
    QTest::newRow("ui sees the session") << "ui/session_bridge.h"
                                         << "#include \"engine/session/session.h\"";
    QTest::newRow("ui reads files") << "ui/actions/a.cpp"
                                    << "#include \"engine/io/model_io.h\"";
    QTest::newRow("Qt in ui") << "ui/a.h"
                              << "#include <QWidget>";
    QTest::newRow("VTK in ui/vtk") << "ui/vtk/a.h"
                                   << "#include <vtkGenericOpenGLRenderWindow.h>";
    QTest::newRow("CUDA in kernels/cuda") << "kernels/cuda/a.cu"
                                          << "#include <cuda_runtime.h>";
    QTest::newRow("HDF5 in engine/io") << "engine/io/a.cpp"
                                       << "#include <hdf5.h>";
    QTest::newRow("the session's thread") << "engine/session/session.h"
                                          << "    std::jthread m_thread;";
    QTest::newRow("the host's team") << "kernels/host/thread_team.cpp"
                                     << "std::vector<std::thread> members;";
    QTest::newRow("the display's thread") << "ui/display/a.h"
                                          << "    std::jthread m_thread;";
    QTest::newRow("a count starts nothing") << "engine/device/a.cpp"
                                            << "auto n = std::thread::hardware_concurrency();";
    QTest::newRow("a comment") << "engine/model/a.cpp"
                               << "// not std::thread, see session";
    QTest::newRow("a moc file") << "ui/a.cpp"
                                << "#include \"a.moc\"";
}

void TestLayering::goodLinesPass()
{
    QFETCH(QString, path);
    QFETCH(QString, line);
    const auto faults = layeringFaults(path.toStdString(), line.toStdString() + "\n");
    QVERIFY2(faults.empty(), faults.empty() ? "" : faults[0].c_str());
}

void TestLayering::longFilesAreFound()
{
    const auto lines = [](int n) { return std::string(static_cast<std::size_t>(n), '\n'); };
    QVERIFY(layeringFaults("engine/a.cpp", lines(600)).empty());
    QCOMPARE(layeringFaults("engine/a.cpp", lines(601)).size(), std::size_t{1});
    QVERIFY(layeringFaults("ui/a.cpp", lines(400)).empty());
    QCOMPARE(layeringFaults("ui/a.cpp", lines(401)).size(), std::size_t{1});
    QVERIFY(layeringFaults("ui/main_window.cpp", lines(250)).empty());
    QCOMPARE(layeringFaults("ui/main_window.cpp", lines(251)).size(), std::size_t{1});
}

void TestLayering::orphanEquationIsFound()
{
    const std::string compiled = "#include \"kernels/equations/scalar_born.h\"\n";
    QVERIFY(orphanEquations({"scalar_born.h"}, compiled).empty());
    QCOMPARE(orphanEquations({"scalar_born.h", "scalar.h"}, compiled).size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestLayering)
#include "tst_layering.moc"
