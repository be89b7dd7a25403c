// JSON text, read: RFC 8259, with the line and column of what is wrong. Value types. Any thread.
#pragma once

#include "engine/core/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ondo::json {

class Value {
public:
    enum class Kind { Null, Boolean, Number, Text, Array, Object };

    Kind kind = Kind::Null;
    bool boolean = false;
    double number = 0.0;
    std::string text;
    std::vector<Value> items;                           // of an array
    std::vector<std::pair<std::string, Value>> members; // of an object, as they stand

    [[nodiscard]] const Value* find(std::string_view name) const; // null: no object, or it has no such member
    // The member if there is one of that kind, otherwise `otherwise`.
    [[nodiscard]] double numberOf(std::string_view name, double otherwise = 0.0) const;
    [[nodiscard]] std::string textOf(std::string_view name, std::string_view otherwise = {}) const;
};

// Refuses (BadInput) whatever is not one JSON value, and nesting deeper than 64.
[[nodiscard]] Result<Value> read(std::string_view text);

} // namespace ondo::json
