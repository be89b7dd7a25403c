// The run description as a TOML file. Each key is declared once (run_keys.cpp): the parser, the refusal of unknown
// keys, the writer and the printed list all follow from that table. Any thread.
//   Lengths in metres, times in seconds, frequencies in hertz; a position is [x, z] or [x, y, z], z positive down.
//   A path in a run file is relative to the file's folder and held absolute in the description; output paths stay as
//   they are written, relative to the current folder.
#pragma once

#include "engine/project/run_description.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

struct RunKey {
    std::string name;        // "wavelet.frequency"
    std::string type;        // "number" "integer, 2 to 32" "one of absorbing, free, rigid" ...
    std::string unit;        // "m" "s" "Hz", or empty
    std::string defaultText; // what holds when the key is absent
    std::string meaning;
};

// Every key, in the order of the file.
[[nodiscard]] const std::vector<RunKey>& runKeys();
// The table as text, for `ondo run --keys`.
[[nodiscard]] std::string runKeysText();

// Refuses unknown keys (with the nearest known one), wrong types and values out of range; messages begin with file:line.
[[nodiscard]] Result<RunDescription> readRunFile(const std::string& path);
[[nodiscard]] Result<RunDescription> parseRunFile(std::string_view text, const std::string& path);

// Only what differs from the defaults is written; reading it back gives an equal description.
[[nodiscard]] std::string runFileText(const RunDescription& description, const std::string& folder = {});
[[nodiscard]] Result<> writeRunFile(const RunDescription& description, const std::string& path);

// One override as on the command line: "wavelet.frequency=15", "receivers.count=201", "source.position=[3000, 10]".
// Text values need no quotes. The description is unchanged when the result is an error.
[[nodiscard]] Result<> setKey(RunDescription& description, std::string_view assignment);
// Several at once: keys that make sense only together (source.first, source.last, source.count) may come in any order.
[[nodiscard]] Result<> setKeys(RunDescription& description, std::span<const std::string> assignments);

} // namespace ondo
