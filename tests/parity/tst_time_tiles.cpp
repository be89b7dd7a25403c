// Several steps a sweep on the host (kernels/host/time_tiles.h) give the bits of one plain step after another: fields, layer
// memories and traces, whatever the faces, the points, the threads and the number of steps asked for at a time.
#include "tests/parity/kernel_run.h"

#include <QtTest>

#include <cstring>

using namespace ondo::check;

namespace {

template<class T>
bool sameBits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template<class T>
std::string unlike(const Outcome<T>& plain, const Outcome<T>& tiled)
{
    std::string text;
    const auto look = [&text](const char* what, const std::vector<T>& a, const std::vector<T>& b) {
        if (!sameBits(a, b)) {
            text += std::string(" ") + what;
        }
    };
    look("now", plain.now, tiled.now);
    look("before", plain.before, tiled.before);
    for (int axis = 0; axis < 3; ++axis) {
        look("psi", plain.psi[axis], tiled.psi[axis]);
        look("zeta", plain.zeta[axis], tiled.zeta[axis]);
    }
    return text;
}

// The samples of every `ratio`-th step among those of all.
template<class T>
std::vector<T> everyOther(const std::vector<T>& traces, int steps, int ratio)
{
    const std::size_t receivers = traces.size() / static_cast<std::size_t>(steps);
    std::vector<T> some(traces.size(), T(0));
    for (int sample = 0; (sample + 1) * ratio <= steps; ++sample) {
        const auto from = static_cast<std::size_t>((sample + 1) * ratio - 1) * receivers;
        std::copy_n(traces.begin() + static_cast<std::ptrdiff_t>(from), receivers,
                    some.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(sample) * receivers));
    }
    return some;
}

template<class T>
void compare(const Case& c, int threads)
{
    const auto problem = makeProblem<T>(c);
    const auto backend = makeHostBackend(threads);
    Run<T> plain(*backend, nullptr, problem);
    for (int n = 0; n < c.steps; ++n) {
        plain.step();
    }
    const Outcome<T> expected = plain.outcome();
    for (const int ratio : {1, 3}) {
        for (const int each : {c.steps, 7, 2, 1}) {
            Run<T> tiled(*backend, nullptr, problem);
            for (int done = 0; done < c.steps; done += each) {
                tiled.advance(std::min(each, c.steps - done), ratio);
            }
            const Outcome<T> got = tiled.outcome();
            std::string wrong = unlike(expected, got);
            if (!sameBits(everyOther(expected.traces, c.steps, ratio), got.traces)) {
                wrong += " traces";
            }
            QVERIFY2(wrong.empty(), (c.name() + " by " + std::to_string(each) + " on " + std::to_string(threads) +
                                     " threads, a sample each " + std::to_string(ratio) + ":" + wrong)
                                        .c_str());
        }
    }
}

constexpr Face kL = Face::Layer, kF = Face::Free, kR = Face::Rigid, kZ0 = Face::Zero;
using Faces = std::array<Face, 6>;
constexpr Faces kFaceSets[] = {
    {kL, kL, kL, kL, kL, kL}, {kF, kL, kL, kL, kL, kL}, {kR, kF, kF, kR, kF, kR},
    {kL, kF, kR, kL, kL, kR}, {kF, kF, kF, kF, kF, kF}, {kZ0, kL, kL, kZ0, kZ0, kL},
};

} // namespace

class TestTimeTiles : public QObject {
    Q_OBJECT

private slots:
    void sameBitsAsPlainSteps_data();
    void sameBitsAsPlainSteps();
};

void TestTimeTiles::sameBitsAsPlainSteps_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("order");
    QTest::addColumn<bool>("twice");
    for (const int rank : {2, 3}) {
        for (const int order : {2, 4, 6, 8, 10, 12}) {
            for (const bool twice : {false, true}) {
                QTest::addRow("%d-D order %d %s", rank, order, twice ? "double" : "float") << rank << order << twice;
            }
        }
    }
}

void TestTimeTiles::sameBitsAsPlainSteps()
{
    QFETCH(const int, rank);
    QFETCH(const int, order);
    QFETCH(const bool, twice);
    unsigned seed = 5;
    for (const Faces& faces : kFaceSets) {
        Case c;
        c.rank = rank;
        c.order = order;
        c.shots = 1 + static_cast<int>(seed % 3);
        // More nodes than a single thread is left with.
        const int volume[3] = {33, 71, 35};
        const int plane[3] = {263, 1, 131};
        std::copy_n(rank == 3 ? volume : plane, 3, c.n);
        std::copy(faces.begin(), faces.end(), c.face);
        if (rank == 2) {
            c.face[2] = c.face[3] = Face::Zero;
        }
        c.layer = 6;
        c.steps = rank == 3 ? 9 : 23;
        c.seed = seed++;
        c.line = seed % 2 == 0;
        for (const int threads : {1, 2, 3, 5}) {
            twice ? compare<double>(c, threads) : compare<float>(c, threads);
            if (QTest::currentTestFailed()) {
                return;
            }
        }
    }
}

QTEST_APPLESS_MAIN(TestTimeTiles)
#include "tst_time_tiles.moc"
