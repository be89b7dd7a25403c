// Numbers written as text, in one or more columns. Any thread.
#pragma once

#include "engine/io/stored_array.h"

namespace ondo {

struct TextNumbers {
    std::vector<double> values; // row by row
    std::int64_t rows = 0;
    std::int64_t columns = 0; // 0: rows differ in length
};

// Blanks, commas and semicolons part numbers; lines that begin with #, % or ! are remarks, and one line of names at
// the top is passed over. Refuses any other word with its line number, and files past 512 MB.
// `end` -1: the end of the file.
[[nodiscard]] Result<TextNumbers> parseNumbers(const InputFile& file, std::int64_t start = 0, std::int64_t end = -1);
// Just `count` numbers from `at`, which is moved past them; lines mean nothing.
[[nodiscard]] Result<std::vector<double>> parseCounted(const InputFile& file, std::int64_t& at, std::int64_t count);

[[nodiscard]] std::function<Result<>(std::int64_t, std::span<double>)>
numbersReader(std::shared_ptr<const std::vector<double>> values);

} // namespace ondo
