// Cut and damaged copies of every real file: each is read or refused, none crashes, hangs or asks for memory that the
// file cannot justify.
#include "engine/io/array_file.h"
#include "engine/io/geometry_file.h"
#include "engine/io/model_reader.h"
#include "tests/io/case_catalogue.h"
#include "tests/io/made_files.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <new>
#include <random>

#include <malloc.h>
#include <sys/resource.h>

using namespace ondo;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
// The HDF5 library itself loses memory when it gives up on a damaged file; with good files nothing is lost.
extern "C" const char* __lsan_default_suppressions()
{
    return "leak:libhdf5";
}
#endif

// Bytes that C++ code holds, and the most of them since it was last set back: what a file may ask for is 64 MiB and four
// times its own size. (HDF5 is C; the limit on the address space above is for it.)
namespace {

std::atomic<std::int64_t> g_held{0};
std::atomic<std::int64_t> g_most{0};

} // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes)
{
    void* const p = std::malloc(bytes == 0 ? 1 : bytes);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    const std::int64_t now = g_held += static_cast<std::int64_t>(malloc_usable_size(p));
    if (now > g_most) {
        g_most = now;
    }
    return p;
}

void operator delete(void* p) noexcept
{
    g_held -= p == nullptr ? 0 : static_cast<std::int64_t>(malloc_usable_size(p));
    std::free(p);
}

void operator delete(void* p, std::size_t) noexcept
{
    operator delete(p);
}
#endif

class TestFuzz : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void damaged_data();
    void damaged();
    void hugeClaims_data();
    void hugeClaims();

private:
    void tryBytes(const QByteArray& bytes);
    QString m_folder = casesFolder();
    QTemporaryDir m_scratch;
};

void TestFuzz::initTestCase()
{
    if (!kSanitized) {
        // An allocation that a header talked us into fails here instead of passing unseen.
        const rlimit limit{std::size_t{3} << 30, std::size_t{3} << 30};
        setrlimit(RLIMIT_AS, &limit);
    }
}

void TestFuzz::tryBytes(const QByteArray& bytes)
{
    const QString path = m_scratch.filePath("damaged.bin");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    const std::int64_t before = g_held;
    g_most = before;
    const std::clock_t start = std::clock(); // of the processor: other work on the machine does not count
    const auto report = inspect(path.toStdString());
    if (!report) {
        QVERIFY(!report.error().what.empty());
    }
    ModelSource source;
    source.path = path.toStdString();
    source.dz = 10.0;
    source.dx = 10.0;
    const auto model = readModel(source);
    QVERIFY(model.has_value() || !model.error().what.empty());
    const auto places = readGeometry(path.toStdString());
    QVERIFY(places.has_value() || !places.error().what.empty());
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    // A second; a sanitizer makes code several times slower.
    QVERIFY2(seconds < (kSanitized ? 20.0 : 1.0), qPrintable(QString("a damaged file takes %1 s").arg(seconds)));
    const std::int64_t asked = g_most - before;
    QVERIFY2(asked <= 4 * static_cast<std::int64_t>(bytes.size()) + (std::int64_t{64} << 20),
             qPrintable(QString("%1 bytes were asked for").arg(asked)));
}

void TestFuzz::damaged_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("ours");
    const QString none;
    for (const char* mode : {"ascii", "binary", "appended"}) {
        for (const bool zlib : {false, true}) {
            if (zlib && QByteArray(mode) == "ascii") {
                continue;
            }
            QTest::newRow(qPrintable(QString("vti, %1%2").arg(mode, zlib ? ", zlib" : "")))
                << none << made::vti({mode, true, zlib, 4, false});
        }
    }
    const QByteArray grid = "DATASET STRUCTURED_POINTS\nDIMENSIONS 7 1 5\nSPACING 5 1 10\nORIGIN -30 0 20\nPOINT_DATA "
                            "35\nSCALARS vp float\nLOOKUP_TABLE default\n";
    QTest::newRow("vtk, binary") << none << "# vtk DataFile Version 3.0\n\nBINARY\n" + grid + made::floats(true) + "\n";
    QTest::newRow("vtk, text") << none
                               << "# vtk DataFile Version 3.0\n\nASCII\n" + grid + QByteArray("1500 ").repeated(35);
    QTest::newRow("SEG-Y 2.1") << none << made::revisionTwo(true, 120).bytes;
    QTest::newRow("SEG-Y 2.1, little") << none << made::revisionTwo(false, 120).bytes;
    QTest::newRow("SPS") << none << made::sps();
    QTest::newRow("places") << none
                            << QByteArray("station;x;y;elevation\n") + QByteArray("7;1000.5;20;-3\n").repeated(40);
    for (const auto& row : caseRows(m_folder)) {
        QTest::newRow(qPrintable(row.file)) << row.file << QByteArray();
    }
}

