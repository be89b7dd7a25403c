// The state every c steps, and W(n) of the c steps that are being read: these are stepped once more from their checkpoint.
// The same steps from the same state give the same bits, so the gradient is that of the full tape.
#include "engine/tape/tape.h"

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

// Bytes (N / c) S + (c / k) F are least at c = sqrt(N k S / F).
int chunkOf(const TapeNeeds& needs, const TapeOptions& options)
{
    if (options.chunk > 0) {
        return std::min(options.chunk, needs.steps);
    }
    const double best = std::sqrt(static_cast<double>(needs.steps) * options.every *
                                  static_cast<double>(needs.stateBytes) / static_cast<double>(needs.keptBytes));
    return std::clamp(static_cast<int>(std::lround(best)), 1, needs.steps);
}

std::size_t chunksOf(const TapeNeeds& needs, int chunk)
{
    return (static_cast<std::size_t>(needs.steps) + static_cast<std::size_t>(chunk) - 1) /
           static_cast<std::size_t>(chunk);
}

// Kept steps that a chunk can hold, wherever it begins.
std::size_t slotsOf(int chunk, int every)
{
    return static_cast<std::size_t>((chunk + every - 1) / every);
}

TapeNeeds needsOf(const TapedWave& wave)
{
    return {wave.steps(), wave.keptBytes(), wave.stateBytes()};
}

class ChunkTape final : public Tape {
public:
    ChunkTape(TapedWave& wave, const TapeOptions& options)
        : m_wave(wave)
        , m_every(options.every)
        , m_chunk(chunkOf(needsOf(wave), options))
        , m_held((wave.steps() - 1) / m_chunk) // the last chunk is kept as it is first stepped
        , m_states(block(chunksOf(needsOf(wave), m_chunk) * wave.stateBytes(), "checkpoints"))
        , m_kept(block(slotsOf(m_chunk, m_every) * wave.keptBytes(), "tape"))
    {
    }

    void beforeStep(int n) override
    {
        if (n % m_chunk == 0) {
            m_wave.save(state(n / m_chunk));
        }
    }

    void afterStep(int n) override
    {
        if (n / m_chunk == m_held) {
            keep(n);
        }
    }

    const void* kept(int n) override
    {
        if (n % m_every != 0) {
            return nullptr;
        }
        if (n / m_chunk != m_held) {
            m_held = n / m_chunk;
            m_wave.restore(state(m_held));
            const int end = std::min(m_wave.steps(), (m_held + 1) * m_chunk);
            for (int i = m_held * m_chunk; i < end; ++i) {
                m_wave.step(i);
                keep(i);
            }
        }
        return slot(n);
    }

private:
    [[nodiscard]] Buffer<std::byte> block(std::size_t bytes, const char* label) const
    {
        return {m_wave.device(), bytes, label, BlockSize::Kept, BlockContent::Uninitialised, m_wave.stream()};
    }
    [[nodiscard]] std::byte* state(int chunk) const
    {
        return m_states.data() + static_cast<std::size_t>(chunk) * m_wave.stateBytes();
    }
    [[nodiscard]] std::byte* slot(int n) const
    {
        const int first = (m_held * m_chunk + m_every - 1) / m_every; // kept step of the chunk
        return m_kept.data() + static_cast<std::size_t>(n / m_every - first) * m_wave.keptBytes();
    }
    void keep(int n)
    {
        if (n % m_every == 0) {
            m_wave.keep(n, slot(n));
        }
    }

    TapedWave& m_wave;
    int m_every, m_chunk, m_held;
    Buffer<std::byte> m_states, m_kept;
};

} // namespace

TapeKind chunkTape()
{
    TapeKind kind;
    kind.name = "chunks";
    kind.summary = "a checkpoint every so many steps; the forward run is computed twice";
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) {
        const int chunk = chunkOf(needs, options);
        return chunksOf(needs, chunk) * needs.stateBytes + slotsOf(chunk, options.every) * needs.keptBytes;
    };
    kind.forwardRuns = [](const TapeNeeds& needs, const TapeOptions& options) {
        const int chunk = chunkOf(needs, options);
        const int last = needs.steps - (needs.steps - 1) / chunk * chunk;
        return 1.0 - static_cast<double>(last) / needs.steps;
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> std::unique_ptr<Tape> {
        return std::make_unique<ChunkTape>(wave, options);
    };
    return kind;
}

} // namespace ondo
