// What went wrong, told to a person: the thing, its value, and what to do about it.
// Value type, any thread.
#pragma once

#include <string>
#include <vector>

namespace ondo {

enum class ErrorKind { BadInput, NotFound, Io, NoDevice, OutOfMemory, Unstable, Cancelled, Internal };

struct Error {
    ErrorKind kind = ErrorKind::Internal;
    std::string what;                 // names the thing and the value: "receiver 12 at x = 5200 m lies 200 m outside"
    std::string remedy;               // what the user can do; may be empty
    std::vector<std::string> context; // outermost first: "while reading run.toml"

    // One message: context, what and remedy joined by ": " and "; ".
    [[nodiscard]] std::string text() const;
};

// The exit code of the command line for an error: 2 bad input, 3 failed run, 130 stopped.
[[nodiscard]] int exitCode(const Error& error);

} // namespace ondo
