// JSON text, written; engine/core/json_reader.h reads. Values are strings of JSON themselves, so that they nest. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ondo::json {

[[nodiscard]] std::string text(std::string_view value); // quoted and escaped; what is no UTF-8 becomes U+FFFD
[[nodiscard]] std::string number(double value);         // shortest that reads back; null for what is not finite
template<class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
[[nodiscard]] std::string number(Integer value)
{
    return std::to_string(value);
}
[[nodiscard]] inline std::string boolean(bool value)
{
    return value ? "true" : "false";
}
[[nodiscard]] std::string array(const std::vector<std::string>& values);
[[nodiscard]] std::string texts(const std::vector<std::string>& values); // an array of strings

// Members in the order they were added.
class Object {
public:
    Object& add(std::string_view name, const std::string& value);
    [[nodiscard]] std::string str() const { return "{" + m_body + "}"; }

private:
    std::string m_body;
};

} // namespace ondo::json
