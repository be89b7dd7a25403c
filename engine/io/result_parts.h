// What result files of several kinds have in common. In builds with HDF5 alone; hold an Hdf5Lock.
#pragma once

#include "engine/io/atomic_file.h"
#include "engine/io/hdf5_writer.h"
#include "engine/model/model.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ondo {

// Samples on a grid, (z, (y,) x), with their unit, axes, spacing and origin.
template<class T>
Hid writeOnGrid(Hdf5Writer& out, hid_t parent, const char* name, const Grid& g, const T* values,
                const std::string& unit)
{
    const bool flat = g.rank == 2;
    const auto count = [](int n) { return static_cast<hsize_t>(n); };
    const Hdf5Shape shape =
        flat ? Hdf5Shape{count(g.nz), count(g.nx)} : Hdf5Shape{count(g.nz), count(g.ny), count(g.nx)};
    Hid set = out.numbers(parent, name, shape, values);
    out.attribute(set.get(), "unit", unit);
    out.attribute(set.get(), "axes",
                  flat ? std::vector<std::string>{"z", "x"} : std::vector<std::string>{"z", "y", "x"});
    out.attribute(set.get(), "axes_unit", std::string("m"));
    out.attribute(set.get(), "spacing", flat ? std::vector<double>{g.dz, g.dx} : std::vector<double>{g.dz, g.dy, g.dx});
    out.attribute(set.get(), "origin",
                  flat ? std::vector<double>{g.origin.z, g.origin.x}
                       : std::vector<double>{g.origin.z, g.origin.y, g.origin.x});
    return set;
}

inline void writeModelGroup(Hdf5Writer& out, const Model& model)
{
    const Hid group = out.group(out.root(), "model");
    writeOnGrid(out, group.get(), "velocity", model.grid(), model.velocity().samples().data(), model.velocity().unit);
    if (model.hasDensity()) {
        writeOnGrid(out, group.get(), "density", model.grid(), model.density().samples().data(), model.density().unit);
    }
    out.attribute(group.get(), "name", model.name());
}

// Coordinates (or what is per coordinate) of points, one a row: x, y, z.
template<class Place>
void writeCoordinates(Hdf5Writer& out, hid_t group, const char* name, const std::vector<Place>& places,
                      const std::string& unit)
{
    std::vector<double> table;
    for (const auto& p : places) {
        if constexpr (requires { p.position; }) {
            table.insert(table.end(), {p.position.x, p.position.y, p.position.z});
        } else {
            table.insert(table.end(), {p.x, p.y, p.z});
        }
    }
    const Hid set = out.numbers(group, name, {places.size(), 3}, table.data());
    out.attribute(set.get(), "unit", unit);
    out.attribute(set.get(), "axes", std::vector<std::string>{"point", "coordinate"});
    out.attribute(set.get(), "columns", std::vector<std::string>{"x", "y", "z"});
}

template<class Place>
void writePlaces(Hdf5Writer& out, hid_t group, const char* name, const std::vector<Place>& places)
{
    writeCoordinates(out, group, name, places, "m");
}

// The file's copy is changed, and takes its place. Holds the Hdf5Lock itself.
inline Result<> changeAtomically(const std::string& path, const std::function<Result<>(Hdf5Writer&)>& work)
{
    return writeAtomically(path, [&](const std::string& temporary) -> Result<> {
        std::error_code code;
        std::filesystem::copy_file(path, temporary, code);
        if (code) {
            return fail(ErrorKind::Io, code.message(), "check the space left on the disk: the file is copied to grow");
        }
        const Hdf5Lock lock;
        Hdf5Writer out(temporary, Hdf5Writer::Existing{});
        if (auto ok = work(out); !ok) {
            return ok;
        }
        return out.close();
    });
}

inline std::string timeNow()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

} // namespace ondo
