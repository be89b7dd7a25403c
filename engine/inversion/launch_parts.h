// Internal to launch_waves.cpp and adjoint_wave.cpp: buffers of a launch, made and read back.
#pragma once

#include "engine/inversion/launch_waves.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ondo {

template<class T>
Buffer<T> zeroed(const WaveDomain<T>& domain, std::size_t count, const char* label)
{
    return {domain.device(), std::max<std::size_t>(count, 1), label, BlockSize::Exact, BlockContent::Zeroed,
            domain.stream()};
}

template<class T>
std::vector<T> asComputed(const WaveDomain<T>& domain, const Buffer<T>& from)
{
    std::vector<T> raw(from.size());
    domain.backend().copyToHost(raw.data(), from.data(), from.bytes(), domain.stream().handle(),
                                kernels::CopyPurpose::Traces);
    domain.backend().synchronize(domain.stream().handle());
    return raw;
}

template<class T>
std::vector<double> readBack(const WaveDomain<T>& domain, const Buffer<T>& from)
{
    const std::vector<T> raw = asComputed(domain, from);
    return {raw.begin(), raw.end()};
}

// Of the launch: fields at rest.
template<class T>
void makeFields(const WaveDomain<T>& domain, int shots, Buffer<T> (&field)[2], LayerMemory<T> (&memory)[3])
{
    const auto count = static_cast<std::size_t>(shots);
    for (auto& f : field) {
        f = domain.field(count, "field");
        domain.clear(f);
    }
    for (int a = 0; a < 3; ++a) {
        memory[a] = domain.memory(a, count);
        domain.clear(memory[a].psi);
        domain.clear(memory[a].zeta);
    }
}

template<class T>
std::shared_ptr<const RecordingTable> slopesOf(const WaveDomain<T>& domain, const std::vector<PlacedPoint>& points,
                                               PointRole role)
{
    return std::make_shared<const RecordingTable>(makeSlopeRecording(domain.plan(), domain.layout(), points, role));
}

} // namespace ondo
