#include "kernels/host/tile_plan.h"

#include <algorithm>

#if defined(__linux__)
#include <unistd.h>
#endif

namespace ondo::kernels {

namespace {

constexpr int kMostSteps = 8; // more of them gain nothing that was measured

std::size_t systemSays([[maybe_unused]] int level, std::size_t otherwise)
{
#if defined(__linux__) && defined(_SC_LEVEL2_CACHE_SIZE)
    const long bytes = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
    if (bytes > 0) {
        return static_cast<std::size_t>(bytes);
    }
#endif
    return otherwise;
}

// Planes that a step lags behind the one before it.
int lagOf(int radius)
{
    return (radius + kPlanesTogether - 1) / kPlanesTogether * kPlanesTogether;
}

} // namespace

std::vector<TileBlock> blocksOf(const LayerReach& z, int radius)
{
    std::vector<TileBlock> blocks;
    const int part[4] = {0, z.low, z.high, z.n};
    for (int i = 0; i < 3; ++i) {
        const LayerReach live = z.live(radius);
        int memories = i == 0 ? 0 : live.high;
        const int last = i == 0 ? live.low : i == 2 ? z.n : memories;
        for (int z0 = part[i]; z0 < part[i + 1]; z0 += kPlanesTogether) {
            TileBlock b{z0, std::min(z0 + kPlanesTogether, part[i + 1]), 0, 0, 0};
            b.first0 = memories;
            b.first1 = memories = std::max(memories, std::min(b.z1 + radius, last));
            b.need = std::min(std::max(b.z1, b.first1 > b.first0 ? b.first1 : 0) + radius, z.n);
            blocks.push_back(b);
        }
    }
    return blocks;
}

std::vector<int> slabsOf(const LayerReach& y, int radius, int most)
{
    std::vector<int> cuts = {0};
    for (int i = 1; i < most; ++i) {
        const int cut = static_cast<int>(std::int64_t{y.n} * i / most);
        if (cut >= y.low && cut <= y.high && cut - cuts.back() > 2 * radius && y.n - cut > 2 * radius) {
            cuts.push_back(cut);
        }
    }
    cuts.push_back(y.n);
    return cuts;
}

int stepsTogether(std::size_t planeBytes, int radius, std::size_t cacheBytes)
{
    // Of both fields and c2: the planes of a block, those its stencils reach, and what the steps lag.
    const auto planes = cacheBytes / std::max<std::size_t>(planeBytes, 1);
    const auto once = static_cast<std::size_t>(3 * kPlanesTogether + 4 * radius);
    const auto each = static_cast<std::size_t>(3 * lagOf(radius));
    return planes < once ? 1 : static_cast<int>(std::min<std::size_t>(1 + (planes - once) / each, kMostSteps));
}

std::size_t coreCacheBytes()
{
    static const std::size_t bytes = systemSays(2, std::size_t{512} << 10U);
    return bytes;
}

std::size_t sharedCacheBytes()
{
    static const std::size_t bytes = systemSays(3, std::size_t{8} << 20U);
    return bytes;
}

} // namespace ondo::kernels
