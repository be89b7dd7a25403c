// A problem of kernel_case.h on one backend: uploaded, stepped with injection and recording, read back.
#pragma once

#include "tests/parity/kernel_case.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace ondo::check {

// Memory of a backend, in elements of T; a copy of `values`, or zeros.
template<class T>
class Block {
public:
    Block(Backend& backend, StreamHandle stream, std::size_t count)
        : m_backend(backend)
        , m_stream(stream)
        , m_count(count)
        , m_data(static_cast<T*>(backend.allocate(std::max<std::size_t>(count, 1) * sizeof(T), stream)))
    {
        m_backend.fillZero(m_data, count * sizeof(T), stream);
    }
    Block(Backend& backend, StreamHandle stream, const std::vector<T>& values)
        : Block(backend, stream, values.size())
    {
        m_backend.copyToDevice(m_data, values.data(), values.size() * sizeof(T), stream, CopyPurpose::Setup);
    }
    ~Block() { m_backend.release(m_data, m_stream); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    [[nodiscard]] T* data() const { return m_data; }
    [[nodiscard]] std::vector<T> read(CopyPurpose purpose = CopyPurpose::Statistics) const
    {
        std::vector<T> values(m_count);
        m_backend.copyToHost(values.data(), m_data, m_count * sizeof(T), m_stream, purpose);
        m_backend.synchronize(m_stream);
        return values;
    }

private:
    Backend& m_backend;
    StreamHandle m_stream;
    std::size_t m_count;
    T* m_data;
};

template<class T>
struct Outcome {
    std::vector<T> now, before, traces;
    std::vector<T> kept, image; // of a gradient: compact, empty before keep() and stepBack()
    std::vector<T> psi[3], zeta[3];
};

// The largest difference as a share of the peak; infinite if there is a number that is none, which std::max would lose.
template<class T>
double errorOfPeak(const std::vector<T>& a, const std::vector<T>& b)
{
    double worst = a.size() == b.size() ? 0.0 : INFINITY;
    double peak = 0.0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const double d = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        worst = std::isnan(d) ? INFINITY : std::max(worst, d);
        peak = std::max(peak, std::abs(static_cast<double>(a[i])));
    }
    return peak > 0.0 && std::isfinite(worst) ? worst / peak : worst;
}

// Of all that a run leaves.
template<class T>
double errorOfPeak(const Outcome<T>& a, const Outcome<T>& b)
{
    double error =
        std::max({errorOfPeak(a.now, b.now), errorOfPeak(a.before, b.before), errorOfPeak(a.traces, b.traces),
                  errorOfPeak(a.kept, b.kept), errorOfPeak(a.image, b.image)});
    for (int axis = 0; axis < 3; ++axis) {
        error = std::max({error, errorOfPeak(a.psi[axis], b.psi[axis]), errorOfPeak(a.zeta[axis], b.zeta[axis])});
    }
    return error;
}

// Everything of a problem on a backend.
template<class T>
class Run {
public:
    Run(Backend& backend, StreamHandle stream, const Problem<T>& p)
        : m_backend(backend)
        , m_stream(stream)
        , m_problem(p)
        , m_c2(backend, stream, p.c2)
        , m_density(backend, stream, p.density)
        , m_now(backend, stream, p.now)
        , m_before(backend, stream, p.before)
        , m_injectNode(backend, stream, p.injectNode)
        , m_injectModelNode(backend, stream, p.injectModelNode)
        , m_recordNode(backend, stream, p.recordNode)
        , m_injectBegin(backend, stream, p.injectBegin)
        , m_injectSource(backend, stream, p.injectSource)
        , m_recordBegin(backend, stream, p.recordBegin)
        , m_injectWeight(backend, stream, p.injectWeight)
        , m_recordWeight(backend, stream, p.recordWeight)
        , m_wavelets(backend, stream, p.wavelets)
        , m_traces(backend, stream, static_cast<std::size_t>(p.c.steps) * static_cast<std::size_t>(receivers()))
    {
        m_args.state.layout = p.layout;
        m_args.state.c2 = m_c2.data();
        m_args.state.density = p.density.empty() ? nullptr : m_density.data();
        m_args.state.now = m_now.data();
        m_args.state.other = m_before.data();
        m_args.order = p.c.order;
        m_args.shots = p.c.shots;
        m_args.boxes = p.boxes.data();
        m_args.interiorBoxes = p.interiorBoxes;
        m_args.layerBoxes = p.layerBoxes;
        m_args.mirrorBoxes = p.mirrorBoxes;
        m_args.mirror.layout = p.layout;
        std::copy_n(p.odd, 6, m_args.mirror.odd);
        for (int axis = 0; axis < 3; ++axis) {
            m_args.state.axis[axis] = p.axis[axis];
            addLayer(axis);
        }
        m_backend.synchronize(stream);
    }

