// Roughness against central differences and closed forms, the box, the smoothing's laws, the preconditioner's.
#include "engine/inversion/model_terms.h"

#include <QtTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace ondo;

class TestModelTerms : public QObject {
    Q_OBJECT

private slots:
    void roughnessDerivatives_data();
    void roughnessDerivatives();
    void roughnessOfARamp();
    void theBoxHolds();
    void smoothingKeepsAndMirrors();
    void smoothingSpreadsAsItSays();
    void thePreconditionerIsSymmetricAndPositive();
    void refuses();
};

namespace {

std::vector<double> noise(std::size_t count, unsigned seed, double low, double high)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> one(low, high);
    std::vector<double> v(count);
    std::generate(v.begin(), v.end(), [&] { return one(random); });
    return v;
}

double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Grid flat()
{
    return *Grid::make2D(17, 23, 7.0, 11.0);
}

Grid cube()
{
    return *Grid::make3D(7, 5, 9, 7.0, 9.0, 11.0);
}

} // namespace

void TestModelTerms::roughnessDerivatives_data()
{
    QTest::addColumn<double>("tikhonov");
    QTest::addColumn<double>("variation");
    QTest::addColumn<bool>("solid");
    for (const bool solid : {false, true}) {
        const QByteArray rank = solid ? " 3-D" : " 2-D";
        QTest::newRow("tikhonov" + rank) << 0.7 << 0.0 << solid;
        QTest::newRow("total variation" + rank) << 0.0 << 0.3 << solid;
        QTest::newRow("both" + rank) << 0.7 << 0.3 << solid;
    }
}

void TestModelTerms::roughnessDerivatives()
{
    QFETCH(double, tikhonov);
    QFETCH(double, variation);
    QFETCH(bool, solid);
    const Grid grid = solid ? cube() : flat();
    const Roughness r{tikhonov, variation, 0.1, 2000.0};
    const auto nodes = static_cast<std::size_t>(grid.nodes());
    const auto v = noise(nodes, 1, 1990.0, 2010.0);
    const auto d = noise(nodes, 2, -1.0, 1.0);
    std::vector<double> gradient(nodes, 0.0);
    (void)r.judge(grid, v, gradient);
    const auto difference = [&](double h) {
        auto up = v;
        auto down = v;
        for (std::size_t i = 0; i < nodes; ++i) {
            up[i] += h * d[i];
            down[i] -= h * d[i];
        }
        std::vector<double> unused(nodes, 0.0);
        return (r.judge(grid, up, unused) - r.judge(grid, down, unused)) / (2.0 * h);
    };
    const double exact = dot(gradient, d);
    const double measured = (4.0 * difference(0.05) - difference(0.1)) / 3.0;
    QVERIFY2(std::abs(measured / exact - 1.0) <= 1e-6, qPrintable(QString::number(measured / exact - 1.0)));
}

// A ramp along x that doubles the speed over the grid's length has slope 1 everywhere but in its last column.
void TestModelTerms::roughnessOfARamp()
{
    const Grid g = *Grid::make2D(5, 41, 5.0, 5.0);
    std::vector<double> v;
    for (int z = 0; z < 5; ++z) {
        for (int x = 0; x < 41; ++x) {
            v.push_back(2000.0 * (1.0 + x / 40.0));
        }
    }
    std::vector<double> unused(v.size(), 0.0);
    const double share = 40.0 / 41.0;
    QVERIFY(std::abs(Roughness{1.0, 0.0, 0.1, 2000.0}.judge(g, v, unused) - 0.5 * share) < 1e-12);
    const double one = std::sqrt(1.0 + 0.01) - 0.1;
    QVERIFY(std::abs(Roughness{0.0, 1.0, 0.1, 2000.0}.judge(g, v, unused) - one * share) < 1e-12);
    std::vector<double> none(v.size(), 0.0);
    QCOMPARE(Roughness{}.judge(g, v, none), 0.0);
    QCOMPARE(none, std::vector<double>(v.size(), 0.0));
}

void TestModelTerms::theBoxHolds()
{
    SpeedBounds b{1500.0, 3000.1, {false, false, false, true, false}};
    const std::vector<double> v = {1600.0, 2900.0, 2000.0, 1000.0, 1400.0};
    const auto moved = b.moved(v, {-300.0, 300.0, 1.0 / 3.0, 50.0, 0.0}, 1.0);
    QCOMPARE(moved[0], 1500.0);
    QCOMPARE(moved[1], static_cast<double>(3000.1F));
    QCOMPARE(moved[2], static_cast<double>(2000.33333F));
    QCOMPARE(moved[3], 1000.0); // fixed
    QCOMPARE(moved[4], 1400.0); // outside, and not asked to move
    const auto free = b.freeNodes(moved, {1.0, -1.0, 1.0, 1.0, -1.0});
    QCOMPARE(free, (std::vector<bool>{false, false, true, false, true}));
    const auto back = b.freeNodes(moved, {-1.0, 1.0, 1.0, 1.0, 1.0});
    QCOMPARE(back, (std::vector<bool>{true, true, true, false, false}));
}

