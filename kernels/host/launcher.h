// The only loops over nodes on the host. The body is a copy of the calling thread's own and the innermost loop is a simd
// loop: together they make one body as fast as a hand-written loop (architecture.md part 0). The loop is compiled once for
// each instruction set, as a function of its own into which the body is inlined whole ("flatten"): no function that other
// code could share is ever compiled for instructions that the machine may lack.
#pragma once

#include "kernels/core/shape.h"
#include "kernels/host/instruction_set.h"
#include "kernels/host/thread_team.h"

#include <cstdint>

namespace ondo::kernels {

namespace detail {

// Rows of y a tile: its planes of z, as many as a stencil reaches, stay in a core's own cache.
inline constexpr int kTileRows = 32;

// The share's rows (z, y) of a box, for all shots: whole rows, so that what lies side by side in memory is read together.
template<class Row>
inline void rowsOfBox(const Box& box, int shots, const Share& share, const Row& row)
{
    const Row local = row;
    const int z0 = box.z0;
    const std::int64_t nz = box.z1 - box.z0;
    for (int shot = 0; shot < shots; ++shot) {
        for (int from = box.y0; from < box.y1; from += kTileRows) {
            const int tile = box.y1 - from < kTileRows ? box.y1 - from : kTileRows;
            const std::int64_t rows = nz * tile;
            const std::int64_t first = rows * share.index / share.count;
            const std::int64_t last = rows * (share.index + 1) / share.count;
            int z = z0 + static_cast<int>(first / tile);
            int y = from + static_cast<int>(first % tile);
            for (std::int64_t r = first; r < last; ++r) {
                if (share.abandon != nullptr && share.abandon->load(std::memory_order_relaxed)) {
                    return;
                }
                local(shot, z, y);
                if (++y == from + tile) {
                    y = from;
                    ++z;
                }
            }
        }
    }
}

template<class Row>
[[gnu::flatten, gnu::noinline]] void rowsBaseline(const Box& box, int shots, const Share& share, const Row& row)
{
    rowsOfBox(box, shots, share, row);
}

#if defined(__x86_64__)
#define ONDO_AVX2 "avx2,fma"
#if defined(__clang__)
#define ONDO_AVX512 "avx2,fma,avx512f,avx512vl,avx512dq,avx512bw"
#else
#define ONDO_AVX512 "avx2,fma,avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512"
#endif

template<class Row>
[[gnu::flatten, gnu::noinline, gnu::target(ONDO_AVX2)]] void rowsAvx2(const Box& box, int shots, const Share& share,
                                                                      const Row& row)
{
    rowsOfBox(box, shots, share, row);
}

template<class Row>
[[gnu::flatten, gnu::noinline, gnu::target(ONDO_AVX512)]] void rowsAvx512(const Box& box, int shots, const Share& share,
                                                                          const Row& row)
{
    rowsOfBox(box, shots, share, row);
}
#endif

} // namespace detail

// The nodes [x0, x1) of one row, in a simd loop: the innermost of all loops.
template<class Body>
inline void forRow(const Box& box, int shot, int z, int y, const Body& body)
{
    const int x1 = box.x1;
#pragma omp simd
    for (int x = box.x0; x < x1; ++x) {
        body(box, shot, z, y, x);
    }
}

// Calls row(shot, z, y) for the share's rows of a box. Every row is visited by exactly one share.
template<class Row>
void forEachRow(const Box& box, int shots, const Share& share, const Row& row)
{
    if (box.nodes() <= 0 || shots <= 0) {
        return;
    }
#if defined(__x86_64__)
    switch (hostInstructionSet()) {
    case InstructionSet::Avx512: detail::rowsAvx512(box, shots, share, row); return;
    case InstructionSet::Avx2: detail::rowsAvx2(box, shots, share, row); return;
    case InstructionSet::Baseline: break;
    }
#endif
    detail::rowsBaseline(box, shots, share, row);
}

// A row of one body over one box.
template<class Body>
struct PlainRow {
    Box box;
    Body body;

    void operator()(int shot, int z, int y) const { forRow(box, shot, z, y, body); }
};

// The share's nodes of a box, for all shots. Every node is visited by exactly one share.
template<class Body>
void forEachNode(const Box& box, int shots, const Share& share, const Body& body)
{
    forEachRow(box, shots, share, PlainRow<Body>{box, body});
}

} // namespace ondo::kernels
