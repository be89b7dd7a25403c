// The discrete Fourier transform of power-of-two lengths, for traces: short, on the host, the same bits each time. Any
// thread.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace ondo {

using Spectrum = std::vector<std::complex<double>>;

// The least power of two that is not below n.
[[nodiscard]] std::size_t fourierLength(std::size_t n);
// In place: X(k) = sum x(j) exp(-2 pi i j k / n). The inverse divides by n. x.size() is a power of two.
void fourier(Spectrum& x, bool inverse = false);
// Angular frequency of bin k, 1/s, negative in the upper half. The middle one belongs to both signs and is told as 0: what
// is odd in frequency has no real value there.
[[nodiscard]] double angularFrequency(std::size_t k, std::size_t n, double dt);

} // namespace ondo
