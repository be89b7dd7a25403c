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

namespace {

// exp(-2 pi i k / n), k < n / 2, of the last length asked for. Each by itself: products of roots would lose digits.
const Spectrum& rootsOf(std::size_t n)
{
    thread_local Spectrum roots;
    if (roots.size() != n / 2) {
        roots.resize(n / 2);
        for (std::size_t k = 0; k < roots.size(); ++k) {
            roots[k] = std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
        }
    }
    return roots;
}

// Without the library's care for infinities, which is a call.
std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

} // namespace

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
    const Spectrum& roots = rootsOf(n);
    for (std::size_t length = 2; length <= n; length *= 2) {
        const std::size_t half = length / 2;
        const std::size_t apart = n / length;
        for (std::size_t at = 0; at < n; at += length) {
            for (std::size_t k = 0; k < half; ++k) {
                const auto& root = roots[k * apart];
                const auto odd = product(x[at + k + half], inverse ? std::conj(root) : root);
                x[at + k + half] = x[at + k] - odd;
                x[at + k] += odd;
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
