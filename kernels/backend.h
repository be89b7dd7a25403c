// What a device can do for the engine: memory, order of work, copies, and the kernels. One implementation a backend:
// host (linked in) and CUDA (a module opened at run time, kernels/cuda). Failures throw BackendError; nothing else throws.
// An object may be used from several threads if each uses its own stream; allocate and release are safe from any thread.
#pragma once

#include "kernels/common/curvature.h"
#include "kernels/common/kept_run.h"
#include "kernels/common/mirror_face.h"
#include "kernels/common/pad_model.h"
#include "kernels/common/paint_field.h"
#include "kernels/common/point_ops.h"
#include "kernels/common/tape_ops.h"
#include "kernels/core/shape.h"
#include "kernels/equations/scalar.h"
#include "kernels/equations/scalar_adjoint.h"
#include "kernels/equations/scalar_tangent.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ondo::kernels {

enum class BackendFailure { OutOfMemory, Launch, Lost, Display };

class BackendError : public std::runtime_error {
public:
    BackendError(BackendFailure failure, const std::string& what)
        : std::runtime_error(what)
        , m_failure(failure)
    {
    }
    [[nodiscard]] BackendFailure failure() const { return m_failure; }

private:
    BackendFailure m_failure;
};

struct DeviceFacts {
    std::string id;                              // "cpu", "cuda:0"
    std::string name;                            // "NVIDIA H200", "AMD EPYC 7B13, 2 threads"
    std::string backend;                         // "host", "cuda13"
    std::size_t memoryTotal = 0, memoryFree = 0; // bytes
    int computeMajor = 0, computeMinor = 0;
    int multiprocessors = 0;
    int threads = 0;                           // host
    std::string uuid;                          // empty for the host
    int driverVersion = 0, runtimeVersion = 0; // CUDA: 13000 = 13.0
};

// Opaque handles, owned through engine/device. Null is the backend's default stream.
using StreamHandle = void*;
using EventHandle = void*;
enum class StreamPriority { Solver, View };

// Why bytes cross between host and device; each kind is counted, so that "no byte of the field" can be shown.
enum class CopyPurpose { Setup = 0, Traces, Field, Picture, Statistics };
inline constexpr int kCopyPurposes = 5;

struct CopyCounters {
    std::uint64_t toDevice[kCopyPurposes] = {}; // bytes
    std::uint64_t toHost[kCopyPurposes] = {};
};

// One step of either equation of equations/scalar.h, which is said by the state's density, for `shots` shots in one launch: image halos, interior, layers.
template<class T>
struct ScalarStepArgs {
    ScalarState<T> state;
    int order = 8; // 2, 4, 6, 8, 10 have kernels of their own; others use the run-time radius
    int shots = 1;
    MirrorFaces<T> mirror;      // field = state.now, writable
    const Box* boxes = nullptr; // host memory: [0] interior, then layer boxes, then mirror faces
    int interiorBoxes = 0, layerBoxes = 0, mirrorBoxes = 0; // no interior: the layers alone
    // Host only (a step of a large grid takes seconds there): looked at for each row; once set, the step is left unfinished
    // and the fields are of no use any more. May be null.
    const std::atomic<bool>* abandon = nullptr;
    // Where W(n) of the step goes, as keep() puts it there (equations/scalar_adjoint.h); null: nowhere. Within advance() it is
    // ScalarAdvance::kept that says so.
    T* kept = nullptr;
    Layout compact;            // of what is kept
    bool keptOfLayers = false; // W of the interior is not looked at, and may be left out
};

// What a gradient keeps of the forward step just done (equations/scalar_adjoint.h): W(n) of all shots. Taken back with it, a step
// has no layers.
template<class T>
struct ScalarKeepArgs {
    ScalarKeepState<T> state;
    int order = 8;
    int shots = 1;
    const Box* boxes = nullptr; // as a step's; without faces their halos are as the step left them
    int interiorBoxes = 0, layerBoxes = 0, mirrorBoxes = 0;
    MirrorFaces<T> mirror; // field = state.s.now, writable
};

