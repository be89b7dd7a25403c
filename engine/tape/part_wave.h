// Some steps of a wave as a wave of their own, whose step 0 is step `first` of the whole: a tape of the last steps alone, or
// of one segment. It owns nothing; the wave must outlive it. Session's thread.
#pragma once

#include "engine/tape/tape.h"

namespace ondo {

class PartWave final : public TapedWave {
public:
    PartWave(TapedWave& whole, int first, int steps)
        : m_whole(whole)
        , m_first(first)
        , m_steps(steps)
    {
    }
    PartWave(const PartWave&) = delete; // its split part knows it by its place
    PartWave& operator=(const PartWave&) = delete;

    [[nodiscard]] int first() const { return m_first; }
    [[nodiscard]] int steps() const override { return m_steps; }
    [[nodiscard]] std::size_t numberBytes() const override { return m_whole.numberBytes(); }
    [[nodiscard]] std::size_t keptBytes() const override { return m_whole.keptBytes(); }
    [[nodiscard]] std::size_t stateBytes() const override { return m_whole.stateBytes(); }
    void step(int n, void* kept) override { m_whole.step(m_first + n, kept); }
    void advance(int n, const KeptSpan& span) override { m_whole.advance(m_first + n, span); }
    void save(void* to) override { m_whole.save(to); }
    void restore(const void* from) override { m_whole.restore(from); }
    [[nodiscard]] SplitWave* split() override { return m_whole.split() != nullptr ? &m_split : nullptr; }
    [[nodiscard]] const std::shared_ptr<Device>& device() const override { return m_whole.device(); }
    [[nodiscard]] const Stream& stream() const override { return m_whole.stream(); }

private:
    class Split final : public SplitWave {
    public:
        explicit Split(PartWave& part)
            : m_part(part)
        {
        }
        [[nodiscard]] SplitSizes sizes() const override { return whole().sizes(); }
        void saveRim(void* to) override { whole().saveRim(to); }
        void saveShell(void* to) override { whole().saveShell(to); }
        void keepShell(bool ofShell, const void* ofWhole, void* kept, void* edge) override
        {
            whole().keepShell(ofShell, ofWhole, kept, edge);
        }
        void restoreShell(const void* from) override { whole().restoreShell(from); }
        void stepShell(int n, const void* rim, void* ofWhole) override
        {
            whole().stepShell(m_part.m_first + n, rim, ofWhole);
        }
        void rewind(int n, const void* edge, const void* shell, void* to) override
        {
            whole().rewind(m_part.m_first + n, edge, shell, to);
        }
        [[nodiscard]] bool rewindsWithin() const override { return whole().rewindsWithin(); }
        void layForRewind(const void* edge, const void* shell, void* to) override
        {
            whole().layForRewind(edge, shell, to);
        }

    private:
        [[nodiscard]] SplitWave& whole() const { return *m_part.m_whole.split(); }

        PartWave& m_part;
    };

    TapedWave& m_whole;
    int m_first, m_steps;
    Split m_split{*this};
};

} // namespace ondo
