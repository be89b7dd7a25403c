// Misfits of traces: each derivative against central differences, lags and envelopes against closed forms, and traces
// that
// cannot be judged never as NaN.
#include "engine/core/fourier.h"
#include "engine/inversion/data_misfit.h"
#include "engine/inversion/trace_spectrum.h"

#include <QtTest>

#include <cmath>
#include <numbers>
#include <random>

using namespace ondo;

class TestDataMisfit : public QObject {
    Q_OBJECT

private slots:
    void theTransformIsTheSum();
    void spectraAreAGaussians();
    void derivatives_data();
    void derivatives();
    void closedForms();
    void lagsBetweenSamples();
    void transportIsTheWayOfTheMass();
    void deadTracesCountAsNothing();
    void theLowPassIsItsOwnTranspose();
    void windows();
    void throughFilterFactorAndWindow_data();
    void throughFilterFactorAndWindow();
    void refuses_data();
    void refuses();
};

namespace {

using Trace = std::vector<double>;
constexpr double kStep = 0.004; // s

double ricker(double t, double f)
{
    const double a = std::pow(std::numbers::pi * f * t, 2);
    return (1.0 - 2.0 * a) * std::exp(-a);
}

// A wave at `at` seconds and a smaller one later; no power of two.
Trace wave(double at, double size = 1.0)
{
    Trace t(157);
    for (std::size_t i = 0; i < t.size(); ++i) {
        const double time = static_cast<double>(i) * kStep;
        t[i] = size * (ricker(time - at, 12.0) - 0.4 * ricker(time - at - 0.17, 9.0));
    }
    return t;
}

Trace noise(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> one(-1.0, 1.0);
    Trace t(count);
    std::generate(t.begin(), t.end(), [&] { return one(random); });
    return t;
}

double valueOf(const TraceMisfitKind& kind, const Trace& s, const Trace& d)
{
    Trace out(s.size(), 0.0);
    return kind.judge(s, d, kStep, {}, out).value;
}

SimulationPlan planOf(int receivers, int samples)
{
    SimulationPlan plan;
    plan.time = {kStep, samples, 1};
    Shot shot;
    shot.sources.push_back({{100.0, 0.0, 0.0}, Wavelet::ricker(12.0)});
    shot.receivers = receiverLine({100.0, 0.0, 0.0}, {100.0 + 50.0 * (receivers - 1), 0.0, 0.0}, receivers);
    plan.run.survey.shots = {shot};
    return plan;
}

TraceTable tableOf(const std::vector<Trace>& traces)
{
    TraceTable t{static_cast<int>(traces.size()), static_cast<int>(traces[0].size()), kStep, {}};
    for (const auto& one : traces) {
        t.values.insert(t.values.end(), one.begin(), one.end());
    }
    return t;
}

} // namespace

void TestDataMisfit::theTransformIsTheSum()
{
    const Trace re = noise(32, 5);
    const Trace im = noise(32, 6);
    Spectrum x(32);
    for (std::size_t i = 0; i < 32; ++i) {
        x[i] = {re[i], im[i]};
    }
    Spectrum y = x;
    fourier(y);
    for (std::size_t k = 0; k < 32; ++k) {
        std::complex<double> sum = 0.0;
        for (std::size_t j = 0; j < 32; ++j) {
            sum += x[j] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(j * k % 32) / 32.0);
        }
        QVERIFY(std::abs(sum - y[k]) < 1e-13);
    }
    fourier(y, true);
    for (std::size_t k = 0; k < 32; ++k) {
        QVERIFY(std::abs(x[k] - y[k]) < 1e-15);
    }
    QCOMPARE(fourierLength(157), std::size_t{256});
    QCOMPARE(angularFrequency(16, 32, 0.5), 0.0);
    QVERIFY(angularFrequency(17, 32, 0.5) < 0.0);
}

