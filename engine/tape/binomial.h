// The optimal order of checkpoints for a run backwards (Griewank & Walther 2000, ACM Trans. Math. Softw. 26, 19-45). Pure
// arithmetic.
#pragma once

#include <cstdint>
#include <vector>

namespace ondo {

// The longest run that `states` states, its first one among them, can go back through when no step is repeated more than
// `repeats` times: (states + repeats)! / (states! repeats!), or 2^31 - 1 if that is more.
[[nodiscard]] std::int64_t binomialReach(int states, int repeats);

// How far to step from a state at the beginning of `length` steps before the next state is kept, `states` being free, that
// one among them. length >= 2, states >= 2.
[[nodiscard]] int binomialSplit(int length, int states);

// Steps that all of it takes, beside those that give what is wanted of each step.
[[nodiscard]] std::int64_t binomialSteps(int length, int states);

// Where the run forwards leaves its states: as if it came back from its end.
[[nodiscard]] std::vector<int> binomialAhead(int length, int states);

// What going back through a run moves, every `every`-th step being asked for.
struct BinomialTraffic {
    double again = 0.0;        // steps done once more
    std::vector<double> moves; // saves and restores of each state, the first one first
};
[[nodiscard]] BinomialTraffic binomialTraffic(int length, int states, int every);

// The fewest states for so many repeats at most.
[[nodiscard]] int binomialStates(int length, int repeats);

} // namespace ondo
