#include "engine/propagator/propagator.h"

#include "engine/frame/plane_geometry.h"
#include "engine/propagator/model_picture.h"
#include "engine/propagator/wave_domain.h"
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

template<class T>
class PropagatorOf final : public Propagator {
public:
    PropagatorOf(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device, const Stream& stream)
        : m_plan(plan)
        , m_device(device)
        , m_stream(stream)
        , m_domain(std::move(plan), std::move(device), stream)
        , m_layout(m_domain.layout())
    {
        // begin() sets the state to zero.
        m_field[0] = m_domain.field(m_domain.batch(), "field");
        m_field[1] = m_domain.field(m_domain.batch(), "field");
        m_domain.upload(m_field[1]);
        for (int a = 0; a < 3; ++a) {
            m_memory[a] = m_domain.memory(a, m_domain.batch());
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
        for (auto& m : m_memory) {
            m_domain.clear(m.psi);
            m_domain.clear(m.zeta);
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
        args.step.state = m_domain.state(m_memory, now(), other());
        args.step.order = m_plan->run.spaceOrder;
        args.step.shots = m_count;
        args.step.boxes = m_domain.boxes().boxes.data();
        args.step.interiorBoxes = m_domain.boxes().interior;
        args.step.layerBoxes = m_domain.boxes().layers;
        args.step.mirrorBoxes = m_domain.boxes().mirrors;
        args.step.mirror = m_domain.mirror(now());
        // Only where a step takes tens of milliseconds: elsewhere a stop waits for it, and the field stays whole.
        const bool longStep = m_device->isHost() && m_layout.nodes() * m_count > 4'000'000;
        args.step.abandon = longStep ? m_abandon : nullptr;
        args.inject = m_injection.body();
        args.inject.wavelets = m_waveletTable.data();
        args.inject.waveletStride = m_plan->time.innerSteps();
        args.inject.step = m_step;
        args.ratio = m_plan->time.ratio;
        args.untilSample = args.ratio - static_cast<int>(m_step % args.ratio);
        args.samplesLeft = m_plan->time.count - m_samples;
        args.record[0] = receivers();
        args.record[1] = probe();
        args.injectNodes = m_injection.nodes();
        args.recordNodes[0] = m_recording.nodes();
        args.recordNodes[1] = m_probeRecording.nodes();
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
        auto table = makeRecording(*m_plan, m_layout, {{0, *position, 0}});
        m_probeRecording.place(m_domain, std::make_shared<const RecordingTable>(std::move(table)), "probe",
                               BlockSize::Bucket);
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
    template<class U>
    Buffer<U> buffer(std::size_t count, const char* label, BlockSize size)
    {
        return Buffer<U>(m_device, count, label, size, BlockContent::Zeroed, m_stream);
    }

    T* now() const { return m_field[m_parity].data(); }
    T* other() const { return m_field[m_parity ^ 1].data(); }

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
        m_waveletTable = {}; // before the next one is asked for
        m_waveletTable = uploaded(m_device, m_stream, table, "wavelets");
    }

    void uploadInjection()
    {
        m_injection.place(m_domain, injectionOf(*m_plan, m_layout, m_sources, PointRole::Source), m_domain.c2(),
                          "sources");
    }

    void uploadRecording()
    {
        m_recording.place(m_domain, recordingOf(*m_plan, m_layout, m_receivers), "receivers", BlockSize::Kept);
        const auto size = m_receivers.size() * static_cast<std::size_t>(m_plan->time.count);
        if (m_traces.size() != size && size > 0) {
            m_traces = {}; // before the next ones are asked for
            m_traces = buffer<T>(size, "traces", BlockSize::Exact);
        }
    }

    // Where the next sample of the receivers goes, and the probe's.
    kernels::RecordReceivers<T> receivers()
    {
        kernels::RecordReceivers<T> body = m_recording.body();
        body.out = m_traces.data() + static_cast<std::size_t>(m_samples) * m_receivers.size();
        return body;
    }

    kernels::RecordReceivers<T> probe()
    {
        kernels::RecordReceivers<T> body;
        if (m_probeOn) {
            body = m_probeRecording.body();
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
    WaveDomain<T> m_domain;
    kernels::Layout m_layout;

    Buffer<T> m_field[2];
    ModelPicture m_modelPicture;
    LayerMemory<T> m_memory[3];

    std::vector<PlacedPoint> m_sources, m_receivers;
    std::vector<TimedWavelet> m_wavelets;
    Buffer<T> m_waveletTable;
    DeviceInjection<T> m_injection;
    DeviceRecording<T> m_recording, m_probeRecording;
    Buffer<T> m_traces, m_probeTraces;

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
