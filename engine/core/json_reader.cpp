#include "engine/core/json_reader.h"

#include <algorithm>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>

namespace ondo::json {

namespace {

constexpr int kDeepest = 64; // of arrays and objects within each other

// A character beyond ASCII as UTF-8.
void appendUtf8(std::string& out, std::uint32_t c)
{
    const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80U) {
        put(c);
    } else if (c < 0x800U) {
        put(0xC0U | c >> 6U);
        put(0x80U | (c & 0x3FU));
    } else if (c < 0x10000U) {
        put(0xE0U | c >> 12U);
        put(0x80U | (c >> 6U & 0x3FU));
        put(0x80U | (c & 0x3FU));
    } else {
        put(0xF0U | c >> 18U);
        put(0x80U | (c >> 12U & 0x3FU));
        put(0x80U | (c >> 6U & 0x3FU));
        put(0x80U | (c & 0x3FU));
    }
}

class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text)
    {
    }

    Result<Value> all()
    {
        Value value;
        if (!read(value, 0)) {
            return fault();
        }
        skipSpace();
        if (m_at != m_text.size()) {
            m_wanted = "the end";
            return fault();
        }
        return value;
    }

private:
    [[nodiscard]] tl::unexpected<Error> fault() const
    {
        return badInput(fmt::format("no JSON at byte {} of {}: {} is missing there", m_at, m_text.size(), m_wanted));
    }

    bool lacks(const char* what)
    {
        m_wanted = what;
        return false;
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos) {
            ++m_at;
        }
    }

    bool take(char c)
    {
        skipSpace();
        if (m_at < m_text.size() && m_text[m_at] == c) {
            ++m_at;
            return true;
        }
        return false;
    }

    bool takeWord(std::string_view word)
    {
        if (m_text.substr(m_at, word.size()) != word) {
            return false;
        }
        m_at += word.size();
        return true;
    }

    bool read(Value& value, int depth)
    {
        if (depth > kDeepest) {
            return lacks("an end of arrays within arrays");
        }
        if (take('{')) {
            return readObject(value, depth);
        }
        if (take('[')) {
            return readArray(value, depth);
        }
        if (take('"')) {
            value.kind = ValueKind::Text;
            return readText(value.text);
        }
        if (takeWord("true") || takeWord("false")) {
            value.kind = ValueKind::Boolean;
            value.boolean = m_text[m_at - 2] == 'u';
            return true;
        }
        return takeWord("null") || readNumber(value);
    }

    bool readObject(Value& value, int depth)
    {
        value.kind = ValueKind::Object;
        if (take('}')) {
            return true;
        }
        do {
            value.names.emplace_back();
            value.members.emplace_back();
            if (!take('"')) {
                return lacks("a name");
            }
            if (!readText(value.names.back())) {
                return false;
            }
            if (!take(':')) {
                return lacks("a colon");
            }
            if (!read(value.members.back(), depth + 1)) {
                return false;
            }
        } while (take(','));
        return take('}') || lacks("a comma or a brace");
    }

    bool readArray(Value& value, int depth)
    {
        value.kind = ValueKind::Array;
        if (take(']')) {
            return true;
        }
        do {
            value.items.emplace_back();
            if (!read(value.items.back(), depth + 1)) {
                return false;
            }
        } while (take(','));
        return take(']') || lacks("a comma or a bracket");
    }

    bool readNumber(Value& value)
    {
        const std::size_t end = std::min(m_text.find_first_not_of("+-.0123456789eE", m_at), m_text.size());
        const char* const first = m_text.data() + m_at;
        const auto [last, error] = std::from_chars(first, m_text.data() + end, value.number);
        if (error != std::errc{} || last != m_text.data() + end || !std::isfinite(value.number)) {
            return lacks("a value");
        }
        value.kind = ValueKind::Number;
        m_at = end;
        return true;
    }

    bool readText(std::string& out)
    {
        while (m_at < m_text.size() && m_text[m_at] != '"') {
            if (static_cast<unsigned char>(m_text[m_at]) < 0x20) {
                return lacks("an escape");
            }
            if (m_text[m_at] != '\\') {
                out += m_text[m_at++];
            } else if (++m_at; !readEscape(out)) {
                return false;
            }
        }
        if (m_at == m_text.size()) {
            return lacks("a quotation mark");
        }
        ++m_at;
        return true;
    }

    bool readEscape(std::string& out)
    {
        constexpr std::string_view kFrom = "\"\\/bfnrt";
        constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
        if (m_at == m_text.size()) {
            return lacks("an escape");
        }
        const char c = m_text[m_at++];
        if (const auto known = kFrom.find(c); known != std::string_view::npos) {
            out += kTo[known];
            return true;
        }
        std::uint32_t unit = 0;
        if (c != 'u' || !readHex(unit)) {
            return lacks("an escape");
        }
        std::uint32_t low = 0;
        if (unit >= 0xD800U && unit < 0xDC00U && takeWord("\\u") && readHex(low) && low >= 0xDC00U && low < 0xE000U) {
            unit = 0x10000U + ((unit - 0xD800U) << 10U) + (low - 0xDC00U);
        } else if (unit >= 0xD800U && unit < 0xE000U) {
            return lacks("the other half of a character");
        }
        appendUtf8(out, unit);
        return true;
    }

    bool readHex(std::uint32_t& unit)
    {
        const std::string_view digits = m_text.substr(m_at, 4);
        const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        m_at += digits.size();
        return digits.size() == 4 && error == std::errc{} && last == digits.data() + 4;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    const char* m_wanted = "a value";
};

} // namespace

const Value* Value::find(std::string_view name) const
{
    const auto known = std::find(names.begin(), names.end(), name);
    return known == names.end() ? nullptr : &members[static_cast<std::size_t>(known - names.begin())];
}

double Value::numberAt(std::string_view name, double lacking) const
{
    const Value* value = find(name);
    return value != nullptr && value->kind == ValueKind::Number ? value->number : lacking;
}

std::string Value::textAt(std::string_view name) const
{
    const Value* value = find(name);
    return value != nullptr && value->kind == ValueKind::Text ? value->text : std::string();
}

Result<Value> parse(std::string_view text)
{
    return Reader(text).all();
}

} // namespace ondo::json
