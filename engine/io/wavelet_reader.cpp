#include "engine/io/wavelet_reader.h"

#include "engine/io/array_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr std::int64_t kMostSamples = std::int64_t{1} << 24;

struct Recording {
    std::vector<double> values;
    std::optional<double> step;
};

// Two columns: the time of each sample and its value.
Result<Recording> fromColumns(const std::vector<double>& table, std::size_t rows, const std::string& path)
{
    Recording out;
    for (std::size_t i = 0; i < rows; ++i) {
        out.values.push_back(table[2 * i + 1]);
    }
    if (rows < 2) {
        return out;
    }
    const double step = (table[2 * (rows - 1)] - table[0]) / static_cast<double>(rows - 1);
    for (std::size_t i = 0; i < rows; ++i) {
        const double due = table[0] + step * static_cast<double>(i);
        if (!(step > 0.0) || std::abs(table[2 * i] - due) > 0.01 * step) {
            return badInput(
                fmt::format("{}: the times of its first column are not evenly spaced (row {})", path, i + 1),
                "resample the wavelet to an even step");
        }
    }
    out.step = step;
    return out;
}

Result<Recording> readRecording(const std::string& path)
{
    auto file = openArrayFile(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const StoredArray* array = file->mainArray();
    if (array == nullptr || !array->numeric || array->count() == 0 || array->count() > kMostSamples) {
        return badInput(fmt::format("{}: it holds no array that could be a wavelet", path),
                        "give one column of numbers, or two: time in seconds and value");
    }
    auto values = readDoubles(*array);
    if (!values) {
        return tl::unexpected(values.error());
    }
    if (array->shape.size() == 2 && array->shape[1] == 2 && !array->firstFastest) {
        return fromColumns(*values, values->size() / 2, path);
    }
    const bool traces = file->format == "SU" || file->format == "SEG-Y";
    if (traces && array->shape.size() == 2) {
        values->resize(static_cast<std::size_t>(array->shape[1]));
        return Recording{std::move(*values), file->sampleInterval};
    }
    if (array->count() != *std::max_element(array->shape.begin(), array->shape.end())) {
        return badInput(fmt::format("{}: {} is not one series of samples", path, array->describe()),
                        "give one column of numbers, or two: time in seconds and value");
    }
    return Recording{std::move(*values), std::nullopt};
}

} // namespace

Result<Wavelet> readWavelet(const std::string& path, std::optional<double> step)
{
    auto recording = readRecording(path);
    if (!recording) {
        return tl::unexpected(recording.error());
    }
    const auto chosen = step ? step : recording->step;
    if (!chosen) {
        return badInput(fmt::format("{}: nothing says the time between its samples", path),
                        "set wavelet.step in seconds, or give a first column of times");
    }
    return Wavelet::sampled(std::move(recording->values), *chosen, path);
}

} // namespace ondo
