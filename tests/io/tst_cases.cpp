// Every real file beside the project reads as its catalogue says, or is refused in one clear line.
#include "engine/io/array_file.h"
#include "engine/io/model_reader.h"
#include "tests/io/case_catalogue.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

using namespace ondo;

namespace {

double numberAfter(const QString& text, const QString& key, double absent = std::nan(""))
{
    const auto match =
        QRegularExpression("(?:^|[ ;,])" + QRegularExpression::escape(key) + "=(-?[0-9.]+(?:e[-+]?[0-9]+)?)")
            .match(text);
    return match.hasMatch() ? match.captured(1).toDouble() : absent;
}

// The catalogue prints ten digits; sums of floats that cancel are compared to the size of what they sum.
bool same(double got, double wanted, double scale = 0.0)
{
    return std::abs(got - wanted) <= 1e-6 * std::max(std::abs(wanted), scale);
}

QString shapeText(const std::vector<std::int64_t>& shape)
{
    QStringList parts;
    for (const auto n : shape) {
        parts << QString::number(n);
    }
    return parts.join(", ");
}

QString typeOf(QString word)
{
    static const QHash<QString, QString> kNames = {{"f2", "float16"}, {"f4", "float32"}, {"f8", "float64"},
                                                   {"u1", "uint8"},   {"u2", "uint16"},  {"i2", "int16"},
                                                   {"i4", "int32"},   {"i8", "int64"}};
    return kNames.value(word.remove(QRegularExpression("^[<>/|]")), word);
}

// "" or what disagrees.
QString compareStatistics(const SampleStatistics& s, const QString& reading)
{
    const auto n = numberAfter(reading, "n");
    const double scale = std::max(std::abs(s.low), std::abs(s.high)) * std::sqrt(static_cast<double>(s.count));
    if (!std::isnan(n) && static_cast<double>(s.count) != n) {
        return QString("count %1").arg(s.count);
    }
    if (!same(s.low, numberAfter(reading, "min", s.low))) {
        return QString("min %1").arg(s.low, 0, 'g', 12);
    }
    if (!same(s.high, numberAfter(reading, "max", s.high))) {
        return QString("max %1").arg(s.high, 0, 'g', 12);
    }
    if (!same(s.sum, numberAfter(reading, "sum", s.sum), 1e-3 * scale)) {
        return QString("sum %1").arg(s.sum, 0, 'g', 12);
    }
    if (static_cast<double>(s.nonFinite) != numberAfter(reading, "nonfinite", 0.0)) {
        return QString("nonfinite %1").arg(s.nonFinite);
    }
    return {};
}

QString compareTraces(const FileReport& r, const QString& reading)
{
    const QString order = reading.contains("little-endian") ? "little" : "big";
    if (QString::fromStdString(r.byteOrder) != order) {
        return "order " + QString::fromStdString(r.byteOrder);
    }
    const auto traces = QRegularExpression("(\\d+) traces").match(reading).captured(1).toLongLong();
    if (r.shape.size() != 2 || r.shape[0] != traces) {
        return "shape " + shapeText(r.shape);
    }
    const auto listed = QRegularExpression("ns=\\[?(\\d+)").match(reading).captured(1).toLongLong();
    if (r.shape[1] != listed) {
        return "shape " + shapeText(r.shape);
    }
    const double interval = numberAfter(reading, "dt");
    if (interval > 0.0 && !(r.sampleInterval && same(*r.sampleInterval, interval * 1e-6))) {
        return QString("interval %1").arg(r.sampleInterval.value_or(-1.0));
    }
    if (r.sampleInterval && *r.sampleInterval <= 0.0) {
        return "an interval that is not positive";
    }
    if (reading.contains("EBCDIC text") || reading.contains("ASCII text")) {
        const bool ebcdic = r.description.front().find("EBCDIC") != std::string::npos;
        if (ebcdic != reading.contains("EBCDIC text")) {
            return "text encoding";
        }
    }
    return compareStatistics(r.statistics, reading);
}

// "vel float64 [301, 941] sum=8.1e8; ..." against the arrays of a container.
QString compareArrays(const FileReport& r, const QString& reading)
{
    static const QRegularExpression kItem("([^\\s;:]+) ([<>]?\\w+) \\[([\\d, ]*)\\](?: gzip)?(?: sum=([-0-9.e+]+))?");
    auto items = kItem.globalMatch(reading);
    while (items.hasNext()) {
        const auto item = items.next();
        const auto found = std::find_if(r.arrays.begin(), r.arrays.end(), [&item](const ArrayReport& a) {
            return QString::fromStdString(a.name) == item.captured(1);
        });
        if (item.captured(2) == "object") {
            continue;
        }
        if (typeOf(item.captured(2)).startsWith('U')) {
            continue; // text: the catalogue's reader joins its characters
        }
        if (found == r.arrays.end()) {
            return "no " + item.captured(1);
        }
        if (shapeText(found->shape) != item.captured(3)) {
            return item.captured(1) + " has shape " + shapeText(found->shape);
        }
        const QString type = typeOf(item.captured(2));
        if (QString::fromStdString(found->type) != type) {
            return item.captured(1) + " is " + QString::fromStdString(found->type);
        }
        if (!item.captured(4).isEmpty() &&
            (!found->statistics || !same(found->statistics->sum, item.captured(4).toDouble(), 1e-3))) {
            return item.captured(1) + " sums to " +
                   QString::number(found->statistics ? found->statistics->sum : NAN, 'g', 12);
        }
    }
    return {};
}

QString compareReading(const FileReport& r, const QString& file, const QString& reading)
{
    const QString format = QString::fromStdString(r.format);
    if (reading.contains("text, rev bytes")) {
        return format == "SEG-Y" ? compareTraces(r, reading) : "read as " + format;
    }
    if (reading.startsWith("SU ")) {
        return format == "SU" ? compareTraces(r, reading) : "read as " + format;
    }
    if (reading.startsWith("Fortran records")) {
        return format == "Fortran records" ? compareStatistics(r.statistics, reading) : "read as " + format;
    }
    if (reading.contains("C order;") || reading.contains("FORTRAN order;")) {
        const auto match = QRegularExpression("^(\\S+) \\[([\\d, ]*)\\]").match(reading);
        if (shapeText(r.shape) != match.captured(2) ||
            QString::fromStdString(r.sampleType) != typeOf(match.captured(1))) {
            return QString("%1 [%2]").arg(QString::fromStdString(r.sampleType), shapeText(r.shape));
        }
        return compareStatistics(r.statistics, reading);
    }
    if (file.endsWith("marmhard.dat")) {
        // Trap 12: numbers written as text, which the catalogue's generic column reads as bytes.
        const bool right = r.statistics.count == 46848 && r.statistics.low == 1500.0 && r.statistics.high == 5500.0;
        return format == "text numbers" && right ? QString() : "not the 46848 numbers of trap 12";
    }
    if (reading.startsWith("as <f4")) {
        return format.startsWith("raw") ? compareStatistics(r.statistics, reading) : "read as " + format;
    }
    return compareArrays(r, reading);
}

bool mustRefuse(const QString& file, const QString& reading)
{
    return file.startsWith("refuse/") || reading.startsWith("must be refused") ||
           reading.contains("must be refused**") || reading.contains("allow_pickle=False") ||
           reading.contains("see trap 8") || reading.contains("see trap 10") || reading.contains("must be refused");
}

} // namespace

