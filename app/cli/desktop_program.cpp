#include "app/cli/desktop_program.h"

#include "app/cli/interrupt.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ondo::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kName = "ondoscope";

bool canRun(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// Both ends of a pipe, closed when it goes. Children get neither, unless they are handed one.
class Pipe {
public:
    Pipe() { m_open = ::pipe2(m_ends.data(), O_CLOEXEC) == 0; }
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] bool open() const { return m_open; }
    [[nodiscard]] int end(std::size_t which) const { return m_ends[which]; }
    void closeEnd(std::size_t which)
    {
        if (m_ends[which] >= 0) {
            ::close(m_ends[which]);
            m_ends[which] = -1;
        }
    }
    // Whatever is there now; false: the other side has closed it.
    bool drain(std::string& into) const
    {
        std::array<char, 4096> bytes{};
        const ssize_t n = ::read(m_ends[0], bytes.data(), bytes.size());
        if (n > 0) {
            into.append(bytes.data(), static_cast<std::size_t>(n));
        }
        return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
    }

private:
    std::array<int, 2> m_ends = {-1, -1};
    bool m_open = false;
};

struct Child {
    pid_t id = -1;
    Pipe out, err;
};

Result<> start(Child& child, const std::string& path, const std::vector<std::string>& arguments)
{
    if (!child.out.open() || !child.err.open()) {
        return fail(ErrorKind::Internal, fmt::format("no pipe to {}: {}", path, std::strerror(errno)));
    }
    std::vector<std::string> words = {path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, child.out.end(1), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, child.err.end(1), STDERR_FILENO);
    const int failed = ::posix_spawn(&child.id, path.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        return fail(ErrorKind::Internal, fmt::format("{} cannot be started: {}", path, std::strerror(failed)));
    }
    child.out.closeEnd(1);
    child.err.closeEnd(1);
    return {};
}

} // namespace

Result<std::string> findDesktopProgram()
{
    std::error_code ignored;
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    std::vector<fs::path> places = {self / kName, self.parent_path() / "desktop" / kName};
    const char* const variable = std::getenv("PATH");
    const std::string folders = variable != nullptr ? variable : "";
    for (std::size_t at = 0; at < folders.size();) {
        const std::size_t end = std::min(folders.find(':', at), folders.size());
        if (end > at) {
            places.push_back(fs::path(folders.substr(at, end - at)) / kName);
        }
        at = end + 1;
    }
    for (const auto& place : places) {
        if (canRun(place)) {
            return place.string();
        }
    }
    return fail(ErrorKind::NotFound,
                fmt::format("there is no {} beside this program ({}) nor on the PATH", kName, self.string()),
                "install or build the desktop program; a build without it (ONDO_GUI=OFF) has no view to measure");
}

Result<> checkDisplay()
{
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
        const char* const value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            return {};
        }
    }
    return fail(
        ErrorKind::NoDevice, "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so nothing was started",
        "use a desktop session, or a virtual display of Xvfb's: xvfb-run -s '-screen 0 1600x1000x24 +extension GLX' "
        "ondo bench --view");
}

Result<ProgramOutcome> runProgram(const std::string& path, const std::vector<std::string>& arguments,
                                  double mostSeconds)
{
    Child child;
    if (auto started = start(child, path, arguments); !started) {
        return tl::unexpected<Error>(started.error());
    }
    ProgramOutcome outcome;
    const auto from = Clock::now();
    bool late = false;
    bool outOpen = true;
    bool errOpen = true;
    while ((outOpen || errOpen) && !late && !interrupted()) {
        std::array<pollfd, 2> ends = {
            {{outOpen ? child.out.end(0) : -1, POLLIN, 0}, {errOpen ? child.err.end(0) : -1, POLLIN, 0}}};
        ::poll(ends.data(), ends.size(), 100);
        outOpen = outOpen && (ends[0].revents == 0 || child.out.drain(outcome.out));
        errOpen = errOpen && (ends[1].revents == 0 || child.err.drain(outcome.err));
        late = std::chrono::duration<double>(Clock::now() - from).count() > mostSeconds;
    }
    if (late || interrupted()) {
        ::kill(child.id, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child.id, &status, 0) < 0 && errno == EINTR) {
    }
    if (interrupted()) {
        return fail(ErrorKind::Cancelled, "stopped");
    }
    if (late) {
        return fail(ErrorKind::Internal, fmt::format("{} did not end within {:.0f} s", kName, mostSeconds),
                    "try the same with fewer cases (--case), or see what it says when started by itself");
    }
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

} // namespace ondo::cli
