// Optimisers on functions whose least place is known, within bounds and without, and broken off and gone on with.
#include "engine/inversion/optimiser.h"

#include <QtTest>

#include <cmath>

using namespace ondo;

class TestOptimiser : public QObject {
    Q_OBJECT

private slots:
    void reaches_data();
    void reaches();
    void theBoundIsTheAnswer_data();
    void theBoundIsTheAnswer();
    void stepsAreBounded();
    void anUnstableTrialShortensTheStep();
    void noWayDownIsSaid();
    void gaussNewtonSaysWhenItIsNot();
    void goesOnToTheBit_data();
    void goesOnToTheBit();
    void refuses();
};

namespace {

Terrain openTerrain(double low = -1e9, double high = 1e9)
{
    Terrain t;
    t.moved = [low, high](const Numbers& x, const Numbers& d, double step) {
        Numbers out(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            out[i] = std::clamp(x[i] + step * d[i], low, high);
        }
        return out;
    };
    t.freeNumbers = [low, high](const Numbers& x, const Numbers& g) {
        std::vector<bool> free(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            free[i] = !(x[i] <= low && g[i] > 0.0) && !(x[i] >= high && g[i] < 0.0);
        }
        return free;
    };
    t.precondition = [](const Numbers& g) { return g; };
    t.curvature = [](const Numbers&, const Numbers& v) -> Result<Numbers> { // the quadratic's below
        Numbers out(v.size());
        for (std::size_t i = 0; i < v.size(); ++i) {
            out[i] = (1.0 + 49.0 * static_cast<double>(i) / static_cast<double>(v.size() - 1)) * v[i];
        }
        return out;
    };
    return t;
}

// The valleys' squares without the curvature of what is squared: 2 J^T J, J of (1 - x, 10 (y - x^2)).
Result<Numbers> valleyCurvature(const Numbers& x, const Numbers& v)
{
    Numbers out(v.size(), 0.0);
    for (std::size_t i = 0; i + 1 < v.size(); i += 2) {
        const double change = 10.0 * (v[i + 1] - 2.0 * x[i] * v[i]);
        out[i] = 2.0 * (v[i] - 20.0 * x[i] * change);
        out[i + 1] = 20.0 * change;
    }
    return out;
}

// Least, 0, at (1, 1, 1, 1): two of Rosenbrock's valleys.
Result<Evaluation> rosenbrock(const Numbers& x)
{
    Evaluation e{0.0, Numbers(x.size(), 0.0), nullptr};
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
        const double a = 1.0 - x[i];
        const double b = x[i + 1] - x[i] * x[i];
        e.value += a * a + 100.0 * b * b;
        e.gradient[i] += -2.0 * a - 400.0 * x[i] * b;
        e.gradient[i + 1] += 200.0 * b;
    }
    return e;
}

// 1/2 sum k_i (x_i - i)^2, k from 1 to 50.
Result<Evaluation> quadratic(const Numbers& x)
{
    Evaluation e{0.0, Numbers(x.size(), 0.0), nullptr};
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double k = 1.0 + 49.0 * static_cast<double>(i) / static_cast<double>(x.size() - 1);
        const double r = x[i] - static_cast<double>(i);
        e.value += 0.5 * k * r * r;
        e.gradient[i] = k * r;
    }
    return e;
}

struct Walk {
    std::vector<Step> steps;
    Numbers x;
    Evaluation at;
    int evaluations = 0;
};

Walk walk(const Objective& f, const OptimiserOptions& options, const Terrain& terrain, Numbers x, int most,
          double enough)
{
    Walk w{{}, std::move(x), {}, 0};
    w.at = *f(w.x);
    auto optimiser = *makeOptimiser(options, terrain);
    double change = 0.0;
    for (int i = 0; i < most && w.at.value > enough; ++i) {
        auto step = takeStep(f, *optimiser, terrain, options, w.x, w.at, change);
        if (!step || step->stuck) {
            break;
        }
        w.evaluations += step->evaluations;
        change = step->change;
        w.x = step->x;
        w.at = step->at;
        w.steps.push_back(std::move(*step));
    }
    return w;
}

OptimiserOptions with(const char* method, double first = 0.1, double most = 10.0)
{
    OptimiserOptions o;
    o.method = method;
    o.firstStep = first;
    o.mostStep = most;
    o.mostTrials = 20;
    return o;
}

} // namespace

