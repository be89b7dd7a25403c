// Which of several steps of one call leave what a gradient keeps of them, or have it, and where. Plain values.
#pragma once

#include "kernels/core/hd.h"

#include <cstdint>

namespace ondo::kernels {

// P: a pointer to numbers. Step i of the call, counted in the order in which the steps are taken, i = until, until + every, ...
// The first of them at `first`, each next one `stride` numbers on: rows of a run backwards lie before one another.
template<class P>
struct KeptRun {
    P first = nullptr; // null: none of them
    std::int64_t stride = 0;
    int every = 1, until = 0;

    // Of step i; null: it has none.
    ONDO_HD P at(int i) const
    {
        return first != nullptr && i >= until && (i - until) % every == 0 ? first + (i - until) / every * stride
                                                                          : nullptr;
    }
    // Of the first `steps` steps, how many have one.
    ONDO_HD int count(int steps) const { return steps <= until ? 0 : (steps - until + every - 1) / every; }
    // Of what is left after so many steps.
    ONDO_HD KeptRun after(int steps) const
    {
        KeptRun left = *this;
        if (first != nullptr) {
            const int passed = count(steps);
            left.first += passed * stride;
            left.until += passed * every - steps;
        }
        return left;
    }
};

} // namespace ondo::kernels
