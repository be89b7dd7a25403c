// What the tests of whole inversions share: a model with two anomalies, lines of sources and receivers around it, settings,
// a history that breaks off.
#pragma once

#include "engine/device/device_list.h"
#include "engine/inversion/inversion.h"
#include "engine/selftest/adjoint_setup.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

namespace ondo {

constexpr int kRows = 45, kColumns = 37;
constexpr double kSpacing = 10.0;

inline Grid grid()
{
    return *Grid::make2D(kRows, kColumns, kSpacing, kSpacing);
}

// 2000 m/s with a fast and a slow round anomaly of 40 m.
inline Model anomalies(double size)
{
    std::vector<float> v;
    for (int z = 0; z < kRows; ++z) {
        for (int x = 0; x < kColumns; ++x) {
            const double fast = std::hypot(z - 14, x - 18) / 4.0;
            const double slow = std::hypot(z - 31, x - 18) / 4.0;
            v.push_back(static_cast<float>(2000.0 + size * (std::exp(-fast * fast) - std::exp(-slow * slow))));
        }
    }
    return *Model::make(grid(), std::move(v));
}

// Sources down one side, receivers down the other.
inline RunDescription between(int shots, Precision precision = Precision::Float32)
{
    RunDescription run;
    run.precision = precision;
    run.boundary.layerCells = 12;
    run.duration = 0.5;
    run.sampleInterval = 0.002;
    for (int s = 0; s < shots; ++s) {
        Shot shot;
        const double z = 20.0 + 400.0 * s / std::max(1, shots - 1);
        shot.sources.push_back({{20.0, 0.0, z}, Wavelet::ricker(14.0)});
        shot.receivers = receiverLine({340.0, 0.0, 20.0}, {340.0, 0.0, 420.0}, 21);
        run.survey.shots.push_back(shot);
    }
    return run;
}

inline InversionSettings settings(int iterations)
{
    InversionSettings s;
    s.stages = {{0.0, iterations}};
    s.slowest = 1700.0;
    s.fastest = 2300.0;
    s.optimiser.firstStep = 40.0;
    s.smoothing = 15.0;
    s.gradient.tape.mode = "full";
    return s;
}

inline std::vector<TraceTable> dataOf(const InversionPlan& plan, const Model& model,
                                      const std::shared_ptr<Device>& device)
{
    return tracesOf(withSpeeds(*plan.plan, model.velocity().samples()), device);
}

inline double errorOf(const std::vector<float>& v, const Model& truth)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        sum += std::pow(static_cast<double>(v[i]) - static_cast<double>(truth.velocity().samples()[i]), 2);
    }
    return std::sqrt(sum / static_cast<double>(v.size()));
}

// Ends an inversion after so many records, as a full disk would.
class Limited final : public InversionHistory {
public:
    Limited(InversionMemory& to, int most)
        : m_to(to)
        , m_most(most)
    {
    }
    int count() const override { return m_to.count(); }
    Result<InversionRecord> read(int index) override { return m_to.read(index); }
    Result<> append(const InversionRecord& record) override
    {
        if (m_to.count() >= m_most) {
            return fail(ErrorKind::Io, "no room");
        }
        return m_to.append(record);
    }

private:
    InversionMemory& m_to;
    int m_most;
};

inline void compare(const InversionMemory& a, const InversionMemory& b)
{
    QCOMPARE(a.records.size(), b.records.size());
    for (std::size_t i = 0; i < a.records.size(); ++i) {
        QVERIFY2(a.records[i].speed == b.records[i].speed, qPrintable(QString::number(i)));
        QVERIFY2(a.records[i].gradient == b.records[i].gradient, qPrintable(QString::number(i)));
        QCOMPARE(a.records[i].objective, b.records[i].objective);
        QCOMPARE(a.records[i].step, b.records[i].step);
    }
}

} // namespace ondo
