// Finite-difference coefficients against the published fractions (fd_coefficients.csv, Fornberg 1988), and the layer's
// staggered pair against what it promises: no more is taken away in a layer than is there, and order 4 misses nothing.
#include "kernels/core/stencil.h"

#include <QtTest>

#include <cmath>
#include <numbers>
#include <vector>

using namespace ondo::kernels;

class TestStencil : public QObject {
    Q_OBJECT

private slots:
    void secondDerivative_data();
    void secondDerivative();
    void staggeredTaps();
    void layerIsPassive();
    void pairAgreesWithSecondDerivative();
    void polynomialsAreExact();
};

void TestStencil::secondDerivative_data()
{
    QTest::addColumn<QList<double>>("taps");
    QTest::newRow("order 2") << QList<double>{-2.0, 1.0};
    QTest::newRow("order 4") << QList<double>{-5.0 / 2, 4.0 / 3, -1.0 / 12};
    QTest::newRow("order 6") << QList<double>{-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};
    QTest::newRow("order 8") << QList<double>{-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    QTest::newRow("order 10") << QList<double>{-5269.0 / 1800, 5.0 / 3, -5.0 / 21, 5.0 / 126, -5.0 / 1008, 1.0 / 3150};
    QTest::newRow("order 12") << QList<double>{-5369.0 / 1800, 12.0 / 7,   -15.0 / 56,    10.0 / 189,
                                               -1.0 / 112,     2.0 / 1925, -1.0 / 16632.0};
}

void TestStencil::secondDerivative()
{
    QFETCH(QList<double>, taps);
    const int radius = static_cast<int>(taps.size()) - 1;
    const auto c = makeCoefficients<double>(radius, 2.0);
    for (int k = 0; k <= radius; ++k) {
        QVERIFY2(std::abs(4.0 * c.second[k] - taps[k]) < 4e-16 * std::abs(taps[0]), qPrintable(QString::number(k)));
    }
}

void TestStencil::staggeredTaps()
{
    const std::vector<std::vector<double>> known = {{1.0},
                                                    {9.0 / 8, -1.0 / 24},
                                                    {75.0 / 64, -25.0 / 384, 3.0 / 640},
                                                    {1225.0 / 1024, -245.0 / 3072, 49.0 / 5120, -5.0 / 7168}};
    for (std::size_t m = 0; m < known.size(); ++m) {
        for (std::size_t k = 0; k < known[m].size(); ++k) {
            QVERIFY(std::abs(staggeredTap(static_cast<int>(m) + 1, static_cast<int>(k) + 1) - known[m][k]) < 1e-15);
        }
    }
}

void TestStencil::layerIsPassive()
{
    for (int radius = 1; radius <= kMaxRadius; ++radius) {
        const auto c = makeCoefficients<double>(radius, 1.0);
        // What a layer takes at most of D-D+, as its profiles say in float.
        const double taken = 1.0 / (1.0 + leastLayerAlpha(radius));
        QVERIFY(taken < 1.0 - 1e-5 && taken > 0.97);
        for (int i = 1; i <= 2000; ++i) {
            const double k = std::numbers::pi * i / 2000.0;
            double second = -c.second[0];
            double first = 0.0;
            for (int m = 1; m <= radius; ++m) {
                second -= 2.0 * c.second[m] * std::cos(m * k);
                first += 2.0 * c.staggered[m] * std::sin((m - 0.5) * k);
            }
            QVERIFY2(taken * first * first < second, qPrintable(QString("radius %1, k = %2").arg(radius).arg(k)));
        }
    }
}

// A quadratic miss is what reflects. At radius 1 there is one in both, the same; elsewhere the two agree to the fourth
// power.
void TestStencil::pairAgreesWithSecondDerivative()
{
    for (int radius = 1; radius <= kMaxRadius; ++radius) {
        const auto c = makeCoefficients<double>(radius, 1.0);
        const double k = 2.0 * std::numbers::pi / 20.0;
        double second = -c.second[0];
        double first = 0.0;
        for (int m = 1; m <= radius; ++m) {
            second -= 2.0 * c.second[m] * std::cos(m * k);
            first += 2.0 * c.staggered[m] * std::sin((m - 0.5) * k);
        }
        QVERIFY2(std::abs(first * first / second - 1.0) < 2e-3 * k * k * k * k,
                 qPrintable(QString("radius %1: %2").arg(radius).arg(first * first / second - 1.0)));
    }
}

void TestStencil::polynomialsAreExact()
{
    for (int radius = 1; radius <= 8; ++radius) {
        const auto c = makeCoefficients<double>(radius, 1.0);
        std::vector<double> p;
        for (int i = -radius; i <= radius; ++i) {
            p.push_back(std::pow(static_cast<double>(i) / radius, 2 * radius) + 3.0 * i * i - i + 1.0);
        }
        const double exact = radius == 1 ? 8.0 : 6.0;
        const double got = ondo::kernels::secondDerivative<double, 0>(p.data() + radius, 1, c.second, radius);
        QVERIFY2(std::abs(got - exact) < 1e-11, qPrintable(QString::number(got)));
    }
}

QTEST_GUILESS_MAIN(TestStencil)
#include "tst_stencil.moc"
