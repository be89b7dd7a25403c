// W(n) of every step, or of every k-th, on the device.
#include "engine/tape/shelf.h"

namespace ondo {

namespace {

std::size_t slots(const TapeNeeds& needs, const TapeOptions& options)
{
    const auto every = static_cast<std::size_t>(options.every);
    return (static_cast<std::size_t>(needs.steps) + every - 1) / every;
}

Shelf::Size sizeOf(const TapeNeeds& needs, const TapeOptions& options)
{
    return {slots(needs, options), needs.keptBytes / needs.numberBytes};
}

class FullTape final : public Tape {
public:
    FullTape(const TapeOptions& options, Shelf shelf)
        : m_every(options.every)
        , m_shelf(std::move(shelf))
    {
    }

    Result<void*> beforeStep(int n) override
    {
        return n % m_every == 0 ? m_shelf.writing(slot(n)) : Result<void*>(nullptr);
    }
    Result<> afterStep(int n) override
    {
        if (n % m_every == 0) {
            m_shelf.wrote(slot(n));
        }
        return {};
    }
    Result<const void*> kept(int n) override
    {
        return n % m_every == 0 ? m_shelf.reading(slot(n)) : Result<const void*>(nullptr);
    }

    Result<KeptSpan> beforeSteps(int n, int most) override
    {
        if (m_shelf.plain() == nullptr) {
            return Tape::beforeSteps(n, most);
        }
        const int until = (m_every - n % m_every) % m_every;
        return spanOf(n + until, {most, nullptr, static_cast<std::ptrdiff_t>(m_shelf.blockBytes()), m_every, until});
    }
    Result<> afterSteps(int n, int steps) override
    {
        return m_shelf.plain() == nullptr ? Tape::afterSteps(n, steps) : Result<>{};
    }
    Result<KeptSpan> keptOfSteps(int n, int most) override
    {
        if (m_shelf.plain() == nullptr) {
            return Tape::keptOfSteps(n, most);
        }
        const int until = n % m_every;
        return spanOf(n - until, {most, nullptr, -static_cast<std::ptrdiff_t>(m_shelf.blockBytes()), m_every, until});
    }

private:
    // From the first step of it that is kept.
    [[nodiscard]] KeptSpan spanOf(int n, KeptSpan span) const
    {
        if (span.until < span.steps) {
            span.first = m_shelf.plain() + slot(n) * m_shelf.blockBytes();
        }
        return span;
    }
    [[nodiscard]] std::size_t slot(int n) const { return static_cast<std::size_t>(n / m_every); }

    int m_every;
    Shelf m_shelf;
};

} // namespace

TapeKind fullTape()
{
    TapeKind kind;
    kind.name = "full";
    kind.summary = "one field a kept step and shot; nothing is computed twice";
    kind.stored = kind.spans = true;
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) {
        return Shelf::bytes(sizeOf(needs, options), needs.numberBytes, options);
    };
    kind.forwardRuns = [](const TapeNeeds&, const TapeOptions&) { return 0.0; };
    kind.work = [](const TapeNeeds& needs, const TapeOptions& options) {
        TapeWork work = Shelf::work(sizeOf(needs, options), needs.numberBytes, options, slots(needs, options));
        work.kept = static_cast<double>(slots(needs, options));
        return work;
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        auto shelf = Shelf::make(wave, sizeOf(needsOf(wave), options), options, "tape");
        if (!shelf) {
            return tl::unexpected<Error>(shelf.error());
        }
        return std::make_unique<FullTape>(options, std::move(*shelf));
    };
    return kind;
}

} // namespace ondo
