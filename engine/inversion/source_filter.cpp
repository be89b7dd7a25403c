#include "engine/inversion/source_filter.h"

#include <algorithm>

namespace ondo {

namespace {

Spectrum spectrumOf(std::span<const double> values, std::size_t length)
{
    Spectrum x(length);
    std::copy(values.begin(), values.end(), x.begin());
    fourier(x);
    return x;
}

double squares(std::span<const double> values)
{
    double sum = 0.0;
    for (const double v : values) {
        sum += v * v;
    }
    return sum;
}

} // namespace

const std::vector<std::string_view>& sourceFilterNames()
{
    static const std::vector<std::string_view> names = {"none", "shot", "common"};
    return names;
}

void SourceFilter::apply(std::span<double> traces, std::size_t count) const
{
    const Spectrum h = spectrumOf(samples, samples.size());
    for (std::size_t at = 0; at < traces.size(); at += count) {
        const auto trace = traces.subspan(at, count);
        Spectrum x = spectrumOf(trace, h.size());
        for (std::size_t k = 0; k < x.size(); ++k) {
            x[k] *= h[k];
        }
        fourier(x, true);
        std::transform(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), trace.begin(),
                       [](const std::complex<double>& v) { return v.real(); });
    }
}

SourceFit::SourceFit(std::size_t samples, double water)
    : m_samples(samples)
    , m_water(water)
    , m_power(fourierLength(2 * samples), 0.0)
    , m_cross(m_power.size())
{
}

void SourceFit::add(std::span<const double> synthetic, std::span<const double> observed)
{
    for (std::size_t at = 0; at < synthetic.size(); at += m_samples) {
        const Spectrum s = spectrumOf(synthetic.subspan(at, m_samples), m_power.size());
        const Spectrum d = spectrumOf(observed.subspan(at, m_samples), m_power.size());
        for (std::size_t k = 0; k < s.size(); ++k) {
            m_power[k] += std::norm(s[k]);
            m_cross[k] += std::conj(s[k]) * d[k];
        }
    }
}

SourceFilter SourceFit::solve() const
{
    // By Parseval the mean over frequencies is the sum over samples.
    double mean = 0.0;
    for (const double p : m_power) {
        mean += p / static_cast<double>(m_power.size());
    }
    if (!(mean > 0.0)) {
        return {};
    }
    Spectrum h = m_cross;
    for (std::size_t k = 0; k < h.size(); ++k) {
        h[k] /= m_power[k] + m_water * mean;
    }
    fourier(h, true);
    SourceFilter out;
    out.samples.reserve(h.size());
    for (const auto& v : h) {
        out.samples.push_back(v.real());
    }
    return out;
}

double judgeFiltered(const SourceFilter& filter, double water, std::size_t samples, double dt,
                     std::span<const double> synthetic, std::span<const double> observed, std::span<double> derivative)
{
    const Spectrum h = spectrumOf(filter.samples, filter.samples.size());
    const double damping = water * squares(filter.samples);
    double value = 0.5 * dt * damping * squares(synthetic);
    for (std::size_t at = 0; at < synthetic.size(); at += samples) {
        const auto s = synthetic.subspan(at, samples);
        Spectrum r = spectrumOf(s, h.size());
        const Spectrum d = spectrumOf(observed.subspan(at, samples), h.size());
        for (std::size_t k = 0; k < r.size(); ++k) {
            r[k] = h[k] * r[k] - d[k];
            value += 0.5 * dt / static_cast<double>(h.size()) * std::norm(r[k]);
            r[k] *= std::conj(h[k]);
        }
        fourier(r, true);
        for (std::size_t k = 0; k < samples; ++k) {
            derivative[at + k] = dt * (r[k].real() + damping * s[k]);
        }
    }
    return value;
}

} // namespace ondo
