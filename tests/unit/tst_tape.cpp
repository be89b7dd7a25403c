// Tapes on a wave of few numbers whose every step can be counted and checked, the order of binomial checkpoints, the places
// where states lie, and the ways to store. With real waves: the gradient matrix of engine/selftest/adjoint_modes.cpp.
#include "engine/tape/binomial.h"
#include "engine/tape/shelf.h"
#include "engine/tape/tape_file.h"
#include "kernels/backend.h"
#include "tests/unit/late_backend.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

using namespace ondo;

namespace {

// p(n + 1) = p(n) + f(n), W(n) = p(n) (n + 1), on the host's device.
class CountedWave final : public TapedWave {
public:
    explicit CountedWave(int steps, std::unique_ptr<kernels::Backend> backend = kernels::makeHostBackend(1))
        : m_device(std::make_shared<Device>(std::move(backend), nullptr))
        , m_stream(m_device, kernels::StreamPriority::Solver)
        , m_steps(steps)
        , m_state(kNumbers, 1.0)
    {
    }

    static constexpr std::size_t kNumbers = 301;

    [[nodiscard]] int steps() const override { return m_steps; }
    [[nodiscard]] std::size_t numberBytes() const override { return sizeof(double); }
    [[nodiscard]] std::size_t keptBytes() const override { return kNumbers * sizeof(double); }
    [[nodiscard]] std::size_t stateBytes() const override { return kNumbers * sizeof(double); }
    void step(int n, void* kept) override
    {
        QCOMPARE(n, m_at);
        ++m_at;
        ++stepped;
        if (kept != nullptr) {
            std::vector<double> w(m_state);
            std::for_each(w.begin(), w.end(), [n](double& v) { v *= n + 1; });
            std::memcpy(kept, w.data(), keptBytes());
        }
        for (std::size_t i = 0; i < kNumbers; ++i) {
            m_state[i] += std::sin(0.3 * n + static_cast<double>(i));
        }
    }
    void save(void* to) override
    {
        ++moved;
        m_saved[m_at] = m_state;
        std::memcpy(to, m_state.data(), stateBytes());
    }
    void restore(const void* from) override
    {
        ++moved;
        std::memcpy(m_state.data(), from, stateBytes());
        const auto found =
            std::find_if(m_saved.begin(), m_saved.end(), [this](const auto& s) { return s.second == m_state; });
        QVERIFY2(found != m_saved.end(), "a state came back that was never saved");
        m_at = found->first;
    }
    [[nodiscard]] const std::shared_ptr<Device>& device() const override { return m_device; }
    [[nodiscard]] const Stream& stream() const override { return m_stream; }

    int stepped = 0, moved = 0; // steps; states saved and restored

private:
    std::shared_ptr<Device> m_device;
    Stream m_stream;
    int m_steps, m_at = 0;
    std::vector<double> m_state;
    std::map<int, std::vector<double>> m_saved;
};

// W of every step, from the last to the first; empty: not asked.
std::vector<std::vector<double>> unroll(CountedWave& wave, const TapeOptions& options)
{
    const auto kind = findTape(options);
    if (!kind) {
        qFatal("%s", kind.error().text().c_str());
    }
    const auto tape = (*kind)->make(wave, options);
    if (!tape) {
        qFatal("%s", tape.error().text().c_str());
    }
    for (int n = 0; n < wave.steps(); ++n) {
        const auto kept = (*tape)->beforeStep(n);
        if (!kept) {
            qFatal("before step %d", n);
        }
        wave.step(n, *kept);
        if (!(*tape)->afterStep(n)) {
            qFatal("after step %d", n);
        }
    }
    std::vector<std::vector<double>> all(static_cast<std::size_t>(wave.steps()));
    for (int n = wave.steps() - 1; n >= 0; --n) {
        const auto kept = (*tape)->kept(n);
        if (!kept) {
            qFatal("W of step %d", n);
        }
        if (*kept != nullptr) {
            const auto* w = static_cast<const double*>(*kept);
            all[static_cast<std::size_t>(n)].assign(w, w + CountedWave::kNumbers);
        }
    }
    return all;
}

TapeOptions modeOf(const char* mode, int every = 1)
{
    TapeOptions options;
    options.mode = mode;
    options.every = every;
    return options;
}

// The fewest steps, by trying every split.
std::int64_t fewestSteps(int length, int states)
{
    static std::map<std::pair<int, int>, std::int64_t> known;
    if (length <= 1) {
        return 0;
    }
    if (states == 1) {
        return std::int64_t{length} * (length - 1) / 2;
    }
    auto& best = known[{length, states}];
    if (best == 0) {
        best = INT64_MAX;
        for (int m = 1; m < length; ++m) {
            best = std::min(best, m + fewestSteps(length - m, states - 1) + fewestSteps(m, states));
        }
    }
    return best;
}

} // namespace

