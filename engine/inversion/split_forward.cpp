#include "engine/inversion/split_forward.h"

#include "engine/inversion/launch_waves.h"

#include <algorithm>

namespace ondo {

using kernels::Box;

namespace {

struct Ends {
    int from, to;
};

Ends endsOf(const Box& b, int axis)
{
    return axis == kernels::kZ ? Ends{b.z0, b.z1} : axis == kernels::kY ? Ends{b.y0, b.y1} : Ends{b.x0, b.x1};
}

Box withEnds(Box b, int axis, Ends ends)
{
    (axis == kernels::kZ ? b.z0 : axis == kernels::kY ? b.y0 : b.x0) = ends.from;
    (axis == kernels::kZ ? b.z1 : axis == kernels::kY ? b.y1 : b.x1) = ends.to;
    return b;
}

std::size_t nodesOf(const Box* boxes, std::size_t count)
{
    std::size_t nodes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        nodes += static_cast<std::size_t>(boxes[i].nodes());
    }
    return nodes;
}

} // namespace

SplitBoxes::SplitBoxes(const DomainBoxes& all, int radius)
{
    if (all.interior == 0) {
        return;
    }
    const Box& inside = all.boxes.front();
    Box left = inside; // of which no rim has been taken
    for (int axis = 0; axis < 3; ++axis) {
        const Ends ends = endsOf(inside, axis);
        const Box* const first = all.boxes.data() + all.interior;
        const auto layerAt = [&](int side) {
            return std::any_of(first, first + all.layers, [&](const Box& b) { return b.side[axis] == side; });
        };
        Ends rest = ends;
        if (layerAt(kernels::kLow)) {
            rest.from = std::min(ends.to, ends.from + radius);
            rim.push_back(withEnds(left, axis, {ends.from, rest.from}));
            edge.push_back(withEnds(inside, axis, {ends.from - radius, ends.from}));
        }
        if (layerAt(kernels::kHigh)) {
            rest.to = std::max(rest.from, ends.to - radius);
            rim.push_back(withEnds(left, axis, {rest.to, ends.to}));
            edge.push_back(withEnds(inside, axis, {ends.to, ends.to + radius}));
        }
        left = withEnds(left, axis, rest);
    }
}

SplitSizes splitSizes(const SimulationPlan& plan, std::size_t shots, std::size_t memories)
{
    const DomainBoxes all = makeBoxes(plan);
    const SplitBoxes boxes(all, plan.radius);
    SplitSizes sizes;
    sizes.rim = shots * nodesOf(boxes.rim.data(), boxes.rim.size());
    sizes.edge = shots * nodesOf(boxes.edge.data(), boxes.edge.size());
    sizes.shell = shots * nodesOf(all.boxes.data() + all.interior, static_cast<std::size_t>(all.layers));
    const KeptParts parts(plan, shots);
    sizes.shellKept = sizes.shell + (parts.field > 0 ? sizes.shell : 0) + parts.psi[0] + parts.psi[1] + parts.psi[2];
    sizes.shellState = 2 * sizes.shell + memories;
    sizes.fields = 2 * shots * static_cast<std::size_t>(makeLayout(plan).shotStride);
    return sizes;
}

template<class T>
SplitForward<T>::SplitForward(ForwardWave<T>& run)
    : m_run(run)
    , m_domain(run.m_domain)
    , m_boxes(m_domain.boxes(), m_domain.plan().radius)
{
    const DomainBoxes& all = m_domain.boxes();
    m_shell.assign(all.boxes.begin() + all.interior, all.boxes.begin() + all.interior + all.layers);
}

template<class T>
template<class Visit>
void SplitForward<T>::forMemories(const Visit& visit) const
{
    for (const auto& m : m_run.m_memory) {
        for (const auto* b : {&m.psi, &m.zeta}) {
            if (b->size() > 0) {
                visit(b->data(), b->bytes());
            }
        }
    }
}

template<class T>
std::size_t SplitForward<T>::numbers(const std::vector<Box>& boxes) const
{
    return nodesOf(boxes.data(), boxes.size()) * static_cast<std::size_t>(m_run.m_shots);
}

