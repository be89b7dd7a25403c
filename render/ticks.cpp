#include "render/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

constexpr const char* kMinus = "\u2212";
constexpr const char* kThinSpace = "\u2009";

struct Step {
    double size = 1.0;
    int decimals = 0;
    int minorParts = 5;
};

// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
Step niceStep(double least)
{
    int exponent = static_cast<int>(std::floor(std::log10(least)));
    const double mantissa = least / std::pow(10.0, exponent);
    constexpr double kSlack = 1.0 - 1e-9;
    double leading = 10.0;
    for (const double candidate : {1.0, 2.0, 5.0}) {
        if (candidate >= mantissa * kSlack) {
            leading = candidate;
            break;
        }
    }
    if (leading > 9.0) {
        leading = 1.0;
        ++exponent;
    }
    return {leading * std::pow(10.0, exponent), std::max(0, -exponent), leading == 2.0 ? 4 : 5};
}

std::string superscript(int value)
{
    static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out = value < 0 ? "⁻" : "";
    for (const char c : std::to_string(std::abs(value))) {
        out += kDigits[c - '0'];
    }
    return out;
}

} // namespace

std::string spellNumber(double value, int decimals)
{
    std::string digits = fmt::format("{:.{}f}", std::abs(value), std::clamp(decimals, 0, 12));
    const bool zero = digits.find_first_not_of("0.") == std::string::npos;
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    if (whole > 3) {
        for (std::size_t at = whole - 3; at > 0; at = at > 3 ? at - 3 : 0) {
            digits.insert(at, kThinSpace);
        }
    }
    return value < 0.0 && !zero ? kMinus + digits : digits;
}

std::string spellAmount(double value, int digits)
{
    if (value == 0.0 || !std::isfinite(value)) {
        return value == 0.0 ? "0" : std::isnan(value) ? "not a number" : "infinite";
    }
    digits = std::clamp(digits, 1, 12);
    // Rounded first, so that 0.9996 to three digits counts as 1.00.
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 0.5 * std::pow(10.0, -digits)));
    if (exponent >= 5 || exponent < -3) {
        const double mantissa = value / std::pow(10.0, exponent);
        return spellNumber(mantissa, digits - 1) + "·" + spellPowerOfTen(exponent);
    }
    return spellNumber(value, std::max(0, digits - 1 - exponent));
}

std::string spellPowerOfTen(int exponent)
{
    return "10" + superscript(exponent);
}

Ticks niceTicks(double from, double to, int atMost)
{
    Ticks ticks;
    const double low = std::min(from, to);
    const double high = std::max(from, to);
    if (!std::isfinite(low) || !std::isfinite(high) || !(high > low)) {
        return ticks;
    }
    const double span = high - low;
    const double slack = span * 1e-9;
    Step step = niceStep(span / std::max(1, atMost));
    const auto countOf = [&](double size) {
        return std::floor((high + slack) / size) - std::ceil((low - slack) / size) + 1.0;
    };
    while (countOf(step.size) > std::max(2, atMost)) {
        step = niceStep(step.size * 1.5);
    }
    ticks.step = step.size;
    const auto first = static_cast<long long>(std::ceil((low - slack) / step.size));
    const auto last = static_cast<long long>(std::floor((high + slack) / step.size));
    for (long long k = first; k <= last; ++k) {
        const double value = static_cast<double>(k) * step.size;
        ticks.major.push_back({value, spellNumber(value, step.decimals)});
    }
    const double part = step.size / step.minorParts;
    const auto firstPart = static_cast<long long>(std::ceil((low - slack) / part));
    const auto lastPart = static_cast<long long>(std::floor((high + slack) / part));
    for (long long k = firstPart; k <= lastPart; ++k) {
        if (k % step.minorParts != 0) {
            ticks.minor.push_back(static_cast<double>(k) * part);
        }
    }
    return ticks;
}

LengthUnit lengthUnitFor(double largestMagnitudeMetres)
{
    return largestMagnitudeMetres >= 20000.0 ? LengthUnit{1000.0, "km"} : LengthUnit{};
}

PressureUnit pressureUnitFor(double largestMagnitudePascals)
{
    static constexpr std::array<std::pair<double, const char*>, 8> kUnits = {{{1e6, "MPa"},
                                                                              {1e3, "kPa"},
                                                                              {1.0, "Pa"},
                                                                              {1e-3, "mPa"},
                                                                              {1e-6, "µPa"},
                                                                              {1e-9, "nPa"},
                                                                              {1e-12, "pPa"},
                                                                              {1e-15, "fPa"}}};
    if (!(largestMagnitudePascals > 0.0) || !std::isfinite(largestMagnitudePascals)) {
        return {};
    }
    for (const auto& [pascals, name] : kUnits) {
        if (largestMagnitudePascals >= pascals * 0.9995) { // spelled with three digits it is 1.00
            return {pascals, name};
        }
    }
    return {kUnits.back().first, kUnits.back().second};
}

} // namespace ondo
