// SimulationPlan: each refusal names the thing and its value, each warning its remedy, the numbers are those of the scheme.
#include "engine/session/simulation_plan.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace ondo;

namespace {

struct Asked {
    RunDescription run;
    Model model;
    kernels::DeviceFacts device;
};

Asked good()
{
    Asked a;
    const auto grid = Grid::make2D(60, 80, 10.0, 10.0, {100.0, 0.0, 0.0});
    a.model = *Model::constant(*grid, 2000.0F);
    a.run.duration = 0.5;
    a.run.survey.shots.push_back({{{{300.0, 0.0, 200.0}, Wavelet::ricker(10.0)}}, {{{500.0, 0.0, 100.0}}}});
    return a;
}

using Change = std::function<void(Asked&)>;

} // namespace
Q_DECLARE_METATYPE(Change)

class TestPlan : public QObject {
    Q_OBJECT

private slots:
    void goodIsAccepted();
    void badIsRefused_data();
    void badIsRefused();
    void warns_data();
    void warns();
    void sampleIntervalIsKept();
    void shortStepTakesSeveral();
    void readsAsAPersonWrites();
    void layersAreAdded();
};

void TestPlan::goodIsAccepted()
{
    const auto a = good();
    const auto plan = SimulationPlan::make(a.run, a.model, a.device);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    QVERIFY((*plan)->warnings.empty());
    QCOMPARE((*plan)->radius, 4);
    QVERIFY((*plan)->courantNumber < 0.7001 * (*plan)->courantLimit);
    QVERIFY((*plan)->deviceBytes > 0);
    QCOMPARE((*plan)->secondsEstimate, 0.0); // the device was never measured
    QVERIFY((*plan)->describe().find("ondo calibrate") != std::string::npos);
    QVERIFY((*plan)->describe().find("order 8") != std::string::npos);
}

void TestPlan::badIsRefused_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, Change change, const char* says, ErrorKind kind = ErrorKind::BadInput) {
        QTest::newRow(name) << change << static_cast<int>(kind) << QString(says);
    };
    row(
        "no model", [](Asked& a) { a.model = {}; }, "no model");
    row(
        "a velocity of 0",
        [](Asked& a) {
            std::vector<float> v(4800, 2000.0F);
            v[81] = 0.0F;
            a.model = *Model::make(a.model.grid(), v);
        },
        "z 1, y 0, x 1");
    row(
        "a velocity of NaN",
        [](Asked& a) {
            std::vector<float> v(4800, 2000.0F);
            v[5] = std::numeric_limits<float>::quiet_NaN();
            a.model = *Model::make(a.model.grid(), v);
        },
        "1 of 4800");
    row(
        "an odd order", [](Asked& a) { a.run.spaceOrder = 7; }, "order 7");
    row(
        "an order beyond the greatest", [](Asked& a) { a.run.spaceOrder = 34; }, "order 34");
    row(
        "a grid too small for the order",
        [](Asked& a) { a.model = *Model::constant(*Grid::make2D(6, 80, 10.0, 10.0), 2000.0F); }, "6 nodes along z");
    row(
        "no shot", [](Asked& a) { a.run.survey.shots.clear(); }, "no shot");
    row(
        "no source", [](Asked& a) { a.run.survey.shots[0].sources.clear(); }, "shot 1 has no source");
    row(
        "a source outside", [](Asked& a) { a.run.survey.shots[0].sources[0].position.x = 950.0; }, "60 m outside");
    row(
        "a receiver outside", [](Asked& a) { a.run.survey.shots[0].receivers[0].position.z = -3.0; }, "receiver 1");
    row(
        "a position that is not finite", [](Asked& a) { a.run.survey.shots[0].sources[0].position.z = std::nan(""); },
        "not a finite number");
    row(
        "a receiver on a free face",
        [](Asked& a) {
            a.run.boundary.at(Face::ZLow) = FaceCondition::Free;
            a.run.survey.shots[0].receivers[0].position.z = 0.0;
        },
        "pressure is always zero");
    row(
        "a wavelet of negative frequency",
        [](Asked& a) { a.run.survey.shots[0].sources[0].wavelet.peakFrequency = -1.0; }, "source 1 of shot 1");
    row(
        "a Courant fraction of 1", [](Asked& a) { a.run.courant = 1.0; }, "unstable");
    row(
        "a negative Courant fraction", [](Asked& a) { a.run.courant = -0.1; }, "Courant fraction");
    row(
        "a negative duration", [](Asked& a) { a.run.duration = -1.0; }, "duration");
    row(
        "a sample interval of 0", [](Asked& a) { a.run.sampleInterval = 0.0; }, "sample interval");
    row(
        "more steps than anybody waits for", [](Asked& a) { a.run.duration = 1e9; }, "1e9 steps");
    row(
        "layers of no cells", [](Asked& a) { a.run.boundary.layerCells = 0; }, "0 cells");
    row(
        "a reflection of 1", [](Asked& a) { a.run.boundary.reflection = 1.0; }, "reflection");
    row(
        "no shots at once", [](Asked& a) { a.run.shotsAtOnce = 0; }, "0 shots at once");
    row(
        "a sample interval beyond the run", [](Asked& a) { a.run.sampleInterval = 0.6; },
        "longer than the run of 0.5 s");
    row(
        "a device that is full", [](Asked& a) { a.device.memoryFree = 1000; }, "1 kB free", ErrorKind::OutOfMemory);
}