template<class T>
SplitSizes SplitForward<T>::sizes() const
{
    std::size_t memories = 0;
    forMemories([&memories](const T*, std::size_t bytes) { memories += bytes / sizeof(T); });
    return splitSizes(m_domain.plan(), static_cast<std::size_t>(m_run.m_shots), memories);
}

template<class T>
void SplitForward<T>::toBlock(const std::vector<Box>& boxes, const kernels::Layout& layout, const T* field,
                              void* block) const
{
    const kernels::BoxCopy<T> args{layout,
                                   m_run.m_shots,
                                   boxes.data(),
                                   static_cast<int>(boxes.size()),
                                   const_cast<T*>(field), // read only
                                   static_cast<T*>(block),
                                   true};
    m_domain.backend().copyBoxes(args, m_domain.stream().handle());
}

template<class T>
void SplitForward<T>::toField(const std::vector<Box>& boxes, const kernels::Layout& layout, T* field,
                              const void* block) const
{
    const kernels::BoxCopy<T> args{layout,       m_run.m_shots,
                                   boxes.data(), static_cast<int>(boxes.size()),
                                   field,        const_cast<T*>(static_cast<const T*>(block)),
                                   false};
    m_domain.backend().copyBoxes(args, m_domain.stream().handle());
}

template<class T>
void SplitForward<T>::saveRim(void* to)
{
    toBlock(m_boxes.rim, m_domain.layout(), m_run.now(), to);
}

template<class T>
void SplitForward<T>::saveShell(void* to)
{
    T* at = static_cast<T*>(to);
    for (T* const field : {m_run.now(), m_run.other()}) {
        toBlock(m_shell, m_domain.layout(), field, at);
        at += numbers(m_shell);
    }
    forMemories([&](const T* part, std::size_t bytes) {
        m_domain.backend().copyOnDevice(at, part, bytes, m_domain.stream().handle());
        at += bytes / sizeof(T);
    });
}

template<class T>
void SplitForward<T>::restoreShell(const void* from)
{
    if (m_field[0].size() == 0) {
        for (auto& f : m_field) {
            f = m_domain.field(static_cast<std::size_t>(m_run.m_shots), "shell");
            m_domain.clear(f);
        }
    }
    m_parity = 0;
    const T* at = static_cast<const T*>(from);
    for (const auto& field : m_field) {
        toField(m_shell, m_domain.layout(), field.data(), at);
        at += numbers(m_shell);
    }
    forMemories([&](T* part, std::size_t bytes) {
        m_domain.backend().copyOnDevice(part, at, bytes, m_domain.stream().handle());
        at += bytes / sizeof(T);
    });
}

template<class T>
void SplitForward<T>::stepShell(int n, const void* rim, void* whole)
{
    T* const now = m_field[m_parity].data();
    toField(m_boxes.rim, m_domain.layout(), now, rim);
    m_run.stepFields(now, m_field[m_parity ^ 1].data(), n, true, static_cast<T*>(whole));
    m_parity ^= 1;
}

template<class T>
void SplitForward<T>::keepShell(bool ofShell, const void* whole, void* kept, void* edge)
{
    T* const from = ofShell ? m_field[m_parity ^ 1].data() : m_run.other(); // p(n)
    toBlock(m_boxes.edge, m_domain.layout(), from, edge);
    if (kept != nullptr) {
        toBlock(m_shell, m_run.m_compact, static_cast<const T*>(whole), kept);
        if (m_domain.plan().variableDensity()) {
            densityToBlock(static_cast<const T*>(whole), static_cast<T*>(kept) + numbers(m_shell));
        }
    }
}

template<class T>
void SplitForward<T>::densityToBlock(const T* whole, T* block) const
{
    const KeptParts parts(m_domain.plan(), static_cast<std::size_t>(m_run.m_shots));
    const T* const field = whole + parts.sum;
    toBlock(m_shell, m_domain.layout(), field, block);
    m_domain.backend().copyOnDevice(block + numbers(m_shell), field + parts.field,
                                    (parts.numbers() - parts.sum - parts.field) * sizeof(T),
                                    m_domain.stream().handle());
}

