// W(n) of every step, or of every k-th, on the device.
#include "engine/tape/tape.h"

namespace ondo {

namespace {

std::size_t slots(const TapeNeeds& needs, const TapeOptions& options)
{
    const auto every = static_cast<std::size_t>(options.every);
    return (static_cast<std::size_t>(needs.steps) + every - 1) / every;
}

class FullTape final : public Tape {
public:
    FullTape(TapedWave& wave, const TapeOptions& options)
        : m_wave(wave)
        , m_every(options.every)
        , m_blocks(wave.device(),
                   slots({wave.steps(), wave.keptBytes(), wave.stateBytes()}, options) * wave.keptBytes(), "tape",
                   BlockSize::Kept, BlockContent::Uninitialised, wave.stream())
    {
    }

    void beforeStep(int /*n*/) override {}
    void afterStep(int n) override
    {
        if (n % m_every == 0) {
            m_wave.keep(n, block(n));
        }
    }
    const void* kept(int n) override { return n % m_every == 0 ? block(n) : nullptr; }

private:
    [[nodiscard]] std::byte* block(int n) const
    {
        return m_blocks.data() + static_cast<std::size_t>(n / m_every) * m_wave.keptBytes();
    }

    TapedWave& m_wave;
    int m_every;
    Buffer<std::byte> m_blocks;
};

} // namespace

TapeKind fullTape()
{
    TapeKind kind;
    kind.name = "full";
    kind.summary = "one field a kept step and shot; nothing is computed twice";
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) {
        return slots(needs, options) * needs.keptBytes;
    };
    kind.forwardRuns = [](const TapeNeeds&, const TapeOptions&) { return 0.0; };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> std::unique_ptr<Tape> {
        return std::make_unique<FullTape>(wave, options);
    };
    return kind;
}

} // namespace ondo
