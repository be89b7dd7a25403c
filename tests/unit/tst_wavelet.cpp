// Wavelets against formulas and numbers that do not come from wavelet.cpp: spectra by DFT, a sweep's own autocorrelation.
#include "engine/survey/wavelet.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

using namespace ondo;

class TestWavelet : public QObject {
    Q_OBJECT

private slots:
    void rickerPeaksAtItsDelay();
    void rickerHasNoMean();
    void rickerSpectrumIsTheFormula();
    void gaussianDerivativesPeakAtOne_data();
    void gaussianDerivativesPeakAtOne();
    void gaussianDerivativesAreDerivatives_data();
    void gaussianDerivativesAreDerivatives();
    void ormsbySpectrumIsATrapezoid();
    void klauderIsTheSweepsAutocorrelation();
    void dominantFrequencyIsTheSpectrumsTop_data();
    void dominantFrequencyIsTheSpectrumsTop();
    void highestFrequencyHoldsItsPromise_data();
    void highestFrequencyHoldsItsPromise();
    void startsQuietly_data();
    void startsQuietly();
    void recordingIsInterpolated();
    void recordingEndsInSilence();
    void recordedGradientIsTheTranspose();
    void amplitudeIsAFactor();
    void badWaveletsAreRefused_data();
    void badWaveletsAreRefused();
    void namesGoBothWays();
};

namespace {

constexpr double kPi = std::numbers::pi;

// |sum s[i] exp(-2 pi i f i dt)| dt: the amplitude spectrum at one frequency.
double spectrum(const std::vector<double>& s, double dt, double frequency)
{
    std::complex<double> sum = 0.0;
    const std::complex<double> turn = std::polar(1.0, -2.0 * kPi * frequency * dt);
    std::complex<double> w = 1.0;
    for (const double v : s) {
        sum += v * w;
        w *= turn;
    }
    return std::abs(sum) * dt;
}

// Largest amplitude on [low, high] Hz, and where.
struct Top {
    double frequency = 0.0;
    double amplitude = 0.0;
};

Top topOf(const std::vector<double>& s, double dt, double low, double high, int points = 600)
{
    Top top;
    for (int i = 0; i <= points; ++i) {
        const double f = low + (high - low) * i / points;
        const double a = spectrum(s, dt, f);
        if (a > top.amplitude) {
            top = {f, a};
        }
    }
    return top;
}

Wavelet ofKind(WaveletKind kind, int derivative = 1)
{
    Wavelet w;
    w.kind = kind;
    w.derivative = derivative;
    w.peakFrequency = 12.0;
    return w;
}

Wavelet ormsby(double a, double b, double c, double d)
{
    Wavelet w = ofKind(WaveletKind::Ormsby);
    const double corners[4] = {a, b, c, d};
    std::copy(corners, corners + 4, w.corners);
    return w;
}

Wavelet klauder(double low, double high, double length)
{
    Wavelet w = ofKind(WaveletKind::Klauder);
    w.sweepLow = low;
    w.sweepHigh = high;
    w.sweepLength = length;
    return w;
}

// A row for each shape that has a spectrum in closed form or nearly so.
void shapes()
{
    QTest::addColumn<Wavelet>("wavelet");
    QTest::newRow("ricker") << ofKind(WaveletKind::Ricker);
    QTest::newRow("gaussian") << ofKind(WaveletKind::Gaussian);
    QTest::newRow("gaussian derivative 1") << ofKind(WaveletKind::GaussianDerivative, 1);
    QTest::newRow("gaussian derivative 2") << ofKind(WaveletKind::GaussianDerivative, 2);
    QTest::newRow("gaussian derivative 3") << ofKind(WaveletKind::GaussianDerivative, 3);
    QTest::newRow("ormsby") << ormsby(2, 6, 25, 40);
    QTest::newRow("ormsby wide") << ormsby(0, 2, 30, 60);
    QTest::newRow("klauder 5-40 Hz in 8 s") << klauder(5, 40, 8);
    QTest::newRow("klauder 8-80 Hz in 12 s") << klauder(8, 80, 12);
    QTest::newRow("klauder 10-60 Hz in 2 s") << klauder(10, 60, 2);
    QTest::newRow("klauder 5-40 Hz in 1 s") << klauder(5, 40, 1);
    QTest::newRow("klauder 5-8 Hz in 20 s") << klauder(5, 8, 20);
}

} // namespace

Q_DECLARE_METATYPE(Wavelet)

