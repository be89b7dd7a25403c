#include "engine/core/error.h"

namespace ondo {

std::string Error::text() const
{
    std::string all;
    for (const auto& line : context) {
        all += line + ": ";
    }
    all += what;
    if (!remedy.empty()) {
        all += "; " + remedy;
    }
    return all;
}

int exitCode(const Error& error)
{
    switch (error.kind) {
    case ErrorKind::BadInput:
    case ErrorKind::NotFound: return 2;
    case ErrorKind::Cancelled: return 130;
    default: return 3;
    }
}

} // namespace ondo
