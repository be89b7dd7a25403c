#include "kernels/cuda/presenter.h"

#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/gl_functions.h"
#include "kernels/cuda/launches.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

// Declared here and not included: cuda_gl_interop.h needs GL/gl.h, which a build machine may lack.
extern "C" {
enum cudaGLDeviceList { cudaGLDeviceListAll = 1, cudaGLDeviceListCurrentFrame = 2, cudaGLDeviceListNextFrame = 3 };
cudaError_t CUDARTAPI cudaGLGetDevices(unsigned* count, int* devices, unsigned capacity, enum cudaGLDeviceList list);
cudaError_t CUDARTAPI cudaGraphicsGLRegisterImage(cudaGraphicsResource** resource, unsigned image, unsigned target,
                                                  unsigned flags);
}

namespace ondo::kernels::cuda {

namespace {

// Interop errors stay behind and come up in unrelated calls, so they are read away before and after.
void clearErrors()
{
    (void)cudaGetLastError();
}

// Between map and unmap. Unmapping is what makes later GL calls wait for the writing kernel.
class Mapped {
public:
    Mapped(cudaGraphicsResource* resource, cudaStream_t stream)
        : m_resource(resource)
        , m_stream(stream)
    {
        ONDO_CUDA(cudaGraphicsMapResources(1, &m_resource, m_stream));
    }
    ~Mapped() { ONDO_CUDA_NOTHROW(cudaGraphicsUnmapResources(1, &m_resource, m_stream)); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

    [[nodiscard]] cudaArray_t array() const
    {
        cudaArray_t array = nullptr;
        ONDO_CUDA(cudaGraphicsSubResourceGetMappedArray(&array, m_resource, 0, 0));
        return array;
    }

private:
    cudaGraphicsResource* m_resource;
    cudaStream_t m_stream;
};

// A surface over a mapped array. It must outlive the kernel that writes it.
class Surface {
public:
    Surface() = default;
    ~Surface()
    {
        if (m_object != 0) {
            ONDO_CUDA_NOTHROW(cudaDestroySurfaceObject(m_object));
        }
    }
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;

    cudaSurfaceObject_t over(cudaArray_t array)
    {
        cudaResourceDesc description = {};
        description.resType = cudaResourceTypeArray;
        description.res.array.array = array;
        ONDO_CUDA(cudaCreateSurfaceObject(&m_object, &description));
        return m_object;
    }

private:
    cudaSurfaceObject_t m_object = 0;
};

// A registered texture.
class Slot {
public:
    Slot(unsigned texture, int width, int height)
        : m_width(width)
        , m_height(height)
    {
        ONDO_CUDA(
            cudaGraphicsGLRegisterImage(&m_resource, texture, kGlTexture2D, cudaGraphicsRegisterFlagsSurfaceLoadStore));
        // Waiting sleeps: what is waited for may be a batch of the solver's steps.
        const cudaError_t error = cudaEventCreateWithFlags(&m_written, cudaEventDisableTiming | cudaEventBlockingSync);
        if (error != cudaSuccess) {
            ONDO_CUDA_NOTHROW(cudaGraphicsUnregisterResource(m_resource));
            throwCudaError(error, "making an event");
        }
    }
    ~Slot()
    {
        ONDO_CUDA_NOTHROW(cudaEventSynchronize(m_written));
        ONDO_CUDA_NOTHROW(cudaEventDestroy(m_written));
        ONDO_CUDA_NOTHROW(cudaGraphicsUnregisterResource(m_resource));
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    void write(const std::uint32_t* pixels, int pitch, cudaStream_t stream)
    {
        Surface surface;
        {
            const Mapped mapped(m_resource, stream);
            writeSurface(surface.over(mapped.array()), m_width, m_height, pixels, pitch, stream);
            ONDO_CUDA(cudaEventRecord(m_written, stream));
        }
        // The caller gives `pixels` back to the solver when we return: the kernel must have read them.
        ONDO_CUDA(cudaEventSynchronize(m_written));
    }

private:
    int m_width, m_height;
    cudaGraphicsResource* m_resource = nullptr;
    cudaEvent_t m_written = nullptr;
};

// A texture of our own for the probe; leaves the context's bindings as they were.
class ProbeTexture {
public:
    static constexpr int kSize = 16;
    static constexpr int kPixels = kSize * kSize;
    using Pixels = std::array<std::uint32_t, kPixels>;

