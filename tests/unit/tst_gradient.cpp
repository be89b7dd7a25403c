// A gradient's preflight, its memory and its refusals: nothing comes back as silent zeros. That its numbers are right is
// shown by the cases of engine/selftest (tests/physics/tst_adjoint.cpp).
#include "engine/inversion/gradient.h"
#include "engine/inversion/image_sampling.h"
#include "engine/inversion/memory_choice.h"
#include "engine/inversion/split_forward.h"
#include "engine/selftest/adjoint_setup.h"
#include "engine/session/device_speed.h"
#include "tests/unit/fake_backend.h"

#include <QtTest>

#include <array>
#include <cmath>
#include <limits>
#include <map>

using namespace ondo;

class TestGradient : public QObject {
    Q_OBJECT

private slots:
    void refuses_data();
    void refuses();
    void namesTheModeThatFits();
    void namesTheHostsMemory();
    void choosesTheFastestThatFits();
    void refusesWhatNoModeFits();
    void goesOnInAnotherModeWhenMemoryRunsOut_data();
    void goesOnInAnotherModeWhenMemoryRunsOut();
    void aNamedModeIsNotChanged();
    void aTailRefusesEarlierResiduals();
    void judgesTheData_data();
    void judgesTheData();
    void stopsBetweenSteps();
    void aDeviceWithoutAdjointSaysSo();
    void memoryIsAsPredicted_data();
    void memoryIsAsPredicted();
    void everyStepDeclaresNoError();
    void zeroMisfitIsNoted();
    void leavesOutWhatNobodyAskedFor();
    void theDryRunSaysItAll();
    void rimsShareNoNode_data();
    void rimsShareNoNode();
};

namespace {

std::shared_ptr<Device> hostDevice()
{
    return std::make_shared<Device>(kernels::makeHostBackend(1), nullptr);
}

AdjointSetup small()
{
    AdjointSetup a;
    a.faces = adjointFaces()[1];
    a.smooth = true;
    a.samples = 40;
    return a;
}

std::shared_ptr<SimulationPlan> changeable(const Device& device, const AdjointSetup& setup = small())
{
    return std::make_shared<SimulationPlan>(*adjointPlan(setup, device));
}

std::shared_ptr<std::vector<TraceTable>> dataOf(const SimulationPlan& plan)
{
    return std::make_shared<std::vector<TraceTable>>(*randomData(plan, 3));
}

} // namespace

void TestGradient::refuses_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("text");
    QTest::newRow("no receivers") << "receivers"
                                  << "has no receivers";
    QTest::newRow("mode") << "mode"
                          << "no memory mode; use one of: auto, full, chunks, boundary, segments, binomial";
    QTest::newRow("every") << "every"
                           << "imaging every 0 steps";
    QTest::newRow("chunk") << "chunk"
                           << "chunks of -1 steps";
    QTest::newRow("chunks in full") << "full chunk"
                                    << "leave the length out";
    QTest::newRow("no such folder") << "folder"
                                    << "checkpoints on disk, in /none/such";
    QTest::newRow("beyond the band") << "band"
                                     << "or more often";
}

void TestGradient::refuses()
{
    QFETCH(QString, what);
    QFETCH(QString, text);
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    GradientOptions options;
    if (what == "receivers") {
        plan->run.survey.shots[0].receivers.clear();
    } else if (what == "mode") {
        options.tape.mode = "fulll";
    } else if (what == "every") {
        options.tape.every = 0;
    } else if (what == "chunk") {
        options.tape.mode = "chunks";
        options.tape.chunk = -1;
    } else if (what == "full chunk") {
        options.tape.chunk = 4;
    } else if (what == "folder") {
        options.tape.mode = "binomial";
        options.tape.diskCheckpoints = 2;
        options.tape.folder = "/none/such";
    } else {
        options.tape.every = 30;
    }
    const auto checked = checkGradient(*plan, options);
    QVERIFY(!checked);
    QCOMPARE(checked.error().kind, ErrorKind::BadInput);
    QVERIFY2(checked.error().text().find(text.toStdString()) != std::string::npos, checked.error().text().c_str());
    QVERIFY(!checked.error().remedy.empty());
    // The computation refuses what the check refuses.
    const auto computed = computeGradient(plan, device, leastSquares(dataOf(*plan)), options);
    QVERIFY(!computed);
    QCOMPARE(computed.error().text(), checked.error().text());
}