// W(n) of a step that has been done, for a backend that keeps it afterwards.
template<class T>
ScalarKeepArgs<T> keepingOf(const ScalarStepArgs<T>& step)
{
    ScalarKeepArgs<T> args;
    args.state.s = step.state;
    args.state.s.other = nullptr;
    args.state.compact = step.compact;
    args.state.kept = step.kept;
    args.order = step.order;
    args.shots = step.shots;
    args.boxes = step.boxes;
    args.interiorBoxes = step.interiorBoxes;
    args.layerBoxes = step.layerBoxes; // the faces' halos are as the step left them
    return args;
}

// One step of the adjoint, backwards in time: image halos, memories, q(n), and the image where W(n) is given.
template<class T>
struct ScalarAdjointArgs {
    ScalarAdjointState<T> state;
    int order = 8;
    int shots = 1;
    MirrorFaces<T> mirror; // field = state.s.now, writable
    const Box* boxes = nullptr;
    int interiorBoxes = 0, layerBoxes = 0, mirrorBoxes = 0;
};

// The same, and under it the forward step n that it is imaged with taken back in the interior, as keep() with `back` would
// take it: W(n) of the interior is computed on the way and is nowhere to be found, `adjoint.state.kept` has that of the layers.
// Of one density.
template<class T>
struct ScalarRewind {
    ScalarAdjointArgs<T> adjoint;
    const T* now = nullptr; // p(n), its halo beyond layers filled
    T* other = nullptr;     // p(n+1) in, p(n-1) out; the interior alone
    MirrorFaces<T> mirror;  // field = now, writable
};

// What a direction of the density adds to a perturbed step, forwards or backwards, that has just been done.
template<class T>
struct ScalarTangentArgs {
    ScalarTangentState<T> state;
    bool backwards = false;
    int order = 8;
    int shots = 1;
    MirrorFaces<T> mirror; // field = state.s.now, writable
    const Box* boxes = nullptr;
    int interiorBoxes = 0, layerBoxes = 0, mirrorBoxes = 0;
};

// Nodes of some boxes of a field to a block, shot by shot and box by box, or back.
template<class T>
struct BoxCopy {
    Layout layout;
    int shots = 1;
    const Box* boxes = nullptr; // host memory
    int count = 0;
    T* field = nullptr;
    T* block = nullptr; // shots * perShot() values
    bool toBlock = true;

    [[nodiscard]] std::int64_t perShot() const
    {
        std::int64_t nodes = 0;
        for (int i = 0; i < count; ++i) {
            nodes += boxes[i].nodes();
        }
        return nodes;
    }
};

// Host copies of a point list's nodes, for a backend that plans ahead.
struct PointNodes {
    const std::int64_t* node = nullptr;
    const int* begin = nullptr; // receivers + 1; not looked at for sources
    std::uint64_t id = 0;       // another for every list; 0: not told
};

// Several steps of a launch and what happens at each instant between them. A backend may do them in any way that leaves the
// same fields and samples as one by one.
template<class T>
struct ScalarAdvance {
    ScalarStepArgs<T> step; // `now`, `other` and mirror.field are those of the first step; they change places with each
    int count = 1;
    InjectSources<T>
        inject; // `step`: the wavelets' sample of the first step, `field` is not looked at; no nodes: no sources
    // Receivers, and a probe: recorded each `ratio` steps, for the first time after `untilSample` of these; `out` is where
    // that sample goes, the next ones follow it; `field` is not looked at; no receivers: none.
    RecordReceivers<T> record[2];
    PointNodes injectNodes, recordNodes[2];
    int ratio = 1, untilSample = 1;
    int samplesLeft = 0; // no more than these are recorded
    // W(n) of some of the steps, laid out as step.compact says, and the sources' part of it: as `inject`, of the same steps.
    KeptRun<T*> kept;
    InjectSources<T> injectKept;
    // Looked at between steps: once set, the rest is left undone. May be null; a device that queues work need not look.
    const std::atomic<bool>* stop = nullptr;
};

// Several steps of the adjoint, of one density, and what happens between them. A backend may do them in any way that leaves
// the same fields, image and samples as one by one.
template<class T>
struct ScalarRetreat {
    ScalarAdjointArgs<T> step; // `now`, `other` and mirror.field are those of the first step; `kept` is not looked at
    int count = 1;
    KeptRun<const T*> kept; // W(n) of some of the steps; null: the image stays as it is
    // Residuals, onto the field after each `ratio` steps, for the first time after untilSample of these: sample `step`, then
    // the one before it, and so on.
    InjectSources<T> inject;
    int ratio = 1, untilSample = 1;
    // Sources, as receivers: after each step, and what it has injected; at `out`, the next ones in the rows before it.
    RecordReceivers<T> record[2];
    PointNodes injectNodes, recordNodes[2];
    int samplesLeft = 0; // no more than these are recorded
};

