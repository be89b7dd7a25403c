// The picture of a shot with no display: pixels at known places; text is there.
#include "engine/frame/still_picture.h"
#include "render/figure.h"
#include "render/gl_scene.h"
#include "render/offscreen.h"

#include <QDir>
#include <QImage>
#include <QObject>
#include <QTest>

#include <cmath>

using namespace ondo;

namespace {

Model layered(int nz, int nx, double h)
{
    std::vector<float> v;
    for (int iz = 0; iz < nz; ++iz) {
        for (int ix = 0; ix < nx; ++ix) {
            const double z = iz * h + 140.0 * std::sin(ix * h / 1100.0);
            v.push_back(z < 400 ? 1500.0F : z < 1000 ? 2100.0F : z < 1700 ? 2900.0F : z < 2300 ? 3600.0F : 4400.0F);
        }
    }
    return Model::make(Grid::make2D(nz, nx, h, h).value(), std::move(v), "layered").value();
}

FigureContent contentFor(const Model& model)
{
    FigureContent c;
    c.model = model;
    const Grid& g = model.grid();
    auto field = std::make_shared<FieldFrame>();
    field->nz = g.nz;
    field->ny = 1;
    field->nx = g.nx;
    for (int iz = 0; iz < g.nz; ++iz) {
        for (int ix = 0; ix < g.nx; ++ix) {
            const double d = (std::hypot(ix * g.dx - 0.5 * g.lengthX(), iz * g.dz - 30.0) - 1100.0) / 80.0;
            field->values.push_back(static_cast<float>(3e-4 * (1.0 - 2.0 * d * d) * std::exp(-d * d)));
        }
    }
    c.field = field;
    c.style.modelLow = model.range().low;
    c.style.modelHigh = model.range().high;
    c.sources = {Source{{0.5 * g.lengthX(), 0.0, 30.0}, {}}};
    c.receivers = receiverLine({0.08 * g.lengthX(), 0, 10}, {0.92 * g.lengthX(), 0, 10}, 161);
    Gather gather;
    gather.receivers = c.receivers;
    gather.dt = 0.002;
    gather.samples = gather.recorded = 1001;
    for (const Receiver& r : gather.receivers) {
        const double offset = r.position.x - 0.5 * g.lengthX();
        for (int k = 0; k < gather.samples; ++k) {
            const double t = k * gather.dt;
            double p = 0.0;
            for (const auto& [depth, speed, size] :
                 {std::tuple{0.0, 1500.0, 1.0}, {400.0, 1500.0, 0.4}, {1000.0, 1800.0, 0.3}, {1700.0, 2100.0, 0.2}}) {
                const double d = (t - 0.1 - std::hypot(offset, 2.0 * depth) / speed) / 0.016;
                p += size * (1.0 - 2.0 * d * d) * std::exp(-d * d);
            }
            gather.traces.push_back(static_cast<float>(p * 2e-4));
        }
    }
    c.gather = std::move(gather);
    c.title = "Layers with an undulation, shot 1 of 1";
    c.caption =
        "Ricker 12 Hz \u00B7 order 8 \u00B7 301 \u00D7 601 nodes at 10 m \u00B7 t = 0.734 s \u00B7 CPU, 2 threads";
    return c;
}

QImage imageOf(const HostPicture& p)
{
    return QImage(reinterpret_cast<const uchar*>(p.pixels.data()), p.width, p.height, QImage::Format_RGBA8888).copy();
}

void keep(const Figure& figure, const char* name)
{
    const QString folder = qEnvironmentVariable("ONDO_SHOTS");
    if (!folder.isEmpty()) {
        QDir().mkpath(folder);
        imageOf(figure.picture).save(folder + "/" + name + ".png");
    }
}

int differing(const QImage& image, const QRect& where, const Colour& ground)
{
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
            const QColor c = image.pixelColor(x, y);
            count += c.red() != ground.red || c.green() != ground.green || c.blue() != ground.blue ? 1 : 0;
        }
    }
    return count;
}

} // namespace

