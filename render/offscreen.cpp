#include "render/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#ifndef EGL_PLATFORM_SURFACELESS_MESA
#define EGL_PLATFORM_SURFACELESS_MESA 0x31DD
#endif
#ifndef EGL_PLATFORM_DEVICE_EXT
#define EGL_PLATFORM_DEVICE_EXT 0x313F
#endif

namespace ondo {

namespace {

// The entry points used, from the library that is there when the program runs.
struct Egl {
    decltype(&eglGetProcAddress) getProcAddress = nullptr;
    decltype(&eglInitialize) initialize = nullptr;
    decltype(&eglTerminate) terminate = nullptr;
    decltype(&eglBindAPI) bindApi = nullptr;
    decltype(&eglChooseConfig) chooseConfig = nullptr;
    decltype(&eglCreateContext) createContext = nullptr;
    decltype(&eglDestroyContext) destroyContext = nullptr;
    decltype(&eglMakeCurrent) makeCurrent = nullptr;
    decltype(&eglGetCurrentContext) currentContext = nullptr;
    PFNEGLGETPLATFORMDISPLAYEXTPROC platformDisplay = nullptr;
    PFNEGLQUERYDEVICESEXTPROC queryDevices = nullptr; // may be absent

    static const Egl* load(std::string& why);
};

const Egl* Egl::load(std::string& why)
{
    static std::string problem;
    static const Egl* const loaded = []() -> const Egl* {
        void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL); // stays open: drivers do not like to be unloaded
        if (library == nullptr) {
            problem = "libEGL.so.1 is not installed";
            return nullptr;
        }
        static Egl egl;
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        const bool all = find(egl.getProcAddress, "eglGetProcAddress") && find(egl.initialize, "eglInitialize") &&
                         find(egl.terminate, "eglTerminate") && find(egl.bindApi, "eglBindAPI") &&
                         find(egl.chooseConfig, "eglChooseConfig") && find(egl.createContext, "eglCreateContext") &&
                         find(egl.destroyContext, "eglDestroyContext") && find(egl.makeCurrent, "eglMakeCurrent") &&
                         find(egl.currentContext, "eglGetCurrentContext");
        if (!all) {
            problem = "libEGL.so.1 lacks functions of EGL 1.4";
            return nullptr;
        }
        egl.platformDisplay =
            reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(egl.getProcAddress("eglGetPlatformDisplayEXT"));
        egl.queryDevices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(egl.getProcAddress("eglQueryDevicesEXT"));
        if (egl.platformDisplay == nullptr) {
            problem = "this libEGL cannot do without a display (no eglGetPlatformDisplayEXT)";
            return nullptr;
        }
        return &egl;
    }();
    why = problem;
    return loaded;
}

} // namespace

class OffscreenContext::Impl {
public:
    explicit Impl(const Egl& functions)
        : egl(functions)
    {
    }

    ~Impl()
    {
        if (context != EGL_NO_CONTEXT) {
            if (egl.currentContext() == context) {
                egl.makeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            }
            egl.destroyContext(display, context);
        }
        // The display is not terminated: it may be somebody else's too (Qt on Wayland).
    }

    // A core context on this display, or false.
    bool tryDisplay(EGLDisplay candidate)
    {
        if (candidate == EGL_NO_DISPLAY || egl.initialize(candidate, nullptr, nullptr) == EGL_FALSE ||
            egl.bindApi(EGL_OPENGL_API) == EGL_FALSE) {
            return false;
        }
        constexpr std::array<EGLint, 5> kConfig = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint count = 0;
        if (egl.chooseConfig(candidate, kConfig.data(), &config, 1, &count) == EGL_FALSE || count == 0) {
            return false;
        }
        constexpr std::array<EGLint, 7> kContext = {
            EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 2, EGL_CONTEXT_OPENGL_PROFILE_MASK,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
        const EGLContext made = egl.createContext(candidate, config, EGL_NO_CONTEXT, kContext.data());
        if (made == EGL_NO_CONTEXT) {
            return false;
        }
        if (egl.makeCurrent(candidate, EGL_NO_SURFACE, EGL_NO_SURFACE, made) == EGL_FALSE) {
            egl.destroyContext(candidate, made);
            return false;
        }
        display = candidate;
        context = made;
        return true;
    }

    bool tryAll()
    {
        if (tryDisplay(egl.platformDisplay(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr))) {
            return true;
        }
        if (egl.queryDevices == nullptr) {
            return false;
        }
        std::array<EGLDeviceEXT, 16> devices{};
        EGLint count = 0;
        egl.queryDevices(static_cast<EGLint>(devices.size()), devices.data(), &count);
        for (EGLint i = 0; i < count; ++i) {
            if (tryDisplay(
                    egl.platformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr))) {
                return true;
            }
        }
        return false;
    }

    const Egl& egl;
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
};

OffscreenContext::OffscreenContext(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}

OffscreenContext::~OffscreenContext() = default;

Result<std::unique_ptr<OffscreenContext>> OffscreenContext::open()
{
    constexpr const char* kRemedy = "install libegl1 and libgl1-mesa-dri for text and axes in pictures";
    std::string why;
    const Egl* egl = Egl::load(why);
    if (egl == nullptr) {
        return fail(ErrorKind::NotFound, why, kRemedy);
    }
    auto impl = std::make_unique<Impl>(*egl);
    if (!impl->tryAll()) {
        return fail(ErrorKind::NotFound,
                    "EGL gives no OpenGL 3.2 context without a display (surfaceless and devices were tried)", kRemedy);
    }
    return std::unique_ptr<OffscreenContext>(new OffscreenContext(std::move(impl)));
}

void OffscreenContext::makeCurrent()
{
    m_impl->egl.makeCurrent(m_impl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, m_impl->context);
}

void OffscreenContext::doneCurrent()
{
    m_impl->egl.makeCurrent(m_impl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

bool OffscreenContext::isCurrent() const
{
    return m_impl->egl.currentContext() == m_impl->context;
}

} // namespace ondo
