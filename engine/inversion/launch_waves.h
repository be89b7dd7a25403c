// The two runs of a launch of shots that a gradient is made of: the forward one, which a tape can step again, and the adjoint
// one, backwards in time, with imaging in its step. Device state; work is queued on the domain's stream, failures throw
// BackendError. Internal to engine/inversion, and to engine/bench, which times it. One thread at a time.
#pragma once

#include "engine/inversion/misfit.h"
#include "engine/inversion/split_forward.h"
#include "engine/propagator/wave_domain.h"
#include "engine/tape/tape.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace ondo {

// Shots [first, first + count) of a plan, with their points in the order of the tables.
struct LaunchSurvey {
    int first = 0, count = 0;
    std::vector<PlacedPoint> sources, receivers; // row: index within the launch
    std::vector<const Source*> source;           // of each row

    LaunchSurvey(const SimulationPlan& plan, int firstShot, int shots);
    // Rows [begin, end) of a shot's sources or receivers.
    [[nodiscard]] std::pair<int, int> sourcesOf(int shot) const { return rowsOf(sources, shot); }
    [[nodiscard]] std::pair<int, int> receiversOf(int shot) const { return rowsOf(receivers, shot); }

private:
    [[nodiscard]] static std::pair<int, int> rowsOf(const std::vector<PlacedPoint>& points, int shot);
};

// The layout of W and of the image: the domain's without a halo.
[[nodiscard]] kernels::Layout compactLayout(const SimulationPlan& plan);

// What a tape keeps of a step, numbers of so many shots one behind the other: W(n); where density varies also p(n) with its
// halo, and the layers' first memories (kernels/equations/scalar_adjoint.h KeptDensity).
struct KeptParts {
    std::size_t sum = 0, field = 0, psi[3] = {0, 0, 0};

    KeptParts(const SimulationPlan& plan, std::size_t shots);
    [[nodiscard]] std::size_t numbers() const { return sum + field + psi[0] + psi[1] + psi[2]; }
};

// Of a shot, in the compact layout.
template<class T>
struct LaunchImages {
    std::vector<T> sum; // of q(n+1) W(n), W without the sources' part where density varies
    std::vector<T>
        source; // of q(n+1) times what sources added at a node, per its buoyancy; where density varies, else empty
    std::vector<T> density; // KeptDensity::image; as above
};

template<class T>
class ForwardWave final : public TapedWave {
public:
    ForwardWave(WaveDomain<T>& domain, const LaunchSurvey& survey, bool receiverSlopes);

    [[nodiscard]] int steps() const override { return m_domain.plan().time.innerSteps(); }
    [[nodiscard]] std::size_t numberBytes() const override { return sizeof(T); }
    [[nodiscard]] std::size_t keptBytes() const override;
    [[nodiscard]] std::size_t stateBytes() const override;
    void step(int n, void* kept) override
    {
        stepFields(now(), other(), n, false, static_cast<T*>(kept));
        m_parity ^= 1;
    }
    void advance(int n, const KeptSpan& span) override { advanceBy(n, span, false); }
    void save(void* to) override;
    void restore(const void* from) override;
    [[nodiscard]] SplitWave* split() override;
    [[nodiscard]] const std::shared_ptr<Device>& device() const override { return m_domain.device(); }
    [[nodiscard]] const Stream& stream() const override { return m_domain.stream(); }

    // The receivers' next sample, from p(n + 1) after step(n); the one at t = 0 is there from the beginning.
    void record(int sample);
    // advance(), and what the receivers record of it.
    void advanceRecorded(int n, const KeptSpan& span) { advanceBy(n, span, true); }
    // [sample][receiver], and [sample][receiver * rank + axis] of the derivatives along z, (y,) x, Pa/m. Wait.
    [[nodiscard]] std::vector<T> traces() const;
    [[nodiscard]] std::vector<double> slopes() const { return rows(m_slopeTraces); }
    [[nodiscard]] const T* wavelets() const { return m_wavelets.data(); } // [source][step], on the device
    // p(n) and p(n - 1) of all shots after step(n - 1), on the device.
    [[nodiscard]] T* present() const { return now(); }
    [[nodiscard]] T* before() const { return other(); }
    // After step(n), for an adjoint's step that takes it back in the interior (SplitWave::layForRewind): its fields; then that
    // it has been taken.
    void fillRewind(kernels::ScalarRewind<T>& args) const;
    void rewound(int n);
    [[nodiscard]] const LayerMemory<T> (&memory() const)[3] { return m_memory; } // after it
    // f(n) of a source as it was injected (rounded to T).
    [[nodiscard]] double wavelet(int source, int n) const;

private:
    friend class SplitForward<T>;

    void advanceBy(int n, const KeptSpan& span, bool recorded);
    [[nodiscard]] kernels::ScalarStepArgs<T> stepArgs(const T* from, T* to, bool layersAlone) const;
    // A step from `from` onto `to`, sources and all; of the whole or of the layers alone. W(n) there to `kept`, or null.
    void stepFields(T* from, T* to, int n, bool layersAlone, T* kept);
    // The sources of step n, and their part of W(n); the field is left open.
    [[nodiscard]] kernels::InjectSources<T> sources(const DeviceInjection<T>& injection, int n) const;
    void injectInto(T* field, int n);
    void injectKept(T* to, int n);
    void keepDensity(const T* from, T* to); // the rest of what is kept where density varies
    [[nodiscard]] T* now() const { return m_field[m_parity].data(); }
    [[nodiscard]] T* other() const { return m_field[m_parity ^ 1].data(); }
    void uploadWavelets(const LaunchSurvey& survey);
    [[nodiscard]] std::vector<double> rows(const Buffer<T>& from) const;
    // Calls visit(part, bytes) for the blocks of the state, in an order of their own.
    template<class Visit>
    void forState(const Visit& visit) const;

