// What a plan says of the device's memory against what the arena holds once the propagator is there, to the byte.
#include "engine/device/device_list.h"
#include "engine/propagator/propagator.h"
#include "engine/session/plan_work.h"
#include "engine/survey/off_grid.h"

#include <QtTest>

using namespace ondo;

class TestPlanMemory : public QObject {
    Q_OBJECT

private slots:
    void isWhatTheArenaHolds_data();
    void isWhatTheArenaHolds();
    void sharedNodesMakeItLess();
    void countsWeightsAsTheyAre();
};

namespace {

struct Asked {
    int rank = 2, order = 8, shots = 1, together = 1, receivers = 31;
    bool wide = false;
    Boundary boundary;
    bool density = false;
};

Boundary boundary(FaceCondition top, FaceCondition rest)
{
    Boundary b;
    b.faces.fill(rest);
    b.at(Face::ZLow) = top;
    b.layerCells = 12;
    return b;
}

Result<std::shared_ptr<const SimulationPlan>> planOf(const Asked& asked, const Device& device)
{
    const Grid grid =
        asked.rank == 3 ? *Grid::make3D(43, 37, 51, 10.0, 11.0, 12.0) : *Grid::make2D(87, 133, 10.0, 12.0);
    RunDescription run;
    run.spaceOrder = asked.order;
    run.shotsAtOnce = asked.together;
    run.precision = asked.wide ? Precision::Float64 : Precision::Float32;
    run.boundary = asked.boundary;
    run.duration = 0.2;
    const double y = asked.rank == 3 ? 0.5 * grid.lengthY() : 0.0;
    for (int s = 0; s < asked.shots; ++s) {
        Shot shot;
        // Some on nodes along an axis, some near a face, where weights fall together.
        shot.sources = {{{120.0 + 12.0 * s, y, 103.3}, Wavelet::ricker(10.0)}};
        shot.receivers = receiverLine({13.1, y, 14.9}, {grid.lengthX() - 7.7, y, 71.0}, asked.receivers + 5 * (s % 2));
        run.survey.shots.push_back(shot);
    }
    Model model = *Model::constant(grid, 2000.0F);
    if (asked.density) {
        run.equation = Equation::VariableDensity;
        model = *model.withDensity(std::vector<float>(static_cast<std::size_t>(grid.nodes()), 1800.0F));
    }
    return SimulationPlan::make(run, model, device.facts());
}

} // namespace
Q_DECLARE_METATYPE(Asked)

void TestPlanMemory::isWhatTheArenaHolds_data()
{
    QTest::addColumn<Asked>("asked");
    const auto absorbing = boundary(FaceCondition::Absorbing, FaceCondition::Absorbing);
    const auto sea = boundary(FaceCondition::Free, FaceCondition::Absorbing);
    const auto closed = boundary(FaceCondition::Free, FaceCondition::Rigid);
    for (const int rank : {2, 3}) {
        const auto row = [rank](const char* name, const Asked& asked) {
            QTest::newRow(qPrintable(QString("%1-D, %2").arg(rank).arg(name))) << asked;
        };
        row("layers all round", {rank, 8, 1, 1, 31, false, absorbing});
        row("a free surface, order 2", {rank, 2, 1, 1, 31, false, sea});
        row("no layers, double", {rank, 4, 1, 1, 31, true, closed});
        row("no receivers", {rank, 8, 1, 1, 0, false, sea});
        row("five shots, three at once, double", {rank, 8, 5, 3, 31, true, sea});
        row("more at once than there are", {rank, 8, 2, 8, 31, false, absorbing});
        row("order 12", {rank, 12, 1, 1, 31, false, absorbing});
        row("variable density, three at once", {rank, 8, 3, 3, 31, false, sea, true});
    }
}

void TestPlanMemory::isWhatTheArenaHolds()
{
    QFETCH(Asked, asked);
    const auto device = openDevice("cpu", 1)->device;
    device->arena().trim();
    const auto before = device->arena().use();
    const auto plan = planOf(asked, *device);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    const Stream stream(device, kernels::StreamPriority::Solver);
    const auto propagator = Propagator::create(*plan, device, stream);
    std::size_t held = 0;
    std::size_t taken = 0;
    const int shots = static_cast<int>((*plan)->run.survey.shots.size());
    for (int first = 0; first < shots; first += (*plan)->run.shotsAtOnce) {
        propagator->begin(first, std::min((*plan)->run.shotsAtOnce, shots - first));
        propagator->advance(1);
        if (first == 0) {
            taken = device->arena().use().reserved - before.reserved; // later ones leave idle blocks behind
        }
        held = std::max(held, device->arena().use().live - before.live);
    }
    QCOMPARE((*plan)->deviceBytes, held);
    QVERIFY((*plan)->deviceBytesTaken >= taken);
    QVERIFY(static_cast<double>((*plan)->deviceBytesTaken) < 1.05 * static_cast<double>(taken));
}

// Sources side by side: the plan counts their nodes apart and says at most a little more than is held.
void TestPlanMemory::sharedNodesMakeItLess()
{
    const auto device = openDevice("cpu", 1)->device;
    const auto before = device->arena().use().live;
    auto first = planOf({2, 8, 1, 1, 31, false, boundary(FaceCondition::Free, FaceCondition::Absorbing)}, *device);
    RunDescription run = (*first)->run;
    Source beside = run.survey.shots[0].sources[0];
    beside.position.x += 3.0;
    run.survey.shots[0].sources.push_back(beside);
    const auto plan = SimulationPlan::make(run, (*first)->model, device->facts());
    const Stream stream(device, kernels::StreamPriority::Solver);
    const auto propagator = Propagator::create(*plan, device, stream);
    propagator->begin(0, 1);
    const auto held = device->arena().use().live - before;
    QVERIFY((*plan)->deviceBytes >= held);
    QVERIFY((*plan)->deviceBytes < held + 64 * 40);
}

void TestPlanMemory::countsWeightsAsTheyAre()
{
    const auto device = openDevice("cpu", 1)->device;
    for (const auto condition : {FaceCondition::Free, FaceCondition::Rigid, FaceCondition::Absorbing}) {
        const auto plan = planOf({2, 8, 1, 1, 211, false, boundary(condition, condition)}, *device);
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
        double nodes = 0.0;
        for (const auto& receiver : (*plan)->run.survey.shots[0].receivers) {
            nodes += static_cast<double>(pointWeights((*plan)->model.grid(), (*plan)->run.boundary, (*plan)->layerLow,
                                                      (*plan)->layerHigh, receiver.position)
                                             .size());
        }
        QCOMPARE(workOf(**plan).launches[0].receiverNodes, nodes);
    }
}

QTEST_GUILESS_MAIN(TestPlanMemory)
#include "tst_plan_memory.moc"
