// Weights of points between nodes: Hicks' kernel written once more, folding at faces, volumes, what falls outside.
#include "engine/survey/off_grid.h"

#include <QtTest>

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

QTEST_GUILESS_MAIN(TestOffGrid)
#include "tst_off_grid.moc"
