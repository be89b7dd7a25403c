#include "app/cli/speed.h"

#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"

#include <fmt/format.h>

#include <atomic>

namespace ondo::cli {

std::shared_ptr<const DeviceSpeed> speedAtHand(const kernels::DeviceFacts& device, bool quiet)
{
    const KnownSpeed known = readSpeed(device);
    for (const auto& line : known.notes) {
        note(line, quiet);
    }
    return known.speed;
}

Result<std::shared_ptr<const DeviceSpeed>> measureNow(const std::shared_ptr<Device>& device, bool quiet)
{
    ProgressLine line(quiet);
    std::atomic<bool> stop{false};
    CalibrationOptions options;
    options.stop = &stop;
    options.telling = [&](double share) {
        stop = interrupted();
        line.show(fmt::format("measuring the speed of {}, {:.0f} %", device->facts().name, 100.0 * share));
    };
    auto known = measureSpeed(device, options);
    line.clear();
    if (!known) {
        return tl::unexpected<Error>(known.error());
    }
    for (const auto& text : known->notes) {
        note(text, quiet);
    }
    return known->speed;
}

} // namespace ondo::cli
