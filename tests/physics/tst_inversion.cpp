// Inversions that must find what is known: their gradient against differences of the misfit itself, two anomalies
// between
// lines of sources and receivers, a crop of Marmousi-II; and the same bits however they are run or broken off.
#include "engine/device/device_list.h"
#include "engine/inversion/illumination.h"
#include "engine/inversion/inversion.h"
#include "engine/selftest/adjoint_setup.h"

#include <QtTest>

#include <cmath>
#include <fstream>
#include <random>

using namespace ondo;

class TestInversion : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void gradientOfTheWhole_data();
    void gradientOfTheWhole();
    void findsTwoAnomalies_data();
    void findsTwoAnomalies();
    void theWayItRunsChangesNoBit();
    void goesOnToTheBit_data();
    void goesOnToTheBit();
    void theSourceFactorIsFound();
    void aWrongWaveletIsRepaired_data();
    void aWrongWaveletIsRepaired();
    void bothParametersAreFound_data();
    void bothParametersAreFound();
    void drawsAreTheSameAndDiffer();
    void encodedShotsInTheMean();
    void illuminationFallsWithDistance();
    void equalModelsAreSaid();
    void refuses_data();
    void refuses();
    void marmousi();

private:
    std::shared_ptr<Device> m_device;
};

namespace {

constexpr int kRows = 45, kColumns = 37;
constexpr double kSpacing = 10.0;

Grid grid()
{
    return *Grid::make2D(kRows, kColumns, kSpacing, kSpacing);
}

// 2000 m/s with a fast and a slow round anomaly of 40 m.
Model anomalies(double size)
{
    std::vector<float> v;
    for (int z = 0; z < kRows; ++z) {
        for (int x = 0; x < kColumns; ++x) {
            const double fast = std::hypot(z - 14, x - 18) / 4.0;
            const double slow = std::hypot(z - 31, x - 18) / 4.0;
            v.push_back(static_cast<float>(2000.0 + size * (std::exp(-fast * fast) - std::exp(-slow * slow))));
        }
    }
    return *Model::make(grid(), std::move(v));
}

// Sources down one side, receivers down the other.
RunDescription between(int shots, Precision precision = Precision::Float32)
{
    RunDescription run;
    run.precision = precision;
    run.boundary.layerCells = 12;
    run.duration = 0.5;
    run.sampleInterval = 0.002;
    for (int s = 0; s < shots; ++s) {
        Shot shot;
        const double z = 20.0 + 400.0 * s / std::max(1, shots - 1);
        shot.sources.push_back({{20.0, 0.0, z}, Wavelet::ricker(14.0)});
        shot.receivers = receiverLine({340.0, 0.0, 20.0}, {340.0, 0.0, 420.0}, 21);
        run.survey.shots.push_back(shot);
    }
    return run;
}

InversionSettings settings(int iterations)
{
    InversionSettings s;
    s.stages = {{0.0, iterations}};
    s.slowest = 1700.0;
    s.fastest = 2300.0;
    s.optimiser.firstStep = 40.0;
    s.smoothing = 15.0;
    s.gradient.tape.mode = "full";
    return s;
}

std::vector<TraceTable> dataOf(const InversionPlan& plan, const Model& model, const std::shared_ptr<Device>& device)
{
    return tracesOf(withSpeeds(*plan.plan, model.velocity().samples()), device);
}

double errorOf(const std::vector<float>& v, const Model& truth)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        sum += std::pow(static_cast<double>(v[i]) - static_cast<double>(truth.velocity().samples()[i]), 2);
    }
    return std::sqrt(sum / static_cast<double>(v.size()));
}

// Ends an inversion after so many records, as a full disk would.
class Limited final : public InversionHistory {
public:
    Limited(InversionMemory& to, int most)
        : m_to(to)
        , m_most(most)
    {
    }
    int count() const override { return m_to.count(); }
    Result<InversionRecord> read(int index) override { return m_to.read(index); }
    Result<> append(const InversionRecord& record) override
    {
        if (m_to.count() >= m_most) {
            return fail(ErrorKind::Io, "no room");
        }
        return m_to.append(record);
    }

private:
    InversionMemory& m_to;
    int m_most;
};

