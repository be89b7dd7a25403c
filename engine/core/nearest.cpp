#include "engine/core/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ondo {

int editDistance(std::string_view a, std::string_view b)
{
    std::vector<int> beforeLast(b.size() + 1);
    std::vector<int> last(b.size() + 1);
    std::vector<int> row(b.size() + 1);
    std::iota(last.begin(), last.end(), 0);
    row = last;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
            }
        }
        std::swap(beforeLast, last);
        std::swap(last, row);
    }
    return last.back();
}

std::string nearestWord(std::string_view word, std::span<const std::string> known)
{
    std::string best;
    int least = static_cast<int>(word.size() + 1) / 2 + 1;
    for (const auto& candidate : known) {
        const int distance = editDistance(word, candidate);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace ondo
