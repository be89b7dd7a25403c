#include "engine/propagator/propagator.h"

#include "engine/frame/plane_geometry.h"
#include "engine/propagator/domain.h"
#include "engine/propagator/model_picture.h"
#include "engine/propagator/point_table.h"
#include "engine/propagator/wavelet_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ondo {

namespace {

using kernels::CopyPurpose;

constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};

template<class T>
class PropagatorOf final : public Propagator {
public:
    PropagatorOf(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device, const Stream& stream)
        : m_plan(std::move(plan))
        , m_device(std::move(device))
        , m_stream(stream)
        , m_layout(makeLayout(*m_plan))
        , m_boxes(makeBoxes(*m_plan))
    {
        const auto batch = static_cast<std::size_t>(std::min<std::int64_t>(
            m_plan->run.shotsAtOnce, static_cast<std::int64_t>(m_plan->run.survey.shots.size())));
        const auto fieldSize = static_cast<std::size_t>(m_layout.shotStride) * batch;
        // begin() sets the state to zero.
        m_field[0] = stateBuffer(fieldSize, "field");
        m_field[1] = stateBuffer(fieldSize, "field");
        padModel();
        makeLayers(batch);
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

    void begin(int firstShot, int count) override
    {
        m_first = firstShot;
        m_count = count;
        m_step = 0;
        m_samples = 0;
        m_parity = 0;
        m_broken = false;
        auto& backend = m_device->backend();
        const auto fieldBytes =
            static_cast<std::size_t>(m_layout.shotStride) * static_cast<std::size_t>(count) * sizeof(T);
        backend.fillZero(m_field[0].data(), fieldBytes, m_stream.handle());
        backend.fillZero(m_field[1].data(), fieldBytes, m_stream.handle());
        for (auto& l : m_layers) {
            for (auto* b : {&l.psi, &l.zeta}) {
                if (b->size() > 0) {
                    backend.fillZero(b->data(), b->bytes(), m_stream.handle());
                }
            }
        }
        placeSurvey();
        uploadWavelets();
        uploadInjection();
        uploadRecording();
        m_probeOn = m_probeOn && count > 0;
        m_probeFirst = 0;
        m_probeCount = 0;
        recordRest();
    }

    int advance(int count, const std::atomic<bool>* stop) override
    {
        kernels::ScalarAdvance<T> args;
        args.count = count;
        args.stop = stop;
        args.step.state = state();
        args.step.order = m_plan->run.spaceOrder;
        args.step.shots = m_count;
        args.step.boxes = m_boxes.boxes.data();
        args.step.interiorBoxes = m_boxes.interior;
        args.step.layerBoxes = m_boxes.layers;
        args.step.mirrorBoxes = m_boxes.mirrors;
        args.step.mirror = m_mirror;
        args.step.mirror.field = now();
        // Only where a step takes tens of milliseconds: elsewhere a stop waits for it, and the field stays whole.
        const bool longStep = m_device->isHost() && m_layout.nodes() * m_count > 4'000'000;
        args.step.abandon = longStep ? m_abandon : nullptr;
        args.inject = m_inject;
        args.inject.step = m_step;
        args.ratio = m_plan->time.ratio;
        args.untilSample = args.ratio - static_cast<int>(m_step % args.ratio);
        args.samplesLeft = m_plan->time.count - m_samples;
        args.record[0] = receivers();
        args.record[1] = probe();
        args.injectNodes = m_injection->nodes();
        args.recordNodes[0] = m_recording->nodes();
        args.recordNodes[1] = m_probeTable.nodes();
        const auto [done, broken] = m_device->backend().advance(args, m_stream.handle());
        m_broken = broken;
        m_parity ^= done & 1;
        m_step += done;
        const int samples =
            std::min(args.samplesLeft, done < args.untilSample ? 0 : 1 + (done - args.untilSample) / args.ratio);
        m_samples += samples;
        m_probeCount += m_probeOn ? samples : 0;
        return done;
    }

    void setAbandon(const std::atomic<bool>* abandon) override { m_abandon = abandon; }
    [[nodiscard]] bool broken() const override { return m_broken; }
    [[nodiscard]] std::int64_t stepsDone() const override { return m_step; }
    [[nodiscard]] int samplesRecorded() const override { return m_samples; }
    [[nodiscard]] int receiverCount(int shot) const override
    {
        return static_cast<int>(m_plan->run.survey.shots[static_cast<std::size_t>(m_first + shot)].receivers.size());
    }

    void readTraces(int from, int to, std::vector<float>& out) override
    {
        readRows(m_traces, m_receivers.size(), from, to, CopyPurpose::Traces, out);
    }

    void readTraces(int from, int to, std::vector<double>& out) override
    {
        readRows(m_traces, m_receivers.size(), from, to, CopyPurpose::Traces, out);
    }

    void readState(int shot, std::vector<double>& present, std::vector<double>& before) override
    {
        readWhole(shot, now(), present);
        readWhole(shot, other(), before);
    }

    void writeState(int shot, const std::vector<double>& present, const std::vector<double>& before) override
    {
        writeWhole(shot, present, now());
        writeWhole(shot, before, other());
    }

    void readField(int shot, FieldFrame& out) override
    {
        const Grid& g = m_plan->model.grid();
        std::vector<T> raw(static_cast<std::size_t>(m_layout.shotStride));
        m_device->backend().copyToHost(raw.data(), now() + shot * m_layout.shotStride, raw.size() * sizeof(T),
                                       m_stream.handle(), CopyPurpose::Field);
        m_device->backend().synchronize(m_stream.handle());
        out.nz = g.nz;
        out.ny = g.ny;
        out.nx = g.nx;
        out.step = m_step;
        out.time = static_cast<double>(m_step) * m_plan->time.innerStep();
        out.values.resize(static_cast<std::size_t>(g.nodes()));
        std::size_t i = 0;
        for (int z = 0; z < g.nz; ++z) {
            for (int y = 0; y < g.ny; ++y) {
                const auto row = m_layout.at(z + m_plan->layerLow[0], y + m_plan->layerLow[1], m_plan->layerLow[2]);
                for (int x = 0; x < g.nx; ++x) {
                    out.values[i++] = static_cast<float>(raw[static_cast<std::size_t>(row + x)]);
                }
            }
        }
    }

    void addSource(int shot, const Position& position, const Wavelet& wavelet) override
    {
        m_sources.push_back({shot, position, static_cast<int>(m_wavelets.size())});
        m_wavelets.push_back({std::make_shared<const Wavelet>(wavelet), m_step});
        uploadWavelets();
        uploadInjection();
    }

    void moveSource(int shot, int source, const Position& position) override
    {
        int seen = 0;
        for (auto& s : m_sources) {
            if (s.shot == shot && seen++ == source) {
                s.position = position;
            }
        }
        uploadInjection();
    }

    void setProbe(const Position* position) override
    {
        m_probeOn = position != nullptr;
        m_probeFirst = m_samples;
        m_probeCount = 0;
        if (!m_probeOn) {
            return;
        }
        if (m_probeTraces.size() == 0) {
            m_probeTraces = buffer<T>(static_cast<std::size_t>(m_plan->time.count), "probe", BlockSize::Exact);
        }
        m_probeTable = makeRecording(*m_plan, m_layout, {{0, *position, 0}});
        upload(m_probeTable, m_probeLists, m_probe, "probe", BlockSize::Bucket);
    }
    [[nodiscard]] int probeFirstSample() const override { return m_probeFirst; }
    [[nodiscard]] int probeSamples() const override { return m_probeCount; }
    void readProbe(int from, int to, std::vector<float>& out) override
    {
        readRows(m_probeTraces, 1, from, to, CopyPurpose::Traces, out);
    }

    void paint(const PaintRequest& request) override
    {
        const auto& s = request.settings;
        const PlaneGeometry plane = fieldPlane(s);
        kernels::PaintField<T> body;
        if (s.showField) {
            body.field = plane.of<T>(now() + request.shot * m_layout.shotStride);
        }
        if (s.showModel || !s.showField) {
            body.model = m_modelPicture.plane(m_plan->model, s, m_device, m_stream);
        }
        body.window = pictureWindow(s, plane);
        body.style = pictureStyle(s, request.clip);
        body.style.fieldColours = request.fieldColours;
        body.style.modelColours = request.modelColours;
        body.out = request.pixels;
        body.pitch = s.frame.pixelsX;
        m_device->backend().paint(body, m_stream.handle());
    }

    void histogram(const PictureSettings& settings, int shot, unsigned* bins) override
    {
        const PlaneGeometry g = fieldPlane(settings);
        // Enough nodes for a percentile: on the host a quarter of a million, on a GPU four million.
        const std::int64_t most = m_device->isHost() ? 250'000 : 4'000'000;
        int skip = 1;
        while (std::int64_t{(g.rows + skip - 1) / skip} * ((g.columns + skip - 1) / skip) > most) {
            ++skip;
        }
        kernels::AmplitudeHistogram<T> body;
        body.field = {now() + shot * m_layout.shotStride + g.base, g.rowStride * skip, g.columnStride * skip,
                      (g.rows + skip - 1) / skip, (g.columns + skip - 1) / skip};
        body.bins = bins;
        m_device->backend().histogram(body, m_stream.handle());
    }

private:
    struct LayerMemory {
        Buffer<T> psi, zeta, profile;
        kernels::AxisLayer<T> view;
    };
    template<class U>
    Buffer<U> buffer(std::size_t count, const char* label, BlockSize size)
    {
        return Buffer<U>(m_device, count, label, size, BlockContent::Zeroed, m_stream);
    }

    Buffer<T> stateBuffer(std::size_t count, const char* label)
    {
        return Buffer<T>(m_device, count, label, BlockSize::Kept, BlockContent::Uninitialised, m_stream);
    }

    template<class U>
    Buffer<U> uploaded(const std::vector<U>& values, const char* label, BlockSize size = BlockSize::Bucket)
    {
        Buffer<U> b(m_device, std::max<std::size_t>(values.size(), 1), label, size, BlockContent::Uninitialised,
                    m_stream);
        if (!values.empty()) {
            m_device->backend().copyToDevice(b.data(), values.data(), values.size() * sizeof(U), m_stream.handle(),
                                             CopyPurpose::Setup);
        }
        return b;
    }

    // The lists of a table, one behind the other in one block; those of larger elements first, so that each lies where its
    // type may.
    class Lists {
    public:
        Lists(PropagatorOf& owner, Buffer<std::byte>& block, std::size_t bytes, const char* label, BlockSize size)
            : m_owner(owner)
        {
            block = {}; // so that the same block serves again
            block = Buffer<std::byte>(owner.m_device, bytes, label, size, BlockContent::Uninitialised, owner.m_stream);
            m_at = block.data();
        }

        template<class U>
        const U* add(const std::vector<U>& list)
        {
            void* const to = m_at;
            const std::size_t bytes = list.size() * sizeof(U);
            if (bytes > 0) {
                m_owner.m_device->backend().copyToDevice(to, list.data(), bytes, m_owner.m_stream.handle(),
                                                         CopyPurpose::Setup);
            }
            m_at += bytes;
            return static_cast<const U*>(to);
        }

    private:
        PropagatorOf& m_owner;
        std::byte* m_at = nullptr;
    };

    void upload(const RecordingTable& table, Buffer<std::byte>& block, kernels::RecordReceivers<T>& body,
                const char* label, BlockSize size)
    {
        Lists lists(*this, block,
                    table.node.size() * (sizeof(std::int64_t) + sizeof(T)) + table.begin.size() * sizeof(int), label,
                    size);
        body.node = lists.add(table.node);
        body.weight = lists.add(std::vector<T>(table.weight.begin(), table.weight.end()));
        body.begin = lists.add(table.begin);
        body.receivers = static_cast<int>(table.begin.size()) - 1;
    }

    T* now() const { return m_field[m_parity].data(); }
    T* other() const { return m_field[m_parity ^ 1].data(); }

    kernels::ScalarState<T> state()
    {
        kernels::ScalarState<T> s;
        s.layout = m_layout;
        s.c2 = m_c2.data();
        s.now = now();
        s.other = other();
        for (int a = 0; a < 3; ++a) {
            s.axis[a] = m_axis[a];
            s.layer[a] = m_layers[a].view;
            s.layer[a].psi = m_layers[a].psi.data();
            s.layer[a].zeta = m_layers[a].zeta.data();
        }
        return s;
    }

    // (c dt)^2 on the computed domain, made on the device. The user's grid passes through a field, which is cleared before it
    // is needed: no memory of its own.
    void padModel()
    {
        const auto& v = m_plan->model.velocity().samples();
        m_c2 = Buffer<T>(m_device, static_cast<std::size_t>(m_layout.shotStride), "model", BlockSize::Exact,
                         BlockContent::Uninitialised, m_stream);
        auto& backend = m_device->backend();
        auto body = makePadModel<T>(*m_plan, m_layout);
        body.c2 = m_c2.data();
        body.speed = v.data();
        if (!m_device->isHost()) {
            void* const passing = m_field[1].data();
            backend.copyToDevice(passing, v.data(), v.size() * sizeof(float), m_stream.handle(), CopyPurpose::Setup);
            body.speed = static_cast<const float*>(passing);
        }
        backend.pad(body, m_stream.handle());
    }

    void makeLayers(std::size_t batch)
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
            auto& layer = m_layers[a];
            const auto p = layerProfile(n[a], low, high, r, h[a], m_plan->time.innerStep(), m_plan->vMax,
                                        m_plan->run.boundary.reflection, m_plan->layerFrequency);
            std::vector<T> all;
            for (const auto* one : {&p.a, &p.b, &p.aHalf, &p.bHalf}) {
                all.insert(all.end(), one->begin(), one->end());
            }
            layer.profile = uploaded(all, "layer profiles");
            const auto length = p.a.size();
            layer.view.a = layer.profile.data() + r;
            layer.view.b = layer.profile.data() + length + static_cast<std::size_t>(r);
            layer.view.aHalf = layer.profile.data() + 2 * length + static_cast<std::size_t>(r);
            layer.view.bHalf = layer.profile.data() + 3 * length + static_cast<std::size_t>(r);

            kernels::placeSlab(layer.view, a, n, low, high, r);
            const auto size = static_cast<std::size_t>(layer.view.shot) * batch;
            layer.psi = stateBuffer(size, "layer memory");
            layer.zeta = stateBuffer(size, "layer memory");
        }
    }

    void placeSurvey()
    {
        m_sources.clear();
        m_wavelets.clear();
        m_receivers.clear();
        for (int s = 0; s < m_count; ++s) {
            const auto& shot = m_plan->run.survey.shots[static_cast<std::size_t>(m_first + s)];
            for (const auto& source : shot.sources) {
                m_sources.push_back({s, source.position, static_cast<int>(m_wavelets.size())});
                m_wavelets.push_back({{m_plan, &source.wavelet}, 0}); // the plan's own
            }
            for (const auto& receiver : shot.receivers) {
                m_receivers.push_back({s, receiver.position, 0});
            }
        }
    }

    void uploadWavelets()
    {
        const int steps = m_plan->time.innerSteps();
        const auto table = makeWaveletTable<T>(m_wavelets, m_plan->time.innerStep(), steps);
        m_waveletTable = {};
        m_waveletTable = uploaded(table, "wavelets");
        m_inject.wavelets = m_waveletTable.data();
        m_inject.waveletStride = steps;
    }

    void uploadInjection()
    {
        m_injection = injectionOf(*m_plan, m_layout, m_sources);
        const InjectionTable& table = *m_injection;
        const std::size_t bytes = table.node.size() * 2 * sizeof(std::int64_t) +
                                  table.weight.size() * (sizeof(T) + sizeof(int)) + table.begin.size() * sizeof(int);
        Lists lists(*this, m_injectLists, bytes, "sources", BlockSize::Bucket);
        m_inject.c2 = m_c2.data();
        m_inject.node = lists.add(table.node);
        m_inject.modelNode = lists.add(table.modelNode);
        m_inject.weight = lists.add(std::vector<T>(table.weight.begin(), table.weight.end()));
        m_inject.begin = lists.add(table.begin);
        m_inject.source = lists.add(table.source);
        m_inject.nodes = static_cast<int>(table.node.size());
    }

    void uploadRecording()
    {
        auto table = recordingOf(*m_plan, m_layout, m_receivers);
        if (table != m_recording) {
            upload(*table, m_recordLists, m_record, "receivers", BlockSize::Kept);
            m_recording = std::move(table);
        }
        const auto size = m_receivers.size() * static_cast<std::size_t>(m_plan->time.count);
        if (m_traces.size() != size && size > 0) {
            m_traces = {}; // before the next ones are asked for
            m_traces = buffer<T>(size, "traces", BlockSize::Exact);
        }
    }

    // Where the next sample of the receivers goes, and the probe's.
    kernels::RecordReceivers<T> receivers()
    {
        kernels::RecordReceivers<T> body = m_record;
        body.out = m_traces.data() + static_cast<std::size_t>(m_samples) * m_receivers.size();
        return body;
    }

    kernels::RecordReceivers<T> probe()
    {
        kernels::RecordReceivers<T> body;
        if (m_probeOn) {
            body = m_probe;
            body.out = m_probeTraces.data() + m_probeCount;
        }
        return body;
    }

    // The sample at t = 0: nothing moves yet.
    void recordRest()
    {
        for (kernels::RecordReceivers<T> body : {receivers(), probe()}) {
            if (body.receivers > 0) {
                body.field = now();
                m_device->backend().record(body, m_stream.handle());
            }
        }
        ++m_samples;
        m_probeCount += m_probeOn ? 1 : 0;
    }

    void readWhole(int shot, const T* field, std::vector<double>& out)
    {
        std::vector<T> raw(static_cast<std::size_t>(m_layout.shotStride));
        m_device->backend().copyToHost(raw.data(), field + shot * m_layout.shotStride, raw.size() * sizeof(T),
                                       m_stream.handle(), CopyPurpose::Field);
        m_device->backend().synchronize(m_stream.handle());
        out.clear();
        out.reserve(static_cast<std::size_t>(m_plan->paddedNodes()));
        for (int z = 0; z < m_plan->nz; ++z) {
            for (int y = 0; y < m_plan->ny; ++y) {
                const auto row = raw.begin() + m_layout.at(z, y, 0);
                out.insert(out.end(), row, row + m_plan->nx);
            }
        }
    }

    void writeWhole(int shot, const std::vector<double>& values, T* field)
    {
        std::vector<T> raw(static_cast<std::size_t>(m_layout.shotStride), T(0));
        std::size_t i = 0;
        for (int z = 0; z < m_plan->nz; ++z) {
            for (int y = 0; y < m_plan->ny; ++y) {
                for (int x = 0; x < m_plan->nx; ++x) {
                    raw[static_cast<std::size_t>(m_layout.at(z, y, x))] = static_cast<T>(values[i++]);
                }
            }
        }
        m_device->backend().copyToDevice(field + shot * m_layout.shotStride, raw.data(), raw.size() * sizeof(T),
                                         m_stream.handle(), CopyPurpose::Field);
        m_device->backend().synchronize(m_stream.handle());
    }

    template<class Out>
    void readRows(const Buffer<T>& from, std::size_t width, int first, int last, CopyPurpose purpose,
                  std::vector<Out>& out)
    {
        const std::size_t size = last > first ? static_cast<std::size_t>(last - first) * width : 0;
        out.resize(size); // touched while the device still computes
        if (size == 0) {
            return;
        }
        const auto bring = [&](T* to) {
            m_device->backend().copyToHost(to, from.data() + static_cast<std::size_t>(first) * width, size * sizeof(T),
                                           m_stream.handle(), purpose);
            m_device->backend().synchronize(m_stream.handle());
        };
        if constexpr (std::is_same_v<T, Out>) {
            bring(out.data());
        } else {
            std::vector<T> raw(size);
            bring(raw.data());
            std::transform(raw.begin(), raw.end(), out.begin(), [](T v) { return static_cast<Out>(v); });
        }
    }

    [[nodiscard]] PlaneGeometry fieldPlane(const PictureSettings& settings) const
    {
        const auto base = m_layout.at(m_plan->layerLow[0], m_plan->layerLow[1], m_plan->layerLow[2]);
        return planeGeometry(m_plan->model.grid(), settings, base, m_layout.strideZ, m_layout.strideY);
    }

    std::shared_ptr<const SimulationPlan> m_plan;
    std::shared_ptr<Device> m_device;
    const Stream& m_stream;
    kernels::Layout m_layout;
    DomainBoxes m_boxes;
    kernels::MirrorFaces<T> m_mirror;
    kernels::AxisCoefficients<T> m_axis[3];

    Buffer<T> m_field[2];
    Buffer<T> m_c2;
    ModelPicture m_modelPicture;
    LayerMemory m_layers[3];

    std::vector<PlacedPoint> m_sources, m_receivers;
    std::vector<TimedWavelet> m_wavelets;
    Buffer<T> m_waveletTable;
    std::shared_ptr<const InjectionTable> m_injection;
    std::shared_ptr<const RecordingTable> m_recording;
    RecordingTable m_probeTable;
    Buffer<std::byte> m_injectLists, m_recordLists, m_probeLists;
    Buffer<T> m_traces, m_probeTraces;
    kernels::InjectSources<T> m_inject;
    kernels::RecordReceivers<T> m_record, m_probe;

    int m_first = 0, m_count = 0;
    std::int64_t m_step = 0;
    int m_samples = 0;
    int m_parity = 0; // which field is `now`
    const std::atomic<bool>* m_abandon = nullptr;
    bool m_broken = false;
    bool m_probeOn = false;
    int m_probeFirst = 0, m_probeCount = 0;
};

} // namespace

std::unique_ptr<Propagator> Propagator::create(std::shared_ptr<const SimulationPlan> plan,
                                               std::shared_ptr<Device> device, const Stream& stream)
{
    if (plan->run.precision == Precision::Float64) {
        return std::make_unique<PropagatorOf<double>>(std::move(plan), std::move(device), stream);
    }
    return std::make_unique<PropagatorOf<float>>(std::move(plan), std::move(device), stream);
}

} // namespace ondo
