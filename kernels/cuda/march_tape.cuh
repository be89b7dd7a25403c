// What a gradient asks of a march beside the step: W(n) kept, or an image added to, or that layers are stepped backwards
// (equations/scalar_adjoint.h).
#pragma once

#include "kernels/core/shape.h"
#include "kernels/cuda/tuning.h"
#include "kernels/cuda/vec.cuh"

#include <cstdint>
#include <type_traits>

namespace ondo::kernels::cuda {

struct NoTape {};

// Layers have marching kernels with a tape for order 8 alone, and in single precision; in 2-D, where they are small, for order 4
// too. One of each for every order would double the module.
template<class T, int Rank, int M>
inline constexpr bool kMarchesTape = sizeof(T) == sizeof(float) && (M == 4 || (Rank == 2 && M == 2));

template<class T>
struct MarchTape {
    Layout compact;
    T* keep = nullptr;         // W of the step out; may be null
    const T* imaged = nullptr; // W of a step in, with
    T* image = nullptr;        // what takes up q times it; null: none
    bool leaps = true;         // is there an `other` to step?
    bool vectors = false;      // do whole vectors of these lie on whole vectors?

    template<int V>
    void align()
    {
        const auto whole = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % (V * sizeof(T)) == 0; };
        vectors = compact.lead % V == 0 && compact.strideY % V == 0 && compact.strideZ % V == 0 &&
                  compact.shotStride % V == 0 && whole(keep) && whole(imaged) && whole(image);
    }
};

// The same through layers of the adjoint, whose memories are stepped in another order; in the interior both are one.
template<class T>
struct BackTape : MarchTape<T> {};

template<class Tape>
inline constexpr bool kIsBack = false;
template<class T>
inline constexpr bool kIsBack<BackTape<T>> = true;

template<class Tape>
inline constexpr bool kIsTaped = !std::is_same_v<Tape, NoTape>;

__device__ inline bool leapsWith(const NoTape& /*tape*/)
{
    return true;
}
template<class T>
__device__ inline bool leapsWith(const MarchTape<T>& tape)
{
    return tape.leaps;
}

// Blocks that must fit a multiprocessor. Rows backwards spilled two numbers on sm_80, and with a block less they do not; on
// Hopper they do not anyhow. (A block less for all kernels with a tape: 3 to 4 % more time for steps back, H200, 256^3, 512^3.)
constexpr int tapedBlocks(int blocks, [[maybe_unused]] bool back, [[maybe_unused]] int layers)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    return back && layers == kRowLayer && blocks > 1 ? blocks - 1 : blocks;
#else
    return blocks;
#endif
}

// A thread's vector of it: loaded at the top of a step, used at its end. Streams: past the caches, what comes next asked for
// before, which gains 5 % in 3-D (H200, 256^3 and 512^3, steps back) and nothing in 2-D (4096^2).
template<class T, int V, bool Streams>
struct TapedVector {
    Vec<T, V> imaged = {}, image = {};

    // Into the L2 cache what load() will want; one lane a line does.
    static __device__ void ask(const MarchTape<T>& tape, std::int64_t at)
    {
        if (tape.image != nullptr) {
            askForLine(tape.imaged + at);
            askForLine(tape.image + at);
        }
    }
    __device__ void load(const MarchTape<T>& tape, std::int64_t at, int x, int from, int to)
    {
        if (tape.image == nullptr) {
            return;
        }
        if (Streams && tape.vectors && x >= from && x + V <= to) {
            imaged = loadOnce<T, V>(tape.imaged + at);
            image = loadOnce<T, V>(tape.image + at);
        } else {
            imaged = loadPart<T, V>(tape.imaged + at, x, from, to, tape.vectors);
            image = loadPart<T, V>(tape.image + at, x, from, to, tape.vectors);
        }
    }
    __device__ void store(const MarchTape<T>& tape, std::int64_t at, int x, int from, int to, const Vec<T, V>& q,
                          const Vec<T, V>& w)
    {
        if (tape.keep != nullptr) {
            put(tape.keep + at, w, x, from, to, tape.vectors);
        }
        if (tape.image != nullptr) {
            put(tape.image + at, mulAdd(q, imaged, image), x, from, to, tape.vectors);
        }
    }

private:
    static __device__ void put(T* p, const Vec<T, V>& n, int x, int from, int to, bool vectors)
    {
        if (Streams && vectors && x >= from && x + V <= to) {
            storeOnce<T, V>(p, n);
        } else {
            storePart<T, V>(p, n, x, from, to, vectors);
        }
    }
};

} // namespace ondo::kernels::cuda
