// Every kernel of the module, as a function that launches it. Each is instantiated in one .cu file, so that an entry exists
// once per architecture. Throw BackendError. The caller has made the device current.
#pragma once

#include "kernels/backend.h"

#include <cuda_runtime_api.h>

namespace ondo::kernels::cuda {

// In device memory: where a graph of steps, whose launches never change, finds what does.
struct GraphClock {
    std::int64_t step = 0; // of the wavelets, at the graph's first step
    void* out[2] = {};     // where the next sample of each record goes
    int samplesLeft = 0;
};

// The device a step runs on, and how it is launched.
struct StepLaunch {
    static constexpr int kBranches = 6;
    bool march = true;    // ONDO_MARCH=0 in the environment: one thread a node, which marching is checked against
    bool branches = true; // ONDO_MARCH_FORK=0: no branches
    int planes[2] =
        {}; // ONDO_MARCH_PLANES, ONDO_MARCH_LAYER_PLANES: that a piece marches; 0: as many as fill the device
    int device = 0, multiprocessors = 1;
    int sharedBytes = 0; // that a block may have
    // Where launches that wait for nothing of each other go while a graph is being made.
    cudaStream_t branch[kBranches] = {};
    cudaEvent_t fork = nullptr, joined[kBranches] = {};
};

// The caller destroys its streams and events.
[[nodiscard]] StepLaunch makeStepLaunch(int ordinal);

template<class T, int Rank>
void scalarStep(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream); // interior and layers

extern template void scalarStep<float, 2>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarStep<float, 3>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarStep<double, 2>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void scalarStep<double, 3>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);

// Of a gradient: a step and its W(n), W(n) alone; memories, interior and layers of a step back (the halos are filled before).
template<class T, int Rank>
void scalarStepKept(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream);
template<class T, int Rank>
void scalarKeep(const ScalarKeepArgs<T>& args, const StepLaunch& on, cudaStream_t stream);
template<class T, int Rank>
void scalarAdjoint(const ScalarAdjointArgs<T>& args, const StepLaunch& on, cudaStream_t stream);

// Interior and layers of a step back and the interior of the forward step under it; of three dimensions and order 8.
void scalarRewind(const ScalarRewind<float>& args, const StepLaunch& on, cudaStream_t stream);
[[nodiscard]] bool rewindsWithin(const Layout& layout, int order, const StepLaunch& on);

extern template void scalarStepKept<float, 2>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarStepKept<float, 3>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarStepKept<double, 2>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void scalarStepKept<double, 3>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void scalarKeep<float, 2>(const ScalarKeepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarKeep<float, 3>(const ScalarKeepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarKeep<double, 2>(const ScalarKeepArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void scalarKeep<double, 3>(const ScalarKeepArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void scalarAdjoint<float, 2>(const ScalarAdjointArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarAdjoint<float, 3>(const ScalarAdjointArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void scalarAdjoint<double, 2>(const ScalarAdjointArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void scalarAdjoint<double, 3>(const ScalarAdjointArgs<double>&, const StepLaunch&, cudaStream_t);

// The memories of layers alone, with the run-time radius: the same where density varies.
template<class T, int Rank>
void scalarAdjointMemories(const ScalarAdjointArgs<T>& args, cudaStream_t stream);

extern template void scalarAdjointMemories<float, 2>(const ScalarAdjointArgs<float>&, cudaStream_t);
extern template void scalarAdjointMemories<float, 3>(const ScalarAdjointArgs<float>&, cudaStream_t);
extern template void scalarAdjointMemories<double, 2>(const ScalarAdjointArgs<double>&, cudaStream_t);
extern template void scalarAdjointMemories<double, 3>(const ScalarAdjointArgs<double>&, cudaStream_t);

// Where density varies (ScalarState::density). A step of order 8 in single precision marches; the rest is one thread a node.
template<class T, int Rank>
void densityStep(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream);
template<class T, int Rank>
void densityKeep(const ScalarKeepArgs<T>& args, cudaStream_t stream);
template<class T, int Rank>
void densityAdjoint(const ScalarAdjointArgs<T>& args, cudaStream_t stream);

extern template void densityStep<float, 2>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void densityStep<float, 3>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
extern template void densityStep<double, 2>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void densityStep<double, 3>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);
extern template void densityKeep<float, 2>(const ScalarKeepArgs<float>&, cudaStream_t);
extern template void densityKeep<float, 3>(const ScalarKeepArgs<float>&, cudaStream_t);
extern template void densityKeep<double, 2>(const ScalarKeepArgs<double>&, cudaStream_t);
extern template void densityKeep<double, 3>(const ScalarKeepArgs<double>&, cudaStream_t);
extern template void densityAdjoint<float, 2>(const ScalarAdjointArgs<float>&, cudaStream_t);
extern template void densityAdjoint<float, 3>(const ScalarAdjointArgs<float>&, cudaStream_t);
extern template void densityAdjoint<double, 2>(const ScalarAdjointArgs<double>&, cudaStream_t);
extern template void densityAdjoint<double, 3>(const ScalarAdjointArgs<double>&, cudaStream_t);

// For T = float, double.
template<class T>
void addDensityChange(const ScalarTangentArgs<T>& args, cudaStream_t stream);
template<class T>
void copyBoxes(const BoxCopy<T>& args, cudaStream_t stream);
template<class T>
void addCurvature(const AddCurvature<T>& body, int shots, cudaStream_t stream);
template<class T>
void packValues(const PackedValues<T>& body, cudaStream_t stream);
template<class T>
void unpackValues(const PackedValues<T>& body, cudaStream_t stream);
template<class T>
void padModel(const PadModel<T>& body, cudaStream_t stream);
template<class T>
void padDensity(const PadDensity<T>& body, cudaStream_t stream);
template<class T>
void mirrorFaces(const MirrorFaces<T>& body, const Box* faces, int count, int shots, cudaStream_t stream);
template<class T>
void injectSources(const InjectSources<T>& body, cudaStream_t stream, const GraphClock* clock = nullptr);
// The sources' part of W of all steps that are kept of these.
void injectKept(const ScalarAdvance<float>& args, cudaStream_t stream);
template<class T>
void recordReceivers(const RecordReceivers<T>& body, cudaStream_t stream, const GraphClock* clock = nullptr,
                     int which = 0, int sample = 0);
void setClock(GraphClock* clock, const GraphClock& value, cudaStream_t stream);
void moveClock(GraphClock* clock, int steps, int samples, std::int64_t rowBytes0, std::int64_t rowBytes1,
               cudaStream_t stream);
template<class T>
void paintField(const PaintField<T>& body, cudaStream_t stream);
template<class T>
void amplitudeHistogram(const AmplitudeHistogram<T>& body, cudaStream_t stream);

[[nodiscard]] Overheads measureOverheads(cudaStream_t stream); // not the default stream of CUDA

// RGBA pixels to a surface over the array of a mapped texture.
void writeSurface(cudaSurfaceObject_t surface, int width, int height, const std::uint32_t* pixels, int pitch,
                  cudaStream_t stream);

} // namespace ondo::kernels::cuda
