#include "engine/io/stored_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr std::int64_t kBlock = 1 << 16;

template<class Take>
Result<> eachBlock(const StoredArray& array, Take take)
{
    if (!array.numeric || !array.read) {
        return badInput(fmt::format("{} holds no numbers{}", array.name.empty() ? "the array" : array.name,
                                    array.problem.empty() ? "" : ": " + array.problem));
    }
    const std::int64_t total = array.count();
    std::vector<double> block(static_cast<std::size_t>(std::min(kBlock, total)));
    for (std::int64_t first = 0; first < total; first += kBlock) {
        const std::span<double> part(block.data(), static_cast<std::size_t>(std::min(kBlock, total - first)));
        if (auto r = array.read(first, part); !r) {
            return r;
        }
        take(first, std::span<const double>(part));
    }
    return {};
}

} // namespace

void StatisticsSum::add(std::span<const double> values)
{
    for (const double v : values) {
        if (!std::isfinite(v)) {
            ++m_so.nonFinite;
            continue;
        }
        m_so.low = m_any ? std::min(m_so.low, v) : v;
        m_so.high = m_any ? std::max(m_so.high, v) : v;
        m_any = true;
        const double next = m_so.sum + v;
        m_lost += std::abs(m_so.sum) >= std::abs(v) ? (m_so.sum - next) + v : (v - next) + m_so.sum;
        m_so.sum = next;
    }
    m_so.count += static_cast<std::int64_t>(values.size());
}

SampleStatistics StatisticsSum::result() const
{
    SampleStatistics out = m_so;
    // Sums past the largest double leave a compensation that is not a number.
    if (std::isfinite(m_lost)) {
        out.sum += m_lost;
    }
    return out;
}

std::optional<std::int64_t> productOf(const std::vector<std::int64_t>& shape)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    std::int64_t product = 1;
    bool empty = false;
    for (const std::int64_t n : shape) {
        if (n < 0) {
            return std::nullopt;
        }
        empty = empty || n == 0;
    }
    if (empty) {
        return 0;
    }
    for (const std::int64_t n : shape) {
        if (n > kMost / product) {
            return std::nullopt;
        }
        product *= n;
    }
    return product;
}

std::int64_t StoredArray::count() const
{
    return productOf(shape).value_or(0);
}

std::string StoredArray::describe() const
{
    return fmt::format("{}{}{} [{}]", name, name.empty() ? "" : " ",
                       typeText.empty() ? std::string(sampleTypeName(type)) : typeText, fmt::join(shape, ", "));
}

std::function<Result<>(std::int64_t, std::span<double>)> contiguousReader(InputFilePtr file, std::int64_t offset,
                                                                          SampleType type, ByteOrder order)
{
    return [file = std::move(file), offset, type, order](std::int64_t first, std::span<double> out) -> Result<> {
        const auto width = static_cast<std::int64_t>(sampleBytes(type));
        std::vector<unsigned char> raw(out.size() * static_cast<std::size_t>(width));
        if (auto r = file->read(offset + first * width, raw); !r) {
            return r;
        }
        decodeSamples(raw.data(), type, order, out);
        return {};
    };
}

std::function<Result<>(std::int64_t, std::span<double>)>
memoryReader(std::shared_ptr<const std::vector<unsigned char>> bytes, std::size_t offset, SampleType type,
             ByteOrder order)
{
    return [bytes = std::move(bytes), offset, type, order](std::int64_t first, std::span<double> out) -> Result<> {
        const auto width = static_cast<std::size_t>(sampleBytes(type));
        const std::size_t from = offset + static_cast<std::size_t>(first) * width;
        if (from > bytes->size() || out.size() * width > bytes->size() - from) {
            return badInput("the data end before the array does", "the file is damaged");
        }
        decodeSamples(bytes->data() + from, type, order, out);
        return {};
    };
}

