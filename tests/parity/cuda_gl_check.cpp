// cuda_gl_check MODULE.so
// The direct path without a window: an OpenGL context on each EGL device, the presenter's probe there, and where it agrees
// pictures written by CUDA and read back by OpenGL, timed. Exit 77: no GPU or no EGL.
#include "kernels/backend.h"
#include "kernels/fingerprint.h"
#include "tests/parity/egl_context.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ondo::check {

namespace {

using namespace ondo::kernels;

constexpr unsigned kTexture2D = 0x0DE1;
constexpr unsigned kRgba8 = 0x8058;
constexpr unsigned kRgba = 0x1908;
constexpr unsigned kUnsignedByte = 0x1401;
constexpr int kWidth = 1600;
constexpr int kHeight = 1000;

struct Gl {
    explicit Gl(const EglContext& egl)
        : genTextures(reinterpret_cast<void (*)(int, unsigned*)>(egl.function("glGenTextures")))
        , bindTexture(reinterpret_cast<void (*)(unsigned, unsigned)>(egl.function("glBindTexture")))
        , texStorage(reinterpret_cast<void (*)(unsigned, int, unsigned, int, int)>(egl.function("glTexStorage2D")))
        , getTexImage(
              reinterpret_cast<void (*)(unsigned, int, unsigned, unsigned, void*)>(egl.function("glGetTexImage")))
        , deleteTextures(reinterpret_cast<void (*)(int, const unsigned*)>(egl.function("glDeleteTextures")))
        , finish(reinterpret_cast<void (*)()>(egl.function("glFinish")))
        , getError(reinterpret_cast<unsigned (*)()>(egl.function("glGetError")))
    {
    }
    void (*genTextures)(int, unsigned*);
    void (*bindTexture)(unsigned, unsigned);
    void (*texStorage)(unsigned, int, unsigned, int, int);
    void (*getTexImage)(unsigned, int, unsigned, unsigned, void*);
    void (*deleteTextures)(int, const unsigned*);
    void (*finish)();
    unsigned (*getError)();
};

std::vector<std::uint32_t> pattern(int frame)
{
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(kWidth) * kHeight);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<std::uint32_t>(i) * 2654435761U + static_cast<std::uint32_t>(frame);
    }
    return pixels;
}

// Three textures in turn, each view another picture. How many went wrong.
int presentMany(Backend& cuda, TexturePresenter& presenter, const Gl& gl)
{
    int wrong = 0;
    unsigned textures[3] = {};
    int slots[3] = {};
    gl.genTextures(3, textures);
    for (int i = 0; i < 3; ++i) {
        gl.bindTexture(kTexture2D, textures[i]);
        gl.texStorage(kTexture2D, 1, kRgba8, kWidth, kHeight);
        gl.bindTexture(kTexture2D, 0);
        slots[i] = presenter.registerTexture(textures[i], kWidth, kHeight);
    }
    const StreamHandle stream = cuda.createStream(StreamPriority::Solver);
    const EventHandle ready = cuda.createEvent(false);
    const std::size_t bytes = static_cast<std::size_t>(kWidth) * kHeight * sizeof(std::uint32_t);
    auto* const pixels = static_cast<std::uint32_t*>(cuda.allocate(bytes, stream));
    std::vector<std::uint32_t> seen(bytes / sizeof(std::uint32_t));
    for (int frame = 0; frame < 12; ++frame) {
        const auto wanted = pattern(frame);
        cuda.copyToDevice(pixels, wanted.data(), bytes, stream, CopyPurpose::Setup);
        cuda.record(ready, stream);
        presenter.present(slots[frame % 3], pixels, kWidth, ready);
        gl.bindTexture(kTexture2D, textures[frame % 3]);
        gl.getTexImage(kTexture2D, 0, kRgba, kUnsignedByte, seen.data());
        wrong += seen == wanted ? 0 : 1;
    }
    // As in a run: a view now and then, not one after the other.
    const int views = 60;
    double spent = 0.0;
    gl.finish();
    for (int frame = 0; frame < views; ++frame) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const auto start = std::chrono::steady_clock::now();
        presenter.present(slots[frame % 3], pixels, kWidth, ready);
        spent += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    }
    gl.finish();
    std::printf("  %d x %d: %d wrong pictures, %.0f us a view (map, write, unmap, wait)\n", kWidth, kHeight, wrong,
                spent / views);
    for (int i = 0; i < 3; ++i) {
        presenter.unregisterTexture(slots[i]);
    }
    gl.deleteTextures(3, textures);
    bool refused = false;
    try {
        presenter.present(slots[0], pixels, kWidth, ready);
    } catch (const BackendError& error) {
        refused = error.failure() == BackendFailure::Display;
    }
    cuda.release(pixels, stream);
    cuda.destroyEvent(ready);
    cuda.destroyStream(stream);
    return wrong + (refused ? 0 : 1) + (gl.getError() == 0 ? 0 : 1);
}

int run(const char* file)
{
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const auto entry = library != nullptr ? reinterpret_cast<ModuleEntry>(dlsym(library, kModuleEntry)) : ModuleEntry();
    BackendModule* module = entry != nullptr ? entry(ONDO_MODULE_RELEASE) : nullptr;
    if (module == nullptr) {
        std::printf("%s is no module of release %s\n", file, ONDO_MODULE_RELEASE);
        return 1;
    }
    std::string why;
    if (module->count(why) == 0) {
        std::printf("SKIP: %s\n", why.c_str());
        return 77;
    }
    const std::unique_ptr<Backend> cuda = module->open(0);
    TexturePresenter* presenter = cuda->presenter();
    std::printf("no context: %s\n", presenter->probe().c_str());
    int failures = presenter->probe().empty() ? 1 : 0;
    int direct = 0;
    for (int device = 0; device < EglContext::devices(); ++device) {
        const EglContext egl(device);
        const std::string verdict = egl.why().empty() ? presenter->probe() : egl.why();
        std::printf("EGL device %d: %s\n", device, verdict.empty() ? "direct" : verdict.c_str());
        if (verdict.empty()) {
            ++direct;
            failures += presentMany(*cuda, *presenter, Gl(egl));
        }
    }
    if (direct == 0 && failures == 0) {
        std::printf("SKIP: no OpenGL context on the CUDA device\n");
        return 77;
    }
    return failures == 0 ? 0 : 1;
}

} // namespace

} // namespace ondo::check

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::printf("usage: cuda_gl_check MODULE.so\n");
        return 2;
    }
    try {
        return ondo::check::run(argv[1]);
    } catch (const std::exception& error) {
        std::printf("FAIL %s\n", error.what());
        return 1;
    }
}
