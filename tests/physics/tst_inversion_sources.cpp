// What an inversion fires and what it takes for the source: wavelets and factors found with the model, shots drawn and
// encoded at random, what they light; the same bits when broken off.
#include "engine/inversion/illumination.h"
#include "tests/physics/inversion_case.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace ondo;

class TestInversionSources : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void goesOnToTheBit_data();
    void goesOnToTheBit();
    void theSourceFactorIsFound();
    void aWrongWaveletIsRepaired_data();
    void aWrongWaveletIsRepaired();
    void drawsAreTheSameAndDiffer();
    void encodedShotsInTheMean();
    void illuminationFallsWithDistance();

private:
    std::shared_ptr<Device> m_device;
};

void TestInversionSources::initTestCase()
{
    const auto cpu = openDevice("cpu", 2);
    QVERIFY(cpu.has_value());
    m_device = cpu->device;
}

void TestInversionSources::goesOnToTheBit_data()
{
    QTest::addColumn<QByteArray>("method");
    for (const auto& name : optimiserNames()) {
        QTest::newRow(name.data()) << QByteArray(name.data());
    }
    QTest::newRow("encoded") << QByteArray("adam");
    QTest::newRow("source of a shot") << QByteArray("lbfgs");
    QTest::newRow("encoded, source of all") << QByteArray("adam");
}

// Broken off at each record in turn, over a change of stage; adam with shots drawn at random.
void TestInversionSources::goesOnToTheBit()
{
    QFETCH(QByteArray, method);
    auto s = settings(3);
    s.stages = {{12.0, 3}, {0.0, 3}};
    s.optimiser.method = method.toStdString();
    const QByteArray row = QTest::currentDataTag();
    const bool encoded = row.startsWith("encoded");
    s.data.sourceFilter = row.endsWith("of a shot") ? "shot" : row.endsWith("of all") ? "common" : "none";
    s.shotsPerIteration = method == "adam" && !encoded ? 2 : 0;
    s.encodedShots = encoded ? 2 : 0;
    s.seed = 11;
    const auto plan = planInversion(between(3), anomalies(0.0), m_device->facts(), s);
    const auto data = dataOf(*plan, anomalies(160.0), m_device);
    InversionMemory whole;
    QVERIFY(runInversion(*plan, m_device, data, s, whole).has_value());
    QCOMPARE(whole.records.size(), std::size_t{8});
    InversionMemory broken;
    for (int most = 1; most <= 8; most += 2) {
        Limited limited(broken, most);
        const auto stopped = runInversion(*plan, m_device, data, s, limited);
        QVERIFY(!stopped && stopped.error().what == "no room");
    }
    QVERIFY(runInversion(*plan, m_device, data, s, broken).has_value());
    compare(whole, broken);
    // More of the last stage later on.
    auto longer = s;
    longer.stages.back().iterations = 4;
    InversionMemory more = broken;
    QVERIFY(runInversion(*plan, m_device, data, longer, more).has_value());
    InversionMemory atOnce;
    QVERIFY(runInversion(*plan, m_device, data, longer, atOnce).has_value());
    compare(more, atOnce);
}

void TestInversionSources::theSourceFactorIsFound()
{
    auto s = settings(1);
    s.data.sourceScale = true;
    const auto plan = planInversion(between(2), anomalies(0.0), m_device->facts(), s);
    auto data = dataOf(*plan, anomalies(20.0), m_device);
    for (std::size_t shot = 0; shot < data.size(); ++shot) {
        for (double& v : data[shot].values) {
            v *= shot == 0 ? 2.5 : 0.4;
        }
    }
    InversionMemory memory;
    QVERIFY(runInversion(*plan, m_device, data, s, memory).has_value());
    // The anomalies are small: so is what they take from the factor.
    QVERIFY(std::abs(memory.records[0].factors[0] / 2.5 - 1.0) < 0.03);
    QVERIFY(std::abs(memory.records[0].factors[1] / 0.4 - 1.0) < 0.03);
}

