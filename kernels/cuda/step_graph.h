// A fixed number of steps as one CUDA graph: a launch costs half of what it costs one by one (performance.md 2.1), and
// nothing of the processor's time. Injection and recording find the step and the row in a GraphClock, so that a graph
// serves a whole shot. Made anew when anything else has changed. One stream at a time.
#pragma once

#include "kernels/cuda/launches.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ondo::kernels::cuda {

class StepGraphs {
public:
    StepGraphs() = default;
    ~StepGraphs();
    StepGraphs(const StepGraphs&) = delete;
    StepGraphs& operator=(const StepGraphs&) = delete;

    static constexpr int kLeastPaying = 8; // steps: for fewer none is made
    // Steps of the longest graph for such a recording ratio; 0: none pays.
    [[nodiscard]] static int stepsFor(int ratio);
    // The next shorter one: what does not fill the longest is made of shorter ones, each kept for the next time. 0: none.
    [[nodiscard]] static int shorterThan(int steps, int ratio);
    // args at the start of a recording period, untilSample == ratio. enqueue: puts one step (faces, interior, layers) on a
    // stream. Launches a graph of so many steps `times` times.
    template<class T>
    void run(const ScalarAdvance<T>& args, int steps, int times, cudaStream_t stream,
             const std::function<void(const ScalarStepArgs<T>&, cudaStream_t)>& enqueue);
    void forget(); // before memory it points to goes

private:
    template<class T>
    cudaGraphExec_t capture(ScalarAdvance<T> args, int steps,
                            const std::function<void(const ScalarStepArgs<T>&, cudaStream_t)>& enqueue);

    struct Made {
        std::vector<std::int64_t> key; // all that the graph holds
        cudaGraphExec_t exec = nullptr;
    };
    std::vector<Made> m_made;
    cudaStream_t m_captureStream = nullptr;
    GraphClock* m_clock = nullptr;
};

} // namespace ondo::kernels::cuda
