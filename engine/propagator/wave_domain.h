// What every launch of a plan has on its device, whichever way time runs there: the layout, the boxes of a step, the model
// as (c dt)^2, or as kappa dt^2 and density (kernels/equations/scalar.h), the layers' profiles; and memory for fields and layer memories. Work is queued on the stream it was made
// with; failures throw BackendError. One thread at a time.
#pragma once

#include "engine/device/device.h"
#include "engine/propagator/domain.h"
#include "engine/propagator/point_table.h"
#include "engine/session/simulation_plan.h"
#include "kernels/backend.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace ondo {

// Host values on the device; at least one element, an empty list is a list. The vector may go when this returns: copies
// have read what they copy by then (kernels/backend.h).
template<class U>
[[nodiscard]] Buffer<U> uploaded(const std::shared_ptr<Device>& device, const Stream& stream,
                                 const std::vector<U>& values, const char* label, BlockSize size = BlockSize::Bucket)
{
    Buffer<U> b(device, std::max<std::size_t>(values.size(), 1), label, size, BlockContent::Uninitialised, stream);
    if (!values.empty()) {
        device->backend().copyToDevice(b.data(), values.data(), values.size() * sizeof(U), stream.handle(),
                                       kernels::CopyPurpose::Setup);
    }
    return b;
}

// The memories of the layers along one axis, for all shots of a launch; not zeroed.
template<class T>
struct LayerMemory {
    Buffer<T> psi, zeta;
};

template<class T>
class WaveDomain {
public:
    WaveDomain(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device, const Stream& stream);
    // Model and profiles to the device; once, after the fields were made: the arena gives back what lies idle of other
    // shapes when a large block is new. The user's grid passes through `field`, a field of a shot or more whose values
    // nobody needs: no memory of its own.
    void upload(Buffer<T>& field);

    [[nodiscard]] const SimulationPlan& plan() const { return *m_plan; }
    [[nodiscard]] const std::shared_ptr<Device>& device() const { return m_device; }
    [[nodiscard]] kernels::Backend& backend() const { return m_device->backend(); }
    [[nodiscard]] const Stream& stream() const { return m_stream; }
    [[nodiscard]] const kernels::Layout& layout() const { return m_layout; }
    [[nodiscard]] const DomainBoxes& boxes() const { return m_boxes; }
    [[nodiscard]] const T* c2() const { return m_c2.data(); }
    // Shots of the plan's largest launch.
    [[nodiscard]] std::size_t batch() const;

    [[nodiscard]] Buffer<T> field(std::size_t shots, const char* label) const;
    [[nodiscard]] LayerMemory<T> memory(int axis, std::size_t shots) const; // empty where there is no layer
    // Elements that memory() makes of each kind, for a shot.
    [[nodiscard]] std::size_t memorySize(int axis) const;
    void clear(Buffer<T>& block) const; // zeros, queued

    [[nodiscard]] kernels::ScalarState<T> state(const LayerMemory<T> (&memory)[3], const T* now, T* other) const;
    // field: what its halos are made for.
    [[nodiscard]] kernels::MirrorFaces<T> mirror(T* field) const;

private:
    void padModel(Buffer<T>& passing);
    void padDensity(Buffer<T>& passing);
    // The user's samples where pad() may read them.
    [[nodiscard]] const float* reachable(const std::vector<float>& samples, Buffer<T>& passing) const;
    void makeLayers();

    std::shared_ptr<const SimulationPlan> m_plan;
    std::shared_ptr<Device> m_device;
    const Stream& m_stream;
    kernels::Layout m_layout;
    DomainBoxes m_boxes;
    kernels::MirrorFaces<T> m_mirror;
    kernels::AxisCoefficients<T> m_axis[3];
    Buffer<T> m_c2;
    Buffer<T> m_density; // empty for one density
    Buffer<T> m_profile[3];
    kernels::AxisLayer<T> m_layer[3];
};

extern template class WaveDomain<float>;
extern template class WaveDomain<double>;

// Sources of a launch on the device: kernels/common/point_ops.h InjectSources but for its field and wavelets.
template<class T>
class DeviceInjection {
public:
    void place(const WaveDomain<T>& domain, std::shared_ptr<const InjectionTable> table, const T* c2,
               const char* label);
    [[nodiscard]] kernels::InjectSources<T> body() const { return m_body; }
    [[nodiscard]] kernels::PointNodes nodes() const { return m_table->nodes(); }

private:
    std::shared_ptr<const InjectionTable> m_table;
    Buffer<std::byte> m_lists;
    kernels::InjectSources<T> m_body;
};

// Receivers of a launch on the device: RecordReceivers but for its field and where samples go.
template<class T>
class DeviceRecording {
public:
    // Nothing goes up again when it is the table that lies there already.
    void place(const WaveDomain<T>& domain, std::shared_ptr<const RecordingTable> table, const char* label,
               BlockSize size);
    [[nodiscard]] kernels::RecordReceivers<T> body() const { return m_body; }
    [[nodiscard]] kernels::PointNodes nodes() const
    {
        return m_table != nullptr ? m_table->nodes() : kernels::PointNodes{};
    }

private:
    std::shared_ptr<const RecordingTable> m_table;
    Buffer<std::byte> m_lists;
    kernels::RecordReceivers<T> m_body;
};

extern template class DeviceInjection<float>;
extern template class DeviceInjection<double>;
extern template class DeviceRecording<float>;
extern template class DeviceRecording<double>;

} // namespace ondo
