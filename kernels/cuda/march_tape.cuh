// What a gradient asks of the interior's march beside the step: W(n) kept, or an image added to (equations/scalar_adjoint.h).
#pragma once

#include "kernels/core/shape.h"
#include "kernels/cuda/vec.cuh"

#include <cstdint>
#include <type_traits>

namespace ondo::kernels::cuda {

struct NoTape {};

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

// Blocks that must fit a multiprocessor: with a tape one less, or there would not be the registers.
constexpr int tapedBlocks(int blocks, bool taped)
{
    return taped && blocks > 1 ? blocks - 1 : blocks;
}

// A thread's vector of it: loaded at the top of a step, used at its end.
template<class T, int V>
struct TapedVector {
    Vec<T, V> imaged = {}, image = {};

    __device__ void load(const MarchTape<T>& tape, std::int64_t at, int x, int from, int to)
    {
        if (tape.image != nullptr) {
            imaged = loadPart<T, V>(tape.imaged + at, x, from, to, tape.vectors);
            image = loadPart<T, V>(tape.image + at, x, from, to, tape.vectors);
        }
    }
    __device__ void store(const MarchTape<T>& tape, std::int64_t at, int x, int from, int to, const Vec<T, V>& q,
                          const Vec<T, V>& w)
    {
        if (tape.keep != nullptr) {
            storePart<T, V>(tape.keep + at, w, x, from, to, tape.vectors);
        }
        if (tape.image != nullptr) {
            storePart<T, V>(tape.image + at, mulAdd(q, imaged, image), x, from, to, tape.vectors);
        }
    }
};

} // namespace ondo::kernels::cuda
