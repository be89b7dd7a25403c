#include "engine/device/cuda_module.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

namespace ondo {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "libondo_cuda";
constexpr std::string_view kSuffix = ".so";

// The first driver that serves a CUDA major, on Linux.
struct DriverNeed {
    int major;
    int driver;
};
constexpr DriverNeed kDriverNeeds[] = {{12, 525}, {13, 580}};

std::string driverNeed(int major)
{
    for (const DriverNeed& need : kDriverNeeds) {
        if (need.major == major) {
            return fmt::format("CUDA {} needs driver {} or newer", major, need.driver);
        }
    }
    return fmt::format("CUDA {} needs a driver that serves it", major);
}

std::string driverText(const CudaDriver& driver)
{
    const std::string cuda = "CUDA " + cudaVersionText(driver.version);
    return driver.release.empty() ? "a driver for " + cuda : fmt::format("{} ({})", driver.release, cuda);
}

// The release stands in the line "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.261.03  ...": the first word of
// digits and dots.
std::string driverRelease()
{
    std::ifstream in("/proc/driver/nvidia/version");
    std::string word;
    while (in >> word) {
        if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) {
            return word;
        }
    }
    return {};
}

// libondo_cuda13.so -> 13
std::optional<int> majorOf(const fs::path& file)
{
    const std::string name = file.filename().string();
    const std::string_view all = name;
    if (all.size() <= kPrefix.size() + kSuffix.size() || all.substr(0, kPrefix.size()) != kPrefix ||
        all.substr(all.size() - kSuffix.size()) != kSuffix) {
        return {};
    }
    const std::string_view digits = all.substr(kPrefix.size(), all.size() - kPrefix.size() - kSuffix.size());
    int major = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), major);
    return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(major) : std::nullopt;
}

// By major, the newest first; of two files of a major the one in the earlier folder.
std::map<int, fs::path, std::greater<>> modulesIn(const std::vector<fs::path>& folders, std::vector<std::string>& log)
{
    std::map<int, fs::path, std::greater<>> found;
    for (const fs::path& folder : folders) {
        std::error_code error;
        int here = 0;
        for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
            if (const auto major = majorOf(it->path())) {
                found.try_emplace(*major, it->path());
                ++here;
            }
        }
        log.push_back(fmt::format("{}: {}", folder.string(),
                                  here == 0 ? "no CUDA module" : fmt::format("{} CUDA module(s)", here)));
    }
    return found;
}

std::string listOf(const std::map<int, fs::path, std::greater<>>& modules)
{
    std::string text;
    for (const auto& [major, file] : modules) {
        text += (text.empty() ? "" : ", ") + file.string();
    }
    return text;
}

// 0.1.0+c0ffee -> 0.1.0
std::string_view versionOf(std::string_view release)
{
    return release.substr(0, release.find('+'));
}

// Fills `opened`, or returns why this file will not do.
std::string open(const fs::path& file, const std::string& release, CudaModule& opened)
{
    std::shared_ptr<void> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
        if (handle != nullptr) {
            dlclose(handle);
        }
    });
    if (library == nullptr) {
        const char* said = dlerror();
        return fmt::format("{} cannot be loaded ({}); install the module of this release again", file.string(),
                           said != nullptr ? said : "no reason given");
    }
    const auto releaseOf = reinterpret_cast<kernels::ModuleRelease>(dlsym(library.get(), kernels::kModuleRelease));
    const auto entry = reinterpret_cast<kernels::ModuleEntry>(dlsym(library.get(), kernels::kModuleEntry));
    if (releaseOf == nullptr || entry == nullptr) {
        return fmt::format("{} is not a module of Ondoscope (it lacks {}); remove it", file.string(),
                           releaseOf == nullptr ? kernels::kModuleRelease : kernels::kModuleEntry);
    }
    kernels::BackendModule* module = release == releaseOf() ? entry(release.c_str()) : nullptr;
    if (module == nullptr && versionOf(releaseOf()) == versionOf(release)) {
        return fmt::format(
            "{} was built from other kernels ({}) than this program ({}); build or install both together",
            file.string(), releaseOf(), release);
    }
    if (module == nullptr) {
        return fmt::format("{} is of release {}, this program is {}; install the module of release {}", file.string(),
                           releaseOf(), release, release);
    }
    std::string why;
    const int devices = module->count(why);
    if (devices <= 0) {
        return why.empty() ? "CUDA sees no GPU; see whether nvidia-smi does" : why;
    }
    opened.library = std::move(library);
    opened.module = module;
    opened.devices = devices;
    opened.file = file.string();
    return {};
}

} // namespace

