// Files of our own making, byte by byte from the standards: VTK images of every encoding, SEG-Y of revision 2, and what
// must be refused in them.
#include "engine/io/array_file.h"
#include "engine/io/convert.h"
#include "engine/io/geometry_file.h"
#include "engine/io/model_reader.h"
#include "engine/io/model_writer.h"
#include "engine/io/trace_file.h"
#include "tests/io/case_catalogue.h"
#include "tests/io/made_files.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace ondo;
using namespace made;

namespace {

std::vector<double> samplesOf(const std::string& path)
{
    const auto file = openArrayFile(path);
    return file && file->mainArray() != nullptr ? readDoubles(*file->mainArray()).value_or(std::vector<double>())
                                                : std::vector<double>();
}

// Equal to the bit, NaN included.
bool identical(const std::vector<double>& a, const std::vector<double>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), 8 * a.size()) == 0);
}

} // namespace

class TestFormats : public QObject {
    Q_OBJECT

private slots:
    void vtkImages_data();
    void vtkImages();
    void vtkLegacy();
    void vtkRoundTrip();
    void vtkRefusals_data();
    void vtkRefusals();
    void segyRevisionTwo_data();
    void segyRevisionTwo();
    void segyLengthsOfTheirOwn();
    void everyCodeGoesRound_data();
    void everyCodeGoesRound();
    void realTracesGoRound_data();
    void realTracesGoRound();
    void realArraysGoRound();
    void knownTraps();
    void realModelsGoRound_data();
    void realModelsGoRound();

private:
    std::string write(const char* name, const QByteArray& bytes)
    {
        QFile file(m_scratch.filePath(name));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(bytes);
        }
        return file.fileName().toStdString();
    }
    void compare(const std::string& path);
    std::string at(const char* name) const { return m_scratch.filePath(name).toStdString(); }
    QByteArray bytesOf(const std::string& path) const
    {
        QFile file(QString::fromStdString(path));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QString m_folder = casesFolder();
    QTemporaryDir m_scratch;
};

void TestFormats::compare(const std::string& path)
{
    ModelSource source;
    source.path = path;
    const auto loaded = readModel(source);
    QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().text().c_str());
    const Grid& g = loaded->model.grid();
    QCOMPARE(g, *Grid::make2D(kNz, kNx, 10.0, 5.0, {-30.0, 0.0, 20.0}));
    const auto& v = loaded->model.velocity().samples();
    for (int i = 0; i < kNx * kNz; ++i) {
        QCOMPARE(v[static_cast<std::size_t>(i)], valueAt(i));
    }
}

void TestFormats::vtkImages_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<bool>("base64");
    QTest::addColumn<bool>("zlib");
    QTest::addColumn<int>("wordBytes");
    QTest::addColumn<bool>("big");
    QTest::newRow("text") << "ascii" << false << false << 4 << false;
    for (const bool zlib : {false, true}) {
        for (const int bytes : {4, 8}) {
            for (const bool big : {false, true}) {
                const auto name =
                    fmt::format("{}{} words of {}, {}", zlib ? "zlib, " : "", "", bytes, big ? "big" : "little");
                QTest::newRow(("inline, " + name).c_str()) << "binary" << true << zlib << bytes << big;
                QTest::newRow(("appended raw, " + name).c_str()) << "appended" << false << zlib << bytes << big;
                QTest::newRow(("appended base64, " + name).c_str()) << "appended" << true << zlib << bytes << big;
            }
        }
    }
}

void TestFormats::vtkImages()
{
    QFETCH(QString, mode);
    QFETCH(bool, base64);
    QFETCH(bool, zlib);
    QFETCH(int, wordBytes);
    QFETCH(bool, big);
    compare(write("m.vti", vti({mode, base64, zlib, wordBytes, big})));
}