struct Advanced {
    int steps = 0;       // done: all, unless told to stop
    bool broken = false; // abandoned inside a step: the fields are of no use any more
};

// What an empty step costs, seconds; 0: this device has no such thing.
struct Overheads {
    double launch = 0.0;    // an empty kernel in a stream, among many
    double graphNode = 0.0; // the same as a node of a graph, each waiting for the one before
    double barrier = 0.0;   // all blocks of a launch, one a multiprocessor, waiting for each other
};

// The display side: textures of a GL context that lies on the same device. All calls on the display thread with its
// context current. Null from a backend that cannot.
class TexturePresenter {
public:
    virtual ~TexturePresenter() = default;
    // Does the current GL context lie on this device? Empty: yes; otherwise why not. Really writes and reads back a 16 x 16 texture.
    [[nodiscard]] virtual std::string probe() = 0;
    // GL_TEXTURE_2D, GL_RGBA8, width x height. A texture is registered again after its size changed.
    virtual int registerTexture(unsigned glTexture, int width, int height) = 0;
    virtual void unregisterTexture(int slot) = 0;
    // Waits (on the device) for `ready`, writes the RGBA pixels at `pixels` (device memory, `pitch` pixels a row) into the
    // texture. Returns when `pixels` have been read: they may be written again at once.
    virtual void present(int slot, const std::uint32_t* pixels, int pitch, EventHandle ready) = 0;
};

class Backend {
public:
    virtual ~Backend() = default;

    [[nodiscard]] virtual DeviceFacts facts() const = 0;
    [[nodiscard]] virtual bool isHost() const = 0; // device memory is host memory; work is done when a call returns

    virtual void* allocate(std::size_t bytes, StreamHandle stream) = 0; // 256-byte aligned, not zeroed
    virtual void release(void* memory, StreamHandle stream) noexcept = 0;
    virtual void trim() noexcept = 0; // give cached memory back
    virtual void* allocatePinned(std::size_t bytes) = 0;
    virtual void releasePinned(void* memory) noexcept = 0;

    virtual StreamHandle createStream(StreamPriority priority) = 0;
    virtual void destroyStream(StreamHandle stream) noexcept = 0;
    virtual void synchronize(StreamHandle stream) = 0;
    virtual EventHandle createEvent(bool timed) = 0;
    virtual void destroyEvent(EventHandle event) noexcept = 0;
    virtual void record(EventHandle event, StreamHandle stream) = 0;
    virtual bool isDone(EventHandle event) = 0;
    virtual void wait(EventHandle event) = 0;                          // blocks the caller
    virtual void waitOn(StreamHandle stream, EventHandle event) = 0;   // blocks the stream
    virtual double milliseconds(EventHandle from, EventHandle to) = 0; // both timed and done

    // `from` has been read when the call returns.
    virtual void copyToDevice(void* to, const void* from, std::size_t bytes, StreamHandle stream,
                              CopyPurpose purpose) = 0;
    // Waited for with the stream.
    virtual void copyToHost(void* to, const void* from, std::size_t bytes, StreamHandle stream,
                            CopyPurpose purpose) = 0;
    virtual void copyOnDevice(void* to, const void* from, std::size_t bytes, StreamHandle stream) = 0;
    virtual void fillZero(void* to, std::size_t bytes, StreamHandle stream) = 0;
    [[nodiscard]] virtual CopyCounters copies() const = 0;