void TestGradient::namesTheModeThatFits()
{
    const auto device = hostDevice();
    auto setup = small();
    setup.samples = 2000;
    const auto plan = changeable(*device, setup);
    GradientOptions chunks;
    chunks.tape.mode = "chunks";
    plan->device.memoryFree = 2 * checkGradient(*plan, chunks)->total();
    const auto full = checkGradient(*plan, {});
    QVERIFY(!full);
    QCOMPARE(full.error().kind, ErrorKind::OutOfMemory);
    const std::string& remedy = full.error().remedy;
    const auto begin = remedy.find(", or \"") + 6;
    GradientOptions named; // fits
    named.tape.mode = remedy.substr(begin, remedy.find('"', begin) - begin);
    QVERIFY2(findTape(named.tape) && checkGradient(*plan, named), full.error().text().c_str());
    QVERIFY(checkGradient(*plan, chunks));
    plan->device.memoryFree = 1000;
    const auto none = checkGradient(*plan, chunks);
    QVERIFY(!none);
    QVERIFY2(none.error().remedy.find("fewer shots") != std::string::npos, none.error().text().c_str());
}

// A GPU's tape may lie in the host's memory: that is asked for, too.
void TestGradient::namesTheHostsMemory()
{
    const auto plan = changeable(*hostDevice());
    plan->device.backend = "cuda13";
    plan->device.memoryFree = 0; // not told
    GradientOptions options;
    options.tape.mode = "binomial";
    options.tape.hostCheckpoints = 1'000'000'000;
    const auto checked = checkGradient(*plan, options);
    QVERIFY(!checked);
    QCOMPARE(checked.error().kind, ErrorKind::OutOfMemory);
    QVERIFY2(checked.error().text().find("of the host's memory") != std::string::npos, checked.error().text().c_str());
    options.tape.hostCheckpoints = 3;
    QVERIFY(checkGradient(*plan, options));
}

namespace {

// 1 us a step, as long for each other part; a byte to the disk takes long.
std::shared_ptr<const DeviceSpeed> madeUpSpeed()
{
    DeviceSpeed speed;
    for (auto& rank : speed.rank) {
        for (auto& part : rank.gradient.at) {
            part = {{1e3, 1e-6}, {1e4, 1e-6}};
        }
        rank.gradient.at[GradientSpeed::Shell] = {{1e3, 1e-10}};
    }
    speed.staging.filed = speed.staging.filedCached = 1e-6;
    return std::make_shared<const DeviceSpeed>(std::move(speed));
}

GradientOptions automatic()
{
    GradientOptions options;
    options.tape.mode = kAutomaticTape;
    return options;
}

} // namespace

