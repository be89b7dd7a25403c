// What a tape does to the numbers that it keeps: nodes of boxes go from a field into a block of their own and back, and
// values into fewer bits. Integers, powers of two and single products, none of which a compiler may round another way: a block
// has the same bits whatever packed it, so that a gradient repeats.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ondo::kernels {

// Node by node of a box, shot by shot.
template<class T, bool ToBlock>
struct CopyBox {
    Layout layout;
    T* field = nullptr;
    T* block = nullptr;       // the box's first node, of the first shot
    std::int64_t perShot = 0; // values of the block that a shot has

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const std::int64_t row = std::int64_t{z - box.z0} * (box.y1 - box.y0) + (y - box.y0);
        T& inBlock = block[shot * perShot + row * (box.x1 - box.x0) + (x - box.x0)];
        T& inField = field[layout.at(shot, z, y, x)];
        if constexpr (ToBlock) {
            inBlock = inField;
        } else {
            inField = inBlock;
        }
    }
};

// How a value is kept.
enum class Storage {
    Exact,    // as it was computed
    Float32,  // 4 bytes
    BFloat16, // 2 bytes: the upper half of a float, 8 bits of it significant
    Float16,  // 2 bytes: 11 significant bits; 256 values share a power of two, without which small fields would vanish
    Int8,     // 1 byte: 256 values share the scale of their largest
};
inline constexpr int kScaled = 256; // values that share a scale

// Bytes of a value; size: of a number as it is computed.
ONDO_HD inline std::int64_t storedBytes(Storage storage, std::int64_t size)
{
    switch (storage) {
    case Storage::Float32: return 4;
    case Storage::BFloat16:
    case Storage::Float16: return 2;
    case Storage::Int8: return 1;
    default: return size;
    }
}

ONDO_HD inline bool isScaled(Storage storage)
{
    return storage == Storage::Float16 || storage == Storage::Int8;
}

// Bytes of a packed block: its values, filled up to whole groups of kScaled, then a float for each group if it is scaled.
ONDO_HD inline std::int64_t packedBytes(Storage storage, std::int64_t size, std::int64_t count)
{
    const std::int64_t groups = (count + kScaled - 1) / kScaled;
    return groups * (kScaled * storedBytes(storage, size) + (isScaled(storage) ? 4 : 0));
}

namespace detail {

ONDO_HD inline std::uint32_t bitsOf(float v)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    return bits;
}

ONDO_HD inline float floatOf(std::uint32_t bits)
{
    float v = 0.0F;
    std::memcpy(&v, &bits, sizeof v);
    return v;
}

// To the nearest, ties to even, as all below.
ONDO_HD inline std::uint16_t brainBits(float v)
{
    const std::uint32_t bits = bitsOf(v);
    if ((bits & 0x7F800000U) == 0x7F800000U) { // not finite, and it stays so
        return static_cast<std::uint16_t>(bits >> 16 | ((bits & 0x007FFFFFU) != 0 ? 0x40U : 0U));
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

// |v| < 65520.
ONDO_HD inline std::uint16_t halfBits(float v)
{
    const std::uint32_t bits = bitsOf(v);
    const std::uint32_t sign = bits >> 16 & 0x8000U;
    const std::uint32_t size = bits & 0x7FFFFFFFU;
    if (size < 0x38800000U) { // below 2^-14: whole multiples of 2^-24, which is the last place of 1/2
        return static_cast<std::uint16_t>(sign | (bitsOf(floatOf(size) + 0.5F) - bitsOf(0.5F)));
    }
    return static_cast<std::uint16_t>(sign | (size - 0x38000000U + 0x0FFFU + (size >> 13 & 1U)) >> 13);
}

ONDO_HD inline float fromHalf(std::uint16_t half)
{
    const std::uint32_t sign = (half & 0x8000U) << 16;
    const std::uint32_t size = half & 0x7FFFU;
    const float v = size < 0x0400U ? static_cast<float>(size) * floatOf(0x33800000U) // 2^-24
                                   : floatOf((size << 13) + 0x38000000U);
    return floatOf(bitsOf(v) | sign);
}

} // namespace detail

// Values to a packed block and back. A group's peak is the largest size of its values.
template<class T>
struct PackedValues {
    T* values = nullptr;         // read by put, written by get
    std::byte* packed = nullptr; // aligned for T
    std::int64_t count = 0;
    Storage storage = Storage::Exact;

    ONDO_HD std::int64_t groups() const { return (count + kScaled - 1) / kScaled; }
    ONDO_HD std::int64_t endOf(std::int64_t group) const
    {
        return (group + 1) * kScaled < count ? (group + 1) * kScaled : count;
    }
    ONDO_HD float* scales() const
    {
        return reinterpret_cast<float*>(packed + groups() * kScaled * storedBytes(storage, sizeof(T)));
    }
    ONDO_HD float sizeOf(std::int64_t i) const
    {
        const std::uint32_t size = detail::bitsOf(static_cast<float>(values[i])) & 0x7FFFFFFFU;
        return detail::floatOf(size < 0x7F800000U ? size : 0x7F800000U); // what is no number counts as the largest
    }

    // What a group's numbers are multiplied with to be values again; 0: its values are too small for any; no number: one of
    // them is none, and then none comes back.
    ONDO_HD float scaleFor(float peak) const
    {
        if (peak > 3.4e38F) {
            return detail::floatOf(0x7FC00000U);
        }
        if (!(peak > 1e-30F)) {
            return 0.0F;
        }
        if (storage == Storage::Int8) {
            return peak * (1.0F / 127.0F);
        }
        // A power of two that brings the peak below 2^15.
        return detail::floatOf((detail::bitsOf(peak) & 0x7F800000U) - (14U << 23));
    }

    // inverse: 1 / scale, 0 if that is 0.
    ONDO_HD void put(std::int64_t i, float inverse) const
    {
        const auto v = static_cast<float>(values[i]);
        switch (storage) {
        case Storage::Float32: reinterpret_cast<float*>(packed)[i] = v; break;
        case Storage::BFloat16: reinterpret_cast<std::uint16_t*>(packed)[i] = detail::brainBits(v); break;
        case Storage::Float16: reinterpret_cast<std::uint16_t*>(packed)[i] = detail::halfBits(v * inverse); break;
        case Storage::Int8:
            reinterpret_cast<signed char*>(packed)[i] = static_cast<signed char>(
                v * inverse >= -127.5F && v * inverse <= 127.5F ? std::rint(v * inverse) : 0.0F);
            break;
        default: reinterpret_cast<T*>(packed)[i] = values[i];
        }
    }

    ONDO_HD void get(std::int64_t i) const
    {
        const auto* two = reinterpret_cast<const std::uint16_t*>(packed);
        switch (storage) {
        case Storage::Float32: values[i] = static_cast<T>(reinterpret_cast<const float*>(packed)[i]); break;
        case Storage::BFloat16: values[i] = static_cast<T>(detail::floatOf(std::uint32_t{two[i]} << 16)); break;
        case Storage::Float16: values[i] = static_cast<T>(detail::fromHalf(two[i]) * scales()[i / kScaled]); break;
        case Storage::Int8:
            values[i] = static_cast<T>(static_cast<float>(reinterpret_cast<const signed char*>(packed)[i]) *
                                       scales()[i / kScaled]);
            break;
        default: values[i] = reinterpret_cast<const T*>(packed)[i];
        }
    }
};

} // namespace ondo::kernels
