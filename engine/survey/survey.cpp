#include "engine/survey/survey.h"

namespace ondo {

std::vector<Receiver> receiverLine(const Position& first, const Position& last, int count)
{
    std::vector<Receiver> line;
    for (int i = 0; i < count; ++i) {
        const double t = count > 1 ? static_cast<double>(i) / (count - 1) : 0.0;
        line.push_back(
            {{first.x + t * (last.x - first.x), first.y + t * (last.y - first.y), first.z + t * (last.z - first.z)}});
    }
    return line;
}

} // namespace ondo