    virtual void step(const ScalarStepArgs<float>& args, StreamHandle stream) = 0;
    virtual void step(const ScalarStepArgs<double>& args, StreamHandle stream) = 0;
    virtual Advanced advance(const ScalarAdvance<float>& args, StreamHandle stream) { return oneByOne(args, stream); }
    virtual Advanced advance(const ScalarAdvance<double>& args, StreamHandle stream) { return oneByOne(args, stream); }
    virtual void pad(const PadModel<float>& body, StreamHandle stream) = 0;
    virtual void pad(const PadModel<double>& body, StreamHandle stream) = 0;
    virtual void pad(const PadDensity<float>& /*body*/, StreamHandle /*stream*/) { refuseDensity(); }
    virtual void pad(const PadDensity<double>& /*body*/, StreamHandle /*stream*/) { refuseDensity(); }
    // Of a gradient. A backend without them refuses; it never leaves zeros.
    virtual void keep(const ScalarKeepArgs<float>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void keep(const ScalarKeepArgs<double>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void stepBack(const ScalarAdjointArgs<float>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void stepBack(const ScalarAdjointArgs<double>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void retreat(const ScalarRetreat<float>& args, StreamHandle stream) { oneByOne(args, stream); }
    virtual void retreat(const ScalarRetreat<double>& args, StreamHandle stream) { oneByOne(args, stream); }
    // Does rewind() know steps like these? If not, the two are done one after the other.
    [[nodiscard]] virtual bool rewindsWithin(const Layout& /*layout*/, int /*order*/, std::size_t /*numberBytes*/) const
    {
        return false;
    }
    virtual void rewind(const ScalarRewind<float>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void rewind(const ScalarRewind<double>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    // At every node of the layout.
    virtual void addCurvature(const AddCurvature<float>& /*body*/, int /*shots*/, StreamHandle /*stream*/)
    {
        refuseAdjoint();
    }
    virtual void addCurvature(const AddCurvature<double>& /*body*/, int /*shots*/, StreamHandle /*stream*/)
    {
        refuseAdjoint();
    }
    virtual void addDensityChange(const ScalarTangentArgs<float>& /*args*/, StreamHandle /*stream*/)
    {
        refuseAdjoint();
    }
    virtual void addDensityChange(const ScalarTangentArgs<double>& /*args*/, StreamHandle /*stream*/)
    {
        refuseAdjoint();
    }
    virtual void copyBoxes(const BoxCopy<float>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void copyBoxes(const BoxCopy<double>& /*args*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void pack(const PackedValues<float>& /*body*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void pack(const PackedValues<double>& /*body*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void unpack(const PackedValues<float>& /*body*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void unpack(const PackedValues<double>& /*body*/, StreamHandle /*stream*/) { refuseAdjoint(); }
    virtual void inject(const InjectSources<float>& body, StreamHandle stream) = 0;
    virtual void inject(const InjectSources<double>& body, StreamHandle stream) = 0;
    virtual void record(const RecordReceivers<float>& body, StreamHandle stream) = 0;
    virtual void record(const RecordReceivers<double>& body, StreamHandle stream) = 0;
    virtual void paint(const PaintField<float>& body, StreamHandle stream) = 0;
    virtual void paint(const PaintField<double>& body, StreamHandle stream) = 0;
    virtual void histogram(const AmplitudeHistogram<float>& body, StreamHandle stream) = 0;
    virtual void histogram(const AmplitudeHistogram<double>& body, StreamHandle stream) = 0;

    // Measured now, in a few tens of milliseconds, on a stream with nothing in it.
    [[nodiscard]] virtual Overheads overheads(StreamHandle /*stream*/) { return {}; }
    [[nodiscard]] virtual TexturePresenter* presenter() { return nullptr; }

protected:
    [[noreturn]] static void refuseDensity()
    {
        throw BackendError(BackendFailure::Launch, "this device has no step for variable density; use --device cpu");
    }
    [[noreturn]] static void refuseAdjoint()
    {
        throw BackendError(BackendFailure::Launch, "this device has no adjoint step; use --device cpu");
    }
    template<class T>
    static void checkKeep(const ScalarKeepArgs<T>& args)
    {
        if (args.state.back != nullptr && args.layerBoxes > 0) {
            throw BackendError(BackendFailure::Launch, "a step in absorbing layers cannot be taken back");
        }
    }

    // The plain way, which every faster one is checked against.
    template<class T>
    Advanced oneByOne(ScalarAdvance<T> args, StreamHandle stream)
    {
        for (int done = 0; done < args.count; ++done) {
            if (args.stop != nullptr && args.stop->load(std::memory_order_relaxed)) {
                return {done, false};
            }
            args.step.kept = args.kept.at(0);
            step(args.step, stream);
            if (args.step.abandon != nullptr && args.step.abandon->load(std::memory_order_relaxed)) {
                return {done, true};
            }
            if (args.inject.nodes > 0 && args.inject.step < args.inject.waveletStride) {
                args.inject.field = args.step.state.other;
                inject(args.inject, stream);
                if (args.step.kept != nullptr) {
                    args.injectKept.field = args.step.kept;
                    inject(args.injectKept, stream);
                }
            }
            const bool due = args.untilSample == 1 && args.samplesLeft > 0;
            const RecordReceivers<T> rows[2] = {args.record[0], args.record[1]};
            moveOn(args, 1);
            for (RecordReceivers<T> body : rows) {
                if (due && body.receivers > 0) {
                    body.field = args.step.state.now;
                    record(body, stream);
                }
            }
        }
        return {args.count, false};
    }
    template<class T>
    void oneByOne(ScalarRetreat<T> args, StreamHandle stream)
    {
        for (int done = 0; done < args.count; ++done) {
            args.step.state.kept = args.kept.at(0);
            stepBack(args.step, stream);
            const bool due = args.untilSample == 1 && args.inject.nodes > 0;
            const bool recorded = args.samplesLeft > 0;
            InjectSources<T> residuals = args.inject;
            const RecordReceivers<T> rows[2] = {args.record[0], args.record[1]};
            moveOn(args, 1);
            if (due) {
                residuals.field = args.step.mirror.field;
                inject(residuals, stream);
            }
            for (RecordReceivers<T> body : rows) {
                if (recorded && body.receivers > 0) {
                    body.field = args.step.state.s.now;
                    record(body, stream);
                }
            }
        }
    }

    // What is left to do after so many steps, all but `count`.
    template<class T>
    static void moveOn(ScalarRetreat<T>& args, int steps)
    {
        if (steps % 2 != 0) {
            ScalarState<T>& state = args.step.state.s;
            T* const written = state.other;
            state.other = args.step.mirror.field;
            state.now = args.step.mirror.field = written;
        }
        args.kept = args.kept.after(steps);
        const int injected = steps < args.untilSample ? 0 : 1 + (steps - args.untilSample) / args.ratio;
        args.inject.step -= injected;
        args.untilSample += injected * args.ratio - steps;
        const int recorded = steps < args.samplesLeft ? steps : args.samplesLeft;
        args.samplesLeft -= recorded;
        for (RecordReceivers<T>& body : args.record) {
            body.out -= std::int64_t{recorded} * body.receivers;
        }
    }
    template<class T>
    static void moveOn(ScalarAdvance<T>& args, int steps)
    {
        if (steps % 2 != 0) {
            ScalarState<T>& state = args.step.state;
            T* const written = state.other;
            state.other = args.step.mirror.field;
            state.now = args.step.mirror.field = written;
        }
        args.inject.step += steps;
        args.injectKept.step += steps;
        args.kept = args.kept.after(steps);
        const int samples = steps < args.untilSample ? 0 : 1 + (steps - args.untilSample) / args.ratio;
        args.untilSample += samples * args.ratio - steps;
        const int kept = samples < args.samplesLeft ? samples : args.samplesLeft;
        args.samplesLeft -= kept;
        for (RecordReceivers<T>& body : args.record) {
            body.out += std::int64_t{kept} * body.receivers;
        }
    }
};

// threads: 0 for all of the machine's.
[[nodiscard]] std::unique_ptr<Backend> makeHostBackend(int threads = 0);

// A backend module exports two symbols, extern "C". kModuleRelease tells whose release it is without calling anything of
// it (ONDO_MODULE_RELEASE of kernels/fingerprint.h: version and kernels); kModuleEntry gives the module to a caller of the
// same release and null to any other.
class BackendModule {
public:
    virtual ~BackendModule() = default;
    [[nodiscard]] virtual std::string release() const = 0;
    // Usable devices; 0 fills `why` with the reason and the remedy.
    [[nodiscard]] virtual int count(std::string& why) = 0;
    // Facts without a context on the device, so memoryFree is 0. Throws BackendError.
    [[nodiscard]] virtual DeviceFacts describe(int ordinal) = 0;
    [[nodiscard]] virtual std::unique_ptr<Backend> open(int ordinal) = 0; // throws BackendError
};
inline constexpr const char* kModuleRelease = "ondoModuleRelease";
using ModuleRelease = const char* (*)();
inline constexpr const char* kModuleEntry = "ondoBackendModule";
using ModuleEntry = BackendModule* (*)(const char* release);

} // namespace ondo::kernels
