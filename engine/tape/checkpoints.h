// States of a wave in three places: on the device, in the host's memory (pinned, so that a GPU reads it directly), on disk.
// What goes to the last two passes through one state on the device. Session's thread.
#pragma once

#include "engine/tape/tape.h"
#include "engine/tape/tape_file.h"

#include <cstddef>
#include <memory>

namespace ondo {

class Checkpoints {
public:
    // The first slots lie on disk, then come those of the host, then the device's: who counts on the last ones being asked
    // most often waits least.
    [[nodiscard]] static Result<std::unique_ptr<Checkpoints>> make(TapedWave& wave, const TapeOptions& options);
    [[nodiscard]] static TapeBytes bytes(const TapeNeeds& needs, const TapeOptions& options);
    ~Checkpoints();
    Checkpoints(const Checkpoints&) = delete;
    Checkpoints& operator=(const Checkpoints&) = delete;

    [[nodiscard]] int slots() const { return m_disk + m_host + m_onDevice; }
    [[nodiscard]] Result<> save(int slot);
    [[nodiscard]] Result<> restore(int slot);

private:
    Checkpoints(TapedWave& wave, const TapeOptions& options);

    [[nodiscard]] std::byte* hostPlace(int slot) const;   // of a slot that is not the device's
    [[nodiscard]] std::byte* devicePlace(int slot) const; // of any

    TapedWave& m_wave;
    std::size_t m_size;
    int m_disk, m_host, m_onDevice;
    Buffer<std::byte> m_states, m_passing;
    std::byte* m_pinned = nullptr; // the host's states, then one on its way to or from the disk
    TapeFile m_file;
};

} // namespace ondo
