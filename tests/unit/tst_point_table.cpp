// The point lists of a launch: each shot's as if it were alone, one table for those who ask for the same again.
#include "engine/core/recent.h"
#include "engine/propagator/domain.h"
#include "engine/propagator/point_table.h"
#include "engine/propagator/wavelet_table.h"
#include "engine/survey/off_grid.h"

#include <QtTest>

#include <map>

using namespace ondo;

class TestPointTable : public QObject {
    Q_OBJECT

private slots:
    void aShotReadsAsIfAlone();
    void sourcesAddInTheirOrder();
    void theSameAgainIsTheSameTable();
    void whatIsLargeIsNotKept();
    void waveletsOfShots();
};

namespace {

std::shared_ptr<const SimulationPlan> planOf()
{
    RunDescription run;
    run.boundary.layerCells = 12;
    run.boundary.at(Face::ZLow) = FaceCondition::Free;
    run.survey.shots.push_back({{{{500.0, 0.0, 103.3}, Wavelet::ricker(10.0)}}, {}});
    run.duration = 0.1;
    return *SimulationPlan::make(run, *Model::constant(*Grid::make2D(87, 133, 10.0, 12.0), 2000.0F), {});
}

std::vector<PlacedPoint> line(int shot, double z)
{
    std::vector<PlacedPoint> points;
    for (const auto& r : receiverLine({13.1, 0.0, z}, {1500.0, 0.0, z}, 31)) {
        points.push_back({shot, r.position, 0});
    }
    return points;
}

} // namespace

// Shots 1 and 2 have one line, shot 3 another, shot 4 none, shot 5 that of shot 3 but for its last receiver.
void TestPointTable::aShotReadsAsIfAlone()
{
    const auto plan = planOf();
    const auto layout = makeLayout(*plan);
    std::vector<std::vector<PlacedPoint>> shots = {line(0, 14.9), line(1, 14.9), line(2, 71.0), {}, line(4, 71.0)};
    shots[4].back().position.x += 1.0;
    std::vector<PlacedPoint> all;
    RecordingTable expected;
    expected.begin.push_back(0);
    for (const auto& shot : shots) {
        all.insert(all.end(), shot.begin(), shot.end());
        for (const auto& r : shot) {
            for (const auto& w :
                 pointWeights(plan->model.grid(), plan->run.boundary, plan->layerLow, plan->layerHigh, r.position)) {
                expected.node.push_back(layout.at(r.shot, w.z + plan->layerLow[0], 0, w.x + plan->layerLow[2]));
                expected.weight.push_back(w.weight);
            }
            expected.begin.push_back(static_cast<int>(expected.node.size()));
        }
    }
    const auto table = makeRecording(*plan, layout, all);
    QVERIFY(table.begin == expected.begin);
    QVERIFY(table.node == expected.node);
    QVERIFY(table.weight == expected.weight);
}

void TestPointTable::sourcesAddInTheirOrder()
{
    const auto plan = planOf();
    const auto layout = makeLayout(*plan);
    std::vector<PlacedPoint> sources;
    for (int i = 0; i < 5; ++i) {
        sources.push_back({i % 2, {500.0 + 5.0 * (i % 3), 0.0, 103.3}, i});
    }
    std::map<std::int64_t, std::vector<std::pair<int, double>>> expected;
    for (const auto& s : sources) {
        for (const auto& w :
             pointWeights(plan->model.grid(), plan->run.boundary, plan->layerLow, plan->layerHigh, s.position)) {
            expected[layout.at(s.shot, w.z + plan->layerLow[0], 0, w.x + plan->layerLow[2])].emplace_back(
                s.row, w.weight * w.inverseVolume);
        }
    }
    const auto table = makeInjection(*plan, layout, sources);
    QCOMPARE(table.node.size(), expected.size());
    QCOMPARE(table.begin.size(), expected.size() + 1);
    std::size_t i = 0;
    for (const auto& [node, entries] : expected) {
        QCOMPARE(table.node[i], node);
        QCOMPARE(table.modelNode[i], node % layout.shotStride);
        QCOMPARE(static_cast<std::size_t>(table.begin[i + 1] - table.begin[i]), entries.size());
        for (std::size_t k = 0; k < entries.size(); ++k) {
            const auto e = static_cast<std::size_t>(table.begin[i]) + k;
            QCOMPARE(table.source[e], entries[k].first);
            QVERIFY(table.weight[e] == entries[k].second);
        }
        ++i;
    }
}

void TestPointTable::theSameAgainIsTheSameTable()
{
    const auto plan = planOf();
    const auto layout = makeLayout(*plan);
    const auto first = recordingOf(*plan, layout, line(0, 14.9));
    QCOMPARE(recordingOf(*planOf(), layout, line(0, 14.9)).get(), first.get());
    const auto other = recordingOf(*plan, layout, line(0, 15.9));
    QVERIFY(other.get() != first.get());
    QVERIFY(other->id != first->id && other->id != 0);
    // Another grid, the same points.
    auto moved = *plan;
    moved.layerLow[2] = 11;
    QVERIFY(recordingOf(moved, layout, line(0, 14.9)).get() != first.get());
    QCOMPARE(injectionOf(*plan, layout, line(0, 14.9)).get(), injectionOf(*plan, layout, line(0, 14.9)).get());
}

void TestPointTable::whatIsLargeIsNotKept()
{
    Recent<int, std::vector<int>> recent(2);
    int made = 0;
    const auto get = [&](int key) {
        return recent.get(
            key,
            [&made](int size) {
                ++made;
                return std::vector<int>(static_cast<std::size_t>(size));
            },
            [](const std::vector<int>& v) { return v.size() > 10; });
    };
    auto large = get(20);
    QCOMPARE(get(20).get(), large.get());
    large.reset();
    QCOMPARE(get(20)->size(), std::size_t{20});
    QCOMPARE(made, 2);
    (void)get(1);
    (void)get(2); // the third
    QCOMPARE(made, 4);
    (void)get(1);
    (void)get(2);
    QCOMPARE(made, 4);
    (void)get(3);
    (void)get(1); // asked for before 2 was
    QCOMPARE(made, 6);
}

void TestPointTable::waveletsOfShots()
{
    const auto ricker = std::make_shared<const Wavelet>(Wavelet::ricker(10.0));
    const auto again = std::make_shared<const Wavelet>(Wavelet::ricker(10.0));
    const auto other = std::make_shared<const Wavelet>(Wavelet::ricker(12.0));
    const auto table =
        makeWaveletTable<float>({{ricker, 0}, {again, 0}, {again, 7}, {other, 0}, {ricker, 0}}, 1e-3, 50);
    const auto samples = ricker->samples(1e-3, 50);
    for (int i = 0; i < 50; ++i) {
        const auto at = [&](int row) { return table[static_cast<std::size_t>(row * 50 + i)]; };
        const auto expected = [&](int k) { return static_cast<float>(samples[static_cast<std::size_t>(k)]); };
        QVERIFY(at(0) == expected(i) && at(1) == expected(i) && at(4) == expected(i));
        QVERIFY(at(2) == (i < 7 ? 0.0F : expected(i - 7)));
        QVERIFY(at(3) == static_cast<float>(other->samples(1e-3, 50)[static_cast<std::size_t>(i)]));
    }
}

QTEST_APPLESS_MAIN(TestPointTable)
#include "tst_point_table.moc"
