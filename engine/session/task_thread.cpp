#include "engine/session/task_thread.h"

#include "engine/session/guard.h"

#include <utility>

namespace ondo {

TaskThread::TaskThread()
    : m_thread([this] { work(); })
{
}

TaskThread::~TaskThread()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_given.notify_all();
    m_thread.join();
}

std::uint64_t TaskThread::give(std::function<Result<>()> task)
{
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(task));
        number = ++m_last;
    }
    m_given.notify_one();
    return number;
}

Result<> TaskThread::waitFor(std::uint64_t task)
{
    std::unique_lock lock(m_mutex);
    m_done.wait(lock, [&] { return m_finished >= task; });
    return m_failure ? Result<>(tl::unexpected<Error>(*m_failure)) : Result<>{};
}

void TaskThread::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_given.wait(lock, [&] { return m_ending || !m_tasks.empty(); });
        if (m_tasks.empty()) {
            return;
        }
        const auto task = std::move(m_tasks.front());
        m_tasks.pop_front();
        lock.unlock();
        const auto done = guarded(task);
        lock.lock();
        ++m_finished;
        if (!done && !m_failure) {
            m_failure = done.error();
        }
        m_done.notify_all();
    }
}

} // namespace ondo