void compare(const InversionMemory& a, const InversionMemory& b)
{
    QCOMPARE(a.records.size(), b.records.size());
    for (std::size_t i = 0; i < a.records.size(); ++i) {
        QVERIFY2(a.records[i].speed == b.records[i].speed, qPrintable(QString::number(i)));
        QVERIFY2(a.records[i].gradient == b.records[i].gradient, qPrintable(QString::number(i)));
        QCOMPARE(a.records[i].objective, b.records[i].objective);
        QCOMPARE(a.records[i].step, b.records[i].step);
    }
}

} // namespace

void TestInversion::initTestCase()
{
    const auto cpu = openDevice("cpu", 2);
    QVERIFY(cpu.has_value());
    m_device = cpu->device;
}

void TestInversion::gradientOfTheWhole_data()
{
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<bool>("all");
    for (const auto& kind : traceMisfitKinds()) {
        QTest::newRow(kind.name.data()) << QByteArray(kind.name.data()) << false;
    }
    QTest::newRow("l2 with everything") << QByteArray("l2") << true;
    QTest::newRow("encoded") << QByteArray("l2") << false;
    QTest::newRow("source of a shot") << QByteArray("l2") << false;
    QTest::newRow("source of all") << QByteArray("l2") << false;
    QTest::newRow("source of all, encoded, windowed") << QByteArray("l2") << false;
}

// The record's gradient against central differences of the objective, by runs in double with perturbed start models:
// every
// perturbation is one that floats hold exactly.
void TestInversion::gradientOfTheWhole()
{
    QFETCH(QByteArray, kind);
    QFETCH(bool, all);
    auto s = settings(1);
    s.illumination = false;
    s.data.kind = kind.toStdString();
    const QByteArray row = QTest::currentDataTag();
    if (row.contains("encoded")) {
        s.optimiser.method = "adam";
        s.encodedShots = 1;
    }
    s.data.sourceFilter = row.contains("of a shot") ? "shot" : row.contains("of all") ? "common" : "none";
    if (row.contains("windowed")) {
        s.stages[0].lowPass = 20.0;
        s.data.window.from = 0.1;
        s.data.window.taper = 0.02;
    }
    if (all) {
        s.stages[0].lowPass = 20.0;
        s.data.sourceScale = true;
        s.data.window.from = 0.1;
        s.data.window.taper = 0.02;
        s.tikhonov = 0.3;
        s.totalVariation = 0.2;
    }
    const auto run = between(2, Precision::Float64);
    const auto data = dataOf(*planInversion(run, anomalies(0.0), m_device->facts(), s), anomalies(160.0), m_device);
    std::mt19937 random(7);
    std::uniform_int_distribution<int> one(-64, 64);
    std::vector<double> direction;
    for (int i = 0; i < kRows * kColumns; ++i) {
        direction.push_back(one(random) / 64.0);
    }
    // Raw parts of the record where an inversion begins.
    const auto first = [&](double h) {
        std::vector<float> v;
        for (const double d : direction) {
            v.push_back(static_cast<float>(2000.0 + h * d));
        }
        const auto plan = planInversion(run, *Model::make(grid(), std::move(v)), m_device->facts(), s);
        InversionMemory memory;
        Limited only(memory, 1);
        (void)runInversion(*plan, m_device, data, s, only);
        return memory.records.at(0);
    };
    const auto here = first(0.0);
    const double exact = dot(here.gradient, direction);
    // The roughness is of the mean speed, which moves with the direction: its part is checked at 2000 m/s by its own
    // test, and
    // here through both, with the same reference.
    const auto difference = [&](double h) {
        const auto up = first(h);
        const auto down = first(-h);
        return ((up.data - down.data) / here.reference + up.roughness - down.roughness) / (2.0 * h);
    };
    const double measured = (4.0 * difference(0.5) - difference(1.0)) / 3.0;
    const double error = std::abs(measured / exact - 1.0);
    qInfo("%s: %.9g against %.9g, %.1e", kind.constData(), exact, measured, error);
    QVERIFY(error <= 1e-6);
}

