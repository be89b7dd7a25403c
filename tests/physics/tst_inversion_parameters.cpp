// Inversions for two parameters at once.
#include "tests/physics/inversion_case.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace ondo;

class TestInversionParameters : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void bothParametersAreFound_data();
    void bothParametersAreFound();

private:
    std::shared_ptr<Device> m_device;
};

void TestInversionParameters::initTestCase()
{
    const auto cpu = openDevice("cpu", 2);
    QVERIFY(cpu.has_value());
    m_device = cpu->device;
}

void TestInversionParameters::bothParametersAreFound_data()
{
    QTest::addColumn<bool>("impedance");
    QTest::addColumn<bool>("gaussNewton");
    QTest::newRow("density") << false << false;
    QTest::newRow("impedance") << true << false;
    QTest::newRow("density, gauss-newton") << false << true;
}

// Sources and receivers all around a square with a fast round anomaly and, elsewhere, a heavy one: transmission sees the
// speed, reflection the density. Its gradient by both against differences first, then both errors fall; broken off, the same
// bits. Bounds hold for both.
void TestInversionParameters::bothParametersAreFound()
{
    QFETCH(bool, impedance);
    QFETCH(bool, gaussNewton);
    constexpr int kN = 31;
    const Grid square = *Grid::make2D(kN, kN, kSpacing, kSpacing);
    const auto model = [&](double fast, double heavy, const std::vector<double>& by, double h) {
        std::vector<float> v;
        std::vector<float> rho;
        for (int i = 0; i < kN * kN; ++i) {
            const double z = i / kN;
            const double x = i % kN;
            const double a = std::hypot(z - 11, x - 15) / 3.0;
            const double b = std::hypot(z - 20, x - 15) / 3.0;
            const double d = by.empty() ? 0.0 : h * by[static_cast<std::size_t>(i)];
            v.push_back(static_cast<float>(2000.0 + fast * std::exp(-a * a) + d));
            const double q = 2000.0 + heavy * std::exp(-b * b) - 2.0 * d;
            rho.push_back(static_cast<float>(q));
        }
        return *Model::make(square, std::move(v))->withDensity(std::move(rho));
    };
    RunDescription run;
    run.equation = Equation::VariableDensity;
    run.boundary.layerCells = 10;
    run.duration = 0.3;
    run.sampleInterval = 0.002;
    for (int side = 0; side < 4; ++side) {
        {
            const double at = 130.0 + 10.0 * side;
            Shot shot;
            const Position p[] = {{at, 0.0, 20.0}, {280.0, 0.0, at}, {at, 0.0, 280.0}, {20.0, 0.0, at}};
            shot.sources.push_back({p[side], Wavelet::ricker(16.0)});
            for (const auto& [a, b] : {std::pair{Position{20.0, 0.0, 20.0}, Position{280.0, 0.0, 20.0}},
                                       {Position{20.0, 0.0, 280.0}, Position{280.0, 0.0, 280.0}}}) {
                const auto line = receiverLine(a, b, 14);
                shot.receivers.insert(shot.receivers.end(), line.begin(), line.end());
            }
            run.survey.shots.push_back(shot);
        }
    }
    auto s = settings(10);
    s.parameters = impedance ? InvertedParameters::SpeedImpedance : InvertedParameters::SpeedDensity;
    if (gaussNewton) {
        s.optimiser.method = "gauss-newton";
        s.stages[0].iterations = 3; // each with a few products
    }
    s.secondTikhonov = 0.01;
    s.tikhonov = 0.01;
    s.illumination = false;
    const double low = impedance ? 3.4e6 : 1700.0;
    const double high = impedance ? 5.5e6 : 2500.0;
    s.secondLow = low;
    s.secondHigh = high;
    const Model truth = model(120.0, 300.0, {}, 0.0);
    const Model start = model(0.0, 0.0, {}, 0.0);
    const auto plan = planInversion(run, start, m_device->facts(), s);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    auto truly = std::make_shared<SimulationPlan>(*plan->plan);
    truly->model = truth;
    const auto data = tracesOf(truly, m_device);
    if (!gaussNewton) { // whose gradients are the others'
        std::mt19937 random(5);
        std::uniform_int_distribution<int> one(-64, 64);
        std::vector<double> by;
        for (int i = 0; i < kN * kN; ++i) {
            by.push_back(one(random) / 64.0);
        }
        const auto first = [&](double h) {
            auto precise = run;
            precise.precision = Precision::Float64;
            const auto at = planInversion(precise, model(0.0, 0.0, by, h), m_device->facts(), s);
            InversionMemory memory;
            Limited only(memory, 1);
            (void)runInversion(*at, m_device, data, s, only);
            return memory.records.at(0);
        };
        const auto here = first(0.0);
        // d q of the direction (1, -2): a density's is -2, an impedance's rho dc + c drho, to first order.
        const double exact =
            dot(here.gradient, by) + (impedance ? 2000.0 - 4000.0 : -2.0) * dot(here.secondGradient, by);
        const auto difference = [&](double h) { return (first(h).data - first(-h).data) / here.reference / (2.0 * h); };
        const double measured = (4.0 * difference(0.5) - difference(1.0)) / 3.0;
        // The roughness of the start is 0, and its derivative.
        const double error = std::abs(measured / exact - 1.0);
        qInfo("gradient %.9g against %.9g, %.1e", exact, measured, error);
        // Impedances are rounded to single precision, 6e-8 of a change of 5e-4, at random over 961 nodes.
        QVERIFY(error <= (impedance ? 1e-4 : 1e-6));
    }
    InversionMemory memory;
    const auto done = runInversion(*plan, m_device, data, s, memory);
    QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
    const auto error = [&](const std::vector<float>& values, const std::vector<float>& of) {
        double sum = 0.0;
        for (std::size_t i = 0; i < of.size(); ++i) {
            sum += std::pow(static_cast<double>(values[i]) - static_cast<double>(of[i]), 2);
        }
        return std::sqrt(sum);
    };
    const auto& from = memory.records.front();
    const auto& to = memory.records.back();
    const auto second = secondOf(truth, s.parameters);
    const Model found = modelOf(start, to.speed, to.second, s.parameters);
    const double speedLeft =
        error(to.speed, truth.velocity().samples()) / error(from.speed, truth.velocity().samples());
    const double secondLeft = error(to.second, second) / error(from.second, second);
    const double densityLeft = error(found.density().samples(), truth.density().samples()) /
                               error(start.density().samples(), truth.density().samples());
    qInfo("misfit to %.4f, errors left: speed %.3f, second %.3f, density %.3f", to.data / from.data, speedLeft,
          secondLeft, densityLeft);
    QVERIFY(to.data < 0.07 * from.data);
    QVERIFY(speedLeft < 0.7);
    QVERIFY(secondLeft < 0.93); // seen: 0.87 and 0.79; four shots see little of it
    for (const auto& r : memory.records) {
        QCOMPARE(r.second.size(), r.speed.size());
        QVERIFY(std::all_of(r.second.begin(), r.second.end(),
                            [&](float q) { return q >= static_cast<float>(low) && q <= static_cast<float>(high); }));
    }
    if (gaussNewton) {
        return; // it remembers nothing
    }
    InversionMemory broken = memory;
    broken.records.resize(9);
    QVERIFY(runInversion(*plan, m_device, data, s, broken).has_value());
    compare(memory, broken);
    QVERIFY(memory.records.back().second == broken.records.back().second);
}

QTEST_GUILESS_MAIN(TestInversionParameters)
#include "tst_inversion_parameters.moc"
