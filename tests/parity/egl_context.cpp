#include "tests/parity/egl_context.h"

#include <dlfcn.h>

#include <cstdint>

namespace ondo::check {

namespace {

// From the EGL specification and its extensions device_enumeration, platform_device and surfaceless_context.
constexpr unsigned kPlatformDevice = 0x313F;
constexpr unsigned kOpenGlApi = 0x30A2;
constexpr std::int32_t kSurfaceType = 0x3033;
constexpr std::int32_t kPbufferBit = 1;
constexpr std::int32_t kRenderableType = 0x3040;
constexpr std::int32_t kOpenGlBit = 8;
constexpr std::int32_t kNone = 0x3038;
constexpr int kMostDevices = 16;

void* library()
{
    static void* const egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    return egl;
}

template<class F>
F symbol(const char* name)
{
    if (library() == nullptr) {
        return nullptr;
    }
    if (void* found = dlsym(library(), name)) {
        return reinterpret_cast<F>(found);
    }
    const auto get = reinterpret_cast<void* (*)(const char*)>(dlsym(library(), "eglGetProcAddress"));
    return get != nullptr ? reinterpret_cast<F>(get(name)) : nullptr;
}

int listDevices(void** devices)
{
    const auto query = symbol<unsigned (*)(std::int32_t, void**, std::int32_t*)>("eglQueryDevicesEXT");
    std::int32_t count = 0;
    return query != nullptr && query(kMostDevices, devices, &count) != 0 ? count : 0;
}

} // namespace

int EglContext::devices()
{
    void* all[kMostDevices] = {};
    return listDevices(all);
}

EglContext::EglContext(int device)
{
    void* all[kMostDevices] = {};
    if (device >= listDevices(all)) {
        m_why = "there is no such EGL device";
        return;
    }
    const auto getDisplay = symbol<void* (*)(unsigned, void*, const std::int32_t*)>("eglGetPlatformDisplayEXT");
    const auto initialize = symbol<unsigned (*)(void*, std::int32_t*, std::int32_t*)>("eglInitialize");
    const auto bindApi = symbol<unsigned (*)(unsigned)>("eglBindAPI");
    const auto chooseConfig =
        symbol<unsigned (*)(void*, const std::int32_t*, void**, std::int32_t, std::int32_t*)>("eglChooseConfig");
    const auto createContext = symbol<void* (*)(void*, void*, void*, const std::int32_t*)>("eglCreateContext");
    const auto makeCurrent = symbol<unsigned (*)(void*, void*, void*, void*)>("eglMakeCurrent");
    if (getDisplay == nullptr || initialize == nullptr || bindApi == nullptr || chooseConfig == nullptr ||
        createContext == nullptr || makeCurrent == nullptr) {
        m_why = "libEGL lacks a function";
        return;
    }
    m_display = getDisplay(kPlatformDevice, all[device], nullptr);
    if (m_display == nullptr || initialize(m_display, nullptr, nullptr) == 0 || bindApi(kOpenGlApi) == 0) {
        m_why = "EGL does not start on this device";
        return;
    }
    const std::int32_t wanted[] = {kSurfaceType, kPbufferBit, kRenderableType, kOpenGlBit, kNone};
    void* config = nullptr;
    std::int32_t count = 0;
    if (chooseConfig(m_display, wanted, &config, 1, &count) == 0 || count == 0) {
        m_why = "EGL has no configuration for OpenGL";
        return;
    }
    m_context = createContext(m_display, config, nullptr, nullptr);
    if (m_context == nullptr || makeCurrent(m_display, nullptr, nullptr, m_context) == 0) {
        m_why = "EGL makes no OpenGL context here";
    }
}

EglContext::~EglContext()
{
    const auto makeCurrent = symbol<unsigned (*)(void*, void*, void*, void*)>("eglMakeCurrent");
    const auto destroy = symbol<unsigned (*)(void*, void*)>("eglDestroyContext");
    if (m_context != nullptr && makeCurrent != nullptr && destroy != nullptr) {
        makeCurrent(m_display, nullptr, nullptr, nullptr);
        destroy(m_display, m_context);
    }
}

void* EglContext::function(const char* name) const
{
    return symbol<void*>(name);
}

} // namespace ondo::check