    WaveDomain<T>& m_domain;
    kernels::Layout m_compact;
    int m_shots = 0;
    Buffer<T> m_field[2];
    LayerMemory<T> m_memory[3];
    int m_parity = 0;
    std::vector<T> m_waveletHost; // [source][step]
    Buffer<T> m_wavelets, m_one;
    DeviceInjection<T> m_injection, m_keptInjection;
    DeviceRecording<T> m_recording, m_slopeRecording;
    Buffer<T> m_traces, m_slopeTraces;
    std::unique_ptr<SplitForward<T>> m_split;
};

template<class T>
class AdjointWave {
public:
    AdjointWave(WaveDomain<T>& domain, const LaunchSurvey& survey, bool image, bool sourceSlopes);

    // dJ/dd by [receiver][sample] times `scale`, which keeps numbers of single precision in range and is divided out of
    // what is read.
    void setResiduals(const std::vector<double>& values, const std::vector<double>& scaleOfShot);
    void inject(int sample); // into q(sample * ratio)
    // What step n asks of q(n+1), then q(n). kept: as KeptParts, or null. wavelets: ForwardWave's.
    void stepBack(int n, const T* kept, const T* wavelets);
    // Steps n, n - 1, ... as `span` says, each with what the sources record of q(n+1) before it and the residuals after it.
    // The run's own step too, where it says so.
    void retreat(int n, const KeptSpan& span, ForwardWave<T>& run);

    // dJ/df(n) by [step][source], and by [step][source * rank + axis] of the derivatives along z, (y,) x. Waits.
    [[nodiscard]] std::vector<double> wavelets() const;
    [[nodiscard]] std::vector<double> slopes() const;
    // Of a shot of the launch. Waits.
    [[nodiscard]] LaunchImages<T> images(int shot) const;
    // q(n) of a shot of the launch after stepBack(n), halos and all. Waits.
    [[nodiscard]] std::vector<T> field(int shot) const;
    // q(n) and q(n + 1) of all shots after stepBack(n), on the device.
    [[nodiscard]] T* present() const { return now(); }
    [[nodiscard]] T* after() const { return other(); }
    [[nodiscard]] const LayerMemory<T> (&memory() const)[3] { return m_memory; } // after it
    // Of a step where density varies: what is kept of it, and the image that it goes to. Null: not imaged.
    [[nodiscard]] kernels::KeptDensity<T> keptDensity(const T* kept) const;
    [[nodiscard]] double scale(int shot) const { return m_scale[static_cast<std::size_t>(shot)]; }

private:
    [[nodiscard]] T* now() const { return m_field[m_parity].data(); }
    [[nodiscard]] T* other() const { return m_field[m_parity ^ 1].data(); }
    [[nodiscard]] std::vector<double> unscaled(const Buffer<T>& from, int rowsPerSource) const;
    void recordSources(int n); // dJ/df(n), of q(n + 1)
    [[nodiscard]] kernels::ScalarAdjointArgs<T> backArgs() const;
    [[nodiscard]] kernels::InjectSources<T> residuals(int sample) const;
    void makeDensityImage(const LaunchSurvey& survey);
    void imageSources(int n, const T* wavelets);
    void retreatRewinding(int n, const T* kept, ForwardWave<T>& run);
    // From `from` on, shot by shot in the compact layout. Waits.
    [[nodiscard]] std::vector<T> imageOf(const Buffer<T>& from, int shot) const;

    WaveDomain<T>& m_domain;
    kernels::Layout m_compact;
    int m_shots = 0;
    std::vector<PlacedPoint> m_sources;
    std::vector<int> m_shotOfSource, m_shotOfReceiver;
    std::vector<double> m_scale;
    Buffer<T> m_field[2];
    LayerMemory<T> m_memory[3];
    int m_parity = 0;
    int m_recorded =
        -1; // the last row of what sources record that is there; of rows that are recorded from the last to the first
    Buffer<T> m_image, m_residuals;
    Buffer<T> m_densityImage, m_sourceImage; // empty for one density
    std::vector<std::int64_t> m_imagedNodes; // of m_sourceImage, in the compact layout of all shots
    DeviceInjection<T> m_sourceImaging;
    std::optional<DeviceInjection<T>> m_rewoundSources; // of the interior, onto m_image: made when it is wanted
    DeviceInjection<T> m_injection;
    DeviceRecording<T> m_recording, m_slopeRecording;
    Buffer<T> m_waveletSamples, m_slopeSamples;
};

// What residuals whose largest number is this are scaled by: a power of two, so that products with it are exact, that brings it
// near 1.
[[nodiscard]] double residualScale(double largest);

// Columns [from, from + receivers) of rows [sample][receiver] that are `width` wide.
template<class T>
[[nodiscard]] TraceTable tableOf(const std::vector<T>& rows, std::size_t width, int from, int receivers,
                                 const TimeAxis& time);

extern template class ForwardWave<float>;
extern template class ForwardWave<double>;
extern template class AdjointWave<float>;
extern template class AdjointWave<double>;

} // namespace ondo
