// What a tape asks of the host (tests/parity/kernel_tape.h, which holds a GPU against it): one thread against several, and that
// the layers alone and the interior back are what they say.
#include "tests/parity/kernel_tape.h"

#include <QtTest>

#include <memory>

using namespace ondo::check;

namespace {

std::vector<std::array<Face, 6>> mixes()
{
    using F = Face;
    return {{F::Layer, F::Layer, F::Layer, F::Layer, F::Layer, F::Layer},
            {F::Free, F::Layer, F::Layer, F::Rigid, F::Layer, F::Layer},
            {F::Layer, F::Free, F::Rigid, F::Rigid, F::Rigid, F::Layer},
            {F::Free, F::Rigid, F::Free, F::Rigid, F::Free, F::Rigid}};
}

template<class T>
Problem<T> problemOf(int rank, int order, const std::array<Face, 6>& mix)
{
    Case c;
    c.rank = rank;
    c.order = order;
    std::copy(mix.begin(), mix.end(), c.face);
    if (rank == 2) {
        c.face[2] = c.face[3] = Face::Zero;
    }
    c.n[0] = 67;
    c.n[1] = rank == 3 ? 41 : 1;
    c.n[2] = rank == 3 ? 53 : 131;
    c.shots = 2;
    return makeProblem<T>(c);
}

// Calls visit(inside, index) for each node of an outcome's fields.
template<class T, class Visit>
void forNodes(const Problem<T>& p, const Visit& visit)
{
    const Box inside = p.interiorBoxes > 0 ? p.boxes.front() : Box{};
    std::size_t i = 0;
    for (int shot = 0; shot < p.c.shots; ++shot) {
        for (int z = 0; z < p.layout.nz; ++z) {
            for (int y = 0; y < p.layout.ny; ++y) {
                for (int x = 0; x < p.layout.nx; ++x) {
                    visit(z >= inside.z0 && z < inside.z1 && y >= inside.y0 && y < inside.y1 && x >= inside.x0 &&
                              x < inside.x1,
                          i++);
                }
            }
        }
    }
}

} // namespace

class TestKernelTape : public QObject {
    Q_OBJECT

private slots:
    void aNumberThatIsNoneIsNoAgreement();
    void threadsChangeNothing();
    void layersAloneAreTheWholes();
    void theInteriorComesBack();
};

void TestKernelTape::threadsChangeNothing()
{
    const auto one = makeHostBackend(1);
    const auto three = makeHostBackend(3);
    QStringList faults;
    const auto expect = [&faults](bool good, const std::string& what) {
        if (!good) {
            faults << QString::fromStdString(what);
        }
    };
    checkTape<float>(*one, *three, nullptr, true, mixes(), expect);
    checkTape<double>(*one, *three, nullptr, true, mixes(), expect);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
}

// Nodes of the layers have the bits of a whole step, the others stay what they were.
void TestKernelTape::layersAloneAreTheWholes()
{
    const auto host = makeHostBackend(2);
    for (const int rank : {2, 3}) {
        for (const int order : {2, 8, 10, 12}) {
            for (const auto& mix : mixes()) {
                const auto p = problemOf<float>(rank, order, mix);
                Run<float> whole(*host, nullptr, p);
                Run<float> layers(*host, nullptr, p);
                const auto before = whole.outcome();
                whole.stepAlone();
                layers.stepLayers();
                const auto a = whole.outcome();
                const auto b = layers.outcome();
                int wrong = 0;
                forNodes(p, [&](bool inside, std::size_t i) {
                    wrong += b.now[i] != (inside ? before.before[i] : a.now[i]) ? 1 : 0;
                });
                QVERIFY2(wrong == 0, qPrintable(QString("%1 nodes of %2").arg(wrong).arg(p.c.name().c_str())));
                for (int axis = 0; axis < 3; ++axis) {
                    QVERIFY(a.psi[axis] == b.psi[axis] && a.zeta[axis] == b.zeta[axis]);
                }
            }
        }
    }
}

// A step and the same step taken back: the interior is what it was, to a few roundings of numbers of size 1.
void TestKernelTape::theInteriorComesBack()
{
    const auto host = makeHostBackend(2);
    for (const int rank : {2, 3}) {
        for (const int order : {2, 8, 12}) {
            for (const auto& mix : mixes()) {
                const auto p = problemOf<double>(rank, order, mix);
                Run<double> run(*host, nullptr, p);
                const auto before = run.outcome();
                run.stepAlone();
                run.swap(); // the present field and the one after it
                Run<double> plain(*host, nullptr, p);
                plain.stepAlone();
                plain.swap();
                run.stepInteriorBack(true);
                plain.stepInteriorBack(false);
                const auto after = run.outcome();
                QVERIFY(after.now == plain.outcome().now); // the same operations in the same order
                double worst = 0.0;
                forNodes(p, [&](bool inside, std::size_t i) {
                    worst = inside ? std::max(worst, std::abs(after.now[i] - before.before[i])) : worst;
                });
                QVERIFY2(worst <= 1e-14, qPrintable(QString("%1: %2").arg(p.c.name().c_str()).arg(worst)));
            }
        }
    }
}

// std::max loses what is no number: the checks of all kernels stand on this.
void TestKernelTape::aNumberThatIsNoneIsNoAgreement()
{
    ondo::check::Outcome<float> a;
    a.now = a.kept = a.image = {1.0F, 2.0F, 3.0F};
    ondo::check::Outcome<float> b = a;
    QVERIFY(ondo::check::errorOfPeak(a, b) == 0.0);
    b.kept[1] = NAN;
    QVERIFY(!(ondo::check::errorOfPeak(a, b) < 1e30));
    b = a;
    b.image.pop_back();
    QVERIFY(!(ondo::check::errorOfPeak(a, b) < 1e30));
}

QTEST_GUILESS_MAIN(TestKernelTape)
#include "tst_kernel_tape.moc"
