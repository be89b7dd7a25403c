#include "engine/core/fourier.h"

#include <numbers>
#include <utility>

namespace ondo {

std::size_t fourierLength(std::size_t n)
{
    std::size_t length = 1;
    while (length < n) {
        length *= 2;
    }
    return length;
}

void fourier(Spectrum& x, bool inverse)
{
    const std::size_t n = x.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n / 2;
        for (; (j & bit) != 0; bit /= 2) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            std::swap(x[i], x[j]);
        }
    }
    const double turn = (inverse ? 2.0 : -2.0) * std::numbers::pi;
    for (std::size_t length = 2; length <= n; length *= 2) {
        const std::size_t half = length / 2;
        for (std::size_t k = 0; k < half; ++k) {
            // Each root by itself: products of roots would lose digits with the length.
            const auto root = std::polar(1.0, turn * static_cast<double>(k) / static_cast<double>(length));
            for (std::size_t at = k; at < n; at += length) {
                const auto odd = x[at + half] * root;
                x[at + half] = x[at] - odd;
                x[at] += odd;
            }
        }
    }
    if (inverse) {
        for (auto& v : x) {
            v /= static_cast<double>(n);
        }
    }
}

double angularFrequency(std::size_t k, std::size_t n, double dt)
{
    if (2 * k == n) {
        return 0.0;
    }
    const double bin = k < n - k ? static_cast<double>(k) : static_cast<double>(k) - static_cast<double>(n);
    return 2.0 * std::numbers::pi * bin / (static_cast<double>(n) * dt);
}

} // namespace ondo
