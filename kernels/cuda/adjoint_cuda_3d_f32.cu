#include "kernels/cuda/adjoint_cuda_impl.cuh"
#include "kernels/cuda/rewind_kernel.cuh"

namespace ondo::kernels::cuda {

namespace {

constexpr int kRewindRadius = 4; // order 8 alone, as layers with a tape

void rewindInterior(const RewindState<float>& state, MarchPlan& plan, int shots, const StepLaunch& on,
                    cudaStream_t stream)
{
    using Sizes = RewindSizes<float, kRewindRadius>;
    constexpr auto kKernel = rewindKernel<float, kRewindRadius>;
    cutMarch<3, kRewindRadius, kNoLayer>(plan, shots, blocksAtOnce<kKernel>(on, plan.threads, plan.bytes), 0.0,
                                         on.planes[0]);
    forEachMarchTable(plan, [&](MarchTable& table, unsigned blocks) {
        for (; table.firstShot < shots; table.firstShot += kMaxGridY) {
            const dim3 grid(blocks, static_cast<unsigned>(std::min(shots - table.firstShot, kMaxGridY)));
            kKernel<<<grid, RewindShape::kThreads, Sizes::kBytes, stream>>>(state, table);
            checkLaunch("rewind");
        }
    });
}

} // namespace

bool rewindsWithin(const Layout& layout, int order, const StepLaunch& on)
{
    return on.march && layout.rank == 3 && order == 2 * kRewindRadius &&
           RewindSizes<float, kRewindRadius>::kBytes <= on.sharedBytes;
}

void scalarRewind(const ScalarRewind<float>& args, const StepLaunch& on, cudaStream_t stream)
{
    const ScalarAdjointArgs<float>& back = args.adjoint;
    const ScalarState<float>& s = back.state.s;
    using Sizes = RewindSizes<float, kRewindRadius>;
    MarchPlan interior = MarchPlanner<float, 3, kRewindRadius>(s, on.sharedBytes)
                             .interiorIn<RewindShape>(back.boxes, back.interiorBoxes, Sizes::kBytes);
    if (!rewindsWithin(s.layout, back.order, on) || (back.interiorBoxes > 0 && interior.boxes.empty())) {
        throw BackendError(BackendFailure::Launch, "a step back and one taken back do not go in one here");
    }
    auto tape = detail::backTapeOf(back);
    tape.align<16 / static_cast<int>(sizeof(float))>();
    const MarchBoxes boxes{back.boxes, back.interiorBoxes, back.layerBoxes, back.shots};
    Branches branches(on, stream, s.layout.nodes() * back.shots);
    marchLayers<float, 3, kRewindRadius>(branches, s, boxes, tape, on,
                                         [&](const Box* rest, int count, cudaStream_t to) {
                                             detail::stepLayersBack<float, 3, kRewindRadius>(back, rest, count, to);
                                         });
    rewindInterior({s, args.now, args.other, back.state.compact, back.state.image, tape.vectors}, interior, back.shots,
                   on, stream);
    branches.join();
}

template void scalarKeep<float, 3>(const ScalarKeepArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarStepKept<float, 3>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarAdjoint<float, 3>(const ScalarAdjointArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarAdjointMemories<float, 3>(const ScalarAdjointArgs<float>&, cudaStream_t);

} // namespace ondo::kernels::cuda
