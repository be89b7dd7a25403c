// Launches a step where density varies by marching, as march.cuh does where it does not: single precision, order 8.
#pragma once

#include "kernels/cuda/columns_density_kernel.cuh"
#include "kernels/cuda/march.cuh"
#include "kernels/cuda/march_density_kernel.cuh"

#include <algorithm>
#include <utility>
#include <vector>

namespace ondo::kernels::cuda {

template<class T, int Rank, int M, int Layers>
constexpr auto densityKernelOf()
{
    if constexpr (Rank == 2) {
        return densityColumnsKernel<T, M>;
    } else {
        return densityMarchKernel<T, M, Layers>;
    }
}

template<class T, int Rank, int M, int Layers>
void marchDensity(const ScalarState<T>& state, int shots, MarchPlan& plan, const StepLaunch& on, cudaStream_t stream)
{
    if (plan.boxes.empty() || shots <= 0) {
        return;
    }
    using Inner = DensityShape<kNoLayer>;
    constexpr auto kKernel = densityKernelOf<T, Rank, M, Layers>();
    const double atOnce =
        static_cast<double>(on.multiprocessors) * Inner::kMinBlocks * Inner::kThreads * Inner::kVectorBytes / sizeof(T);
    cutMarch<Rank, M, Layers>(plan, shots, blocksAtOnce<kKernel>(on, plan.threads, plan.bytes),
                              static_cast<double>(state.layout.nodes()) * shots / atOnce,
                              on.planes[Layers == kNoLayer ? 0 : 1]);
    forEachMarchTable(plan, [&](MarchTable& table, unsigned blocks) {
        for (; table.firstShot < shots; table.firstShot += kMaxGridY) {
            const dim3 grid(blocks, static_cast<unsigned>(std::min(shots - table.firstShot, kMaxGridY)));
            kKernel<<<grid, static_cast<unsigned>(plan.threads), static_cast<std::size_t>(plan.bytes), stream>>>(state,
                                                                                                                 table);
            checkLaunch("march of densities");
        }
    });
}

template<class T, int Rank, int M>
MarchPlan densityInterior(const Box* boxes, int count, int sharedBytes)
{
    using Sizes = DensitySizes<T, M, kNoLayer>;
    using Columns = DensityColumns;
    using Shape = typename Sizes::Shape;
    constexpr int V = Sizes::kVector;
    constexpr int kRowStart = 32 / static_cast<int>(sizeof(T)); // a sector of memory
    MarchPlan plan;
    plan.threads = Rank == 3 ? Shape::kThreads : Columns::kThreads;
    plan.bytes = Rank == 3 ? Sizes::bytes(Shape::kLanes, Shape::kRows) : 0;
    plan.columns = Rank == 3 ? 1 : Columns::kWarps;
    for (int i = 0; i < count && plan.bytes <= sharedBytes; ++i) {
        if (boxes[i].nodes() <= 0) {
            continue;
        }
        MarchBox m;
        m.box = boxes[i];
        m.lanes = Rank == 3 ? Shape::kLanes : Columns::kLanes;
        m.rows = Rank == 3 ? Shape::kRows : 1;
        m.x = m.box.x0 / kRowStart * kRowStart;
        m.tilesX = (m.box.x1 - m.x + m.lanes * V - 1) / (m.lanes * V);
        m.tilesRow = Rank == 3 ? (m.box.y1 - m.box.y0 + m.rows - 1) / m.rows : 1;
        plan.boxes.push_back(m);
    }
    return plan;
}

// A plan of layers for tiles of one density made one for those of two rings, which are narrower. `rest`: boxes whose layer
// along x is too wide then.
template<class T, int M, int Layers>
void narrow(MarchPlan& plan, std::vector<Box>& rest)
{
    using Sizes = DensitySizes<T, M, Layers>;
    plan.bytes = 0;
    std::vector<MarchBox> kept;
    for (MarchBox m : plan.boxes) {
        if (m.lanes > Sizes::kMostLanes) {
            if (m.box.side[kX] != kNone) {
                rest.push_back(m.box);
                continue;
            }
            m.lanes = Sizes::kMostLanes;
            m.tilesX = (m.box.x1 - m.x + m.lanes * Sizes::kVector - 1) / (m.lanes * Sizes::kVector);
        }
        plan.bytes = std::max(plan.bytes, Sizes::bytes(m.lanes, m.rows));
        kept.push_back(m);
    }
    plan.boxes = std::move(kept);
}

// Interior and layers by marching; launchRest(boxes, count, stream): what of the layers does not fit. False, and nothing
// launched, if the interior's tiles do not fit the device.
template<class T, int Rank, int M, class Rest>
bool marchDensityAll(const ScalarState<T>& state, const MarchBoxes& on, const StepLaunch& launch, cudaStream_t stream,
                     Rest launchRest)
{
    MarchPlan interior = densityInterior<T, Rank, M>(on.boxes, on.interior, launch.sharedBytes);
    if (on.interior > 0 && interior.boxes.empty()) {
        return false;
    }
    const Box* boxes = on.boxes + on.interior;
    std::vector<Box> rest;
    Branches branches(launch, stream, state.layout.nodes() * on.shots);
    int branch = 0;
    if constexpr (Rank == 3) {
        // The tiles of one density, of two rings: half the memory for each.
        const MarchPlanner<T, 3, M> planner(state, launch.sharedBytes / 2);
        const auto marchLayers = [&]<int Layers>() {
            MarchPlan plan = planner.template layers<Layers>(boxes, on.layers, rest);
            narrow<T, M, Layers>(plan, rest);
            if (!plan.boxes.empty()) {
                branches.branch(
                    branch, [&](cudaStream_t s) { marchDensity<T, 3, M, Layers>(state, on.shots, plan, launch, s); });
            }
            ++branch;
        };
        marchLayers.template operator()<kAlongAny>(); // the longest first
        marchLayers.template operator()<kAnyLayer>();
        marchLayers.template operator()<kXLayer>();
        marchLayers.template operator()<kRowLayer>();
        marchLayers.template operator()<kAlongLayer>();
    } else { // few
        rest.assign(boxes, boxes + on.layers);
    }
    if (!rest.empty()) {
        branches.branch(branch, [&](cudaStream_t s) { launchRest(rest.data(), static_cast<int>(rest.size()), s); });
    }
    marchDensity<T, Rank, M, kNoLayer>(state, on.shots, interior, launch, stream);
    branches.join();
    return true;
}

} // namespace ondo::kernels::cuda
