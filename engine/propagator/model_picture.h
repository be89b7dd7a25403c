// The model behind a picture: the velocities of the plane that is shown, on the device. Uploaded when a picture first wants
// it and when another plane is shown, so that a run that nobody looks at holds no second model, and a volume only a plane.
// Session's thread.
#pragma once

#include "engine/device/device.h"
#include "engine/frame/picture.h"
#include "engine/model/model.h"
#include "kernels/common/paint_field.h"

#include <memory>

namespace ondo {

class ModelPicture {
public:
    // Valid for work queued on `stream` before the next call. The model is the same at each call.
    [[nodiscard]] kernels::Plane<float> plane(const Model& model, const PictureSettings& settings,
                                              const std::shared_ptr<Device>& device, const Stream& stream);

private:
    Buffer<float> m_values;                                        // row after row
    std::int64_t m_base = -1, m_rowStride = 0, m_columnStride = 0; // of the plane that is there, in the model
};

} // namespace ondo
