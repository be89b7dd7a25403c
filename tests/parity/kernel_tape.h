// What a tape asks of a backend against another's, bit for bit: fewer bits a number, boxes copied, the layers stepped alone and
// the interior taken back.
#pragma once

#include "tests/parity/kernel_adjoint.h"
#include "tests/parity/kernel_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ondo::check {

// Magnitudes over many powers of ten, zeros and groups of nothing else.
template<class T>
std::vector<T> tapeValues(std::size_t count, unsigned seed)
{
    Random random(seed);
    std::vector<T> v(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double size = std::pow(10.0, random(-9.0, 3.0) + static_cast<double>(i / kScaled % 5) * 4.0 - 8.0);
        v[i] = i / kScaled % 7 == 3 || i % 11 == 0 ? T(0) : static_cast<T>(random(-1.0, 1.0) * size);
    }
    return v;
}

template<class T>
struct Packed {
    std::vector<std::byte> packed;
    std::vector<T> unpacked;
};

template<class T>
Packed<T> packOn(Backend& backend, StreamHandle stream, const std::vector<T>& values, Storage storage)
{
    const auto count = static_cast<std::int64_t>(values.size());
    Block<T> from(backend, stream, values);
    Block<std::byte> packed(backend, stream, static_cast<std::size_t>(packedBytes(storage, sizeof(T), count)));
    backend.pack(PackedValues<T>{from.data(), packed.data(), count, storage}, stream);
    Block<T> to(backend, stream, values.size());
    backend.unpack(PackedValues<T>{to.data(), packed.data(), count, storage}, stream);
    return {packed.read(), to.read()};
}

// The furthest that a number may be from what it was, as a share of the largest of its group or of itself.
template<class T>
double packedError(const std::vector<T>& values, const std::vector<T>& back, Storage storage)
{
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double peak = std::abs(static_cast<double>(values[i]));
        if (isScaled(storage)) {
            const std::size_t first = i / kScaled * kScaled;
            for (std::size_t k = first; k < std::min(values.size(), first + kScaled); ++k) {
                peak = std::max(peak, std::abs(static_cast<double>(values[k])));
            }
        }
        const double d = std::abs(static_cast<double>(values[i]) - static_cast<double>(back[i]));
        worst = std::isnan(d) ? INFINITY : std::max(worst, peak > 0.0 ? d / peak : d);
    }
    return worst;
}

