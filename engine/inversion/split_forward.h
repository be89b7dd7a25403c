// A forward run in two parts, for the tape that takes the interior's steps back and steps the layers again
// (engine/tape/boundary_tape.cpp). Internal to engine/inversion. One thread at a time.
#pragma once

#include "engine/propagator/wave_domain.h"
#include "engine/tape/tape.h"

#include <vector>

namespace ondo {

// Where the interior ends at a layer: its own nodes as deep as a stencil reaches, and as many of the layer's. Stencils are
// stars, so that no corners are wanted. No node is in two boxes: as fewer bits they would give it two values, and which one
// stays would be chance.
struct SplitBoxes {
    std::vector<kernels::Box> rim, edge;

    SplitBoxes(const DomainBoxes& all, int radius);
};

// memories: numbers of the layers' memories, of all shots.
[[nodiscard]] SplitSizes splitSizes(const SimulationPlan& plan, std::size_t shots, std::size_t memories);

template<class T>
class ForwardWave;

template<class T>
class SplitForward final : public SplitWave {
public:
    explicit SplitForward(ForwardWave<T>& run);

    [[nodiscard]] SplitSizes sizes() const override;
    void saveRim(void* to) override;
    void saveShell(void* to) override;
    void keepShell(bool ofShell, const void* whole, void* kept, void* edge) override;
    void restoreShell(const void* from) override;
    void stepShell(int n, const void* rim, void* whole) override;
    void rewind(int n, const void* edge, const void* shell, void* to) override;
    [[nodiscard]] bool rewindsWithin() const override;
    void layForRewind(const void* edge, const void* shell, void* to) override;

private:
    void toBlock(const std::vector<kernels::Box>& boxes, const kernels::Layout& layout, const T* field,
                 void* block) const;
    void toField(const std::vector<kernels::Box>& boxes, const kernels::Layout& layout, T* field,
                 const void* block) const;
    // Where density varies, of the shell or the whole: p(n) and the first memories from what is kept of the whole to a block,
    // and back beside the interior's p(n).
    void densityToBlock(const T* whole, T* block) const;
    void densityFromBlock(T* present, T* whole, const T* block) const;
    // Numbers of so many boxes, of all shots.
    [[nodiscard]] std::size_t numbers(const std::vector<kernels::Box>& boxes) const;
    // The interior's step taken back, onto p(n + 1), without the sources. W(n) to `to`, if it is not null.
    void stepInterior(T* present, T* to);
    // Calls visit(part, bytes) for the layers' memories, which both parts share: the run is over when the shell steps.
    template<class Visit>
    void forMemories(const Visit& visit) const;

    ForwardWave<T>& m_run;
    WaveDomain<T>& m_domain;
    SplitBoxes m_boxes;
    std::vector<kernels::Box> m_shell;
    Buffer<T> m_field[2]; // the shell's: [m_parity] is p(n)
    int m_parity = 0;
};

extern template class SplitForward<float>;
extern template class SplitForward<double>;

} // namespace ondo