class TestCases : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void check_data();
    void check();
    void summary();
    void marmousiNeedsNothing();
    void modelsWithHints_data();
    void modelsWithHints();
    void traps();

private:
    QString m_folder = casesFolder();
    int m_right = 0, m_refused = 0, m_unlisted = 0;
};

void TestCases::initTestCase()
{
    if (m_folder.isEmpty()) {
        QSKIP("the folder of real cases is not beside the project (ONDO_CASES)");
    }
}

void TestCases::check_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("reading");
    for (const auto& row : caseRows(m_folder)) {
        QTest::newRow(qPrintable(row.file)) << row.file << row.reading;
    }
}

void TestCases::check()
{
    QFETCH(QString, file);
    QFETCH(QString, reading);
    const std::string path = (m_folder + "/" + file).toStdString();
    const auto report = inspect(path);
    if (!report) {
        const QString why = QString::fromStdString(report.error().text());
        QVERIFY2(!report.error().what.empty() && !why.contains('\n'), qPrintable(why));
        QVERIFY2(why.contains(QString::fromStdString(path)), qPrintable("the refusal does not name the file: " + why));
        QCOMPARE(exitCode(report.error()), 2);
        const bool text = file.startsWith("geometry/");
        const bool plugin = reading.contains("READ FAILS");
        QVERIFY2(mustRefuse(file, reading) || text || plugin, qPrintable(why));
        ++m_refused;
        return;
    }
    QVERIFY2(!mustRefuse(file, reading), "this file must be refused");
    const QString wrong = compareReading(*report, file, reading);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong + "; catalogue: " + reading));
    ++(reading.isEmpty() ? m_unlisted : m_right);
}