void TestFormats::vtkLegacy()
{
    const QByteArray head = "DATASET STRUCTURED_POINTS\nDIMENSIONS 7 1 5\nSPACING 5 1 10\nORIGIN -30 0 20\nPOINT_DATA "
                            "35\nSCALARS vp float\nLOOKUP_TABLE default\n";
    compare(write("b.vtk", "# vtk DataFile Version 3.0\n\nBINARY\n" + head + floats(true) + "\n"));
    QByteArray text;
    for (int i = 0; i < kNx * kNz; ++i) {
        text += QByteArray::number(static_cast<double>(valueAt(i))) + (i % 4 == 3 ? "\n" : " ");
    }
    compare(write("a.vtk", "# vtk DataFile Version 2.0\ntitle\nASCII\n" + head + text));
    // A field of two arrays, the second of which is the model.
    const QByteArray field = "DATASET STRUCTURED_POINTS\nDIMENSIONS 7 1 5\nSPACING 5 1 10\nORIGIN -30 0 20\nPOINT_DATA "
                             "35\nFIELD FieldData 2\nrho 1 35 float\n" +
                             floats(true) + "\nvp 1 35 float\n" + floats(true) + "\n";
    compare(write("f.vtk", "# vtk DataFile Version 3.0\nt\nBINARY\n" + field));
}

// What we write reads back to the bit, twice alike; VTK's own readers were held against these bytes when they were made.
void TestFormats::vtkRoundTrip()
{
    for (const int ny : {1, 3}) {
        const Grid grid = ny == 1 ? *Grid::make2D(kNz, kNx, 10.1, 5.3, {-30.0, 0.0, 20.0})
                                  : *Grid::make3D(kNz, ny, kNx, 10.1, 7.7, 5.3, {-30.0, 4.0, 20.0});
        std::vector<float> v;
        for (int i = 0; i < kNx * ny * kNz; ++i) {
            v.push_back(1500.0F + 0.1F * static_cast<float>(i));
        }
        const Model model = *Model::make(grid, v, "m");
        for (const char* name : {"r.vti", "r.vtk"}) {
            const std::string path = m_scratch.filePath(name).toStdString();
            QVERIFY(writeModel(path, model).has_value());
            ModelSource source;
            source.path = path;
            const auto back = readModel(source);
            QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
            QCOMPARE(back->model.grid(), grid);
            QVERIFY(back->model.velocity().samples() == v);
        }
    }
}

void TestFormats::vtkRefusals_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("word");
    const auto changed = [](QByteArray bytes, const char* from, const char* to) { return bytes.replace(from, to); };
    const QByteArray good = vti({});
    QTest::newRow("another kind") << changed(good, "type=\"ImageData\"", "type=\"PolyData\"") << "PolyData";
    QTest::newRow("another packer") << changed(vti({"binary", true, true, 4, false}), "vtkZLib", "vtkLZ4") << "LZ4";
    QTest::newRow("pieces") << changed(good, "Piece Extent=\"0 6", "Piece Extent=\"0 3") << "pieces";
    QTest::newRow("extent too large") << vti({}, "0 999999 0 999999 0 999999") << "points";
    QTest::newRow("shape beyond the bytes") << vti({}, "0 7 0 0 0 4") << "140 bytes";
    QTest::newRow("cut short") << good.left(good.size() - 60) << "cut short";
    QTest::newRow("blocks beyond the bytes") << vti({"appended", false, true, 8, false}, "0 7 0 0 0 4") << "140 bytes";
    QTest::newRow("turned axes") << changed(good, "Spacing=", "Direction=\"0 1 0 1 0 0 0 0 1\" Spacing=") << "turned";
    QTest::newRow("no samples") << QByteArray("# vtk DataFile Version 3.0\nt\nBINARY\nDATASET STRUCTURED_POINTS\n")
                                << "no samples";
    QTest::newRow("a mesh") << QByteArray("# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\n") << "POLYDATA";
    QTest::newRow("too few") << QByteArray(
                                    "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS "
                                    "1000000 1000 2\nPOINT_DATA 2000000000\nSCALARS v float\nLOOKUP_TABLE d\n1 2 3\n")
                             << "2000000000 numbers";
}

void TestFormats::vtkRefusals()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, word);
    const auto path = write("bad.vtk", bytes);
    ModelSource source;
    source.path = path;
    const auto r = readModel(source);
    QVERIFY(!r.has_value());
    const QString why = QString::fromStdString(r.error().text());
    QVERIFY2(why.contains(word) && !why.contains('\n'), qPrintable(why));
    QCOMPARE(exitCode(r.error()), 2);
}

void TestFormats::segyRevisionTwo_data()
{
    QTest::addColumn<bool>("big");
    QTest::addColumn<int>("samples");
    QTest::newRow("big") << true << 120;
    QTest::newRow("little") << false << 120;
    QTest::newRow("more samples than 16 bits say") << true << 70001;
}

