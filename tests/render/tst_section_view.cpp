#include "render/section_scene.h"
#include "render/section_view.h"

#include <QObject>
#include <QTest>

#include <cmath>

using namespace ondo;

class TestSectionView : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_grid = Grid::make2D(201, 601, 15.0, 15.0, {100.0, 0.0, -50.0}).value();
        m_view = SectionView();
        m_view.setExtent(planeExtent(m_grid, SlicePlane::Section));
        m_view.setArea({70, 50, 900, 600});
    }
    void fitsTrueToScale()
    {
        const PixelRect r = m_view.fieldRect();
        QCOMPARE(r, (PixelRect{70, 200, 900, 300}));
        const PictureFrame f = m_view.frame();
        QCOMPARE(f.left, 100.0);
        QCOMPARE(f.top, -50.0);
        QCOMPARE(f.width, 9000.0);
        QCOMPARE(f.height, 3000.0);
    }
    void fills()
    {
        m_view.setAspect(Aspect::Fill);
        QCOMPARE(m_view.fieldRect(), (PixelRect{70, 50, 900, 600}));
        QCOMPARE(m_view.frame().height, 3000.0);
    }
    void pixelsAndBack()
    {
        m_view.zoomAbout({300, 300}, 3.3);
        for (const PixelPoint p : {PixelPoint{70, 50}, {512, 333}, {969.5, 649.5}}) {
            const PixelPoint q = m_view.toPixel(m_view.toPlane(p));
            QVERIFY(std::abs(p.x - q.x) < 1e-9 && std::abs(p.y - q.y) < 1e-9);
        }
    }
    void neverShowsOutside()
    {
        unsigned seed = 7;
        const auto random = [&] {
            seed = seed * 1664525U + 1013904223U;
            return static_cast<double>(seed >> 8) / 16777216.0;
        };
        for (int i = 0; i < 2000; ++i) {
            m_view.zoomAbout({70 + 900 * random(), 50 + 600 * random()}, 0.4 + 2.0 * random());
            m_view.panBy(900 * random() - 450, 600 * random() - 300);
            const PictureFrame f = m_view.frame();
            const PixelRect r = m_view.fieldRect();
            QVERIFY(f.left >= 100.0 - 1e-6 && f.left + f.width <= 9100.0 + 1e-6);
            QVERIFY(f.top >= -50.0 - 1e-6 && f.top + f.height <= 2950.0 + 1e-6);
            QVERIFY(r.x >= 70 && r.y >= 50 && r.x + r.width <= 970 && r.y + r.height <= 650);
            // True to scale within the rounding of a pixel.
            QVERIFY(std::abs(f.width / r.width - f.height / r.height) < 0.01 * f.width / r.width);
            QVERIFY(f.width >= 6.0 * 15.0 - 1e-6 || f.height >= 6.0 * 15.0 - 1e-6);
        }
        m_view.fit();
        QVERIFY(m_view.isFitted());
    }
    void picturesOfAnotherFrame()
    {
        const PictureFrame whole = m_view.frame();
        QCOMPARE(m_view.placeOf(whole), m_view.fieldRect());
        m_view.zoomAbout({400, 300}, 2.0);
        const PictureFrame half = m_view.frame();
        const PixelRect at = m_view.placeOf(whole);
        QVERIFY(at.covers(m_view.fieldRect()));
        QCOMPARE(m_view.placeOf(half), m_view.fieldRect());
        m_view.panBy(-40, 0); // its right edge comes in, and 40 pixels of the left go out
        const PixelRect moved = m_view.placeOf(half);
        QCOMPARE(moved.x, m_view.fieldRect().x - 40);
        QCOMPARE(moved.width, m_view.fieldRect().width);
        QVERIFY(!moved.covers(m_view.fieldRect()));
        m_view.fit();
        QVERIFY(m_view.fieldRect().covers(m_view.placeOf(half)));
        QVERIFY(m_view.placeOf(half).width < m_view.fieldRect().width);
    }
    void planes()
    {
        const Grid g = Grid::make3D(11, 21, 31, 10.0, 20.0, 30.0).value();
        const Position p{1, 2, 3};
        QCOMPARE(planeExtent(g, SlicePlane::CrossSection).width, 400.0);
        QCOMPARE(planeExtent(g, SlicePlane::Depth).height, 400.0);
        for (const SlicePlane plane : {SlicePlane::Section, SlicePlane::CrossSection, SlicePlane::Depth}) {
            QCOMPARE(offPlane(plane, onPlane(plane, p), p), p);
        }
        QCOMPARE(clampedTo(g, {-5, 1e9, 50}), (Position{0, 400, 50}));
    }
    void barsGoWhereThePictureIsLarger()
    {
        const PlaneExtent wide{0, 0, 9000, 3000, 10, 10};
        const PlaneExtent tall{0, 0, 3000, 3000, 10, 10};
        QCOMPARE(layOutSection({0, 0, 1100, 640}, 1.0, wide, Aspect::True, 2).bars, BarPlacement::Below);
        QCOMPARE(layOutSection({0, 0, 1100, 640}, 1.0, tall, Aspect::True, 2).bars, BarPlacement::Right);
    }

private:
    Grid m_grid;
    SectionView m_view;
};

QTEST_GUILESS_MAIN(TestSectionView)
#include "tst_section_view.moc"
