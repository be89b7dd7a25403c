#include "engine/grid/boundary.h"

namespace ondo {

std::string_view faceName(Face face)
{
    static constexpr std::string_view kNames[6] = {"x-low", "x-high", "y-low", "y-high", "z-low", "z-high"};
    return kNames[static_cast<std::size_t>(face)];
}

std::string_view conditionName(FaceCondition c)
{
    static constexpr std::string_view kNames[3] = {"absorbing", "free", "rigid"};
    return kNames[static_cast<std::size_t>(c)];
}

} // namespace ondo
