#include "render/gather_raster.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ondo {

namespace {

constexpr float kSilence = 1e-3F;            // of the largest magnitude
constexpr std::size_t kMostCounted = 200000; // samples a percentile is taken of

struct Window {
    double firstTrace, traces, firstSample, samples; // what the picture spans
};

Window windowOf(const Gather& gather, const GatherSettings& s)
{
    const double dt = gather.dt > 0.0 ? gather.dt : 1.0;
    Window w{};
    w.firstTrace = s.traces > 0.0 ? s.firstTrace : 0.0;
    w.traces = s.traces > 0.0 ? s.traces : std::max(1, gather.receiverCount());
    w.firstSample = s.seconds > 0.0 ? s.fromTime / dt : 0.0;
    w.samples = s.seconds > 0.0 ? s.seconds / dt : std::max(1, gather.samples - 1);
    return w;
}

float factorFor(double clip, const GatherSettings& s)
{
    const double sign = s.reversedPolarity ? -1.0 : 1.0;
    return clip > 0.0 ? static_cast<float>(sign * s.gain / clip) : 0.0F;
}

// Where the edges of the pixel rows fall between samples, the same for all traces.
struct RowEdges {
    std::vector<int> sample;      // the one at or before the edge
    std::vector<float> fraction;  // of the way to the next
    std::vector<int> first, last; // samples on a row (last < first: none)
};

RowEdges rowEdges(const Window& w, int height, int rows, int recorded)
{
    RowEdges e;
    const double perRow = w.samples / height;
    const auto most = static_cast<double>(recorded - 1);
    for (int y = 0; y <= rows; ++y) {
        const double at = w.firstSample + y * perRow;
        const double bounded = std::clamp(at, 0.0, most);
        const int k = std::min(static_cast<int>(bounded), std::max(recorded - 2, 0));
        e.sample.push_back(k);
        e.fraction.push_back(static_cast<float>(bounded - k));
        e.first.push_back(std::max(static_cast<int>(std::ceil(at)), 0));
        e.last.push_back(std::min(static_cast<int>(std::ceil(at + perRow)) - 1, recorded - 1));
    }
    return e;
}

float onEdge(const float* trace, int recorded, const RowEdges& e, std::size_t row)
{
    const float* v = trace + e.sample[row];
    return recorded < 2 ? trace[0] : v[0] + e.fraction[row] * (v[1] - v[0]);
}

// How many pixel rows from the top show recorded samples.
int recordedRows(const Gather& gather, const Window& w, int height)
{
    const double last = (gather.recorded - 1 - w.firstSample) / w.samples * height;
    return gather.recorded <= 0 ? 0 : std::clamp(static_cast<int>(std::ceil(last)), 0, height);
}

// The sample of the largest magnitude on a pixel row, or the value in its middle where rows are finer than samples.
float onRow(const float* trace, int recorded, const RowEdges& e, std::size_t row)
{
    const int first = e.first[row];
    const int last = e.last[row];
    if (last < first) {
        return 0.5F * (onEdge(trace, recorded, e, row) + onEdge(trace, recorded, e, row + 1));
    }
    float best = trace[first];
    for (int k = first + 1; k <= last; ++k) {
        best = std::abs(trace[k]) > std::abs(best) ? trace[k] : best;
    }
    return best;
}

struct Columns {
    std::vector<int> from, to; // traces shown by a pixel column, to included
};

Columns columnsOf(const Gather& gather, const Window& w, int width)
{
    Columns c;
    const int last = gather.receiverCount() - 1;
    for (int x = 0; x < width; ++x) {
        const double left = w.firstTrace + x * w.traces / width;
        const double right = w.firstTrace + (x + 1) * w.traces / width;
        const int from = static_cast<int>(std::floor(w.traces > width ? left : 0.5 * (left + right)));
        const int to = w.traces > width ? std::max(from, static_cast<int>(std::ceil(right)) - 1) : from;
        c.from.push_back(from > last || from < 0 ? -1 : from);
        c.to.push_back(std::min(to, last));
    }
    return c;
}

// A row of pixels, blended with 8-bit coverage.
class RowPen {
public:
    RowPen(std::uint32_t* pixels, int width)
        : m_pixels(pixels)
        , m_width(width)
    {
    }

