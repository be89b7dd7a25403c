// A file for checkpoints that has no name any more: it is gone with the process, however that ends. Its room is asked for
// when it is made, so that a full disk is known before a run and not in the middle of it. One thread at a time.
#pragma once

#include "engine/core/result.h"

#include <cstddef>
#include <string>

namespace ondo {

class TapeFile {
public:
    // In a folder; empty: the system's for temporary files. Refuses with the folder, the bytes and what is free there.
    [[nodiscard]] static Result<TapeFile> make(const std::string& folder, std::size_t bytes);
    // Bytes free in the folder; an error says why it cannot be used.
    [[nodiscard]] static Result<std::size_t> room(const std::string& folder);

    TapeFile() = default;
    TapeFile(TapeFile&& other) noexcept;
    TapeFile& operator=(TapeFile&& other) noexcept;
    ~TapeFile();

    [[nodiscard]] Result<> write(std::size_t at, const void* from, std::size_t bytes);
    [[nodiscard]] Result<> read(std::size_t at, void* to, std::size_t bytes);
    void settle() const; // waits until what was written is on the disk itself

private:
    int m_file = -1;
    std::string m_folder;
};

} // namespace ondo
