#include "engine/io/model_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/npy_writer.h"
#include "engine/io/result_writer.h"
#include "engine/io/sample_writer.h"
#include "engine/io/segy_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace ondo {

namespace fs = std::filesystem;

namespace {

std::vector<std::int64_t> shapeOf(const Grid& g)
{
    return g.rank == 2 ? std::vector<std::int64_t>{g.nz, g.nx} : std::vector<std::int64_t>{g.nz, g.ny, g.nx};
}

std::string spacingLine(const Grid& g)
{
    std::string out = fmt::format("tell a reader: nz = {}, {}nx = {}, dz = {}, {}dx = {}", g.nz,
                                  g.rank == 3 ? fmt::format("ny = {}, ", g.ny) : "", g.nx, g.dz,
                                  g.rank == 3 ? fmt::format("dy = {}, ", g.dy) : "", g.dx);
    if (g.origin != Position{}) {
        out += fmt::format(", origin_x = {}, origin_z = {}", g.origin.x, g.origin.z);
    }
    return out;
}

// Depth fastest, then x, then y: the custom of RSF and SEG-Y.
std::vector<float> depthFastest(const Model& model)
{
    const Grid& g = model.grid();
    const auto& v = model.velocity().samples();
    std::vector<float> out;
    out.reserve(v.size());
    for (int y = 0; y < g.ny; ++y) {
        for (int x = 0; x < g.nx; ++x) {
            for (int z = 0; z < g.nz; ++z) {
                out.push_back(
                    v[(static_cast<std::size_t>(z) * static_cast<std::size_t>(g.ny) + static_cast<std::size_t>(y)) *
                          static_cast<std::size_t>(g.nx) +
                      static_cast<std::size_t>(x)]);
            }
        }
    }
    return out;
}

Result<> writeRaw(const std::string& path, std::span<const float> samples)
{
    return writeAtomically(path, [samples](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([samples](SampleWriter writer) -> Result<> {
            writer.floats(samples, ByteOrder::Little);
            return writer.close();
        });
    });
}

Result<std::string> writeRsf(const std::string& path, const Model& model)
{
    const Grid& g = model.grid();
    const std::string data = path + "@";
    if (auto r = writeRaw(data, depthFastest(model)); !r) {
        return tl::unexpected(r.error());
    }
    std::string header =
        fmt::format("Ondoscope " ONDO_VERSION "\n\n\tdata_format=\"native_float\"\n\tesize=4\n\tin=\"./{}\"\n",
                    fs::path(data).filename().string());
    const auto axis = [&header](int k, int n, double d, double o, const char* label) {
        header +=
            fmt::format("\tn{0}={1}\n\td{0}={2}\n\to{0}={3}\n\tlabel{0}=\"{4}\"\n\tunit{0}=\"m\"\n", k, n, d, o, label);
    };
    axis(1, g.nz, g.dz, g.origin.z, "Depth");
    axis(2, g.nx, g.dx, g.origin.x, "Lateral");
    if (g.rank == 3) {
        axis(3, g.ny, g.dy, g.origin.y, "Crossline");
    }
    header += "\tlabel=\"Velocity\"\n\tunit=\"m/s\"\n";
    if (auto r = writeText(path, header); !r) {
        return tl::unexpected(r.error());
    }
    return "the samples are in " + data;
}

Result<std::string> writeModelSegy(const std::string& path, const Model& model)
{
    const Grid& g = model.grid();
    if (g.rank != 2) {
        return badInput(path + ": a three-dimensional model is not written as SEG-Y", "use .npy, .rsf, .h5 or .bin");
    }
    const auto samples = depthFastest(model);
    SegyDocument document;
    // The finest unit that the 16-bit word holds.
    const auto& [perMetre, unit] = g.dz <= 32.767   ? std::pair(1000.0, "MILLIMETRES")
                                   : g.dz <= 327.67 ? std::pair(100.0, "CENTIMETRES")
                                                    : std::pair(1.0, "METRES");
    document.intervalMicroseconds = g.dz * perMetre;
    document.text = {
        fmt::format("ONDOSCOPE MODEL DZ {:.12g} DX {:.12g} Z0 {:.12g} X0 {:.12g}", g.dz, g.dx, g.origin.z, g.origin.x),
        fmt::format("VELOCITY IN M/S, DEPTH SECTION: THE SAMPLE INTERVAL IS IN {}", unit), model.name().substr(0, 76)};
    for (int x = 0; x < g.nx; ++x) {
        SegyTrace trace;
        trace.samples = {samples.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(g.nz),
                         static_cast<std::size_t>(g.nz)};
        trace.source = trace.receiver = {g.origin.x + x * g.dx, 0.0, g.origin.z};
        trace.channel = x + 1;
        trace.crossline = x + 1;
        document.traces.push_back(trace);
    }
    if (auto r = writeSegy(path, document); !r) {
        return tl::unexpected(r.error());
    }
    return std::string("spacing and origin are in the text header");
}

// Appended raw float32 after a length of eight bytes, as VTK writes it; z is depth, downwards.
Result<std::string> writeVti(const std::string& path, const Model& model)
{
    const Grid& g = model.grid();
    const auto& v = model.velocity().samples();
    const std::string extent = fmt::format("0 {} 0 {} 0 {}", g.nx - 1, g.ny - 1, g.nz - 1);
    const std::string head = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<ImageData WholeExtent=\"{0}\" Origin=\"{1} {2} {3}\" Spacing=\"{4} {5} {6}\">\n"
        "<Piece Extent=\"{0}\">\n<PointData Scalars=\"velocity\">\n<DataArray type=\"Float32\" Name=\"velocity\" "
        "format=\"appended\" offset=\"0\"/>\n</PointData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_",
        extent, g.origin.x, g.origin.y, g.origin.z, g.dx, g.dy, g.dz);
    auto done = writeAtomically(path, [&](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([&](SampleWriter writer) -> Result<> {
            const auto text = [&writer](std::string_view t) {
                writer.bytes({reinterpret_cast<const unsigned char*>(t.data()), t.size()});
            };
            unsigned char length[8];
            storeNumber(length, static_cast<std::uint64_t>(v.size()) * 4, ByteOrder::Little);
            text(head);
            writer.bytes(length);
            writer.floats(v, ByteOrder::Little);
            text("\n</AppendedData>\n</VTKFile>\n");
            return writer.close();
        });
    });
    return done.map([] { return std::string("spacing and origin are in the file; its z is depth, downwards"); });
}

