#include "app/cli/interrupt.h"

#include "app/cli/terminal.h"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace ondo::cli {

namespace {

std::atomic<int> g_signals{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onSignal(int)
{
    if (g_signals.fetch_add(1) > 0) {
        ::_exit(kStopped);
    }
}

} // namespace

void watchInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    // A reader of our progress that goes away must not cost the results.
    std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted()
{
    return g_signals.load() > 0;
}

} // namespace ondo::cli
