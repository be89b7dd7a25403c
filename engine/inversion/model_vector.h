// The numbers an optimiser moves for a model: each node's speed, m/s, and after them, where it moves too, each node's density
// or impedance q times v0 / q0, the start model's means: so many m/s of either are the same share of what it is, in steps,
// curvature and roughness alike. Everything of the second is by q in records, kg/m^3 or kg/(m^2 s). Values, any thread.
#pragma once

#include "engine/inversion/model_terms.h"
#include "engine/inversion/optimiser.h"
#include "engine/model/model.h"

namespace ondo {

// What moves in an inversion.
enum class InvertedParameters { Speed, SpeedDensity, SpeedImpedance };
[[nodiscard]] std::string_view parametersName(InvertedParameters parameters); // "speed" "speed,density" ...
[[nodiscard]] std::string_view secondName(InvertedParameters parameters);     // "" "density" "impedance"
[[nodiscard]] std::string_view secondUnit(InvertedParameters parameters);

// Density or impedance of a model, by node; empty where the speed moves alone.
[[nodiscard]] std::vector<float> secondOf(const Model& model, InvertedParameters parameters);
// A model of these values on the grid of `start`, with its density where none moves. second: as secondOf().
[[nodiscard]] Model modelOf(const Model& start, std::vector<float> speed, const std::vector<float>& second,
                            InvertedParameters parameters);

class ModelVector {
public:
    ModelVector() = default;
    // second: bounds of q with the same fixed nodes; unused where the speed moves alone.
    ModelVector(const Model& start, InvertedParameters parameters, SpeedBounds speed, SpeedBounds second);

    [[nodiscard]] bool two() const { return m_scale > 0.0; }
    [[nodiscard]] double scale() const { return m_scale; } // v0 / q0; 0: the speed moves alone
    [[nodiscard]] Numbers numbersOf(const std::vector<float>& speed, const std::vector<float>& second) const;
    [[nodiscard]] Numbers gradientOf(const Numbers& bySpeed, const Numbers& bySecond) const;
    [[nodiscard]] std::vector<float> speed(const Numbers& x) const;
    [[nodiscard]] std::vector<float> second(const Numbers& x) const;
    [[nodiscard]] Numbers bySpeed(const Numbers& gradient) const;
    [[nodiscard]] Numbers bySecond(const Numbers& gradient) const;     // per unit of q
    [[nodiscard]] Numbers secondAlong(const Numbers& direction) const; // how q moves along it, in its unit; empty: not

    // As SpeedBounds has them, of both halves.
    [[nodiscard]] Numbers moved(const Numbers& x, const Numbers& direction, double step) const;
    [[nodiscard]] std::vector<bool> freeNumbers(const Numbers& x, const Numbers& gradient) const;
    // Both halves by the same shape.
    [[nodiscard]] Numbers precondition(const Preconditioner& shape, const Numbers& gradient) const;

private:
    [[nodiscard]] Numbers half(const Numbers& x, bool second, double factor) const;

    std::size_t m_nodes = 0;
    double m_scale = 0.0;
    SpeedBounds m_speed, m_second;
};

} // namespace ondo
