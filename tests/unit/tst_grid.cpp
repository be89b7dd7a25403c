// Grid, TimeAxis and Boundary: what they refuse and what they answer.
#include "engine/grid/boundary.h"
#include "engine/grid/grid.h"
#include "engine/grid/time_axis.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace ondo;

class TestGrid : public QObject {
    Q_OBJECT

private slots:
    void sectionHasOneRowAcross();
    void volumeKeepsItsOrder();
    void badGridsAreRefused_data();
    void badGridsAreRefused();
    void containsItsEdges();
    void sectionHoldsAnyY();
    void timeAxisCountsIntervals();
    void facesHaveNames();
};

void TestGrid::sectionHasOneRowAcross()
{
    const auto grid = Grid::make2D(651, 1701, 5.0, 5.0);
    QVERIFY(grid.has_value());
    QCOMPARE(grid->ny, 1);
    QCOMPARE(grid->nodes(), std::int64_t{651} * 1701);
    QCOMPARE(grid->lengthZ(), 3250.0);
    QCOMPARE(grid->lengthX(), 8500.0);
    QCOMPARE(grid->lengthY(), 0.0);
    QVERIFY(grid->describe().find("651 x 1701 nodes (z, x)") != std::string::npos);
    QVERIFY(grid->describe().find("8.5 km") != std::string::npos);
}

void TestGrid::volumeKeepsItsOrder()
{
    const auto grid = Grid::make3D(10, 20, 30, 1.0, 2.0, 3.0, {100.0, 200.0, -5.0});
    QVERIFY(grid.has_value());
    QCOMPARE(grid->nodes(), std::int64_t{6000});
    QCOMPARE(grid->lengthY(), 38.0);
    QCOMPARE(grid->smallestSpacing(), 1.0);
    QVERIFY(grid->contains({187.0, 238.0, 4.0}));
    QVERIFY(!grid->contains({187.0, 239.0, 4.0}));
    // A node count of more than 2^31 must not wrap.
    QCOMPARE(Grid::make3D(2048, 2048, 1024, 1, 1, 1)->nodes(), std::int64_t{1} << 32);
}

void TestGrid::badGridsAreRefused_data()
{
    QTest::addColumn<int>("nz");
    QTest::addColumn<int>("nx");
    QTest::addColumn<double>("dz");
    QTest::addColumn<double>("dx");
    QTest::addColumn<double>("originX");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("no rows") << 0 << 10 << 1.0 << 1.0 << 0.0;
    QTest::newRow("negative count") << 10 << -3 << 1.0 << 1.0 << 0.0;
    QTest::newRow("no spacing") << 10 << 10 << 0.0 << 1.0 << 0.0;
    QTest::newRow("negative spacing") << 10 << 10 << 1.0 << -5.0 << 0.0;
    QTest::newRow("spacing not a number") << 10 << 10 << nan << 1.0 << 0.0;
    QTest::newRow("infinite spacing") << 10 << 10 << 1.0 << HUGE_VAL << 0.0;
    QTest::newRow("origin not a number") << 10 << 10 << 1.0 << 1.0 << nan;
    QTest::newRow("beyond 2^40 nodes") << 2000000 << 2000000 << 1.0 << 1.0 << 0.0;
}

void TestGrid::badGridsAreRefused()
{
    QFETCH(int, nz);
    QFETCH(int, nx);
    QFETCH(double, dz);
    QFETCH(double, dx);
    QFETCH(double, originX);
    const auto grid = Grid::make2D(nz, nx, dz, dx, {originX, 0.0, 0.0});
    QVERIFY(!grid.has_value());
    QCOMPARE(grid.error().kind, ErrorKind::BadInput);
    QVERIFY(!grid.error().what.empty());
}

void TestGrid::containsItsEdges()
{
    const Grid grid = *Grid::make2D(11, 21, 10.0, 10.0, {1000.0, 0.0, 50.0});
    QVERIFY(grid.contains({1000.0, 0.0, 50.0}));
    QVERIFY(grid.contains({1200.0, 0.0, 150.0}));
    QVERIFY(grid.contains({1200.0000001, 0.0, 150.0})); // round-off of decimal text
    QVERIFY(!grid.contains({1200.01, 0.0, 150.0}));
    QVERIFY(!grid.contains({1100.0, 0.0, 49.99}));
}

void TestGrid::sectionHoldsAnyY()
{
    const Grid grid = *Grid::make2D(11, 21, 10.0, 10.0);
    QVERIFY(grid.contains({50.0, 12345.0, 50.0}));
}

void TestGrid::timeAxisCountsIntervals()
{
    const TimeAxis axis{0.002, 501, 4};
    QCOMPARE(axis.innerStep(), 0.0005);
    QCOMPARE(axis.innerSteps(), 2000);
    QCOMPARE(axis.duration(), 1.0);
    QCOMPARE((TimeAxis{0.002, 0, 4}).innerSteps(), 0);
    QCOMPARE((TimeAxis{0.002, 1, 4}).innerSteps(), 0);
}

void TestGrid::facesHaveNames()
{
    QCOMPARE(faceName(Face::XLow), std::string_view("x-low"));
    QCOMPARE(faceName(Face::ZHigh), std::string_view("z-high"));
    QCOMPARE(conditionName(FaceCondition::Rigid), std::string_view("rigid"));
    Boundary boundary;
    QCOMPARE(boundary.at(Face::ZLow), FaceCondition::Absorbing);
    boundary.at(Face::ZLow) = FaceCondition::Free;
    QCOMPARE(boundary.faces[4], FaceCondition::Free);
}

QTEST_GUILESS_MAIN(TestGrid)
#include "tst_grid.moc"
