// Cut and damaged copies of every real file: each is read or refused, none crashes, hangs or asks for memory that the
// file cannot justify.
#include "engine/io/array_file.h"
#include "engine/io/geometry_file.h"
#include "engine/io/model_reader.h"
#include "tests/io/case_catalogue.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>

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
    QElapsedTimer clock;
    clock.start();
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
    QVERIFY2(clock.elapsed() < 20000, "a damaged file takes too long");
}

void TestFuzz::damaged_data()
{
    QTest::addColumn<QString>("file");
    if (m_folder.isEmpty()) {
        QTest::newRow("no cases") << QString();
        return;
    }
    for (const auto& row : caseRows(m_folder)) {
        QTest::newRow(qPrintable(row.file)) << row.file;
    }
}

void TestFuzz::damaged()
{
    QFETCH(QString, file);
    if (file.isEmpty()) {
        QSKIP("the folder of real cases is not beside the project (ONDO_CASES)");
    }
    QFile original(m_folder + "/" + file);
    QVERIFY(original.open(QIODevice::ReadOnly));
    // A piece is enough: headers are at the front, and large files only cost time.
    const QByteArray whole = original.read(60000);
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