class TestTape : public QObject {
    Q_OBJECT

private slots:
    void binomialIsOptimal();
    void eachModeGivesEachStep_data();
    void eachModeGivesEachStep();
    void statesLieInThreePlaces();
    void stepsLieInThreePlaces_data();
    void stepsLieInThreePlaces();
    void smallRingsAreExact_data();
    void smallRingsAreExact();
    void lateCopiesAreWaitedFor_data();
    void lateCopiesAreWaitedFor();
    void theFileThreadKeepsItsOrder();
    void nothingStaysOnDisk();
    void aFullDiskIsSaidBefore();
    void fewerBitsAreNearEnough_data();
    void fewerBitsAreNearEnough();
    void refuses_data();
    void refuses();
};

void TestTape::binomialIsOptimal()
{
    QCOMPARE(binomialReach(3, 2), std::int64_t{10});
    QCOMPARE(binomialReach(60, 60), std::int64_t{2147483647});
    for (int states = 1; states <= 9; ++states) {
        for (int length = 1; length <= 130; ++length) {
            QCOMPARE(binomialSteps(length, states), fewestSteps(length, states));
            if (length > 1 && states > 1) {
                const int m = binomialSplit(length, states);
                QVERIFY(m >= 1 && m < length);
                QCOMPARE(m + fewestSteps(length - m, states - 1) + fewestSteps(m, states), fewestSteps(length, states));
            }
        }
    }
    QCOMPARE(binomialStates(2000, 3), 21); // (21 + 3)! / (21! 3!) = 2024
}

void TestTape::eachModeGivesEachStep_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<int>("every");
    QTest::addColumn<int>("states");
    for (const char* mode : {"full", "chunks", "binomial"}) {
        for (const int every : {1, 3}) {
            for (const int states : {0, 1, 2, 5, 61, 90}) {
                if (states == 0 || QString(mode) == "binomial") {
                    QTest::addRow("%s, every %d, %d states", mode, every, states) << QString(mode) << every << states;
                }
            }
        }
    }
}

void TestTape::eachModeGivesEachStep()
{
    QFETCH(QString, mode);
    QFETCH(int, every);
    QFETCH(int, states);
    constexpr int kSteps = 61;
    CountedWave plain(kSteps);
    const auto expected = unroll(plain, modeOf("full"));
    CountedWave wave(kSteps);
    TapeOptions options = modeOf(qPrintable(mode), every);
    options.checkpoints = states;
    const auto found = unroll(wave, options);
    for (std::size_t n = 0; n < expected.size(); ++n) {
        // The same operations on the same numbers: bit for bit.
        QVERIFY2(n % static_cast<std::size_t>(every) == 0 ? found[n] == expected[n] : found[n].empty(),
                 qPrintable(QString("step %1").arg(n)));
    }
    if (every == 1) {
        const double runs = (*findTape(options))->forwardRuns(needsOf(wave), options);
        QCOMPARE(wave.stepped, static_cast<int>(std::lround(kSteps * (1.0 + runs)))); // as predicted
    }
    if (mode == "binomial" && every == 1 && states > 0) {
        QCOMPARE(wave.stepped, kSteps + static_cast<int>(fewestSteps(kSteps, states)));
    }
}