std::function<Result<>(std::int64_t, std::span<double>)> stridedReader(InputFilePtr file, std::int64_t offset,
                                                                       std::int64_t rowSamples,
                                                                       std::int64_t strideBytes, SampleType type,
                                                                       ByteOrder order)
{
    return [file = std::move(file), offset, rowSamples, strideBytes, type, order](std::int64_t first,
                                                                                  std::span<double> out) -> Result<> {
        const auto width = static_cast<std::int64_t>(sampleBytes(type));
        std::vector<unsigned char> raw;
        std::size_t done = 0;
        while (done < out.size()) {
            const std::int64_t at = first + static_cast<std::int64_t>(done);
            const std::int64_t row = at / rowSamples;
            const std::int64_t column = at % rowSamples;
            const auto take =
                static_cast<std::size_t>(std::min(rowSamples - column, static_cast<std::int64_t>(out.size() - done)));
            raw.resize(take * static_cast<std::size_t>(width));
            if (auto r = file->read(offset + row * strideBytes + column * width, raw); !r) {
                return r;
            }
            decodeSamples(raw.data(), type, order, out.subspan(done, take));
            done += take;
        }
        return {};
    };
}

std::function<Result<>(std::int64_t, std::span<double>)>
raggedReader(InputFilePtr file, std::vector<std::int64_t> starts, const std::vector<std::int64_t>& counts,
             SampleType type, ByteOrder order, std::vector<std::int64_t>& shape)
{
    // before[i]: samples in the rows before row i.
    std::vector<std::int64_t> before(counts.size() + 1, 0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        before[i + 1] = before[i] + counts[i];
    }
    shape = {before.back()};
    return [file = std::move(file), starts = std::move(starts), before = std::move(before), type,
            order](std::int64_t first, std::span<double> out) -> Result<> {
        std::size_t done = 0;
        while (done < out.size()) {
            const std::int64_t at = first + static_cast<std::int64_t>(done);
            const auto row =
                static_cast<std::size_t>(std::upper_bound(before.begin(), before.end(), at) - before.begin() - 1);
            if (row >= starts.size()) {
                return badInput("the traces end before the array does");
            }
            const auto take =
                static_cast<std::size_t>(std::min(before[row + 1] - at, static_cast<std::int64_t>(out.size() - done)));
            std::vector<unsigned char> raw(take * static_cast<std::size_t>(sampleBytes(type)));
            if (auto r = file->read(starts[row] + (at - before[row]) * sampleBytes(type), raw); !r) {
                return r;
            }
            decodeSamples(raw.data(), type, order, out.subspan(done, take));
            done += take;
        }
        return {};
    };
}

Result<SampleStatistics> statisticsOf(const StoredArray& array,
                                      const std::function<void(std::span<const double>)>& also)
{
    StatisticsSum sum;
    const auto take = [&](std::int64_t, std::span<const double> part) {
        sum.add(part);
        if (also) {
            also(part);
        }
    };
    if (auto r = eachBlock(array, take); !r) {
        return tl::unexpected(r.error());
    }
    return sum.result();
}

Result<std::vector<float>> readFloats(const StoredArray& array)
{
    std::vector<float> out(static_cast<std::size_t>(array.count()));
    auto r = eachBlock(array, [&out](std::int64_t first, std::span<const double> part) {
        std::transform(part.begin(), part.end(), out.begin() + first, [](double v) { return static_cast<float>(v); });
    });
    if (!r) {
        return tl::unexpected(r.error());
    }
    return out;
}

Result<std::vector<double>> readDoubles(const StoredArray& array)
{
    std::vector<double> out(static_cast<std::size_t>(array.count()));
    auto r = eachBlock(array, [&out](std::int64_t first, std::span<const double> part) {
        std::copy(part.begin(), part.end(), out.begin() + first);
    });
    if (!r) {
        return tl::unexpected(r.error());
    }
    return out;
}

} // namespace ondo