    // From x0 to x1, the ends covered in part.
    void span(float x0, float x1, const Colour& colour)
    {
        x0 = std::max(x0, 0.0F);
        x1 = std::min(x1, static_cast<float>(m_width));
        if (!(x1 > x0)) {
            return;
        }
        const int first = static_cast<int>(x0);
        const int last = std::min(static_cast<int>(x1), m_width - 1);
        if (first == last) {
            blend(first, colour, x1 - x0);
            return;
        }
        blend(first, colour, static_cast<float>(first + 1) - x0);
        for (int x = first + 1; x < last; ++x) {
            blend(x, colour, 1.0F);
        }
        blend(last, colour, x1 - static_cast<float>(last));
    }

private:
    void blend(int x, const Colour& c, float coverage)
    {
        const auto alpha =
            static_cast<std::uint32_t>(coverage * static_cast<float>(c.alpha) * (256.0F / 255.0F) + 0.5F);
        if (alpha == 0) {
            return;
        }
        std::uint32_t& under = m_pixels[x];
        const std::uint32_t over = c.rgba();
        // Red and blue together, then green.
        const std::uint32_t rb = (((under & 0xFF00FFU) * (256U - alpha) + (over & 0xFF00FFU) * alpha) >> 8) & 0xFF00FFU;
        const std::uint32_t g = (((under & 0x00FF00U) * (256U - alpha) + (over & 0x00FF00U) * alpha) >> 8) & 0x00FF00U;
        under = 0xFF000000U | rb | g;
    }

    std::uint32_t* m_pixels;
    int m_width;
};

} // namespace

double gatherPercentile(const Gather& gather, double percentile)
{
    float largest = 0.0F;
    const auto recorded = static_cast<std::size_t>(std::clamp(gather.recorded, 0, gather.samples));
    const std::size_t all = recorded * static_cast<std::size_t>(gather.receiverCount());
    for (int r = 0; r < gather.receiverCount(); ++r) {
        for (const float v : gather.trace(r).first(recorded)) {
            largest = std::isfinite(v) ? std::max(largest, std::abs(v)) : largest;
        }
    }
    if (largest == 0.0F) {
        return 0.0;
    }
    std::vector<float> magnitudes;
    const std::size_t stride = all / kMostCounted + 1;
    for (std::size_t i = 0; i < all; i += stride) {
        const float v = std::abs(gather.trace(static_cast<int>(i / recorded))[i % recorded]);
        if (std::isfinite(v) && v > kSilence * largest) {
            magnitudes.push_back(v);
        }
    }
    if (magnitudes.empty()) {
        return static_cast<double>(largest);
    }
    const double rank = std::clamp(percentile, 0.0, 100.0) / 100.0 * static_cast<double>(magnitudes.size() - 1);
    const auto at = magnitudes.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    return static_cast<double>(*at);
}

double gatherClip(const Gather& gather, const GatherSettings& settings)
{
    const bool fixed = settings.clipMode == ClipMode::Fixed || settings.hold;
    return fixed ? settings.clip : gatherPercentile(gather, settings.percentile);
}

HostPicture gatherGround(const GatherSettings& settings)
{
    HostPicture picture;
    picture.width = std::max(settings.width, 0);
    picture.height = std::max(settings.height, 0);
    picture.pixels.assign(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height),
                          settings.ground);
    return picture;
}