    void step() { stepOf(m_step++ % m_problem.c.steps, true); }
    // The same, with W kept as it goes.
    void stepKept()
    {
        makeCompact();
        m_args.kept = m_kept->data();
        m_args.compact = m_compact;
        step();
        m_args.kept = nullptr;
    }
    void stepAlone() { stepOf(0, false); }
    // Through Backend::advance, a sample each `ratio` steps; no more than the case's steps in all. every: W is kept of every so
    // many steps, in a series of its own; 0: of none; kAllOver: of each one, all over each other, to see what it costs.
    static constexpr int kAllOver = -1;
    void advance(int count, int ratio, int every = 0)
    {
        ScalarAdvance<T> args;
        args.step = m_args;
        args.step.mirror.field = const_cast<T*>(m_args.state.now);
        args.count = count;
        args.inject = injection(m_step);
        args.ratio = ratio;
        args.untilSample = ratio - m_step % ratio;
        const int taken = m_step / ratio;
        args.samplesLeft = m_problem.c.steps / ratio - taken;
        args.record[0] = recording(taken);
        args.injectNodes = {m_problem.injectNode.data(), nullptr, m_id};
        args.recordNodes[0] = {m_problem.recordNode.data(), m_problem.recordBegin.data(), m_id + 1};
        if (every != 0) {
            makeSeries(every);
            const int until = every > 0 ? (every - m_step % every) % every : 0;
            args.step.compact = m_compact;
            args.kept = {m_series->data(), 0, 1, 0};
            if (every > 0) {
                args.kept = {m_series->data() + (m_step + until) / every * m_seriesStride, m_seriesStride, every,
                             until};
            }
            args.injectKept = injection(m_step);
            args.injectKept.node = m_keptNode->data();
        }
        m_backend.advance(args, m_stream);
        m_step += count;
        if (count % 2 != 0) {
            swap();
        }
    }
    // The fields as those of an adjoint run, through Backend::retreat: from the case's last step back, the points of a step as
    // residuals each `ratio` steps and as sources; with W of every so many steps, which advance() left.
    void retreat(int count, int ratio, int every)
    {
        const int n = m_problem.c.steps - 1 - m_back;
        ScalarRetreat<T> args;
        makeSeries(every);
        args.step = backArgs();
        args.count = count;
        args.kept = {m_series->data(), 0, 1, 0};
        if (every > 0) {
            args.kept = {m_series->data() + n / every * m_seriesStride, -m_seriesStride, every, n % every};
        }
        args.inject = injection(n / ratio);
        args.ratio = ratio;
        args.untilSample = n % ratio + 1;
        args.samplesLeft = n;
        args.record[0] = recording(n - 1);
        args.injectNodes = {m_problem.injectNode.data(), nullptr, m_id};
        args.recordNodes[0] = {m_problem.recordNode.data(), m_problem.recordBegin.data(), m_id + 1};
        m_backend.retreat(args, m_stream);
        m_back += count;
        if (count % 2 != 0) {
            swap();
        }
    }