void TestInversionSources::aWrongWaveletIsRepaired_data()
{
    QTest::addColumn<QByteArray>("filter");
    QTest::newRow("shot") << QByteArray("shot");
    QTest::newRow("common") << QByteArray("common");
}

// Data of another wavelet (other frequency, 12 ms later, three times as strong, turned over): in the right model it is found;
// an inversion with the wrong one goes where that with the right one goes, and finds the wavelet on the way.
void TestInversionSources::aWrongWaveletIsRepaired()
{
    QFETCH(QByteArray, filter);
    auto s = settings(8);
    const auto right = between(5);
    auto wrong = right;
    auto truly = right;
    const Wavelet strange = Wavelet::ricker(12.0, 1.5 / 14.0 + 0.012, -3.0);
    for (auto& shot : truly.survey.shots) {
        shot.sources.front().wavelet = strange;
    }
    const Model truth = anomalies(160.0);
    const auto plain = planInversion(truly, anomalies(0.0), m_device->facts(), s);
    const auto data = dataOf(*plain, truth, m_device);
    s.data.sourceFilter = filter.toStdString();
    const auto asked = strange.samples(plain->plan->time.dt, plain->plan->time.count);
    const auto wrongBy = [&](const InversionRecord& r) {
        double most = 0.0;
        const std::size_t n = asked.size();
        for (std::size_t at = 0; at < r.wavelets.size(); at += n) {
            double square = 0.0;
            for (std::size_t k = 0; k < n; ++k) {
                square += std::pow(r.wavelets[at + k] - asked[k], 2);
            }
            most = std::max(most, std::sqrt(square / dot(asked, asked)));
        }
        return most;
    };
    {
        const auto plan = planInversion(wrong, truth, m_device->facts(), s);
        InversionMemory memory;
        Limited only(memory, 1);
        (void)runInversion(*plan, m_device, data, s, only);
        const auto& r = memory.records.at(0);
        QCOMPARE(r.wavelets.size(), asked.size() * (filter == "shot" ? 5U : 1U));
        qInfo("%s: wavelet in the right model within %.2e", filter.constData(), wrongBy(r));
        QVERIFY(wrongBy(r) < 0.01); // what the water level takes where the wrong wavelet has little
    }
    const auto plan = planInversion(wrong, anomalies(0.0), m_device->facts(), s);
    InversionMemory memory;
    QVERIFY(runInversion(*plan, m_device, data, s, memory).has_value());
    const auto& from = memory.records.front();
    const auto& to = memory.records.back();
    s.data.sourceFilter = "none";
    InversionMemory known;
    QVERIFY(runInversion(*plain, m_device, data, s, known).has_value());
    const double start = errorOf(from.speed, truth);
    const double error = errorOf(to.speed, truth) / start;
    const double errorKnown = errorOf(known.records.back().speed, truth) / start;
    qInfo("%s: wavelet from %.3f to %.3f, misfit to %.4f, model error to %.3f, of the known wavelet's %.3f",
          filter.constData(), wrongBy(from), wrongBy(to), to.data / from.data, error, errorKnown);
    QVERIFY(wrongBy(to) < 0.05);
    QVERIFY(error < 0.8);
}

void TestInversionSources::drawsAreTheSameAndDiffer()
{
    const auto a = drawnShots(20, 5, 3, 4);
    QCOMPARE(a, drawnShots(20, 5, 3, 4));
    QVERIFY(a != drawnShots(20, 5, 3, 5) && a != drawnShots(20, 5, 4, 4));
    std::vector<int> often(20, 0);
    for (int record = 0; record < 4000; ++record) {
        const auto drawn = drawnShots(20, 5, 1, record);
        QCOMPARE(drawn.size(), std::size_t{5});
        QVERIFY(std::adjacent_find(drawn.begin(), drawn.end(), std::greater_equal<>()) == drawn.end());
        for (const int shot : drawn) {
            ++often[static_cast<std::size_t>(shot)];
        }
    }
    // 1000 each, deviation 27.
    for (const int count : often) {
        QVERIFY(std::abs(count - 1000) < 140);
    }
}

