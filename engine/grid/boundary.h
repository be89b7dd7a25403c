// What happens at each face of the grid. Value type.
//   Absorbing  CPML layers are added outside the user's grid (Komatitsch & Martin 2007; seismic.md 2.2)
//   Free       p = 0 on the face's nodes, odd image beyond (the surface of the sea)
//   Rigid      dp/dn = 0 on the face's nodes, even image beyond
#pragma once

#include <array>
#include <string_view>

namespace ondo {

enum class Face { XLow = 0, XHigh, YLow, YHigh, ZLow, ZHigh };
enum class FaceCondition { Absorbing = 0, Free = 1, Rigid = 2 };

struct Boundary {
    // Indexed by Face. In two dimensions the y faces are ignored.
    std::array<FaceCondition, 6> faces{};
    int layerCells = 20;      // thickness of each absorbing layer, cells
    double reflection = 1e-5; // theoretical normal-incidence reflection coefficient R of the layer
    double frequency = 0.0;   // Hz; alpha_max = pi f. 0: the wavelet's peak frequency

    bool operator==(const Boundary&) const = default;
    [[nodiscard]] FaceCondition at(Face f) const { return faces[static_cast<std::size_t>(f)]; }
    FaceCondition& at(Face f) { return faces[static_cast<std::size_t>(f)]; }
};

[[nodiscard]] std::string_view faceName(Face face);            // "x-low" ... "z-high"
[[nodiscard]] std::string_view conditionName(FaceCondition c); // "absorbing" "free" "rigid"

} // namespace ondo
