#include "ui/preflight.h"

#include <utility>

namespace ondo {

Preflight::Preflight(QObject* context, std::function<void()> done)
    : m_context(context)
    , m_done(std::move(done))
{
}

void Preflight::judge(const RunDescription& run, const Model& model, const kernels::DeviceFacts& device,
                      std::shared_ptr<const DeviceSpeed> speed)
{
    m_run = run;
    m_model = model;
    m_device = device;
    m_speed = std::move(speed);
    m_waiting = true;
    if (!m_busy) {
        start();
    }
}

void Preflight::forget()
{
    m_waiting = false;
    m_plan.reset();
    m_error.reset();
}

void Preflight::start()
{
    m_waiting = false;
    m_busy = true;
    m_jobs.start(
        m_context,
        [run = m_run, model = m_model, device = m_device, speed = m_speed](JobTicket&) {
            return SimulationPlan::make(run, model, device, speed.get());
        },
        [this](Result<Plan> verdict) { finish(std::move(verdict)); });
}

void Preflight::finish(Result<Plan> verdict)
{
    m_busy = false;
    if (m_waiting) {
        start(); // this verdict is about the past
        return;
    }
    if (verdict) {
        m_plan = std::move(*verdict);
        m_error.reset();
    } else {
        m_plan.reset();
        m_error = std::move(verdict.error());
    }
    m_done();
}

} // namespace ondo
