// One thread that does tasks in the order in which they were given: the disk's part of a tape, beside the steps. A task that
// fails is told by whoever waits for it or a later one; those after it are done all the same. Given and waited for by one
// thread at a time.
#pragma once

#include "engine/core/result.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace ondo {

class TaskThread {
public:
    TaskThread();
    ~TaskThread(); // once all that was given is done
    TaskThread(const TaskThread&) = delete;
    TaskThread& operator=(const TaskThread&) = delete;

    // Its number, from 1.
    std::uint64_t give(std::function<Result<>()> task);
    // Until the task of that number is done; 0: at once. The first failure of all so far.
    [[nodiscard]] Result<> waitFor(std::uint64_t task);

private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_given, m_done;
    std::deque<std::function<Result<>()>> m_tasks;
    std::uint64_t m_last = 0, m_finished = 0;
    std::optional<Error> m_failure;
    bool m_ending = false;
    std::thread m_thread; // last: everything above exists when it starts
};

} // namespace ondo
