#include "engine/propagator/model_picture.h"

#include "engine/frame/plane_geometry.h"

#include <vector>

namespace ondo {

kernels::Plane<float> ModelPicture::plane(const Model& model, const PictureSettings& settings,
                                          const std::shared_ptr<Device>& device, const Stream& stream)
{
    const PlaneGeometry g = planeGeometry(model.grid(), settings);
    const auto count = static_cast<std::size_t>(g.rows) * static_cast<std::size_t>(g.columns);
    if (m_values.size() != count || m_base != g.base || m_columnStride != g.columnStride ||
        m_rowStride != g.rowStride) {
        std::vector<float> values;
        values.reserve(count);
        const auto& samples = model.velocity().samples();
        for (int row = 0; row < g.rows; ++row) {
            for (int column = 0; column < g.columns; ++column) {
                values.push_back(
                    samples[static_cast<std::size_t>(g.base + row * g.rowStride + column * g.columnStride)]);
            }
        }
        if (m_values.size() != count) {
            m_values = {};
            m_values =
                Buffer<float>(device, count, "model picture", BlockSize::Kept, BlockContent::Uninitialised, stream);
        }
        device->backend().copyToDevice(m_values.data(), values.data(), m_values.bytes(), stream.handle(),
                                       kernels::CopyPurpose::Setup);
        device->backend().synchronize(stream.handle()); // the vector goes
        m_base = g.base;
        m_rowStride = g.rowStride;
        m_columnStride = g.columnStride;
    }
    return {m_values.data(), g.columns, 1, g.rows, g.columns};
}

} // namespace ondo
