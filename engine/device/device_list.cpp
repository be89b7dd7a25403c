#include "engine/device/device_list.h"

#include "engine/device/cuda_module.h"
#include "kernels/fingerprint.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <mutex>

namespace ondo {

namespace {

struct Machine {
    DeviceSurvey survey;
    CudaModule cuda;
};

Machine look()
{
    Machine m;
    m.survey.devices.push_back(kernels::makeHostBackend()->facts());
    const CudaDriver driver = findCudaDriver();
    m.survey.driverVersion = driver.version;
    m.cuda = openCudaModule(driver, moduleFolders(), ONDO_MODULE_RELEASE);
    m.survey.cudaModule = m.cuda.file;
    m.survey.cudaReason = m.cuda.reason;
    m.survey.log = m.cuda.log;
    for (int i = 0; i < m.cuda.devices; ++i) {
        try {
            m.survey.devices.push_back(m.cuda.module->describe(i));
        } catch (const kernels::BackendError& error) {
            m.survey.log.push_back(fmt::format("cuda:{}: {}", i, error.what()));
            m.survey.cudaReason = error.what();
        }
    }
    if (m.survey.devices.size() > 1) {
        m.survey.cudaReason.clear();
    }
    return m;
}

// Never destroyed: the module must outlive every device, also those in statics of others.
Machine& machine()
{
    static Machine* const once = new Machine(look());
    return *once;
}

std::string knownDevices()
{
    std::string text;
    for (const auto& facts : machine().survey.devices) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", facts.id, facts.name);
    }
    return text;
}

// One device, and so one arena, per id for as long as anybody holds it.
class OpenDevices {
public:
    template<class Make>
    std::shared_ptr<Device> get(const std::string& key, Make make)
    {
        const std::lock_guard lock(m_mutex);
        if (auto open = m_open[key].lock()) {
            return open;
        }
        std::shared_ptr<Device> device = make();
        m_open[key] = device;
        return device;
    }

private:
    std::mutex m_mutex;
    std::map<std::string, std::weak_ptr<Device>> m_open;
};

OpenDevices& openDevices()
{
    static OpenDevices* const all = new OpenDevices;
    return *all;
}

std::shared_ptr<Device> openCpu(int threads)
{
    return openDevices().get(fmt::format("cpu/{}", threads),
                             [&] { return std::make_shared<Device>(kernels::makeHostBackend(threads), nullptr); });
}

Result<std::shared_ptr<Device>> openCuda(int ordinal)
{
    Machine& m = machine();
    if (ordinal >= m.cuda.devices) {
        if (m.cuda.devices == 0) {
            return fail(ErrorKind::NoDevice, fmt::format("cuda:{} cannot be used: {}", ordinal, m.survey.cudaReason),
                        "or run on the CPU with --device cpu");
        }
        return fail(ErrorKind::NoDevice,
                    fmt::format("there is no cuda:{}; this machine has {}", ordinal, knownDevices()),
                    "choose one of them");
    }
    try {
        return openDevices().get(fmt::format("cuda:{}", ordinal), [&] {
            return std::make_shared<Device>(m.cuda.module->open(ordinal), m.cuda.library);
        });
    } catch (const kernels::BackendError& error) {
        return fail(ErrorKind::NoDevice, fmt::format("cuda:{} cannot be opened: {}", ordinal, error.what()),
                    "free the GPU of other programs, or run with --device cpu");
    }
}

struct Fallbacks {
    std::mutex mutex;
    std::map<std::string, int> count;
};

Fallbacks& fallbacks()
{
    static Fallbacks* const all = new Fallbacks;
    return *all;
}

} // namespace

const DeviceSurvey& surveyDevices()
{
    return machine().survey;
}

Result<DeviceChoice> openDevice(const std::string& id, int cpuThreads)
{
    if (id == "cpu") {
        return DeviceChoice{openCpu(cpuThreads), {}};
    }
    if (id == "auto") {
        std::string reason = machine().survey.cudaReason;
        if (machine().cuda.devices > 0) {
            auto device = openCuda(0);
            if (device) {
                return DeviceChoice{*std::move(device), {}};
            }
            reason = device.error().what;
        }
        countFallback(reason);
        return DeviceChoice{openCpu(cpuThreads), reason};
    }
    constexpr std::string_view kCuda = "cuda:";
    int ordinal = -1;
    if (id.starts_with(kCuda)) {
        const char* first = id.data() + kCuda.size();
        const char* last = id.data() + id.size();
        const auto [end, error] = std::from_chars(first, last, ordinal);
        if (error != std::errc{} || end != last) {
            ordinal = -1;
        }
    }
    if (ordinal < 0) {
        return badInput(fmt::format("\"{}\" is no device", id),
                        fmt::format("say auto, cpu or cuda:N; this machine has {}", knownDevices()));
    }
    auto device = openCuda(ordinal);
    if (!device) {
        return tl::unexpected<Error>(std::move(device).error());
    }
    return DeviceChoice{*std::move(device), {}};
}

void countFallback(const std::string& reason)
{
    Fallbacks& all = fallbacks();
    const std::lock_guard lock(all.mutex);
    ++all.count[reason];
}

std::vector<std::pair<std::string, int>> fallbackCounts()
{
    Fallbacks& all = fallbacks();
    const std::lock_guard lock(all.mutex);
    return {all.count.begin(), all.count.end()};
}

} // namespace ondo
