// PaintField pixel by pixel, and the histogram that a clip is chosen from.
#include "engine/frame/plane_geometry.h"
#include "kernels/common/paint_field.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <vector>

using namespace ondo;
using namespace ondo::kernels;

namespace {

constexpr std::uint32_t kOutside = 0xFF112233U;

// Grey tables: the colour's index in every channel.
std::vector<std::uint32_t> greys()
{
    std::vector<std::uint32_t> t;
    for (std::uint32_t i = 0; i < 256; ++i) {
        t.push_back(0xFF000000U | i * 0x010101U);
    }
    return t;
}

int grey(std::uint32_t colour)
{
    return static_cast<int>(colour & 255U);
}

struct Canvas {
    std::vector<std::uint32_t> table = greys();
    std::vector<float> field;
    PaintField<float> body;

    Canvas(int rows, int columns, std::vector<float> values)
        : field(std::move(values))
    {
        body.field = {field.data(), columns, 1, rows, columns};
        body.style.fieldColours = table.data();
        body.style.modelColours = table.data();
        body.style.outside = kOutside;
        body.window = {-0.5F, -0.5F, 1.0F, 1.0F, columns, rows};
    }
};

} // namespace

class TestPaint : public QObject {
    Q_OBJECT

private slots:
    void onePixelANode();
    void polarityTurns();
    void clipSaturates();
    void finerIsBilinear();
    void coarserIsAveraged();
    void outsideAndNotANumber();
    void modelUnderField();
    void histogramFindsThePercentile();
    void histogramCountsNonFinite();
};

void TestPaint::onePixelANode()
{
    Canvas c(2, 3, {-1.0F, -0.5F, 0.0F, 0.25F, 0.5F, 1.0F});
    const int want[] = {0, 64, 128, 159, 191, 255};
    for (int i = 0; i < 6; ++i) {
        QCOMPARE(grey(c.body.pixel(i % 3, i / 3)), want[i]);
    }
}

void TestPaint::polarityTurns()
{
    Canvas c(1, 2, {-1.0F, 0.5F});
    c.body.style.inverseClip = -1.0F;
    QCOMPARE(grey(c.body.pixel(0, 0)), 255);
    QCOMPARE(grey(c.body.pixel(1, 0)), 64);
}

void TestPaint::clipSaturates()
{
    Canvas c(1, 2, {-40.0F, 30.0F});
    c.body.style.inverseClip = 0.1F;
    QCOMPARE(grey(c.body.pixel(0, 0)), 0);
    QCOMPARE(grey(c.body.pixel(1, 0)), 255);
}

void TestPaint::finerIsBilinear()
{
    Canvas c(2, 2, {-1.0F, 1.0F, -1.0F, 1.0F});
    c.body.window = {-0.5F, -0.5F, 0.25F, 0.25F, 8, 8};
    // Pixel centres at -0.375, -0.125, 0.125, 0.375, ... nodes; beyond the first node its value holds.
    QCOMPARE(grey(c.body.pixel(0, 0)), 0);
    QCOMPARE(grey(c.body.pixel(2, 3)), static_cast<int>((-0.75 * 0.5 + 0.5) * 255.0 + 0.5));
    QCOMPARE(grey(c.body.pixel(5, 3)), static_cast<int>((0.75 * 0.5 + 0.5) * 255.0 + 0.5));
    QCOMPARE(grey(c.body.pixel(7, 7)), 255);
}

void TestPaint::coarserIsAveraged()
{
    std::vector<float> v;
    for (int r = 0; r < 4; ++r) {
        for (int col = 0; col < 4; ++col) {
            v.push_back(col < 2 ? (col == 0 ? 1.0F : 0.0F) : -0.5F);
        }
    }
    Canvas c(4, 4, v);
    c.body.window = {-0.5F, -0.5F, 2.0F, 2.0F, 2, 2};
    QCOMPARE(grey(c.body.pixel(0, 0)), static_cast<int>((0.25 + 0.5) * 255.0 + 0.5));
    QCOMPARE(grey(c.body.pixel(1, 1)), 64);
}

void TestPaint::outsideAndNotANumber()
{
    Canvas c(2, 2, {0.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 0.0F});
    c.body.window = {-1.5F, -1.5F, 1.0F, 1.0F, 4, 4};
    QCOMPARE(c.body.pixel(0, 1), kOutside);
    QCOMPARE(c.body.pixel(1, 0), kOutside);
    QCOMPARE(c.body.pixel(3, 1), kOutside);
    QCOMPARE(c.body.pixel(2, 1), c.body.style.notANumber);
    QCOMPARE(c.body.pixel(1, 2), c.body.style.notANumber);
}

void TestPaint::modelUnderField()
{
    Canvas c(1, 2, {0.0F, 1.0F});
    const std::vector<float> model = {1500.0F, 4500.0F};
    c.body.model = {model.data(), 2, 1, 1, 2};
    c.body.style.modelLow = 1500.0F;
    c.body.style.modelInverseRange = 1.0F / 3000.0F;
    c.body.style.blend = 0.0F;
    QCOMPARE(grey(c.body.pixel(0, 0)), 0);
    QCOMPARE(grey(c.body.pixel(1, 0)), 255);
    c.body.style.blend = 0.5F; // silence shows the model, a strong wave hides it
    QCOMPARE(grey(c.body.pixel(0, 0)), 0);
    c.body.style.modelLow = 4500.0F;
    QCOMPARE(grey(c.body.pixel(1, 0)), 255);
    c.body.style.blend = 1.0F;
    QCOMPARE(grey(c.body.pixel(0, 0)), 128);
}

void TestPaint::histogramFindsThePercentile()
{
    std::vector<float> v;
    for (int i = 1; i <= 10000; ++i) {
        v.push_back((i % 2 == 0 ? 1.0F : -1.0F) * static_cast<float>(i));
    }
    const AmplitudeHistogram<float> h{{v.data(), 100, 1, 100, 100}, nullptr};
    std::vector<unsigned> bins(kHistogramBins, 0U);
    for (int i = 0; i < 10000; ++i) {
        ++bins[static_cast<std::size_t>(h.bin(i / 100, i % 100))];
    }
    for (const double percent : {50.0, 90.0, 99.0}) {
        const auto s = amplitudeStatistics(bins.data(), percent);
        QVERIFY2(std::abs(s.percentile / (100.0 * percent) - 1.0) < 0.2, qPrintable(QString::number(s.percentile)));
        QVERIFY(s.largest >= 10000.0 && s.largest < 12500.0);
        QCOMPARE(s.nonFinite, std::uint64_t{0});
    }
}

void TestPaint::histogramCountsNonFinite()
{
    const std::vector<float> v = {1.0F, std::numeric_limits<float>::infinity(), std::nanf(""), 2.0F};
    const AmplitudeHistogram<float> h{{v.data(), 4, 1, 1, 4}, nullptr};
    std::vector<unsigned> bins(kHistogramBins, 0U);
    for (int i = 0; i < 4; ++i) {
        ++bins[static_cast<std::size_t>(h.bin(0, i))];
    }
    QCOMPARE(amplitudeStatistics(bins.data(), 99.0).nonFinite, std::uint64_t{2});
}

QTEST_GUILESS_MAIN(TestPaint)
#include "tst_paint.moc"
