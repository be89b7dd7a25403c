#include "kernels/cuda/resident.h"

#include "kernels/cuda/cuda_check.h"

#include <algorithm>
#include <limits>

namespace ondo::kernels::cuda {

namespace {

constexpr std::size_t kKept = 2;        // plans: before and after a poke
constexpr std::size_t kReserved = 1024; // bytes of shared memory that the system keeps of each block

// All that a plan is made from.
std::vector<std::int64_t> keyOf(const ScalarAdvance<float>& args)
{
    const Layout& l = args.step.state.layout;
    std::vector<std::int64_t> key = {l.rank,         l.nz,      l.ny,         l.nx,   l.radius,
                                     l.strideZ,      l.strideY, l.shotStride, l.lead, args.step.order,
                                     args.step.shots};
    const int boxes = args.step.interiorBoxes + args.step.layerBoxes + args.step.mirrorBoxes;
    key.insert(key.end(), {args.step.interiorBoxes, args.step.layerBoxes, args.step.mirrorBoxes});
    for (int i = 0; i < boxes; ++i) {
        const Box& b = args.step.boxes[i];
        key.insert(key.end(), {b.z0, b.z1, b.y0, b.y1, b.x0, b.x1, b.side[kZ], b.side[kY], b.side[kX]});
    }
    for (const signed char odd : args.step.mirror.odd) {
        key.push_back(odd);
    }
    key.push_back(static_cast<std::int64_t>(args.injectNodes.id));
    key.push_back(args.inject.nodes);
    key.push_back(args.ratio);
    for (int which = 0; which < 2; ++which) {
        key.push_back(static_cast<std::int64_t>(args.recordNodes[which].id));
        key.push_back(args.record[which].receivers);
    }
    return key;
}

template<class T>
T* reserve(std::size_t count, cudaStream_t stream)
{
    void* memory = nullptr;
    ONDO_CUDA(cudaMalloc(&memory, std::max<std::size_t>(count, 1) * sizeof(T)));
    ONDO_CUDA(cudaMemsetAsync(memory, 0, std::max<std::size_t>(count, 1) * sizeof(T), stream));
    return static_cast<T*>(memory);
}

} // namespace

ResidentSteps::ResidentSteps(int device)
    : m_device(device)
{
}

ResidentSteps::~ResidentSteps()
{
    forget();
}

void ResidentSteps::forget()
{
    for (const Plan& plan : m_plans) {
        drop(plan);
    }
    m_plans.clear();
}

void ResidentSteps::drop(const Plan& plan)
{
    // cudaFree waits for what is under way.
    ONDO_CUDA_NOTHROW(cudaFree(plan.inbox));
    ONDO_CUDA_NOTHROW(cudaFree(plan.ring));
    ONDO_CUDA_NOTHROW(cudaFree(plan.words));
}

void ResidentSteps::make(Plan& plan, const ScalarAdvance<float>& args, cudaStream_t stream) const
{
    const std::size_t limit = residentSharedLimit(m_device);
    const int radius = args.step.state.layout.radius;
    if (limit <= kReserved || radius < 1 || radius > 5) {
        return;
    }
    const int blocks = residentBlocks(radius, limit);
    // Points take their share once the tiles are known: room for what a line of receivers needs, or none.
    for (const std::size_t points : {std::size_t{0}, std::size_t{8192}, std::size_t{32768}, std::size_t{98304}}) {
        if (points >= limit) {
            return;
        }
        const auto shape = residentShape(args, blocks, limit - points);
        if (!shape) {
            return;
        }
        const auto lists = residentPoints(args, *shape);
        if (!lists) {
            return;
        }
        plan.bytes = residentBytes(*shape, *lists);
        if (plan.bytes > limit) {
            continue;
        }
        plan.shape = *shape;
        plan.crossings = lists->crossings;
        plan.wordsASide = radius * std::max(shape->height, shape->width);
        plan.inbox = reserve<std::uint64_t>(std::size_t{8} * static_cast<std::size_t>(shape->tiles()) *
                                                static_cast<std::size_t>(plan.wordsASide),
                                            stream);
        plan.ring = reserve<std::uint64_t>(std::size_t{kRing} * static_cast<std::size_t>(plan.crossings), stream);
        plan.words = reserve<int>(lists->words.size(), stream);
        ONDO_CUDA(cudaMemcpyAsync(plan.words, lists->words.data(), lists->words.size() * sizeof(int),
                                  cudaMemcpyHostToDevice, stream));
        ONDO_CUDA(cudaStreamSynchronize(stream)); // the vector goes
        plan.fits = true;
        return;
    }
}

bool ResidentSteps::takes(const ScalarAdvance<float>& args, cudaStream_t stream)
{
    for (int which = 0; which < 2; ++which) {
        if (args.record[which].receivers > 0 && args.recordNodes[which].id == 0) {
            return false;
        }
    }
    if (args.inject.nodes > 0 && args.injectNodes.id == 0) {
        return false;
    }
    auto key = keyOf(args);
    const auto known = std::find_if(m_plans.begin(), m_plans.end(), [&key](const Plan& p) { return p.key == key; });
    if (known != m_plans.end()) {
        std::rotate(known, known + 1, m_plans.end());
        return m_plans.back().fits;
    }
    if (m_plans.size() >= kKept) {
        drop(m_plans.front());
        m_plans.erase(m_plans.begin());
    }
    m_plans.emplace_back();
    m_plans.back().key = std::move(key);
    make(m_plans.back(), args, stream);
    return m_plans.back().fits;
}

void ResidentSteps::launch(const ScalarAdvance<float>& args, int shot, cudaStream_t stream)
{
    Plan& plan = m_plans.back();
    const ResidentShape& shape = plan.shape;
    ResidentBody body;
    body.s = args.step.state;
    body.s.now += shot * body.s.layout.shotStride;
    body.s.other += shot * body.s.layout.shotStride;
    body.shot = shot;
    body.steps = args.count;
    body.tilesX = shape.tilesX;
    body.tilesZ = shape.tilesZ;
    static_assert(kMostCuts >= 1);
    std::transform(shape.zCut.begin(), shape.zCut.end(), body.zCut, [](int v) { return static_cast<short>(v); });
    std::transform(shape.xCut.begin(), shape.xCut.end(), body.xCut, [](int v) { return static_cast<short>(v); });
    std::copy_n(shape.depth, 4, body.depth);
    std::copy_n(shape.beyond, 4, body.beyond);
    body.inbox = plan.inbox;
    body.wordsASide = plan.wordsASide;
    body.tag = plan.tag;
    body.points = plan.words;
    body.ring = plan.ring;
    body.crossings = plan.crossings;
    body.inject = args.inject;
    body.record[0] = args.record[0];
    body.record[1] = args.record[1];
    body.ratio = args.ratio;
    body.untilSample = args.untilSample;
    body.samplesLeft = args.samplesLeft;
    launchResident(body, shape.radius, shape.tiles(), plan.bytes, stream);
    plan.tag += static_cast<std::uint32_t>(args.count); // may wrap: by then every word has been written again
}

} // namespace ondo::kernels::cuda