void TestFormats::segyRevisionTwo()
{
    QFETCH(bool, big);
    QFETCH(int, samples);
    const auto path = write("two.sgy", revisionTwo(big, samples).bytes);
    const auto report = inspect(path);
    QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->format, std::string("SEG-Y"));
    QCOMPARE(report->shape, (std::vector<std::int64_t>{3, samples}));
    QCOMPARE(report->byteOrder, std::string(big ? "big" : "little"));
    QCOMPARE(report->sampleInterval.value_or(0.0), 333.25e-6);
    QCOMPARE(report->statistics.high, 249.0);
    QVERIFY2(report->warnings.empty(), report->warnings.empty() ? "" : report->warnings.front().c_str());
    const auto said = [&](const char* what) {
        return std::any_of(report->description.begin(), report->description.end(),
                           [&](const auto& l) { return l.find(what) != std::string::npos; });
    };
    QVERIFY(said("SEG: Survey v1.0") && said("behind the traces") && said("1 trace header extensions"));
    // Coordinates of the extension, which are no whole numbers, in the unit of the file's header.
    const auto places = readGeometry(path);
    QVERIFY(places.has_value());
    QCOMPARE(places->sources.size(), 1U);
    QCOMPARE(places->sources[0].x, 1234.5 * 0.3048);
    QCOMPARE(places->receivers[2].x, 2002.125 * 0.3048);
    // A count that the file does not keep is told.
    auto short1 = revisionTwo(big, samples);
    short1.put(3513, 4, 8);
    const auto cut = inspect(write("cut.sgy", short1.bytes));
    QVERIFY(cut.has_value() && !cut->warnings.empty());
}

void TestFormats::segyLengthsOfTheirOwn()
{
    SegyBytes s;
    s.bytes.replace(0, 3200, QByteArray(3200, ' '));
    s.put(3217, 1000, 2);
    s.put(3221, 50, 2);
    s.put(3225, 5, 2);
    s.put(3501, 1, 1);
    // Together as long as two traces of 50 would be: the sizes alone say nothing.
    for (const int n : {30, 70}) {
        const int start = static_cast<int>(s.bytes.size());
        s.bytes += QByteArray(240, '\0');
        s.put(start + 115, n, 2);
        for (int i = 0; i < n; ++i) {
            s.bytes += word(0x3F800000, 4, true);
        }
    }
    const auto path = write("own.sgy", s.bytes);
    const auto report = inspect(path);
    QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->shape, (std::vector<std::int64_t>{100}));
    QCOMPARE(report->statistics.sum, 100.0);
    // SU states each length, so that it can carry them.
    QVERIFY(convertFile(path, at("own.su")).has_value());
    const auto back = inspect(at("own.su"));
    QVERIFY(back.has_value());
    QCOMPARE(back->statistics.sum, 100.0);
    QVERIFY(convertFile(at("own.su"), at("again.sgy")).has_value());
    QVERIFY(identical(samplesOf(path), samplesOf(at("again.sgy"))));
}

void TestFormats::everyCodeGoesRound_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("bytes");
    const int kBytes[][2] = {{1, 4}, {2, 4},  {3, 2},  {5, 4},  {6, 8},  {7, 3}, {8, 1},
                             {9, 8}, {10, 4}, {11, 2}, {12, 8}, {15, 3}, {16, 1}};
    for (const auto& row : kBytes) {
        QTest::newRow(qPrintable(QString::number(row[0]))) << row[0] << row[1];
    }
}

// Bytes that count up make numbers of every size: each code is read alike in both orders, and goes to SEG-Y and .npy and
// back without a change.
void TestFormats::everyCodeGoesRound()
{
    QFETCH(int, code);
    QFETCH(int, bytes);
    std::vector<double> first;
    for (const bool big : {true, false}) {
        SegyBytes s;
        s.big = big;
        s.bytes.replace(0, 3200, QByteArray(3200, ' '));
        s.put(3217, 1000, 2);
        s.put(3221, 31, 2);
        s.put(3225, code, 2);
        s.put(3501, 2, 1);
        for (int t = 0; t < 5; ++t) {
            s.bytes += QByteArray(240, '\0');
            for (int i = 0; i < 31; ++i) {
                // For floats an exponent within their range.
                quint64 v = 0x9E3779B97F4A7C15ULL * static_cast<quint64>(1 + i + 31 * t) >> (64 - 8 * bytes);
                if (code == 1 || code == 5) {
                    v = (v & 0x80FFFFFF) | 0x42000000;
                } else if (code == 6) {
                    v = (v & 0x800FFFFFFFFFFFFFULL) | 0x4030000000000000ULL;
                }
                s.bytes += word(v, bytes, big);
            }
        }
        const auto path = write(big ? "code.sgy" : "code-lsb.sgy", s.bytes);
        const auto values = samplesOf(path);
        QCOMPARE(values.size(), 155U);
        if (big) {
            first = values;
        }
        QVERIFY(identical(values, first));
        const auto done = convertFile(path, at("round.sgy"));
        QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
        QVERIFY(bytesOf(at("round.sgy")) == bytesOf(at("code.sgy")));
        QVERIFY(convertFile(path, at("round.npy")).has_value());
        QVERIFY(identical(samplesOf(at("round.npy")), first));
    }
}

