// How 2-D grids are dealt out over multiprocessors (kernels/cuda/resident_plan.h): tiles cover the grid, keep layers whole,
// fit their memory, and know each source and receiver. No GPU.
#include "kernels/cuda/resident_plan.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace ondo::kernels;
using namespace ondo::kernels::cuda;

namespace {

constexpr int kBlocks = 132;
constexpr std::size_t kShared = 232448; // an H200's

// A grid with layers all around, one source and a line of receivers of 8 x 8 nodes.
struct Grid {
    Grid(int nz, int nx, int layer, int radius)
    {
        args.step.order = 2 * radius;
        args.step.state.layout = Layout::make(2, nz, 1, nx, radius);
        const int depth = layer + radius;
        const int z[4] = {0, depth, nz - depth, nz};
        const int x[4] = {0, depth, nx - depth, nx};
        boxes.push_back({depth, nz - depth, 0, 1, depth, nx - depth, {}});
        constexpr signed char kSides[3] = {kLow, kNone, kHigh};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                if (i != 1 || j != 1) {
                    boxes.push_back({z[i], z[i + 1], 0, 1, x[j], x[j + 1], {kSides[i], kNone, kSides[j]}});
                }
            }
        }
        args.step.boxes = boxes.data();
        args.step.interiorBoxes = 1;
        args.step.layerBoxes = 8;
        begin.push_back(0);
        for (int at = layer; at + 8 < nx - layer; at += 5) {
            for (int i = 0; i < 64; ++i) {
                nodes.push_back(args.step.state.layout.at(layer + i / 8, 0, at + i % 8));
            }
            begin.push_back(static_cast<int>(nodes.size()));
        }
        source = {args.step.state.layout.at(nz / 2, 0, nx / 2)};
        args.inject.nodes = 1;
        args.injectNodes = {source.data(), nullptr, 1};
        args.record[0].receivers = static_cast<int>(begin.size()) - 1;
        args.recordNodes[0] = {nodes.data(), begin.data(), 2};
    }

    ScalarAdvance<float> args;
    std::vector<Box> boxes;
    std::vector<std::int64_t> nodes, source;
    std::vector<int> begin;
};

} // namespace

class TestResidentPlan : public QObject {
    Q_OBJECT

private slots:
    void tilesCoverTheGrid_data();
    void tilesCoverTheGrid();
    void pointsAreAllThere();
    void whatDoesNotFitIsLeft();
};

void TestResidentPlan::tilesCoverTheGrid_data()
{
    QTest::addColumn<int>("nz");
    QTest::addColumn<int>("nx");
    QTest::addColumn<int>("radius");
    for (const int radius : {1, 2, 3, 4, 5}) {
        for (const auto& [nz, nx] : {std::pair{340, 340}, {1040, 1040}, {341, 981}, {97, 1801}, {1901, 93}, {71, 73}}) {
            QTest::addRow("%d x %d, order %d", nz, nx, 2 * radius) << nz << nx << radius;
        }
    }
}

void TestResidentPlan::tilesCoverTheGrid()
{
    QFETCH(int, nz);
    QFETCH(int, nx);
    QFETCH(int, radius);
    const Grid grid(nz, nx, 20, radius);
    const auto shape = residentShape(grid.args, kBlocks, kShared);
    QVERIFY(shape.has_value());
    QVERIFY(shape->tiles() <= kBlocks);
    QCOMPARE(shape->zCut.front(), 0);
    QCOMPARE(shape->zCut.back(), nz);
    QCOMPARE(shape->xCut.front(), 0);
    QCOMPARE(shape->xCut.back(), nx);
    QVERIFY(std::is_sorted(shape->zCut.begin(), shape->zCut.end()));
    QVERIFY(std::is_sorted(shape->xCut.begin(), shape->xCut.end()));
    for (std::size_t i = 0; i + 1 < shape->xCut.size(); ++i) {
        QCOMPARE(shape->xCut[i] % 4, 0); // vectors of four
    }
    // A layer's memories belong to one tile along its axis; an edge is no wider than the tile that hands it over.
    QVERIFY(shape->rows(0) >= 20 + radius);
    QVERIFY(shape->rows(shape->tiles() - 1) >= 20 + radius);
    QVERIFY(shape->columns(0) >= 20 + radius);
    QVERIFY(shape->columns(shape->tiles() - 1) >= 20 + radius);
    for (int tile = 0; tile < shape->tiles(); ++tile) {
        QVERIFY(shape->rows(tile) >= 2 * radius && shape->columns(tile) >= 2 * radius);
        QVERIFY(shape->rows(tile) <= shape->height && shape->columns(tile) <= shape->width);
    }
    const auto points = residentPoints(grid.args, *shape);
    QVERIFY(points.has_value());
    QVERIFY(residentBytes(*shape, *points) <= kShared);
}

void TestResidentPlan::pointsAreAllThere()
{
    const Grid grid(1040, 1040, 20, 4);
    const auto shape = residentShape(grid.args, kBlocks, kShared);
    QVERIFY(shape.has_value());
    const auto points = residentPoints(grid.args, *shape);
    QVERIFY(points.has_value());
    int total[kPointLists] = {};
    std::vector<int> exported;
    for (int tile = 0; tile < shape->tiles(); ++tile) {
        const int* const header = points->words.data() + tile * kHeader;
        for (int k = 0; k < kPointLists; ++k) {
            total[k] += header[2 * k + 1];
        }
        for (int i = 0; i < header[2 * kExports + 1]; ++i) {
            exported.push_back(points->words[static_cast<std::size_t>(header[2 * kExports] + 2 * i + 1)]);
        }
        const int words = (shape->rows(tile) + 8) * residentPitch(4, shape->columns(tile));
        for (int i = 0; i < header[2 * kEntries + 1]; ++i) {
            const int place = points->words[static_cast<std::size_t>(header[2 * kEntries] + 3 * i)];
            QVERIFY(place < words && place >= -header[2 * kImports + 1]);
        }
    }
    QCOMPARE(total[kSources], 1);
    QCOMPARE(total[kReceivers], grid.args.record[0].receivers);
    QCOMPARE(total[kEntries], static_cast<int>(grid.nodes.size()));
    QCOMPARE(total[kImports], points->crossings);
    QCOMPARE(total[kExports], points->crossings);
    QVERIFY(points->crossings > 0); // a receiver lies across two tiles: what this is for
    std::sort(exported.begin(), exported.end());
    std::vector<int> all(exported.size());
    std::iota(all.begin(), all.end(), 0);
    QVERIFY(exported == all); // each once
}

void TestResidentPlan::whatDoesNotFitIsLeft()
{
    QVERIFY(!residentShape(Grid(4136, 4136, 20, 4).args, kBlocks, kShared));
    QVERIFY(!residentShape(Grid(340, 340, 20, 6).args, kBlocks, kShared)); // no kernel of its order
    QVERIFY(!residentShape(Grid(1040, 1040, 20, 4).args, 20, kShared));    // a small GPU
    // A receiver whose nodes lie far apart would have to wait for tiles that may be many steps ahead.
    Grid grid(1040, 1040, 20, 4);
    const auto shape = residentShape(grid.args, kBlocks, kShared);
    QVERIFY(shape.has_value());
    grid.nodes[1] = grid.args.step.state.layout.at(1000, 0, 1000);
    QVERIFY(!residentPoints(grid.args, *shape));
}

QTEST_APPLESS_MAIN(TestResidentPlan)
#include "tst_resident_plan.moc"
