// JSON text read into values: RFC 8259, whole or refused with the place of the fault. For small files of our own; what is
// written by engine/core/json.h comes back. Any thread.
#pragma once

#include "engine/core/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ondo::json {

enum class ValueKind { Null, Boolean, Number, Text, Array, Object };

struct Value {
    ValueKind kind = ValueKind::Null;
    bool boolean = false;
    double number = 0.0;
    std::string text;
    std::vector<Value> items;       // of an array
    std::vector<std::string> names; // of an object, in their order
    std::vector<Value> members;     // of those names

    // A member of an object; null if there is none, or this is no object.
    [[nodiscard]] const Value* find(std::string_view name) const;
    // A member that is a number, a text; otherwise what is given for lack of it.
    [[nodiscard]] double numberAt(std::string_view name, double lacking) const;
    [[nodiscard]] std::string textAt(std::string_view name) const;
};

[[nodiscard]] Result<Value> parse(std::string_view text);

} // namespace ondo::json