template<class T>
void SplitForward<T>::densityFromBlock(T* present, T* whole, const T* block) const
{
    const KeptParts parts(m_domain.plan(), static_cast<std::size_t>(m_run.m_shots));
    T* const field = whole + parts.sum;
    kernels::Backend& backend = m_domain.backend();
    backend.copyOnDevice(field, present, parts.field * sizeof(T), m_domain.stream().handle());
    toField(m_shell, m_domain.layout(), field, block);
    backend.copyOnDevice(field + parts.field, block + numbers(m_shell),
                         (parts.numbers() - parts.sum - parts.field) * sizeof(T), m_domain.stream().handle());
    // The halo of both together: a step of no nodes but the faces'.
    const DomainBoxes& all = m_domain.boxes();
    kernels::ScalarKeepArgs<T> args;
    args.state.s = m_domain.state(m_run.m_memory, field, nullptr);
    args.state.compact = m_run.m_compact;
    args.order = m_domain.plan().run.spaceOrder;
    args.shots = m_run.m_shots;
    args.mirror = m_domain.mirror(field);
    args.boxes = all.boxes.data() + all.interior + all.layers;
    args.mirrorBoxes = all.mirrors;
    backend.keep(args, m_domain.stream().handle());
}

template<class T>
void SplitForward<T>::stepInterior(T* present, T* to)
{
    // The interior, then the faces: boxes that are not the layers'.
    const DomainBoxes& all = m_domain.boxes();
    std::vector<Box> boxes(all.boxes);
    boxes.erase(boxes.begin() + all.interior, boxes.begin() + all.interior + all.layers);
    const auto fill = [&](auto& args) {
        args.state.s = m_domain.state(m_run.m_memory, present, m_run.now());
        args.state.compact = m_run.m_compact;
        args.order = m_domain.plan().run.spaceOrder;
        args.shots = m_run.m_shots;
        args.mirror = m_domain.mirror(present);
        args.boxes = boxes.data();
        args.interiorBoxes = all.interior;
        args.mirrorBoxes = all.mirrors;
    };
    if (to != nullptr) {
        kernels::ScalarKeepArgs<T> args;
        fill(args);
        args.state.kept = to;
        args.state.back = m_run.now();
        m_domain.backend().keep(args, m_domain.stream().handle());
    } else {
        // The adjoint's step without an image is the forward's: the same stencil, no layer.
        kernels::ScalarAdjointArgs<T> args;
        fill(args);
        m_domain.backend().stepBack(args, m_domain.stream().handle());
    }
}

template<class T>
void SplitForward<T>::rewind(int n, const void* edge, const void* shell, void* to)
{
    T* const present = m_run.other(); // p(n)
    T* const whole = static_cast<T*>(to);
    toField(m_boxes.edge, m_domain.layout(), present, edge);
    stepInterior(present, whole);
    m_run.injectInto(m_run.now(), n);
    if (whole != nullptr) {
        if (!m_domain.plan().variableDensity()) {
            m_run.injectKept(whole, n);
        }
        toField(m_shell, m_run.m_compact, whole, shell);
        if (m_domain.plan().variableDensity()) {
            densityFromBlock(present, whole, static_cast<const T*>(shell) + numbers(m_shell));
        }
    }
    m_run.m_parity ^= 1;
}

template<class T>
bool SplitForward<T>::rewindsWithin() const
{
    const SimulationPlan& plan = m_domain.plan();
    return m_domain.boxes().interior > 0 && !plan.variableDensity() &&
           m_domain.backend().rewindsWithin(m_domain.layout(), plan.run.spaceOrder, sizeof(T));
}

template<class T>
void SplitForward<T>::layForRewind(const void* edge, const void* shell, void* to)
{
    toField(m_boxes.edge, m_domain.layout(), m_run.other(), edge);
    toField(m_shell, m_run.m_compact, static_cast<T*>(to), shell);
}

template class SplitForward<float>;
template class SplitForward<double>;

} // namespace ondo
