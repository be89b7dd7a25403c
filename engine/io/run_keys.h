// The one declaration of the keys of a run file; used by run_file.cpp alone.
#pragma once

#include "engine/io/run_file.h"

#include <cstdint>
#include <variant>

namespace ondo::runkeys {

enum class Kind { Text, Path, Integer, Number, Choice, Numbers, Position, Positions };

using Value =
    std::variant<std::string, std::int64_t, double, std::vector<double>, ondo::Position, std::vector<ondo::Position>>;

struct Entry {
    RunKey key;
    Kind kind = Kind::Text;
    double low = 0.0; // Integer and Number: smallest and largest allowed
    double high = 0.0;
    bool aboveLow = false; // the smallest itself is refused
    std::vector<std::string> choices;
    // Null for the keys of source, receivers and wavelet, which are read together.
    void (*set)(RunDescription&, const Value&) = nullptr;
    std::string (*show)(const RunDescription&) = nullptr; // TOML value; empty when it is the default
};

[[nodiscard]] const std::vector<Entry>& entries();
[[nodiscard]] const Entry* find(std::string_view name);
// The known name nearest to `name` by edit distance.
[[nodiscard]] std::string nearest(std::string_view name);

[[nodiscard]] std::string quoted(std::string_view text);
[[nodiscard]] std::string number(double value);

} // namespace ondo::runkeys
