#include "kernels/cuda/step_graph.h"

#include "kernels/cuda/cuda_check.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>

namespace ondo::kernels::cuda {

namespace {

constexpr int kLeastSteps = 32;   // of a graph: below, its launch counts
constexpr std::size_t kKept = 20; // graphs: the lengths, the two places of the fields, before and after a poke
constexpr int kMostSteps = 1024;  // beyond, capturing takes longer than it saves

class Key {
public:
    template<class V>
    Key& add(V value)
    {
        if constexpr (std::is_pointer_v<V>) {
            m_words.push_back(reinterpret_cast<std::intptr_t>(value));
        } else if constexpr (std::is_floating_point_v<V>) {
            m_words.push_back(std::bit_cast<std::int64_t>(static_cast<double>(value)));
        } else {
            m_words.push_back(static_cast<std::int64_t>(value));
        }
        return *this;
    }
    Key& add(const Layout& l)
    {
        return add(l.rank)
            .add(l.nz)
            .add(l.ny)
            .add(l.nx)
            .add(l.radius)
            .add(l.strideZ)
            .add(l.strideY)
            .add(l.shotStride)
            .add(l.lead);
    }
    Key& add(const Box& b)
    {
        add(b.z0).add(b.z1).add(b.y0).add(b.y1).add(b.x0).add(b.x1);
        return add(int{b.side[kZ]}).add(int{b.side[kY]}).add(int{b.side[kX]});
    }
    template<class T>
    Key& add(const AxisLayer<T>& l)
    {
        add(l.a).add(l.b).add(l.aHalf).add(l.bHalf).add(l.psi).add(l.zeta);
        return add(l.shot).add(l.z).add(l.y).add(l.step).add(l.shift[kLow]).add(l.shift[kHigh]);
    }
    std::vector<std::int64_t> take() { return std::move(m_words); }

private:
    std::vector<std::int64_t> m_words;
};

// All that a graph holds; what the clock holds is left out.
template<class T>
std::vector<std::int64_t> keyOf(const ScalarAdvance<T>& args, cudaStream_t stream)
{
    Key key;
    key.add(sizeof(T)).add(stream).add(args.ratio).add(args.step.order).add(args.step.shots);
    const ScalarState<T>& state = args.step.state;
    key.add(state.layout).add(state.c2).add(state.now).add(state.other).add(args.step.mirror.field);
    for (int a = 0; a < 3; ++a) {
        for (int k = 0; k <= kMaxRadius; ++k) {
            key.add(state.axis[a].second[k]).add(state.axis[a].staggered[k]);
        }
        key.add(state.layer[a]);
    }
    key.add(state.density);
    for (const signed char odd : args.step.mirror.odd) {
        key.add(int{odd});
    }
    key.add(args.step.interiorBoxes).add(args.step.layerBoxes).add(args.step.mirrorBoxes);
    const int boxes = args.step.interiorBoxes + args.step.layerBoxes + args.step.mirrorBoxes;
    for (int i = 0; i < boxes; ++i) {
        key.add(args.step.boxes[i]);
    }
    const InjectSources<T>& in = args.inject;
    key.add(in.c2).add(in.node).add(in.modelNode).add(in.begin).add(in.source).add(in.weight).add(in.wavelets);
    key.add(in.waveletStride).add(in.nodes);
    for (const RecordReceivers<T>& r : args.record) {
        key.add(r.begin).add(r.node).add(r.weight).add(r.receivers);
    }
    return key.take();
}

} // namespace

StepGraphs::~StepGraphs()
{
    forget();
    if (m_captureStream != nullptr) {
        ONDO_CUDA_NOTHROW(cudaStreamDestroy(m_captureStream));
    }
    if (m_clock != nullptr) {
        ONDO_CUDA_NOTHROW(cudaFree(m_clock));
    }
}

void StepGraphs::forget()
{
    for (const Made& made : m_made) {
        ONDO_CUDA_NOTHROW(cudaGraphExecDestroy(made.exec));
    }
    m_made.clear();
}

int StepGraphs::stepsFor(int ratio)
{
    const int period = std::lcm(2, ratio); // the fields change places, and a sample falls due at the same places
    const int steps = period * ((kLeastSteps + period - 1) / period);
    return steps <= kMostSteps ? steps : 0;
}

int StepGraphs::shorterThan(int steps, int ratio)
{
    const int period = std::lcm(2, ratio);
    return steps / period / 2 * period;
}

template<class T>
cudaGraphExec_t StepGraphs::capture(ScalarAdvance<T> args, int steps,
                                    const std::function<void(const ScalarStepArgs<T>&, cudaStream_t)>& enqueue)
{
    if (m_captureStream == nullptr) {
        ONDO_CUDA(cudaStreamCreateWithFlags(&m_captureStream, cudaStreamNonBlocking));
        void* clock = nullptr;
        ONDO_CUDA(cudaMalloc(&clock, sizeof(GraphClock)));
        m_clock = static_cast<GraphClock*>(clock);
    }
    const cudaStream_t s = m_captureStream;
    ONDO_CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
        int sample = 0;
        for (int i = 0; i < steps; ++i) {
            enqueue(args.step, s);
            ScalarState<T>& state = args.step.state;
            if (args.inject.nodes > 0) {
                args.inject.field = state.other;
                args.inject.step = i;
                injectSources(args.inject, s, m_clock);
            }
            T* const written = state.other;
            state.other = args.step.mirror.field;
            state.now = args.step.mirror.field = written;
            if ((i + 1) % args.ratio == 0) {
                for (int which = 0; which < 2; ++which) {
                    if (args.record[which].receivers > 0) {
                        args.record[which].field = state.now;
                        recordReceivers(args.record[which], s, m_clock, which, sample);
                    }
                }
                ++sample;
            }
        }
        const auto rowBytes = [](const RecordReceivers<T>& r) {
            return std::int64_t{r.receivers} * static_cast<std::int64_t>(sizeof(T));
        };
        moveClock(m_clock, steps, sample, rowBytes(args.record[0]), rowBytes(args.record[1]), s);
    } catch (...) {
        (void)cudaStreamEndCapture(s, &graph);
        if (graph != nullptr) {
            (void)cudaGraphDestroy(graph);
        }
        throw;
    }
    ONDO_CUDA(cudaStreamEndCapture(s, &graph));
    cudaGraphExec_t exec = nullptr;
    const cudaError_t error = cudaGraphInstantiate(&exec, graph, 0);
    (void)cudaGraphDestroy(graph);
    ONDO_CUDA(error);
    return exec;
}