void TestInversion::findsTwoAnomalies_data()
{
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<double>("misfitLeft");
    QTest::addColumn<double>("errorLeft");
    // Of the start's: what was seen, with a margin of a quarter of the error and twice the misfit.
    QTest::newRow("lbfgs l2") << QByteArray("lbfgs") << QByteArray("l2") << 0.001 << 0.68;
    QTest::newRow("cg l2") << QByteArray("cg") << QByteArray("l2") << 0.004 << 0.70;
    QTest::newRow("steepest l2") << QByteArray("steepest") << QByteArray("l2") << 0.004 << 0.70;
    QTest::newRow("gauss-newton l2") << QByteArray("gauss-newton") << QByteArray("l2") << 0.001 << 0.70;
    QTest::newRow("adam l2") << QByteArray("adam") << QByteArray("l2") << 0.20 << 0.98;
    QTest::newRow("lbfgs correlation") << QByteArray("lbfgs") << QByteArray("correlation") << 0.0015 << 0.70;
    QTest::newRow("lbfgs huber") << QByteArray("lbfgs") << QByteArray("huber") << 0.001 << 0.70;
    QTest::newRow("lbfgs envelope") << QByteArray("lbfgs") << QByteArray("envelope") << 0.001 << 0.70;
    QTest::newRow("lbfgs traveltime") << QByteArray("lbfgs") << QByteArray("traveltime") << 0.0015 << 0.84;
    QTest::newRow("lbfgs transport") << QByteArray("lbfgs") << QByteArray("transport") << 0.01 << 0.8;
}

void TestInversion::findsTwoAnomalies()
{
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, kind);
    QFETCH(double, misfitLeft);
    QFETCH(double, errorLeft);
    auto s = settings(12);
    s.optimiser.method = method.toStdString();
    s.data.kind = kind.toStdString();
    if (method == "gauss-newton") {
        s.stages[0].iterations = 5; // each with a few products
    }
    if (method == "adam") {
        // Its steps have one length for every node, lit or not: short ones of a smooth gradient.
        s.optimiser.firstStep = 6.0;
        s.smoothing = 30.0;
        s.stages[0].iterations = 20;
    }
    const Model truth = anomalies(160.0);
    const auto plan = planInversion(between(7), anomalies(0.0), m_device->facts(), s);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    InversionMemory memory;
    const auto done = runInversion(*plan, m_device, dataOf(*plan, truth, m_device), s, memory);
    QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
    const auto& from = memory.records.front();
    const auto& to = memory.records.back();
    const double error = errorOf(to.speed, truth) / errorOf(from.speed, truth);
    qInfo("%s %s: misfit to %.4f, model error to %.3f of the start's, %zu records", method.constData(),
          kind.constData(), to.data / from.data, error, memory.records.size());
    QVERIFY(to.data / from.data <= misfitLeft);
    QVERIFY(error <= errorLeft);
    for (const auto& r : memory.records) {
        for (const float v : r.speed) {
            QVERIFY(v >= 1700.0F && v <= 2300.0F);
        }
    }
}

void TestInversion::theWayItRunsChangesNoBit()
{
    const auto s = settings(3);
    const auto one = openDevice("cpu", 1);
    auto run = between(3);
    const auto plan = planInversion(run, anomalies(0.0), m_device->facts(), s);
    const auto data = dataOf(*plan, anomalies(160.0), m_device);
    InversionMemory a;
    QVERIFY(runInversion(*plan, m_device, data, s, a).has_value());
    InversionMemory b;
    QVERIFY(runInversion(*plan, one->device, data, s, b).has_value());
    compare(a, b);
    run.shotsAtOnce = 2;
    auto chunks = s;
    chunks.gradient.tape.mode = "chunks";
    const auto other = planInversion(run, anomalies(0.0), m_device->facts(), chunks);
    InversionMemory c;
    QVERIFY(runInversion(*other, m_device, data, chunks, c).has_value());
    compare(a, c);
}

void TestInversion::goesOnToTheBit_data()
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
void TestInversion::goesOnToTheBit()
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

void TestInversion::theSourceFactorIsFound()
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

void TestInversion::aWrongWaveletIsRepaired_data()
{
    QTest::addColumn<QByteArray>("filter");
    QTest::newRow("shot") << QByteArray("shot");
    QTest::newRow("common") << QByteArray("common");
}

