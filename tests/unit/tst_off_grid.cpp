// Weights of points between nodes: Hicks' kernel written once more, folding at faces, volumes, what falls outside.
#include "engine/survey/off_grid.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

using namespace ondo;

namespace {

// I0 by its series, the Kaiser window of Hicks (2002), half-width 4, beta 6.31.
double bessel(double x)
{
    double sum = 1.0;
    double term = 1.0;
    for (int k = 1; k < 60; ++k) {
        term *= (0.5 * x / k) * (0.5 * x / k);
        sum += term;
    }
    return sum;
}

double kernel(double d)
{
    if (std::abs(d) >= 4.0) {
        return 0.0;
    }
    const double window = bessel(6.31 * std::sqrt(1.0 - d * d / 16.0)) / bessel(6.31);
    return d == 0.0 ? window : std::sin(std::numbers::pi * d) / (std::numbers::pi * d) * window;
}

constexpr int kNone[3] = {0, 0, 0};
constexpr int kLayers[3] = {10, 10, 10};

Boundary with(Face face, FaceCondition condition)
{
    Boundary b;
    b.at(face) = condition;
    return b;
}

std::map<int, double> alongZ(const Boundary& boundary, double z, const int layers[3])
{
    const auto grid = *Grid::make2D(30, 30, 5.0, 4.0, {100.0, 0.0, 50.0});
    std::map<int, double> w;
    for (const auto& n : pointWeights(grid, boundary, layers, layers, {100.0 + 4.0 * 12, 0.0, 50.0 + 5.0 * z})) {
        w[n.z] += n.weight;
    }
    return w;
}

} // namespace

class TestOffGrid : public QObject {
    Q_OBJECT

private slots:
    void slopesAreDerivatives_data();
    void slopesAreDerivatives();
    void slopesOnANodeAreTheMeanOfBothSides();
    void kernelIsHicks();
    void nodeIsItself();
    void freeFaceFoldsOddly();
    void rigidFaceFoldsEvenly();
    void layersHoldWeights();
    void volumes();
    void threeDimensions();
};

void TestOffGrid::kernelIsHicks()
{
    const auto w = alongZ({}, 12.3, kLayers);
    QCOMPARE(w.size(), std::size_t{8});
    for (const auto& [node, weight] : w) {
        QVERIFY(std::abs(weight - kernel(12.3 - node)) < 1e-14);
    }
}

void TestOffGrid::nodeIsItself()
{
    const auto w = alongZ({}, 7.0, kLayers);
    QCOMPARE(w.size(), std::size_t{1});
    QCOMPARE(w.at(7), 1.0);
    QCOMPARE(alongZ({}, 7.0 + 1e-8, kLayers).size(), std::size_t{1}); // decimal text of a node
}

void TestOffGrid::freeFaceFoldsOddly()
{
    const auto w = alongZ(with(Face::ZLow, FaceCondition::Free), 0.6, kNone);
    for (int node = 1; node <= 4; ++node) {
        QVERIFY(std::abs(w.at(node) - (kernel(0.6 - node) - kernel(0.6 + node))) < 1e-14);
    }
    QVERIFY(w.begin()->first >= 0);
}

void TestOffGrid::rigidFaceFoldsEvenly()
{
    const auto w = alongZ(with(Face::ZHigh, FaceCondition::Rigid), 28.7, kNone);
    QVERIFY(std::abs(w.at(29) - kernel(0.3)) < 1e-14);
    for (int out = 1; out <= 3; ++out) {
        QVERIFY(std::abs(w.at(29 - out) - (kernel(28.7 - 29 + out) + kernel(28.7 - 29 - out))) < 1e-14);
    }
    QVERIFY(w.rbegin()->first <= 29);
}

void TestOffGrid::layersHoldWeights()
{
    QVERIFY(alongZ({}, 0.5, kLayers).begin()->first == -3);
    const int one[3] = {1, 1, 1};
    QVERIFY(alongZ({}, 0.5, one).begin()->first == -1);
}

void TestOffGrid::volumes()
{
    const auto grid = *Grid::make2D(30, 30, 5.0, 4.0);
    Boundary b;
    b.at(Face::ZLow) = FaceCondition::Rigid;
    b.at(Face::XLow) = FaceCondition::Rigid;
    for (const auto& n : pointWeights(grid, b, kNone, kLayers, {0.0, 0.0, 0.0})) {
        QCOMPARE(n.weight, 1.0);
        QCOMPARE(n.inverseVolume, 4.0 / 20.0);
    }
    for (const auto& n : pointWeights(grid, b, kNone, kLayers, {40.0, 0.0, 50.0})) {
        QCOMPARE(n.inverseVolume, 1.0 / 20.0);
    }
}