template<class T>
void checkPacking(Backend& host, Backend& other, StreamHandle stream,
                  const std::function<void(bool, const std::string&)>& expect)
{
    struct Row {
        Storage storage;
        const char* name;
        double most; // half a last place
    };
    const Row rows[] = {{Storage::Exact, "exact", 0.0},
                        {Storage::Float32, "float32", sizeof(T) == 4 ? 0.0 : 6e-8},
                        {Storage::BFloat16, "bfloat16", 1.0 / 256},
                        {Storage::Float16, "float16", 1.0 / 2048},
                        {Storage::Int8, "int8", 0.5001 / 127}};
    for (const Row& row : rows) {
        for (const std::size_t count :
             {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, std::size_t{50'021}}) {
            const auto values = tapeValues<T>(count, static_cast<unsigned>(count));
            const auto a = packOn(host, nullptr, values, row.storage);
            const auto b = packOn(other, stream, values, row.storage);
            const bool same =
                a.packed == b.packed && std::memcmp(a.unpacked.data(), b.unpacked.data(), count * sizeof(T)) == 0;
            const double error = packedError(values, b.unpacked, row.storage);
            expect(same && error <= row.most, std::string("packing as ") + row.name + ", " + std::to_string(count) +
                                                  " numbers: " + (same ? "" : "not the host's bits; ") + "error " +
                                                  std::to_string(error));
        }
    }
    // What is no number stays none, in whatever company.
    auto values = tapeValues<T>(300, 5);
    values[17] = static_cast<T>(NAN);
    for (const Row& row : rows) {
        expect(std::isnan(packOn(other, stream, values, row.storage).unpacked[17]),
               std::string("a number that is none, packed as ") + row.name + ", came back as one");
    }
}

template<class T>
void checkBoxes(Backend& host, Backend& other, StreamHandle stream,
                const std::function<void(bool, const std::string&)>& expect)
{
    for (const int rank : {2, 3}) {
        const Layout layout = Layout::make(rank, 37, rank == 3 ? 21 : 1, 45, 3, 11);
        const int ny = layout.ny;
        const std::vector<Box> boxes = {
            {0, 3, 0, ny, 0, 45, {}}, {3, 37, 0, ny, 42, 45, {}}, {5, 30, 0, ny, 7, 8, {}}, {9, 9, 0, ny, 0, 45, {}}};
        constexpr int kShots = 2;
        const auto size = static_cast<std::size_t>(layout.shotStride * kShots);
        const auto values = tapeValues<T>(size, 3);
        const auto there = [&](Backend& backend, StreamHandle s) {
            Block<T> field(backend, s, values);
            BoxCopy<T> args{layout, kShots, boxes.data(), static_cast<int>(boxes.size()), field.data(), nullptr, true};
            Block<T> block(backend, s, static_cast<std::size_t>(args.perShot() * kShots));
            args.block = block.data();
            backend.copyBoxes(args, s);
            Block<T> back(backend, s, size);
            args.field = back.data();
            args.toBlock = false;
            backend.copyBoxes(args, s);
            return std::pair(block.read(), back.read());
        };
        const auto a = there(host, nullptr);
        const auto b = there(other, stream);
        bool right = a == b;
        for (const Box& box : boxes) {
            for (int z = box.z0; z < box.z1; ++z) {
                for (int x = box.x0; x < box.x1; ++x) {
                    const auto i = static_cast<std::size_t>(layout.at(1, z, box.y1 - 1, x));
                    right = right && b.second[i] == values[i];
                }
            }
        }
        expect(right, "boxes of a field, " + std::to_string(rank) + "-D: not what went in");
    }
}

// After some whole steps: the layers alone forwards, the interior alone backwards.
template<class T>
void checkParts(Backend& host, Backend& other, StreamHandle stream, bool exact,
                const std::vector<std::array<Face, 6>>& faces,
                const std::function<void(bool, const std::string&)>& expect)
{
    unsigned seed = 2300;
    for (const int rank : {2, 3}) {
        for (const int order : {4, 8, 12}) {
            for (const auto& mix : faces) {
                Case c = caseOfMix(rank, order, mix, 11);
                c.shots = 2;
                c.seed = seed++;
                const Problem<T> p = makeProblem<T>(c);
                Run<T> onHost(host, nullptr, p);
                Run<T> onOther(other, stream, p);
                for (Run<T>* run : {&onHost, &onOther}) {
                    run->step();
                    run->stepLayers();
                    run->stepLayers();
                    run->stepInteriorBack(true);
                    run->stepInteriorBack(false);
                }
                const double error = errorOfPeak(onHost.outcome(), onOther.outcome());
                const double allowed = exact ? 0.0 : sizeof(T) == sizeof(double) ? 1e-13 : 1e-5;
                expect(error <= allowed, "layers alone, interior back, " + c.name() + ": error " +
                                             std::to_string(error) + " of the peak");
            }
        }
    }
}

// Steps back of the adjoint with the run's taken back in the same pass: the bits of one after the other.
template<class T>
void checkRewind(Backend& backend, StreamHandle stream, const std::vector<std::array<Face, 6>>& faces,
                 const std::function<void(bool, const std::string&)>& expect)
{
    unsigned seed = 2900;
    for (const int layer : {6, 20}) {
        for (const auto& mix : faces) {
            Case c = caseOfMix(3, 8, mix, 11);
            c.layer = layer;
            c.shots = 2;
            c.seed = seed++;
            for (int axis = 0; axis < 3; ++axis) { // more than a tile along each axis
                c.n[axis] = 2 * (layer + 4) + (axis == kX ? 85 : 21);
            }
            const Problem<T> p = makeProblem<T>(c);
            if (!backend.rewindsWithin(p.layout, c.order, sizeof(T))) {
                return;
            }
            Outcome<T> outcomes[2][2];
            for (const bool within : {false, true}) {
                Run<T> run(backend, stream, p);
                Run<T> back(backend, stream, p);
                back.stepKept();
                for (int i = 0; i < 3; ++i) {
                    back.rewind(run, within);
                }
                outcomes[within ? 1 : 0][0] = run.outcome();
                outcomes[within ? 1 : 0][1] = back.outcome();
                outcomes[within ? 1 : 0][1].kept.clear(); // of the interior there is none when both go in one
            }
            for (const int which : {0, 1}) {
                const double error = errorOfPeak(outcomes[0][which], outcomes[1][which]);
                expect(error == 0.0, std::string(which == 0 ? "the run" : "the adjoint") +
                                         " taken back in one pass with the other, " + c.name() + ": error " +
                                         std::to_string(error) + " of the peak");
            }
        }
    }
}

template<class T>
void checkTape(Backend& host, Backend& other, StreamHandle stream, bool exact,
               const std::vector<std::array<Face, 6>>& faces,
               const std::function<void(bool, const std::string&)>& expect)
{
    checkPacking<T>(host, other, stream, expect);
    checkBoxes<T>(host, other, stream, expect);
    checkParts<T>(host, other, stream, exact, faces, expect);
    checkRewind<T>(other, stream, faces, expect);
    std::printf("tape, %s: packing, boxes, layers alone, the interior back\n", sizeof(T) == 8 ? "double" : "float");
}

} // namespace ondo::check