// Data of another wavelet (other frequency, 12 ms later, three times as strong, turned over): in the right model it is found;
// an inversion with the wrong one goes where that with the right one goes, and finds the wavelet on the way.
void TestInversion::aWrongWaveletIsRepaired()
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

void TestInversion::bothParametersAreFound_data()
{
    QTest::addColumn<bool>("impedance");
    QTest::addColumn<bool>("gaussNewton");
    QTest::newRow("density") << false << false;
    QTest::newRow("impedance") << true << false;
    QTest::newRow("density, gauss-newton") << false << true;
}

// Sources and receivers all around a square with a fast round anomaly and, elsewhere, a heavy one: transmission sees the
// speed, reflection the density. Its gradient by both against differences first, then both errors fall; broken off, the same
// bits. Bounds hold for both.
void TestInversion::bothParametersAreFound()
{
    QFETCH(bool, impedance);
    QFETCH(bool, gaussNewton);
    constexpr int kN = 31;
    const Grid square = *Grid::make2D(kN, kN, kSpacing, kSpacing);
    const auto model = [&](double fast, double heavy, const std::vector<double>& by, double h) {
        std::vector<float> v;
        std::vector<float> rho;
        for (int i = 0; i < kN * kN; ++i) {
            const double z = i / kN;
            const double x = i % kN;
            const double a = std::hypot(z - 11, x - 15) / 3.0;
            const double b = std::hypot(z - 20, x - 15) / 3.0;
            const double d = by.empty() ? 0.0 : h * by[static_cast<std::size_t>(i)];
            v.push_back(static_cast<float>(2000.0 + fast * std::exp(-a * a) + d));
            const double q = 2000.0 + heavy * std::exp(-b * b) - 2.0 * d;
            rho.push_back(static_cast<float>(q));
        }
        return *Model::make(square, std::move(v))->withDensity(std::move(rho));
    };
    RunDescription run;
    run.equation = Equation::VariableDensity;
    run.boundary.layerCells = 10;
    run.duration = 0.3;
    run.sampleInterval = 0.002;
    for (int side = 0; side < 4; ++side) {
        {
            const double at = 130.0 + 10.0 * side;
            Shot shot;
            const Position p[] = {{at, 0.0, 20.0}, {280.0, 0.0, at}, {at, 0.0, 280.0}, {20.0, 0.0, at}};
            shot.sources.push_back({p[side], Wavelet::ricker(16.0)});
            for (const auto& [a, b] : {std::pair{Position{20.0, 0.0, 20.0}, Position{280.0, 0.0, 20.0}},
                                       {Position{20.0, 0.0, 280.0}, Position{280.0, 0.0, 280.0}}}) {
                const auto line = receiverLine(a, b, 14);
                shot.receivers.insert(shot.receivers.end(), line.begin(), line.end());
            }
            run.survey.shots.push_back(shot);
        }
    }
    auto s = settings(10);
    s.parameters = impedance ? InvertedParameters::SpeedImpedance : InvertedParameters::SpeedDensity;
    if (gaussNewton) {
        s.optimiser.method = "gauss-newton";
        s.stages[0].iterations = 3; // each with a few products
    }
    s.secondTikhonov = 0.01;
    s.tikhonov = 0.01;
    s.illumination = false;
    const double low = impedance ? 3.4e6 : 1700.0;
    const double high = impedance ? 5.5e6 : 2500.0;
    s.secondLow = low;
    s.secondHigh = high;
    const Model truth = model(120.0, 300.0, {}, 0.0);
    const Model start = model(0.0, 0.0, {}, 0.0);
    const auto plan = planInversion(run, start, m_device->facts(), s);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    auto truly = std::make_shared<SimulationPlan>(*plan->plan);
    truly->model = truth;
    const auto data = tracesOf(truly, m_device);
    if (!gaussNewton) { // whose gradients are the others'
        std::mt19937 random(5);
        std::uniform_int_distribution<int> one(-64, 64);
        std::vector<double> by;
        for (int i = 0; i < kN * kN; ++i) {
            by.push_back(one(random) / 64.0);
        }
        const auto first = [&](double h) {
            auto precise = run;
            precise.precision = Precision::Float64;
            const auto at = planInversion(precise, model(0.0, 0.0, by, h), m_device->facts(), s);
            InversionMemory memory;
            Limited only(memory, 1);
            (void)runInversion(*at, m_device, data, s, only);
            return memory.records.at(0);
        };
        const auto here = first(0.0);
        // d q of the direction (1, -2): a density's is -2, an impedance's rho dc + c drho, to first order.
        const double exact =
            dot(here.gradient, by) + (impedance ? 2000.0 - 4000.0 : -2.0) * dot(here.secondGradient, by);
        const auto difference = [&](double h) { return (first(h).data - first(-h).data) / here.reference / (2.0 * h); };
        const double measured = (4.0 * difference(0.5) - difference(1.0)) / 3.0;
        // The roughness of the start is 0, and its derivative.
        const double error = std::abs(measured / exact - 1.0);
        qInfo("gradient %.9g against %.9g, %.1e", exact, measured, error);
        // Impedances are rounded to single precision, 6e-8 of a change of 5e-4, at random over 961 nodes.
        QVERIFY(error <= (impedance ? 1e-4 : 1e-6));
    }
    InversionMemory memory;
    const auto done = runInversion(*plan, m_device, data, s, memory);
    QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
    const auto error = [&](const std::vector<float>& values, const std::vector<float>& of) {
        double sum = 0.0;
        for (std::size_t i = 0; i < of.size(); ++i) {
            sum += std::pow(static_cast<double>(values[i]) - static_cast<double>(of[i]), 2);
        }
        return std::sqrt(sum);
    };
    const auto& from = memory.records.front();
    const auto& to = memory.records.back();
    const auto second = secondOf(truth, s.parameters);
    const Model found = modelOf(start, to.speed, to.second, s.parameters);
    const double speedLeft =
        error(to.speed, truth.velocity().samples()) / error(from.speed, truth.velocity().samples());
    const double secondLeft = error(to.second, second) / error(from.second, second);
    const double densityLeft = error(found.density().samples(), truth.density().samples()) /
                               error(start.density().samples(), truth.density().samples());
    qInfo("misfit to %.4f, errors left: speed %.3f, second %.3f, density %.3f", to.data / from.data, speedLeft,
          secondLeft, densityLeft);
    QVERIFY(to.data < 0.07 * from.data);
    QVERIFY(speedLeft < 0.7);
    QVERIFY(secondLeft < 0.93); // seen: 0.87 and 0.79; four shots see little of it
    for (const auto& r : memory.records) {
        QCOMPARE(r.second.size(), r.speed.size());
        QVERIFY(std::all_of(r.second.begin(), r.second.end(),
                            [&](float q) { return q >= static_cast<float>(low) && q <= static_cast<float>(high); }));
    }
    if (gaussNewton) {
        return; // it remembers nothing
    }
    InversionMemory broken = memory;
    broken.records.resize(9);
    QVERIFY(runInversion(*plan, m_device, data, s, broken).has_value());
    compare(memory, broken);
    QVERIFY(memory.records.back().second == broken.records.back().second);
}