void TestPlan::badIsRefused()
{
    QFETCH(Change, change);
    QFETCH(int, kind);
    QFETCH(QString, says);
    auto a = good();
    change(a);
    const auto plan = SimulationPlan::make(a.run, a.model, a.device);
    QVERIFY(!plan.has_value());
    QCOMPARE(static_cast<int>(plan.error().kind), kind);
    QVERIFY2(QString::fromStdString(plan.error().text()).contains(says), plan.error().text().c_str());
}

void TestPlan::warns_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, Change change, const char* says) {
        QTest::newRow(name) << change << QString(says);
    };
    row(
        "km/s", [](Asked& a) { a.model = *Model::constant(a.model.grid(), 2.0F); }, "unusual for the earth");
    row(
        "thin layers", [](Asked& a) { a.run.boundary.layerCells = 5; }, "reflect visibly");
    row(
        "a y in two dimensions", [](Asked& a) { a.run.survey.shots[0].sources[0].position.y = 40.0; },
        "the y of 1 source and 0 receivers");
    row(
        "no receivers", [](Asked& a) { a.run.survey.shots[0].receivers.clear(); }, "no gather");
    row(
        "too coarse", [](Asked& a) { a.run.survey.shots[0].sources[0].wavelet = Wavelet::ricker(60.0); },
        "points per shortest wavelength");
    row(
        "coarse for order 2",
        [](Asked& a) {
            a.run.spaceOrder = 2;
            a.run.survey.shots[0].sources[0].wavelet = Wavelet::ricker(15.0);
        },
        "phase error");
}

void TestPlan::warns()
{
    QFETCH(Change, change);
    QFETCH(QString, says);
    auto a = good();
    change(a);
    const auto plan = SimulationPlan::make(a.run, a.model, a.device);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    bool found = false;
    for (const auto& w : (*plan)->warnings) {
        found = found || QString::fromStdString(w.what).contains(says);
        QVERIFY(!w.remedy.empty());
    }
    QVERIFY2(found, (*plan)->describe().c_str());
}

void TestPlan::sampleIntervalIsKept()
{
    auto a = good();
    a.run.sampleInterval = 1e-3;
    const auto plan = SimulationPlan::make(a.run, a.model, a.device);
    QCOMPARE((*plan)->time.dt, 1e-3);
    QCOMPARE((*plan)->time.ratio, 1);
    QCOMPARE((*plan)->time.count, 501);
}

void TestPlan::shortStepTakesSeveral()
{
    auto a = good();
    a.run.sampleInterval = 8e-3;
    const auto plan = SimulationPlan::make(a.run, a.model, a.device);
    QCOMPARE((*plan)->time.dt, 8e-3);
    QVERIFY((*plan)->time.ratio >= 4);
    const double limit = stableDistance(a.model.grid(), 4) / 2000.0;
    QVERIFY((*plan)->time.innerStep() <= 0.7 * limit * (1.0 + 1e-8));
    QVERIFY(8e-3 / ((*plan)->time.ratio - 1) > 0.7 * limit); // not one more than needed
}

void TestPlan::readsAsAPersonWrites()
{
    auto a = good();
    const auto plan = SimulationPlan::make(a.run, a.model, a.device);
    QVERIFY((*plan)->describe().find("domain    100 x 120 nodes") != std::string::npos); // no y in two dimensions
    a.run.survey.shots[0].sources[0].wavelet = Wavelet::ricker(1e5);
    const auto blind = SimulationPlan::make(a.run, a.model, a.device);
    QVERIFY((*blind)->describe().find("phase error 360 degrees") != std::string::npos);
}

void TestPlan::layersAreAdded()
{
    auto a = good();
    a.run.boundary.at(Face::ZLow) = FaceCondition::Free;
    const auto plan = SimulationPlan::make(a.run, a.model, a.device);
    QCOMPARE((*plan)->nz, 80);
    QCOMPARE((*plan)->nx, 120);
    QCOMPARE((*plan)->ny, 1);
}

QTEST_GUILESS_MAIN(TestPlan)
#include "tst_plan.moc"