void TestWavelet::rickerPeaksAtItsDelay()
{
    const auto s = Wavelet::ricker(12.0, 0.125).samples(0.001, 400);
    QVERIFY(std::abs(s[125] - 1.0) < 1e-15);
    QCOMPARE(std::max_element(s.begin(), s.end()) - s.begin(), std::ptrdiff_t{125});
    // Zero where 2 (pi f t)^2 = 1, lowest, -2 exp(-3/2), where (pi f t)^2 = 3/2.
    QVERIFY(std::abs(Wavelet::ricker(12.0, 1.0 / (kPi * 12.0 * std::sqrt(2.0))).samples(0.001, 1)[0]) < 1e-14);
    const double lowest = Wavelet::ricker(12.0, std::sqrt(1.5) / (kPi * 12.0)).samples(0.001, 1)[0];
    QVERIFY(std::abs(lowest + 2.0 * std::exp(-1.5)) < 1e-14);
    QCOMPARE(Wavelet::ricker(12.0).centre(), 0.125); // 1.5 / f unless said otherwise
}

void TestWavelet::rickerHasNoMean()
{
    const auto s = Wavelet::ricker(12.0, 0.3).samples(0.001, 601);
    double sum = 0.0;
    for (const double v : s) {
        sum += v;
    }
    QVERIFY(std::abs(sum * 0.001) < 1e-12);
}

void TestWavelet::rickerSpectrumIsTheFormula()
{
    // 2 / sqrt(pi) v^2 / f^3 exp(-v^2 / f^2)
    const auto s = Wavelet::ricker(12.0, 0.5).samples(0.001, 1001);
    for (const double v : {1.0, 5.0, 12.0, 20.0, 30.0, 40.0}) {
        const double expected = 2.0 / std::sqrt(kPi) * v * v / (12.0 * 12.0 * 12.0) * std::exp(-v * v / 144.0);
        QVERIFY2(std::abs(spectrum(s, 0.001, v) - expected) < 1e-12, qPrintable(QString::number(v)));
    }
}

void TestWavelet::gaussianDerivativesPeakAtOne_data()
{
    QTest::addColumn<int>("derivative");
    for (int n = 1; n <= 3; ++n) {
        QTest::addRow("%d", n) << n;
    }
}