void TestOptimiser::reaches_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<bool>("valley");
    QTest::addColumn<int>("most");
    QTest::newRow("lbfgs quadratic") << QByteArray("lbfgs") << false << 40;
    QTest::newRow("cg quadratic") << QByteArray("cg") << false << 80;
    QTest::newRow("steepest quadratic") << QByteArray("steepest") << false << 1500;
    QTest::newRow("lbfgs valley") << QByteArray("lbfgs") << true << 60;
    QTest::newRow("cg valley") << QByteArray("cg") << true << 400;
    QTest::newRow("gauss-newton quadratic") << QByteArray("gauss-newton") << false << 20;
    QTest::newRow("gauss-newton valley") << QByteArray("gauss-newton") << true << 60;
}

void TestOptimiser::reaches()
{
    QFETCH(QByteArray, method);
    QFETCH(bool, valley);
    QFETCH(int, most);
    const Numbers start = valley ? Numbers{-1.2, 1.0, -1.2, 1.0} : Numbers(11, -3.0);
    auto terrain = openTerrain();
    if (valley) {
        terrain.curvature = valleyCurvature;
    }
    const auto w = walk(valley ? rosenbrock : quadratic, with(method.constData()), terrain, start, most, 1e-12);
    qInfo("%s: %zu steps, %d evaluations, %.1e left", method.constData(), w.steps.size(), w.evaluations, w.at.value);
    QVERIFY2(w.at.value <= 1e-12, qPrintable(QString::number(w.at.value)));
    for (std::size_t i = 0; i < w.x.size(); ++i) {
        QVERIFY(std::abs(w.x[i] - (valley ? 1.0 : static_cast<double>(i))) < 1e-4);
    }
    double before = (valley ? rosenbrock(start) : quadratic(start))->value;
    for (const auto& step : w.steps) {
        QVERIFY(step.at.value < before);
        before = step.at.value;
    }
}

void TestOptimiser::theBoundIsTheAnswer_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<double>("tolerance");
    QTest::newRow("lbfgs") << QByteArray("lbfgs") << 1e-6;
    QTest::newRow("cg") << QByteArray("cg") << 1e-4;
    QTest::newRow("steepest") << QByteArray("steepest") << 1e-4;
    QTest::newRow("gauss-newton") << QByteArray("gauss-newton") << 1e-6;
    // A step of fixed size hovers around the answer.
    QTest::newRow("adam") << QByteArray("adam") << 0.2;
}

// The quadratic's answers are 0, 1, ... 10; within [2.5, 7] they are the nearest ends.
void TestOptimiser::theBoundIsTheAnswer()
{
    QFETCH(QByteArray, method);
    QFETCH(double, tolerance);
    const auto w = walk(quadratic, with(method.constData()), openTerrain(2.5, 7.0), Numbers(11, 4.0), 600, 0.0);
    for (std::size_t i = 0; i < w.x.size(); ++i) {
        const double answer = std::clamp(static_cast<double>(i), 2.5, 7.0);
        QVERIFY2(std::abs(w.x[i] - answer) <= tolerance, qPrintable(QString("%1: %2").arg(i).arg(w.x[i])));
    }
}

void TestOptimiser::stepsAreBounded()
{
    for (const char* method : {"lbfgs", "cg", "steepest", "adam", "gauss-newton"}) {
        const auto w = walk(quadratic, with(method, 0.05, 0.3), openTerrain(), Numbers(11, 40.0), 30, 0.0);
        QVERIFY(!w.steps.empty());
        for (const auto& step : w.steps) {
            QVERIFY(step.change <= 0.3 * (1.0 + 1e-12));
        }
    }
}

void TestOptimiser::anUnstableTrialShortensTheStep()
{
    int refused = 0;
    const Objective f = [&](const Numbers& x) -> Result<Evaluation> {
        if (x[0] > 0.5) {
            ++refused;
            return fail(ErrorKind::Unstable, "too far");
        }
        return Evaluation{(x[0] - 0.4) * (x[0] - 0.4), {2.0 * (x[0] - 0.4)}, nullptr};
    };
    const auto w = walk(f, with("lbfgs", 3.0, 10.0), openTerrain(), {-1.0}, 20, 1e-14);
    QVERIFY(refused > 0);
    QVERIFY(std::abs(w.x[0] - 0.4) < 1e-6);
}

