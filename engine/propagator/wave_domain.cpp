#include "engine/propagator/wave_domain.h"

#include <algorithm>
#include <utility>

namespace ondo {

using kernels::CopyPurpose;

namespace {

// The lists of a table, one behind the other in one block; those of larger elements first, so that each lies where its
// type may.
class Lists {
public:
    Lists(const std::shared_ptr<Device>& device, const Stream& stream, Buffer<std::byte>& block, std::size_t bytes,
          const char* label, BlockSize size)
        : m_device(*device)
        , m_stream(stream)
    {
        block = {}; // so that the same block serves again
        block = Buffer<std::byte>(device, bytes, label, size, BlockContent::Uninitialised, stream);
        m_at = block.data();
    }

    template<class U>
    const U* add(const std::vector<U>& list)
    {
        void* const to = m_at;
        const std::size_t bytes = list.size() * sizeof(U);
        if (bytes > 0) {
            m_device.backend().copyToDevice(to, list.data(), bytes, m_stream.handle(), CopyPurpose::Setup);
        }
        m_at += bytes;
        return static_cast<const U*>(to);
    }

private:
    Device& m_device;
    const Stream& m_stream;
    std::byte* m_at = nullptr;
};

} // namespace

template<class T>
WaveDomain<T>::WaveDomain(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device,
                          const Stream& stream)
    : m_plan(std::move(plan))
    , m_device(std::move(device))
    , m_stream(stream)
    , m_layout(makeLayout(*m_plan))
    , m_boxes(makeBoxes(*m_plan))
{
    constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};
    const Grid& g = m_plan->model.grid();
    const double h[3] = {g.dz, g.dy, g.dx};
    m_mirror.layout = m_layout;
    for (int a = 0; a < 3; ++a) {
        m_axis[a] = kernels::makeCoefficients<T>(m_plan->radius, h[a]);
        for (int side = 0; side < 2; ++side) {
            m_mirror.odd[2 * a + side] = m_plan->run.boundary.at(kFaces[a][side]) == FaceCondition::Free ? 1 : 0;
        }
    }
}

template<class T>
void WaveDomain<T>::upload(Buffer<T>& field)
{
    padModel(field);
    if (m_plan->variableDensity()) {
        padDensity(field);
    }
    makeLayers();
}

template<class T>
std::size_t WaveDomain<T>::batch() const
{
    return static_cast<std::size_t>(
        std::min<std::int64_t>(m_plan->run.shotsAtOnce, static_cast<std::int64_t>(m_plan->run.survey.shots.size())));
}

template<class T>
Buffer<T> WaveDomain<T>::field(std::size_t shots, const char* label) const
{
    return Buffer<T>(m_device, static_cast<std::size_t>(m_layout.shotStride) * shots, label, BlockSize::Kept,
                     BlockContent::Uninitialised, m_stream);
}

template<class T>
std::size_t WaveDomain<T>::memorySize(int axis) const
{
    return static_cast<std::size_t>(m_layer[axis].shot);
}

template<class T>
LayerMemory<T> WaveDomain<T>::memory(int axis, std::size_t shots) const
{
    LayerMemory<T> m;
    if (memorySize(axis) > 0) {
        for (auto* b : {&m.psi, &m.zeta}) {
            *b = Buffer<T>(m_device, memorySize(axis) * shots, "layer memory", BlockSize::Kept,
                           BlockContent::Uninitialised, m_stream);
        }
    }
    return m;
}

template<class T>
void WaveDomain<T>::clear(Buffer<T>& block) const
{
    if (block.size() > 0) {
        backend().fillZero(block.data(), block.bytes(), m_stream.handle());
    }
}

template<class T>
kernels::ScalarState<T> WaveDomain<T>::state(const LayerMemory<T> (&memory)[3], const T* now, T* other) const
{
    kernels::ScalarState<T> s;
    s.layout = m_layout;
    s.c2 = m_c2.data();
    s.now = now;
    s.other = other;
    s.density = m_plan->variableDensity() ? m_density.data() : nullptr;
    for (int a = 0; a < 3; ++a) {
        s.axis[a] = m_axis[a];
        s.layer[a] = m_layer[a];
        s.layer[a].psi = memory[a].psi.data();
        s.layer[a].zeta = memory[a].zeta.data();
    }
    return s;
}

template<class T>
kernels::MirrorFaces<T> WaveDomain<T>::mirror(T* field) const
{
    kernels::MirrorFaces<T> body = m_mirror;
    body.field = field;
    return body;
}

