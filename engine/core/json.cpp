#include "engine/core/json.h"

#include <fmt/format.h>

#include <cmath>

namespace ondo::json {

namespace {

// Bytes of the UTF-8 character at the front, 0 if it is none.
std::size_t characterLength(std::string_view s)
{
    const auto at = [&s](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    const auto first = at(0);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length > s.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    // Overlong forms and surrogates are no characters.
    const bool overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
    const bool beyond = (first == 0xED && at(1) > 0x9F) || (first == 0xF4 && at(1) > 0x8F);
    return length > 1 && (overlong || beyond) ? 0 : length;
}

} // namespace

std::string text(std::string_view value)
{
    std::string out = "\"";
    while (!value.empty()) {
        const std::size_t length = characterLength(value);
        const char c = value[0];
        if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (length > 1) {
            out += value.substr(0, length);
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;
        }
        value.remove_prefix(length == 0 ? 1 : length);
    }
    return out + '"';
}

std::string number(double value)
{
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string array(const std::vector<std::string>& values)
{
    std::string out = "[";
    for (const auto& value : values) {
        out += (out.size() > 1 ? ", " : "") + value;
    }
    return out + "]";
}

std::string texts(const std::vector<std::string>& values)
{
    std::vector<std::string> quoted;
    for (const auto& value : values) {
        quoted.push_back(text(value));
    }
    return array(quoted);
}

Object& Object::add(std::string_view name, const std::string& value)
{
    m_body += (m_body.empty() ? "" : ", ") + text(name) + ": " + value;
    return *this;
}

} // namespace ondo::json
