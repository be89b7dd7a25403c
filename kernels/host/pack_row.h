// Rows of the scalar equation on the host, by packs: the bodies of equations/scalar.h, side by side along x and, where one
// vector's columns along z are worth sharing, for several planes at once. Every pack lies within the nodes asked for, so
// that nothing outside them is read but by a stencil, and nothing written; where they do not fill the last one it steps
// back and leaves alone what was done. Included by the instantiation files only.
#pragma once

#include "kernels/equations/scalar.h"
#include "kernels/host/launcher.h"
#include "kernels/host/layer_reach.h"
#include "kernels/host/pack.h"
#include "kernels/host/tile_step.h"

#include <algorithm>
#include <utility>

namespace ondo::kernels::detail {

template<class T, int Rank, int M, int Bytes>
struct PackRow {
    using P = Pack<T, Bytes>;
    static constexpr int kTaps = (M > 0 ? M : kMaxRadius) + 1;
    // Copies of this call's own: what is stored could otherwise be one of them.
    const Layout layout;
    const T* const c2;
    const T* const now;
    T* const other;
    const AxisLayer<T> layer[3];
    T second[3][kTaps], staggered[3][kTaps];
    const KeptRows<T> kept;

    PackRow(const ScalarState<T>& state, const KeptRows<T>& keptRows)
        : layout(state.layout)
        , c2(state.c2)
        , now(state.now)
        , other(state.other)
        , layer{state.layer[0], state.layer[1], state.layer[2]}
        , kept(keptRows)
    {
        for (int a = 0; a < 3; ++a) {
            for (int k = 0; k < kTaps; ++k) {
                second[a][k] = state.axis[a].second[k];
                staggered[a][k] = state.axis[a].staggered[k];
            }
        }
    }

    // Which numbers of a pack are meant: [from, to) of them, or all.
    template<bool Whole>
    struct Part {
        int from, to;
        void store(const P& value, const P& before, T* p) const
        {
            if constexpr (Whole) {
                value.store(p);
            } else {
                value.within(from, to, before).store(p);
            }
        }
    };

    // Calls visit(x, part), which computes and returns what stores, for packs that begin where those of memory do. Narrow:
    // rows of a layer along x. Two packs cover most; both are computed before either is stored, and where they overlap they
    // say the same. A load that lies across what was just stored waits for it.
    template<bool Narrow, class Visit>
    static void packs(int x0, int x1, const Visit& visit)
    {
        if (Narrow && x1 - x0 <= 2 * P::kSize) {
            const auto low = visit(x0, Part<true>{0, P::kSize});
            const auto high = visit(x1 - P::kSize, Part<true>{0, P::kSize});
            low();
            high();
            return;
        }
        for (int x = x0; x < x1;) {
            const int end = std::min((x / P::kSize + 1) * P::kSize, x1);
            const int at = std::min(x, x1 - P::kSize);
            if (end - x == P::kSize) {
                visit(x, Part<true>{0, P::kSize})();
            } else {
                visit(at, Part<false>{x - at, end - at})();
            }
            x = end;
        }
    }

    // In a volume the processor sees no pattern in the many short streams of a row: it is told two rows ahead.
    static void ahead(const T* p, std::int64_t stride)
    {
        if constexpr (Rank == 3) {
            __builtin_prefetch(p + 2 * stride);
        }
    }

    static auto strided(const T* p, std::int64_t stride)
    {
        return [p, stride](int k) { return P::load(p + k * stride); };
    }

