// What looks wrong in traces and models that can be read all the same, each with the place of the first and a remedy.
// Any thread.
#pragma once

#include "engine/model/model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ondo {

// Fed with the samples of traces of one length, in file order, in pieces of any size.
class TraceChecks {
public:
    explicit TraceChecks(std::int64_t traceSamples)
        : m_length(traceSamples)
    {
    }
    void add(std::span<const double> samples);
    // Dead traces, traces of one value, traces cut off at their peak.
    [[nodiscard]] std::vector<std::string> findings() const;

private:
    struct Found {
        std::int64_t count = 0;
        std::int64_t first = -1;
        void at(std::int64_t trace)
        {
            first = count == 0 ? trace : first;
            ++count;
        }
    };
    void endTrace();

    std::int64_t m_length;
    std::int64_t m_trace = 0;
    std::int64_t m_at = 0; // samples of this trace so far
    bool m_constant = true;
    double m_begin = 0.0;
    double m_before = 0.0;
    double m_peak = 0.0;
    std::int64_t m_run = 0;     // samples at the peak, up to here
    std::int64_t m_longest = 0; // of those runs
    Found m_dead, m_flat, m_clipped;
};

// NaN and infinities, zeros, speeds that no rock or water has, a model of one value.
[[nodiscard]] std::vector<std::string> checkModel(const Model& model);

} // namespace ondo