void TestGradient::choosesTheFastestThatFits()
{
    const auto device = hostDevice();
    auto setup = small();
    setup.samples = 2000;
    const auto plan = changeable(*device, setup);
    plan->speed = madeUpSpeed();
    const auto ways = memoryWays(*plan, automatic());
    QVERIFY(ways.size() > 2 * tapeKinds().size());
    for (std::size_t share = 100; share > 10; share -= 10) {
        plan->device.memoryFree = share * ways.front().memory.total() / 80;
        const auto choice = chooseMemory(*plan, automatic());
        QVERIFY2(choice, choice ? "" : choice.error().text().c_str());
        QVERIFY(choice->memory.seconds > 0.0);
        QVERIFY(!choice->why.empty());
        for (const auto& way : memoryWays(*plan, automatic())) {
            QVERIFY2(!way.lacks.empty() || way.memory.seconds >= choice->memory.seconds, way.name().c_str());
            if (way.tape == choice->options.tape) {
                QVERIFY(way.lacks.empty());
            }
        }
        QCOMPARE(choice->options.tape.storage, Storage::Exact);
        QCOMPARE(choice->options.tape.mode == "full", share >= 90); // a tenth is left to others
        // Each that it would go on in needs less than the one before.
        std::size_t before = choice->memory.total();
        for (const auto& tape : choice->options.instead) {
            GradientOptions next;
            next.tape = tape;
            const auto memory = checkGradient(*plan, next);
            QVERIFY(memory && memory->total() < before);
            before = memory->total();
        }
    }
    const auto text = describeWays(ways, ways[1].tape);
    for (const auto& way : ways) {
        QVERIFY2(text.find(way.name()) != std::string::npos, text.c_str());
    }
}

void TestGradient::refusesWhatNoModeFits()
{
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    plan->device.memoryFree = 1000;
    const auto none = chooseMemory(*plan, automatic());
    QVERIFY(!none);
    QCOMPARE(none.error().kind, ErrorKind::OutOfMemory);
    QVERIFY2(none.error().text().find("no memory mode fits") != std::string::npos, none.error().text().c_str());
    auto chunk = automatic();
    chunk.tape.chunk = 5;
    QVERIFY(!chooseMemory(*plan, chunk));
    auto states = automatic();
    states.tape.checkpoints = 5;
    const auto refused = checkGradient(*plan, states);
    QVERIFY(!refused);
    QVERIFY2(refused.error().remedy.find("binomial") != std::string::npos, refused.error().text().c_str());
}

void TestGradient::goesOnInAnotherModeWhenMemoryRunsOut_data()
{
    QTest::addColumn<double>("share"); // of what the full mode needs
    QTest::newRow("a little less than full") << 0.95;
    QTest::newRow("half") << 0.5;
    QTest::newRow("a fifth") << 0.2;
}

// Other programs took it since it was planned.
void TestGradient::goesOnInAnotherModeWhenMemoryRunsOut()
{
    QFETCH(double, share);
    const auto device = hostDevice();
    auto setup = small();
    setup.samples = 1000;
    setup.shots = 2;
    const auto plan = changeable(*device, setup);
    const auto data = dataOf(*plan);
    const auto full = computeGradient(plan, device, leastSquares(data), {});
    QVERIFY(full);
    device->arena().trim();
    device->arena().setCap(static_cast<std::size_t>(share * static_cast<double>(full->peakBytes)));
    std::vector<std::string> told;
    GradientHooks hooks;
    hooks.note = [&told](const std::string& text) { told.push_back(text); };
    const auto g = computeGradient(plan, device, leastSquares(data), automatic(), hooks);
    QVERIFY2(g, g ? "" : g.error().text().c_str());
    QVERIFY(g->tape.mode != "full");
    QVERIFY(static_cast<double>(g->peakBytes) <= share * static_cast<double>(full->peakBytes));
    QVERIFY(!told.empty());
    QVERIFY2(told.front().find("memory ran out in the memory mode \"full\"") != std::string::npos,
             told.front().c_str());
    QVERIFY(std::find(g->notes.begin(), g->notes.end(), told.front()) != g->notes.end());
    QCOMPARE(g->shots.size(), full->shots.size());
    QCOMPARE(g->misfit, full->misfit); // begun again: nothing counts twice
    double error = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < g->speed.size(); ++i) {
        error += std::pow(g->speed[i] - full->speed[i], 2);
        norm += std::pow(full->speed[i], 2);
    }
    QVERIFY(std::sqrt(error / norm) <= 1e-12); // double precision: the rounding of steps taken back
    QCOMPARE(device->arena().use().live, std::size_t{0});
}

