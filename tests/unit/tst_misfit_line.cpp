// The misfit along a line between two models: its valleys lie a period of the data apart, where geometry says they must; the
// curve's own reading (valleys, where a descent ends) on curves that are known; refusals.
#include "engine/device/device_list.h"
#include "engine/inversion/misfit_line.h"

#include <QtTest>

#include <cmath>
#include <numbers>

using namespace ondo;

namespace {

constexpr double kPeriod = 0.04; // s
constexpr double kSpeed = 2000.0, kFastest = 2600.0;
constexpr double kDistance = 600.0; // m, of the one trace

// cos(2 pi (t - t0) / T) under a Gaussian of two periods: several crests that a shifted copy can be mistaken by.
Wavelet burst()
{
    std::vector<double> samples;
    for (int k = 0; k < 400; ++k) {
        const double s = (0.001 * k - 0.2) / kPeriod;
        samples.push_back(std::cos(2.0 * std::numbers::pi * s) * std::exp(-0.5 * s * s / 4.0));
    }
    return *Wavelet::sampled(std::move(samples), 0.001);
}

RunDescription acrossRun()
{
    RunDescription run;
    run.boundary.layerCells = 12;
    run.duration = 0.9;
    run.sampleInterval = 0.001;
    Shot shot;
    shot.sources.push_back({{100.0, 0.0, 150.0}, burst()});
    shot.receivers = {{{100.0 + kDistance, 0.0, 150.0}}};
    run.survey.shots = {shot};
    return run;
}

Model constant(double speed)
{
    return *Model::constant(*Grid::make2D(41, 101, 7.5, 7.5), static_cast<float>(speed));
}

std::vector<double> sampled(const std::vector<double>& t, double (*curve)(double))
{
    std::vector<double> out;
    for (const double one : t) {
        out.push_back(curve(one));
    }
    return out;
}

std::vector<double> axis(double from, double to, int count)
{
    std::vector<double> t;
    for (int i = 0; i < count; ++i) {
        t.push_back(from + (to - from) * i / (count - 1));
    }
    return t;
}

} // namespace

class TestMisfitLine : public QObject {
    Q_OBJECT

    std::shared_ptr<Device> m_device;

private slots:
    void initTestCase()
    {
        const auto cpu = openDevice("cpu", 2);
        QVERIFY(cpu.has_value());
        m_device = cpu->device;
    }

    // The trace at t comes x / v(t) after the source; observed was v(1). L2's valleys are where the difference is a whole
    // number n of periods: v = x / (x / v(1) + n T). The burst's finite length draws them in by 1 / (2 (2 pi 2)^2), 0.3 %,
    // and amplitudes that change with v by as much again: 1 % of a period.
    void valleysAreAPeriodApart()
    {
        const Model a = constant(kSpeed);
        const Model b = constant(kFastest);
        MisfitLineRequest request;
        request.points = 61;
        request.kinds = {"l2", "correlation"};
        const auto run = acrossRun();
        const auto plan = planMisfitLine(run, a, b, m_device->facts(), request);
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
        auto truth = std::make_shared<SimulationPlan>(**plan);
        truth->model = b;
        const auto observed = computeTraces(truth, m_device);
        QVERIFY(observed.has_value());
        int grown = 0;
        MisfitLineHooks hooks;
        hooks.grown = [&](const MisfitLine& line) { grown = static_cast<int>(line.t.size()); };
        const auto line = computeMisfitLine(**plan, m_device, *observed, b, request, hooks);
        QVERIFY2(line.has_value(), line ? "" : line.error().text().c_str());
        QCOMPARE(grown, request.points);
        for (const auto& curve : line->curves) {
            const auto minima = minimaOf(line->t, curve.values);
            const auto speedAt = [](double t) { return kSpeed + t * (kFastest - kSpeed); };
            std::vector<double> wanted;
            for (int n = 3; n >= -3; --n) {
                const double v = kDistance / (kDistance / kFastest + n * kPeriod);
                const double t = (v - kSpeed) / (kFastest - kSpeed);
                if (t > request.from + 0.02 && t < request.to - 0.02) {
                    wanted.push_back(t);
                }
            }
            QVERIFY2(wanted.size() == 3, "a line of three valleys is what the numbers above were chosen for");
            QCOMPARE(minima.size(), wanted.size());
            for (std::size_t i = 0; i < minima.size(); ++i) {
                const double late = kDistance / speedAt(minima[i].t) - kDistance / speedAt(wanted[i]);
                qInfo("%s: a valley at t = %.3f, %.3f of a period from where it belongs", curve.kind.c_str(),
                      minima[i].t, late / kPeriod);
                QVERIFY(std::abs(late) < 0.01 * kPeriod);
            }
            const auto lowest = std::min_element(minima.begin(), minima.end(),
                                                 [](const auto& x, const auto& y) { return x.value < y.value; });
            QVERIFY(std::abs(lowest->t - 1.0) < 0.01);
            const auto words = describeCurve(*line, curve);
            QVERIFY2(words.find("3 minima") != std::string::npos && words.find("cycle skipping") != std::string::npos &&
                         words.find("not at the lowest") != std::string::npos,
                     words.c_str());
        }
    }

