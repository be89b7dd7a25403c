#include "ui/shown_kernel.h"

#include "ui/text.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

constexpr std::size_t kSampled = 400000; // nodes that the clips are taken from, at most
constexpr int kClips = 1000;             // steps from 0 to 100 %

} // namespace

std::vector<float> clipsOf(const std::vector<float>& values)
{
    std::vector<float> sizes;
    const std::size_t stride = std::max<std::size_t>(1, values.size() / kSampled);
    for (std::size_t i = 0; i < values.size(); i += stride) {
        sizes.push_back(std::abs(values[i]));
    }
    if (sizes.empty()) {
        return {};
    }
    std::sort(sizes.begin(), sizes.end());
    std::vector<float> clips;
    for (int i = 0; i <= kClips; ++i) {
        const double at = static_cast<double>(i) / kClips * static_cast<double>(sizes.size() - 1);
        clips.push_back(sizes[static_cast<std::size_t>(std::lround(at))]);
    }
    return clips;
}

double clipAt(const std::vector<float>& clips, double percentile)
{
    const auto at = static_cast<std::size_t>(std::lround(std::clamp(percentile, 0.0, 100.0) / 100.0 * kClips));
    const double clip = clips.empty() ? 0.0 : static_cast<double>(clips[at]);
    const double most = clips.empty() ? 0.0 : static_cast<double>(clips.back());
    return clip > 0.0 ? clip : most;
}

ShownKernel readyToShow(SensitivityKernel kernel)
{
    ShownKernel out;
    auto frame = std::make_shared<FieldFrame>();
    const Grid& g = kernel.plan.plan->model.grid();
    frame->nz = g.nz;
    frame->ny = g.ny;
    frame->nx = g.nx;
    frame->values.assign(kernel.values.begin(), kernel.values.end());
    out.clips = clipsOf(frame->values);
    out.frame = std::move(frame);
    out.kernel = std::make_shared<const SensitivityKernel>(std::move(kernel));
    return out;
}

QString checksText(const std::vector<KernelCheck>& checks, const QPalette& palette)
{
    QString text;
    for (const KernelCheck& check : checks) {
        const QString what = fromEngine(check.what).toHtmlEscaped();
        const Tone tone = check.passed ? Tone::Good : Tone::Warning;
        text +=
            QStringLiteral("<p style='margin:0 0 5px 0'><span style='color:%1'>%2</span> %3%4</p>")
                .arg(toneColour(palette, tone).name(), check.passed ? QStringLiteral("✓") : QStringLiteral("!"), what,
                     check.passed ? QString()
                                  : QStringLiteral(" – <b>%1</b>").arg(fromEngine(check.remedy).toHtmlEscaped()));
    }
    return text;
}

QString memoryText(const GradientMemory& memory)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("ShownKernel", text); };
    QString text = tr("%1 on the device").arg(bytesText(memory.total()));
    text += memory.host > 0 ? tr(", %1 in host memory").arg(bytesText(memory.host)) : QString();
    text += memory.disk > 0 ? tr(", %1 on disk").arg(bytesText(memory.disk)) : QString();
    return text;
}

QString tapeText(const TapeOptions& tape)
{
    QString mode = fromEngine(tape.mode);
    if (tape.place != Place::Device) {
        mode = QCoreApplication::translate("ShownKernel", "%1 on %2").arg(mode, fromEngine(placeName(tape.place)));
    }
    return tape.storage == Storage::Exact ? mode
                                          : QCoreApplication::translate("ShownKernel", "%1, stored as %2")
                                                .arg(mode, fromEngine(storageName(tape.storage)));
}

} // namespace ondo
