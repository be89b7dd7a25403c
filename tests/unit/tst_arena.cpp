// The arena on a backend that counts: buckets, reuse behind events, zeros, labels, the cap, failures that say what to do.
#include "engine/device/arena.h"
#include "engine/device/device.h"
#include "tests/unit/fake_backend.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

using namespace ondo;
using ondo::test::FakeBackend;

class TestArena : public QObject {
    Q_OBJECT

private slots:
    void bucketsAreReusedAcrossSizes();
    void exactBlocksGoBack();
    void keptBlocksAreNotRounded();
    void shapesOfThePastGoBack();
    void peaksCanBeForgotten();
    void zeroedMeansZeroedAlsoWhenReused();
    void reuseWaitsForTheRelease();
    void ownStreamIsPreferred();
    void labelsAreCounted();
    void capRefusesWithAMessage();
    void capIsMetByTrimmingIdleBlocks();
    void failedAllocationTrimsAndTriesAgain();
    void failureNamesLabelBytesAndWhatIsLive();
    void trimGivesIdleBlocksBack();
    void releaseWithoutEventsGivesTheBlockBack();
    void nothingLeaks();
    void buffersKeepTheirDeviceAndMove();
    void manyThreads();
};

namespace {

void* take(DeviceArena& arena, std::size_t bytes, kernels::StreamHandle stream = FakeBackend::stream(1),
           BlockSize size = BlockSize::Bucket, const char* label = "state")
{
    return arena.allocate(bytes, label, size, BlockContent::Uninitialised, stream);
}

std::string refusalOf(DeviceArena& arena, std::size_t bytes, const char* label)
{
    try {
        (void)take(arena, bytes, FakeBackend::stream(1), BlockSize::Exact, label);
    } catch (const kernels::BackendError& error) {
        return error.failure() == kernels::BackendFailure::OutOfMemory ? error.what() : "another failure";
    }
    return {};
}

bool allZero(const void* memory, std::size_t bytes)
{
    const auto* p = static_cast<const unsigned char*>(memory);
    return std::all_of(p, p + bytes, [](unsigned char c) { return c == 0; });
}

} // namespace

void TestArena::bucketsAreReusedAcrossSizes()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* first = take(arena, 1000);
    QCOMPARE(arena.use().reserved, std::size_t{1024});
    arena.release(first, FakeBackend::stream(1));
    void* second = take(arena, 600); // the same power of two
    QCOMPARE(second, first);
    QCOMPARE(backend.allocated, 1);
    void* third = take(arena, 512); // a smaller one
    QVERIFY(third != first);
    QCOMPARE(arena.use().reuses, std::uint64_t{1});
    QCOMPARE(arena.use().allocations, std::uint64_t{3});
    arena.release(second, FakeBackend::stream(1));
    arena.release(third, FakeBackend::stream(1));
}

void TestArena::exactBlocksGoBack()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* model = take(arena, 5000, FakeBackend::stream(3), BlockSize::Exact);
    QCOMPARE(arena.use().reserved, std::size_t{5120}); // rounded to 256, not to 8192
    arena.release(model, FakeBackend::stream(3));
    QCOMPARE(backend.released, 1);
    QCOMPARE(backend.frees.back().second, FakeBackend::stream(3));
    QCOMPARE(arena.use().reserved, std::size_t{0});
}

void TestArena::keptBlocksAreNotRounded()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* field = take(arena, 5000, FakeBackend::stream(1), BlockSize::Kept);
    QCOMPARE(arena.use().reserved, std::size_t{5120}); // rounded to 256, not to 8192
    arena.release(field, FakeBackend::stream(1));
    QCOMPARE(arena.use().idle, std::size_t{5120});
    QCOMPARE(take(arena, 5000, FakeBackend::stream(1), BlockSize::Kept), field);
    QCOMPARE(arena.use().idle, std::size_t{0});
    QCOMPARE(backend.allocated, 1);
    arena.release(field, FakeBackend::stream(1));
}