void TestCases::summary()
{
    qInfo("%d files read as the catalogue says, %d refused, %d read where it gives no numbers", m_right, m_refused,
          m_unlisted);
}

void TestCases::marmousiNeedsNothing()
{
    ModelSource source;
    source.path = (m_folder + "/mat/marmousi/marmousi_dz10.mat").toStdString();
    const auto loaded = readModel(source);
    QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().text().c_str());
    const Grid& g = loaded->model.grid();
    QCOMPARE(g.nz, 301);
    QCOMPARE(g.nx, 941);
    QCOMPARE(g.dz, 10.0);
    QCOMPARE(g.dx, 10.0);
    QCOMPARE(g.origin.x, -200.0);
    const auto range = loaded->model.range();
    QVERIFY(std::abs(range.low - 1469.6) < 0.1 && std::abs(range.high - 5801.1) < 0.1);
    QVERIFY(!loaded->notes.empty());
    // Depth is the first index: the mean speed of the last row is above that of the first.
    const auto& v = loaded->model.velocity().samples();
    double top = 0.0;
    double bottom = 0.0;
    for (std::size_t x = 0; x < 941; ++x) {
        top += static_cast<double>(v[x]);
        bottom += static_cast<double>(v[300 * 941 + x]);
    }
    QVERIFY(bottom > 1.5 * top);
}

void TestCases::modelsWithHints_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("hints"); // nz nx dz dx axes
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("marmousi2") << "models/marmousi2-denise/marmousi_II_marine.vp"
                               << "174 500 20 20 xz" << 1500.0 << 4766.604;
    QTest::newRow("overthrust") << "models/overthrust-denise/overthrust_true.vp"
                                << "186 800 25 25 xz" << 2359.880127 << 6000.0;
    QTest::newRow("syncline") << "models/seisunix/syncline.bin"
                              << "200 400 10 10 xz" << 2000.0 << 4000.0;
    QTest::newRow("suez, squared slowness") << "models/seisunix/suez_rift.bin"
                                            << "250 600 10 10 xz" << 1507.556723 << 5000.0;
    QTest::newRow("marmhard, text") << "models/seisunix/marmhard.dat"
                                    << "122 384 24 24 xz" << 1500.0 << 5500.0;
    QTest::newRow("seistorch npy") << "npy/seistorch/true_vp.npy"
                                   << "173 561 20 20 zx" << 1500.0 << 5500.0;
    QTest::newRow("seistorch npy, Fortran order") << "npy/seistorch/model.npy"
                                                  << "321 2052 12.5 12.5 zx" << 1900.0 << 5000.0;
    QTest::newRow("spyro hdf5") << "hdf5/spyro/Model1.hdf5"
                                << "226 351 10 10 zx" << 0.0 << 0.0;
    QTest::newRow("salt in feet") << "models/segsalt-specfem/vp.H"
                                  << "150 645 24.384 24.384 zx ft/s" << 1524.0 << 4480.56;
}

void TestCases::modelsWithHints()
{
    QFETCH(QString, file);
    QFETCH(QString, hints);
    QFETCH(double, low);
    QFETCH(double, high);
    const QStringList part = hints.split(' ');
    ModelSource source;
    source.path = (m_folder + "/" + file).toStdString();
    source.nz = part[0].toInt();
    source.nx = part[1].toInt();
    source.dz = part[2].toDouble();
    source.dx = part[3].toDouble();
    source.axes = part[4].toStdString();
    source.unit = part.value(5).toStdString();
    const auto loaded = readModel(source);
    QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().text().c_str());
    QCOMPARE(loaded->model.grid().nz, *source.nz);
    QCOMPARE(loaded->model.grid().nx, *source.nx);
    const auto range = loaded->model.range();
    if (high > 0.0) {
        QVERIFY2(same(range.low, low) && same(range.high, high),
                 qPrintable(QString("%1 %2").arg(range.low, 0, 'g', 10).arg(range.high, 0, 'g', 10)));
    }
    if (high == 0.0) {
        return; // this one is stored from the deepest node up
    }
    // Deeper is faster: a model read on its side fails here.
    const auto& v = loaded->model.velocity().samples();
    const auto row = static_cast<std::size_t>(*source.nx);
    double shallow = 0.0;
    double deep = 0.0;
    for (std::size_t i = 0; i < 5 * row; ++i) {
        shallow += static_cast<double>(v[i]);
        deep += static_cast<double>(v[v.size() - 1 - i]);
    }
    QVERIFY(deep > shallow);
}

