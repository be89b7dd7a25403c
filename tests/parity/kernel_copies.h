// Memory of a device: what goes there comes back, aligned and counted by its purpose.
#pragma once

#include "tests/parity/kernel_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ondo::check {

inline void checkCopies(Backend& cuda, StreamHandle stream, const std::function<void(bool, const std::string&)>& expect)
{
    const CopyCounters before = cuda.copies();
    {
        const Block<float> block(cuda, stream, std::vector<float>(1000, 1.0F));
        expect(block.read(CopyPurpose::Picture) == std::vector<float>(1000, 1.0F),
               "memory: what was written is not there");
        expect(reinterpret_cast<std::uintptr_t>(block.data()) % 256 == 0, "memory: not aligned to 256 bytes");
    }
    const CopyCounters after = cuda.copies();
    const auto setup = static_cast<std::size_t>(CopyPurpose::Setup);
    const auto picture = static_cast<std::size_t>(CopyPurpose::Picture);
    const auto field = static_cast<std::size_t>(CopyPurpose::Field);
    expect(after.toDevice[setup] - before.toDevice[setup] == 4000, "copies: to the device not counted");
    expect(after.toHost[picture] - before.toHost[picture] == 4000, "copies: to the host not counted");
    expect(after.toHost[field] == 0, "copies: field bytes counted that nobody copied");
}

// Memory that anybody may own is written again as soon as the call returns.
inline void checkLargeCopies(Backend& cuda, StreamHandle stream,
                             const std::function<void(bool, const std::string&)>& expect)
{
    for (const std::size_t bytes : {std::size_t{300'001}, std::size_t{5} << 20, (std::size_t{37} << 20) + 3}) {
        std::vector<std::uint8_t> in(bytes);
        std::generate(in.begin(), in.end(), [n = 0U]() mutable { return static_cast<std::uint8_t>((n += 7) >> 3); });
        const std::vector<std::uint8_t> kept = in;
        const Block<std::uint8_t> block(cuda, stream, bytes);
        const std::size_t third = bytes / 3 + 1;
        for (std::size_t at = 0; at < bytes; at += third) { // also to odd places
            const std::size_t part = std::min(third, bytes - at);
            cuda.copyToDevice(block.data() + at, in.data() + at, part, stream, CopyPurpose::Setup);
            std::fill_n(in.begin() + static_cast<std::ptrdiff_t>(at), part, std::uint8_t{0});
        }
        expect(block.read() == kept, "copies: " + std::to_string(bytes) + " bytes came back otherwise");
    }
}

} // namespace ondo::check
