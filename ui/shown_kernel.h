// A sensitivity kernel made ready for the view, and its memory mode in words; what the view needs of any such field. Value
// types; any thread.
#pragma once

#include "engine/inversion/sensitivity.h"

#include <QPalette>
#include <QString>

#include <memory>
#include <vector>

namespace ondo {

// A field that the picture shows at rest in the place of the last run's, on the model's grid.
struct ShownField {
    std::shared_ptr<const FieldFrame> field;
    QString name, unit;
    double clip = 1.0; // full colour, in the unit
};

// A kernel ready to be drawn.
struct ShownKernel {
    std::shared_ptr<const SensitivityKernel> kernel;
    std::shared_ptr<const FieldFrame> frame; // its values, single precision, for the eye
    std::vector<float> clips;                // magnitude below which 0, 0.1, ... 100 % of the nodes lie
};
[[nodiscard]] ShownKernel readyToShow(SensitivityKernel kernel);

// ShownKernel::clips of values, from a part of them where there are very many.
[[nodiscard]] std::vector<float> clipsOf(const std::vector<float>& values);
// Of such clips; the largest where all below the percentile is zero.
[[nodiscard]] double clipAt(const std::vector<float>& clips, double percentile);

// A paragraph a check, ticked or with its remedy; rich text.
[[nodiscard]] QString checksText(const std::vector<KernelCheck>& checks, const QPalette& palette);

// "2.1 MB on the device, 4 GB on disk"
[[nodiscard]] QString memoryText(const GradientMemory& memory);

// "boundary, stored as int8"
[[nodiscard]] QString tapeText(const TapeOptions& tape);

} // namespace ondo