void TestTape::statesLieInThreePlaces()
{
    constexpr int kSteps = 97;
    CountedWave plain(kSteps);
    const auto expected = unroll(plain, modeOf("full"));
    for (const auto& [device, host, disk] :
         {std::array{4, 0, 0}, {0, 4, 0}, {0, 0, 4}, {2, 1, 1}, {1, 2, 1}, {1, 0, 3}}) {
        CountedWave wave(kSteps);
        TapeOptions options = modeOf("binomial");
        options.checkpoints = device;
        options.hostCheckpoints = host;
        options.diskCheckpoints = disk;
        QVERIFY(unroll(wave, options) == expected);
        QCOMPARE(wave.stepped, kSteps + static_cast<int>(fewestSteps(kSteps, 4))); // wherever they lie
        const TapeBytes bytes = (*findTape(options))->bytes(needsOf(wave), options);
        QCOMPARE(bytes.disk, static_cast<std::size_t>(disk) * wave.stateBytes());
        QCOMPARE(wave.device()->arena().use().peak, bytes.device);
        QCOMPARE(wave.device()->arena().use().live, std::size_t{0});
    }
    // All of those that were chosen, at one place; and what they move, slot by slot, is as predicted.
    for (const auto place : {Place::Device, Place::Host, Place::Disk}) {
        CountedWave wave(kSteps);
        TapeOptions options = modeOf("binomial");
        options.place = place;
        QVERIFY(unroll(wave, options) == expected);
        const TapeWork work = (*findTape(options))->work(needsOf(wave), options);
        QCOMPARE(wave.stepped, kSteps + static_cast<int>(std::lround(work.again)));
        QCOMPARE(work.copied, static_cast<double>(wave.stateBytes()) * wave.moved);
        QCOMPARE(work.staged, place == Place::Device ? 0.0 : work.copied);
        QCOMPARE(work.filed, place == Place::Disk ? work.copied : 0.0);
    }
}

void TestTape::stepsLieInThreePlaces_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("storage");
    for (const char* mode : {"full", "chunks"}) {
        for (const char* place : {"host", "disk"}) {
            for (const char* storage : {"exact", "float16"}) {
                QTest::addRow("%s, %s, %s", mode, place, storage)
                    << QString(mode) << QString(place) << QString(storage);
            }
        }
    }
}

void TestTape::stepsLieInThreePlaces()
{
    QFETCH(QString, mode);
    QFETCH(QString, place);
    QFETCH(QString, storage);
    const QTemporaryDir folder;
    for (const int every : {1, 3}) {
        constexpr int kSteps = 83;
        TapeOptions options = modeOf(qPrintable(mode), every);
        options.storage = *findStorage(storage.toStdString());
        CountedWave onDevice(kSteps);
        const auto expected = unroll(onDevice, options);
        options.place = *findPlace(place.toStdString());
        options.folder = folder.path().toStdString();
        CountedWave wave(kSteps);
        QVERIFY(unroll(wave, options) == expected); // copied there and back
        const TapeBytes bytes = (*findTape(options))->bytes(needsOf(wave), options);
        QCOMPARE(wave.device()->arena().use().peak, bytes.device);
        QVERIFY(bytes.device < onDevice.device()->arena().use().peak);
        QVERIFY(place == "disk" ? bytes.disk > 0 : bytes.host > 0 && bytes.disk == 0);
        QVERIFY(QDir(folder.path()).isEmpty(QDir::Files | QDir::Hidden));
    }
}

void TestTape::smallRingsAreExact_data()
{
    QTest::addColumn<QString>("storage");
    QTest::addColumn<QString>("place");
    for (const auto& storage : storageKinds()) {
        for (const char* place : {"host", "disk"}) {
            QTest::addRow("%s on %s", storage.name.data(), place) << QString(storage.name.data()) << QString(place);
        }
    }
}

namespace {

constexpr std::size_t kBlocks = 23, kNumbers = 517; // no multiple of a packed block's 256

// Written from first to last, read in runs, each block twice.
std::vector<std::vector<double>> pass(CountedWave& wave, const Shelf::Size& size, const TapeOptions& options)
{
    auto shelf = Shelf::make(wave, size, options, "test");
    std::vector<std::vector<double>> read;
    for (std::size_t b = 0; b < kBlocks; ++b) {
        auto* to = static_cast<double*>(*shelf->writing(b));
        for (std::size_t i = 0; i < kNumbers; ++i) {
            to[i] = std::sin(static_cast<double>(b * kNumbers + i));
        }
        shelf->wrote(b);
    }
    for (std::size_t run = (kBlocks - 1) / size.run + 1; run-- > 0;) {
        for (std::size_t b = run * size.run; b < std::min((run + 1) * size.run, kBlocks); ++b) {
            for (int twice = 0; twice < 2; ++twice) {
                const auto* from = static_cast<const double*>(*shelf->reading(b));
                read.emplace_back(from, from + kNumbers);
            }
        }
    }
    return read;
}

} // namespace

