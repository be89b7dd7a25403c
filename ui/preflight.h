// Judges the project against a device while it is edited: on a worker, the latest state only. UI thread.
#pragma once

#include "engine/session/device_speed.h"
#include "engine/session/simulation_plan.h"
#include "ui/jobs/job_pool.h"

#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace ondo {

class Preflight {
public:
    using Plan = std::shared_ptr<const SimulationPlan>;
    // context: the owner, on whose thread `done` is called after each verdict.
    Preflight(QObject* context, std::function<void()> done);

    // What is to be judged; answers at once, the verdict comes later. speed: of the device; null: not known.
    void judge(const RunDescription& run, const Model& model, const kernels::DeviceFacts& device,
               std::shared_ptr<const DeviceSpeed> speed);
    void forget();

    // The verdict on the latest state; while one is on its way (pending) it is the one before.
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] bool pending() const { return m_waiting || m_busy; }

private:
    void start();
    void finish(Result<Plan> verdict);

    QObject* m_context;
    std::function<void()> m_done;
    RunDescription m_run;
    Model m_model;
    kernels::DeviceFacts m_device;
    std::shared_ptr<const DeviceSpeed> m_speed;
    Plan m_plan;
    std::optional<Error> m_error;
    bool m_waiting = false; // a state has not been handed to the worker yet
    bool m_busy = false;    // the worker has one
    JobPool m_jobs;
};

} // namespace ondo
