#include "engine/tape/binomial.h"

#include <algorithm>

namespace ondo {

std::int64_t binomialReach(int states, int repeats)
{
    constexpr std::int64_t kMost = 2147483647;
    if (states < 0 || repeats < 0) {
        return 0;
    }
    std::int64_t reach = 1;
    for (int k = 1; k <= std::min(states, repeats); ++k) {
        reach = reach * (std::int64_t{states} + repeats - k + 1) / k;
        if (reach > kMost) {
            return kMost;
        }
    }
    return reach;
}

namespace {

int repeatsFor(int length, int states)
{
    int repeats = 0;
    while (binomialReach(states, repeats) < length) {
        ++repeats;
    }
    return repeats;
}

} // namespace

// Any split with both parts within what one repeat less, or one state less, can do is optimal; this one leaves the left part
// as long as that allows.
int binomialSplit(int length, int states)
{
    const int repeats = repeatsFor(length, states);
    const std::int64_t left =
        std::min<std::int64_t>(binomialReach(states, repeats - 1), length - binomialReach(states - 1, repeats - 1));
    return static_cast<int>(std::clamp<std::int64_t>(left, 1, length - 1));
}

// Each step is done `repeats` times but for those that one repeat less would have reached: the sum of Griewank and Walther.
std::int64_t binomialSteps(int length, int states)
{
    if (length <= 1) {
        return 0;
    }
    const int repeats = repeatsFor(length, states);
    return std::int64_t{repeats} * length - binomialReach(states + 1, repeats - 1);
}

std::vector<int> binomialAhead(int length, int states)
{
    std::vector<int> ahead = {0};
    for (int free = states; length > 1 && free > 1; --free) {
        const int step = binomialSplit(length, free);
        ahead.push_back(ahead.back() + step);
        length -= step;
    }
    return ahead;
}

BinomialTraffic binomialTraffic(int length, int states, int every)
{
    BinomialTraffic traffic;
    traffic.moves.assign(static_cast<std::size_t>(states), 0.0);
    std::vector<int> at = binomialAhead(length, states);
    std::fill_n(traffic.moves.begin(), at.size(), 1.0);
    for (int n = length - 1; n >= 0; --n) {
        if (n % every != 0 || n == length - 1) { // the last one was kept on the way
            continue;
        }
        while (at.back() > n) {
            at.pop_back();
        }
        traffic.moves[at.size() - 1] += 1.0;
        traffic.again += n + 1 - at.back();
        while (at.back() < n) {
            const int free = states - static_cast<int>(at.size()) + 1;
            if (free <= 1) {
                break;
            }
            at.push_back(at.back() + binomialSplit(n + 1 - at.back(), free));
            traffic.moves[at.size() - 1] += 1.0;
        }
    }
    return traffic;
}

int binomialStates(int length, int repeats)
{
    int states = 1;
    while (binomialReach(states, repeats) < length) {
        ++states;
    }
    return states;
}

} // namespace ondo