// A Gaussian's transform is a Gaussian: of exp(-(t / a)^2) it is a sqrt(pi) exp(-(pi a f)^2).
void TestDataMisfit::spectraAreAGaussians()
{
    std::vector<float> traces;
    for (const double size : {3.0, 4.0}) { // root mean square sqrt(12.5)
        for (int k = 0; k < 157; ++k) {
            traces.push_back(static_cast<float>(size * std::exp(-std::pow((k - 78) * kStep / 0.03, 2))));
        }
    }
    const auto s = amplitudeSpectrum(traces, 157, kStep);
    QCOMPARE(s.hertz.back(), 0.5 / kStep);
    for (std::size_t k = 0; k < s.hertz.size(); ++k) {
        const double exact = std::sqrt(12.5) * 0.03 * std::sqrt(std::numbers::pi) *
                             std::exp(-std::pow(std::numbers::pi * 0.03 * s.hertz[k], 2));
        QVERIFY(std::abs(s.amplitude[k] - exact) < 1e-7); // floats
    }
}

void TestDataMisfit::derivatives_data()
{
    QTest::addColumn<int>("kind");
    for (std::size_t i = 0; i < traceMisfitKinds().size(); ++i) {
        QTest::newRow(traceMisfitKinds()[i].name.data()) << static_cast<int>(i);
    }
}

// <derivative, direction> against central differences along noise, by Richardson's rule: the error left is of fourth
// order.
void TestDataMisfit::derivatives()
{
    QFETCH(int, kind);
    const auto& k = traceMisfitKinds()[static_cast<std::size_t>(kind)];
    const Trace d = wave(0.20);
    Trace s = wave(0.213, 1.3);
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const Trace direction = noise(s.size(), seed);
        Trace out(s.size(), 0.0);
        QVERIFY(k.judge(s, d, kStep, {}, out).used);
        double exact = 0.0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            exact += out[i] * direction[i];
        }
        const auto difference = [&](double h) {
            Trace up = s;
            Trace down = s;
            for (std::size_t i = 0; i < s.size(); ++i) {
                up[i] += h * direction[i];
                down[i] -= h * direction[i];
            }
            return (valueOf(k, up, d) - valueOf(k, down, d)) / (2.0 * h);
        };
        const double h = 1e-4; // of traces near 1
        const double measured = (4.0 * difference(0.5 * h) - difference(h)) / 3.0;
        const double error = std::abs(measured - exact) / std::abs(exact);
        qInfo("%s: %.10g against %.10g, %.1e", k.name.data(), exact, measured, error);
        QVERIFY2(error <= 1e-6, k.name.data());
    }
}

void TestDataMisfit::closedForms()
{
    const Trace d = wave(0.2);
    Trace twice = d;
    Trace sign = d;
    double energy = 0.0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        twice[i] *= 2.0;
        sign[i] = -sign[i];
        energy += d[i] * d[i] * kStep;
    }
    const auto of = [](const char* name) -> const TraceMisfitKind& { return **findTraceMisfit(name); };
    QVERIFY(std::abs(valueOf(of("l2"), twice, d) - 0.5 * energy) < 1e-14);
    QVERIFY(std::abs(valueOf(of("correlation"), twice, d)) < 1e-14);
    QVERIFY(std::abs(valueOf(of("correlation"), sign, d) - 2.0) < 1e-14);
    QVERIFY(std::abs(valueOf(of("envelope"), sign, d)) < 1e-14);
    for (const auto& kind : traceMisfitKinds()) {
        QVERIFY2(std::abs(valueOf(kind, d, d)) < 1e-14, kind.name.data());
    }
    // Far from the data every residual is on the tangent: half as far again costs as much more.
    Trace far(d.size(), 1000.0);
    Trace further(d.size(), 1500.0);
    const Trace flat(d.size(), 1.0); // root mean square 1
    const double cost = valueOf(of("huber"), further, flat) - valueOf(of("huber"), far, flat);
    QVERIFY(std::abs(cost - 500.0 * kStep * static_cast<double>(d.size())) < 1e-9);
    // A cosine's envelope is its size: away from the ends, E of twice as large is larger by one.
    Trace cosine(512);
    for (std::size_t i = 0; i < cosine.size(); ++i) {
        const double t = (static_cast<double>(i) - 255.5) / 80.0;
        cosine[i] = std::exp(-t * t) * std::cos(0.9 * static_cast<double>(i));
    }
    double area = 0.0;
    Trace large = cosine;
    for (std::size_t i = 0; i < cosine.size(); ++i) {
        const double t = (static_cast<double>(i) - 255.5) / 80.0;
        area += 0.5 * kStep * std::exp(-2.0 * t * t);
        large[i] *= 2.0;
    }
    TraceMisfitOptions fine;
    fine.envelopeFloor = 1e-6;
    Trace out(512, 0.0);
    const double envelope = of("envelope").judge(large, cosine, kStep, fine, out).value;
    QVERIFY2(std::abs(envelope / area - 1.0) < 1e-4, qPrintable(QString::number(envelope / area - 1.0)));
}

