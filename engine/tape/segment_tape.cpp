// The run cut into segments: a checkpoint of the whole wave where each begins, and of the segment in hand what the boundary
// mode keeps of a run. A segment is stepped once more from its checkpoint, then its interior runs backwards.
// Why it exists: of S bytes a state and R bytes a rim, N steps take 2 sqrt(N S R) bytes at two forward runs more. Boundary
// alone takes N R at one more, chunks 2 sqrt(N S F) with F, a whole field, in the place of the rim, at one more; binomial
// with as few bytes repeats each step three times or more. And the rounding of the steps taken back starts anew in each
// segment, so that it does not grow with the length of the run.
#include "engine/tape/chunks.h"
#include "engine/tape/part_wave.h"
#include "engine/tape/shelf.h"

#include <algorithm>
#include <optional>

namespace ondo {

namespace {

TapeOptions innerOptions(const TapeOptions& options)
{
    TapeOptions inner;
    inner.mode = "boundary";
    inner.every = options.every;
    inner.storage = options.storage;
    return inner;
}

TapeNeeds innerNeeds(const TapeNeeds& needs, int length)
{
    TapeNeeds inner = needs;
    inner.steps = std::min(length, needs.steps);
    return inner;
}

Shelf::Size statesOf(const TapeNeeds& needs, const Chunks& segments)
{
    return {segments.count(), needs.stateBytes / needs.numberBytes, 1, 2};
}

TapeBytes bytesOf(const TapeNeeds& needs, const TapeOptions& options, const Chunks& segments)
{
    TapeBytes bytes = Shelf::bytes(statesOf(needs, segments), needs.numberBytes, exactly(options));
    bytes += boundaryTape().bytes(innerNeeds(needs, segments.length), innerOptions(options));
    return bytes;
}

// Whole images a segment, so that the same steps are imaged as without segments.
Chunks segmentsOf(const TapeNeeds& needs, const TapeOptions& options)
{
    const auto whole = [&](int length) {
        return Chunks{needs.steps, std::min((length + options.every - 1) / options.every * options.every, needs.steps),
                      options.every};
    };
    if (options.chunk > 0) {
        return whole(options.chunk);
    }
    Chunks best = whole(needs.steps);
    std::size_t least = SIZE_MAX;
    for (int length = 1; length < 2 * needs.steps; length += std::max(1, length / 16)) {
        const Chunks one = whole(length);
        const TapeBytes bytes = bytesOf(needs, options, one);
        const std::size_t sum = bytes.device + bytes.host + bytes.disk;
        if (sum < least) {
            least = sum;
            best = one;
        }
    }
    return best;
}

class SegmentTape final : public Tape {
public:
    SegmentTape(TapedWave& wave, const TapeOptions& options, Shelf states)
        : m_wave(wave)
        , m_options(innerOptions(options))
        , m_segments(segmentsOf(needsOf(wave), options))
        , m_states(std::move(states))
    {
    }

    Result<void*> beforeStep(int n) override
    {
        const int segment = m_segments.of(n);
        if (n == m_segments.begin(segment)) {
            auto to = m_states.writing(static_cast<std::size_t>(segment));
            if (!to) {
                return to;
            }
            m_wave.save(*to);
            if (segment == m_segments.last()) { // kept as it is first stepped
                if (auto ok = begin(segment); !ok) {
                    return tl::unexpected<Error>(ok.error());
                }
            }
        }
        return m_inner != nullptr ? m_inner->beforeStep(n - m_part->first()) : Result<void*>(nullptr);
    }

    Result<> afterStep(int n) override
    {
        return m_inner != nullptr ? m_inner->afterStep(n - m_part->first()) : Result<>{};
    }

    Result<const void*> kept(int n) override
    {
        if (n % m_segments.every != 0) {
            return nullptr;
        }
        if (m_segments.of(n) != m_held) {
            if (auto ok = hold(m_segments.of(n)); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        return m_inner->kept(n - m_part->first());
    }
    Result<KeptSpan> keptOfSteps(int n, int most) override
    {
        if (n % m_segments.every != 0 || m_segments.of(n) != m_held) {
            return Tape::keptOfSteps(n, most);
        }
        return m_inner->keptOfSteps(n - m_part->first(), most);
    }

private:
    Result<> begin(int segment)
    {
        m_inner.reset();
        m_part.emplace(m_wave, m_segments.begin(segment), m_segments.end(segment) - m_segments.begin(segment));
        auto inner = boundaryTape().make(*m_part, m_options);
        if (!inner) {
            return tl::unexpected<Error>(inner.error());
        }
        m_inner = std::move(*inner);
        m_held = segment;
        return {};
    }

    Result<> hold(int segment)
    {
        const auto state = m_states.reading(static_cast<std::size_t>(segment));
        if (!state) {
            return tl::unexpected<Error>(state.error());
        }
        m_wave.restore(*state);
        if (auto ok = begin(segment); !ok) {
            return ok;
        }
        for (int i = 0; i < m_part->steps(); ++i) {
            const auto kept = m_inner->beforeStep(i);
            if (!kept) {
                return tl::unexpected<Error>(kept.error());
            }
            m_part->step(i, *kept);
            if (auto ok = m_inner->afterStep(i); !ok) {
                return ok;
            }
        }
        return {};
    }

    TapedWave& m_wave;
    TapeOptions m_options; // of the tape within a segment
    Chunks m_segments;
    Shelf m_states;
    std::optional<PartWave> m_part;
    std::unique_ptr<Tape> m_inner; // of m_part: gone before it
    int m_held = -1;
};

} // namespace

TapeKind segmentTape()
{
    TapeKind kind;
    kind.name = "segments";
    kind.summary = "checkpoints, and between two of them the interior's rim; the forward run is computed twice and its "
                   "interior runs backwards";
    kind.stored = kind.chunked = kind.rewinds = true;
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) {
        return bytesOf(needs, options, segmentsOf(needs, options));
    };
    kind.forwardRuns = [](const TapeNeeds& needs, const TapeOptions& options) {
        const Chunks segments = segmentsOf(needs, options);
        return segments.again() + boundaryTape().forwardRuns(innerNeeds(needs, segments.length), innerOptions(options));
    };
    kind.work = [](const TapeNeeds& needs, const TapeOptions& options) {
        const Chunks segments = segmentsOf(needs, options);
        const auto of = static_cast<double>(needs.steps) / std::min(segments.length, needs.steps);
        TapeWork work = boundaryTape().work(innerNeeds(needs, segments.length), innerOptions(options));
        for (double* part : {&work.again, &work.kept, &work.shellNodes, &work.rewound, &work.gathered, &work.packed,
                             &work.copied, &work.staged, &work.filed}) {
            *part *= of;
        }
        work.again += segments.begin(segments.last());
        work += Shelf::work(statesOf(needs, segments), needs.numberBytes, exactly(options), segments.count());
        work.copied += 2.0 * static_cast<double>(segments.count() * needs.stateBytes);
        return work;
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        if (wave.split() == nullptr) {
            return badInput("the memory mode \"segments\" for a wave that has no lossless interior",
                            "use the mode \"chunks\"");
        }
        const TapeNeeds needs = needsOf(wave);
        auto states = Shelf::make(wave, statesOf(needs, segmentsOf(needs, options)), exactly(options), "checkpoints");
        if (!states) {
            return tl::unexpected<Error>(states.error());
        }
        return std::make_unique<SegmentTape>(wave, options, std::move(*states));
    };
    return kind;
}

} // namespace ondo