    // First memories along axis A of a row.
    template<int A>
    void memories(int shot, int z, int y, int x0, int x1, int side) const
    {
        const AxisLayer<T>& l = layer[A];
        const T* const p = now + layout.at(shot, z, y, 0);
        T* const psi = l.psi + l.at(side, shot, z, y, 0);
        const std::int64_t stride = A == kZ ? layout.strideZ : A == kY ? layout.strideY : 1;
        packs<A == kX>(x0, x1, [&](int x, auto part) {
            const P before = P::load(psi + x);
            ahead(psi + x, l.y);
            if constexpr (A == kZ) {
                ahead(p + x + M * stride, layout.strideY);
            }
            const P d = forwardDerivativeOf<P, M>(strided(p + x, stride), staggered[A], layout.radius);
            P after;
            if constexpr (A == kX) {
                after = nextMemory(P::load(l.aHalf + x), before, P::load(l.bHalf + x), d);
            } else {
                const int n = A == kZ ? z : y;
                after = nextMemory(l.aHalf[n], before, l.bHalf[n], d);
            }
            return [=] { part.store(after, before, psi + x); };
        });
    }

    // Second memories of a node of one plane, by axis.
    struct Zeta {
        P before, after;
        T* at;
    };

    // What the layer along A makes of a second derivative at its node j, n nodes along the axis.
    template<int A>
    P stretched(const P& plain, std::int64_t j, int n, Zeta& zeta) const
    {
        const AxisLayer<T>& l = layer[A];
        const P inner = plain + backwardDerivativeOf<P, M>(strided(l.psi + j, l.step), staggered[A], layout.radius);
        zeta.at = l.zeta + j;
        zeta.before = P::load(zeta.at);
        ahead(zeta.at, l.y);
        if constexpr (A == kX) {
            zeta.after = nextMemory(P::load(l.a + n), zeta.before, P::load(l.b + n), inner);
        } else {
            zeta.after = nextMemory(l.a[n], zeta.before, l.b[n], inner);
        }
        return inner + zeta.after;
    }

    // The sum of the axes at a plane of a column; Mask: its layers, sides: which of an axis's.
    template<int Mask, class Along>
    P axes(const T* p, const P& centre, const Along& alongZ, const signed char (&side)[3], int shot, int z, int y,
           int x, Zeta (&zeta)[3]) const
    {
        const int r = layout.radius;
        const auto along = [&](std::int64_t stride) {
            return [&centre, p, stride](int k) { return k == 0 ? centre : P::load(p + k * stride); };
        };
        const auto offset = [&](int a) { return layer[a].at(side[a], shot, z, y, x); };
        P w = secondDerivativeOf<P, M>(alongZ, second[kZ], r);
        if constexpr ((Mask & 1 << kZ) != 0) {
            w = stretched<kZ>(w, offset(kZ), z, zeta[kZ]);
        }
        if constexpr (Rank == 3) {
            P v = secondDerivativeOf<P, M>(along(layout.strideY), second[kY], r);
            if constexpr ((Mask & 1 << kY) != 0) {
                v = stretched<kY>(v, offset(kY), y, zeta[kY]);
            }
            w += v;
        }
        P u = secondDerivativeOf<P, M>(along(1), second[kX], r);
        if constexpr ((Mask & 1 << kX) != 0) {
            u = stretched<kX>(u, offset(kX), x, zeta[kX]);
        }
        return w + u;
    }

    // What is to be stored of one plane of a pack.
    template<int Mask, class Where>
    static void store(const P& after, const P& before, T* out, const Zeta (&zeta)[3], const Where& part)
    {
        part.store(after, before, out);
        for (int a = 0; a < 3; ++a) {
            if ((Mask >> a & 1) != 0) {
                part.store(zeta[a].after, zeta[a].before, zeta[a].at);
            }
        }
    }