    explicit ProbeTexture(const GlFunctions& gl)
        : m_gl(gl)
    {
        m_gl.getIntegerv(kGlTextureBinding2D, &m_texture);
        m_gl.getIntegerv(kGlPixelPackBufferBinding, &m_packBuffer);
        m_gl.getIntegerv(kGlPixelUnpackBufferBinding, &m_unpackBuffer);
        m_gl.bindBuffer(kGlPixelPackBuffer, 0);
        m_gl.bindBuffer(kGlPixelUnpackBuffer, 0);
        m_gl.genTextures(1, &m_name);
        m_gl.bindTexture(kGlTexture2D, m_name);
        m_gl.texParameteri(kGlTexture2D, kGlTextureMinFilter, kGlNearest);
        m_gl.texParameteri(kGlTexture2D, kGlTextureMagFilter, kGlNearest);
        m_gl.texParameteri(kGlTexture2D, kGlTextureMaxLevel, 0);
        m_gl.texImage2D(kGlTexture2D, 0, static_cast<GLint>(kGlRgba8), kSize, kSize, 0, kGlRgba, kGlUnsignedByte,
                        nullptr);
        // A texture bound while CUDA registers it is a known trap.
        m_gl.bindTexture(kGlTexture2D, 0);
    }
    ~ProbeTexture()
    {
        m_gl.deleteTextures(1, &m_name);
        m_gl.bindTexture(kGlTexture2D, static_cast<GLuint>(m_texture));
        m_gl.bindBuffer(kGlPixelPackBuffer, static_cast<GLuint>(m_packBuffer));
        m_gl.bindBuffer(kGlPixelUnpackBuffer, static_cast<GLuint>(m_unpackBuffer));
    }
    ProbeTexture(const ProbeTexture&) = delete;
    ProbeTexture& operator=(const ProbeTexture&) = delete;

    [[nodiscard]] unsigned name() const { return m_name; }
    [[nodiscard]] Pixels read() const
    {
        Pixels pixels = {};
        m_gl.bindTexture(kGlTexture2D, m_name);
        m_gl.getTexImage(kGlTexture2D, 0, kGlRgba, kGlUnsignedByte, pixels.data());
        return pixels;
    }

private:
    const GlFunctions& m_gl;
    GLint m_texture = 0, m_packBuffer = 0, m_unpackBuffer = 0;
    GLuint m_name = 0;
};

// Device memory for the probe's pattern.
class ProbePattern {
public:
    ProbePattern() { ONDO_CUDA(cudaMalloc(&m_memory, sizeof(ProbeTexture::Pixels))); }
    ~ProbePattern() { ONDO_CUDA_NOTHROW(cudaFree(m_memory)); }
    ProbePattern(const ProbePattern&) = delete;
    ProbePattern& operator=(const ProbePattern&) = delete;
    [[nodiscard]] std::uint32_t* data() const { return static_cast<std::uint32_t*>(m_memory); }

private:
    void* m_memory = nullptr;
};

class CudaGlPresenter final : public TexturePresenter {
public:
    // Asks nothing of CUDA yet: a failure belongs to the probe, which can say it.
    explicit CudaGlPresenter(int ordinal)
        : m_ordinal(ordinal)
    {
    }
    ~CudaGlPresenter() override
    {
        ONDO_CUDA_NOTHROW(cudaSetDevice(m_ordinal));
        m_slots.clear();
        if (m_stream != nullptr) {
            ONDO_CUDA_NOTHROW(cudaStreamDestroy(m_stream));
        }
    }
    CudaGlPresenter(const CudaGlPresenter&) = delete;
    CudaGlPresenter& operator=(const CudaGlPresenter&) = delete;

    [[nodiscard]] std::string probe() override
    {
        std::string why;
        try {
            use();
            clearErrors();
            GlFunctions gl;
            why = gl.load();
            if (why.empty()) {
                why = ownerOfContext(gl);
            }
            if (why.empty()) {
                why = writeAndReadBack(gl);
            }
        } catch (const BackendError& error) {
            why = error.what();
        }
        clearErrors();
        return why;
    }

    int registerTexture(unsigned glTexture, int width, int height) override
    {
        return display("registering a texture", [&] {
            const int slot = m_nextSlot++;
            m_slots.try_emplace(slot, glTexture, width, height);
            return slot;
        });
    }

    void unregisterTexture(int slot) override
    {
        use();
        m_slots.erase(slot);
        clearErrors();
    }