// Waves a known time apart, which is no whole number of samples.
void TestDataMisfit::lagsBetweenSamples()
{
    for (const double late : {0.0, 0.0013, -0.0217, 0.0405}) {
        const auto lag = correlationLag(wave(0.25 + late), wave(0.25), kStep);
        QVERIFY(lag.found);
        QVERIFY2(std::abs(lag.seconds - late) < 1e-6, qPrintable(QString::number(lag.seconds - late)));
    }
}

// Against the definition: where the same share of the mass lies in either trace, by many shares.
void TestDataMisfit::transportIsTheWayOfTheMass()
{
    const Trace s = wave(0.27, 1.4);
    const Trace d = wave(0.2);
    double square = 0.0;
    for (const double v : d) {
        square += v * v;
    }
    const double sharpness = 2.0 / std::sqrt(square / static_cast<double>(d.size()));
    const auto cumulative = [&](const Trace& t) {
        Trace sum = {0.0};
        for (const double v : t) {
            sum.push_back(sum.back() + std::log(1.0 + std::exp(sharpness * v)));
        }
        const double total = sum.back();
        for (double& v : sum) {
            v /= total;
        }
        return sum;
    };
    const Trace a = cumulative(s);
    const Trace b = cumulative(d);
    const auto place = [](const Trace& c, double share) {
        const auto next = std::upper_bound(c.begin(), c.end(), share) - c.begin();
        const auto at = static_cast<std::size_t>(next - 1);
        return (static_cast<double>(at) + (share - c[at]) / (c[at + 1] - c[at])) * kStep;
    };
    constexpr int kShares = 400000;
    double value = 0.0;
    for (int i = 0; i < kShares; ++i) {
        const double share = (i + 0.5) / kShares;
        value += 0.5 * std::pow(place(a, share) - place(b, share), 2) / kShares;
    }
    const double computed = valueOf(**findTraceMisfit("transport"), s, d);
    QVERIFY2(std::abs(computed / value - 1.0) < 1e-7, qPrintable(QString::number(computed / value - 1.0)));
}

void TestDataMisfit::deadTracesCountAsNothing()
{
    const Trace live = wave(0.2);
    const Trace dead(live.size(), 0.0);
    for (const auto& kind : traceMisfitKinds()) {
        for (const auto& [s, d] : {std::pair{live, dead}, std::pair{dead, live}, std::pair{dead, dead},
                                   std::pair{wave(0.2, 1e9), live}, std::pair{live, wave(0.2, 1e9)}}) {
            Trace out(live.size(), 0.0);
            const auto one = kind.judge(s, d, kStep, {}, out);
            QVERIFY2(std::isfinite(one.value), kind.name.data());
            for (const double v : out) {
                QVERIFY2(std::isfinite(v), kind.name.data());
                QVERIFY2(one.used || v == 0.0, kind.name.data());
            }
            QVERIFY2(one.used || one.value == 0.0, kind.name.data());
        }
    }
    // One of two counts, and the other is told; of two none is refused.
    const auto plan = planOf(2, static_cast<int>(live.size()));
    const auto report = std::make_shared<DataMisfitReport>();
    DataMisfitOptions options;
    options.kind = "correlation";
    const auto some = dataMisfit(plan, {tableOf({live, dead})}, options, report);
    QVERIFY(some.has_value());
    const auto judged = (*some)(0, tableOf({wave(0.21), wave(0.22)}));
    QVERIFY(judged.has_value() && judged->misfit > 0.0);
    QCOMPARE(report->unused[0], 1);
    const auto none = dataMisfit(plan, {tableOf({dead, dead})}, options);
    QVERIFY(none.has_value());
    const auto refused = (*none)(0, tableOf({live, live}));
    QVERIFY(!refused && refused.error().text().find("none of the 2 traces of shot 1") != std::string::npos);
}