    // Planes z + I of one pack: computes, returns what stores.
    template<int Mask, int... I, int... K, class Where>
    auto column(const signed char (&side)[3], int shot, int z, int y, int x, const Where& part,
                std::integer_sequence<int, I...> /*planes*/, std::integer_sequence<int, K...> /*column*/) const
    {
        struct Plane {
            P before, after, sum;
            Zeta zeta[3];
        };
        struct Planes {
            Plane of[sizeof...(I)];
        };
        const std::int64_t m = layout.at(z, y, x);
        const std::int64_t stride = layout.strideZ;
        const T* const p = now + shot * layout.shotStride + m;
        T* const out = other + shot * layout.shotStride + m;
        const T* const model = c2 + m;
        Planes planes;
        ((planes.of[I].before = P::load(out + I * stride)), ...);
        (ahead(out + I * stride, layout.strideY), ...);
        (ahead(model + I * stride, layout.strideY), ...);
        (ahead(p + (K - M) * stride, layout.strideY), ...);
        const auto next = [&](const T* q, const P& centre, const auto& alongZ, int i) {
            Plane& plane = planes.of[i];
            plane.sum = axes<Mask>(q, centre, alongZ, side, shot, z + i, y, x, plane.zeta);
            plane.after = leap(plane.before, centre, P::load(model + i * stride), plane.sum);
        };
        if constexpr (M > 0) {
            const P values[] = {P::load(p + (K - M) * stride)...};
            (next(
                 p + I * stride, values[I + M], [&](int k) { return values[I + M + k]; }, I),
             ...);
        } else {
            next(p, P::load(p), strided(p, stride), 0);
        }
        T* const w = kept.at(shot, z, y, x);
        const std::int64_t keptStride = kept.compact.strideZ;
        return [planes, out, stride, part, w, keptStride] {
            (store<Mask>(planes.of[I].after, planes.of[I].before, out + I * stride, planes.of[I].zeta, part), ...);
            if (w != nullptr) {
                (part.store(planes.of[I].sum, P::load(w + I * keptStride), w + I * keptStride), ...);
            }
        };
    }

    // Nodes [x0, x1) of Planes rows from plane z on.
    template<int Mask, int Planes>
    void step(const signed char (&side)[3], int shot, int z, int y, int x0, int x1) const
    {
        packs<(Mask & 1 << kX) != 0>(x0, x1, [&](int x, auto part) {
            return column<Mask>(side, shot, z, y, x, part, std::make_integer_sequence<int, Planes>{},
                                std::make_integer_sequence<int, Planes + 2 * M>{});
        });
    }
};

// Rows of `planes` planes from (shot, z, y) on, nodes [x0, x1) of them; the sides that its layers lie on.
template<class T>
struct Piece {
    const ScalarState<T>& s;
    int shot, z, y, x0, x1;
    signed char side[3];
    int planes = 1;
    KeptRows<T> kept = {};
};

// A step outside layers along x. Mask: the layers along z and y. Planes at once.
template<class T, int Rank, int M, int Mask, int Planes>
struct MiddlePiece {
    Piece<T> p;

    template<int Bytes>
    void run() const
    {
        const PackRow<T, Rank, M, Bytes> row(p.s, p.kept);
        for (int z = p.z; z < p.z + p.planes; z += Planes) {
            row.template step<Mask, Planes>(p.side, p.shot, z, p.y, p.x0, p.x1);
        }
    }
};

// A step in a layer along x. The first memory there is read within the row alone: no pass of its own.
template<class T, int Rank, int M, int Mask>
struct LayerPiece {
    Piece<T> p;

    template<int Bytes>
    void run() const
    {
        const PackRow<T, Rank, M, Bytes> row(p.s, p.kept);
        // All memories first: a load that lies across numbers just stored waits for them.
        for (int z = p.z; z < p.z + p.planes; ++z) {
            row.template memories<kX>(p.shot, z, p.y, p.x0, p.x1, p.side[kX]);
        }
        for (int z = p.z; z < p.z + p.planes; ++z) {
            row.template step<Mask | 1 << kX, 1>(p.side, p.shot, z, p.y, p.x0, p.x1);
        }
    }
};

// First memories along A, z or y.
template<class T, int Rank, int M, int A>
struct MemoryPiece {
    Piece<T> p;