void TestGradient::aNamedModeIsNotChanged()
{
    const auto device = hostDevice();
    auto setup = small();
    setup.samples = 1000;
    const auto plan = changeable(*device, setup);
    device->arena().setCap(checkGradient(*plan, {})->total() / 2);
    const auto g = computeGradient(plan, device, leastSquares(dataOf(*plan)), {});
    QVERIFY(!g);
    QCOMPARE(g.error().kind, ErrorKind::OutOfMemory);
    QVERIFY2(g.error().text().find("\"full\"") != std::string::npos, g.error().text().c_str());
    QVERIFY2(g.error().remedy.find("\"auto\", or \"") != std::string::npos, g.error().text().c_str());
    QCOMPARE(device->arena().use().live, std::size_t{0});
}

void TestGradient::aTailRefusesEarlierResiduals()
{
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    GradientOptions options;
    options.tape.tail = 20;
    const auto refused = computeGradient(plan, device, leastSquares(dataOf(*plan)), options);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::BadInput);
    QVERIFY2(refused.error().text().find("keep the last 40 steps or more") != std::string::npos,
             refused.error().text().c_str());
    const int samples = plan->time.count;
    const MisfitFunction late = [samples](int, const TraceTable& t) -> Result<Residual> {
        Residual r{1.0, t.values};
        for (std::size_t i = 0; i < r.values.size(); ++i) {
            r.values[i] *= static_cast<int>(i) % samples > 30 ? 1.0 : 0.0;
        }
        return r;
    };
    const auto g = computeGradient(plan, device, late, options);
    QVERIFY2(g, g ? "" : g.error().text().c_str());
    QCOMPARE(g->notes.size(), std::size_t{1});
    QVERIFY2(g->notes[0].find("the last 20 of 40 steps are imaged") != std::string::npos, g->notes[0].c_str());
    QVERIFY(g->tailLeft > 0.0 && g->tailLeft <= 1.0);
    options.tape.tail = 40; // all of them
    const auto all = computeGradient(plan, device, leastSquares(dataOf(*plan)), options);
    QVERIFY(all && all->notes.empty());
    QVERIFY(all->speed == computeGradient(plan, device, leastSquares(dataOf(*plan)), {})->speed);
}

void TestGradient::judgesTheData_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("text");
    QTest::newRow("receivers") << "receivers"
                               << "has 5 receivers";
    QTest::newRow("samples") << "samples"
                             << "the run records 41";
    QTest::newRow("interval") << "interval"
                              << "time.sample_interval";
    QTest::newRow("not finite") << "finite"
                                << "sample 7 of observed trace 2 of shot 1 is not a finite number";
    QTest::newRow("shots") << "shots"
                           << "none of shot 1";
}

void TestGradient::judgesTheData()
{
    QFETCH(QString, what);
    QFETCH(QString, text);
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    const auto data = dataOf(*plan);
    TraceTable& t = data->front();
    if (what == "receivers") {
        --t.receivers;
        t.values.resize(t.values.size() - 41);
    } else if (what == "samples") {
        ++t.samples;
        t.values.resize(t.values.size() + 5);
    } else if (what == "interval") {
        t.dt *= 1.01;
    } else if (what == "finite") {
        t.values[41 + 6] = std::numeric_limits<double>::quiet_NaN();
    } else {
        data->clear();
    }
    const auto g = computeGradient(plan, device, leastSquares(data), {});
    QVERIFY(!g);
    QCOMPARE(g.error().kind, ErrorKind::BadInput);
    QVERIFY2(g.error().text().find(text.toStdString()) != std::string::npos, g.error().text().c_str());
}

void TestGradient::stopsBetweenSteps()
{
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    const std::atomic<bool> stop{true};
    GradientHooks hooks;
    hooks.stop = &stop;
    const auto g = computeGradient(plan, device, leastSquares(dataOf(*plan)), {}, hooks);
    QVERIFY(!g);
    QCOMPARE(g.error().kind, ErrorKind::Cancelled);
    QCOMPARE(exitCode(g.error()), 130);
    QCOMPARE(device->arena().use().live, std::size_t{0}); // nothing stays behind
}