void TestDataMisfit::theLowPassIsItsOwnTranspose()
{
    const Trace a = noise(157, 1);
    const Trace b = noise(157, 2);
    Trace both = a; // side by side, as those of a shot, and a third one by itself
    both.insert(both.end(), b.begin(), b.end());
    both.insert(both.end(), a.begin(), a.end());
    lowPass(both, a.size(), kStep, 11.0);
    const Trace fa(both.begin(), both.begin() + 157);
    const Trace fb(both.begin() + 157, both.begin() + 314);
    double apart = 0.0; // neighbours do not mix
    for (std::size_t i = 0; i < a.size(); ++i) {
        apart = std::max(apart, std::abs(both[314 + i] - fa[i]));
    }
    QVERIFY(apart < 1e-14);
    double left = 0.0;
    double right = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        left += fa[i] * b[i];
        right += a[i] * fb[i];
    }
    QVERIFY(std::abs(left - right) < 1e-13);
    // At the corner half is left, an octave above 1 / 257; measured inside a long cosine.
    for (const auto& [f, gain] : {std::pair{11.0, 0.5}, std::pair{22.0, 1.0 / 257.0}, std::pair{4.0, 1.0}}) {
        Trace c(4001);
        for (std::size_t i = 0; i < c.size(); ++i) {
            c[i] = std::cos(2.0 * std::numbers::pi * f * (static_cast<double>(i) - 2000.0) * kStep);
        }
        lowPass(c, c.size(), kStep, 11.0);
        QVERIFY2(std::abs(c[2000] - gain) < 2e-3, qPrintable(QString::number(c[2000])));
    }
}

void TestDataMisfit::windows()
{
    const auto plan = planOf(4, 101); // offsets 0, 50, 100, 150 m; 0.4 s
    TraceWindow w;
    w.from = 0.1;
    w.to = 0.3;
    w.nearest = 40.0;
    w.farthest = 110.0;
    w.muteSpeed = 500.0;
    const auto weights = windowWeights(plan.run.survey.shots[0], plan.time, w);
    const auto at = [&](int receiver, double t) {
        return weights[static_cast<std::size_t>(receiver * 101 + static_cast<int>(std::lround(t / kStep)))];
    };
    QCOMPARE(at(0, 0.2), 0.0);
    QCOMPARE(at(3, 0.2), 0.0);
    QCOMPARE(at(1, 0.096), 0.0);
    QCOMPARE(at(1, 0.1), 1.0);
    QCOMPARE(at(1, 0.3), 1.0);
    QCOMPARE(at(1, 0.304), 0.0);
    QCOMPARE(at(2, 0.196), 0.0); // 100 m at 500 m/s
    QCOMPARE(at(2, 0.2), 1.0);
    w.taper = 0.02;
    const auto tapered = windowWeights(plan.run.survey.shots[0], plan.time, w);
    QVERIFY(tapered[101 + 27] > 0.0 && tapered[101 + 27] < 1.0);
}

void TestDataMisfit::throughFilterFactorAndWindow_data()
{
    derivatives_data();
}