void TestModelTerms::smoothingKeepsAndMirrors()
{
    for (const Grid& grid : {flat(), cube()}) {
        const auto nodes = static_cast<std::size_t>(grid.nodes());
        std::vector<double> constant(nodes, 3.0);
        smoothGaussian(grid, 40.0, constant);
        for (const double v : constant) {
            QVERIFY(std::abs(v - 3.0) < 1e-13);
        }
        const auto a = noise(nodes, 3, -1.0, 1.0);
        const auto b = noise(nodes, 4, -1.0, 1.0);
        auto ga = a;
        auto gb = b;
        smoothGaussian(grid, 40.0, ga);
        smoothGaussian(grid, 40.0, gb);
        QVERIFY(std::abs(dot(ga, b) - dot(a, gb)) < 1e-12);
        auto none = a;
        smoothGaussian(grid, 0.0, none);
        QCOMPARE(none, a);
    }
}

// A spike becomes a Gaussian of that standard deviation, in metres along both axes.
void TestModelTerms::smoothingSpreadsAsItSays()
{
    const Grid g = *Grid::make2D(101, 121, 5.0, 4.0);
    std::vector<double> v(static_cast<std::size_t>(g.nodes()), 0.0);
    v[50 * 121 + 60] = 1.0;
    smoothGaussian(g, 22.0, v);
    double alongZ = 0.0;
    double alongX = 0.0;
    for (int z = 0; z < g.nz; ++z) {
        for (int x = 0; x < g.nx; ++x) {
            const double one = v[static_cast<std::size_t>(z * 121 + x)];
            alongZ += one * std::pow((z - 50) * 5.0, 2);
            alongX += one * std::pow((x - 60) * 4.0, 2);
        }
    }
    // Cut off at four deviations: 0.1 % of the variance lies beyond.
    QVERIFY(std::abs(std::sqrt(alongZ) / 22.0 - 1.0) < 2e-3);
    QVERIFY(std::abs(std::sqrt(alongX) / 22.0 - 1.0) < 2e-3);
}

void TestModelTerms::thePreconditionerIsSymmetricAndPositive()
{
    const Grid g = flat();
    const auto nodes = static_cast<std::size_t>(g.nodes());
    std::vector<bool> fixed(nodes, false);
    std::fill(fixed.begin(), fixed.begin() + 46, true);
    const auto p = Preconditioner::make(g, noise(nodes, 1, 0.0, 5.0), 0.05, 30.0, fixed);
    QVERIFY(p.has_value());
    for (unsigned seed = 10; seed < 20; ++seed) {
        const auto a = noise(nodes, seed, -1.0, 1.0);
        const auto b = noise(nodes, seed + 100, -1.0, 1.0);
        const auto pa = p->apply(a);
        QVERIFY(std::abs(dot(pa, b) - dot(a, p->apply(b))) < 1e-11);
        QVERIFY(dot(pa, a) > 0.0);
        QVERIFY(std::all_of(pa.begin(), pa.begin() + 46, [](double v) { return v == 0.0; }));
    }
    const auto plain = Preconditioner::make(g, {}, 0.05, 0.0, {});
    const auto a = noise(nodes, 1, -1.0, 1.0);
    QCOMPARE(plain->apply(a), a);
}

void TestModelTerms::refuses()
{
    const Grid g = flat();
    const auto nodes = static_cast<std::size_t>(g.nodes());
    QVERIFY(!Preconditioner::make(g, std::vector<double>(nodes, 0.0), 0.05, 0.0, {}));
    QVERIFY(!Preconditioner::make(g, std::vector<double>(nodes, 1.0), 0.0, 0.0, {}));
    QVERIFY(!Preconditioner::make(g, {}, 0.05, -1.0, {}));
    QVERIFY(!checkRoughness({-1.0, 0.0, 0.1, 1.0}));
    QVERIFY(!checkRoughness({0.0, 1.0, 0.0, 1.0}));
    QVERIFY(checkRoughness({1.0, 1.0, 0.1, 2000.0}).has_value());
}

QTEST_GUILESS_MAIN(TestModelTerms)
#include "tst_model_terms.moc"
