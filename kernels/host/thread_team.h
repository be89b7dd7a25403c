// The host's threads inside a launch. A team runs one function on all its members and returns when all are done.
// Idle members sleep after a few microseconds: a team whose cores are wanted by others (the window, another job) must not
// lose whole time slices to spinning, as OpenMP's default does (measured: 70 times slower on two busy cores).
// One caller at a time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace ondo::kernels {

// Which part of a launch a member does: rows [rows * index / count, rows * (index + 1) / count).
struct Share {
    int index = 0;
    int count = 1;
    const std::atomic<bool>* abandon = nullptr; // looked at for each row; may be null
};

class ThreadTeam {
public:
    explicit ThreadTeam(int threads);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    [[nodiscard]] int size() const { return m_size; }
    void run(const std::function<void(Share)>& work);

private:
    struct State;
    int m_size = 1;
    std::unique_ptr<State> m_state;
};

} // namespace ondo::kernels
