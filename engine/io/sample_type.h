// How a number is stored in a file, and how it becomes a double. Any thread.
#pragma once

#include "engine/core/result.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace ondo {

enum class ByteOrder { Little, Big };

enum class SampleType {
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int24,
    UInt24,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float16,
    Float32,
    Float64,
    Ibm32,       // IBM System/360 single precision, SEG-Y code 1
    FixedGain32, // SEG-Y code 4: gain exponent and a 16-bit value
    Bool8
};

[[nodiscard]] int sampleBytes(SampleType type);
[[nodiscard]] std::string_view sampleTypeName(SampleType type); // "float32" "int16" "ibm32" ...
[[nodiscard]] std::string_view byteOrderName(ByteOrder order);  // "little" "big"
[[nodiscard]] bool isInteger(SampleType type);
// Refuses other words with the list of those known.
[[nodiscard]] Result<SampleType> sampleTypeFromName(std::string_view name);
[[nodiscard]] Result<ByteOrder> byteOrderFromName(std::string_view name);

// out.size() samples from `in`, which holds out.size() * sampleBytes(type) bytes.
void decodeSamples(const unsigned char* in, SampleType type, ByteOrder order, std::span<double> out);

[[nodiscard]] double halfToDouble(std::uint16_t bits);
[[nodiscard]] double ibmToDouble(std::uint32_t bits);

// A number of type T at `at`, in the given order; `at` need not be aligned.
template<class T>
[[nodiscard]] T loadNumber(const unsigned char* at, ByteOrder order)
{
    static_assert(std::is_trivially_copyable_v<T>);
    unsigned char raw[sizeof(T)];
    const bool turn = (order == ByteOrder::Big) != (std::endian::native == std::endian::big);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        raw[i] = at[turn ? sizeof(T) - 1 - i : i];
    }
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
}

template<class T>
void storeNumber(unsigned char* at, T value, ByteOrder order)
{
    static_assert(std::is_trivially_copyable_v<T>);
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    const bool turn = (order == ByteOrder::Big) != (std::endian::native == std::endian::big);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        at[i] = raw[turn ? sizeof(T) - 1 - i : i];
    }
}

} // namespace ondo
