#include "engine/propagator/wave_domain.h"

#include <algorithm>
#include <utility>

namespace ondo {

using kernels::CopyPurpose;

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
void WaveDomain<T>::upload()
{
    uploadModel();
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

// (c dt)^2 on the computed domain: edge values continue into the layers; 0 on free faces. engine/inversion/speed_gradient.h
// is the transpose.
template<class T>
void WaveDomain<T>::uploadModel()
{
    const Grid& g = m_plan->model.grid();
    const auto& v = m_plan->model.velocity().samples();
    const double dt = m_plan->time.innerStep();
    std::vector<T> c2(static_cast<std::size_t>(m_layout.shotStride), T(0));
    const auto isFree = [&](Face f) { return m_plan->run.boundary.at(f) == FaceCondition::Free; };
    const int low = m_plan->layerLow[2];
    for (int z = 0; z < m_plan->nz; ++z) {
        const int uz = std::clamp(z - m_plan->layerLow[0], 0, g.nz - 1);
        const bool freeZ = (z == 0 && isFree(Face::ZLow)) || (z == m_plan->nz - 1 && isFree(Face::ZHigh));
        for (int y = 0; y < m_plan->ny; ++y) {
            const int uy = std::clamp(y - m_plan->layerLow[1], 0, g.ny - 1);
            if (freeZ ||
                (g.rank == 3 && ((y == 0 && isFree(Face::YLow)) || (y == m_plan->ny - 1 && isFree(Face::YHigh))))) {
                continue;
            }
            const float* speed = v.data() + (std::int64_t{uz} * g.ny + uy) * g.nx;
            T* row = c2.data() + m_layout.at(z, y, 0);
            std::transform(speed, speed + g.nx, row + low,
                           [dt](double c) { return static_cast<T>(c * dt * (c * dt)); });
            std::fill(row, row + low, row[low]);
            std::fill(row + low + g.nx, row + m_plan->nx, row[low + g.nx - 1]);
            row[0] = isFree(Face::XLow) ? T(0) : row[0];
            row[m_plan->nx - 1] = isFree(Face::XHigh) ? T(0) : row[m_plan->nx - 1];
        }
    }
    m_c2 = Buffer<T>(m_device, c2.size(), "model", BlockSize::Exact, BlockContent::Zeroed, m_stream);
    backend().copyToDevice(m_c2.data(), c2.data(), m_c2.bytes(), m_stream.handle(), CopyPurpose::Setup);
    backend().synchronize(m_stream.handle());
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
        std::vector<double> all = p.a;
        all.insert(all.end(), p.b.begin(), p.b.end());
        all.insert(all.end(), p.aHalf.begin(), p.aHalf.end());
        all.insert(all.end(), p.bHalf.begin(), p.bHalf.end());
        m_profile[a] = uploaded(m_device, m_stream, converted<T>(all), "layer profiles");
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
void DeviceInjection<T>::place(const WaveDomain<T>& domain, InjectionTable table, const T* c2, const char* label)
{
    const auto up = [&](const auto& values) { return uploaded(domain.device(), domain.stream(), values, label); };
    m_node = up(table.node);
    m_modelNode = up(table.modelNode);
    m_begin = up(table.begin);
    m_source = up(table.source);
    m_weight = up(converted<T>(table.weight));
    m_body.c2 = c2;
    m_body.node = m_node.data();
    m_body.modelNode = m_modelNode.data();
    m_body.begin = m_begin.data();
    m_body.source = m_source.data();
    m_body.weight = m_weight.data();
    m_body.nodes = static_cast<int>(table.node.size());
    m_host.keep(std::move(table.node), {});
}

template<class T>
void DeviceRecording<T>::place(const WaveDomain<T>& domain, RecordingTable table, const char* label, BlockSize size)
{
    m_begin = uploaded(domain.device(), domain.stream(), table.begin, label);
    m_node = uploaded(domain.device(), domain.stream(), table.node, label, size);
    m_weight = uploaded(domain.device(), domain.stream(), converted<T>(table.weight), label, size);
    m_body.begin = m_begin.data();
    m_body.node = m_node.data();
    m_body.weight = m_weight.data();
    m_body.receivers = static_cast<int>(table.begin.size()) - 1;
    m_host.keep(std::move(table.node), std::move(table.begin));
}

template class WaveDomain<float>;
template class WaveDomain<double>;
template class DeviceInjection<float>;
template class DeviceInjection<double>;
template class DeviceRecording<float>;
template class DeviceRecording<double>;

} // namespace ondo