    // W of the step just done, by itself.
    void keep()
    {
        makeCompact();
        ScalarKeepArgs<T> args;
        args.state.s = m_args.state;
        args.state.s.now = m_args.state.other; // the field that the step was from
        args.state.compact = m_compact;
        args.state.kept = m_kept->data();
        args.order = m_args.order;
        args.shots = m_args.shots;
        args.boxes = m_args.boxes;
        args.interiorBoxes = m_args.interiorBoxes;
        args.layerBoxes = m_args.layerBoxes;
        m_backend.keep(args, m_stream);
    }

    // The fields as those of an adjoint run; with what keep() left, imaged or not; the points as receivers.
    void stepBack(bool imaged)
    {
        makeCompact();
        auto args = backArgs();
        args.state.kept = imaged ? m_kept->data() : nullptr;
        m_backend.stepBack(args, m_stream);
        injectAndRecord(m_step++ % m_problem.c.steps);
        swap();
    }

    // What a direction of the density adds to the other field, forwards also to W and the second memories, backwards to the
    // image; the direction is the density itself.
    void changeDensity(bool backwards)
    {
        makeCompact();
        ScalarTangentArgs<T> args;
        args.state.s = m_args.state;
        args.state.change = m_args.state.density;
        args.state.to = m_args.state.other;
        args.state.compact = m_compact;
        args.state.kept = m_kept->data();
        args.state.density.field = m_args.state.now;
        args.state.density.image = m_image->data();
        for (int axis = 0; axis < 3; ++axis) {
            args.state.zeta[axis] = m_args.state.layer[axis].zeta;
            args.state.density.psi[axis] = m_args.state.layer[axis].psi;
        }
        args.backwards = backwards;
        args.order = m_args.order;
        args.shots = m_args.shots;
        args.mirror = m_args.mirror;
        args.mirror.field = const_cast<T*>(m_args.state.now);
        args.boxes = m_args.boxes;
        args.interiorBoxes = m_args.interiorBoxes;
        args.layerBoxes = m_args.layerBoxes;
        args.mirrorBoxes = m_args.mirrorBoxes;
        m_backend.addDensityChange(args, m_stream);
    }

    // The other field is the present one.
    void swap()
    {
        ScalarState<T>& s = m_args.state;
        T* const now = const_cast<T*>(s.now);
        s.now = s.other;
        s.other = now;
    }

    // The layers alone, forwards; the interior stays as it was two steps ago.
    void stepLayers()
    {
        ScalarStepArgs<T> args = m_args;
        args.mirror.field = const_cast<T*>(args.state.now);
        args.boxes += args.interiorBoxes;
        args.interiorBoxes = 0;
        m_backend.step(args, m_stream);
        swap();
    }

    // The interior alone, onto the other field: taken back with W of the step, or as a step of the adjoint, which is of the same
    // form.
    void stepInteriorBack(bool keeping)
    {
        makeCompact();
        std::vector<Box> boxes(m_problem.boxes.begin(), m_problem.boxes.begin() + m_args.interiorBoxes);
        boxes.insert(boxes.end(), m_problem.boxes.end() - m_args.mirrorBoxes, m_problem.boxes.end());
        const auto fill = [&](auto& args) {
            args.state.s = m_args.state;
            args.state.compact = m_compact;
            args.order = m_args.order;
            args.shots = m_args.shots;
            args.mirror = m_args.mirror;
            args.mirror.field = const_cast<T*>(m_args.state.now);
            args.boxes = boxes.data();
            args.interiorBoxes = m_args.interiorBoxes;
            args.mirrorBoxes = m_args.mirrorBoxes;
        };
        if (keeping) {
            ScalarKeepArgs<T> args;
            fill(args);
            args.state.kept = m_kept->data();
            args.state.back = m_args.state.other;
            m_backend.keep(args, m_stream);
        } else {
            ScalarAdjointArgs<T> args;
            fill(args);
            m_backend.stepBack(args, m_stream);
        }
        swap();
    }

