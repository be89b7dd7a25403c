// Several steps of a launch in one sweep over memory (tile_plan.h): a few planes take a step, then those behind them the
// next, so that a plane is fetched once for all of them. Sources and mirror images act on a tile's planes right after its
// step; what receivers read is copied aside then and summed in the end. Threads share a volume by slabs along y and a plane
// by steps, one after another down the same rows; where shots are enough, by shots. They wait for each other's planes alone.
// Gives the bits of Backend::oneByOne. Owned by the host backend; one caller at a time.
#pragma once

#include "kernels/backend.h"
#include "kernels/host/thread_team.h"
#include "kernels/host/tile_plan.h"
#include "kernels/host/tile_points.h"

#include <atomic>
#include <vector>

namespace ondo::kernels {

// ONDO_TIMETILE=0 in the environment: steps go one by one.
[[nodiscard]] bool timeTilesWanted();

template<class T>
class TimeTiles {
public:
    explicit TimeTiles(ThreadTeam& team)
        : m_team(team)
    {
    }

    // Makes ready for a launch; 0: not one for tiles, go step by step. Otherwise how many of its steps run() should be
    // given at most, so that a stop is heard within tens of milliseconds.
    int prepare(const ScalarAdvance<T>& args);
    // The first `steps` of what was prepared. False: abandoned.
    bool run(const ScalarAdvance<T>& args, int steps);

private:
    struct alignas(64) Progress {
        std::atomic<int> planes{0};
    };
    // What one thread does on end: steps [from, to) of a slab of a shot.
    struct Sweep {
        int shot = 0, slab = 0, from = 0, to = 0;
    };

    [[nodiscard]] int samplesWithin(const ScalarAdvance<T>& args, int steps) const;
    void stage(const ScalarAdvance<T>& args, int steps);
    void work(const ScalarAdvance<T>& args, int steps, int thread);
    bool sweep(const ScalarAdvance<T>& args, const Sweep& s);
    bool tile(const ScalarAdvance<T>& args, const Sweep& s, int n, const TileBlock& block);
    void points(const ScalarAdvance<T>& args, const Sweep& s, int n, const TileBlock& block, T* field);
    void images(const ScalarAdvance<T>& args, const Sweep& s, const TileBlock& block, T* field) const;
    bool await(int shot, int n, int slab, int planes);
    void sumReceivers(const ScalarAdvance<T>& args, int steps);
    [[nodiscard]] Progress& progress(int shot, int n, int slab);
    [[nodiscard]] int slabs() const { return static_cast<int>(m_slabs.size()) - 1; }

    ThreadTeam& m_team;
    LayerReach m_reach[3];
    std::vector<TileBlock> m_blocks;
    std::vector<int> m_slabs;
    int m_threads = 1;  // at work
    int m_together = 1; // steps of a sweep, at most
    int m_alone = 0;    // shots that a thread does by itself, the first ones
    int m_steps = 0;    // of this run
    PlaneNodes m_sources;
    StagedRows m_read[2];
    std::vector<T> m_staged[2];
    std::vector<Progress> m_progress;
    std::atomic<bool> m_abandoned{false};
};

extern template class TimeTiles<float>;
extern template class TimeTiles<double>;

} // namespace ondo::kernels
