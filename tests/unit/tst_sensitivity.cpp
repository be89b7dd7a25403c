// The sensitivity kernel of a pair: against central differences, against the travel time of a homogeneous medium, its
// refusals, its list of reasons, and looks at it on its way backwards. That gradients are exact is shown by engine/selftest.
#include "engine/inversion/sensitivity.h"
#include "engine/project/default_run.h"
#include "kernels/backend.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace ondo;

namespace {

constexpr int kNodes = 81;
constexpr double kSpacing = 10.0; // m
constexpr double kSpeed = 2000.0; // m/s

std::shared_ptr<Device> hostDevice()
{
    return std::make_shared<Device>(kernels::makeHostBackend(1), nullptr);
}

Model medium(double change = 0.0, int z = 0, int x = 0)
{
    std::vector<float> v(kNodes * kNodes, static_cast<float>(kSpeed));
    v[static_cast<std::size_t>(z * kNodes + x)] += static_cast<float>(change);
    return Model::make(Grid::make2D(kNodes, kNodes, kSpacing, kSpacing).value(), std::move(v), "even").value();
}

std::shared_ptr<const SimulationPlan> planOf(const Device& device, const Model& model)
{
    RunDescription run = defaultRun(model);
    run.precision = Precision::Float64;
    run.duration = 0.6;
    run.sampleInterval = 1e-3; // the same for every model
    for (Face face : {Face::ZLow, Face::ZHigh, Face::XLow, Face::XHigh}) {
        run.boundary.at(face) = FaceCondition::Absorbing;
    }
    run.survey.shots = {
        Shot{{{{200.0, 0.0, 400.0}, Wavelet::ricker(15.0)}}, {{{100.0, 0.0, 300.0}}, {{600.0, 0.0, 400.0}}}}};
    auto plan = SimulationPlan::make(run, model, device.facts());
    return plan ? *plan : nullptr;
}

KernelRequest second(KernelMeasure measure)
{
    KernelRequest request;
    request.receiver = 1;
    request.measure = measure;
    request.from = 0.2;
    request.to = 0.45;
    return request;
}

} // namespace

class TestSensitivity : public QObject {
    Q_OBJECT

private slots:
    // Central differences of J: their own error is the square of the change, 1e-6 of what is compared; the speeds are floats,
    // whose rounding the quarter of a m/s does not feel.
    void energyAgainstDifferences()
    {
        const auto device = hostDevice();
        const auto kernel = computeKernel(*planOf(*device, medium()), device, second(KernelMeasure::Energy));
        QVERIFY2(kernel.has_value(), kernel ? "" : kernel.error().text().c_str());
        double most = 0.0;
        for (const double v : kernel->values) {
            most = std::max(most, std::abs(v));
        }
        for (const auto& [z, x] : {std::pair{40, 40}, {35, 30}, {44, 50}}) {
            double j[2];
            for (const int side : {0, 1}) {
                const double change = side == 0 ? -0.25 : 0.25;
                const auto plan = planOf(*device, medium(change, z, x));
                const auto other = computeKernel(*plan, device, second(KernelMeasure::Energy));
                QVERIFY(other.has_value());
                QCOMPARE(other->plan.plan->time, kernel->plan.plan->time);
                j[side] = other->measured;
            }
            const double expected = (j[1] - j[0]) / 0.5;
            const double got = kernel->values[static_cast<std::size_t>(z * kNodes + x)];
            QVERIFY2(std::abs(got - expected) < 1e-5 * most,
                     qPrintable(QStringLiteral("%1 for %2 of %3").arg(got).arg(expected).arg(most)));
        }
    }

    // T = L / c: all nodes together change it by -L / c^2. What the layers' outermost nodes see is folded onto the edge; the
    // source's and receiver's near fields bend the phase by a few per cent at two to six wavelengths.
    void travelTimeOfAnEvenMedium()
    {
        const auto device = hostDevice();
        const auto kernel = computeKernel(*planOf(*device, medium()), device, second(KernelMeasure::TravelTime));
        QVERIFY2(kernel.has_value(), kernel ? "" : kernel.error().text().c_str());
        const double all = std::accumulate(kernel->values.begin(), kernel->values.end(), 0.0);
        const double expected = -400.0 / (kSpeed * kSpeed);
        QVERIFY2(std::abs(all - expected) < 0.05 * std::abs(expected),
                 qPrintable(QStringLiteral("%1 for %2").arg(all).arg(expected)));
    }

