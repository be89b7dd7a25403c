#include "engine/core/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ondo::json {

namespace {

constexpr int kDeepest = 64;

void appendUtf8(std::string& out, std::uint32_t code)
{
    const auto byte = [&out](std::uint32_t b) { out += static_cast<char>(b); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0U | code >> 6U);
        byte(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        byte(0xE0U | code >> 12U);
        byte(0x80U | (code >> 6U & 0x3FU));
        byte(0x80U | (code & 0x3FU));
    } else {
        byte(0xF0U | code >> 18U);
        byte(0x80U | (code >> 12U & 0x3FU));
        byte(0x80U | (code >> 6U & 0x3FU));
        byte(0x80U | (code & 0x3FU));
    }
}

// Each method moves on and says whether it found what it looks for; the first failure stays in m_fault.
class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text)
    {
    }

    Result<Value> whole()
    {
        Value value;
        if (readValue(value, 0)) {
            skipBlank();
            if (m_at == m_text.size()) {
                return value;
            }
            (void)fault("something stands after the value");
        }
        const auto before = m_text.substr(0, m_at);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const auto start = before.rfind('\n');
        const auto column = m_at - (start == std::string_view::npos ? 0 : start + 1) + 1;
        return badInput(fmt::format("line {}, column {}: {}", line, column, m_fault));
    }

private:
    bool fault(const char* what)
    {
        if (m_fault.empty()) {
            m_fault = what;
        }
        return false;
    }

    void skipBlank() { m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size()); }

    bool take(std::string_view word)
    {
        if (m_text.substr(m_at, word.size()) != word) {
            return false;
        }
        m_at += word.size();
        return true;
    }

    bool readValue(Value& value, int depth)
    {
        if (depth > kDeepest) {
            return fault("nested too deeply");
        }
        skipBlank();
        const char first = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (first == '{' || first == '[') {
            return readMany(value, depth, first == '{');
        }
        if (first == '"') {
            value.kind = Value::Kind::Text;
            return readText(value.text);
        }
        if (take("true") || take("false")) {
            value.kind = Value::Kind::Boolean;
            value.boolean = first == 't';
            return true;
        }
        return take("null") || readNumber(value);
    }

    bool readMany(Value& value, int depth, bool object)
    {
        value.kind = object ? Value::Kind::Object : Value::Kind::Array;
        const std::string_view close = object ? "}" : "]";
        ++m_at;
        skipBlank();
        if (take(close)) {
            return true;
        }
        for (;;) {
            std::string name;
            if (object) {
                skipBlank();
                if (!readText(name)) {
                    return fault("a name in quotes is missing");
                }
                skipBlank();
                if (!take(":")) {
                    return fault("a colon is missing");
                }
            }
            Value item;
            if (!readValue(item, depth + 1)) {
                return false;
            }
            if (object) {
                value.members.emplace_back(std::move(name), std::move(item));
            } else {
                value.items.push_back(std::move(item));
            }
            skipBlank();
            if (take(close)) {
                return true;
            }
            if (!take(",")) {
                return fault(object ? "a comma or } is missing" : "a comma or ] is missing");
            }
        }
    }

    bool readNumber(Value& value)
    {
        // from_chars also takes "inf", "nan", leading zeros and a bare dot, which JSON has not.
        const std::string_view rest = m_text.substr(m_at);
        const std::size_t sign = rest.starts_with('-') ? 1 : 0;
        const auto digit = [&rest](std::size_t i) { return i < rest.size() && rest[i] >= '0' && rest[i] <= '9'; };
        if (!digit(sign) || (rest[sign] == '0' && digit(sign + 1))) {
            return fault("no JSON value");
        }
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value.number);
        if (error != std::errc() || *(end - 1) == '.') {
            return fault("no number that can be held");
        }
        value.kind = Value::Kind::Number;
        m_at += static_cast<std::size_t>(end - rest.data());
        return true;
    }

    bool readText(std::string& out)
    {
        if (!take("\"")) {
            return fault("a text in quotes is missing");
        }
        while (m_at < m_text.size()) {
            const char c = m_text[m_at++];
            if (c == '"') {
                return true;
            }
            if (static_cast<unsigned char>(c) < 0x20) {
                return fault("a control character in a text");
            }
            if (c != '\\') {
                out += c;
            } else if (!readEscape(out)) {
                return false;
            }
        }
        return fault("a text without its closing quote");
    }

    bool readEscape(std::string& out)
    {
        constexpr std::string_view kLetters = "\"\\/bfnrt";
        constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
        const char c = m_at < m_text.size() ? m_text[m_at++] : '\0';
        if (const auto at = kLetters.find(c); at != std::string_view::npos) {
            out += kMeant[at];
            return true;
        }
        std::uint32_t code = 0;
        if (c != 'u' || !readHex(code)) {
            return fault("no such escape in a text");
        }
        if (code >= 0xD800 && code < 0xDC00) {
            std::uint32_t low = 0;
            if (!take("\\u") || !readHex(low) || low < 0xDC00 || low > 0xDFFF) {
                return fault("half a surrogate pair");
            }
            code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        } else if (code >= 0xDC00 && code <= 0xDFFF) {
            return fault("half a surrogate pair");
        }
        appendUtf8(out, code);
        return true;
    }

    bool readHex(std::uint32_t& code)
    {
        const std::string_view digits = m_text.substr(m_at, 4);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        m_at += digits.size();
        return digits.size() == 4 && error == std::errc() && end == digits.data() + 4;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::string m_fault;
};

} // namespace

const Value* Value::find(std::string_view name) const
{
    const auto found = std::find_if(members.begin(), members.end(), [name](const auto& m) { return m.first == name; });
    return found == members.end() ? nullptr : &found->second;
}

double Value::numberOf(std::string_view name, double otherwise) const
{
    const Value* value = find(name);
    return value != nullptr && value->kind == Kind::Number ? value->number : otherwise;
}

std::string Value::textOf(std::string_view name, std::string_view otherwise) const
{
    const Value* value = find(name);
    return value != nullptr && value->kind == Kind::Text ? value->text : std::string(otherwise);
}

Result<Value> read(std::string_view text)
{
    return Reader(text).whole();
}

} // namespace ondo::json