std::string cudaVersionText(int version)
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

CudaDriver findCudaDriver()
{
    CudaDriver driver;
    if (const char* fake = std::getenv("ONDO_FAKE_DRIVER_VERSION")) {
        driver.version = std::atoi(fake);
        driver.why = driver.version == 0 ? "no NVIDIA driver was found (ONDO_FAKE_DRIVER_VERSION says so)" : "";
        return driver;
    }
    // Kept open: the CUDA runtime inside the module opens the same library.
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        driver.why = "no NVIDIA driver was found (libcuda.so.1 is not installed)";
        return driver;
    }
    // cuDriverGetVersion(int*), CUDA's one question that needs no initialisation; 0 is success.
    using DriverGetVersion = int (*)(int*);
    const auto ask = reinterpret_cast<DriverGetVersion>(dlsym(library, "cuDriverGetVersion"));
    if (ask == nullptr || ask(&driver.version) != 0) {
        driver.version = 0;
        driver.why = "the NVIDIA driver does not tell its version; install it again";
        return driver;
    }
    driver.release = driverRelease();
    return driver;
}

std::vector<fs::path> moduleFolders()
{
    std::vector<fs::path> folders;
    if (const char* path = std::getenv("ONDO_MODULE_PATH")) {
        std::string_view rest = path;
        while (!rest.empty()) {
            const std::size_t colon = std::min(rest.find(':'), rest.size());
            if (colon > 0) {
                folders.emplace_back(rest.substr(0, colon));
            }
            rest.remove_prefix(std::min(colon + 1, rest.size()));
        }
    }
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        return folders;
    }
    const fs::path bin = program.parent_path();
    folders.push_back(bin);
    folders.push_back(bin.parent_path() / "lib" / "ondoscope");
    // CMakeCache.txt marks the root of a build tree; an installed program never looks further up.
    for (fs::path up = bin; up != up.root_path(); up = up.parent_path()) {
        if (fs::exists(up / "CMakeCache.txt", error)) {
            const fs::path built = up / "lib" / "ondoscope";
            if (std::find(folders.begin(), folders.end(), built) == folders.end()) {
                folders.push_back(built);
            }
            break;
        }
    }
    return folders;
}

CudaModule openCudaModule(const CudaDriver& driver, const std::vector<fs::path>& folders, const std::string& release)
{
    CudaModule result;
    if (driver.version == 0) {
        result.reason = driver.why + "; for a GPU install NVIDIA's driver, 525 or newer";
        result.log.push_back(driver.why);
        return result;
    }
    const int major = driver.version / 1000;
    result.log.push_back("NVIDIA driver: " + driverText(driver));
    const auto modules = modulesIn(folders, result.log);
    result.file = listOf(modules);
    if (modules.empty()) {
        std::string where;
        for (const fs::path& folder : folders) {
            where += (where.empty() ? "" : ", ") + folder.string();
        }
        result.reason = fmt::format("this machine has driver {}, but no CUDA module of Ondoscope is installed (looked "
                                    "in {}); install the CUDA {} module",
                                    driverText(driver), where, major);
        return result;
    }
    for (const auto& [needs, file] : modules) {
        if (needs > major) {
            result.reason = fmt::format("{}; this machine has {}: install the CUDA {} module or a newer driver",
                                        driverNeed(needs), driverText(driver), major);
        } else {
            result.reason = open(file, release, result);
        }
        result.log.push_back(
            fmt::format("{}: {}", file.string(),
                        result.reason.empty() ? fmt::format("{} device(s)", result.devices) : result.reason));
        if (result.reason.empty()) {
            break;
        }
    }
    return result;
}

} // namespace ondo
