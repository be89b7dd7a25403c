// What the host backend owes those who call it: memory as it says, a thread left as it was found.
#include "kernels/backend.h"
#include "tests/parity/pad_case.h"

#include <QtTest>

#include <cstring>
#include <vector>

using namespace ondo::kernels;

class TestHostBackend : public QObject {
    Q_OBJECT

private slots:
    void saysWhatItComputesWith();
    void memoryIsAligned_data();
    void memoryIsAligned();
    void padsAModelAsALoopOverNodes();
    void copiesAllBytes();
    void fadingFieldsBecomeZeroInTheStepAlone_data();
    void fadingFieldsBecomeZeroInTheStepAlone();
};

void TestHostBackend::saysWhatItComputesWith()
{
    const auto backend = makeHostBackend(2);
    const std::string name = backend->facts().name;
    QVERIFY2(name.find(", 2 threads, ") != std::string::npos, name.c_str());
#if defined(__x86_64__)
    QVERIFY2(name.ends_with("SSE2") || name.ends_with("AVX2") || name.ends_with("AVX-512"), name.c_str());
#endif
}

void TestHostBackend::memoryIsAligned_data()
{
    QTest::addColumn<qulonglong>("bytes");
    for (const qulonglong bytes : {1ULL, 1000ULL, (1ULL << 22) - 1, (1ULL << 22) + 1, 12345678ULL}) {
        QTest::addRow("%llu", bytes) << bytes;
    }
}

void TestHostBackend::memoryIsAligned()
{
    QFETCH(const qulonglong, bytes);
    const auto backend = makeHostBackend(1);
    std::vector<void*> blocks;
    for (int i = 0; i < 7; ++i) {
        void* p = i % 2 == 0 ? backend->allocate(bytes, nullptr) : backend->allocatePinned(bytes);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(p) % 256, std::uintptr_t{0});
        std::memset(p, 0x5A, bytes); // all of it is there
        blocks.push_back(p);
    }
    for (int i = 0; i < 7; ++i) {
        i % 2 == 0 ? backend->release(blocks[i], nullptr) : backend->releasePinned(blocks[i]);
    }
}

template<class T>
static void checkPads(Backend& backend)
{
    for (const auto& c : ondo::check::padCases()) {
        auto body = ondo::check::padBody<T>(c);
        const auto speeds = ondo::check::padSpeeds(c);
        std::vector<T> c2(static_cast<std::size_t>(body.layout.shotStride), T(7));
        body.speed = speeds.data();
        body.c2 = c2.data();
        backend.pad(body, nullptr);
        QVERIFY2(c2 == ondo::check::padExpected(body, speeds), c.name().c_str());
    }
}

void TestHostBackend::padsAModelAsALoopOverNodes()
{
    for (const int threads : {1, 3}) {
        const auto backend = makeHostBackend(threads);
        checkPads<float>(*backend);
        checkPads<double>(*backend);
    }
}

// Large ones are shared out.
void TestHostBackend::copiesAllBytes()
{
    const auto backend = makeHostBackend(3);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, (std::size_t{1} << 20) + 4097}) {
        std::vector<unsigned char> from(bytes), to(bytes + 1, 0xFF);
        for (std::size_t i = 0; i < bytes; ++i) {
            from[i] = static_cast<unsigned char>(i * 7 + i / 251);
        }
        backend->copyToDevice(to.data(), from.data(), bytes, nullptr, CopyPurpose::Setup);
        QVERIFY(std::equal(from.begin(), from.end(), to.begin()));
        QCOMPARE(to[bytes], static_cast<unsigned char>(0xFF));
        backend->fillZero(to.data(), bytes, nullptr);
        QVERIFY(std::all_of(to.begin(), to.end() - 1, [](unsigned char v) { return v == 0; }));
        QCOMPARE(to[bytes], static_cast<unsigned char>(0xFF));
    }
}

// 16 x 16 nodes stay on the caller's thread, 256 x 256 go to the team.
void TestHostBackend::fadingFieldsBecomeZeroInTheStepAlone_data()
{
    QTest::addColumn<int>("nodes");
    QTest::newRow("alone") << 16;
    QTest::newRow("team") << 256;
}

void TestHostBackend::fadingFieldsBecomeZeroInTheStepAlone()
{
    QFETCH(const int, nodes);
    const auto backend = makeHostBackend(2);
    constexpr float kFaint = 1e-40F; // below the least normalised float, 1.2e-38
    const Layout layout = Layout::make(2, nodes, 1, nodes, 1);
    std::vector<float> now(static_cast<std::size_t>(layout.shotStride), kFaint);
    std::vector<float> other = now;
    const std::vector<float> c2(now.size(), 0.1F);
    ScalarStepArgs<float> args;
    args.state.layout = layout;
    args.state.c2 = c2.data();
    args.state.now = now.data();
    args.state.other = other.data();
    for (auto& axis : args.state.axis) {
        axis = makeCoefficients<float>(1, 1.0);
    }
    args.order = 2;
    const Box interior{0, nodes, 0, 1, 0, nodes};
    args.boxes = &interior;
    args.interiorBoxes = 1;
    backend->step(args, nullptr);
#ifdef ONDO_PARITY_BUILD
    const float expected = kFaint;
#else
    const float expected = 0.0F;
#endif
    for (int z = 0; z < nodes; ++z) {
        QCOMPARE(other[static_cast<std::size_t>(layout.at(z, 0, nodes - 1 - z))], expected);
    }
    // Here they are still numbers.
    volatile float faint = kFaint;
    faint = faint * 0.5F;
    QVERIFY(faint > 0.0F);
}

QTEST_APPLESS_MAIN(TestHostBackend)
#include "tst_host_backend.moc"