void TestInversion::drawsAreTheSameAndDiffer()
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
void TestInversion::encodedShotsInTheMean()
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
void TestInversion::illuminationFallsWithDistance()
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

void TestInversion::equalModelsAreSaid()
{
    const auto s = settings(2);
    const auto plan = planInversion(between(1), anomalies(0.0), m_device->facts(), s);
    InversionMemory memory;
    const auto done = runInversion(*plan, m_device, dataOf(*plan, anomalies(0.0), m_device), s, memory);
    QVERIFY(!done && done.error().text().find("nothing to invert") != std::string::npos);
    QCOMPARE(memory.count(), 0);
}

void TestInversion::refuses_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("text");
    QTest::newRow("stages") << "stages"
                            << "has no stage";
    QTest::newRow("iterations") << "iterations"
                                << "stage 1 has 0 iterations";
    QTest::newRow("draws") << "draws"
                           << "use adam";
    QTest::newRow("density of one density") << "parameters"
                                            << "with the equation \"acoustic\"";
    QTest::newRow("bounds of nothing") << "second"
                                       << "the speed moves alone";
    QTest::newRow("filter of huber") << "filter huber"
                                     << "a source filter with the misfit";
    QTest::newRow("filter and factor") << "filter factor"
                                       << "the filter has a factor in it";
    QTest::newRow("no such filter") << "filter none"
                                    << "use one of: none, shot, common";
    QTest::newRow("encoded, a filter a shot") << "encoded filter"
                                              << "a source filter a shot";
    QTest::newRow("encoded by lbfgs") << "encoded"
                                      << "shots encoded at random with the optimiser";
    QTest::newRow("encoded huber") << "encoded huber"
                                   << "not linear in the residual";
    QTest::newRow("encoded and drawn") << "encoded drawn"
                                       << "set one of";
    QTest::newRow("encoded factor") << "encoded factor"
                                    << "a source factor a shot";
    QTest::newRow("encoded mute") << "encoded mute"
                                  << "offsets of all its shots";
    QTest::newRow("encoded moving") << "encoded moving"
                                    << "receivers of shot 2 are not those of shot 1";
    QTest::newRow("too many super-shots") << "encoded many"
                                          << "3 super-shots of 2 shots";
    QTest::newRow("more shots") << "more"
                                << "5 shots of 2 shots";
    QTest::newRow("bounds") << "bounds"
                            << "0 < slowest < fastest";
    QTest::newRow("outside") << "outside"
                             << "outside the bounds of 1990 to 2300 m/s";
    QTest::newRow("all fixed") << "fixed"
                               << "nodes are held fixed";
    QTest::newRow("low-pass") << "lowpass"
                              << "less than 250 Hz";
    QTest::newRow("smoothing") << "weight"
                               << "weights of -1";
}

