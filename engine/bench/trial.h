// One small real run under the clock: what calibration and the check of its estimates are made of. Throws BackendError.
#pragma once

#include "engine/device/device.h"
#include "engine/propagator/propagator.h"
#include "engine/session/simulation_plan.h"

#include <atomic>
#include <memory>

namespace ondo {

struct TrialShape {
    int rank = 2;
    int edge = 100; // computed nodes an axis, layers included
    int order = 8;
    int layerCells = 0;                   // 0: none
    bool layered[3] = {true, true, true}; // across z, y, x, if there are any
    bool wide = false;
    int shots = 1, together = 1;
    int receivers = 0; // a shot, between nodes
    int sources = 0;   // a shot, between nodes; 0: one on a node
    int steps = 1000;  // of the time axis
};

[[nodiscard]] Result<std::shared_ptr<const SimulationPlan>>
planTrial(const TrialShape& shape, const kernels::DeviceFacts& device, const DeviceSpeed* speed = nullptr);

class Trial {
public:
    Trial(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device, const std::atomic<bool>* stop);
    ~Trial() = default;
    Trial(const Trial&) = delete; // the propagator knows the stream by its place
    Trial& operator=(const Trial&) = delete;

    // A step within batches as the session queues them; the second fastest of five, of long ones the faster of two.
    [[nodiscard]] double stepSeconds();
    [[nodiscard]] Propagator& propagator() { return *m_propagator; }
    [[nodiscard]] const SimulationPlan& plan() const { return *m_plan; }
    [[nodiscard]] bool stopped() const { return m_stop != nullptr && m_stop->load(); }
    [[nodiscard]] double createSeconds() const { return m_createSeconds; }
    [[nodiscard]] double beginSeconds(); // begins anew

private:
    double advanceSeconds(int steps);

    std::shared_ptr<const SimulationPlan> m_plan;
    std::shared_ptr<Device> m_device;
    const std::atomic<bool>* m_stop;
    Stream m_stream;
    double m_createSeconds = 0.0;
    std::unique_ptr<Propagator> m_propagator;
};

} // namespace ondo
