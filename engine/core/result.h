// Result<T>: the value, or the Error that stands in its place. Alias of tl::expected until C++23.
#pragma once

#include "engine/core/error.h"

#include <tl/expected.hpp>

#include <utility>

namespace ondo {

template<class T = void>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorKind kind, std::string what, std::string remedy = {})
{
    return tl::unexpected<Error>(Error{kind, std::move(what), std::move(remedy), {}});
}

[[nodiscard]] inline tl::unexpected<Error> badInput(std::string what, std::string remedy = {})
{
    return fail(ErrorKind::BadInput, std::move(what), std::move(remedy));
}

// The same error one level further out, with a line of context put in front.
[[nodiscard]] inline tl::unexpected<Error> within(Error error, std::string context)
{
    error.context.insert(error.context.begin(), std::move(context));
    return tl::unexpected<Error>(std::move(error));
}

} // namespace ondo
