#include "kernels/host/tape_host.h"

#include "kernels/host/launcher.h"

#include <algorithm>

namespace ondo::kernels {

namespace {

template<class T, bool ToBlock>
void copyBoxes(const BoxCopy<T>& args, Share share)
{
    T* block = args.block;
    for (int i = 0; i < args.count; ++i) {
        forEachNode(args.boxes[i], args.shots, share,
                    CopyBox<T, ToBlock>{args.layout, args.field, block, args.perShot()});
        block += args.boxes[i].nodes();
    }
}

// Groups [from, to) of a share.
template<class Work>
void forGroups(std::int64_t groups, Share share, const Work& work)
{
    const std::int64_t last = groups * (share.index + 1) / share.count;
    for (std::int64_t g = groups * share.index / share.count; g < last; ++g) {
        work(g);
    }
}

} // namespace

template<class T>
void copyBoxesHost(const BoxCopy<T>& args, Share share)
{
    if (args.toBlock) {
        copyBoxes<T, true>(args, share);
    } else {
        copyBoxes<T, false>(args, share);
    }
}

template<class T>
void addCurvatureHost(const AddCurvature<T>& body, int shots, Share share)
{
    const Layout& l = body.layout;
    forEachNode(Box{0, l.nz, 0, l.ny, 0, l.nx, {}}, shots, share, body);
}

template<class T>
void packHost(const PackedValues<T>& body, Share share)
{
    forGroups(body.groups(), share, [&body](std::int64_t group) {
        float inverse = 0.0F;
        if (isScaled(body.storage)) {
            float peak = 0.0F;
            for (std::int64_t i = group * kScaled; i < body.endOf(group); ++i) {
                peak = std::max(peak, body.sizeOf(i));
            }
            const float scale = body.scaleFor(peak);
            body.scales()[group] = scale;
            inverse = scale > 0.0F ? 1.0F / scale : 0.0F;
        }
        for (std::int64_t i = group * kScaled; i < body.endOf(group); ++i) {
            body.put(i, inverse);
        }
    });
}

template<class T>
void unpackHost(const PackedValues<T>& body, Share share)
{
    forGroups(body.groups(), share, [&body](std::int64_t group) {
        for (std::int64_t i = group * kScaled; i < body.endOf(group); ++i) {
            body.get(i);
        }
    });
}

template void copyBoxesHost<float>(const BoxCopy<float>&, Share);
template void copyBoxesHost<double>(const BoxCopy<double>&, Share);
template void addCurvatureHost<float>(const AddCurvature<float>&, int, Share);
template void addCurvatureHost<double>(const AddCurvature<double>&, int, Share);
template void packHost<float>(const PackedValues<float>&, Share);
template void packHost<double>(const PackedValues<double>&, Share);
template void unpackHost<float>(const PackedValues<float>&, Share);
template void unpackHost<double>(const PackedValues<double>&, Share);

} // namespace ondo::kernels
