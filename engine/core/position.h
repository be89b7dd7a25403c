// A point in space, metres. z is positive down; y is 0 in two dimensions.
#pragma once

namespace ondo {

struct Position {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;
    bool operator==(const Position&) const = default;
};

} // namespace ondo
