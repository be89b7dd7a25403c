#include "engine/propagator/wavelet_table.h"

#include "engine/core/recent.h"

#include <algorithm>
#include <cstddef>

namespace ondo {

namespace {

constexpr std::size_t kKept = 8;          // wavelets
constexpr std::size_t kLarge = 1'000'000; // samples

struct Key {
    Wavelet wavelet;
    double dt = 0.0;
    int count = 0;

    bool operator==(const Key&) const = default;
};

using Samples = std::shared_ptr<const std::vector<double>>;

Samples samplesOf(const Wavelet& wavelet, double dt, int count)
{
    static Recent<Key, std::vector<double>> recent(kKept);
    return recent.get(
        {wavelet, dt, count}, [](const Key& key) { return key.wavelet.samples(key.dt, key.count); },
        [](const std::vector<double>& samples) { return samples.size() > kLarge; });
}

} // namespace

template<class T>
std::vector<T> makeWaveletTable(const std::vector<TimedWavelet>& wavelets, double dt, int steps)
{
    std::vector<T> table(wavelets.size() * static_cast<std::size_t>(steps), T(0));
    Samples values;
    for (std::size_t i = 0; i < wavelets.size(); ++i) {
        const auto& [wavelet, from] = wavelets[i];
        // Shots in one launch mostly have one wavelet.
        if (i == 0 || from != wavelets[i - 1].firstStep || !(*wavelet == *wavelets[i - 1].wavelet)) {
            values = samplesOf(*wavelet, dt, static_cast<int>(steps - from));
        }
        std::transform(values->begin(), values->end(), table.begin() + static_cast<std::ptrdiff_t>(i) * steps + from,
                       [](double v) { return static_cast<T>(v); });
    }
    return table;
}

template std::vector<float> makeWaveletTable(const std::vector<TimedWavelet>&, double, int);
template std::vector<double> makeWaveletTable(const std::vector<TimedWavelet>&, double, int);

} // namespace ondo
