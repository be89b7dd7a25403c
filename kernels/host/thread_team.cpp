#include "kernels/host/thread_team.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace ondo::kernels {

namespace {

constexpr int kSpins = 400; // about 5 us: shorter than a sleep and a wake-up

inline void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Sleeps until `value` differs from `old`.
template<class T>
void waitWhile(const std::atomic<T>& value, T old)
{
    for (int i = 0; i < kSpins; ++i) {
        if (value.load(std::memory_order_acquire) != old) {
            return;
        }
        relax();
    }
    value.wait(old, std::memory_order_acquire);
}

} // namespace

struct ThreadTeam::State {
    std::atomic<unsigned> generation{0};
    std::atomic<int> working{0};
    std::atomic<bool> quit{false};
    const std::function<void(Share)>* work = nullptr;
    std::mutex oneCaller;
    std::vector<std::thread> members;
};

ThreadTeam::ThreadTeam(int threads)
    : m_size(std::max(1, threads))
    , m_state(std::make_unique<State>())
{
    for (int i = 1; i < m_size; ++i) {
        m_state->members.emplace_back([this, i] {
            State& s = *m_state;
            unsigned seen = 0;
            for (;;) {
                waitWhile(s.generation, seen);
                seen = s.generation.load(std::memory_order_acquire);
                if (s.quit.load(std::memory_order_acquire)) {
                    return;
                }
                (*s.work)(Share{i, m_size});
                if (s.working.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                    s.working.notify_one();
                }
            }
        });
    }
}

ThreadTeam::~ThreadTeam()
{
    m_state->quit.store(true, std::memory_order_release);
    m_state->generation.fetch_add(1, std::memory_order_acq_rel);
    m_state->generation.notify_all();
    for (auto& t : m_state->members) {
        t.join();
    }
}

void ThreadTeam::run(const std::function<void(Share)>& work)
{
    State& s = *m_state;
    const std::lock_guard lock(s.oneCaller);
    if (m_size == 1) {
        work(Share{0, 1});
        return;
    }
    s.work = &work;
    s.working.store(m_size - 1, std::memory_order_release);
    s.generation.fetch_add(1, std::memory_order_acq_rel);
    s.generation.notify_all();
    work(Share{0, m_size});
    for (int left = s.working.load(std::memory_order_acquire); left != 0;
         left = s.working.load(std::memory_order_acquire)) {
        waitWhile(s.working, left);
    }
}

} // namespace ondo::kernels