HostPicture rasterGather(const Gather& gather, const GatherSettings& settings)
{
    HostPicture picture = gatherGround(settings);
    if (picture.pixels.empty() || gather.receiverCount() == 0 || gather.recorded <= 0 || settings.colours == nullptr) {
        return picture;
    }
    picture.clip = gatherClip(gather, settings);
    const float factor = factorFor(picture.clip, settings);
    const Window w = windowOf(gather, settings);
    const Columns columns = columnsOf(gather, w, picture.width);
    const int rows = recordedRows(gather, w, picture.height);
    const auto count = static_cast<std::size_t>(gather.receiverCount());
    // A row of all traces at a time: memory is read along traces, written along rows.
    std::vector<float> reduced(count * static_cast<std::size_t>(rows));
    const RowEdges edges = rowEdges(w, picture.height, rows, gather.recorded);
    const int lowest = *std::max_element(columns.to.begin(), columns.to.end());
    for (int t = 0; t <= lowest; ++t) {
        const float* trace = gather.trace(t).data();
        for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
            reduced[y * count + static_cast<std::size_t>(t)] = onRow(trace, gather.recorded, edges, y) * factor;
        }
    }
    for (int y = 0; y < rows; ++y) {
        const float* row = reduced.data() + static_cast<std::size_t>(y) * count;
        std::uint32_t* out =
            picture.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width);
        for (std::size_t x = 0; x < static_cast<std::size_t>(picture.width); ++x) {
            const int from = columns.from[x];
            const int to = columns.to[x];
            if (from < 0) {
                continue;
            }
            float sum = 0.0F;
            for (int t = from; t <= to; ++t) {
                sum += row[t];
            }
            const float v = to > from ? sum / static_cast<float>(to - from + 1) : sum;
            const float unit = std::clamp(0.5F * v + 0.5F, 0.0F, 1.0F);
            out[x] = (*settings.colours)[std::isfinite(v) ? static_cast<std::size_t>(unit * 255.0F + 0.5F) : 255U];
        }
    }
    return picture;
}

void drawWiggles(HostPicture& picture, const Gather& gather, const GatherSettings& settings, const WiggleStyle& style)
{
    if (picture.pixels.empty() || gather.receiverCount() == 0 || gather.recorded <= 0) {
        return;
    }
    const double clip = gatherClip(gather, settings);
    picture.clip = clip;
    const Window w = windowOf(gather, settings);
    const int rows = recordedRows(gather, w, picture.height);
    const RowEdges edges = rowEdges(w, picture.height, rows, gather.recorded);
    const double spacing = picture.width / w.traces;
    const int every = std::max(1, static_cast<int>(std::ceil(style.leastSpacing / spacing)));
    const float factor = factorFor(clip, settings) * static_cast<float>(style.excursion * spacing * every);
    const auto most = static_cast<float>(2.0 * spacing * every); // an excursion ends there
    const float half = 0.5F * static_cast<float>(style.lineWidth);
    const int firstTrace = std::max(0, static_cast<int>(std::floor(w.firstTrace)));
    const int lastTrace = std::min(gather.receiverCount() - 1, static_cast<int>(std::ceil(w.firstTrace + w.traces)));
    for (int t = (firstTrace + every - 1) / every * every; t <= lastTrace; t += every) {
        const float* trace = gather.trace(t).data();
        const auto x0 = static_cast<float>((t + 0.5 - w.firstTrace) * spacing);
        const auto place = [&](float amplitude) {
            const float shift = amplitude * factor;
            return x0 + (shift == shift ? std::clamp(shift, -most, most) : 0.0F);
        };
        float above = onEdge(trace, gather.recorded, edges, 0);
        for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
            const float below = onEdge(trace, gather.recorded, edges, y + 1);
            float low = std::min(above, below);
            float high = std::max(above, below);
            for (int k = edges.first[y]; k <= edges.last[y]; ++k) {
                low = std::min(low, trace[k]);
                high = std::max(high, trace[k]);
            }
            RowPen pen(picture.pixels.data() + y * static_cast<std::size_t>(picture.width), picture.width);
            if (style.fill.alpha != 0) {
                pen.span(x0, place(0.5F * (above + below)), style.fill);
            }
            const float a = place(low);
            const float b = place(high);
            pen.span(std::min(a, b) - half, std::max(a, b) + half, style.line);
            above = below;
        }
    }
}

} // namespace ondo