// Windows that are used again at once, of every length beside that of the runs in which they are read.
void TestTape::smallRingsAreExact()
{
    QFETCH(QString, storage);
    QFETCH(QString, place);
    CountedWave wave(10);
    TapeOptions options;
    options.storage = *findStorage(storage.toStdString());
    const QTemporaryDir folder;
    for (const std::size_t run : {1, 5, 23}) {
        options.place = Place::Device;
        const auto expected = pass(wave, {kBlocks, kNumbers, run}, options);
        options.place = *findPlace(place.toStdString());
        options.folder = folder.path().toStdString();
        for (const std::size_t windows : {1, 2, 3, 7}) {
            for (const std::size_t length : {1, 2, 4, 23}) {
                const Shelf::Size size{kBlocks, kNumbers, run, windows, length};
                QVERIFY2(pass(wave, size, options) == expected,
                         qPrintable(QString("runs of %1, %2 windows of %3").arg(run).arg(windows).arg(length)));
                wave.device()->arena().trim();
                wave.device()->arena().forgetPeaks();
                (void)pass(wave, size, options);
                QCOMPARE(wave.device()->arena().use().peak, Shelf::bytes(size, sizeof(double), options).device);
            }
        }
    }
    QCOMPARE(wave.device()->arena().use().live, std::size_t{0});
}

void TestTape::lateCopiesAreWaitedFor_data()
{
    QTest::addColumn<QString>("place");
    QTest::newRow("host") << "host";
    QTest::newRow("disk") << "disk";
}

void TestTape::lateCopiesAreWaitedFor()
{
    QFETCH(QString, place);
    const QTemporaryDir folder;
    for (const std::size_t run : {1, 5, 23}) {
        CountedWave plain(10);
        const auto expected = pass(plain, {kBlocks, kNumbers, run}, {});
        TapeOptions options;
        options.place = *findPlace(place.toStdString());
        options.folder = folder.path().toStdString();
        for (const std::size_t windows : {1, 2, 3, 7}) {
            for (const std::size_t length : {1, 2, 4}) {
                CountedWave wave(10, std::make_unique<test::LateBackend>());
                QVERIFY2(pass(wave, {kBlocks, kNumbers, run, windows, length}, options) == expected,
                         qPrintable(QString("runs of %1, %2 windows of %3").arg(run).arg(windows).arg(length)));
            }
        }
    }
}

void TestTape::theFileThreadKeepsItsOrder()
{
    std::vector<int> done;
    TaskThread thread;
    std::uint64_t last = 0;
    for (int i = 0; i < 100; ++i) {
        last = thread.give([&done, i]() -> Result<> {
            done.push_back(i);
            return {};
        });
    }
    QVERIFY(thread.waitFor(last));
    QCOMPARE(done.size(), std::size_t{100});
    QVERIFY(std::is_sorted(done.begin(), done.end()));
    (void)thread.give([]() -> Result<> { return badInput("the disk is full"); });
    last = thread.give([]() -> Result<> { return {}; });
    const auto told = thread.waitFor(last); // whoever waits for a later one is told, too
    QVERIFY(!told && told.error().what == "the disk is full");
}

void TestTape::nothingStaysOnDisk()
{
    const QTemporaryDir folder;
    CountedWave wave(20);
    TapeOptions options = modeOf("binomial");
    options.diskCheckpoints = 3;
    options.folder = folder.path().toStdString();
    const auto tape = (*findTape(options))->make(wave, options);
    QVERIFY(tape);
    // Not even while it is in use: a killed process leaves nothing.
    QVERIFY(QDir(folder.path()).isEmpty(QDir::Files | QDir::Hidden));
    auto file = TapeFile::make(options.folder, 4096);
    QVERIFY(file);
    const std::vector<char> out(1000, 'x');
    QVERIFY(file->write(3000, out.data(), out.size()));
    std::vector<char> in(1000);
    QVERIFY(file->read(3000, in.data(), in.size()));
    QVERIFY(in == out);
    const auto beyond = file->read(1 << 20, in.data(), in.size());
    QVERIFY(!beyond && beyond.error().text().find("the file ends") != std::string::npos);
}

