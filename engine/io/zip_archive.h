// The entries of a ZIP archive, stored or deflated: what a .npz file is. Any thread.
#pragma once

#include "engine/io/input_file.h"

#include <string>
#include <vector>

namespace ondo {

class ZipArchive {
public:
    struct Entry {
        std::string name;
        int method = 0; // 0 stored, 8 deflated
        std::uint32_t crc = 0;
        std::int64_t packed = 0; // bytes in the file
        std::int64_t size = 0;   // bytes unpacked
        std::int64_t headerStart = 0;
    };

    // The central directory; refuses files without one and directories that do not fit the file.
    [[nodiscard]] static Result<std::vector<Entry>> list(const InputFile& file);
    // The entry's bytes, checked against their sum.
    [[nodiscard]] static Result<std::vector<unsigned char>> extract(const InputFile& file, const Entry& entry);
};

} // namespace ondo
