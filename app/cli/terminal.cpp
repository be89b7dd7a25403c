#include "app/cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <unistd.h>

namespace ondo::cli {

int complain(const Error& error)
{
    return complain(exitCode(error), error.text());
}

int complain(int code, const std::string& message)
{
    std::fflush(stdout);
    fmt::print(stderr, "ondo: {}\n", message);
    return code;
}

void note(const std::string& message, bool quiet)
{
    if (!quiet) {
        std::fflush(stdout);
        fmt::print(stderr, "ondo: note: {}\n", message);
    }
}

std::string bytesText(double bytes)
{
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 4) {
        bytes /= 1000.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string secondsText(double seconds)
{
    if (seconds < 1.0) { // on a GPU most runs; "0.0 s" tells nothing
        return fmt::format("{:.3g} ms", std::max(seconds, 0.0) * 1e3);
    }
    if (seconds < 59.95) {
        return fmt::format("{:.1f} s", seconds);
    }
    const auto whole = static_cast<long long>(std::llround(seconds));
    return whole < 3600 ? fmt::format("{} min {} s", whole / 60, whole % 60)
                        : fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

ProgressLine::ProgressLine(bool quiet)
    : m_quiet(quiet)
    , m_terminal(::isatty(STDERR_FILENO) == 1)
    , m_last(std::chrono::steady_clock::now())
{
}

ProgressLine::~ProgressLine()
{
    clear();
}

void ProgressLine::show(const Progressed& p, int shots)
{
    const double done =
        (p.shot + static_cast<double>(p.step) / static_cast<double>(std::max<std::int64_t>(p.steps, 1))) /
        std::max(shots, 1);
    std::string line = fmt::format("{:3.0f} %  ", 100.0 * done);
    if (shots > 1) {
        line += fmt::format("shot {} of {}, ", p.shot + 1, shots);
    }
    line += fmt::format("step {} of {}, t = {:.3f} s", p.step, p.steps, p.time);
    if (p.stepsPerSecond > 0.0) {
        line += fmt::format(", {:.0f} steps/s", p.stepsPerSecond);
    }
    if (p.secondsLeft >= 0.0) {
        line += fmt::format(", {} left", secondsText(p.secondsLeft));
    }
    show(line);
}

void ProgressLine::show(const std::string& line)
{
    if (m_quiet) {
        return;
    }
    if (m_terminal) {
        const std::size_t blanks = m_width > line.size() ? m_width - line.size() : 0;
        fmt::print(stderr, "\r{}{}", line, std::string(blanks, ' '));
        std::fflush(stderr);
        m_width = line.size();
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - m_last > std::chrono::seconds(10)) {
        m_last = now;
        fmt::print(stderr, "{}\n", line);
    }
}

void ProgressLine::clear()
{
    if (m_width > 0) {
        fmt::print(stderr, "\r{}\r", std::string(m_width, ' '));
        std::fflush(stderr);
        m_width = 0;
    }
}

} // namespace ondo::cli
