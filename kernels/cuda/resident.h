// Many steps of a 2-D grid in one launch (performance.md 2.3): every multiprocessor keeps its tile's fields, speeds and
// layer memories in shared memory, and hands its edges over through the L2 cache. Each word handed over carries the number
// of its step, so that whoever waits for it needs no barrier, no fence and no second look. All blocks must be resident at
// once (a cooperative launch). The same samples and fields as step by step, to rounding.
#pragma once

#include "kernels/cuda/launches.h"
#include "kernels/cuda/resident_plan.h"

#include <cstdint>
#include <vector>

namespace ondo::kernels::cuda {

// What the kernel is told; place and lists as in resident_plan.h.
struct ResidentBody {
    ScalarState<float> s; // now and other of this shot
    int shot = 0, steps = 0;
    int tilesX = 1, tilesZ = 1;
    short zCut[kMostCuts + 1] = {}, xCut[kMostCuts + 1] = {};
    int depth[4] = {};
    signed char beyond[4] = {};
    std::uint64_t* inbox = nullptr; // [tile][side][parity][wordsASide]
    int wordsASide = 0;
    std::uint32_t tag = 1; // of the first step's words
    const int* points = nullptr;
    std::uint64_t* ring = nullptr; // [kRing samples][crossings]
    int crossings = 0;
    InjectSources<float> inject;
    RecordReceivers<float> record[2];
    int ratio = 1, untilSample = 1, samplesLeft = 0;
    // Of a gradient. W(n) of all shots, `compact`; the image; backwards sources are injected each injectRatio steps, for the
    // first time after untilInject, and records lie before one another.
    Layout compact;
    KeptRun<float*> kept;         // that goes out
    KeptRun<const float*> imaged; // that comes in
    float* image = nullptr;
    int injectRatio = 1, untilInject = 1;
};

// In resident_cuda.cu.
[[nodiscard]] std::size_t residentSharedLimit(int device); // bytes a block may have
// Blocks that are resident at once on the current device; 0: there is no such kernel.
[[nodiscard]] int residentBlocks(ResidentWay way, int radius, std::size_t bytes);
void launchResident(ResidentWay way, const ResidentBody& body, int radius, int blocks, std::size_t bytes,
                    cudaStream_t stream);
// Those of a gradient, in resident_tape_cuda.cu; null: none of this radius.
using ResidentKernel = void (*)(ResidentBody);
[[nodiscard]] ResidentKernel residentTapeKernel(ResidentWay way, int radius);

// Plans kept from call to call. One stream at a time; the device is current.
class ResidentSteps {
public:
    explicit ResidentSteps(int device);
    ~ResidentSteps();
    ResidentSteps(const ResidentSteps&) = delete;
    ResidentSteps& operator=(const ResidentSteps&) = delete;

    // Can it take these? Plans at the first call with such a grid and such points.
    [[nodiscard]] bool takes(const ScalarAdvance<float>& args, cudaStream_t stream);
    [[nodiscard]] bool takes(const ScalarRetreat<float>& args, cudaStream_t stream);
    // Steps of one launch: it should return every millisecond or two, for the sake of whoever else draws on the device.
    static constexpr int kMostSteps = 512;
    static constexpr int kLeastSteps =
        2; // a tile reads its neighbours' edges at first, which a single step would overwrite
    // args.count steps of one shot, after takes().
    void launch(const ScalarAdvance<float>& args, int shot, cudaStream_t stream);
    void launch(const ScalarRetreat<float>& args, int shot, cudaStream_t stream);
    void forget();

private:
    struct Plan {
        ResidentWay way = ResidentWay::Forward;
        std::vector<std::int64_t> key;
        bool fits = false;
        ResidentShape shape;
        std::size_t bytes = 0; // of shared memory
        int crossings = 0, wordsASide = 0;
        std::uint64_t* inbox = nullptr;
        std::uint64_t* ring = nullptr;
        int* words = nullptr;
        std::uint32_t tag = 1;
    };
    bool plannedFor(ResidentWay way, const ScalarAdvance<float>& args, cudaStream_t stream);
    // Of the latest plan: all but what the steps ask besides, for so many steps.
    ResidentBody body(const ScalarState<float>& state, int shot, int steps);
    void make(Plan& plan, const ScalarAdvance<float>& args, cudaStream_t stream) const;
    static void drop(const Plan& plan);

    int m_device;
    std::vector<Plan> m_plans; // the latest last
};

} // namespace ondo::kernels::cuda