    void present(int slot, const std::uint32_t* pixels, int pitch, EventHandle ready) override
    {
        display("writing a texture", [&] {
            const auto found = m_slots.find(slot);
            if (found == m_slots.end()) {
                throw BackendError(BackendFailure::Display,
                                   "texture slot " + std::to_string(slot) + " is not registered");
            }
            if (ready != nullptr) {
                ONDO_CUDA(cudaStreamWaitEvent(m_stream, static_cast<cudaEvent_t>(ready), 0));
            }
            found->second.write(pixels, pitch, m_stream);
            return 0;
        });
    }

private:
    // The device is current afterwards, and the stream of the lowest priority is there.
    void use()
    {
        ONDO_CUDA(cudaSetDevice(m_ordinal));
        if (m_stream == nullptr) {
            int lowest = 0;
            int highest = 0;
            ONDO_CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
            ONDO_CUDA(cudaStreamCreateWithPriority(&m_stream, cudaStreamNonBlocking, lowest));
        }
    }

    // A failure here is the display's, which can fall back to the host path, unless the device itself is lost.
    template<class Work>
    int display(const char* doing, Work work)
    {
        try {
            use();
            clearErrors();
            return work();
        } catch (const BackendError& error) {
            clearErrors();
            if (error.failure() == BackendFailure::Lost) {
                throw;
            }
            throw BackendError(BackendFailure::Display, std::string(doing) + ": " + error.what());
        }
    }

    std::string ownerOfContext(const GlFunctions& gl) const
    {
        const auto text = [&](GLenum name) {
            const unsigned char* s = gl.getString(name);
            return s != nullptr ? std::string(reinterpret_cast<const char*>(s)) : std::string();
        };
        if (text(kGlVersion).empty()) {
            return "no OpenGL context is current in the display thread";
        }
        constexpr unsigned kMost = 16;
        unsigned count = 0;
        std::array<int, kMost> devices = {};
        const cudaError_t error = cudaGLGetDevices(&count, devices.data(), kMost, cudaGLDeviceListAll);
        clearErrors();
        if (error != cudaSuccess || count == 0) {
            return "OpenGL draws with \"" + text(kGlRenderer) + "\", which is no CUDA device (" +
                   (error != cudaSuccess ? cudaGetErrorName(error) : "none listed") +
                   "); on a machine with two GPUs start the program on the NVIDIA one";
        }
        std::string others;
        for (unsigned i = 0; i < count; ++i) {
            if (devices[i] == m_ordinal) {
                return {};
            }
            others += (others.empty() ? "cuda:" : ", cuda:") + std::to_string(devices[i]);
        }
        return "OpenGL draws with " + others + ", the run is on cuda:" + std::to_string(m_ordinal) +
               "; choose the device that draws to see the field without a copy";
    }

    std::string writeAndReadBack(const GlFunctions& gl) const
    {
        ProbeTexture::Pixels pattern;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            pattern[i] = 0x01020408U * static_cast<std::uint32_t>(i + 1);
        }
        for (int i = 0; i < 64 && gl.getError() != 0; ++i) {
            // Errors of others, left behind.
        }
        const ProbePattern memory;
        ONDO_CUDA(cudaMemcpy(memory.data(), pattern.data(), sizeof(pattern), cudaMemcpyHostToDevice));
        const ProbeTexture texture(gl);
        if (const GLenum error = gl.getError(); error != 0) {
            return "OpenGL refuses an RGBA8 texture (error " + std::to_string(error) + ")";
        }
        {
            Slot slot(texture.name(), ProbeTexture::kSize, ProbeTexture::kSize);
            slot.write(memory.data(), ProbeTexture::kSize, m_stream);
        }
        const ProbeTexture::Pixels seen = texture.read();
        if (const GLenum error = gl.getError(); error != 0) {
            return "OpenGL cannot read a texture back that CUDA wrote (error " + std::to_string(error) + ")";
        }
        return seen == pattern ? std::string() : "a texture that CUDA wrote does not hold what was written";
    }

    int m_ordinal;
    cudaStream_t m_stream = nullptr;
    int m_nextSlot = 0;
    std::map<int, Slot> m_slots;
};

} // namespace

std::unique_ptr<TexturePresenter> makePresenter(int ordinal)
{
    return std::make_unique<CudaGlPresenter>(ordinal);
}

} // namespace ondo::kernels::cuda
