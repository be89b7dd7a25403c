// Migration against what is known beforehand: its Born operator by dot products and differences, conjugate gradients by a small
// dense system, a point and a layer at their places, space lags at none where the model is true, angles by their geometry.
#include "engine/inversion/migration.h"
#include "engine/selftest/adjoint_setup.h"
#include "kernels/backend.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace ondo;

class TestMigration : public QObject {
    Q_OBJECT

private slots:
    void leastSquaresOfASmallSystem();
    void slantStackOfALine();
    void pointScatterer();
    void flatLayer();
    void noLagIsTheGradient();
    void lagsFocusInTheTrueModel();
    void angleOfAShot();
    void refuses_data();
    void refuses();

private:
    std::shared_ptr<Device> m_device = std::make_shared<Device>(kernels::makeHostBackend(1), nullptr);
};

namespace {

constexpr int kRows = 61, kColumns = 81;
constexpr double kSpacing = 10.0, kSpeed = 2000.0;
constexpr double kMirror = 287.3; // m, deep

std::size_t nodeAt(int z, int x)
{
    return static_cast<std::size_t>(z * kColumns + x);
}

std::vector<float> even(double speed = kSpeed)
{
    return std::vector<float>(static_cast<std::size_t>(kRows * kColumns), static_cast<float>(speed));
}

Model modelOf(std::vector<float> speeds)
{
    return *Model::make(*Grid::make2D(kRows, kColumns, kSpacing, kSpacing), std::move(speeds));
}

// Sources and receivers along the top.
RunDescription over(const std::vector<double>& sources, double duration = 0.7)
{
    RunDescription run;
    for (Face face : {Face::ZLow, Face::ZHigh, Face::XLow, Face::XHigh}) {
        run.boundary.at(face) = FaceCondition::Absorbing;
    }
    run.boundary.layerCells = 14;
    run.boundary.frequency = 15.0;
    run.duration = duration;
    run.sampleInterval = 0.002;
    for (const double x : sources) {
        Shot shot;
        shot.sources.push_back({{x, 0.0, 20.0}, Wavelet::ricker(15.0, 0.1)});
        shot.receivers = receiverLine({10.0, 0.0, 20.0}, {790.0, 0.0, 20.0}, 79);
        run.survey.shots.push_back(shot);
    }
    return run;
}

// The model's extremes decide step and layers: those of the plan are kept for other speeds.
std::shared_ptr<const SimulationPlan> planOf(const RunDescription& run, const Device& device,
                                             std::vector<float> speeds = even())
{
    auto plan = SimulationPlan::make(run, modelOf(std::move(speeds)), device.facts());
    if (!plan) {
        throw std::runtime_error(plan.error().text());
    }
    return *plan;
}

// The survey's sources as a mirror at kMirror shows them.
Survey mirrored(Survey survey)
{
    for (auto& shot : survey.shots) {
        for (auto& source : shot.sources) {
            source.position.z = 2.0 * kMirror - source.position.z;
            source.wavelet.kind = WaveletKind::GaussianDerivative;
            source.wavelet.derivative = 3;
        }
    }
    return survey;
}

MigrationOptions options()
{
    MigrationOptions o;
    o.gradient.tape.mode = "full";
    o.mute = 60.0;
    return o;
}

struct Peak {
    int z = 0, x = 0;
    double depth = 0.0, along = 0.0, value = 0.0; // m, by a parabola through three nodes each way
};

Peak peakOf(const std::vector<double>& image)
{
    const auto largest =
        std::max_element(image.begin(), image.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const auto i = static_cast<int>(largest - image.begin());
    const auto vertex = [&](int step) {
        const auto at = [&](int k) { return image[static_cast<std::size_t>(i + k * step)]; };
        return 0.5 * (at(-1) - at(1)) / (at(-1) - 2.0 * at(0) + at(1));
    };
    Peak p{i / kColumns, i % kColumns, 0.0, 0.0, *largest};
    p.depth = (p.z + vertex(kColumns)) * kSpacing;
    p.along = (p.x + vertex(1)) * kSpacing;
    return p;
}

} // namespace

// A matrix of 7 x 4: the solution of the normal equations in four steps, by elimination here.
void TestMigration::leastSquaresOfASmallSystem()
{
    constexpr std::size_t kM = 7;
    constexpr std::size_t kN = 4;
    const auto a = noise(kM * kN, 3);
    const auto b = noise(kM, 4);
    LinearPair pair;
    pair.apply = [&](const std::vector<double>& x) -> Result<std::vector<double>> {
        std::vector<double> y(kM, 0.0);
        for (std::size_t i = 0; i < kM * kN; ++i) {
            y[i / kN] += a[i] * x[i % kN];
        }
        return y;
    };
    pair.transpose = [&](const std::vector<double>& r) -> Result<std::vector<double>> {
        std::vector<double> y(kN, 0.0);
        for (std::size_t i = 0; i < kM * kN; ++i) {
            y[i % kN] += a[i] * r[i / kN];
        }
        return y;
    };
    for (const double damping : {0.0, 0.3}) {
        const auto solved = solveLeastSquares(pair, b, {4, damping, 0.0});
        QVERIFY(solved);
        QCOMPARE(solved->steps.size(), std::size_t{4});
        const auto p = *pair.transpose(b);
        const auto q = *pair.apply(p);
        const double lambda = damping * dot(q, q) / dot(p, p);
        std::vector<double> m(kN * kN, 0.0); // A^T A + lambda
        for (std::size_t i = 0; i < kN; ++i) {
            std::vector<double> unit(kN, 0.0);
            unit[i] = 1.0;
            const auto column = *pair.transpose(*pair.apply(unit));
            for (std::size_t j = 0; j < kN; ++j) {
                m[j * kN + i] = column[j] + (i == j ? lambda : 0.0);
            }
        }
        std::vector<double> x = p;
        for (std::size_t i = 0; i < kN; ++i) {
            for (std::size_t j = i + 1; j < kN; ++j) {
                const double f = m[j * kN + i] / m[i * kN + i];
                for (std::size_t k = i; k < kN; ++k) {
                    m[j * kN + k] -= f * m[i * kN + k];
                }
                x[j] -= f * x[i];
            }
        }
        for (std::size_t i = kN; i-- > 0;) {
            for (std::size_t k = i + 1; k < kN; ++k) {
                x[i] -= m[i * kN + k] * x[k];
            }
            x[i] /= m[i * kN + i];
        }
        for (std::size_t i = 0; i < kN; ++i) {
            QVERIFY(std::abs(x[i] - solved->x[i]) <
                    1e-10 * std::sqrt(dot(x, x))); // rounding of four steps, condition < 1e3
        }
        for (std::size_t k = 1; k < kN; ++k) {
            QVERIFY(solved->steps[k].objective < solved->steps[k - 1].objective);
        }
    }
    QVERIFY(!solveLeastSquares(pair, std::vector<double>(kM, 0.0), {}));
}

// Energy along z = 30 m + h tan(25 degrees) stacks at 25 degrees and 30 m.
void TestMigration::slantStackOfALine()
{
    const double slope = std::tan(25.0 * M_PI / 180.0);
    std::vector<double> lags;
    for (int j = -8; j <= 8; ++j) {
        lags.push_back(5.0 * j);
    }
    constexpr int kDepths = 31;
    std::vector<double> gather;
    for (int z = 0; z < kDepths; ++z) {
        for (const double h : lags) {
            gather.push_back(std::exp(-std::pow((2.0 * z - 30.0 - h * slope) / 4.0, 2)));
        }
    }
    std::vector<double> angles;
    for (int a = -60; a <= 60; a += 5) {
        angles.push_back(a);
    }
    const auto stacked = slantStack(gather, kDepths, 2.0, lags, angles);
    const auto at = static_cast<std::size_t>(std::max_element(stacked.begin(), stacked.end()) - stacked.begin());
    QCOMPARE(angles[at % angles.size()], 25.0);
    QCOMPARE(at / angles.size(), std::size_t{15});
    QVERIFY(std::abs(lagSpread(gather, lags, 0) - 0.0) > 5.0);
}

// Data: a run with a scatterer less one without, which know nothing of derivatives.
void TestMigration::pointScatterer()
{
    constexpr int kZ = 34;
    constexpr int kX = 46;
    constexpr double kChange = 40.0; // m/s: m = 0.04, a linear one
    RunDescription run = over({100.0, 300.0, 500.0, 700.0});
    const auto plan = planOf(run, *m_device);
    auto speeds = even();
    speeds[nodeAt(kZ, kX)] += static_cast<float>(kChange);
    const auto data = tracesOf(withSpeeds(*plan, speeds), m_device);
    MigrationOptions o = options();
    o.iterations = 8;
    std::vector<std::vector<double>> iterates;
    MigrationHooks hooks;
    hooks.iterated = [&](const LeastSquaresStep&, const std::vector<double>& m) -> Result<> {
        iterates.push_back(m);
        return {};
    };
    const auto done = migrate(plan, m_device, data, o, hooks);
    QVERIFY2(done, done ? "" : qPrintable(QString::fromStdString(done.error().text())));
    const auto said = [](const char* what, const Peak& p) {
        qInfo("%s: %.2f m deep, %.2f m along, %.4g", what, p.depth, p.along, p.value);
    };
    const Peak rtm = peakOf(done->image);
    said("image", rtm);
    const Peak first = peakOf(iterates.front());
    said("first iterate", first);
    const Peak last = peakOf(done->reflectivity);
    said("last iterate", last);
    double before = 1.0;
    for (const auto& s : done->steps) {
        qInfo("%d residual %.4f gradient %.3g", s.iteration, s.residual, s.gradient);
        QVERIFY(s.residual < before);
        before = s.residual;
    }
    QVERIFY(before < 0.2); // what so few iterations leave; the first leaves half
    // The first is the image times its best factor; a node's reflectivity has wavenumbers that no echo sees, so not all of it.
    QVERIFY(last.value > 2.0 * first.value && last.value < 2.0 * kChange / kSpeed);
    for (const Peak& p : {rtm, first, last}) { // within half a cell
        QVERIFY(std::abs(p.depth - kZ * kSpacing) < 0.5 * kSpacing);
        QVERIFY(std::abs(p.along - kX * kSpacing) < 0.5 * kSpacing);
        QVERIFY(p.value > 0.0);
    }
}

// A mirror at kMirror echoes what a source as far below it would send: closed form, at a depth between nodes. Its wavelet is the
// derivative of the migration's own, as a thin layer echoes, so that the image has its peak there.
void TestMigration::flatLayer()
{
    RunDescription run = over({100.0, 300.0, 500.0, 700.0});
    const auto plan = planOf(run, *m_device);
    const auto data = tracesOf(withSurvey(*plan, mirrored(run.survey)), m_device);
    MigrationOptions o = options();
    o.subtract = false;
    for (const bool laplacian : {false, true}) {
        o.laplacian = laplacian;
        const auto done = migrate(plan, m_device, data, o);
        QVERIFY2(done, done ? "" : qPrintable(QString::fromStdString(done.error().text())));
        double worst = 0.0;
        for (int x = 20; x <= 60; ++x) {
            std::vector<double> column(static_cast<std::size_t>(kRows * kColumns), 0.0);
            for (int z = 0; z < kRows; ++z) {
                column[nodeAt(z, x)] = done->image[nodeAt(z, x)];
            }
            worst = std::max(worst, std::abs(peakOf(column).depth - kMirror));
        }
        qInfo("off by at most %.2f m%s", worst, laplacian ? ", filtered" : "");
        QVERIFY(worst < 0.5 * kSpacing);
        if (!laplacian) { // in company the same bits
            auto together = std::make_shared<SimulationPlan>(*plan);
            together->run.shotsAtOnce = 2;
            const auto same = migrate(together, m_device, data, o);
            QVERIFY(same && same->image == done->image);
        }
    }
}

// At no lag a gather is the gradient of the node, in 3-D along both axes, whatever the layers and the company.
void TestMigration::noLagIsTheGradient()
{
    for (const int rank : {2, 3}) {
        AdjointSetup a;
        a.rank = rank;
        a.faces = adjointFaces().front();
        a.samples = 60;
        a.shots = 2;
        const auto plan = adjointPlan(a, *m_device);
        const auto r = randomData(*plan, 5);
        const auto gradient = gradientOf(plan, m_device, innerProduct(r));
        const Grid& grid = plan->model.grid();
        const auto gathers =
            computeLagGathers(plan, m_device, {(*r)[0].values, (*r)[1].values}, {3.0 * grid.dx, grid.dx, 60.0});
        QVERIFY2(gathers, gathers ? "" : qPrintable(QString::fromStdString(gathers.error().text())));
        QCOMPARE(gathers->every, 1);
        QCOMPARE(gathers->alongY.empty(), rank == 2);
        QCOMPARE(gathers->angles.empty(), rank == 3);
        const auto zero = [&](const std::vector<double>& cube, const std::vector<double>& lags, std::size_t column,
                              int z) {
            return cube[(column * static_cast<std::size_t>(grid.nz) + static_cast<std::size_t>(z)) * lags.size() +
                        lags.size() / 2];
        };
        double wrong = 0.0;
        double all = 0.0;
        int nodes = 0;
        for (std::size_t c = 0; c < gathers->columns.size(); ++c) {
            const auto [x, y] = gathers->columns[c];
            if (x == 0 || x == grid.nx - 1 || (rank == 3 && (y == 0 || y == grid.ny - 1))) {
                continue; // their gradient is the layers' too
            }
            for (int z = 1; z < grid.nz - 1; ++z, ++nodes) {
                const auto i = static_cast<std::size_t>((z * grid.ny + y) * grid.nx + x);
                const double node = 0.5 * static_cast<double>(plan->model.velocity().samples()[i]) * gradient.speed[i];
                wrong = std::max(wrong, std::abs(node - zero(gathers->alongX, gathers->lagsX, c, z)));
                if (rank == 3) {
                    wrong = std::max(wrong, std::abs(node - zero(gathers->alongY, gathers->lagsY, c, z)));
                }
                all = std::max(all, std::abs(node));
            }
        }
        // Sums of the same products in the same order, but for where factors come in: rounding.
        QVERIFY2(nodes > 100 && wrong < 1e-12 * all, qPrintable(QString("%1 of %2").arg(wrong).arg(all)));
    }
}

// An echo lies at no lag where the speed is the true one, and farther from there where it is a tenth too slow or too fast. At no
// lag the gather is the image's gradient.
void TestMigration::lagsFocusInTheTrueModel()
{
    const RunDescription run = over({60.0, 145.0, 230.0, 315.0, 400.0, 485.0, 570.0, 655.0, 740.0});
    const auto truth = planOf(run, *m_device);
    const auto data = tracesOf(withSurvey(*truth, mirrored(run.survey)), m_device);
    MigrationOptions o = options();
    o.subtract = false;
    o.lags = {150.0, 800.0, 60.0}; // one column, in the middle
    std::vector<double> spread;
    for (const double speed : {0.9 * kSpeed, kSpeed, 1.1 * kSpeed}) {
        const auto done = migrate(planOf(run, *m_device, even(speed)), m_device, data, o);
        QVERIFY2(done, done ? "" : qPrintable(QString::fromStdString(done.error().text())));
        const LagGathers& g = *done->gathers;
        QCOMPARE(g.columns.size(), std::size_t{1});
        spread.push_back(lagSpread(g.alongX, g.lagsX, 20)); // of the echo, below what sources and receivers share
        double wrong = 0.0;
        double all = 0.0;
        for (int z = 6; z < kRows - 1; ++z) { // below the sources
            const double image = done->gradient[nodeAt(z, g.columns[0].x)];
            const double gather = g.alongX[static_cast<std::size_t>(z) * g.lagsX.size() + g.lagsX.size() / 2];
            wrong = std::max(wrong, std::abs(image - gather));
            all = std::max(all, std::abs(image));
        }
        QVERIFY2(wrong < 0.01 * all, qPrintable(QString::number(wrong / all))); // the sum over every so many steps
        if (speed == kSpeed) {
            const auto most =
                std::max_element(g.alongX.begin() + 12 * static_cast<std::ptrdiff_t>(g.lagsX.size()), g.alongX.end(),
                                 [](double a, double b) { return std::abs(a) < std::abs(b); });
            const auto at = static_cast<std::size_t>(most - g.alongX.begin());
            QCOMPARE(g.lagsX[at % g.lagsX.size()], 0.0);
            const auto row = static_cast<int>(at / g.lagsX.size());
            QVERIFY(std::abs(row * kSpacing - kMirror) < kSpacing);
        }
    }
    qInfo("energy lies %.1f, %.1f and %.1f m from no lag", spread[0], spread[1], spread[2]);
    QVERIFY(spread[1] < 0.85 * spread[0] && spread[1] < 0.85 * spread[2]);
}

// One shot to one side of the column: the mirror sees it at atan(offset / depth), from the left.
void TestMigration::angleOfAShot()
{
    constexpr double kSource = 150.0;
    const RunDescription run = over({kSource});
    const auto plan = planOf(run, *m_device);
    const auto data = tracesOf(withSurvey(*plan, mirrored(run.survey)), m_device);
    MigrationOptions o = options();
    o.subtract = false;
    o.lags = {200.0, 800.0, 70.0};
    const auto done = migrate(plan, m_device, data, o);
    QVERIFY2(done, done ? "" : qPrintable(QString::fromStdString(done.error().text())));
    const LagGathers& g = *done->gathers;
    const double expected = std::atan((g.columns[0].x * kSpacing - kSource) / (kMirror - 20.0)) * 180.0 / M_PI;
    double most = 0.0;
    double angle = 0.0;
    for (int z = 27; z <= 30; ++z) {
        for (std::size_t a = 0; a < g.angles.size(); ++a) {
            const double v = std::abs(g.byAngle[static_cast<std::size_t>(z) * g.angles.size() + a]);
            if (v > most) {
                most = v;
                angle = g.angles[a];
            }
        }
    }
    qInfo("%.1f degrees, by geometry %.1f", angle, expected);
    QVERIFY(std::abs(angle - expected) < 4.0); // two steps of the angles
}

void TestMigration::refuses_data()
{
    QTest::addColumn<int>("what");
    QTest::addColumn<QString>("said");
    QTest::newRow("mute") << 0 << "a mute of the first";
    QTest::newRow("water") << 1 << "of the largest illumination";
    QTest::newRow("damping") << 2 << "a damping of";
    QTest::newRow("short lags") << 3 << "space lags up to 9 m";
    QTest::newRow("long lags") << 4 << "space lags up to 410 m";
    QTest::newRow("columns") << 5 << "gathers every 1 m";
    QTest::newRow("no data") << 6 << "the data are zero";
    QTest::newRow("shape") << 7 << "observed data of 2 shots";
    QTest::newRow("window") << 8 << "leave nothing of shot 1";
}

void TestMigration::refuses()
{
    QFETCH(int, what);
    QFETCH(QString, said);
    const RunDescription run = over({300.0}, 0.2);
    const auto plan = planOf(run, *m_device);
    std::vector<TraceTable> data = tracesOf(plan, m_device);
    MigrationOptions o = options();
    switch (what) {
    case 0: o.mute = 560.0; break;
    case 1: o.water = 0.0; break;
    case 2: o.damping = -1.0; break;
    case 3: o.lags.farthest = 9.0; break;
    case 4: o.lags.farthest = 410.0; break;
    case 5: o.lags = {50.0, 1.0, 60.0}; break;
    case 6: break;
    case 7: data.push_back(data[0]); break;
    default: o.window.nearest = 5000.0; break;
    }
    const auto done = migrate(plan, m_device, data, o);
    QVERIFY(!done);
    QVERIFY(done.error().kind == ErrorKind::BadInput);
    QVERIFY2(QString::fromStdString(done.error().text()).contains(said),
             qPrintable(QString::fromStdString(done.error().text())));
}

QTEST_GUILESS_MAIN(TestMigration)
#include "tst_migration.moc"
