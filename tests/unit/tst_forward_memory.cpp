// What a forward run holds on its device: its three fields, the layers' slabs, and little else. Counted by the arena, with
// all that it rounds and keeps; traces are what was asked for and counted apart.
#include "engine/device/device.h"
#include "engine/propagator/domain.h"
#include "engine/propagator/propagator.h"
#include "tests/unit/fake_backend.h"

#include <QtTest>

using namespace ondo;

class TestForwardMemory : public QObject {
    Q_OBJECT

private slots:
    void fieldsSlabsAndFivePercent_data();
    void fieldsSlabsAndFivePercent();
    void aSecondRunTakesNoMore();
    void onlyAPictureNeedsAModelOfItsOwn();
};

namespace {

constexpr int kSteps = 2000;

std::shared_ptr<const SimulationPlan> planOf(int rank, int nodes, int order)
{
    const Grid grid =
        rank == 3 ? *Grid::make3D(nodes, nodes, nodes, 10.0, 10.0, 10.0) : *Grid::make2D(nodes, nodes, 10.0, 10.0);
    const Model model =
        *Model::make(grid, std::vector<float>(static_cast<std::size_t>(grid.nodes()), 2000.0F), "constant");
    RunDescription run;
    run.boundary.layerCells = 20;
    run.spaceOrder = order;
    const double y = rank == 3 ? 0.5 * grid.lengthY() : 0.0;
    // Between nodes, where a receiver reads most of them.
    const auto line = receiverLine({3.0, y, 44.0}, {grid.lengthX() - 13.0, y, 44.0}, std::min(500, nodes));
    run.survey.shots.push_back({{{{0.5 * grid.lengthX(), y, 333.0}, Wavelet::ricker(8.0, 1.0)}}, line});
    run.duration = 0.1;
    const auto first = *SimulationPlan::make(run, model, {});
    run.duration = kSteps * first->time.innerStep();
    return *SimulationPlan::make(run, model, {});
}

struct Held {
    std::size_t state = 0, traces = 0; // bytes; traces are not in `state`
};

Held heldBy(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device)
{
    device->arena().forgetPeaks();
    const Stream stream(device, kernels::StreamPriority::Solver);
    const auto propagator = Propagator::create(plan, device, stream);
    propagator->begin(0, 1);
    propagator->step();
    const ArenaUse use = device->arena().use();
    const std::size_t traces = use.byLabel.at("traces").second;
    return {use.reservedPeak - traces, traces};
}

} // namespace

void TestForwardMemory::fieldsSlabsAndFivePercent_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<bool>("host");
    for (const bool host : {true, false}) {
        const char* const where = host ? "host" : "a device";
        QTest::addRow("1000 x 1000, %s", where) << 2 << 1000 << host;
        QTest::addRow("4096 x 4096, %s", where) << 2 << 4096 << host;
        QTest::addRow("256 x 256 x 256, %s", where) << 3 << 256 << host;
    }
}

void TestForwardMemory::fieldsSlabsAndFivePercent()
{
    QFETCH(int, rank);
    QFETCH(int, nodes);
    QFETCH(bool, host);
    const auto plan = planOf(rank, nodes, 8);
    const auto device = std::make_shared<Device>(
        host ? kernels::makeHostBackend() : std::unique_ptr<kernels::Backend>(std::make_unique<test::FakeBackend>()),
        nullptr);
    const Held held = heldBy(plan, device);
    const double ratio = static_cast<double>(held.state) / static_cast<double>(stateBytes(*plan));
    qInfo("%.4f of fields and slabs (%.1f MB), traces %.1f MB", ratio, static_cast<double>(stateBytes(*plan)) / 1e6,
          static_cast<double>(held.traces) / 1e6);
    QVERIFY2(ratio >= 1.0 && ratio <= 1.05, qPrintable(QString::number(ratio)));
    QCOMPARE(held.traces,
             plan->run.survey.shots[0].receivers.size() * static_cast<std::size_t>(plan->time.count) * sizeof(float));
}

void TestForwardMemory::aSecondRunTakesNoMore()
{
    const auto device = std::make_shared<Device>(kernels::makeHostBackend(), nullptr);
    const Held first = heldBy(planOf(2, 300, 8), device);
    QCOMPARE(heldBy(planOf(2, 300, 8), device).state, first.state);
    // Nor does a run of a shape a little larger keep what the first one left.
    const auto larger = planOf(2, 400, 8);
    const Held second = heldBy(larger, device);
    const auto alone = std::make_shared<Device>(kernels::makeHostBackend(), nullptr);
    QCOMPARE(second.state, heldBy(larger, alone).state);
}

void TestForwardMemory::onlyAPictureNeedsAModelOfItsOwn()
{
    const auto device = std::make_shared<Device>(kernels::makeHostBackend(), nullptr);
    const auto plan = planOf(3, 40, 4);
    const Stream stream(device, kernels::StreamPriority::Solver);
    const auto propagator = Propagator::create(plan, device, stream);
    propagator->begin(0, 1);
    QVERIFY(!device->arena().use().byLabel.contains("model picture"));
    std::vector<std::uint32_t> colours(256), pixels(8 * 8);
    PaintRequest request;
    request.settings.showField = false;
    request.settings.frame = {0.0, 0.0, 400.0, 400.0, 8, 8};
    request.fieldColours = request.modelColours = colours.data();
    request.pixels = pixels.data();
    propagator->paint(request);
    // A volume is seen plane by plane.
    QCOMPARE(device->arena().use().byLabel.at("model picture").first, std::size_t{40 * 40} * sizeof(float));
    request.settings.plane = SlicePlane::Depth;
    request.settings.planeIndex = 39;
    propagator->paint(request);
    QCOMPARE(device->arena().use().byLabel.at("model picture").second, std::size_t{40 * 40} * sizeof(float));
}

QTEST_GUILESS_MAIN(TestForwardMemory)
#include "tst_forward_memory.moc"
