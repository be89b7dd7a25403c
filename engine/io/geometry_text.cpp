#include "engine/io/geometry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ondo::geometry {

namespace {

constexpr std::int64_t kBlock = 1 << 20;
constexpr std::size_t kLongestLine = 1 << 16;

bool isControl(unsigned char c)
{
    return c < 32 && c != '\t' && c != '\f' && c != 0x1A; // 1A ends files of old systems
}

} // namespace

bool LineReader::fill()
{
    const std::int64_t left = m_file->size() - m_read;
    if (left <= 0) {
        return false;
    }
    auto block = m_file->bytes(m_read, std::min(left, kBlock));
    if (!block) {
        m_error = tl::unexpected<Error>(block.error());
        return false;
    }
    m_read += static_cast<std::int64_t>(block->size());
    m_block = std::move(*block);
    m_at = 0;
    return true;
}

bool LineReader::next(std::string& line)
{
    line.clear();
    bool any = false;
    bool ended = false;
    while (m_error && !ended) {
        if (m_at == m_block.size() && !fill()) {
            break;
        }
        any = true;
        const auto first = m_block.begin() + static_cast<std::ptrdiff_t>(m_at);
        const auto end = std::find_if(first, m_block.end(), [](unsigned char c) { return c == '\n' || c == '\r'; });
        line.append(first, end);
        m_at = static_cast<std::size_t>(end - m_block.begin());
        if (line.size() > kLongestLine) {
            m_error = badInput(fmt::format("line {} is longer than {} characters", m_number + 1, kLongestLine),
                               "this is not a file of lines");
            return false;
        }
        if (end == m_block.end()) {
            continue;
        }
        ended = true;
        const bool carriage = *end == '\r';
        ++m_at;
        if (carriage && (m_at < m_block.size() || fill()) && m_block[m_at] == '\n') {
            ++m_at;
        }
    }
    if (!m_error || !any) {
        return false;
    }
    ++m_number;
    if (std::any_of(line.begin(), line.end(), [](char c) { return isControl(static_cast<unsigned char>(c)); })) {
        m_error = badInput(fmt::format("line {} holds bytes that no text has", m_number), "this is not a text file");
        return false;
    }
    return true;
}

std::string_view columns(std::string_view line, std::size_t first, std::size_t last)
{
    return first > line.size() ? std::string_view() : line.substr(first - 1, last - first + 1);
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> words(std::string_view line, std::string_view separators)
{
    std::vector<std::string_view> out;
    std::size_t at = line.find_first_not_of(separators);
    while (at != line.npos) {
        const auto end = line.find_first_of(separators, at);
        out.push_back(line.substr(at, end == line.npos ? line.npos : end - at));
        at = end == line.npos ? line.npos : line.find_first_not_of(separators, end);
    }
    return out;
}

std::optional<double> numberOf(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    double value = 0.0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || wrong != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
        std::abs(value) > 1e12) {
        return std::nullopt;
    }
    return value;
}

double numberOrZero(std::string_view text, bool& good)
{
    if (trimmed(text).empty()) {
        return 0.0;
    }
    const auto value = numberOf(text);
    good = good && value;
    return value.value_or(0.0);
}

std::int32_t LineNames::index(std::string_view name)
{
    const std::string key(trimmed(name));
    const auto [found, added] = m_known.try_emplace(key, static_cast<std::int32_t>(m_file.lines.size()));
    if (added) {
        m_file.lines.push_back(key);
    }
    return found->second;
}

Result<double> unitFromName(const std::string& name)
{
    if (name == "m") {
        return 1.0;
    }
    if (name == "km") {
        return 1000.0;
    }
    if (name == "ft") {
        return 0.3048;
    }
    if (name == "us-ft") {
        return 1200.0 / 3937.0; // the survey foot of the United States
    }
    return badInput(fmt::format("\"{}\" is not a unit of length that is known", name), "use m, km, ft or us-ft");
}

void applyUnit(GeometryFile& file)
{
    if (file.unit == 1.0) {
        return;
    }
    for (auto* points : {&file.sources, &file.receivers, &file.places}) {
        for (auto& p : *points) {
            p.x *= file.unit;
            p.y *= file.unit;
            p.elevation *= file.unit;
            p.depth *= file.unit;
        }
    }
}

} // namespace ondo::geometry