void TestCases::traps()
{
    const auto report = [this](const char* file, const ModelSource& hints = {}) {
        return inspect((m_folder + "/" + file).toStdString(), hints);
    };
    const auto mentions = [](const std::vector<std::string>& lines, const char* word) {
        return std::any_of(lines.begin(), lines.end(),
                           [word](const auto& l) { return l.find(word) != std::string::npos; });
    };
    // 1: the code says IBM, the text says IEEE; the code is followed, the hint shown, the override obeyed.
    const char* doubtful = "segy/obspy/00001034.sgy_first_trace";
    QVERIFY(mentions(report(doubtful)->hints, "IEEE"));
    ModelSource ieee;
    ieee.sampleType = "float32";
    QVERIFY(std::abs(report(doubtful, ieee)->statistics.high) > 1e-6);
    // 2: code 4 that holds IBM words never passes in silence.
    QVERIFY(mentions(report("segy/segyio/multiformats/Format4msb.sgy")->warnings, "probably wrong"));
    // (The catalogue calls its words IBM; 0x43938000 is 295 in IEEE, and read so the file gives f3's sum.)
    ModelSource asIeee;
    asIeee.sampleType = "float32";
    QCOMPARE(report("segy/segyio/multiformats/Format4msb.sgy", asIeee)->statistics.sum, 780251.0);
    // 6: the interval stands in the traces only.
    QVERIFY(same(*report("segy/judi/unit_test_shot_records_1.segy")->sampleInterval, 0.002));
    // 7: NaN padding is counted.
    QVERIFY(mentions(report("segy/segymat/f11_02673_45Hz.segy")->warnings, "2091"));
    QVERIFY(mentions(report("segy/segymat/f11_02673_45Hz.segy")->description, "-0.183 s"));
    // 8: the damage is named.
    QVERIFY(QString::fromStdString(report("su/seisunix/oz16.su").error().text()).contains("190 line feeds"));
    // The delay with its own scalar.
    QVERIFY(mentions(report("segy/segyio/delay-scalar.sgy")->description, "at 1 s"));
    // Negative intervals are not believed.
    QVERIFY(!report("segy/segyio/interval-neg-bin-neg-trace.sgy")->sampleInterval);
    QVERIFY(*report("segy/segyio/interval-neg-bin-pos-trace.sgy")->sampleInterval > 0.0);
    // Layout stanzas that are wrong get named warnings.
    QVERIFY(mentions(report("segy/segyio/mapping-invalid-root.sgy")->warnings, "root"));
    QVERIFY(mentions(report("segy/segyio/mapping-invalid-attribute.sgy")->warnings, "attribute"));
    QVERIFY(mentions(report("segy/segyio/mapping-unsupported-type.sgy")->warnings, "unsupported type"));
    for (const char* good : {"segy/segyio/mapping-shifted.sgy", "segy/segyio/mapping-all-types.sgy",
                             "segy/segyio/mapping-mixed-order.sgy"}) {
        QVERIFY2(report(good)->warnings.empty(), good);
    }
    // RSF: the last generation of the header wins, the samples follow the mark at byte 3582.
    const auto image = report("rsf/madagascar/image2d.rsf");
    QCOMPARE(shapeText(image->shape), QString("128, 512"));
    QVERIFY(mentions(image->description, "byte 3585"));
    QVERIFY(same(image->statistics.low, -1.0) && same(image->statistics.high, 0.84575814));
    const auto density = report("rsf/madagascar/den.rsf");
    QCOMPARE(shapeText(density->shape), QString("357, 401"));
    QVERIFY(same(density->statistics.high, 2.9313703));
}

QTEST_GUILESS_MAIN(TestCases)
#include "tst_cases.moc"