// Each shot in a super-shot of its own is the survey, whatever the signs. Of one super-shot the mean over codes tends to the
// sum of the shots' gradients: what is left falls as one over the root of how many there were.
void TestInversionSources::encodedShotsInTheMean()
{
    const int shots = 5;
    const auto codes = shotCodes(20, 3, 5, 7);
    QCOMPARE(codes, shotCodes(20, 3, 5, 7));
    QVERIFY(codes != shotCodes(20, 3, 5, 8) && codes != shotCodes(20, 3, 6, 7));
    for (int group = 1; group <= 3; ++group) {
        const auto size = std::count_if(codes.begin(), codes.end(), [&](double c) { return std::abs(c) == group; });
        QVERIFY(size == 6 || size == 7);
    }
    auto s = settings(1);
    s.illumination = false;
    s.optimiser.method = "adam";
    const auto run = between(shots);
    const auto data = dataOf(*planInversion(run, anomalies(0.0), m_device->facts(), s), anomalies(160.0), m_device);
    const auto gradient = [&](int superShots, std::uint64_t seed) {
        s.encodedShots = superShots;
        s.seed = seed;
        const auto plan = planInversion(run, anomalies(0.0), m_device->facts(), s);
        InversionMemory memory;
        Limited only(memory, 1);
        (void)runInversion(*plan, m_device, data, s, only);
        auto record = memory.records.at(0);
        for (double& v : record.gradient) {
            v *= record.reference;
        }
        return record;
    };
    const auto sum = gradient(0, 1).gradient;
    const auto away = [&](const std::vector<double>& g, double share) {
        double square = 0.0;
        for (std::size_t i = 0; i < sum.size(); ++i) {
            square += std::pow(share * g[i] - sum[i], 2);
        }
        return std::sqrt(square / dot(sum, sum));
    };
    const auto alone = gradient(shots, 3);
    QCOMPARE(alone.misfits.size(), std::size_t(shots));
    QVERIFY2(away(alone.gradient, 1.0) < 1e-5, qPrintable(QString::number(away(alone.gradient, 1.0)))); // floats
    std::vector<double> mean(sum.size(), 0.0);
    double one = 0.0; // root mean square
    constexpr int kDraws = 64;
    for (int seed = 1; seed <= kDraws; ++seed) {
        const auto record = gradient(1, static_cast<std::uint64_t>(seed));
        QCOMPARE(record.misfits.size(), std::size_t{1});
        one += std::pow(away(record.gradient, 1.0), 2) / kDraws;
        for (std::size_t i = 0; i < mean.size(); ++i) {
            mean[i] += record.gradient[i];
        }
    }
    const double ratio = away(mean, 1.0 / kDraws) / std::sqrt(one / kDraws);
    qInfo("crosstalk of one draw %.3f of the gradient, of %d draws %.3f: %.2f of one over the root", std::sqrt(one),
          kDraws, away(mean, 1.0 / kDraws), ratio);
    // Of ten pairs of shots with random signs: the ratio's own deviation is 0.25.
    QVERIFY(ratio > 0.3 && ratio < 1.7);
}

// In two dimensions a field's square falls as one over the distance.
void TestInversionSources::illuminationFallsWithDistance()
{
    auto run = between(1);
    run.survey.shots[0].sources[0].position = {180.0, 0.0, 220.0};
    const auto plan = planInversion(run, anomalies(0.0), m_device->facts(), settings(1));
    const auto light = computeIllumination(plan->plan, m_device);
    QVERIFY(light.has_value());
    const auto at = [&](int z, int x) { return (*light)[static_cast<std::size_t>(z * kColumns + x)]; };
    const double ratio = at(22 + 8, 18) / at(22 + 16, 18);
    QVERIFY2(std::abs(ratio / 2.0 - 1.0) < 0.1, qPrintable(QString::number(ratio)));
    QVERIFY(std::abs(at(22, 18 + 12) / at(22, 18 - 12) - 1.0) < 1e-3);
    QVERIFY(std::abs(at(22 + 12, 18) / at(22, 18 + 12) - 1.0) < 1e-2);
}

QTEST_GUILESS_MAIN(TestInversionSources)
#include "tst_inversion_sources.moc"