void TestInversion::refuses()
{
    QFETCH(QString, what);
    QFETCH(QString, text);
    auto s = settings(1);
    if (what == "stages") {
        s.stages.clear();
    } else if (what == "iterations") {
        s.stages[0].iterations = 0;
    } else if (what == "draws") {
        s.shotsPerIteration = 1;
    } else if (what == "parameters") {
        s.parameters = InvertedParameters::SpeedDensity;
    } else if (what == "second") {
        s.secondLow = 1000.0;
    } else if (what.startsWith("filter")) {
        s.data.sourceFilter = what == "filter none" ? "every" : "shot";
        s.data.kind = what == "filter huber" ? "huber" : "l2";
        s.data.sourceScale = what == "filter factor";
    } else if (what.startsWith("encoded")) {
        s.encodedShots = what == "encoded many" ? 3 : 1;
        s.optimiser.method = what == "encoded" ? "lbfgs" : "adam";
        s.data.kind = what == "encoded huber" ? "huber" : "l2";
        s.shotsPerIteration = what == "encoded drawn" ? 1 : 0;
        s.data.sourceScale = what == "encoded factor";
        s.data.sourceFilter = what == "encoded filter" ? "shot" : "none";
        s.data.window.muteSpeed = what == "encoded mute" ? 2000.0 : 0.0;
    } else if (what == "more") {
        s.shotsPerIteration = 5;
    } else if (what == "bounds") {
        s.slowest = 2400.0;
    } else if (what == "outside") {
        s.slowest = 1990.0;
    } else if (what == "fixed") {
        s.fixedDepth = 1e4;
    } else if (what == "lowpass") {
        s.stages[0].lowPass = 250.0;
    } else {
        s.tikhonov = -1.0;
    }
    auto run = between(2);
    if (what == "encoded moving") {
        run.survey.shots[1].receivers.pop_back();
    }
    const auto plan = planInversion(run, anomalies(100.0), m_device->facts(), s);
    QVERIFY(!plan);
    QVERIFY2(QString::fromStdString(plan.error().text()).contains(text), plan.error().text().c_str());
}

