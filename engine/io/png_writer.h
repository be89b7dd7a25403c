// PNG pictures of 8 bits a channel. Any thread; atomic.
#pragma once

#include "engine/core/result.h"
#include "engine/frame/picture.h"

#include <cstdint>
#include <span>
#include <string>

namespace ondo {

struct Picture {
    int width = 0;
    int height = 0;
    int channels = 3;                       // 3: RGB, 4: RGBA
    std::span<const std::uint8_t> pixels{}; // top row first, width * height * channels bytes
    double pixelsPerMetre = 0.0;            // physical resolution; 0: not stated
};

// Refuses a pixel count that does not fit the size.
[[nodiscard]] Result<> writePng(const std::string& path, const Picture& picture);
// Opaque: the pixels' alpha is left out.
[[nodiscard]] Result<> writePng(const std::string& path, const HostPicture& picture);

} // namespace ondo