void TestFormats::realTracesGoRound_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("none") << QString();
    for (const auto& row : caseRows(m_folder)) {
        if (row.file.startsWith("segy/") || row.file.startsWith("su/") || row.file.startsWith("wavelets/")) {
            QTest::newRow(qPrintable(row.file)) << row.file;
        }
    }
}

// Every real file of traces into every format that carries traces: the samples come back as they were, the headers too
// where the format has them.
void TestFormats::realTracesGoRound()
{
    QFETCH(QString, file);
    if (file.isEmpty()) {
        return;
    }
    const std::string path = (m_folder + "/" + file).toStdString();
    const auto opened = openArrayFile(path);
    if (!opened || opened->traces == nullptr) {
        return; // tst_cases says which are refused
    }
    const auto before = samplesOf(path);
    const bool littleExtended = opened->traces->order == ByteOrder::Little && opened->traces->headerBytes > 240;
    for (const char* name : {"t.sgy", "t.su", "t.npy", "t.rsf"}) {
        const auto done = convertFile(path, at(name));
        if (littleExtended && QByteArray(name) == "t.sgy") {
            QVERIFY(!done.has_value());
            continue;
        }
        QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
        const auto after = samplesOf(at(name));
        if (done->find("were rounded") != std::string::npos) {
            QCOMPARE(after.size(), before.size());
            for (std::size_t i = 0; i < after.size(); ++i) {
                const float rounded = static_cast<float>(before[i]);
                QVERIFY(after[i] == static_cast<double>(rounded) || (after[i] != after[i] && before[i] != before[i]));
            }
        } else {
            QVERIFY2(identical(before, after), name);
        }
    }
    if (littleExtended) {
        return;
    }
    if (opened->format == "SEG-Y" && opened->traces->order == ByteOrder::Big) {
        const auto whole = bytesOf(path);
        QVERIFY(bytesOf(at("t.sgy")) == whole.left(whole.size() - opened->traces->trailer));
    }
    // The shared part of the headers survives the way to SU, to SEG-Y and to SU again.
    QVERIFY(convertFile(at("t.su"), at("u.sgy")).has_value());
    QVERIFY(convertFile(at("u.sgy"), at("u.su")).has_value());
    auto once = bytesOf(at("t.su"));
    const auto twice = bytesOf(at("u.su"));
    if (opened->format == "SU") {
        for (std::int64_t t = 0, place = 0; t < opened->traces->traces;
             place += 240 + 4 * opened->traces->samplesOf(t), ++t) {
            once.replace(static_cast<qsizetype>(place) + 180, 60, QByteArray(60, '\0'));
        }
    }
    QVERIFY(once == twice);
}

// Every real file of arrays into .npy: no sample changes. (A Fortran-ordered one is laid out anew, so that its samples are
// compared in order of size.)
void TestFormats::realArraysGoRound()
{
    int compared = 0;
    for (const auto& row : caseRows(m_folder)) {
        const std::string path = (m_folder + "/" + row.file).toStdString();
        const auto opened = openArrayFile(path);
        if (!opened || opened->traces != nullptr || row.file.startsWith("geometry/")) {
            continue;
        }
        const auto done = convertFile(path, at("a.npy"));
        if (!done || done->find("values as they are") == std::string::npos) {
            continue; // a model, in m/s, or nothing that is numbers
        }
        const StoredArray* array = opened->mainArray();
        auto before = samplesOf(path);
        auto after = samplesOf(at("a.npy"));
        if (array->firstFastest) {
            std::sort(before.begin(), before.end());
            std::sort(after.begin(), after.end());
        }
        // A NaN of half or double precision need not keep its payload.
        const bool same = std::equal(before.begin(), before.end(), after.begin(), after.end(),
                                     [](double a, double b) { return a == b || (a != a && b != b); });
        QVERIFY2(same, qPrintable(row.file));
        ++compared;
    }
    QVERIFY(m_folder.isEmpty() || compared > 30);
}

