// The one declaration of the keys of a run file; used by run_file.cpp alone.
#pragma once

#include "engine/io/run_file.h"
#include "engine/io/survey_files.h"

#include <cstdint>
#include <map>
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

// A section of a run file as it was read: values by the last part of the key's name.
struct Settings {
    std::map<std::string, Value> values;
    std::string where; // "run.toml:12"

    [[nodiscard]] bool has(const std::string& name) const { return values.contains(name); }
    template<class T>
    [[nodiscard]] const T& get(const std::string& name) const
    {
        return std::get<T>(values.at(name));
    }
};

[[nodiscard]] Result<Wavelet> buildWavelet(const Settings& s);
// `section` names it in messages.
[[nodiscard]] Result<std::vector<Position>> buildPositions(const Settings& s, const std::string& section);
// [source], [receivers] and [geometry] together; empty where nothing is said.
[[nodiscard]] Result<PlacedSurvey> buildPlaces(const Settings& source, const Settings& receivers,
                                               const Settings& geometry);

[[nodiscard]] const std::vector<Entry>& entries();
[[nodiscard]] const Entry* find(std::string_view name);
// The known name nearest to `name` by edit distance.
[[nodiscard]] std::string nearest(std::string_view name);

[[nodiscard]] std::string quoted(std::string_view text);
[[nodiscard]] std::string number(double value);

} // namespace ondo::runkeys
