// The direct way of a picture from a device into textures of a GL context on the same device: no byte goes through the host.
// All calls on the display thread with its context current. Errors are answers, never exceptions.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"
#include "engine/frame/frame_exchange.h"

#include <memory>

namespace ondo {

class DisplayLink {
public:
    explicit DisplayLink(std::shared_ptr<Device> device);

    // Does the current GL context lie on this device? Really writes a small texture and reads it back. The error says why not.
    [[nodiscard]] Result<> probe();
    // GL_TEXTURE_2D, GL_RGBA8. The answer names it from here on. Again after its size changed.
    [[nodiscard]] Result<int> registerTexture(unsigned glTexture, int width, int height);
    void unregister(int slot) noexcept;
    // Writes a Direct frame into the texture once the device has it ready; ordered before later GL commands.
    [[nodiscard]] Result<> present(int slot, const PaintedFrame& frame);

    // A device that cannot by its kind (the CPU): the host path is then no fallback.
    [[nodiscard]] bool possible() const;

private:
    std::shared_ptr<Device> m_device;
};

} // namespace ondo