Result<std::string> writeLegacyVtk(const std::string& path, const Model& model)
{
    const Grid& g = model.grid();
    const auto& v = model.velocity().samples();
    const std::string head = fmt::format(
        "# vtk DataFile Version 3.0\nvelocity in m/s, z is depth\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS {} {} "
        "{}\n"
        "ORIGIN {} {} {}\nSPACING {} {} {}\nPOINT_DATA {}\nSCALARS velocity float 1\nLOOKUP_TABLE default\n",
        g.nx, g.ny, g.nz, g.origin.x, g.origin.y, g.origin.z, g.dx, g.dy, g.dz, g.nodes());
    auto done = writeAtomically(path, [&](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([&](SampleWriter writer) -> Result<> {
            writer.bytes({reinterpret_cast<const unsigned char*>(head.data()), head.size()});
            writer.floats(v, ByteOrder::Big);
            const unsigned char end = '\n';
            writer.bytes({&end, 1});
            return writer.close();
        });
    });
    return done.map([] { return std::string("spacing and origin are in the file; its z is depth, downwards"); });
}

std::string endingOf(const std::string& path)
{
    std::string ending = fs::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return ending;
}

} // namespace

Result<> checkModelEnding(const std::string& path)
{
    static const std::set<std::string> kEndings = {".npy", ".bin", ".raw",  ".rsf", ".segy",
                                                   ".sgy", ".h5",  ".hdf5", ".vti", ".vtk"};
    if (const std::string ending = endingOf(path); !kEndings.contains(ending)) {
        return badInput(fmt::format("{}: a model is not written as \"{}\"", path, ending),
                        "end the name in .npy, .bin, .rsf, .segy, .vti, .vtk or .h5");
    }
    return {};
}

Result<std::string> writeModel(const std::string& path, const Model& model)
{
    if (model.empty()) {
        return badInput(path + ": there is no model to write");
    }
    if (auto ok = checkModelEnding(path); !ok) {
        return tl::unexpected(ok.error());
    }
    const std::string ending = endingOf(path);
    Result<> done;
    if (ending == ".npy") {
        done = writeNpy(path, model.velocity().samples(), shapeOf(model.grid()));
    } else if (ending == ".bin" || ending == ".raw") {
        done = writeRaw(path, model.velocity().samples());
    } else if (ending == ".rsf") {
        return writeRsf(path, model);
    } else if (ending == ".segy" || ending == ".sgy") {
        return writeModelSegy(path, model);
    } else if (ending == ".vti") {
        return writeVti(path, model);
    } else if (ending == ".vtk") {
        return writeLegacyVtk(path, model);
    } else {
        if (auto r = writeModelHdf5(path, model); !r) {
            return tl::unexpected(r.error());
        }
        return std::string("spacing, origin and unit are attributes of /model/velocity");
    }
    if (!done) {
        return tl::unexpected(done.error());
    }
    return spacingLine(model.grid());
}

} // namespace ondo
