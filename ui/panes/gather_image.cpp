#include "ui/panes/gather_image.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ondo {

namespace {

constexpr double kLeastWiggleWidth = 7.0;   // px between wiggles
constexpr std::size_t kMostValues = 120000; // looked at for the clip

QRgb toRgb(std::uint32_t rgba)
{
    return qRgb(static_cast<int>(rgba & 0xFFU), static_cast<int>(rgba >> 8 & 0xFFU),
                static_cast<int>(rgba >> 16 & 0xFFU));
}

// Sample number of each row's centre; beyond `recorded`: -1.
std::vector<int> sampleRows(const Gather& gather, int height)
{
    std::vector<int> rows(static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
        const double at = (y + 0.5) / height * (gather.samples - 1);
        const int sample = static_cast<int>(std::lround(at));
        rows[static_cast<std::size_t>(y)] = sample < gather.recorded ? sample : -1;
    }
    return rows;
}

void paintDensity(const Gather& gather, QImage& image, const GatherStyle& style)
{
    std::array<QRgb, 256> colours{};
    for (std::size_t i = 0; i < colours.size(); ++i) {
        colours[i] = toRgb((*style.colours)[i]);
    }
    const double factor = style.gain / style.clip * (style.reversed ? -1.0 : 1.0) * 127.5;
    const std::vector<int> rows = sampleRows(gather, image.height());
    std::vector<const float*> columns(static_cast<std::size_t>(image.width()));
    for (int x = 0; x < image.width(); ++x) {
        const int receiver =
            std::min(gather.receiverCount() - 1, static_cast<int>((x + 0.5) / image.width() * gather.receiverCount()));
        columns[static_cast<std::size_t>(x)] = gather.trace(receiver).data();
    }
    for (int y = 0; y < image.height(); ++y) {
        const int sample = rows[static_cast<std::size_t>(y)];
        if (sample < 0) {
            break;
        }
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (std::size_t x = 0; x < columns.size(); ++x) {
            const double value = 127.5 + factor * static_cast<double>(columns[x][sample]);
            line[x] = colours[static_cast<std::size_t>(std::clamp(value, 0.0, 255.0))];
        }
    }
}

void paintWiggles(const Gather& gather, QImage& image, const GatherStyle& style)
{
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    const int count = gather.receiverCount();
    const int stride = wiggleStride(count, image.width() / style.pixelRatio);
    const double spacing = static_cast<double>(image.width()) / count;
    const double swing = spacing * stride * 1.1;
    const double factor = style.gain / style.clip * (style.reversed ? -1.0 : 1.0);
    const std::vector<int> rows = sampleRows(gather, image.height());
    const QPen pen(style.ink, style.pixelRatio);
    for (int receiver = stride / 2; receiver < count; receiver += stride) {
        const std::span<const float> trace = gather.trace(receiver);
        const double middle = (receiver + 0.5) * spacing;
        QPolygonF line;
        QPolygonF crest;
        for (int y = 0; y < image.height(); ++y) {
            const int sample = rows[static_cast<std::size_t>(y)];
            if (sample < 0) {
                break;
            }
            const double value =
                std::clamp(factor * static_cast<double>(trace[static_cast<std::size_t>(sample)]), -1.0, 1.0);
            line << QPointF(middle + value * swing, y + 0.5);
            crest << QPointF(middle + std::max(0.0, value) * swing, y + 0.5);
        }
        if (line.isEmpty()) {
            return;
        }
        crest << QPointF(middle, crest.back().y()) << QPointF(middle, crest.front().y());
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.crest);
        painter.drawPolygon(crest);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(pen);
        painter.drawPolyline(line);
    }
}

} // namespace

int wiggleStride(int receivers, double width)
{
    return std::max(1, static_cast<int>(std::ceil(kLeastWiggleWidth * receivers / std::max(1.0, width))));
}

double gatherClip(const Gather& gather, double percentile)
{
    const std::size_t count = gather.traces.size();
    if (count == 0 || gather.recorded == 0) {
        return 0.0;
    }
    const std::size_t stride = std::max<std::size_t>(1, count / kMostValues) | 1U; // odd: no beat with the trace length
    std::vector<float> values;
    float largest = 0.0F;
    for (std::size_t i = 0; i < count; i += stride) {
        const float value = std::abs(gather.traces[i]);
        if (std::isfinite(value)) {
            values.push_back(value);
            largest = std::max(largest, value);
        }
    }
    std::erase_if(values, [floor = largest * 1e-5F](float v) { return v <= floor; });
    if (values.empty()) {
        return 0.0;
    }
    const auto rank = static_cast<std::ptrdiff_t>(
        std::min(static_cast<double>(values.size() - 1), percentile / 100.0 * static_cast<double>(values.size())));
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return static_cast<double>(values[static_cast<std::size_t>(rank)]);
}

QImage paintGather(const Gather& gather, QSize size, const GatherStyle& style)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(style.ground);
    if (gather.receiverCount() == 0 || gather.samples < 2 || gather.recorded == 0 || !(style.clip > 0.0)) {
        return image;
    }
    if (style.mode != GatherMode::Wiggles && style.colours != nullptr) {
        paintDensity(gather, image, style);
    }
    if (style.mode != GatherMode::Density) {
        paintWiggles(gather, image, style);
    }
    return image;
}

} // namespace ondo