    // An envelope has no crest to be mistaken for the next: one valley where the waveform's misfit has more.
    void envelopesSeeFarther()
    {
        MisfitLineRequest request;
        request.points = 31;
        request.kinds = {"l2", "envelope"};
        const Model a = constant(kSpeed);
        const Model b = constant(kFastest);
        const auto plan = planMisfitLine(acrossRun(), a, b, m_device->facts(), request);
        QVERIFY(plan.has_value());
        auto truth = std::make_shared<SimulationPlan>(**plan);
        truth->model = b;
        const auto observed = computeTraces(truth, m_device);
        const auto line = computeMisfitLine(**plan, m_device, *observed, b, request);
        QVERIFY(line.has_value());
        QVERIFY(minimaOf(line->t, line->curves[0].values).size() > 1);
        const auto one = minimaOf(line->t, line->curves[1].values);
        QCOMPARE(one.size(), std::size_t{1});
        QVERIFY(std::abs(one[0].t - 1.0) < 0.02);
    }

    // By a parabola, so that a parabola's own is exact.
    void knownCurves()
    {
        const auto t = axis(-1.0, 2.0, 31);
        const auto bowl = minimaOf(t, sampled(t, [](double x) { return 3.0 + (x - 0.437) * (x - 0.437); }));
        QCOMPARE(bowl.size(), std::size_t{1});
        QVERIFY(std::abs(bowl[0].t - 0.437) < 1e-12 && std::abs(bowl[0].value - 3.0) < 1e-12);
        QVERIFY(minimaOf(t, sampled(t, [](double x) { return x; })).empty());
        QVERIFY(minimaOf(t, sampled(t, [](double) { return 1.0; })).empty());
        QVERIFY(minimaOf({0.0, 1.0}, {1.0, 2.0}).empty());
        // A ripple of a ten-thousandth of the range is no valley.
        const auto rippled = sampled(t, [](double x) { return x * x + 1e-4 * std::cos(60.0 * x); });
        QCOMPARE(minimaOf(t, rippled).size(), std::size_t{1});
        // A flat floor counts once.
        QCOMPARE(minimaOf({0, 1, 2, 3, 4}, {2, 1, 1, 1, 2}).size(), std::size_t{1});
        const auto two = sampled(t, [](double x) { return (x * x - 1.0) * (x * x - 1.0) - 0.3 * x; });
        QVERIFY(std::abs(descentFrom(-0.9, t, two) + 0.96) < 0.1);
        QVERIFY(std::abs(descentFrom(0.5, t, two) - 1.04) < 0.1);
    }

    void aStopIsCancelled()
    {
        const std::atomic<bool> stop{true};
        MisfitLineRequest request;
        request.points = 5;
        const Model a = constant(kSpeed);
        const auto plan = planMisfitLine(acrossRun(), a, constant(kFastest), m_device->facts(), request);
        QVERIFY(plan.has_value());
        const auto observed = computeTraces(*plan, m_device);
        MisfitLineHooks hooks;
        hooks.stop = &stop;
        const auto line = computeMisfitLine(**plan, m_device, *observed, constant(kFastest), request, hooks);
        QVERIFY(!line.has_value() && line.error().kind == ErrorKind::Cancelled);
    }

    void refuses()
    {
        const auto said = [&](const Model& b, const MisfitLineRequest& request, const char* text) {
            const auto plan = planMisfitLine(acrossRun(), constant(kSpeed), b, m_device->facts(), request);
            QVERIFY2(!plan && plan.error().text().find(text) != std::string::npos,
                     plan ? text : plan.error().text().c_str());
        };
        MisfitLineRequest request;
        said(*Model::constant(*Grid::make2D(40, 101, 7.5, 7.5), 2000.0F), request, "on one grid");
        request.points = 2;
        said(constant(kFastest), request, "3 to 100000");
        request = {};
        request.to = -1.0;
        said(constant(kFastest), request, "from < to");
        request = {};
        request.from = -5.0;
        said(constant(kFastest), request, "a speed of -1000 m/s");
        request = {};
        request.kinds = {"l3"};
        said(constant(kFastest), request, "l3");
        request.kinds.clear();
        said(constant(kFastest), request, "without a misfit");
    }

    void tables()
    {
        const MisfitLine line{{0.0, 0.5}, {{"l2", "Pa^2 s", {2.0, 1.5}}, {"envelope", "Pa^2 s", {4.0}}}};
        QCOMPARE(QString::fromStdString(tableText(line)),
                 QStringLiteral("t,l2 (Pa^2 s),envelope (Pa^2 s)\n0,2,4\n0.5,1.5,\n"));
    }
};

QTEST_GUILESS_MAIN(TestMisfitLine)
#include "tst_misfit_line.moc"
