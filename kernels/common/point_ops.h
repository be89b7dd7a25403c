// Sources and receivers between nodes. A point is a list of (node, weight), made once by engine/survey/off_grid.h.
// Injection runs over nodes, not over points: points that share a node are summed in a fixed order, so the result does
// not depend on the launch. Recording sums a receiver's nodes in 32 lanes and a fixed tree, the same on every backend.
#pragma once

#include "kernels/core/hd.h"

#include <cstdint>

namespace ondo::kernels {

inline constexpr int kLanes = 32;

// field[node] += c2[node] * sum over entries of weight * f(source, step)
template<class T>
struct InjectSources {
    T* field = nullptr;
    const T* c2 = nullptr;
    const std::int64_t* node = nullptr;      // into the fields of all shots
    const std::int64_t* modelNode = nullptr; // into c2
    const int* begin = nullptr;              // nodes + 1 offsets into the entries
    const int* source = nullptr;             // an entry's row of `wavelets`
    const T* weight = nullptr;               // 1 / m^rank
    const T* wavelets = nullptr;             // [source][step]
    std::int64_t waveletStride = 0;
    std::int64_t step = 0;
    int nodes = 0;

    ONDO_HD void operator()(int i) const { at(i, step); }
    ONDO_HD void at(int i, std::int64_t sample) const
    {
        T sum = T(0);
        for (int e = begin[i]; e < begin[i + 1]; ++e) {
            sum = mulAdd(weight[e], wavelets[source[e] * waveletStride + sample], sum);
        }
        field[node[i]] = mulAdd(c2[modelNode[i]], sum, field[node[i]]);
    }
};

// out[receiver] = sum over nodes of weight * field
template<class T>
struct RecordReceivers {
    const T* field = nullptr;
    const int* begin = nullptr; // receivers + 1 offsets
    const std::int64_t* node = nullptr;
    const T* weight = nullptr;
    T* out = nullptr; // one row of [sample][receiver]
    int receivers = 0;

    ONDO_HD T laneSum(int receiver, int lane) const
    {
        T sum = T(0);
        for (int e = begin[receiver] + lane; e < begin[receiver + 1]; e += kLanes) {
            sum = mulAdd(weight[e], field[node[e]], sum);
        }
        return sum;
    }
};

} // namespace ondo::kernels
