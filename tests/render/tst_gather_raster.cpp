#include "render/colour_map.h"
#include "render/gather_raster.h"

#include <QObject>
#include <QTest>

#include <cmath>
#include <ctime>

using namespace ondo;

namespace {

Gather gatherOf(int receivers, int samples)
{
    Gather g;
    g.receivers = receiverLine({0, 0, 0}, {1000, 0, 0}, receivers);
    g.dt = 0.001;
    g.samples = g.recorded = samples;
    g.traces.assign(static_cast<std::size_t>(receivers) * static_cast<std::size_t>(samples), 0.0F);
    return g;
}

float& at(Gather& g, int receiver, int sample)
{
    return g.traces[static_cast<std::size_t>(receiver) * static_cast<std::size_t>(g.samples) +
                    static_cast<std::size_t>(sample)];
}

GatherSettings settingsOf(int width, int height)
{
    GatherSettings s;
    s.width = width;
    s.height = height;
    s.colours = colourTable(ColourMapUse::Field, "grey");
    s.clipMode = ClipMode::Fixed;
    s.clip = 1.0;
    s.ground = 0xFF112233U;
    return s;
}

double milliseconds(std::clock_t since)
{
    return 1e3 * static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

std::uint32_t pixel(const HostPicture& p, int x, int y)
{
    return p.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x)];
}

} // namespace

class TestGatherRaster : public QObject {
    Q_OBJECT

private slots:
    void aSpikeIsNeverLost()
    {
        Gather g = gatherOf(10, 3001);
        at(g, 4, 1777) = 1.0F;
        const HostPicture p = rasterGather(g, settingsOf(100, 300));
        const auto white = (*colourTable(ColourMapUse::Field, "grey"))[255];
        const auto middle = (*colourTable(ColourMapUse::Field, "grey"))[128];
        QCOMPARE(pixel(p, 45, 177), white);
        QCOMPARE(pixel(p, 40, 177), white); // trace 4 covers columns 40 .. 49
        QCOMPARE(pixel(p, 49, 177), white);
        QCOMPARE(pixel(p, 39, 177), middle);
        QCOMPARE(pixel(p, 45, 176), middle);
        QCOMPARE(pixel(p, 45, 178), middle);
    }
    void polarityAndGain()
    {
        Gather g = gatherOf(1, 101);
        std::fill(g.traces.begin(), g.traces.end(), 0.25F);
        GatherSettings s = settingsOf(4, 4);
        s.gain = 2.0;
        QCOMPARE(pixel(rasterGather(g, s), 1, 1), (*s.colours)[191]);
        s.reversedPolarity = true;
        QCOMPARE(pixel(rasterGather(g, s), 1, 1), (*s.colours)[64]);
    }
    void unrecordedIsGround()
    {
        Gather g = gatherOf(3, 1001);
        g.recorded = 501;
        const HostPicture p = rasterGather(g, settingsOf(30, 100));
        QVERIFY(pixel(p, 10, 49) != 0xFF112233U);
        QCOMPARE(pixel(p, 10, 51), 0xFF112233U);
        g.recorded = 0;
        QCOMPARE(pixel(rasterGather(g, settingsOf(30, 100)), 10, 0), 0xFF112233U);
    }
    void aPartOfIt()
    {
        Gather g = gatherOf(100, 1001);
        at(g, 50, 500) = 1.0F;
        GatherSettings s = settingsOf(100, 100);
        s.firstTrace = 45;
        s.traces = 10;
        s.fromTime = 0.45;
        s.seconds = 0.1;
        const HostPicture p = rasterGather(g, s);
        QCOMPARE(pixel(p, 55, 50), (*s.colours)[255]);
        QCOMPARE(pixel(p, 45, 50), (*s.colours)[128]);
    }
    void percentileLeavesSilenceOut()
    {
        Gather g = gatherOf(10, 1000);
        for (int k = 0; k < 100; ++k) {
            at(g, 3, k) = static_cast<float>(k + 1);
        }
        at(g, 5, 5) = NAN;
        at(g, 5, 6) = INFINITY;
        QVERIFY(std::abs(gatherPercentile(g, 50.0) - 50.0) <= 1.0);
        QVERIFY(std::abs(gatherPercentile(g, 100.0) - 100.0) <= 0.0);
        QCOMPARE(gatherPercentile(gatherOf(4, 10), 99.0), 0.0);
    }
    void wigglesGoRightAndFill()
    {
        Gather g = gatherOf(4, 401);
        for (int k = 0; k < g.samples; ++k) {
            at(g, 1, k) = std::sin(0.0314159F * static_cast<float>(k)); // two periods
        }
        const GatherSettings s = settingsOf(400, 400);
        HostPicture p = gatherGround(s);
        WiggleStyle style;
        style.line = {255, 0, 0};
        style.fill = {0, 255, 0};
        style.excursion = 0.5;
        drawWiggles(p, g, s, style);
        // Trace 1 stands at 150; a crest at sample 50 reaches 150 + 50.
        QCOMPARE(pixel(p, 175, 50), 0xFF00FF00U);
        QVERIFY((pixel(p, 199, 50) & 255U) > 100U);
        QCOMPARE(pixel(p, 205, 50), 0xFF112233U);
        QCOMPARE(pixel(p, 140, 50), 0xFF112233U);
        QCOMPARE(pixel(p, 125, 150),
                 0xFF00FF00U == pixel(p, 125, 150) ? 0U : pixel(p, 125, 150)); // a trough is not filled
        QVERIFY((pixel(p, 100, 150) & 255U) > 100U);
        // A silent trace is a straight line.
        QVERIFY((pixel(p, 250, 10) & 255U) > 100U || (pixel(p, 249, 10) & 255U) > 100U);
    }
    void emptyThings()
    {
        Gather g;
        QVERIFY(rasterGather(g, settingsOf(0, 0)).pixels.empty());
        HostPicture p = rasterGather(g, settingsOf(10, 10));
        QCOMPARE(pixel(p, 5, 5), 0xFF112233U);
        drawWiggles(p, g, settingsOf(10, 10), {});
    }
    // Draw budget (reference, workbench 7.3): 500 traces of 3000 samples within 33 ms on an optimised build.
    void isFast()
    {
        Gather g = gatherOf(500, 3000);
        for (std::size_t i = 0; i < g.traces.size(); ++i) {
            g.traces[i] = std::sin(static_cast<float>(i % 3000) * 0.05F + static_cast<float>(i / 3000) * 0.1F);
        }
        GatherSettings s = settingsOf(1000, 900);
        s.clipMode = ClipMode::Percentile;
        double density = 1e9;
        double wiggles = 1e9;
        for (int i = 0; i < 5; ++i) {
            std::clock_t start = std::clock(); // of the processor: the machine may be busy with other things
            HostPicture p = rasterGather(g, s);
            density = std::min(density, milliseconds(start));
            WiggleStyle style;
            style.line = {0, 0, 0};
            style.fill = {0, 0, 0};
            style.leastSpacing = 1.0;
            start = std::clock();
            drawWiggles(p, g, s, style);
            wiggles = std::min(wiggles, milliseconds(start));
        }
        qInfo("density %.1f ms, wiggles %.1f ms", density, wiggles);
#ifdef __OPTIMIZE__
        QVERIFY(density < 33.0);
        QVERIFY(wiggles < 33.0);
#endif
    }
};

QTEST_GUILESS_MAIN(TestGatherRaster)
#include "tst_gather_raster.moc"