void TestOptimiser::noWayDownIsSaid()
{
    // A gradient that lies: uphill everywhere.
    const Objective f = [](const Numbers& x) -> Result<Evaluation> {
        return Evaluation{std::abs(x[0]), {1.0}, nullptr};
    };
    const auto options = with("steepest");
    const auto terrain = openTerrain();
    auto optimiser = *makeOptimiser(options, terrain);
    const auto step = takeStep(f, *optimiser, terrain, options, {0.0}, *f({0.0}), 0.0);
    QVERIFY(step.has_value() && step->stuck);
    QCOMPARE(step->x, Numbers{0.0});
    const Objective broken = [](const Numbers&) -> Result<Evaluation> { return badInput("no"); };
    QVERIFY(!takeStep(broken, *optimiser, terrain, options, {1.0}, {1.0, {1.0}, nullptr}, 0.0));
}

// What is curved the other way is no ground for a step of its own, and that is said.
void TestOptimiser::gaussNewtonSaysWhenItIsNot()
{
    auto terrain = openTerrain();
    const auto options = with("gauss-newton");
    auto made = *makeOptimiser(options, terrain);
    const Numbers x(11, -3.0);
    QVERIFY(takeStep(quadratic, *made, terrain, options, x, *quadratic(x), 0.0)->remark.empty());
    terrain.curvature = [](const Numbers&, const Numbers& v) -> Result<Numbers> { return Numbers(v.size(), 0.0); };
    made = *makeOptimiser(options, terrain);
    const auto step = takeStep(quadratic, *made, terrain, options, x, *quadratic(x), 0.0);
    QVERIFY(step && !step->stuck && step->remark.find("steepest") != std::string::npos);
    terrain.curvature = [](const Numbers&, const Numbers&) -> Result<Numbers> { return badInput("no"); };
    made = *makeOptimiser(options, terrain);
    QVERIFY(!takeStep(quadratic, *made, terrain, options, x, *quadratic(x), 0.0));
}

void TestOptimiser::goesOnToTheBit_data()
{
    QTest::addColumn<QByteArray>("method");
    for (const auto& name : optimiserNames()) {
        QTest::newRow(name.data()) << QByteArray(name.data());
    }
}

// Whoever is told the iterates again continues as the one who made them.
void TestOptimiser::goesOnToTheBit()
{
    QFETCH(QByteArray, method);
    const auto options = with(method.constData());
    auto terrain = openTerrain(-5.0, 5.0);
    terrain.curvature = valleyCurvature;
    const Numbers start = {-1.2, 1.0, -0.7, 2.0};
    const auto whole = walk(rosenbrock, options, terrain, start, 24, 0.0);
    QVERIFY(whole.steps.size() >= (method == "gauss-newton" ? 14U : 20U)); // it is there sooner
    for (const std::size_t broken : {std::size_t{1}, std::size_t{7}, std::size_t{13}}) {
        auto optimiser = *makeOptimiser(options, terrain);
        Numbers x = start;
        Evaluation at = *rosenbrock(x);
        double change = 0.0;
        for (std::size_t i = 0; i < whole.steps.size(); ++i) {
            if (i < broken) {
                optimiser->remember(x, at.gradient);
                if (whole.steps[i].restarted) {
                    optimiser->restart();
                    optimiser->remember(x, at.gradient);
                }
                x = whole.steps[i].x;
                at = whole.steps[i].at;
                change = whole.steps[i].change;
                continue;
            }
            const auto step = takeStep(rosenbrock, *optimiser, terrain, options, x, at, change);
            QVERIFY(step.has_value());
            QCOMPARE(step->x, whole.steps[i].x);
            x = step->x;
            at = step->at;
            change = step->change;
        }
    }
}

void TestOptimiser::refuses()
{
    OptimiserOptions o;
    o.method = "newton";
    auto made = makeOptimiser(o, openTerrain());
    QVERIFY(!made && made.error().text().find("lbfgs, cg, steepest, adam, gauss-newton") != std::string::npos);
    o = {};
    o.memory = 0;
    QVERIFY(!checkOptimiser(o));
    o = {};
    o.mostStep = 0.5 * o.firstStep;
    QVERIFY(!checkOptimiser(o));
    o = {};
    o.mostTrials = 0;
    QVERIFY(!checkOptimiser(o));
    QVERIFY(checkOptimiser({}).has_value());
}

QTEST_GUILESS_MAIN(TestOptimiser)
#include "tst_optimiser.moc"
