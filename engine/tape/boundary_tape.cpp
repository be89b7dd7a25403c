// The interior is lossless, so that its steps can be taken back: p(n-1) = 2 p(n) - p(n+1) + c2 W(n) from the run's last two
// fields, if the nodes beyond its edge, as deep as a stencil reaches, are given at each instant. Layers lose what goes into
// them and cannot be taken back; but they can be stepped again by themselves, from a checkpoint of theirs, if the interior's
// rim is given. So the rim is kept of each step, and of the layers a checkpoint every c steps, and of the c steps in hand
// their W and the edge. The last c steps are in hand when the run ends: where memory allows c to be all of them, no layer is
// stepped again, and neither rim nor checkpoint is kept.
// Numbers kept exactly give the layers' W to the bit, and the interior's to the rounding of the steps taken back.
#include "engine/tape/chunks.h"
#include "engine/tape/shelf.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ondo {

namespace {

Chunks chunksOf(const TapeNeeds& needs, const TapeOptions& options)
{
    const auto bytes = [&](std::size_t numbers) {
        return Shelf::blockBytes(numbers, needs.numberBytes, options.storage);
    };
    return Chunks::of(needs.steps, options.every, options.chunk, needs.split.shellState * needs.numberBytes,
                      bytes(needs.split.shellKept) + static_cast<std::size_t>(options.every) * bytes(needs.split.edge));
}

// What is kept, in the order of Shelves.
struct Kept {
    Shelf::Size size;
    TapeOptions options;
    const char* label;
};

std::array<Kept, 5> keptOf(const TapeNeeds& needs, const TapeOptions& options)
{
    const Chunks chunks = chunksOf(needs, options);
    const SplitSizes& split = needs.split;
    const auto length = static_cast<std::size_t>(chunks.length);
    return {Kept{{static_cast<std::size_t>(chunks.begin(chunks.last())), split.rim, length}, options, "rim"},
            Kept{{chunks.count() - 1, split.shellState, 1, 2}, exactly(options), "checkpoints"},
            Kept{{chunks.slots(), split.shellKept}, onDevice(options), "tape"},
            Kept{{length, split.edge}, onDevice(options), "edge"},
            Kept{{1, needs.keptBytes / needs.numberBytes}, exactly(onDevice(options)), "tape"}};
}

class BoundaryTape final : public Tape {
public:
    BoundaryTape(TapedWave& wave, SplitWave& split, const TapeOptions& options, std::vector<Shelf> shelves)
        : m_split(split)
        , m_chunks(chunksOf(needsOf(wave), options))
        , m_held(m_chunks.last()) // the last chunk is kept as it is first stepped
        , m_at(wave.steps())
        , m_shelves(std::move(shelves))
    {
    }

    Result<void*> beforeStep(int n) override
    {
        if (m_chunks.of(n) == m_held) {
            return wholeOf(n);
        }
        auto rim = m_rim.writing(static_cast<std::size_t>(n));
        if (!rim) {
            return rim;
        }
        m_split.saveRim(*rim);
        m_rim.wrote(static_cast<std::size_t>(n));
        if (n % m_chunks.length == 0) {
            auto state = m_states.writing(static_cast<std::size_t>(m_chunks.of(n)));
            if (!state) {
                return state;
            }
            m_split.saveShell(*state);
        }
        return nullptr;
    }
    Result<KeptSpan> beforeSteps(int n, int /*most*/) override
    {
        const auto to = beforeStep(n);
        return to ? Result<KeptSpan>(KeptSpan{1, *to, 0, 1, 0, true}) : tl::unexpected<Error>(to.error());
    }

    Result<> afterStep(int n) override { return m_chunks.of(n) == m_held ? keep(n, false) : Result<>{}; }

