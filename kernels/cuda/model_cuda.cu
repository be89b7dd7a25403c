// The model of a run.
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

namespace ondo::kernels::cuda {

template<class T>
void padModel(const PadModel<T>& body, cudaStream_t stream)
{
    const Box rows = body.rows();
    forEachNode<PadModel<T>, ModelTile>(&rows, 1, 1, body, stream);
    const auto clear = [&body, stream](std::int64_t from, std::int64_t to) {
        ONDO_CUDA(cudaMemsetAsync(body.c2 + from, 0, static_cast<std::size_t>(to - from) * sizeof(T), stream));
    };
    clear(0, body.begin());
    clear(body.end(), body.layout.shotStride);
}

template<class T>
void padDensity(const PadDensity<T>& body, cudaStream_t stream)
{
    const Box rows = body.model.rows();
    forEachNode<PadDensity<T>, ModelTile>(&rows, 1, 1, body, stream);
}

template void padDensity(const PadDensity<float>&, cudaStream_t);
template void padDensity(const PadDensity<double>&, cudaStream_t);
template void padModel(const PadModel<float>&, cudaStream_t);
template void padModel(const PadModel<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
