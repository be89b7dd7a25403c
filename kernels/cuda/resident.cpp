#include "kernels/cuda/resident.h"

#include "kernels/cuda/cuda_check.h"

#include <algorithm>
#include <limits>

namespace ondo::kernels::cuda {

namespace {

constexpr std::size_t kKept = 4;        // plans: before and after a poke; a gradient's forwards and backwards
constexpr std::size_t kReserved = 1024; // bytes of shared memory that the system keeps of each block

// All that a plan is made from.
std::vector<std::int64_t> keyOf(ResidentWay way, const ScalarAdvance<float>& args)
{
    const Layout& l = args.step.state.layout;
    std::vector<std::int64_t> key = {static_cast<std::int64_t>(way),
                                     l.rank,
                                     l.nz,
                                     l.ny,
                                     l.nx,
                                     l.radius,
                                     l.strideZ,
                                     l.strideY,
                                     l.shotStride,
                                     l.lead,
                                     args.step.order,
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
    const int blocks = residentBlocks(plan.way, radius, limit);
    if (blocks == 0) {
        return;
    }
    // Points take their share once the tiles are known: room for what a line of receivers needs, or none.
    for (const std::size_t points : {std::size_t{0}, std::size_t{8192}, std::size_t{32768}, std::size_t{98304}}) {
        if (points >= limit) {
            return;
        }
        const auto shape = residentShape(args, blocks, limit - points, plan.way == ResidentWay::Back);
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

namespace {

// A retreat as an advance, as far as a plan asks: each step is recorded.
ScalarAdvance<float> asAdvance(const ScalarRetreat<float>& args)
{
    ScalarAdvance<float> same;
    same.step.state = args.step.state.s;
    same.step.order = args.step.order;
    same.step.shots = args.step.shots;
    same.step.mirror = args.step.mirror;
    same.step.boxes = args.step.boxes;
    same.step.interiorBoxes = args.step.interiorBoxes;
    same.step.layerBoxes = args.step.layerBoxes;
    same.step.mirrorBoxes = args.step.mirrorBoxes;
    same.inject = args.inject;
    same.injectNodes = args.injectNodes;
    for (int which = 0; which < 2; ++which) {
        same.record[which] = args.record[which];
        same.recordNodes[which] = args.recordNodes[which];
    }
    return same;
}

} // namespace

bool ResidentSteps::takes(const ScalarAdvance<float>& args, cudaStream_t stream)
{
    return plannedFor(args.kept.first != nullptr ? ResidentWay::Kept : ResidentWay::Forward, args, stream);
}

bool ResidentSteps::takes(const ScalarRetreat<float>& args, cudaStream_t stream)
{
    return args.step.state.image != nullptr && plannedFor(ResidentWay::Back, asAdvance(args), stream);
}

bool ResidentSteps::plannedFor(ResidentWay way, const ScalarAdvance<float>& args, cudaStream_t stream)
{
    for (int which = 0; which < 2; ++which) {
        if (args.record[which].receivers > 0 && args.recordNodes[which].id == 0) {
            return false;
        }
    }
    if (args.inject.nodes > 0 && args.injectNodes.id == 0) {
        return false;
    }
    auto key = keyOf(way, args);
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
    m_plans.back().way = way;
    make(m_plans.back(), args, stream);
    return m_plans.back().fits;
}

ResidentBody ResidentSteps::body(const ScalarState<float>& state, int shot, int steps)
{
    Plan& plan = m_plans.back();
    const ResidentShape& shape = plan.shape;
    ResidentBody body;
    body.s = state;
    body.s.now += shot * body.s.layout.shotStride;
    body.s.other += shot * body.s.layout.shotStride;
    body.shot = shot;
    body.steps = steps;
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
    plan.tag += static_cast<std::uint32_t>(steps); // may wrap: by then every word has been written again
    return body;
}

void ResidentSteps::launch(const ScalarAdvance<float>& args, int shot, cudaStream_t stream)
{
    ResidentBody on = body(args.step.state, shot, args.count);
    on.inject = args.inject;
    on.record[0] = args.record[0];
    on.record[1] = args.record[1];
    on.ratio = args.ratio;
    on.untilSample = args.untilSample;
    on.samplesLeft = args.samplesLeft;
    on.compact = args.step.compact;
    on.kept = args.kept;
    const Plan& plan = m_plans.back();
    launchResident(plan.way, on, plan.shape.radius, plan.shape.tiles(), plan.bytes, stream);
}

void ResidentSteps::launch(const ScalarRetreat<float>& args, int shot, cudaStream_t stream)
{
    ResidentBody on = body(args.step.state.s, shot, args.count);
    on.inject = args.inject;
    on.injectRatio = args.ratio;
    on.untilInject = args.untilSample;
    on.record[0] = args.record[0];
    on.record[1] = args.record[1];
    on.samplesLeft = args.samplesLeft;
    on.compact = args.step.state.compact;
    on.imaged = args.kept;
    on.image = args.step.state.image;
    const Plan& plan = m_plans.back();
    launchResident(plan.way, on, plan.shape.radius, plan.shape.tiles(), plan.bytes, stream);
}

} // namespace ondo::kernels::cuda
