// The state every c steps, and W(n) of the c steps that are being read: these are stepped once more from their checkpoint.
// The same steps from the same state give the same bits, so the gradient is that of the full tape.
#include "engine/tape/chunks.h"
#include "engine/tape/shelf.h"

#include <algorithm>

namespace ondo {

namespace {

Chunks chunksOf(const TapeNeeds& needs, const TapeOptions& options)
{
    const std::size_t kept = Shelf::blockBytes(needs.keptBytes / needs.numberBytes, needs.numberBytes, options.storage);
    return Chunks::of(needs.steps, options.every, options.chunk, needs.stateBytes, kept);
}

Shelf::Size statesOf(const TapeNeeds& needs, const TapeOptions& options)
{
    return {chunksOf(needs, options).count(), needs.stateBytes / needs.numberBytes, 1, 2};
}

Shelf::Size keptOf(const TapeNeeds& needs, const TapeOptions& options)
{
    return {chunksOf(needs, options).slots(), needs.keptBytes / needs.numberBytes};
}

class ChunkTape final : public Tape {
public:
    ChunkTape(TapedWave& wave, const TapeOptions& options, Shelf states, Shelf kept)
        : m_wave(wave)
        , m_chunks(chunksOf(needsOf(wave), options))
        , m_held(m_chunks.last()) // the last chunk is kept as it is first stepped
        , m_states(std::move(states))
        , m_kept(std::move(kept))
    {
    }

    Result<void*> beforeStep(int n) override
    {
        if (n % m_chunks.length == 0) {
            auto to = m_states.writing(static_cast<std::size_t>(m_chunks.of(n)));
            if (!to) {
                return to;
            }
            m_wave.save(*to);
        }
        return placeOf(n);
    }

    Result<> afterStep(int n) override
    {
        wrote(n);
        return {};
    }

    Result<const void*> kept(int n) override
    {
        if (n % m_chunks.every != 0) {
            return nullptr;
        }
        if (m_chunks.of(n) != m_held) {
            m_held = m_chunks.of(n);
            const auto state = m_states.reading(static_cast<std::size_t>(m_held));
            if (!state) {
                return tl::unexpected<Error>(state.error());
            }
            m_wave.restore(*state);
            for (int i = m_chunks.begin(m_held); i < m_chunks.end(m_held);) {
                const auto span = place(i, m_chunks.end(m_held) - i);
                if (!span) {
                    return tl::unexpected<Error>(span.error());
                }
                m_wave.advance(i, *span);
                if (m_kept.plain() == nullptr) {
                    wrote(i);
                }
                i += span->steps;
            }
        }
        return m_kept.reading(m_chunks.slot(n));
    }

    Result<KeptSpan> beforeSteps(int n, int most) override
    {
        if (n % m_chunks.length == 0) {
            auto to = m_states.writing(static_cast<std::size_t>(m_chunks.of(n)));
            if (!to) {
                return tl::unexpected<Error>(to.error());
            }
            m_wave.save(*to);
        }
        return place(n, std::min(most, m_chunks.end(m_chunks.of(n)) - n));
    }
    Result<> afterSteps(int n, int /*steps*/) override
    {
        if (m_kept.plain() == nullptr) {
            wrote(n);
        }
        return {};
    }
    Result<KeptSpan> keptOfSteps(int n, int most) override
    {
        const int until = n % m_chunks.every;
        const int first = n - until; // that is imaged
        if (m_kept.plain() == nullptr || first < m_chunks.begin(m_chunks.of(n)) || until >= most) {
            return Tape::keptOfSteps(n, most);
        }
        const auto there = kept(first);
        if (!there) {
            return tl::unexpected<Error>(there.error());
        }
        const int steps = std::min(most, n - m_chunks.begin(m_held) + 1);
        return KeptSpan{steps, const_cast<void*>(*there), -static_cast<std::ptrdiff_t>(m_kept.blockBytes()),
                        m_chunks.every, until};
    }

private:
    // Steps of one chunk from n on, no more than `most`, and where what is kept of them goes.
    Result<KeptSpan> place(int n, int most)
    {
        if (m_chunks.of(n) != m_held) {
            return KeptSpan{most, nullptr, 0, 1, 0};
        }
        if (m_kept.plain() == nullptr) {
            const auto to = placeOf(n);
            return to ? Result<KeptSpan>(KeptSpan{1, *to, 0, 1, 0}) : tl::unexpected<Error>(to.error());
        }
        const int until = (m_chunks.every - n % m_chunks.every) % m_chunks.every;
        KeptSpan span{most, nullptr, static_cast<std::ptrdiff_t>(m_kept.blockBytes()), m_chunks.every, until};
        if (until < most) {
            const auto to = m_kept.writing(m_chunks.slot(n + until));
            if (!to) {
                return tl::unexpected<Error>(to.error());
            }
            span.first = *to;
        }
        return span;
    }
    [[nodiscard]] bool isKept(int n) const { return m_chunks.of(n) == m_held && n % m_chunks.every == 0; }
    Result<void*> placeOf(int n) { return isKept(n) ? m_kept.writing(m_chunks.slot(n)) : Result<void*>(nullptr); }
    void wrote(int n)
    {
        if (isKept(n)) {
            m_kept.wrote(m_chunks.slot(n));
        }
    }

    TapedWave& m_wave;
    Chunks m_chunks;
    int m_held;
    Shelf m_states, m_kept;
};

} // namespace

TapeKind chunkTape()
{
    TapeKind kind;
    kind.name = "chunks";
    kind.summary = "a checkpoint every so many steps; the forward run is computed twice";
    kind.stored = kind.spans = kind.chunked = true;
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) {
        TapeBytes bytes = Shelf::bytes(statesOf(needs, options), needs.numberBytes, exactly(options));
        bytes += Shelf::bytes(keptOf(needs, options), needs.numberBytes, onDevice(options));
        return bytes;
    };
    kind.forwardRuns = [](const TapeNeeds& needs, const TapeOptions& options) {
        return chunksOf(needs, options).again();
    };
    kind.work = [](const TapeNeeds& needs, const TapeOptions& options) {
        const Chunks chunks = chunksOf(needs, options);
        const auto images = static_cast<std::size_t>((needs.steps + options.every - 1) / options.every);
        TapeWork work = Shelf::work(statesOf(needs, options), needs.numberBytes, exactly(options), chunks.count() - 1);
        work +=
            Shelf::work({images, needs.keptBytes / needs.numberBytes}, needs.numberBytes, onDevice(options), images);
        work.copied += static_cast<double>((2 * chunks.count() - 1) * needs.stateBytes);
        work.again = chunks.begin(chunks.last());
        work.kept = static_cast<double>(images);
        return work;
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        const TapeNeeds needs = needsOf(wave);
        auto states = Shelf::make(wave, statesOf(needs, options), exactly(options), "checkpoints");
        if (!states) {
            return tl::unexpected<Error>(states.error());
        }
        auto kept = Shelf::make(wave, keptOf(needs, options), onDevice(options), "tape");
        if (!kept) {
            return tl::unexpected<Error>(kept.error());
        }
        return std::make_unique<ChunkTape>(wave, options, std::move(*states), std::move(*kept));
    };
    return kind;
}

} // namespace ondo