// (c dt)^2 on the computed domain, made on the device. engine/inversion/model_gradient.h is the transpose.
template<class T>
void WaveDomain<T>::padModel(Buffer<T>& passing)
{
    const auto& v = m_plan->model.velocity().samples();
    m_c2 = Buffer<T>(m_device, static_cast<std::size_t>(m_layout.shotStride), "model", BlockSize::Exact,
                     BlockContent::Uninitialised, m_stream);
    auto body = makePadModel<T>(*m_plan, m_layout);
    body.c2 = m_c2.data();
    body.speed = reachable(v, passing);
    backend().pad(body, m_stream.handle());
}

template<class T>
const float* WaveDomain<T>::reachable(const std::vector<float>& samples, Buffer<T>& passing) const
{
    if (m_device->isHost()) {
        return samples.data();
    }
    void* const there = passing.data();
    backend().copyToDevice(there, samples.data(), samples.size() * sizeof(float), m_stream.handle(),
                           CopyPurpose::Setup);
    return static_cast<const float*>(there);
}

// After padModel.
template<class T>
void WaveDomain<T>::padDensity(Buffer<T>& passing)
{
    auto body = makePadDensity<T>(*m_plan, m_layout);
    body.model.c2 = m_c2.data();
    m_density = Buffer<T>(m_device, static_cast<std::size_t>(m_layout.shotStride), "model", BlockSize::Exact,
                          BlockContent::Uninitialised, m_stream);
    clear(m_density); // what is no row
    body.padded = m_density.data();
    body.density = reachable(m_plan->model.density().samples(), passing);
    backend().pad(body, m_stream.handle());
}

template<class T>
void WaveDomain<T>::makeLayers()
{
    const Grid& g = m_plan->model.grid();
    const double h[3] = {g.dz, g.dy, g.dx};
    const int n[3] = {m_plan->nz, m_plan->ny, m_plan->nx};
    const int r = m_plan->radius;
    for (int a = 0; a < 3; ++a) {
        const int low = m_plan->layerLow[a];
        const int high = m_plan->layerHigh[a];
        if (low + high == 0) {
            continue;
        }
        const auto p = layerProfile(n[a], low, high, r, h[a], m_plan->time.innerStep(), m_plan->vMax,
                                    m_plan->run.boundary.reflection, m_plan->layerFrequency);
        std::vector<T> all;
        for (const auto* one : {&p.a, &p.b, &p.aHalf, &p.bHalf}) {
            all.insert(all.end(), one->begin(), one->end());
        }
        m_profile[a] = uploaded(m_device, m_stream, all, "layer profiles");
        const auto length = p.a.size();
        kernels::AxisLayer<T>& layer = m_layer[a];
        layer.a = m_profile[a].data() + r;
        layer.b = m_profile[a].data() + length + static_cast<std::size_t>(r);
        layer.aHalf = m_profile[a].data() + 2 * length + static_cast<std::size_t>(r);
        layer.bHalf = m_profile[a].data() + 3 * length + static_cast<std::size_t>(r);
        kernels::placeSlab(layer, a, n, low, high, r);
    }
}

template<class T>
void DeviceInjection<T>::place(const WaveDomain<T>& domain, std::shared_ptr<const InjectionTable> table, const T* c2,
                               const char* label)
{
    m_table = std::move(table);
    const InjectionTable& t = *m_table;
    const std::size_t bytes = t.node.size() * 2 * sizeof(std::int64_t) + t.weight.size() * (sizeof(T) + sizeof(int)) +
                              t.begin.size() * sizeof(int);
    Lists lists(domain.device(), domain.stream(), m_lists, bytes, label, BlockSize::Bucket);
    m_body.c2 = c2;
    m_body.node = lists.add(t.node);
    m_body.modelNode = lists.add(t.modelNode);
    m_body.weight = lists.add(std::vector<T>(t.weight.begin(), t.weight.end()));
    m_body.begin = lists.add(t.begin);
    m_body.source = lists.add(t.source);
    m_body.nodes = static_cast<int>(t.node.size());
}

template<class T>
void DeviceRecording<T>::place(const WaveDomain<T>& domain, std::shared_ptr<const RecordingTable> table,
                               const char* label, BlockSize size)
{
    if (table == m_table) {
        return;
    }
    const RecordingTable& t = *table;
    Lists lists(domain.device(), domain.stream(), m_lists,
                t.node.size() * (sizeof(std::int64_t) + sizeof(T)) + t.begin.size() * sizeof(int), label, size);
    m_body.node = lists.add(t.node);
    m_body.weight = lists.add(std::vector<T>(t.weight.begin(), t.weight.end()));
    m_body.begin = lists.add(t.begin);
    m_body.receivers = static_cast<int>(t.begin.size()) - 1;
    m_table = std::move(table);
}

template class WaveDomain<float>;
template class WaveDomain<double>;
template class DeviceInjection<float>;
template class DeviceInjection<double>;
template class DeviceRecording<float>;
template class DeviceRecording<double>;

} // namespace ondo
