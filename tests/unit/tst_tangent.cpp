// Derivatives along a direction: what is refused, and memory as predicted. That the numbers are right is shown by the cases of
// engine/selftest (adjoint_tangent.cpp).
#include "engine/inversion/tangent.h"
#include "engine/selftest/adjoint_setup.h"
#include "engine/session/plan_work.h"

#include <QtTest>

#include <limits>

using namespace ondo;

class TestTangent : public QObject {
    Q_OBJECT

private slots:
    void refuses_data();
    void refuses();
    void namesWhatIsMissing();
    void memoryIsAsPredicted_data();
    void memoryIsAsPredicted();
};

namespace {

std::shared_ptr<Device> hostDevice()
{
    return std::make_shared<Device>(kernels::makeHostBackend(1), nullptr);
}

std::shared_ptr<SimulationPlan> planOf(const Device& device, Equation equation, int rank = 2, int shots = 1)
{
    AdjointSetup a;
    a.faces = adjointFaces()[1];
    a.smooth = true;
    a.equation = equation;
    a.rank = rank;
    a.samples = rank == 3 ? 40 : 120;
    a.shots = a.shotsAtOnce = shots;
    auto plan = std::make_shared<SimulationPlan>(*adjointPlan(a, device));
    plan->deviceBytes = memoryOf(*plan).held; // of the step that adjointPlan has put in the place of the plan's own
    return plan;
}

MisfitFunction misfitOf(const SimulationPlan& plan)
{
    return leastSquares(std::make_shared<std::vector<TraceTable>>(*randomData(plan, 3)));
}

} // namespace

void TestTangent::refuses_data()
{
    QTest::addColumn<int>("equation");
    QTest::addColumn<int>("speeds"); // more than nodes
    QTest::addColumn<bool>("density");
    QTest::addColumn<bool>("impedance");
    QTest::addColumn<bool>("finite");
    QTest::addColumn<QString>("text");
    const int one = static_cast<int>(Equation::Acoustic);
    const int two = static_cast<int>(Equation::VariableDensity);
    QTest::newRow("size") << one << 1 << false << false << true << "speeds for a model of 891 nodes";
    QTest::newRow("no number") << two << 0 << true << false << false << "densities, at node 1, is not a finite number";
    QTest::newRow("density of none") << one << 0 << true << false << true << "for the equation \"acoustic\"";
    QTest::newRow("impedance of none") << one << 0 << false << true << true << "for the equation \"acoustic\"";
    QTest::newRow("both") << two << 0 << true << true << true << "give one of both beside the speed's";
}

void TestTangent::refuses()
{
    QFETCH(int, equation);
    QFETCH(int, speeds);
    QFETCH(bool, density);
    QFETCH(bool, impedance);
    QFETCH(bool, finite);
    QFETCH(QString, text);
    const auto device = hostDevice();
    const auto plan = planOf(*device, static_cast<Equation>(equation));
    const auto nodes = static_cast<std::size_t>(plan->model.grid().nodes());
    const double value = finite ? 1.0 : std::numeric_limits<double>::quiet_NaN();
    ModelDirection direction;
    direction.speed.assign(nodes + static_cast<std::size_t>(speeds), 1.0);
    direction.density.assign(density ? nodes : 0, value);
    direction.impedance.assign(impedance ? nodes : 0, value);
    const auto refused = [&text](const Error& error) {
        return error.kind == ErrorKind::BadInput && error.text().find(text.toStdString()) != std::string::npos;
    };
    const auto tangent = computeTangent(plan, device, direction);
    QVERIFY(!tangent);
    QVERIFY2(refused(tangent.error()), tangent.error().text().c_str());
    const auto product = computeHessianProduct(plan, device, misfitOf(*plan), direction);
    QVERIFY(!product);
    QVERIFY2(refused(product.error()), product.error().text().c_str());
}

void TestTangent::namesWhatIsMissing()
{
    const auto device = hostDevice();
    const auto plan = planOf(*device, Equation::VariableDensity);
    plan->device.memoryFree = 1000;
    const auto tangent = checkTangent(*plan, true);
    QVERIFY(!tangent);
    QCOMPARE(tangent.error().kind, ErrorKind::OutOfMemory);
    HessianOptions options;
    options.tape.mode = "boundary";
    const auto product = checkHessianProduct(*plan, options, true);
    QVERIFY(!product);
    QVERIFY2(product.error().text().find("cannot be stepped backwards") != std::string::npos,
             product.error().text().c_str());
}

void TestTangent::memoryIsAsPredicted_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("equation");
    QTest::addColumn<int>("shots");
    QTest::addColumn<QString>("mode");
    for (const int rank : {2, 3}) {
        for (const Equation equation : {Equation::Acoustic, Equation::VariableDensity}) {
            QTest::addRow("%d-D, %s", rank, equation == Equation::Acoustic ? "one density" : "variable density")
                << rank << static_cast<int>(equation) << (rank == 2 ? 2 : 1)
                << (equation == Equation::Acoustic ? "chunks" : "binomial");
        }
    }
}

void TestTangent::memoryIsAsPredicted()
{
    QFETCH(int, rank);
    QFETCH(int, equation);
    QFETCH(int, shots);
    QFETCH(QString, mode);
    const auto device = hostDevice();
    const auto plan = planOf(*device, static_cast<Equation>(equation), rank, shots);
    const auto nodes = static_cast<std::size_t>(plan->model.grid().nodes());
    ModelDirection direction;
    direction.speed.assign(nodes, 1.0);
    direction.density.assign(plan->variableDensity() ? nodes : 0, 1.0);
    const auto isNear = [](std::size_t measured, std::size_t predicted, const char* what) {
        const double ratio = static_cast<double>(measured) / static_cast<double>(predicted);
        qInfo("%s: %zu bytes, %.4f of what was predicted", what, measured, ratio);
        return std::abs(ratio - 1.0) <= 0.1; // the bound
    };
    const auto predicted = checkTangent(*plan, plan->variableDensity());
    const auto tangent = computeTangent(plan, device, direction);
    QVERIFY(predicted && tangent);
    QVERIFY(isNear(tangent->peakBytes, predicted->total(), "Born run"));
    for (const bool gaussNewton : {true, false}) {
        HessianOptions options;
        options.gaussNewton = gaussNewton;
        options.tape.mode = mode.toStdString();
        const auto needs = checkHessianProduct(*plan, options, plan->variableDensity());
        const auto product = computeHessianProduct(plan, device, misfitOf(*plan), direction, options);
        QVERIFY(needs && product);
        QVERIFY(isNear(product->peakBytes, needs->total(), gaussNewton ? "Gauss-Newton" : "full Hessian"));
    }
}

QTEST_GUILESS_MAIN(TestTangent)
#include "tst_tangent.moc"