// 2.4 km by 1.4 km of Marmousi-II with 200 m of its sea, from a start that a Gaussian of 140 m has smoothed below the
// sea floor.
// The water is known: a fixed layer of wrong speeds between sources and model would make the rest wrong in its stead.
void TestInversion::marmousi()
{
    const QString cases = qEnvironmentVariable("ONDO_CASES", ONDO_SOURCE_DIR "/../shared/cases");
    std::ifstream in((cases + "/models/marmousi2-denise/marmousi_II_marine.vp").toStdString(), std::ios::binary);
    constexpr int kFileRows = 174, kFileColumns = 500; // (x, z), 20 m; 22 rows of water
    std::vector<float> file(static_cast<std::size_t>(kFileRows) * kFileColumns);
    if (!in.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(file.size() * sizeof(float)))) {
        QSKIP("Marmousi-II is not here; set ONDO_CASES to the folder shared/cases");
    }
    constexpr int kCropRows = 70, kCropColumns = 120, kWater = 10;
    std::vector<double> speed;
    for (int z = 0; z < kCropRows; ++z) {
        for (int x = 0; x < kCropColumns; ++x) {
            speed.push_back(static_cast<double>(file[static_cast<std::size_t>((190 + x) * kFileRows + 12 + z)]));
        }
    }
    const Grid g = *Grid::make2D(kCropRows, kCropColumns, 20.0, 20.0);
    const Model truth = *Model::make(g, {speed.begin(), speed.end()});
    const auto floor = speed.begin() + static_cast<std::ptrdiff_t>(kWater) * kCropColumns;
    std::vector<double> below(floor, speed.end());
    smoothGaussian(*Grid::make2D(kCropRows - kWater, kCropColumns, 20.0, 20.0), 140.0, below);
    std::copy(below.begin(), below.end(), floor);
    const Model start = *Model::make(g, {speed.begin(), speed.end()});
    RunDescription run;
    run.boundary.layerCells = 12;
    run.duration = 2.0;
    run.sampleInterval = 0.004;
    for (int i = 0; i < 8; ++i) {
        Shot shot;
        shot.sources.push_back({{100.0 + 300.0 * i, 0.0, 30.0}, Wavelet::ricker(4.0)});
        shot.receivers = receiverLine({0.0, 0.0, 50.0}, {2380.0, 0.0, 50.0}, 80);
        run.survey.shots.push_back(shot);
    }
    InversionSettings s;
    s.stages = {{3.0, 6}, {6.0, 6}};
    s.smoothing = 30.0;
    s.fixedSpeed = 1500.0;
    s.optimiser.firstStep = 30.0;
    const auto plan = planInversion(run, start, m_device->facts(), s);
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    InversionMemory memory;
    const auto data = dataOf(*plan, truth, m_device);
    const auto done = runInversion(*plan, m_device, data, s, memory);
    QVERIFY2(done.has_value(), done ? "" : done.error().text().c_str());
    double seconds = 0.0;
    for (const auto& r : memory.records) {
        seconds += r.seconds;
        qInfo("stage %d iteration %d: %.4f of the stage's misfit, model error %.1f m/s", r.stage + 1, r.iteration,
              r.data / r.reference, errorOf(r.speed, truth));
    }
    // The 300 m below the sea floor, where short offsets see best.
    const auto shallow = [&](const std::vector<float>& v) {
        double sum = 0.0;
        for (int i = kWater * kCropColumns; i < (kWater + 15) * kCropColumns; ++i) {
            const auto at = static_cast<std::size_t>(i);
            sum += std::pow(static_cast<double>(v[at]) - static_cast<double>(truth.velocity().samples()[at]), 2);
        }
        return std::sqrt(sum / (15.0 * kCropColumns));
    };
    const auto& found = memory.records.back();
    const auto& first = start.velocity().samples();
    const double whole = errorOf(found.speed, truth) / errorOf(first, truth);
    const double near = shallow(found.speed) / shallow(first);
    qInfo("model error to %.3f of the start's, in the upper 300 m to %.3f; %.1f s", whole, near, seconds);
    // Seen: 0.044, 0.856 and 0.546; what is left lies deeper than such offsets see.
    QVERIFY(found.data <= 0.1 * found.reference);
    QVERIFY(whole <= 0.92);
    QVERIFY(near <= 0.68);
}

QTEST_GUILESS_MAIN(TestInversion)
#include "tst_inversion.moc"