void TestWavelet::gaussianDerivativesPeakAtOne()
{
    QFETCH(int, derivative);
    const auto s = ofKind(WaveletKind::GaussianDerivative, derivative).samples(1e-5, 25000);
    const auto largest =
        std::max_element(s.begin(), s.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    QVERIFY2(std::abs(std::abs(*largest) - 1.0) < 1e-6, qPrintable(QString::number(*largest, 'g', 12)));
}

void TestWavelet::gaussianDerivativesAreDerivatives_data()
{
    gaussianDerivativesPeakAtOne_data();
}

void TestWavelet::gaussianDerivativesAreDerivatives()
{
    // Central differences of the Gaussian itself, up to a positive factor. The third has the sign of the third derivative.
    QFETCH(int, derivative);
    Wavelet gaussian = ofKind(WaveletKind::Gaussian);
    Wavelet wanted = ofKind(WaveletKind::GaussianDerivative, derivative);
    gaussian.delay = wanted.delay = 0.2;
    const double h = 1e-4;
    const auto g = gaussian.samples(h, 4001);
    const auto d = wanted.samples(h, 4001);
    std::vector<double> numeric = g;
    for (int n = 0; n < derivative; ++n) {
        std::vector<double> next(numeric.size(), 0.0);
        for (std::size_t i = 1; i + 1 < numeric.size(); ++i) {
            next[i] = (numeric[i + 1] - numeric[i - 1]) / (2.0 * h);
        }
        numeric = next;
    }
    double top = 0.0;
    for (const double v : numeric) {
        top = std::max(top, std::abs(v));
    }
    double worst = 0.0;
    for (std::size_t i = 100; i + 100 < d.size(); ++i) {
        worst = std::max(worst, std::abs(d[i] - numeric[i] / top));
    }
    QVERIFY2(worst < 1e-4, qPrintable(QString::number(worst)));
}

void TestWavelet::ormsbySpectrumIsATrapezoid()
{
    Wavelet w = ormsby(2, 6, 25, 40);
    w.delay = 8.0;
    const double dt = 0.002;
    const auto s = w.samples(dt, 8001);
    QVERIFY(std::abs(s[4000] - 1.0) < 1e-12);
    const double flat = spectrum(s, dt, 15.0);
    const auto level = [&](double f) { return spectrum(s, dt, f) / flat; };
    // The tails beyond 8 s are missing: corners are rounded over an eighth of a hertz.
    QVERIFY(level(1.0) < 0.005);
    QVERIFY(std::abs(level(4.0) - 0.5) < 0.005);
    QVERIFY(std::abs(level(10.0) - 1.0) < 0.005);
    QVERIFY(std::abs(level(24.0) - 1.0) < 0.005);
    QVERIFY(std::abs(level(28.0) - 0.8) < 0.005);
    QVERIFY(std::abs(level(37.0) - 0.2) < 0.005);
    QVERIFY(level(42.0) < 0.005);
}

void TestWavelet::klauderIsTheSweepsAutocorrelation()
{
    // The wavelet leaves out the term at the sum of the two frequencies, which is of the order of
    // 1 / (4 pi f T) = 2 % at the worst for 5 Hz and 8 s, and less where the sweep has moved on.
    const Wavelet w = klauder(5, 40, 8);
    const double dt = 0.0005;
    const int n = 16000;
    std::vector<double> sweep(n);
    for (int i = 0; i < n; ++i) {
        const double t = i * dt;
        sweep[static_cast<std::size_t>(i)] = std::sin(2.0 * kPi * (5.0 * t + 0.5 * 35.0 / 8.0 * t * t));
    }
    const auto correlation = [&](int lag) {
        double sum = 0.0;
        for (int i = 0; i + lag < n; ++i) {
            sum += sweep[static_cast<std::size_t>(i)] * sweep[static_cast<std::size_t>(i + lag)];
        }
        return sum;
    };
    const double peak = correlation(0);
    Wavelet centred = w;
    centred.delay = 4.0;
    const auto s = centred.samples(dt, n);
    double worst = 0.0;
    for (int lag = 0; lag < 4000; lag += 7) {
        worst = std::max(worst, std::abs(correlation(lag) / peak - s[static_cast<std::size_t>(8000 + lag)]));
    }
    QVERIFY2(worst < 0.01, qPrintable(QString::number(worst)));
}

void TestWavelet::dominantFrequencyIsTheSpectrumsTop_data()
{
    QTest::addColumn<Wavelet>("wavelet");
    QTest::newRow("ricker") << ofKind(WaveletKind::Ricker);
    for (int n = 1; n <= 3; ++n) {
        QTest::addRow("gaussian derivative %d", n) << ofKind(WaveletKind::GaussianDerivative, n);
    }
}

void TestWavelet::dominantFrequencyIsTheSpectrumsTop()
{
    QFETCH(Wavelet, wavelet);
    wavelet.delay = 0.5;
    const Top top = topOf(wavelet.samples(0.001, 1001), 0.001, 0.0, 50.0, 1000);
    QVERIFY2(std::abs(top.frequency - wavelet.dominantFrequency()) <= 0.051,
             qPrintable(QString("%1 Hz, said %2 Hz").arg(top.frequency).arg(wavelet.dominantFrequency())));
}

void TestWavelet::highestFrequencyHoldsItsPromise_data()
{
    shapes();
}

void TestWavelet::highestFrequencyHoldsItsPromise()
{
    // As a source takes it: from t = 0, what stands before cut off.
    QFETCH(Wavelet, wavelet);
    const double highest = wavelet.highestFrequency();
    const double dt = 0.001;
    const double length = wavelet.kind == WaveletKind::Klauder ? wavelet.sweepLength + 0.5 : 4.0;
    const auto s = wavelet.samples(dt, static_cast<int>(length / dt));
    const Top peak = topOf(s, dt, 0.0, highest, 1000);
    const Top beyond = topOf(s, dt, highest, 5.0 * highest, 1000);
    QVERIFY2(beyond.amplitude < 0.05 * peak.amplitude, qPrintable(QString("%1 of the peak at %2 Hz, beyond %3 Hz")
                                                                      .arg(beyond.amplitude / peak.amplitude)
                                                                      .arg(beyond.frequency)
                                                                      .arg(highest)));
    // And it is no idle promise: a quarter lower it would not hold.
    const Top near = topOf(s, dt, 0.75 * highest, highest, 300);
    QVERIFY(near.amplitude > 0.05 * peak.amplitude);
}

void TestWavelet::startsQuietly_data()
{
    shapes();
}

void TestWavelet::startsQuietly()
{
    QFETCH(Wavelet, wavelet);
    const auto s = wavelet.samples(0.001, 2000);
    const double limit = wavelet.kind == WaveletKind::Klauder || wavelet.kind == WaveletKind::Ormsby ? 0.08 : 1e-6;
    QVERIFY2(std::abs(s[0]) < limit, qPrintable(QString::number(s[0])));
}

void TestWavelet::recordingIsInterpolated()
{
    const Wavelet ricker = Wavelet::ricker(10.0, 0.3);
    const auto recorded = Wavelet::sampled(ricker.samples(0.004, 150), 0.004, "shot.npy");
    QVERIFY(recorded.has_value());
    const auto fine = recorded->samples(0.0007, 800);
    const auto truth = ricker.samples(0.0007, 800);
    double worst = 0.0;
    for (std::size_t i = 0; i < fine.size(); ++i) {
        worst = std::max(worst, std::abs(fine[i] - truth[i]));
    }
    QVERIFY2(worst < 2e-4, qPrintable(QString::number(worst)));
    // On its own step, and on multiples of it, the recording comes back bit for bit.
    QCOMPARE(recorded->samples(0.004, 150), ricker.samples(0.004, 150));
    QVERIFY(std::abs(recorded->samples(0.012, 40)[25] - 1.0) < 1e-12);
    QVERIFY(std::abs(recorded->highestFrequency() - 24.0) < 1.0);
    QVERIFY(std::abs(recorded->dominantFrequency() - 10.0) < 0.5);
    QVERIFY(recorded->describe().find("shot.npy") != std::string::npos);
}

void TestWavelet::recordingEndsInSilence()
{
    const auto recorded = Wavelet::sampled({1.0, 2.0, 3.0}, 0.01);
    const auto s = recorded->samples(0.01, 6);
    QCOMPARE(s, (std::vector<double>{1.0, 2.0, 3.0, 0.0, 0.0, 0.0}));
}

void TestWavelet::amplitudeIsAFactor()
{
    const auto one = Wavelet::ricker(12.0).samples(0.002, 200);
    const auto many = Wavelet::ricker(12.0, 0.0, -250.0).samples(0.002, 200);
    for (std::size_t i = 0; i < one.size(); ++i) {
        QCOMPARE(many[i], -250.0 * one[i]);
    }
    QVERIFY(Wavelet::ricker(12.0).samples(0.002, -1).empty());
}

void TestWavelet::badWaveletsAreRefused_data()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QTest::addColumn<Wavelet>("wavelet");
    QTest::newRow("no frequency") << Wavelet::ricker(0.0);
    QTest::newRow("negative frequency") << Wavelet::ricker(-5.0);
    QTest::newRow("frequency not a number") << Wavelet::ricker(nan);
    QTest::newRow("negative delay") << Wavelet::ricker(10.0, -0.1);
    QTest::newRow("amplitude not a number") << Wavelet::ricker(10.0, 0.0, nan);
    QTest::newRow("fourth derivative") << ofKind(WaveletKind::GaussianDerivative, 4);
    QTest::newRow("corners out of order") << ormsby(2, 6, 5, 40);
    QTest::newRow("equal low corners") << ormsby(6, 6, 25, 40);
    QTest::newRow("sweep downwards") << klauder(40, 5, 8);
    QTest::newRow("sweep in no time") << klauder(5, 40, 0);
    QTest::newRow("nothing recorded") << ofKind(WaveletKind::Sampled);
}

