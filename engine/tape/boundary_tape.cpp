// The interior is lossless, so that its steps can be taken back: p(n-1) = 2 p(n) - p(n+1) + c2 W(n) from the run's last two
// fields, if the nodes beyond its edge, as deep as a stencil reaches, are given at each instant. Layers lose what goes into
// them and cannot be taken back; but they can be stepped again by themselves, from a checkpoint of theirs, if the interior's
// rim is given. So the rim is kept of each step, and of the layers a checkpoint every c steps, and of the c steps in hand
// their W and the edge.
// Numbers kept exactly give the layers' W to the bit, and the interior's to the rounding of the steps taken back.
#include "engine/tape/chunks.h"
#include "engine/tape/shelf.h"

#include <algorithm>

namespace ondo {

namespace {

// Of a block among many.
std::size_t bytesOf(std::size_t numbers, const TapeNeeds& needs, Storage storage)
{
    return Shelf::bytes(1000, numbers, needs.numberBytes, storage) / 1000;
}

Chunks chunksOf(const TapeNeeds& needs, const TapeOptions& options)
{
    const SplitSizes& split = needs.split;
    return Chunks::of(needs.steps, options.every, options.chunk, split.shellState * needs.numberBytes,
                      bytesOf(split.shell, needs, options.storage) +
                          static_cast<std::size_t>(options.every) * bytesOf(split.edge, needs, options.storage));
}

class BoundaryTape final : public Tape {
public:
    BoundaryTape(TapedWave& wave, SplitWave& split, const TapeOptions& options)
        : m_wave(wave)
        , m_split(split)
        , m_chunks(chunksOf(needsOf(wave), options))
        , m_held(m_chunks.last()) // the last chunk is kept as it is first stepped
        , m_at(wave.steps())
        , m_rim(wave, static_cast<std::size_t>(wave.steps()), split.sizes().rim, options.storage, "rim")
        , m_states(wave, m_chunks.count(), split.sizes().shellState, Storage::Exact, "checkpoints")
        , m_shell(wave, m_chunks.slots(), split.sizes().shell, options.storage, "tape")
        , m_edge(wave, static_cast<std::size_t>(m_chunks.length), split.sizes().edge, options.storage, "edge")
        , m_whole(wave, 1, wave.keptBytes() / wave.numberBytes(), Storage::Exact, "tape")
    {
    }

    Result<> beforeStep(int n) override
    {
        const auto at = static_cast<std::size_t>(n);
        m_split.saveRim(m_rim.writing(at));
        m_rim.wrote(at);
        if (n % m_chunks.length == 0) {
            m_split.saveShell(m_states.writing(static_cast<std::size_t>(m_chunks.of(n))));
        }
        return {};
    }

    Result<> afterStep(int n) override
    {
        if (m_chunks.of(n) == m_held) {
            keep(n, false);
        }
        return {};
    }

    Result<const void*> kept(int n) override
    {
        while (m_at > n) {
            --m_at;
            if (m_chunks.of(m_at) != m_held) {
                stepShell(m_chunks.of(m_at));
            }
            const bool imaged = m_at == n && n % m_chunks.every == 0;
            m_split.rewind(m_at, m_edge.reading(edgeSlot(m_at)), imaged ? m_shell.reading(m_chunks.slot(n)) : nullptr,
                           imaged ? m_whole.writing(0) : nullptr);
        }
        return n % m_chunks.every == 0 ? m_whole.reading(0) : nullptr;
    }

private:
    [[nodiscard]] std::size_t edgeSlot(int n) const { return static_cast<std::size_t>(n % m_chunks.length); }

    void stepShell(int chunk)
    {
        m_held = chunk;
        m_split.restoreShell(m_states.reading(static_cast<std::size_t>(chunk)));
        for (int i = m_chunks.begin(chunk); i < m_chunks.end(chunk); ++i) {
            m_split.stepShell(i, m_rim.reading(static_cast<std::size_t>(i)));
            keep(i, true);
        }
    }

    void keep(int n, bool ofShell)
    {
        const bool imaged = n % m_chunks.every == 0;
        void* const shell = imaged ? m_shell.writing(m_chunks.slot(n)) : nullptr;
        m_split.keepShell(n, ofShell, m_whole.writing(0), shell, m_edge.writing(edgeSlot(n)));
        if (imaged) {
            m_shell.wrote(m_chunks.slot(n));
        }
        m_edge.wrote(edgeSlot(n));
    }

    TapedWave& m_wave;
    SplitWave& m_split;
    Chunks m_chunks;
    int m_held;
    int m_at; // the run's fields hold p(m_at) and the one before
    Shelf m_rim, m_states, m_shell, m_edge, m_whole;
};

} // namespace

TapeKind boundaryTape()
{
    TapeKind kind;
    kind.name = "boundary";
    kind.summary = "the interior's rim of each step; the interior runs backwards, the layers are computed twice";
    kind.stored = kind.chunked = true;
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) -> TapeBytes {
        const Chunks chunks = chunksOf(needs, options);
        const auto shelf = [&](std::size_t blocks, std::size_t numbers, Storage storage) {
            return Shelf::bytes(blocks, numbers, needs.numberBytes, storage);
        };
        return {shelf(static_cast<std::size_t>(needs.steps), needs.split.rim, options.storage) +
                    shelf(chunks.count(), needs.split.shellState, Storage::Exact) +
                    shelf(chunks.slots(), needs.split.shell, options.storage) +
                    shelf(static_cast<std::size_t>(chunks.length), needs.split.edge, options.storage) +
                    needs.split.fields * needs.numberBytes + needs.keptBytes,
                0, 0};
    };
    // The interior backwards, and the layers of all chunks but the last once more.
    kind.forwardRuns = [](const TapeNeeds& needs, const TapeOptions& options) {
        const double shell = static_cast<double>(needs.split.shell * needs.numberBytes) /
                             static_cast<double>(std::max<std::size_t>(needs.keptBytes, 1));
        return std::max(0.0, 1.0 - shell) + std::min(shell, 1.0) * chunksOf(needs, options).again();
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        SplitWave* const split = wave.split();
        if (split == nullptr) {
            return badInput("the memory mode \"boundary\" for a wave that has no lossless interior",
                            "use the mode \"chunks\"");
        }
        return std::make_unique<BoundaryTape>(wave, *split, options);
    };
    return kind;
}

} // namespace ondo
