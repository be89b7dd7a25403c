// What the writer and the reader of inversions' files have to agree on. In builds with HDF5 alone; hold an Hdf5Lock.
#pragma once

#include "engine/core/result.h"
#include "engine/io/hdf5_reader.h"

#include <fmt/format.h>

#include <string>

namespace ondo {

inline constexpr const char* kInversionFormat = "ondoscope inversion";
// 2: /provenance/settings was added. 3: density or impedance beside the speed, which earlier programs would leave out.
inline constexpr long long kInversionVersion = 3;
inline constexpr const char* kSecondSets[] = {"density", "impedance"};

[[nodiscard]] inline std::string recordName(int index)
{
    return fmt::format("{:04}", index);
}
[[nodiscard]] inline std::string recordGroup(int index)
{
    return "/iterations/" + recordName(index);
}

// Refuses (Io, BadInput): what cannot be opened, is no inversion, or of a later format than this program knows.
[[nodiscard]] inline Result<> knownInversion(Hdf5Reader& in, const std::string& path)
{
    if (!in.good()) {
        return fail(ErrorKind::Io, fmt::format("{}: {}", path, in.wrong()), "look whether the file is there and whole");
    }
    if (!in.hasAttribute("/", "format") || in.attributeText("/", "format") != kInversionFormat) {
        return badInput(fmt::format("{}: is no inversion of this program", path),
                        "give a file that ondo invert has begun");
    }
    const auto version = static_cast<long long>(in.number("/", "format_version"));
    if (version > kInversionVersion) {
        return badInput(fmt::format("{}: is an inversion of format {}, and this program knows {}", path, version,
                                    kInversionVersion),
                        "open it with the program that wrote it, or a later one");
    }
    return {};
}

} // namespace ondo