void TestArena::shapesOfThePastGoBack()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    arena.release(take(arena, 100'000, FakeBackend::stream(1), BlockSize::Kept), FakeBackend::stream(1));
    // More is asked for than lies idle: it may be wanted again.
    void* large = take(arena, 200'000, FakeBackend::stream(1), BlockSize::Kept);
    QCOMPARE(backend.released, 0);
    arena.release(large, FakeBackend::stream(1));
    void* other = take(arena, 90'000, FakeBackend::stream(1), BlockSize::Kept);
    QCOMPARE(backend.released, 2);
    QCOMPARE(arena.use().reserved, std::size_t{90'112});
    arena.release(other, FakeBackend::stream(1));
}

void TestArena::peaksCanBeForgotten()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* kept = take(arena, 1000);
    arena.release(take(arena, 5000, FakeBackend::stream(1), BlockSize::Exact), FakeBackend::stream(1));
    QCOMPARE(arena.use().reservedPeak, std::size_t{1024 + 5120});
    arena.forgetPeaks();
    QCOMPARE(arena.use().peak, std::size_t{1000});
    QCOMPARE(arena.use().reservedPeak, std::size_t{1024});
    QCOMPARE(arena.use().byLabel.at("state").second, std::size_t{1000});
    arena.release(kept, FakeBackend::stream(1));
}

void TestArena::zeroedMeansZeroedAlsoWhenReused()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    const auto zeroed = [&] {
        return arena.allocate(900, "state", BlockSize::Bucket, BlockContent::Zeroed, FakeBackend::stream(1));
    };
    void* memory = zeroed();
    QVERIFY(allZero(memory, 900));
    std::memset(memory, 7, 900);
    arena.release(memory, FakeBackend::stream(1));
    QCOMPARE(zeroed(), memory);
    QVERIFY(allZero(memory, 900));
    QCOMPARE(backend.zeroed, 2);
    arena.release(memory, FakeBackend::stream(1));
}

void TestArena::reuseWaitsForTheRelease()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* memory = take(arena, 1000, FakeBackend::stream(1));
    arena.release(memory, FakeBackend::stream(1)); // event 1
    backend.eventsDone = false;
    QCOMPARE(take(arena, 1000, FakeBackend::stream(2)), memory);
    QCOMPARE(backend.waits.size(), std::size_t{1});
    QCOMPARE(backend.waits[0].first, FakeBackend::stream(2));
    QCOMPARE(backend.waits[0].second, 1);
    arena.release(memory, FakeBackend::stream(2));
    // Also on the same handle: the stream may be a new one.
    QCOMPARE(take(arena, 1000, FakeBackend::stream(2)), memory);
    QCOMPARE(backend.waits.size(), std::size_t{2});
    arena.release(memory, FakeBackend::stream(2));
}

void TestArena::ownStreamIsPreferred()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* mine = take(arena, 1000, FakeBackend::stream(1));
    void* other = take(arena, 1000, FakeBackend::stream(2));
    arena.release(mine, FakeBackend::stream(1));
    arena.release(other, FakeBackend::stream(2));
    backend.eventsDone = false;
    QCOMPARE(take(arena, 1000, FakeBackend::stream(1)), mine);
    QCOMPARE(take(arena, 1000, FakeBackend::stream(1)), other);
}

void TestArena::labelsAreCounted()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* model = take(arena, 4000, FakeBackend::stream(1), BlockSize::Exact, "model");
    void* state = take(arena, 3000, FakeBackend::stream(1), BlockSize::Bucket, "state");
    void* more = take(arena, 2000, FakeBackend::stream(1), BlockSize::Bucket, "state");
    arena.release(state, FakeBackend::stream(1));
    const ArenaUse use = arena.use();
    QCOMPARE(use.live, std::size_t{6000});
    QCOMPARE(use.peak, std::size_t{9000});
    QCOMPARE(use.byLabel.at("model").first, std::size_t{4000});
    QCOMPARE(use.byLabel.at("state").first, std::size_t{2000});
    QCOMPARE(use.byLabel.at("state").second, std::size_t{5000});
    QCOMPARE(use.reserved, std::size_t{4096 + 4096 + 2048});
    arena.release(model, FakeBackend::stream(1));
    arena.release(more, FakeBackend::stream(1));
    QCOMPARE(arena.use().live, std::size_t{0});
}

void TestArena::capRefusesWithAMessage()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    arena.setCap(8192);
    void* model = take(arena, 4096, FakeBackend::stream(1), BlockSize::Exact, "model");
    const std::string said = refusalOf(arena, 5000, "wavefield");
    QVERIFY2(said.find("\"wavefield\"") != std::string::npos, said.c_str());
    QVERIFY2(said.find("model 4.0 KiB") != std::string::npos, said.c_str());
    QVERIFY2(said.find("the cap is 8.0 KiB") != std::string::npos, said.c_str());
    QVERIFY2(said.find("raise the cap") != std::string::npos, said.c_str());
    QCOMPARE(arena.use().refusals, std::uint64_t{1});
    QCOMPARE(backend.allocated, 1);
    arena.release(model, FakeBackend::stream(1));
}

void TestArena::capIsMetByTrimmingIdleBlocks()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    arena.setCap(8192);
    arena.release(take(arena, 4096), FakeBackend::stream(1)); // idle
    void* big = take(arena, 8000, FakeBackend::stream(1), BlockSize::Exact);
    QCOMPARE(backend.released, 1);
    QCOMPARE(arena.use().reserved, std::size_t{8192});
    arena.release(big, FakeBackend::stream(1));
}