void TestGradient::aDeviceWithoutAdjointSaysSo()
{
    const auto device = std::make_shared<Device>(std::make_unique<test::FakeBackend>(), nullptr);
    const auto plan = changeable(*hostDevice());
    const MisfitFunction anything = [](int, const TraceTable& t) -> Result<Residual> {
        return Residual{1.0, std::vector<double>(t.values.size(), 1.0)};
    };
    const auto g = computeGradient(plan, device, anything, {});
    QVERIFY(!g);
    QVERIFY2(g.error().text().find("no adjoint step; use --device cpu") != std::string::npos, g.error().text().c_str());
}

void TestGradient::memoryIsAsPredicted_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<QString>("mode");
    QTest::addColumn<int>("every");
    QTest::addColumn<int>("shots");
    QTest::addColumn<QString>("storage");
    for (const int rank : {2, 3}) {
        for (const auto& kind : tapeKinds()) {
            for (const auto& storage : storageKinds()) {
                for (const int every : {1, 2}) {
                    if (storage.storage == Storage::Exact || (kind.stored && every == 1)) {
                        QTest::addRow("%d-D, %s, %s, every %d", rank, kind.name.data(), storage.name.data(), every)
                            << rank << QString(kind.name.data()) << every << rank - 1 << QString(storage.name.data());
                    }
                }
            }
        }
    }
}

void TestGradient::memoryIsAsPredicted()
{
    QFETCH(int, rank);
    QFETCH(QString, mode);
    QFETCH(int, every);
    QFETCH(int, shots);
    auto setup = small();
    setup.rank = rank;
    setup.samples = 120;
    setup.shots = setup.shotsAtOnce = shots;
    const auto device = hostDevice();
    const auto plan = changeable(*device, setup);
    // As the plan would have said of so many steps.
    plan->time.ratio = 2;
    plan->time.dt *= 1.0;
    GradientOptions options;
    options.tape.mode = mode.toStdString();
    options.tape.every = every;
    QFETCH(QString, storage);
    options.tape.storage = *findStorage(storage.toStdString());
    const auto predicted = checkGradient(*plan, options);
    QVERIFY(predicted);
    const auto g = computeGradient(plan, device, leastSquares(dataOf(*plan)), options);
    QVERIFY(g);
    const double ratio = static_cast<double>(g->peakBytes) / static_cast<double>(predicted->total());
    qInfo("%zu bytes, %.4f of what was predicted", g->peakBytes, ratio);
    QVERIFY2(std::abs(ratio - 1.0) <= 0.1, qPrintable(QString::number(ratio))); // the bound
}

void TestGradient::everyStepDeclaresNoError()
{
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    QCOMPARE(foldedShare(*plan, 1), 0.0);
    // More is left out the rarer the images are.
    QVERIFY(foldedShare(*plan, 2) > 0.0);
    QVERIFY(foldedShare(*plan, 8) > foldedShare(*plan, 2));
}

void TestGradient::zeroMisfitIsNoted()
{
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    const auto data = std::make_shared<std::vector<TraceTable>>(tracesOf(plan, device));
    const auto g = computeGradient(plan, device, leastSquares(data), {});
    QVERIFY(g);
    QCOMPARE(g->misfit, 0.0); // the same bits as the propagator's: the difference is nothing at all
    QCOMPARE(g->notes.size(), std::size_t{1});
    QVERIFY2(g->notes[0].find("the misfit is zero") != std::string::npos, g->notes[0].c_str());
}

