#include "engine/tape/checkpoints.h"

namespace ondo {

using kernels::CopyPurpose;

namespace {

Buffer<std::byte> buffer(TapedWave& wave, std::size_t bytes)
{
    return bytes == 0
               ? Buffer<std::byte>{}
               : Buffer<std::byte>{wave.device(), bytes, "checkpoints", BlockSize::Kept, BlockContent::Uninitialised,
                                   wave.stream()};
}

} // namespace

TapeBytes Checkpoints::bytes(const TapeNeeds& needs, const TapeOptions& options)
{
    const auto times = [&needs](int count) { return static_cast<std::size_t>(count) * needs.stateBytes; };
    const int passing = options.hostCheckpoints + options.diskCheckpoints > 0 ? 1 : 0;
    return {times(options.checkpoints + passing),
            times(options.hostCheckpoints + (options.diskCheckpoints > 0 ? 1 : 0)), times(options.diskCheckpoints)};
}

Checkpoints::Checkpoints(TapedWave& wave, const TapeOptions& options)
    : m_wave(wave)
    , m_size(wave.stateBytes())
    , m_disk(options.diskCheckpoints)
    , m_host(options.hostCheckpoints)
    , m_onDevice(options.checkpoints)
    , m_states(buffer(wave, static_cast<std::size_t>(m_onDevice) * m_size))
    , m_passing(buffer(wave, m_disk + m_host > 0 ? m_size : 0))
{
}

Result<std::unique_ptr<Checkpoints>> Checkpoints::make(TapedWave& wave, const TapeOptions& options)
{
    std::unique_ptr<Checkpoints> made(new Checkpoints(wave, options));
    if (made->m_disk > 0) {
        auto file = TapeFile::make(options.folder, static_cast<std::size_t>(made->m_disk) * made->m_size);
        if (!file) {
            return tl::unexpected<Error>(file.error());
        }
        made->m_file = std::move(*file);
    }
    const auto pinned = static_cast<std::size_t>(made->m_host + (made->m_disk > 0 ? 1 : 0));
    if (pinned > 0) {
        made->m_pinned = wave.device()->arena().pinned().take(pinned * made->m_size);
    }
    return made;
}

Checkpoints::~Checkpoints()
{
    if (m_pinned != nullptr) {
        m_wave.device()->arena().pinned().give(m_pinned);
    }
}

std::byte* Checkpoints::hostPlace(int slot) const
{
    return m_pinned + static_cast<std::size_t>(slot < m_disk ? m_host : slot - m_disk) * m_size;
}

std::byte* Checkpoints::devicePlace(int slot) const
{
    const int onDevice = slot - m_disk - m_host;
    return onDevice < 0 ? m_passing.data() : m_states.data() + static_cast<std::size_t>(onDevice) * m_size;
}

Result<> Checkpoints::save(int slot)
{
    m_wave.save(devicePlace(slot));
    if (slot >= m_disk + m_host) {
        return {};
    }
    auto& backend = m_wave.device()->backend();
    backend.copyToHost(hostPlace(slot), m_passing.data(), m_size, m_wave.stream().handle(), CopyPurpose::Field);
    backend.synchronize(m_wave.stream().handle());
    return slot < m_disk ? m_file.write(static_cast<std::size_t>(slot) * m_size, hostPlace(slot), m_size) : Result<>{};
}

Result<> Checkpoints::restore(int slot)
{
    if (slot < m_disk) {
        if (auto ok = m_file.read(static_cast<std::size_t>(slot) * m_size, hostPlace(slot), m_size); !ok) {
            return ok;
        }
    }
    if (slot < m_disk + m_host) {
        m_wave.device()->backend().copyToDevice(m_passing.data(), hostPlace(slot), m_size, m_wave.stream().handle(),
                                                CopyPurpose::Field);
    }
    m_wave.restore(devicePlace(slot));
    return {};
}

} // namespace ondo
