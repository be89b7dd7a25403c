// What the command line says and where: results on stdout, everything else on stderr. Main thread.
#pragma once

#include "engine/core/error.h"
#include "engine/session/session_event.h"

#include <chrono>
#include <string>
#include <vector>

namespace ondo::cli {

// The program's exit codes beside those of engine/core/error.h.
inline constexpr int kDone = 0;
inline constexpr int kGateFailed = 1; // ondo bench --gate
inline constexpr int kBadInput = 2;
inline constexpr int kFailed = 3;
inline constexpr int kStopped = 130;

// "ondo: <context>: what; remedy"; returns the exit code.
int complain(const Error& error);
int complain(int code, const std::string& message);
// "ondo: note: ..." unless quiet.
void note(const std::string& message, bool quiet = false);

[[nodiscard]] std::string bytesText(double bytes);     // "4.2 MB"
[[nodiscard]] std::string secondsText(double seconds); // "340 ms" "3.4 s" "2 min 5 s" "1 h 12 min"

// One line on stderr, rewritten in place on a terminal; elsewhere a line every ten seconds.
class ProgressLine {
public:
    explicit ProgressLine(bool quiet);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const Progressed& progress, int shots);
    void show(const std::string& line);
    void clear(); // before anything else is printed

private:
    bool m_quiet;
    bool m_terminal;
    std::size_t m_width = 0; // of the line that stands there
    std::chrono::steady_clock::time_point m_last;
};

} // namespace ondo::cli