    // A step back of the adjoint, and under it the interior's step of `run` taken back, with the layers' W of stepKept(): in one,
    // or one after the other.
    void rewind(Run& run, bool within)
    {
        makeCompact();
        ScalarRewind<T> args;
        args.adjoint = backArgs();
        args.adjoint.state.kept = m_kept->data();
        args.now = run.m_args.state.now;
        args.other = run.m_args.state.other;
        args.mirror = m_args.mirror;
        args.mirror.field = const_cast<T*>(args.now);
        if (within) {
            m_backend.rewind(args, m_stream);
            run.swap();
        } else {
            run.m_compact = m_compact;
            run.m_kept = m_kept; // W of the interior comes where that of the layers is
            run.stepInteriorBack(true);
            run.m_kept = nullptr;
            m_backend.stepBack(args.adjoint, m_stream);
        }
        swap();
    }

    [[nodiscard]] Outcome<T> outcome() const
    {
        Outcome<T> o;
        if (m_kept != nullptr) {
            o.kept = (m_series != nullptr ? m_series : m_kept)->read();
            o.image = m_image->read();
        }
        const bool swapped = m_args.state.now != m_now.data();
        o.now = domainOf((swapped ? m_before : m_now).read());
        o.before = domainOf((swapped ? m_now : m_before).read());
        o.traces = m_traces.read(CopyPurpose::Traces);
        for (int axis = 0; axis < 3; ++axis) {
            if (m_layers[axis] != nullptr) {
                const Layer& l = *m_layers[axis];
                o.psi[axis] = l.psi.read();
                o.zeta[axis] = l.zeta.read();
            }
        }
        return o;
    }

private:
    struct Layer {
        Layer(Backend& backend, StreamHandle stream, const LayerCase<T>& l)
            : a(backend, stream, l.a)
            , b(backend, stream, l.b)
            , aHalf(backend, stream, l.aHalf)
            , bHalf(backend, stream, l.bHalf)
            , psi(backend, stream, l.psi)
            , zeta(backend, stream, l.zeta)
        {
        }
        Block<T> a, b, aHalf, bHalf, psi, zeta;
    };

    // Halos are scratch: a step makes them anew from the domain.
    [[nodiscard]] std::vector<T> domainOf(const std::vector<T>& whole) const
    {
        const Layout& l = m_problem.layout;
        std::vector<T> domain;
        for (int shot = 0; shot < m_problem.c.shots; ++shot) {
            for (int z = 0; z < l.nz; ++z) {
                for (int y = 0; y < l.ny; ++y) {
                    const auto row = whole.begin() + l.at(shot, z, y, 0);
                    domain.insert(domain.end(), row, row + l.nx);
                }
            }
        }
        return domain;
    }

    void makeCompact()
    {
        if (m_kept == nullptr) {
            const Layout& l = m_problem.layout;
            m_compact = Layout::make(l.rank, l.nz, l.ny, l.nx, 0);
            const auto size = static_cast<std::size_t>(m_compact.shotStride * m_problem.c.shots);
            m_kept = std::make_shared<Block<T>>(m_backend, m_stream, size);
            m_image = std::make_unique<Block<T>>(m_backend, m_stream, size);
        }
    }

    void makeSeries(int every)
    {
        if (m_series != nullptr) {
            return;
        }
        makeCompact();
        const Layout& l = m_problem.layout;
        m_seriesStride = m_compact.shotStride * m_problem.c.shots;
        m_series = std::make_shared<Block<T>>(
            m_backend, m_stream,
            static_cast<std::size_t>(m_seriesStride * (every > 0 ? (m_problem.c.steps + every - 1) / every : 1)));
        std::vector<std::int64_t> node;
        for (const std::int64_t i : m_problem.injectNode) {
            const auto shot = static_cast<int>(i / l.shotStride);
            const std::int64_t in = i % l.shotStride - l.lead;
            const auto z = static_cast<int>(in / l.strideZ);
            const auto y = static_cast<int>(l.rank == 3 ? in % l.strideZ / l.strideY : 0);
            const auto x = static_cast<int>(in - z * l.strideZ - (l.rank == 3 ? y * l.strideY : 0));
            node.push_back(m_compact.at(shot, z, y, x));
        }
        m_keptNode = std::make_unique<Block<std::int64_t>>(m_backend, m_stream, node);
        m_backend.synchronize(m_stream);
    }