    void refuses_data()
    {
        QTest::addColumn<int>("shot");
        QTest::addColumn<int>("receiver");
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<QString>("said");
        QTest::newRow("shot") << 1 << 0 << 0.0 << 0.0 << "no shot 2";
        QTest::newRow("receiver") << 0 << 2 << 0.0 << 0.0 << "no receiver 3";
        QTest::newRow("backwards") << 0 << 0 << 0.4 << 0.2 << "ends before it begins";
        QTest::newRow("outside") << 0 << 0 << 0.4 << 0.7 << "outside of the trace";
        QTest::newRow("before zero") << 0 << 0 << -0.1 << 0.2 << "outside of the trace";
        QTest::newRow("short") << 0 << 0 << 0.4 << 0.402 << "fewer than 4 samples";
        QTest::newRow("not a number") << 0 << 0 << std::nan("") << 0.2 << "ends before it begins";
    }
    void refuses()
    {
        QFETCH(int, shot);
        QFETCH(int, receiver);
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(QString, said);
        const auto device = hostDevice();
        KernelRequest request;
        request.shot = shot;
        request.receiver = receiver;
        request.from = from;
        request.to = to;
        const auto plan = planKernel(*planOf(*device, medium()), request);
        QVERIFY(!plan.has_value());
        QCOMPARE(plan.error().kind, ErrorKind::BadInput);
        QVERIFY2(QString::fromStdString(plan.error().text()).contains(said), plan.error().text().c_str());
        QVERIFY(!plan.error().remedy.empty());
    }

    void wholeTraceByDefault()
    {
        const auto w = windowTaper(0.0, 0.1, 0.001, 101);
        QVERIFY(std::all_of(w.begin(), w.end(), [](double v) { return v == 1.0; }));
        const auto part = windowTaper(0.02, 0.08, 0.001, 101);
        QCOMPARE(part[10], 0.0);
        QCOMPARE(part[50], 1.0);
        QVERIFY(part[23] > 0.1 && part[23] < 0.9);
        QVERIFY(std::abs(part[23] - part[77]) < 1e-12); // as it rises, so it falls
    }

    void saysWhyItIsZero()
    {
        const auto device = hostDevice();
        KernelRequest request = second(KernelMeasure::Energy);
        request.from = 0.0;
        request.to = 0.05;
        const auto kernel = computeKernel(*planOf(*device, medium()), device, request);
        QVERIFY(kernel.has_value());
        int failed = 0;
        for (const KernelCheck& check : kernel->checks) {
            QVERIFY(!check.what.empty());
            QCOMPARE(check.passed, check.remedy.empty());
            failed += check.passed ? 0 : 1;
        }
        QVERIFY(failed >= 2); // before the arrival, and silent
        QVERIFY(!kernel->checks[1].passed);
        QVERIFY(!kernel->checks[2].passed);
    }

    // The picture is taken of what is computed: it changes no bit, and what has been built up last is the kernel nearly.
    void looksOnTheWay()
    {
        const auto device = hostDevice();
        const auto plan = planOf(*device, medium());
        const auto unseen = computeKernel(*plan, device, second(KernelMeasure::Energy));
        for (const GradientLook look :
             {GradientLook::AdjointField, GradientLook::SpeedGradient, GradientLook::Nothing}) {
            std::atomic<GradientLook> wanted{look};
            int frames = 0;
            double last = 1e9;
            GradientHooks hooks;
            hooks.look = &wanted;
            hooks.picture = [&](const GradientFrame& frame) {
                ++frames;
                QCOMPARE(frame.look, look);
                QCOMPARE(frame.field.values.size(), std::size_t{kNodes * kNodes});
                QVERIFY(frame.field.time < last); // backwards
                last = frame.field.time;
            };
            const auto seen = computeKernel(*plan, device, second(KernelMeasure::Energy), hooks);
            QVERIFY(seen.has_value());
            QVERIFY(seen->values == unseen->values);
            QVERIFY(look == GradientLook::Nothing ? frames == 0 : frames >= 1);
        }
    }
};

QTEST_APPLESS_MAIN(TestSensitivity)
#include "tst_sensitivity.moc"