// What other readers were reported for.
void TestFormats::knownTraps()
{
    if (m_folder.isEmpty()) {
        QSKIP("the folder of real cases is not beside the project (ONDO_CASES)");
    }
    const std::string folder = m_folder.toStdString() + "/segy/";
    // A code that cannot be, since the sizes speak for another: that one is offered, not taken.
    QByteArray vendor = bytesOf(folder + "segyio/multiformats/Format8msb.sgy");
    vendor[3224] = 0;
    vendor[3225] = 6;
    const auto refused = inspect(write("vendor.sgy", vendor));
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().text().find("int8") != std::string::npos, refused.error().text().c_str());
    ModelSource stated;
    stated.sampleType = "int8";
    QVERIFY(inspect(at("vendor.sgy"), stated).has_value());
    // The stated type is what the next reader is told.
    QVERIFY(convertFile(at("vendor.sgy"), at("mended.sgy"), stated).has_value());
    QVERIFY(bytesOf(at("mended.sgy")) == bytesOf(folder + "segyio/multiformats/Format8msb.sgy"));
    // A zero byte ends no text.
    QCOMPARE(openArrayFile(folder + "segyio/text-embed-null.sgy")->textHeader.size(), 3200U);
    // Two exports of one thing are the same bytes.
    for (const char* name : {"one.sgy", "two.sgy"}) {
        QVERIFY(convertFile((m_folder + "/su/seisunix/raw.su").toStdString(), at(name)).has_value());
    }
    QVERIFY(bytesOf(at("one.sgy")) == bytesOf(at("two.sgy")));
}

void TestFormats::realModelsGoRound_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("hints");
    QTest::newRow("none") << QString() << QStringList();
    if (m_folder.isEmpty()) {
        return;
    }
    QTest::newRow("marmousi") << "mat/marmousi/marmousi_dz10.mat" << QStringList();
    QTest::newRow("marmousi2") << "models/marmousi2-denise/marmousi_II_marine.vp"
                               << QStringList{"174", "500", "20", "xz"};
    QTest::newRow("overthrust") << "models/overthrust-denise/overthrust_true.vp"
                                << QStringList{"186", "800", "25", "xz"};
    QTest::newRow("bp") << "npy/seistorch/model.npy" << QStringList{"321", "2052", "12.5", "zx"};
    QTest::newRow("marmhard") << "models/seisunix/marmhard.dat" << QStringList{"122", "384", "24", "xz"};
}

void TestFormats::realModelsGoRound()
{
    QFETCH(QString, file);
    QFETCH(QStringList, hints);
    if (file.isEmpty()) {
        return;
    }
    ModelSource source;
    source.path = (m_folder + "/" + file).toStdString();
    if (!hints.isEmpty()) {
        source.nz = hints[0].toInt();
        source.nx = hints[1].toInt();
        source.dz = source.dx = hints[2].toDouble();
        source.axes = hints[3].toStdString();
    }
    const auto before = readModel(source);
    QVERIFY(before.has_value());
    for (const char* name : {"m.npy", "m.bin", "m.rsf", "m.segy", "m.vti", "m.vtk", "m.h5"}) {
        const auto done = convertFile(source.path, at(name), source);
        if (QByteArray(name) == "m.h5" && !done) {
            continue; // built without HDF5
        }
        QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
        ModelSource again;
        again.path = at(name);
        if (QByteArray(name) == "m.npy" || QByteArray(name) == "m.bin") {
            again.nz = before->model.grid().nz;
            again.nx = before->model.grid().nx;
            again.dz = before->model.grid().dz;
            again.dx = before->model.grid().dx;
            again.originX = before->model.grid().origin.x;
        }
        const auto after = readModel(again);
        QVERIFY2(after.has_value(), after ? "" : after.error().text().c_str());
        QCOMPARE(after->model.grid(), before->model.grid());
        QVERIFY2(after->model.velocity().samples() == before->model.velocity().samples(), name);
    }
}

QTEST_GUILESS_MAIN(TestFormats)
#include "tst_formats.moc"
