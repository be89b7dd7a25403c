// The state every c steps, and W(n) of the c steps that are being read: these are stepped once more from their checkpoint.
// The same steps from the same state give the same bits, so the gradient is that of the full tape.
#include "engine/tape/chunks.h"
#include "engine/tape/shelf.h"

namespace ondo {

namespace {

Chunks chunksOf(const TapeNeeds& needs, const TapeOptions& options)
{
    const std::size_t kept = Shelf::bytes(1000, needs.keptBytes / needs.numberBytes, needs.numberBytes,
                                          options.storage) /
                             1000; // as one of many
    return Chunks::of(needs.steps, options.every, options.chunk, needs.stateBytes, kept);
}

class ChunkTape final : public Tape {
public:
    ChunkTape(TapedWave& wave, const TapeOptions& options)
        : m_wave(wave)
        , m_chunks(chunksOf(needsOf(wave), options))
        , m_held(m_chunks.last()) // the last chunk is kept as it is first stepped
        , m_states(wave, m_chunks.count(), wave.stateBytes() / wave.numberBytes(), Storage::Exact, "checkpoints")
        , m_kept(wave, m_chunks.slots(), wave.keptBytes() / wave.numberBytes(), options.storage, "tape")
    {
    }

    Result<> beforeStep(int n) override
    {
        if (n % m_chunks.length == 0) {
            m_wave.save(m_states.writing(static_cast<std::size_t>(m_chunks.of(n))));
        }
        return {};
    }

    Result<> afterStep(int n) override
    {
        if (m_chunks.of(n) == m_held) {
            keep(n);
        }
        return {};
    }

    Result<const void*> kept(int n) override
    {
        if (n % m_chunks.every != 0) {
            return nullptr;
        }
        if (m_chunks.of(n) != m_held) {
            m_held = m_chunks.of(n);
            m_wave.restore(m_states.reading(static_cast<std::size_t>(m_held)));
            for (int i = m_chunks.begin(m_held); i < m_chunks.end(m_held); ++i) {
                m_wave.step(i);
                keep(i);
            }
        }
        return m_kept.reading(m_chunks.slot(n));
    }

private:
    void keep(int n)
    {
        if (n % m_chunks.every == 0) {
            m_wave.keep(n, m_kept.writing(m_chunks.slot(n)));
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
    kind.stored = kind.chunked = true;
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) -> TapeBytes {
        const Chunks chunks = chunksOf(needs, options);
        return {chunks.count() * needs.stateBytes + Shelf::bytes(chunks.slots(), needs.keptBytes / needs.numberBytes,
                                                                 needs.numberBytes, options.storage),
                0, 0};
    };
    kind.forwardRuns = [](const TapeNeeds& needs, const TapeOptions& options) {
        return chunksOf(needs, options).again();
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        return std::make_unique<ChunkTape>(wave, options);
    };
    return kind;
}

} // namespace ondo