    [[nodiscard]] ScalarAdjointArgs<T> backArgs() const
    {
        ScalarAdjointArgs<T> args;
        args.state.s = m_args.state;
        args.state.compact = m_compact;
        args.state.image = m_image->data();
        args.order = m_args.order;
        args.shots = m_args.shots;
        args.mirror = m_args.mirror;
        args.mirror.field = const_cast<T*>(m_args.state.now);
        args.boxes = m_args.boxes;
        args.interiorBoxes = m_args.interiorBoxes;
        args.layerBoxes = m_args.layerBoxes;
        args.mirrorBoxes = m_args.mirrorBoxes;
        return args;
    }

    [[nodiscard]] int receivers() const { return static_cast<int>(m_problem.recordBegin.size()) - 1; }

    void addLayer(int axis)
    {
        const LayerCase<T>& l = m_problem.layer[axis];
        if (l.a.empty()) {
            return;
        }
        m_layers[axis] = std::make_unique<Layer>(m_backend, m_stream, l);
        AxisLayer<T>& on = m_args.state.layer[axis];
        const int radius = m_problem.layout.radius;
        on = l.shape;
        on.a = m_layers[axis]->a.data() + radius;
        on.b = m_layers[axis]->b.data() + radius;
        on.aHalf = m_layers[axis]->aHalf.data() + radius;
        on.bHalf = m_layers[axis]->bHalf.data() + radius;
        on.psi = m_layers[axis]->psi.data();
        on.zeta = m_layers[axis]->zeta.data();
    }

    void stepOf(int n, bool points)
    {
        ScalarState<T>& s = m_args.state;
        m_args.mirror.field = const_cast<T*>(s.now);
        m_backend.step(m_args, m_stream);
        if (points) {
            injectAndRecord(n);
        }
        swap();
    }

    [[nodiscard]] InjectSources<T> injection(int n) const
    {
        InjectSources<T> inject;
        inject.c2 = m_c2.data();
        inject.node = m_injectNode.data();
        inject.modelNode = m_injectModelNode.data();
        inject.begin = m_injectBegin.data();
        inject.source = m_injectSource.data();
        inject.weight = m_injectWeight.data();
        inject.wavelets = m_wavelets.data();
        inject.waveletStride = m_problem.c.steps;
        inject.step = n;
        inject.nodes = static_cast<int>(m_problem.injectNode.size());
        return inject;
    }

    [[nodiscard]] RecordReceivers<T> recording(int row) const
    {
        RecordReceivers<T> record;
        record.begin = m_recordBegin.data();
        record.node = m_recordNode.data();
        record.weight = m_recordWeight.data();
        record.out = m_traces.data() + std::int64_t{row} * receivers();
        record.receivers = receivers();
        return record;
    }

    void injectAndRecord(int n)
    {
        InjectSources<T> inject = injection(n);
        inject.field = m_args.state.other;
        m_backend.inject(inject, m_stream);
        RecordReceivers<T> record = recording(n);
        record.field = m_args.state.other;
        m_backend.record(record, m_stream);
    }

    Backend& m_backend;
    StreamHandle m_stream;
    const Problem<T>& m_problem;
    Block<T> m_c2, m_density, m_now, m_before;
    Block<std::int64_t> m_injectNode, m_injectModelNode, m_recordNode;
    Block<int> m_injectBegin, m_injectSource, m_recordBegin;
    Block<T> m_injectWeight, m_recordWeight, m_wavelets, m_traces;
    std::unique_ptr<Layer> m_layers[3];
    Layout m_compact;
    std::shared_ptr<Block<T>> m_kept, m_series; // W of one step, of many
    std::unique_ptr<Block<T>> m_image;
    std::unique_ptr<Block<std::int64_t>> m_keptNode;
    std::int64_t m_seriesStride = 0;
    ScalarStepArgs<T> m_args;
    int m_step = 0, m_back = 0;
    static inline std::uint64_t s_lists = 0;
    std::uint64_t m_id = s_lists += 2;
};

} // namespace ondo::check
