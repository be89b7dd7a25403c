// The device layer on a real GPU; skipped by name without one.
#include "engine/device/device_list.h"

#include <QTest>

#include <string>
#include <vector>

using namespace ondo;

class TestGpu : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void factsAreTold();
    void arenaZeroesReusedBlocks();
    void arenaSurvivesARefusal();
    void streamsAndEvents();
    void overheadsAreOfMicroseconds();

private:
    std::shared_ptr<Device> m_device;

    std::vector<float> read(const Buffer<float>& buffer, const Stream& stream)
    {
        std::vector<float> values(buffer.size());
        m_device->backend().copyToHost(values.data(), buffer.data(), buffer.bytes(), stream.handle(),
                                       kernels::CopyPurpose::Statistics);
        m_device->backend().synchronize(stream.handle());
        return values;
    }
};

void TestGpu::initTestCase()
{
    const auto choice = openDevice("cuda:0");
    if (!choice) {
        QSKIP(choice.error().text().c_str());
    }
    m_device = choice->device;
}

void TestGpu::factsAreTold()
{
    const auto& facts = m_device->facts();
    QCOMPARE(facts.id, std::string("cuda:0"));
    QVERIFY(!facts.name.empty());
    QVERIFY(facts.memoryFree > 0 && facts.memoryFree <= facts.memoryTotal);
    QVERIFY(facts.driverVersion >= facts.runtimeVersion / 1000 * 1000);
    QVERIFY(facts.multiprocessors > 0);
    QCOMPARE(surveyDevices().devices.at(1).uuid, facts.uuid);
}

void TestGpu::arenaZeroesReusedBlocks()
{
    const Stream stream(m_device, kernels::StreamPriority::Solver);
    const std::vector<float> ones(1000, 1.0F);
    float* first = nullptr;
    {
        const Buffer<float> a(m_device, 1000, "test", BlockSize::Bucket, BlockContent::Zeroed, stream);
        first = a.data();
        QCOMPARE(read(a, stream), std::vector<float>(1000, 0.0F));
        m_device->backend().copyToDevice(a.data(), ones.data(), a.bytes(), stream.handle(),
                                         kernels::CopyPurpose::Setup);
        QCOMPARE(read(a, stream), ones);
    }
    const Stream other(m_device, kernels::StreamPriority::View);
    const Buffer<float> b(m_device, 900, "test", BlockSize::Bucket, BlockContent::Zeroed, other);
    QCOMPARE(b.data(), first);
    QCOMPARE(read(b, other), std::vector<float>(900, 0.0F));
}

void TestGpu::arenaSurvivesARefusal()
{
    const Stream stream(m_device, kernels::StreamPriority::Solver);
    const std::size_t tooMuch = m_device->facts().memoryTotal / sizeof(float) * 2;
    std::string said;
    try {
        const Buffer<float> never(m_device, tooMuch, "too much", BlockSize::Exact, BlockContent::Uninitialised, stream);
    } catch (const kernels::BackendError& error) {
        QCOMPARE(error.failure(), kernels::BackendFailure::OutOfMemory);
        said = error.what();
    }
    QVERIFY2(said.find("no memory for \"too much\"") == 0, said.c_str());
    const Buffer<float> fine(m_device, 100, "test", BlockSize::Exact, BlockContent::Zeroed, stream);
    QCOMPARE(read(fine, stream), std::vector<float>(100, 0.0F));
}

void TestGpu::streamsAndEvents()
{
    Stream stream(m_device, kernels::StreamPriority::Solver);
    Event from(m_device, true);
    Event to(m_device, true);
    from.record(stream);
    const Buffer<float> work(m_device, 1U << 24, "test", BlockSize::Exact, BlockContent::Zeroed, stream);
    to.record(stream);
    to.wait();
    QVERIFY(from.isDone() && to.isDone());
    QVERIFY(m_device->backend().milliseconds(from.handle(), to.handle()) > 0.0);
}

void TestGpu::overheadsAreOfMicroseconds()
{
    const Stream stream(m_device, kernels::StreamPriority::Solver);
    const kernels::Overheads cost = m_device->backend().overheads(stream.handle());
    qInfo("launch %.2f us, graph node %.2f us, barrier %.2f us", 1e6 * cost.launch, 1e6 * cost.graphNode,
          1e6 * cost.barrier);
    // Tens of times below and above what any card of these years takes: a wrong unit or count, not a slow machine.
    for (const double seconds : {cost.launch, cost.graphNode, cost.barrier}) {
        QVERIFY(seconds > 5e-8 && seconds < 1e-3);
    }
}

QTEST_GUILESS_MAIN(TestGpu)
#include "tst_gpu.moc"