// The whole chain, as a gradient uses it.
void TestDataMisfit::throughFilterFactorAndWindow()
{
    QFETCH(int, kind);
    const std::string name(traceMisfitKinds()[static_cast<std::size_t>(kind)].name);
    const auto plan = planOf(2, 157);
    DataMisfitOptions options;
    options.kind = name;
    options.lowPass = 14.0;
    options.sourceScale = name == "l2";
    options.window.from = 0.05;
    options.window.taper = 0.03;
    options.window.muteSpeed = 1000.0;
    const auto misfit = dataMisfit(plan, {tableOf({wave(0.2), wave(0.26, 0.7)})}, options);
    QVERIFY(misfit.has_value());
    const TraceTable s = tableOf({wave(0.215, 1.2), wave(0.25, 0.9)});
    const auto here = (*misfit)(0, s);
    QVERIFY(here.has_value());
    const Trace direction = noise(s.values.size(), 4);
    double exact = 0.0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
        exact += direction[i] * here->values[i];
    }
    const auto difference = [&](double h) {
        TraceTable up = s;
        TraceTable down = s;
        for (std::size_t i = 0; i < direction.size(); ++i) {
            up.values[i] += h * direction[i];
            down.values[i] -= h * direction[i];
        }
        return ((*misfit)(0, up)->misfit - (*misfit)(0, down)->misfit) / (2.0 * h);
    };
    const double measured = (4.0 * difference(0.5e-4) - difference(1e-4)) / 3.0;
    QVERIFY2(std::abs(measured / exact - 1.0) <= 1e-6, qPrintable(QString::number(measured / exact - 1.0)));
}

void TestDataMisfit::refuses_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("text");
    QTest::newRow("kind") << "kind"
                          << "use one of: l2, correlation, huber, envelope, traveltime, transport";
    QTest::newRow("nyquist") << "nyquist"
                             << "less than 125 Hz";
    QTest::newRow("window") << "window"
                            << "0 <= from < to";
    QTest::newRow("taper") << "taper"
                           << "half the window";
    QTest::newRow("offsets") << "offsets"
                             << "nearest <= farthest";
    QTest::newRow("nothing left") << "empty"
                                  << "leave nothing of shot 1";
    QTest::newRow("scale") << "scale"
                           << "use l2";
    QTest::newRow("nan") << "nan"
                         << "sample 6 of observed trace 2 of shot 1";
    QTest::newRow("shape") << "shape"
                           << "the run records 2 of 157";
    QTest::newRow("shots") << "shots"
                           << "data of 0 shots";
    QTest::newRow("polarity") << "polarity"
                              << "no positive factor";
}

void TestDataMisfit::refuses()
{
    QFETCH(QString, what);
    QFETCH(QString, text);
    const auto plan = planOf(2, 157);
    DataMisfitOptions o;
    std::vector<TraceTable> data = {tableOf({wave(0.2), wave(0.25)})};
    if (what == "kind") {
        o.kind = "l3";
    } else if (what == "nyquist") {
        o.lowPass = 125.0;
    } else if (what == "window") {
        o.window.from = 0.7;
    } else if (what == "taper") {
        o.window.taper = 0.4;
    } else if (what == "offsets") {
        o.window.nearest = 10.0;
        o.window.farthest = 5.0;
    } else if (what == "empty") {
        o.window.nearest = 1000.0;
    } else if (what == "scale") {
        o.kind = "huber";
        o.sourceScale = true;
    } else if (what == "nan") {
        data[0].values[157 + 5] = std::nan("");
    } else if (what == "shape") {
        data[0].samples = 156;
    } else if (what == "shots") {
        data.clear();
    } else if (what == "polarity") {
        o.sourceScale = true;
    }
    auto made = dataMisfit(plan, data, o);
    std::string said = made ? std::string() : made.error().text();
    if (made && what == "polarity") {
        const auto judged = (*made)(0, tableOf({wave(0.2, -1.0), wave(0.25, -1.0)}));
        said = judged ? std::string() : judged.error().text();
    }
    QVERIFY2(QString::fromStdString(said).contains(text), said.c_str());
}

QTEST_GUILESS_MAIN(TestDataMisfit)
#include "tst_data_misfit.moc"