void TestGradient::leavesOutWhatNobodyAskedFor()
{
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    GradientOptions options;
    options.speed = options.sourcePositions = options.receiverPositions = false;
    const auto g = computeGradient(plan, device, leastSquares(dataOf(*plan)), options);
    QVERIFY(g);
    QVERIFY(g->speed.empty());
    QVERIFY(g->shots[0].receivers.empty());
    QVERIFY(!g->shots[0].sources[0].position);
    QCOMPARE(g->shots[0].sources.size(), std::size_t{3});
    QCOMPARE(g->shots[0].sources[0].series.size(), std::size_t{40});
    QVERIFY(checkGradient(*plan, options)->tape == 0);
}

void TestGradient::theDryRunSaysItAll()
{
    const auto device = hostDevice();
    const auto plan = changeable(*device);
    GradientOptions options;
    options.tape.mode = "chunks";
    options.tape.every = 2;
    const auto text = describeGradient(*plan, options, *checkGradient(*plan, options));
    for (const char* part : {"speed", "wavelets", "mode chunks", "every 2 steps", "at most", "forward", "adjoint"}) {
        QVERIFY2(text.find(part) != std::string::npos, (std::string(part) + " is not in\n" + text).c_str());
    }
}

void TestGradient::rimsShareNoNode_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("faces");
    for (const int rank : {2, 3}) {
        for (int faces = 0; faces < static_cast<int>(adjointFaces().size()); ++faces) {
            QTest::addRow("%d-D, %s", rank, std::string(adjointFaces()[static_cast<std::size_t>(faces)].name).c_str())
                << rank << faces;
        }
    }
}

// Boxes that a GPU copies in any order: a node in two of them would have the value of one or the other, and they differ when
// they are kept as fewer bits. (They did share nodes: repeats of int8 and float16 then differed on a GPU.)
void TestGradient::rimsShareNoNode()
{
    QFETCH(int, rank);
    QFETCH(int, faces);
    AdjointSetup setup = small();
    setup.rank = rank;
    setup.faces = adjointFaces()[static_cast<std::size_t>(faces)];
    const auto plan = changeable(*hostDevice(), setup);
    const DomainBoxes all = makeBoxes(*plan);
    const SplitBoxes split(all, plan->radius);
    if (all.interior == 0) {
        return;
    }
    const kernels::Box& inside = all.boxes.front();
    for (const auto* boxes : {&split.rim, &split.edge}) {
        std::map<std::array<int, 3>, int> times;
        for (const kernels::Box& b : *boxes) {
            for (int z = b.z0; z < b.z1; ++z) {
                for (int y = b.y0; y < b.y1; ++y) {
                    for (int x = b.x0; x < b.x1; ++x) {
                        ++times[{z, y, x}];
                    }
                }
            }
        }
        QVERIFY(std::all_of(times.begin(), times.end(), [](const auto& t) { return t.second == 1; }));
        if (boxes == &split.edge) {
            continue;
        }
        // All that a layer's stencils see of the interior.
        for (const kernels::Box& b : split.edge) {
            const int reach[3] = {b.z1 <= inside.z0   ? 1
                                  : b.z0 >= inside.z1 ? -1
                                                      : 0,
                                  b.y1 <= inside.y0   ? 1
                                  : b.y0 >= inside.y1 ? -1
                                                      : 0,
                                  b.x1 <= inside.x0   ? 1
                                  : b.x0 >= inside.x1 ? -1
                                                      : 0};
            const int deep = plan->radius;
            for (int z = b.z0 + deep * reach[0]; z < b.z1 + deep * reach[0]; ++z) {
                for (int y = b.y0 + deep * reach[1]; y < b.y1 + deep * reach[1]; ++y) {
                    for (int x = b.x0 + deep * reach[2]; x < b.x1 + deep * reach[2]; ++x) {
                        const bool within = z >= inside.z0 && z < inside.z1 && y >= inside.y0 && y < inside.y1 &&
                                            x >= inside.x0 && x < inside.x1;
                        QVERIFY(!within || times.count({z, y, x}) == 1);
                    }
                }
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestGradient)
#include "tst_gradient.moc"
