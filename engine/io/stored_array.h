// An array of numbers as a file holds it: its type and shape, and a way to read any run of its samples without
// holding the rest. Value type; the reader inside may be called from one thread at a time.
#pragma once

#include "engine/io/input_file.h"
#include "engine/io/sample_type.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ondo {

struct SampleStatistics {
    std::int64_t count = 0;
    std::int64_t nonFinite = 0; // NaN and infinities, left out of the rest
    double low = 0.0;
    double high = 0.0;
    double sum = 0.0;
};

// Sums with compensation, so that a billion samples keep the last digits.
class StatisticsSum {
public:
    void add(std::span<const double> values);
    [[nodiscard]] SampleStatistics result() const;

private:
    SampleStatistics m_so;
    double m_lost = 0.0;
    bool m_any = false;
};

struct StoredArray {
    std::string name; // variable or dataset; empty when the file holds one unnamed array
    SampleType type = SampleType::Float32;
    ByteOrder order = ByteOrder::Little;
    std::vector<std::int64_t> shape; // as the file states it
    bool firstFastest = false;       // Fortran order: the first index of `shape` runs fastest
    std::vector<std::string> axes;   // names by position in `shape`, when the file says
    std::vector<double> spacing;     // m by position in `shape`, where the file says; 0: not said
    std::vector<double> origin;      // m, likewise
    double sampleInterval = 0.0;     // s, of the last index of traces, where an HDF5 dataset says it; 0: not said
    std::string typeText;            // overrides sampleTypeName(type), for structures and text
    bool numeric = true;             // false: named in a report but not readable as numbers
    std::string problem;             // why it cannot be read (a missing filter, an object array)

    // Samples [first, first + out.size()) in file order.
    std::function<Result<>(std::int64_t first, std::span<double> out)> read;

    [[nodiscard]] std::int64_t count() const;
    [[nodiscard]] std::string describe() const; // "vel float64 [301, 941]"
};

// The product of the counts, or nothing when one is negative or the product passes 2^62.
[[nodiscard]] std::optional<std::int64_t> productOf(const std::vector<std::int64_t>& shape);

// A reader of contiguous samples from `offset` of a file, or of bytes already in memory.
[[nodiscard]] std::function<Result<>(std::int64_t, std::span<double>)>
contiguousReader(InputFilePtr file, std::int64_t offset, SampleType type, ByteOrder order);
[[nodiscard]] std::function<Result<>(std::int64_t, std::span<double>)>
memoryReader(std::shared_ptr<const std::vector<unsigned char>> bytes, std::size_t offset, SampleType type,
             ByteOrder order);

// Rows of `rowSamples` samples, the first at `offset` and each `strideBytes` after the one before.
[[nodiscard]] std::function<Result<>(std::int64_t, std::span<double>)>
stridedReader(InputFilePtr file, std::int64_t offset, std::int64_t rowSamples, std::int64_t strideBytes,
              SampleType type, ByteOrder order);

// Rows of different lengths, each from its own offset, one after another; `shape` becomes the total.
[[nodiscard]] std::function<Result<>(std::int64_t, std::span<double>)>
raggedReader(InputFilePtr file, std::vector<std::int64_t> starts, const std::vector<std::int64_t>& counts,
             SampleType type, ByteOrder order, std::vector<std::int64_t>& shape);

// `also` sees the same samples, block by block in file order.
[[nodiscard]] Result<SampleStatistics> statisticsOf(const StoredArray& array,
                                                    const std::function<void(std::span<const double>)>& also = {});
// All samples in file order. The caller has checked the count against what memory holds.
[[nodiscard]] Result<std::vector<float>> readFloats(const StoredArray& array);
[[nodiscard]] Result<std::vector<double>> readDoubles(const StoredArray& array);

} // namespace ondo
