#include "engine/io/sample_type.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace ondo {

namespace {

struct TypeRow {
    SampleType type;
    int bytes;
    std::string_view name;
};

constexpr std::array<TypeRow, 16> kTypes = {{{SampleType::Int8, 1, "int8"},
                                             {SampleType::UInt8, 1, "uint8"},
                                             {SampleType::Int16, 2, "int16"},
                                             {SampleType::UInt16, 2, "uint16"},
                                             {SampleType::Int24, 3, "int24"},
                                             {SampleType::UInt24, 3, "uint24"},
                                             {SampleType::Int32, 4, "int32"},
                                             {SampleType::UInt32, 4, "uint32"},
                                             {SampleType::Int64, 8, "int64"},
                                             {SampleType::UInt64, 8, "uint64"},
                                             {SampleType::Float16, 2, "float16"},
                                             {SampleType::Float32, 4, "float32"},
                                             {SampleType::Float64, 8, "float64"},
                                             {SampleType::Ibm32, 4, "ibm32"},
                                             {SampleType::FixedGain32, 4, "fixed-gain32"},
                                             {SampleType::Bool8, 1, "bool"}}};

template<class T>
void decodeAs(const unsigned char* in, ByteOrder order, std::span<double> out)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<double>(loadNumber<T>(in + i * sizeof(T), order));
    }
}

double int24(const unsigned char* at, ByteOrder order, bool isSigned)
{
    const unsigned char* high = order == ByteOrder::Big ? at : at + 2;
    const unsigned char* low = order == ByteOrder::Big ? at + 2 : at;
    std::int32_t v = (*high << 16) | (at[1] << 8) | *low;
    if (isSigned && v >= 1 << 23) {
        v -= 1 << 24;
    }
    return v;
}

double fixedGain(const unsigned char* at, ByteOrder order)
{
    const bool big = order == ByteOrder::Big;
    const int gain = big ? at[1] : at[2];
    const int raw = big ? (at[2] << 8) | at[3] : (at[1] << 8) | at[0];
    return std::ldexp(static_cast<double>(static_cast<std::int16_t>(raw)), gain);
}

} // namespace

int sampleBytes(SampleType type)
{
    return kTypes[static_cast<std::size_t>(type)].bytes;
}

std::string_view sampleTypeName(SampleType type)
{
    return kTypes[static_cast<std::size_t>(type)].name;
}

std::string_view byteOrderName(ByteOrder order)
{
    return order == ByteOrder::Little ? "little" : "big";
}

bool isInteger(SampleType type)
{
    return type <= SampleType::UInt64 || type == SampleType::Bool8;
}

Result<SampleType> sampleTypeFromName(std::string_view name)
{
    std::string known;
    for (const auto& row : kTypes) {
        if (row.name == name) {
            return row.type;
        }
        known += known.empty() ? "" : ", ";
        known += row.name;
    }
    return badInput(fmt::format("sample type \"{}\" is not known", name), "one of " + known);
}

Result<ByteOrder> byteOrderFromName(std::string_view name)
{
    if (name.empty() || name == "little") {
        return ByteOrder::Little;
    }
    if (name == "big") {
        return ByteOrder::Big;
    }
    return badInput(fmt::format("byte order \"{}\" is not known", name), "\"little\" or \"big\"");
}

double halfToDouble(std::uint16_t bits)
{
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    }
    if (exponent == 0) {
        return sign * std::ldexp(static_cast<double>(fraction), -24);
    }
    return sign * std::ldexp(static_cast<double>(fraction + 1024), exponent - 25);
}

double ibmToDouble(std::uint32_t bits)
{
    const double fraction = static_cast<double>(bits & 0xFFFFFFU);
    const int exponent = static_cast<int>((bits >> 24) & 0x7FU);
    const double magnitude = std::ldexp(fraction, 4 * (exponent - 64) - 24);
    return (bits >> 31) != 0 ? -magnitude : magnitude;
}

void decodeSamples(const unsigned char* in, SampleType type, ByteOrder order, std::span<double> out)
{
    switch (type) {
    case SampleType::Int8: decodeAs<std::int8_t>(in, order, out); return;
    case SampleType::UInt8: decodeAs<std::uint8_t>(in, order, out); return;
    case SampleType::Int16: decodeAs<std::int16_t>(in, order, out); return;
    case SampleType::UInt16: decodeAs<std::uint16_t>(in, order, out); return;
    case SampleType::Int32: decodeAs<std::int32_t>(in, order, out); return;
    case SampleType::UInt32: decodeAs<std::uint32_t>(in, order, out); return;
    case SampleType::Int64: decodeAs<std::int64_t>(in, order, out); return;
    case SampleType::UInt64: decodeAs<std::uint64_t>(in, order, out); return;
    case SampleType::Float32: decodeAs<float>(in, order, out); return;
    case SampleType::Float64: decodeAs<double>(in, order, out); return;
    case SampleType::Bool8:
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = in[i] != 0 ? 1.0 : 0.0;
        }
        return;
    case SampleType::Int24:
    case SampleType::UInt24:
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = int24(in + 3 * i, order, type == SampleType::Int24);
        }
        return;
    case SampleType::Float16:
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = halfToDouble(loadNumber<std::uint16_t>(in + 2 * i, order));
        }
        return;
    case SampleType::Ibm32:
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = ibmToDouble(loadNumber<std::uint32_t>(in + 4 * i, order));
        }
        return;
    case SampleType::FixedGain32:
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = fixedGain(in + 4 * i, order);
        }
        return;
    }
}

} // namespace ondo