class TestFigure : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const auto context = OffscreenContext::open();
        if (!context) {
            QSKIP(context.error().what.c_str());
        }
    }
    void cleanup()
    {
        const std::vector<std::string> said = takeVtkMessages();
        QVERIFY2(said.empty(), said.empty() ? "" : said.front().c_str());
    }

    void lightAndDark_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<bool>("square");
        QTest::addColumn<double>("scale");
        QTest::newRow("light, wide") << false << false << 1.0;
        QTest::newRow("dark, wide") << true << false << 1.0;
        QTest::newRow("light, square") << false << true << 1.0;
        QTest::newRow("dark, wide, twice the size") << true << false << 2.0;
    }
    void lightAndDark()
    {
        QFETCH(bool, dark);
        QFETCH(bool, square);
        QFETCH(double, scale);
        const Theme& theme = dark ? darkTheme() : lightTheme();
        FigureContent content = contentFor(square ? layered(301, 301, 10.0) : layered(301, 901, 10.0));
        content.gatherLook = square ? GatherLook::Wiggles : GatherLook::Density;
        const Result<Figure> figure =
            renderFigure(content, static_cast<int>(1500 * scale), static_cast<int>(1000 * scale), theme, scale);
        QVERIFY(figure.has_value());
        QVERIFY2(figure->plainBecause.empty(), figure->plainBecause.c_str());
        keep(*figure, QTest::currentDataTag());
        const QImage image = imageOf(figure->picture);
        QCOMPARE(image.size(), QSize(static_cast<int>(1500 * scale), static_cast<int>(1000 * scale)));
        QCOMPARE(image.pixelColor(1, 1), QColor(theme.background.red, theme.background.green, theme.background.blue));
        // Title and caption are written where they belong, and nothing beside them.
        const auto at = [&](int x, int y, int w, int h) {
            return QRect(static_cast<int>(x * scale), static_cast<int>(y * scale), static_cast<int>(w * scale),
                         static_cast<int>(h * scale));
        };
        QVERIFY(differing(image, at(24, 20, 340, 24), theme.background) > 800 * scale);
        QVERIFY(differing(image, at(24, 50, 400, 16), theme.background) > 500 * scale);
        QCOMPARE(differing(image, at(1200, 20, 290, 40), theme.background), 0);
        QVERIFY(std::abs(figure->picture.clip) > 0.0);
    }

    void theModelIsPaintedExactly()
    {
        FigureContent content;
        content.model = Model::constant(Grid::make2D(101, 201, 10.0, 10.0).value(), 2000.0F).value();
        content.style.modelLow = 2000.0;
        content.style.modelHigh = 3000.0;
        auto table = std::make_shared<ColourTable>();
        table->fill(0xFF123456U);
        content.style.modelColours = table;
        const Result<Figure> figure = renderFigure(content, 900, 600, lightTheme());
        QVERIFY(figure.has_value() && figure->plainBecause.empty());
        const HostPicture& p = figure->picture;
        const auto same = std::count(p.pixels.begin(), p.pixels.end(), 0xFF123456U);
        // The section fills the width between the margins of the drawing, half as high; and the colour bar.
        QVERIFY2(same > 700 * 350, qPrintable(QString::number(same)));
        QCOMPARE(p.pixels[static_cast<std::size_t>(300 * 900 + 450)], 0xFF123456U);
    }

    void refusals()
    {
        FigureContent content;
        QVERIFY(!renderFigure(content, 900, 600, lightTheme()).has_value());
        content.model = Model::constant(Grid::make2D(10, 10, 1.0, 1.0).value(), 2000.0F).value();
        QVERIFY(!renderFigure(content, 100, 600, lightTheme()).has_value());
        auto field = std::make_shared<FieldFrame>();
        field->values.resize(7);
        content.field = field;
        QVERIFY(!renderFigure(content, 900, 600, lightTheme()).has_value());
    }
};

QTEST_GUILESS_MAIN(TestFigure)
#include "tst_figure.moc"