    template<int Bytes>
    void run() const
    {
        const PackRow<T, Rank, M, Bytes> row(p.s, p.kept);
        for (int z = p.z; z < p.z + p.planes; ++z) {
            row.template memories<A>(p.shot, z, p.y, p.x0, p.x1, p.side[A]);
        }
    }
};

template<int Bytes, class Work>
[[gnu::flatten, gnu::noinline]] void runBaseline(const Work& work)
{
    work.template run<Bytes>();
}

#if defined(__x86_64__)
template<int Bytes, class Work>
[[gnu::flatten, gnu::noinline, gnu::target(ONDO_AVX2)]] void runAvx2(const Work& work)
{
    work.template run<Bytes>();
}

template<int Bytes, class Work>
[[gnu::flatten, gnu::noinline, gnu::target(ONDO_AVX512)]] void runAvx512(const Work& work)
{
    work.template run<Bytes>();
}
#endif

// With the widest vectors that the machine has and the nodes fill.
template<class T, class Work>
void runPiece(const Work& work)
{
    constexpr int kOne = static_cast<int>(sizeof(T));
    const int bytes = (work.p.x1 - work.p.x0) * kOne;
    if (bytes <= 0) {
        return;
    }
#if defined(__x86_64__)
    const InstructionSet set = hostInstructionSet();
    // A short row that half as wide packs fill needs none that overlap.
    const bool halves = bytes < 4 * kPackBytes[2] && bytes % kPackBytes[2] != 0 && bytes % kPackBytes[1] == 0;
    if (set == InstructionSet::Avx512 && bytes >= kPackBytes[2] && !halves) {
        return runAvx512<kPackBytes[2]>(work);
    }
    if (set != InstructionSet::Baseline) {
        return bytes >= kPackBytes[1] ? runAvx2<kPackBytes[1]>(work) : runAvx2<kOne>(work);
    }
#endif
    return bytes >= kPackBytes[0] ? runBaseline<kPackBytes[0]>(work) : runBaseline<kOne>(work);
}

// Rows of some planes through their layers along x and what stands between them. Mask: the layers along z and y.
template<class T, int Rank, int M, int Mask>
struct ScalarRow {
    ScalarState<T> s;
    LayerReach x;
    signed char zSide = kNone, ySide = kNone;
    bool middle = true; // false: what lies in no layer along z or y is stepped in those along x alone
    KeptRows<T> kept = {};

    void operator()(int shot, int z, int y) const { planes(shot, z, y, 1); }
    void planes(int shot, int z, int y, int count) const
    {
        if (Mask != 0 || middle) {
            between(shot, z, y, count);
        }
        runPiece<T>(LayerPiece<T, Rank, M, Mask>{{s, shot, z, y, 0, x.low, {zSide, ySide, kLow}, count, kept}});
        runPiece<T>(LayerPiece<T, Rank, M, Mask>{{s, shot, z, y, x.high, x.n, {zSide, ySide, kHigh}, count, kept}});
    }

private:
    void between(int shot, int z, int y, int count) const
    {
        const Piece<T> piece{s, shot, z, y, x.low, x.high, {zSide, ySide, kNone}, count, kept};
        constexpr int kTogether = Mask == 0 && M > 0 ? kPlanesTogether : 1; // in a layer it gains nothing
        if (count == kTogether) {
            runPiece<T>(MiddlePiece<T, Rank, M, Mask, kTogether>{piece});
        } else {
            runPiece<T>(MiddlePiece<T, Rank, M, Mask, 1>{piece});
        }
    }
};

// First memories along z or y of rows of some planes.
template<class T, int Rank, int M, int A>
struct MemoryRow {
    ScalarState<T> s;
    int nx = 0;
    signed char side = kNone;

    void operator()(int shot, int z, int y) const { planes(shot, z, y, 1); }
    void planes(int shot, int z, int y, int count) const
    {
        Piece<T> piece{s, shot, z, y, 0, nx, {}, count};
        piece.side[A] = side;
        runPiece<T>(MemoryPiece<T, Rank, M, A>{piece});
    }
};

} // namespace ondo::kernels::detail
