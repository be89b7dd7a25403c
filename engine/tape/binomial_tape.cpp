// A few states, kept and dropped in the order that repeats the fewest steps, and W of one step. The states lie on the device,
// in the host's memory or on disk. The same steps from the same state give the same bits, so the gradient is that of the full
// tape.
#include "engine/tape/binomial.h"
#include "engine/tape/checkpoints.h"

#include <algorithm>
#include <vector>

namespace ondo {

namespace {

constexpr int kRepeats = 3; // of a step at most, where nobody said how many states

// With the number of states that nobody gave, at their place.
TapeOptions placed(const TapeNeeds& needs, TapeOptions options)
{
    if (options.checkpoints + options.hostCheckpoints + options.diskCheckpoints == 0) {
        (options.place == Place::Host   ? options.hostCheckpoints
         : options.place == Place::Disk ? options.diskCheckpoints
                                        : options.checkpoints) = binomialStates(needs.steps, kRepeats);
    }
    return options;
}

int statesOf(const TapeOptions& options)
{
    return options.checkpoints + options.hostCheckpoints + options.diskCheckpoints;
}

class BinomialTape final : public Tape {
public:
    BinomialTape(TapedWave& wave, const TapeOptions& options, std::unique_ptr<Checkpoints> states)
        : m_wave(wave)
        , m_every(options.every)
        , m_states(std::move(states))
        , m_kept(wave.device(), wave.keptBytes(), "tape", BlockSize::Kept, BlockContent::Uninitialised, wave.stream())
        , m_ahead(binomialAhead(wave.steps(), m_states->slots()))
    {
    }

    Result<void*> beforeStep(int n) override
    {
        if (m_at.size() < m_ahead.size() && m_ahead[m_at.size()] == n) {
            m_at.push_back(n);
            if (auto ok = m_states->save(static_cast<int>(m_at.size()) - 1); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        return n == m_wave.steps() - 1 ? m_kept.data() : nullptr;
    }

    Result<> afterStep(int n) override
    {
        m_held = n;
        return {};
    }

    Result<const void*> kept(int n) override
    {
        if (n % m_every != 0) {
            return nullptr;
        }
        if (n != m_held) {
            if (auto ok = reach(n); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
            m_wave.step(n, m_kept.data());
            m_held = n;
        }
        return m_kept.data();
    }

private:
    // p(n), from the last state before it; leaves states on the way.
    Result<> reach(int n)
    {
        while (m_at.back() > n) {
            m_at.pop_back();
        }
        if (auto ok = m_states->restore(static_cast<int>(m_at.size()) - 1); !ok) {
            return ok;
        }
        int at = m_at.back();
        while (at < n) {
            const int free = m_states->slots() - static_cast<int>(m_at.size()) + 1;
            const int target = free > 1 ? at + binomialSplit(n + 1 - at, free) : n;
            for (; at < target; ++at) {
                m_wave.step(at, nullptr);
            }
            if (free > 1) {
                m_at.push_back(at);
                if (auto ok = m_states->save(static_cast<int>(m_at.size()) - 1); !ok) {
                    return ok;
                }
            }
        }
        return {};
    }

    TapedWave& m_wave;
    int m_every;
    std::unique_ptr<Checkpoints> m_states;
    Buffer<std::byte> m_kept;
    std::vector<int> m_ahead; // of the forward run
    std::vector<int> m_at;    // steps that the states in use stand before, by slot
    int m_held = -1;          // the step whose W is kept
};

} // namespace

TapeKind binomialTape()
{
    TapeKind kind;
    kind.name = "binomial";
    kind.summary =
        "a few checkpoints, on the device, in the host's memory or on disk; steps are repeated as little as these "
        "allow";
    kind.bytes = [](const TapeNeeds& needs, const TapeOptions& options) {
        TapeBytes bytes = Checkpoints::bytes(needs, placed(needs, options));
        bytes.device += needs.keptBytes;
        return bytes;
    };
    kind.forwardRuns = [](const TapeNeeds& needs, const TapeOptions& options) {
        // All but the forward run's own: it is the first of those that reach the last step, and gives W of that.
        const auto steps = binomialSteps(needs.steps, statesOf(placed(needs, options)));
        return static_cast<double>(steps) / needs.steps;
    };
    kind.work = [](const TapeNeeds& needs, const TapeOptions& options) {
        const TapeOptions o = placed(needs, options);
        const BinomialTraffic traffic = binomialTraffic(needs.steps, statesOf(o), options.every);
        TapeWork work;
        work.again = traffic.again;
        const int images = (needs.steps + options.every - 1) / options.every;
        work.kept = images;
        const auto size = static_cast<double>(needs.stateBytes);
        for (std::size_t slot = 0; slot < traffic.moves.size(); ++slot) {
            const double bytes = traffic.moves[slot] * size;
            const auto at = static_cast<int>(slot);
            work.copied += bytes;
            work.staged += at < o.diskCheckpoints + o.hostCheckpoints ? bytes : 0.0;
            work.filed += at < o.diskCheckpoints ? bytes : 0.0;
        }
        return work;
    };
    kind.make = [](TapedWave& wave, const TapeOptions& options) -> Result<std::unique_ptr<Tape>> {
        auto states = Checkpoints::make(wave, placed(needsOf(wave), options));
        if (!states) {
            return tl::unexpected<Error>(states.error());
        }
        return std::make_unique<BinomialTape>(wave, options, std::move(*states));
    };
    return kind;
}

} // namespace ondo
