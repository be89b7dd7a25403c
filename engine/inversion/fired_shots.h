// What one iteration fires: all shots, some drawn at random, or all of them in super-shots of random signs (Krebs and others
// 2009, Geophysics 74, WCC177-WCC188). A function of the settings, their seed and the record's index alone, so that who goes
// on from a record, or computes it once more, fires the same.
//   super-shot G:  sources s_i f_i of all shots i in G, s_i = +1 or -1;  data: sum over G of s_i d_i
// Each shot is in one of them. Waves are linear in their sources, so is l2's residual: the mean over signs of its gradient is
// the sum of the shots' own; what pairs of shots add in one iteration (crosstalk) has mean 0 and falls as one over the root of
// iterations, and of super-shots. Values; any thread.
#pragma once

#include "engine/inversion/misfit.h"
#include "engine/survey/survey.h"

#include <cstdint>
#include <vector>

namespace ondo {

struct InversionSettings;

struct FiredShots {
    Survey survey;
    std::vector<int> drawn;    // indices of the shots, rising; empty: all
    std::vector<double> codes; // by shot: its super-shot, from 1, with its sign; empty: each fires alone
    double share = 1.0;        // of the misfit of all shots by that of these, in the mean
};

[[nodiscard]] FiredShots firedShots(const Survey& survey, const InversionSettings& settings, int record);
// The observed data of what is fired.
[[nodiscard]] std::vector<TraceTable> firedTraces(const std::vector<TraceTable>& observed, const FiredShots& fired);

// Refuses (BadInput) what the survey or the settings have no place for: more than there are, optimisers that compare one
// iteration's misfit with another's; super-shots of receivers that are not the same for all shots, of misfits that are not
// linear in the residual, of weights by a shot's own offsets.
[[nodiscard]] Result<> checkFiredShots(const Survey& survey, const InversionSettings& settings);

// Indices of `count` of `shots` shots in rising order.
[[nodiscard]] std::vector<int> drawnShots(int shots, int count, std::uint64_t seed, int record);
// Codes by shot for so many super-shots, whose sizes differ by one at the most.
[[nodiscard]] std::vector<double> shotCodes(int shots, int superShots, std::uint64_t seed, int record);

} // namespace ondo
