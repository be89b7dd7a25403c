// Perceptual evenness, symmetry and readability of the colour maps, measured in OKLab.
#include "render/colour_map.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace ondo;

namespace {

double distance(const OkLab& p, const OkLab& q)
{
    return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
}

// The path's length between entries, through all entries between: rounding to 8 bits averages out over some.
double walked(const ColourTable& table, std::size_t from, std::size_t to)
{
    double length = 0.0;
    for (std::size_t i = from; i < to; ++i) {
        length += distance(toOkLab(table[i]), toOkLab(table[i + 1]));
    }
    return length;
}

void addMaps(bool uniformOnly)
{
    QTest::addColumn<bool>("field");
    QTest::addColumn<QString>("name");
    for (const ColourMapUse use : {ColourMapUse::Field, ColourMapUse::Model}) {
        for (const ColourMapName& map : colourMaps(use)) {
            if (map.uniform || !uniformOnly) {
                const bool field = use == ColourMapUse::Field;
                QTest::addRow("%s %s", field ? "field" : "model", map.name.c_str())
                    << field << QString::fromStdString(map.name);
            }
        }
    }
}

std::shared_ptr<const ColourTable> fetched()
{
    QFETCH(bool, field);
    QFETCH(QString, name);
    return colourTable(field ? ColourMapUse::Field : ColourMapUse::Model, name.toStdString());
}

} // namespace

class TestColourMap : public QObject {
    Q_OBJECT

private slots:
    void evenSteps_data() { addMaps(true); }
    void evenSteps()
    {
        // Stretches of 12 entries (half a map has 127 steps), none across the centre of a diverging map.
        // They are about 0.04 long; 8-bit rounding moves an end by up to 0.002.
        const auto table = fetched();
        constexpr std::size_t kStretch = 12;
        for (const std::size_t start : {std::size_t{0}, std::size_t{128}}) {
            double least = 1e9;
            double most = 0.0;
            for (std::size_t i = start; i + kStretch <= start + 127; i += 3) {
                const double length = distance(toOkLab((*table)[i]), toOkLab((*table)[i + kStretch]));
                least = std::min(least, length);
                most = std::max(most, length);
            }
            // A chord is shorter than the way where the path bends; rounding of its two ends adds to it.
            QVERIFY2(least > 0.88 * most - 0.004, qPrintable(QString("least %1 most %2").arg(least).arg(most)));
        }
    }

    void signsWeighTheSame_data() { addMaps(true); }
    void signsWeighTheSame()
    {
        QFETCH(bool, field);
        QFETCH(QString, name);
        if (!field || name == "grey") {
            return;
        }
        const auto table = fetched();
        for (std::size_t i = 0; i < 128; ++i) {
            const double below = toOkLab((*table)[127 - i]).lightness;
            const double above = toOkLab((*table)[128 + i]).lightness;
            QVERIFY2(std::abs(below - above) < 0.06, qPrintable(QString("%1: %2 %3").arg(i).arg(below).arg(above)));
        }
        const double down = walked(*table, 0, 127);
        const double up = walked(*table, 128, 255);
        QVERIFY2(std::abs(down - up) < 0.15 * up, qPrintable(QString("%1 %2").arg(down).arg(up)));
    }

    void lightnessRunsOneWay_data() { addMaps(true); }
    void lightnessRunsOneWay()
    {
        const auto table = fetched();
        for (const std::size_t start : {std::size_t{0}, std::size_t{128}}) {
            const double whole = toOkLab((*table)[start + 127]).lightness - toOkLab((*table)[start]).lightness;
            for (std::size_t i = start; i < start + 127; ++i) {
                const double step = toOkLab((*table)[i + 1]).lightness - toOkLab((*table)[i]).lightness;
                QVERIFY(step * whole >= -0.004 * std::abs(whole));
            }
        }
    }

    void opaque_data() { addMaps(false); }
    void opaque()
    {
        const auto table = fetched();
        for (const std::uint32_t c : *table) {
            QCOMPARE(c >> 24, 255U);
        }
    }

    void namesAndOrder()
    {
        QVERIFY(colourMaps(ColourMapUse::Field).size() >= 5);
        QVERIFY(std::count_if(colourMaps(ColourMapUse::Field).begin(), colourMaps(ColourMapUse::Field).end(),
                              [](const ColourMapName& m) { return m.uniform && m.name != "grey"; }) >= 3);
        QCOMPARE(colourTable(ColourMapUse::Field, "no such map"), colourTable(ColourMapUse::Field, "tide"));
        std::string name = "tide";
        for (std::size_t i = 0; i < colourMaps(ColourMapUse::Field).size(); ++i) {
            name = nextColourMap(ColourMapUse::Field, name, 1);
        }
        QCOMPARE(name, std::string("tide"));
        QCOMPARE(nextColourMap(ColourMapUse::Field, nextColourMap(ColourMapUse::Field, "reef", 1), -1),
                 std::string("reef"));
    }

    void knownColours()
    {
        const OkLab white = toOkLab(0xFFFFFFFFU);
        QVERIFY(std::abs(white.lightness - 1.0) < 1e-4 && std::abs(white.a) < 1e-4 && std::abs(white.b) < 1e-4);
        const OkLab red = toOkLab(0xFF0000FFU); // Ottosson: 0.628, 0.225, 0.126
        QVERIFY(std::abs(red.lightness - 0.628) < 2e-3 && std::abs(red.a - 0.225) < 2e-3 &&
                std::abs(red.b - 0.126) < 2e-3);
        const auto seismic = colourTable(ColourMapUse::Field, "seismic");
        QCOMPARE((*seismic)[0], 0xFFFF0000U);
        QCOMPARE((*seismic)[255], 0xFF0000FFU);
    }
};

QTEST_GUILESS_MAIN(TestColourMap)
#include "tst_colour_map.moc"