    Result<const void*> kept(int n) override
    {
        if (auto ok = backTo(n, false); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        return isImaged(n) ? m_whole.reading(0) : Result<const void*>(nullptr);
    }
    Result<KeptSpan> keptOfSteps(int n, int most) override
    {
        if (m_at != n + 1 || !isImaged(n) || !m_split.rewindsWithin()) {
            return Tape::keptOfSteps(n, most);
        }
        if (auto ok = backTo(n, true); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        const auto whole = m_whole.reading(0);
        return whole ? Result<KeptSpan>(KeptSpan{1, const_cast<void*>(*whole), 0, 1, 0, true})
                     : tl::unexpected<Error>(whole.error());
    }

private:
    // within: the last step is taken back by whoever asked.
    Result<> backTo(int n, bool within)
    {
        while (m_at > n) {
            --m_at;
            if (m_chunks.of(m_at) != m_held) {
                if (auto ok = stepShell(m_chunks.of(m_at)); !ok) {
                    return ok;
                }
            }
            const bool imaged = m_at == n && isImaged(n);
            const auto edge = m_edge.reading(edgeSlot(m_at));
            const auto shell = imaged ? m_shell.reading(m_chunks.slot(n)) : Result<const void*>(nullptr);
            const auto whole = imaged ? m_whole.writing(0) : Result<void*>(nullptr);
            if (!edge || !shell || !whole) {
                return tl::unexpected<Error>(!edge ? edge.error() : !shell ? shell.error() : whole.error());
            }
            if (within && m_at == n) {
                m_split.layForRewind(*edge, *shell, *whole);
            } else {
                m_split.rewind(m_at, *edge, *shell, *whole);
            }
        }
        return {};
    }

    [[nodiscard]] std::size_t edgeSlot(int n) const { return static_cast<std::size_t>(n % m_chunks.length); }

    Result<> stepShell(int chunk)
    {
        m_held = chunk;
        const auto state = m_states.reading(static_cast<std::size_t>(chunk));
        if (!state) {
            return tl::unexpected<Error>(state.error());
        }
        m_split.restoreShell(*state);
        for (int i = m_chunks.begin(chunk); i < m_chunks.end(chunk); ++i) {
            const auto rim = m_rim.reading(static_cast<std::size_t>(i));
            if (!rim) {
                return tl::unexpected<Error>(rim.error());
            }
            const auto whole = wholeOf(i);
            if (!whole) {
                return tl::unexpected<Error>(whole.error());
            }
            m_split.stepShell(i, *rim, *whole);
            if (auto ok = keep(i, true); !ok) {
                return ok;
            }
        }
        return {};
    }

    [[nodiscard]] bool isImaged(int n) const { return n % m_chunks.every == 0; }
    Result<void*> wholeOf(int n) { return isImaged(n) ? m_whole.writing(0) : Result<void*>(nullptr); }

    Result<> keep(int n, bool ofShell)
    {
        const bool imaged = isImaged(n);
        const auto shell = imaged ? m_shell.writing(m_chunks.slot(n)) : Result<void*>(nullptr);
        const auto edge = m_edge.writing(edgeSlot(n));
        const auto whole = m_whole.reading(0);
        if (!shell || !edge || !whole) {
            return tl::unexpected<Error>(!shell ? shell.error() : !edge ? edge.error() : whole.error());
        }
        m_split.keepShell(ofShell, *whole, *shell, *edge);
        if (imaged) {
            m_shell.wrote(m_chunks.slot(n));
        }
        m_edge.wrote(edgeSlot(n));
        return {};
    }

    SplitWave& m_split;
    Chunks m_chunks;
    int m_held;
    int m_at; // the run's fields hold p(m_at) and the one before
    std::vector<Shelf> m_shelves;
    Shelf &m_rim = m_shelves[0], &m_states = m_shelves[1], &m_shell = m_shelves[2], &m_edge = m_shelves[3],
          &m_whole = m_shelves[4];
};

} // namespace

TapeKind boundaryTape()
{
    TapeKind kind;
    kind.name = "boundary";
    kind.summary = "the interior's rim of each step; the interior runs backwards, the layers are computed twice";
    kind.stored = kind.chunked = kind.rewinds = true;
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) {
        TapeBytes bytes; // fields of the shell's own are made when it is stepped again
        bytes.device = chunksOf(needs, options).last() > 0 ? needs.split.fields * needs.numberBytes : 0;
        for (const Kept& kept : keptOf(needs, options)) {
            bytes += Shelf::bytes(kept.size, needs.numberBytes, kept.options);
        }
        return bytes;
    };
    // The interior backwards, and the layers of all chunks but the last once more.
    kind.forwardRuns = [](const TapeNeeds& needs, const TapeOptions& options) {
        const double shell = static_cast<double>(needs.split.shell * needs.numberBytes) /
                             static_cast<double>(std::max<std::size_t>(needs.keptBytes, 1));
        return std::max(0.0, 1.0 - shell) + std::min(shell, 1.0) * chunksOf(needs, options).again();
    };
    kind.work = [](const TapeNeeds& needs, const TapeOptions& options) {
        const Chunks chunks = chunksOf(needs, options);
        const auto steps = static_cast<std::size_t>(needs.steps);
        const auto again = static_cast<std::size_t>(chunks.begin(chunks.last()));
        const auto images =
            (steps + static_cast<std::size_t>(options.every) - 1) / static_cast<std::size_t>(options.every);
        const SplitSizes& split = needs.split;
        TapeWork work = Shelf::work({again, split.rim, 1}, needs.numberBytes, options, again);
        work += Shelf::work({chunks.count() - 1, split.shellState, 1, 2}, needs.numberBytes, exactly(options),
                            chunks.count() - 1);
        work += Shelf::work({images, split.shellKept, 1}, needs.numberBytes, onDevice(options), images);
        work += Shelf::work({steps, split.edge, 1}, needs.numberBytes, onDevice(options), steps);
        work.rewound = static_cast<double>(steps);
        work.shellNodes = static_cast<double>(again * split.shell);
        // Of the last chunk W of the layers, as it is first stepped; the rest is within the other parts.
        const double whole = static_cast<double>(needs.keptBytes) / static_cast<double>(needs.numberBytes);
        work.kept += static_cast<double>(images) * static_cast<double>(steps - again) / static_cast<double>(steps) *
                     static_cast<double>(split.shellKept) / std::max(whole, 1.0);
        work.gathered = static_cast<double>(again * split.rim + (steps - again) * (split.edge + split.shellKept));
        return work;
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        SplitWave* const split = wave.split();
        if (split == nullptr) {
            return badInput("the memory mode \"boundary\" for a wave that has no lossless interior",
                            "use the mode \"chunks\"");
        }
        std::vector<Shelf> shelves;
        for (const Kept& kept : keptOf(needsOf(wave), options)) {
            auto shelf = Shelf::make(wave, kept.size, kept.options, kept.label);
            if (!shelf) {
                return tl::unexpected<Error>(shelf.error());
            }
            shelves.push_back(std::move(*shelf));
        }
        return std::make_unique<BoundaryTape>(wave, *split, options, std::move(shelves));
    };
    return kind;
}

} // namespace ondo
