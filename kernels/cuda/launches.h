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

template<class T, int Rank>
void scalarStep(const ScalarStepArgs<T>& args, cudaStream_t stream); // interior and layers

extern template void scalarStep<float, 2>(const ScalarStepArgs<float>&, cudaStream_t);
extern template void scalarStep<float, 3>(const ScalarStepArgs<float>&, cudaStream_t);
extern template void scalarStep<double, 2>(const ScalarStepArgs<double>&, cudaStream_t);
extern template void scalarStep<double, 3>(const ScalarStepArgs<double>&, cudaStream_t);

// For T = float, double.
template<class T>
void mirrorFaces(const MirrorFaces<T>& body, const Box* faces, int count, int shots, cudaStream_t stream);
template<class T>
void injectSources(const InjectSources<T>& body, cudaStream_t stream, const GraphClock* clock = nullptr);
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

// RGBA pixels to a surface over the array of a mapped texture.
void writeSurface(cudaSurfaceObject_t surface, int width, int height, const std::uint32_t* pixels, int pitch,
                  cudaStream_t stream);

} // namespace ondo::kernels::cuda
