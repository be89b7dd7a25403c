// Where an axis has its ticks and how numbers are spelled. Pure, any thread.
#pragma once

#include <string>
#include <vector>

namespace ondo {

struct Tick {
    double value = 0.0;
    std::string label;
};

struct Ticks {
    std::vector<Tick> major;
    std::vector<double> minor; // between the major ones, those left out
    double step = 0.0;
};

// At most `atMost` major ticks (at least 2) in [from, to] at multiples of 1, 2 or 5 times a power of ten, in increasing
// order whichever way the ends stand. Labels have the decimals the step needs. Empty for ends that are equal or not finite.
[[nodiscard]] Ticks niceTicks(double from, double to, int atMost);

// "4 250", "-0.35" with a true minus sign and a thin space between thousands; UTF-8.
[[nodiscard]] std::string spellNumber(double value, int decimals);
// `digits` significant digits, powers of ten spelled ("3.2e-4" as "3.2·10⁻⁴") outside 1e-3 .. 1e5; UTF-8.
[[nodiscard]] std::string spellAmount(double value, int digits);

[[nodiscard]] std::string spellPowerOfTen(int exponent); // "10⁻⁵"; UTF-8

// Metres, or kilometres where the axis is long.
struct LengthUnit {
    double metres = 1.0;
    std::string name = "m";
};
[[nodiscard]] LengthUnit lengthUnitFor(double largestMagnitudeMetres);

// Pascals with the prefix that leaves 1 to 999 before the point; UTF-8.
struct PressureUnit {
    double pascals = 1.0;
    std::string name = "Pa";
};
[[nodiscard]] PressureUnit pressureUnitFor(double largestMagnitudePascals);

} // namespace ondo
