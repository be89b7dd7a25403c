// See resident.h: the kernels of a gradient, of the orders that runs are made with. One of each for every order would double
// what they take of the module.
#include "kernels/cuda/resident_run.cuh"

namespace ondo::kernels::cuda {

ResidentKernel residentTapeKernel(ResidentWay way, int radius)
{
    const bool back = way == ResidentWay::Back;
    switch (radius) {
    case 2: return back ? residentKernel<2, ResidentWay::Back> : residentKernel<2, ResidentWay::Kept>;
    case 4: return back ? residentKernel<4, ResidentWay::Back> : residentKernel<4, ResidentWay::Kept>;
    default: return nullptr;
    }
}

} // namespace ondo::kernels::cuda