template<class T>
void StepGraphs::run(const ScalarAdvance<T>& args, int steps, int times, cudaStream_t stream,
                     const std::function<void(const ScalarStepArgs<T>&, cudaStream_t)>& enqueue)
{
    auto key = keyOf(args, stream);
    key.push_back(steps);
    auto made = std::find_if(m_made.begin(), m_made.end(), [&key](const Made& m) { return m.key == key; });
    if (made == m_made.end()) {
        if (m_made.size() >= kKept) {
            ONDO_CUDA_NOTHROW(cudaGraphExecDestroy(m_made.front().exec)); // a launch under way ends all the same
            m_made.erase(m_made.begin());
        }
        m_made.push_back({std::move(key), capture(args, steps, enqueue)});
        made = m_made.end() - 1;
    }
    GraphClock clock;
    clock.step = args.inject.step;
    clock.out[0] = args.record[0].out;
    clock.out[1] = args.record[1].out;
    clock.samplesLeft = args.samplesLeft;
    setClock(m_clock, clock, stream);
    for (int i = 0; i < times; ++i) {
        ONDO_CUDA(cudaGraphLaunch(made->exec, stream));
    }
}

template void StepGraphs::run(const ScalarAdvance<float>&, int, int, cudaStream_t,
                              const std::function<void(const ScalarStepArgs<float>&, cudaStream_t)>&);
template void StepGraphs::run(const ScalarAdvance<double>&, int, int, cudaStream_t,
                              const std::function<void(const ScalarStepArgs<double>&, cudaStream_t)>&);

} // namespace ondo::kernels::cuda