void TestFuzz::damaged()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, ours);
    QFile original(m_folder + "/" + file);
    QVERIFY(file.isEmpty() || original.open(QIODevice::ReadOnly));
    // A piece is enough: headers are at the front, and large files only cost time.
    const QByteArray whole = file.isEmpty() ? ours : original.read(60000);
    std::mt19937 random(20240607);
    const auto below = [&random](qsizetype n) { return static_cast<qsizetype>(random() % static_cast<unsigned>(n)); };
    for (const qsizetype length :
         {qsizetype{1}, qsizetype{7}, qsizetype{20}, qsizetype{127}, qsizetype{131}, qsizetype{239}, qsizetype{3599},
          qsizetype{3700}, whole.size() / 2, whole.size() - 1, whole.size() - 5}) {
        if (length > 0 && length < whole.size()) {
            tryBytes(whole.left(length));
        }
    }
    const int flips = qEnvironmentVariableIntValue("ONDO_FUZZ") > 0 ? qEnvironmentVariableIntValue("ONDO_FUZZ") : 24;
    for (int i = 0; i < flips; ++i) {
        QByteArray bytes = whole;
        const qsizetype reach = i % 3 == 0 ? bytes.size() : std::min<qsizetype>(bytes.size(), i % 3 == 1 ? 300 : 3800);
        for (qsizetype k = below(8); k >= 0; --k) {
            static constexpr unsigned char kValues[6] = {0x00, 0xFF, 0x7F, 0x80, 0x01, 0x40};
            const qsizetype at = below(reach);
            bytes[at] = static_cast<char>(i % 2 == 0 ? kValues[random() % 6] : random() & 0xFF);
        }
        tryBytes(bytes);
        if (QTest::currentTestFailed()) {
            return;
        }
    }
}

void TestFuzz::hugeClaims_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const auto npy = [](const char* shape) {
        QByteArray header = QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + ", }";
        header = header.leftJustified(117, ' ') + "\n";
        return QByteArray("\x93NUMPY\x01\x00\x76\x00", 10) + header + QByteArray(64, '\0');
    };
    QTest::newRow("npy, 2^40 samples") << npy("(1048576, 1048576)");
    QTest::newRow("npy, overflow") << npy("(4294967296, 4294967296, 4294967296)");
    QTest::newRow("npy, digits") << npy("(999999999999999999999999999, 2)");
    QTest::newRow("npy, zero and huge") << npy("(0, 4611686018427387904, 16)");
    QTest::newRow("rsf") << QByteArray(
        "n1=1000000000 n2=1000000000\ndata_format=\"native_float\"\nin=\"stdin\"\n\x0c\x0c\x04 abc");
    QTest::newRow("rsf, itself") << QByteArray("n1=1000 n2=1000\ndata_format=\"native_float\"\nin=\"damaged.bin\"\n");
    QByteArray segy(3600 + 240 + 400, '\0');
    segy[3220] = '\xFF';
    segy[3221] = '\xFF';
    segy[3225] = 5;
    segy[3504] = '\x7F';
    segy[3505] = '\xFF';
    QTest::newRow("segy, extended headers") << segy;
    segy[3504] = '\xFF';
    QTest::newRow("segy, endless stanzas") << segy;
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("zeros") << QByteArray(100000, '\0');
}

void TestFuzz::hugeClaims()
{
    QFETCH(QByteArray, bytes);
    tryBytes(bytes);
    const auto report = inspect(m_scratch.filePath("damaged.bin").toStdString());
    QVERIFY2(!report.has_value() || report->statistics.count == 0, "a file that claims what it does not hold was read");
}

QTEST_GUILESS_MAIN(TestFuzz)
#include "tst_fuzz.moc"
