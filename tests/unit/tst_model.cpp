// Model: sample counts, shared samples, range with bad values, another grid of the same shape.
#include "engine/model/model.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace ondo;

class TestModel : public QObject {
    Q_OBJECT

private slots:
    void refusesAnotherSampleCount();
    void copiesShareTheirSamples();
    void constantFillsEveryNode();
    void rangeLeavesOutWhatIsNoNumber();
    void rangeOfNothing();
    void takesAnotherSpacing();
    void refusesAnotherShape();
};

void TestModel::refusesAnotherSampleCount()
{
    const Grid grid = *Grid::make2D(3, 4, 10.0, 10.0);
    const auto model = Model::make(grid, std::vector<float>(11, 1500.0F));
    QVERIFY(!model.has_value());
    QCOMPARE(model.error().kind, ErrorKind::BadInput);
    QVERIFY(model.error().what.find("11") != std::string::npos);
    QVERIFY(model.error().what.find("12") != std::string::npos);
}

void TestModel::copiesShareTheirSamples()
{
    const Grid grid = *Grid::make2D(3, 4, 10.0, 10.0);
    const Model model = *Model::make(grid, std::vector<float>(12, 1500.0F), "water");
    const Model copy = model; // NOLINT(performance-unnecessary-copy-initialization): the copy is the subject
    QCOMPARE(copy.velocity().values.get(), model.velocity().values.get());
    QCOMPARE(copy.name(), std::string("water"));
    QCOMPARE(copy.velocity().unit, std::string("m/s"));
}

void TestModel::constantFillsEveryNode()
{
    const Model model = *Model::constant(*Grid::make3D(2, 3, 4, 1, 1, 1), 2000.0F);
    QCOMPARE(model.velocity().samples().size(), std::size_t{24});
    QCOMPARE(model.range().low, 2000.0);
    QCOMPARE(model.range().high, 2000.0);
}

void TestModel::rangeLeavesOutWhatIsNoNumber()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    const Model model = *Model::make(*Grid::make2D(2, 3, 1, 1), {nan, 1500.0F, -inf, 4700.0F, inf, 1600.0F});
    const ValueRange range = model.range();
    QCOMPARE(range.low, 1500.0);
    QCOMPARE(range.high, 4700.0);
    QCOMPARE(range.nonFinite, std::int64_t{3});
}

void TestModel::rangeOfNothing()
{
    const Model nothing;
    QVERIFY(nothing.empty());
    QCOMPARE(nothing.range().nonFinite, std::int64_t{0});
    const Model bad = *Model::make(*Grid::make2D(1, 1, 1, 1), {std::numeric_limits<float>::quiet_NaN()});
    QCOMPARE(bad.range().nonFinite, std::int64_t{1});
    QCOMPARE(bad.range().high, 0.0);
}

void TestModel::takesAnotherSpacing()
{
    const Model model = *Model::constant(*Grid::make2D(5, 6, 1.0, 1.0), 1500.0F);
    const auto moved = model.withGrid(*Grid::make2D(5, 6, 12.5, 25.0, {100.0, 0.0, 0.0}));
    QVERIFY(moved.has_value());
    QCOMPARE(moved->grid().dx, 25.0);
    QCOMPARE(moved->velocity().values.get(), model.velocity().values.get());
    QCOMPARE(model.grid().dx, 1.0);
}

void TestModel::refusesAnotherShape()
{
    const Model model = *Model::constant(*Grid::make2D(5, 6, 1.0, 1.0), 1500.0F);
    QVERIFY(!model.withGrid(*Grid::make2D(6, 5, 1.0, 1.0)).has_value());
    QVERIFY(!model.withGrid(*Grid::make3D(5, 1, 6, 1.0, 1.0, 1.0)).has_value());
}

QTEST_GUILESS_MAIN(TestModel)
#include "tst_model.moc"