void TestArena::failedAllocationTrimsAndTriesAgain()
{
    FakeBackend backend;
    backend.room = 8192;
    DeviceArena arena(backend);
    arena.release(take(arena, 4096), FakeBackend::stream(1));
    void* big = take(arena, 8192, FakeBackend::stream(1), BlockSize::Exact);
    QVERIFY(big != nullptr);
    QCOMPARE(backend.trims, 1);
    QCOMPARE(arena.use().refusals, std::uint64_t{0});
    arena.release(big, FakeBackend::stream(1));
}

void TestArena::failureNamesLabelBytesAndWhatIsLive()
{
    FakeBackend backend;
    backend.room = 1 << 20;
    DeviceArena arena(backend);
    void* model = take(arena, 600 << 10, FakeBackend::stream(1), BlockSize::Exact, "model");
    const std::string said = refusalOf(arena, 700 << 10, "layer memories");
    QVERIFY2(said.find("no memory for \"layer memories\": 700.0 KiB asked") != std::string::npos, said.c_str());
    QVERIFY2(said.find("600.0 KiB live (model 600.0 KiB)") != std::string::npos, said.c_str());
    QVERIFY2(said.find("the fake has") != std::string::npos, said.c_str());
    QVERIFY2(said.find("use a smaller grid") != std::string::npos, said.c_str());
    QVERIFY(!refusalOf(arena, SIZE_MAX, "everything").empty());
    arena.release(model, FakeBackend::stream(1));
}

void TestArena::trimGivesIdleBlocksBack()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* kept = take(arena, 1000);
    arena.release(take(arena, 3000), FakeBackend::stream(1));
    arena.release(take(arena, 9000), FakeBackend::stream(1));
    arena.trim();
    QCOMPARE(backend.released, 2);
    QCOMPARE(backend.trims, 1);
    QCOMPARE(arena.use().reserved, std::size_t{1024});
    QCOMPARE(backend.frees.back().second, kernels::StreamHandle(nullptr)); // their stream may be gone
    QCOMPARE(backend.waits.size(), std::size_t{2});
    arena.release(kept, FakeBackend::stream(1));
}

void TestArena::releaseWithoutEventsGivesTheBlockBack()
{
    FakeBackend backend;
    DeviceArena arena(backend);
    void* memory = take(arena, 1000);
    backend.eventsFail = true;
    arena.release(memory, FakeBackend::stream(1));
    QCOMPARE(backend.released, 1);
    QCOMPARE(arena.use().reserved, std::size_t{0});
}

void TestArena::nothingLeaks()
{
    FakeBackend backend;
    {
        DeviceArena arena(backend);
        (void)take(arena, 100); // forgotten by its owner
        arena.release(take(arena, 5000), FakeBackend::stream(1));
        arena.release(nullptr, FakeBackend::stream(1));
    }
    QCOMPARE(backend.released, backend.allocated);
    QCOMPARE(backend.eventsLive, 0);
}

void TestArena::buffersKeepTheirDeviceAndMove()
{
    auto owned = std::make_unique<FakeBackend>();
    FakeBackend& backend = *owned;
    auto device = std::make_shared<Device>(std::move(owned), nullptr);
    std::weak_ptr<Device> watch = device;
    {
        Stream stream(device, kernels::StreamPriority::Solver);
        Buffer<float> a(device, 100, "state", BlockSize::Bucket, BlockContent::Zeroed, stream);
        QCOMPARE(a.bytes(), std::size_t{400});
        float* const data = a.data();
        Buffer<float> b = std::move(a);
        QCOMPARE(b.data(), data);
        QVERIFY(a.data() == nullptr); // NOLINT(bugprone-use-after-move)
        Buffer<float> c;
        c = std::move(b);
        QCOMPARE(c.data(), data);
        Event event(device);
        event.record(stream);
        QVERIFY(event.isDone());
        device.reset();
        QVERIFY(!watch.expired());
        QCOMPARE(backend.streamsLive, 1);
    }
    QVERIFY(watch.expired());
}

void TestArena::manyThreads()
{
    const auto backend = kernels::makeHostBackend(1);
    DeviceArena arena(*backend);
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 500; ++i) {
                    const auto bytes = static_cast<std::size_t>(100 + 37 * ((i + t) % 50));
                    void* memory = arena.allocate(bytes, "state", BlockSize::Bucket, BlockContent::Zeroed, nullptr);
                    wrong += allZero(memory, bytes) ? 0 : 1;
                    std::memset(memory, t + 1, bytes);
                    arena.release(memory, nullptr);
                }
            });
        }
    }
    QCOMPARE(wrong.load(), 0);
    QCOMPARE(arena.use().live, std::size_t{0});
    QCOMPARE(arena.use().allocations, std::uint64_t{2000});
}

QTEST_GUILESS_MAIN(TestArena)
#include "tst_arena.moc"