void TestTape::aFullDiskIsSaidBefore()
{
    const QTemporaryDir folder;
    const auto name = folder.path().toStdString();
    const auto full = TapeFile::make(name, std::size_t{1} << 60);
    QVERIFY(!full);
    for (const auto& part : {name, std::string("are needed"), std::string("are free"), std::string("another folder")}) {
        QVERIFY2(full.error().text().find(part) != std::string::npos, full.error().text().c_str());
    }
    QVERIFY(QDir(folder.path()).isEmpty(QDir::Files | QDir::Hidden));
    const auto none = TapeFile::make(name + "/none", 10);
    QVERIFY(!none);
    QVERIFY2(none.error().text().find("No such file") != std::string::npos, none.error().text().c_str());
}

void TestTape::fewerBitsAreNearEnough_data()
{
    QTest::addColumn<QString>("storage");
    QTest::addColumn<double>("most"); // of the norm: rounding of evenly spread numbers, half a last place over root 3
    QTest::newRow("float32") << "float32" << 6e-8;
    QTest::newRow("bfloat16") << "bfloat16" << 2e-3;
    QTest::newRow("float16") << "float16" << 3e-4;
    QTest::newRow("int8") << "int8" << 6e-3;
}

void TestTape::fewerBitsAreNearEnough()
{
    QFETCH(QString, storage);
    QFETCH(double, most);
    CountedWave plain(40);
    const auto expected = unroll(plain, modeOf("full"));
    for (const char* mode : {"full", "chunks"}) {
        CountedWave wave(40);
        TapeOptions options = modeOf(mode);
        options.storage = *findStorage(storage.toStdString());
        const auto found = unroll(wave, options);
        double error = 0.0;
        double norm = 0.0;
        for (std::size_t n = 0; n < found.size(); ++n) {
            for (std::size_t i = 0; i < CountedWave::kNumbers; ++i) {
                error += std::pow(found[n][i] - expected[n][i], 2);
                norm += std::pow(expected[n][i], 2);
            }
        }
        error = std::sqrt(error / norm);
        qInfo("%s, %s: %.3g", mode, qPrintable(storage), error);
        QVERIFY2(error > 0.0 && error <= most, qPrintable(QString::number(error)));
        QCOMPARE(wave.device()->arena().use().peak, (*findTape(options))->bytes(needsOf(wave), options).device);
    }
}

void TestTape::refuses_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("text");
    QTest::newRow("binomial stored") << "stored"
                                     << "storage int8 in the memory mode \"binomial\"";
    QTest::newRow("checkpoints in full") << "full"
                                         << "7 checkpoints in the memory mode \"full\"";
    QTest::newRow("less than none") << "negative"
                                    << "-2 checkpoints";
    QTest::newRow("chunks of binomial") << "chunk"
                                        << "chunks of 5 steps in the memory mode \"binomial\"";
    QTest::newRow("places said twice") << "place"
                                       << "the place \"disk\" for 4 checkpoints whose places are given";
    QTest::newRow("less than no tail") << "tail"
                                       << "the last -3 steps";
    QTest::newRow("no interior") << "split"
                                 << "has no lossless interior";
    QTest::newRow("no interior of segments") << "segments"
                                             << "has no lossless interior";
}

void TestTape::refuses()
{
    QFETCH(QString, what);
    QFETCH(QString, text);
    TapeOptions options = modeOf(what == "full"       ? "full"
                                 : what == "split"    ? "boundary"
                                 : what == "segments" ? "segments"
                                                      : "binomial");
    if (what == "stored") {
        options.storage = Storage::Int8;
    } else if (what == "full") {
        options.hostCheckpoints = 7;
    } else if (what == "negative") {
        options.diskCheckpoints = -2;
    } else if (what == "chunk") {
        options.chunk = 5;
    } else if (what == "place") {
        options.place = Place::Disk;
        options.checkpoints = 4;
    } else if (what == "tail") {
        options.tail = -3;
    }
    std::string said;
    if (const auto kind = findTape(options); !kind) {
        said = kind.error().text();
    } else {
        CountedWave wave(10);
        const auto tape = (*kind)->make(wave, options);
        QVERIFY(!tape);
        said = tape.error().text();
    }
    QVERIFY2(said.find(text.toStdString()) != std::string::npos, said.c_str());
    QVERIFY(!findPlace("tape") && findPlace("tape").error().text().find("device, host, disk") != std::string::npos);
    QVERIFY(!findStorage("float8") && findStorage("float8").error().text().find("bfloat16") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestTape)
#include "tst_tape.moc"
