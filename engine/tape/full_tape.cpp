// W(n) of every step, or of every k-th, on the device.
#include "engine/tape/shelf.h"

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
        , m_shelf(wave, slots(needsOf(wave), options), wave.keptBytes() / wave.numberBytes(), options.storage, "tape")
    {
    }

    Result<> beforeStep(int /*n*/) override { return {}; }
    Result<> afterStep(int n) override
    {
        if (n % m_every == 0) {
            m_wave.keep(n, m_shelf.writing(slot(n)));
            m_shelf.wrote(slot(n));
        }
        return {};
    }
    Result<const void*> kept(int n) override { return n % m_every == 0 ? m_shelf.reading(slot(n)) : nullptr; }

private:
    [[nodiscard]] std::size_t slot(int n) const { return static_cast<std::size_t>(n / m_every); }

    TapedWave& m_wave;
    int m_every;
    Shelf m_shelf;
};

} // namespace

TapeKind fullTape()
{
    TapeKind kind;
    kind.name = "full";
    kind.summary = "one field a kept step and shot; nothing is computed twice";
    kind.stored = true;
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) -> TapeBytes {
        return {Shelf::bytes(slots(needs, options), needs.keptBytes / needs.numberBytes, needs.numberBytes,
                             options.storage),
                0, 0};
    };
    kind.forwardRuns = [](const TapeNeeds&, const TapeOptions&) { return 0.0; };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        return std::make_unique<FullTape>(wave, options);
    };
    return kind;
}

} // namespace ondo