void TestOffGrid::threeDimensions()
{
    const auto grid = *Grid::make3D(20, 20, 20, 5.0, 4.0, 2.0);
    const auto nodes = pointWeights(grid, {}, kLayers, kLayers, {19.0, 41.0, 52.0});
    QCOMPARE(nodes.size(), std::size_t{512});
    double sum = 0.0;
    for (const auto& n : nodes) {
        sum += n.weight;
        QCOMPARE(n.inverseVolume, 1.0 / 40.0);
        QVERIFY(std::abs(n.weight - kernel(10.4 - n.z) * kernel(10.25 - n.y) * kernel(9.5 - n.x)) < 1e-14);
    }
    QVERIFY(std::abs(sum - 1.0) < 2e-3); // Hicks: not exactly a partition of unity
}

void TestOffGrid::slopesAreDerivatives_data()
{
    QTest::addColumn<int>("top");
    QTest::addColumn<double>("z");
    for (const auto condition : {FaceCondition::Absorbing, FaceCondition::Free, FaceCondition::Rigid}) {
        for (const double z : {0.3, 2.6, 14.45, 28.2}) {
            QTest::addRow("%s top, %.2f cells", conditionName(condition).data(), z) << static_cast<int>(condition) << z;
        }
    }
}

// By Richardson's central differences of the test's own kernel's host: the weights that a run uses.
void TestOffGrid::slopesAreDerivatives()
{
    QFETCH(int, top);
    QFETCH(double, z);
    const Boundary boundary = with(Face::ZLow, static_cast<FaceCondition>(top));
    const auto grid = *Grid::make3D(30, 20, 25, 5.0, 4.0, 2.0, {100.0, -20.0, 50.0});
    const Position at{100.0 + 2.0 * 7.3, -20.0 + 4.0 * 11.6, 50.0 + 5.0 * z};
    for (int axis = 0; axis < 3; ++axis) {
        const auto weights = [&](double by) {
            Position p = at;
            (axis == 0 ? p.z : axis == 1 ? p.y : p.x) += by;
            std::map<std::array<int, 3>, double> w;
            for (const auto& n : pointWeights(grid, boundary, kLayers, kLayers, p)) {
                w[{n.z, n.y, n.x}] += n.weight;
            }
            return w;
        };
        const double h = 1e-3;
        auto w1 = weights(h);
        auto w2 = weights(-h);
        auto w3 = weights(2.0 * h);
        auto w4 = weights(-2.0 * h);
        double worst = 0.0;
        double peak = 0.0;
        for (const auto& n : pointWeightSlopes(grid, boundary, kLayers, kLayers, at, axis)) {
            const std::array<int, 3> i = {n.z, n.y, n.x};
            const double slope = (8.0 * (w1[i] - w2[i]) - (w3[i] - w4[i])) / (12.0 * h);
            worst = std::max(worst, std::abs(slope - n.weight));
            peak = std::max(peak, std::abs(n.weight));
        }
        QVERIFY2(worst < 1e-9 * peak, qPrintable(QString::number(worst / peak))); // h^4 and round-off over h
    }
}

// On a node both halves of the window count, each once: the limit of central differences, of a field that bends there.
void TestOffGrid::slopesOnANodeAreTheMeanOfBothSides()
{
    const auto grid = *Grid::make2D(30, 30, 5.0, 4.0);
    const Position at{4.0 * 12, 0.0, 5.0 * 15};
    const double h = 1e-4; // m: 2e-5 cells, beyond the millionth that still is the node
    std::map<int, double> difference;
    for (const int side : {1, -1}) {
        for (const auto& n : pointWeights(grid, {}, kLayers, kLayers, {at.x, 0.0, at.z + side * h})) {
            difference[n.z] += side * n.weight / (2.0 * h);
        }
    }
    const auto slopes = pointWeightSlopes(grid, {}, kLayers, kLayers, at, 0);
    QCOMPARE(slopes.size(), std::size_t{9}); // 4 either way, and the node itself
    for (const auto& n : slopes) {
        QVERIFY(std::abs(difference[n.z] - n.weight) < 1e-6); // first order in h
    }
}

QTEST_GUILESS_MAIN(TestOffGrid)
#include "tst_off_grid.moc"