void TestWavelet::badWaveletsAreRefused()
{
    QFETCH(Wavelet, wavelet);
    const auto verdict = wavelet.check();
    QVERIFY(!verdict.has_value());
    QCOMPARE(verdict.error().kind, ErrorKind::BadInput);
    QVERIFY(!Wavelet::sampled({1.0, std::numeric_limits<double>::infinity()}, 0.01).has_value());
}

void TestWavelet::namesGoBothWays()
{
    for (const WaveletKind kind : {WaveletKind::Ricker, WaveletKind::Gaussian, WaveletKind::GaussianDerivative,
                                   WaveletKind::Ormsby, WaveletKind::Klauder, WaveletKind::Sampled}) {
        const auto back = waveletKindFromName(waveletKindName(kind));
        QVERIFY(back.has_value());
        QCOMPARE(*back, kind);
    }
    QVERIFY(!waveletKindFromName("ricket").has_value());
}

// <samples(w), g> = <w, recordedGradient(g)>, on the recording's own step and on others, delayed and scaled.
void TestWavelet::recordedGradientIsTheTranspose()
{
    for (const double step : {0.004, 0.0031, 0.0117}) {
        std::vector<double> values;
        std::vector<double> g;
        for (int i = 0; i < 50; ++i) {
            values.push_back(std::sin(1.7 * i * i));
            g.push_back(std::cos(2.3 * i * i));
        }
        Wavelet w = *Wavelet::sampled(values, step);
        w.delay = 0.0123;
        w.amplitude = -1.7;
        const auto s = w.samples(0.004, 50);
        const auto back = w.recordedGradient(g, 0.004);
        QCOMPARE(back.size(), values.size());
        double left = 0.0;
        double right = 0.0;
        double scale = 0.0;
        for (std::size_t i = 0; i < 50; ++i) {
            left += s[i] * g[i];
            right += values[i] * back[i];
            scale += std::abs(s[i] * g[i]);
        }
        QVERIFY(std::abs(left - right) < 1e-14 * scale); // round-off of some fifty terms
    }
    QVERIFY(Wavelet::ricker(10.0).recordedGradient(std::vector<double>(10, 1.0), 0.004).empty());
}

QTEST_GUILESS_MAIN(TestWavelet)
#include "tst_wavelet.moc"
