// Files of our own making, byte by byte from the standards: VTK images of every encoding, SEG-Y of revision 2, and what
// must be refused in them.
#include "engine/io/array_file.h"
#include "engine/io/model_reader.h"
#include "engine/io/model_writer.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

#include <fmt/format.h>

using namespace ondo;

namespace {

// 7 x 1 x 5 points of x, y, z: no two counts alike.
constexpr int kNx = 7;
constexpr int kNz = 5;

float valueAt(int i)
{
    return 1500.0F + 10.25F * static_cast<float>(i);
}

QByteArray floats(bool big)
{
    QByteArray out;
    for (int i = 0; i < kNx * kNz; ++i) {
        const float v = valueAt(i);
        char raw[4];
        if (big) {
            qToBigEndian(v, raw);
        } else {
            qToLittleEndian(v, raw);
        }
        out.append(raw, 4);
    }
    return out;
}

QByteArray word(quint64 value, int bytes, bool big)
{
    QByteArray out;
    for (int k = 0; k < bytes; ++k) {
        out.append(static_cast<char>(value >> (8 * (big ? bytes - 1 - k : k))));
    }
    return out;
}

struct Encoding {
    QString mode = "appended"; // ascii, binary, appended
    bool base64 = false;       // of what is appended
    bool zlib = false;
    int wordBytes = 4;
    bool big = false;
};

QByteArray vti(const Encoding& e, const QByteArray& extent = "0 6 0 0 0 4")
{
    const QByteArray raw = floats(e.big);
    const auto code = [&](const QByteArray& b) { return e.mode == "binary" || e.base64 ? b.toBase64() : b; };
    QByteArray data;
    if (e.mode == "ascii") {
        for (int i = 0; i < kNx * kNz; ++i) {
            data += QByteArray::number(static_cast<double>(valueAt(i))) + (i % 6 == 5 ? "\n" : " ");
        }
    } else if (!e.zlib) {
        data = code(word(static_cast<quint64>(raw.size()), e.wordBytes, e.big) + raw);
    } else {
        constexpr int kBlock = 48; // smaller than the array, with a part left over
        QByteArray head;
        QByteArray packed;
        const int blocks = (static_cast<int>(raw.size()) + kBlock - 1) / kBlock;
        head += word(static_cast<quint64>(blocks), e.wordBytes, e.big) + word(kBlock, e.wordBytes, e.big) +
                word(static_cast<quint64>(raw.size() % kBlock), e.wordBytes, e.big);
        for (int b = 0; b < blocks; ++b) {
            const QByteArray one = qCompress(raw.mid(b * kBlock, kBlock)).mid(4);
            head += word(static_cast<quint64>(one.size()), e.wordBytes, e.big);
            packed += one;
        }
        data = code(head) + code(packed);
    }
    QByteArray out = "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"0.1\" byte_order=\"";
    out += e.big ? "BigEndian" : "LittleEndian";
    out += e.wordBytes == 8 ? "\" header_type=\"UInt64\"" : "\"";
    out += e.zlib ? " compressor=\"vtkZLibDataCompressor\">\n" : ">\n";
    out += "<ImageData WholeExtent=\"" + extent + "\" Origin=\"-30 0 20\" Spacing=\"5 1 10\">\n<Piece Extent=\"" +
           extent + "\">\n<PointData Scalars=\"vp\">\n<DataArray type=\"Float32\" Name=\"vp\" format=\"" +
           e.mode.toLatin1() + "\"";
    out += e.mode == "appended" ? " offset=\"0\"/>\n" : ">\n" + data + "\n</DataArray>\n";
    out += "</PointData>\n</Piece>\n</ImageData>\n";
    if (e.mode == "appended") {
        out += QByteArray("<AppendedData encoding=\"") + (e.base64 ? "base64" : "raw") + "\">\n_" + data +
               "\n</AppendedData>\n";
    }
    return out + "</VTKFile>\n";
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

QTEST_GUILESS_MAIN(TestFormats)
#include "tst_formats.moc"
