#include "engine/io/result_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/run_file.h"

#ifdef ONDO_HAS_HDF5
#include "engine/io/hdf5_handle.h"
#endif

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace ondo {

#ifndef ONDO_HAS_HDF5

bool canWriteHdf5()
{
    return false;
}

Result<> writeResults(const std::string& path, const RunResult&)
{
    return badInput(path + ": this program was built without HDF5",
                    "write the gather as .segy or .npy, or use a build with libhdf5");
}

Result<> writeModelHdf5(const std::string& path, const Model&)
{
    return badInput(path + ": this program was built without HDF5",
                    "write .npy, .rsf or .segy, or use a build with libhdf5");
}

#else

namespace {

using Shape = std::vector<hsize_t>;

// One file being written: the first failure is remembered, and the calls after it do nothing.
class Writer {
public:
    explicit Writer(const std::string& path)
        : m_file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose)
    {
        note(m_file.good(), "create the file");
    }

    [[nodiscard]] hid_t root() const { return m_file.get(); }

    Hid group(hid_t parent, const std::string& name)
    {
        Hid g(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        note(g.good(), "create " + name);
        return g;
    }

    template<class T>
    Hid numbers(hid_t parent, const std::string& name, const Shape& shape, const T* values)
    {
        const Hid space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
        const hid_t stored = sizeof(T) == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
        const hid_t memory = sizeof(T) == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
        Hid set(H5Dcreate2(parent, name.c_str(), stored, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
        note(set.good(), "create " + name);
        const bool any = H5Sget_simple_extent_npoints(space.get()) > 0;
        if (set.good() && any) {
            note(H5Dwrite(set.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "write " + name);
        }
        return set;
    }

    void text(hid_t parent, const std::string& name, const std::string& value)
    {
        const Hid type = textType();
        const Hid space(H5Screate(H5S_SCALAR), H5Sclose);
        const Hid set(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
        const char* characters = value.c_str();
        note(set.good() && H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &characters) >= 0,
             "write " + name);
    }

    void attribute(hid_t object, const char* name, const std::string& value)
    {
        const Hid space(H5Screate(H5S_SCALAR), H5Sclose);
        const char* characters = value.c_str();
        put(object, name, textType().get(), space.get(), &characters);
    }

    void attribute(hid_t object, const char* name, double value)
    {
        const Hid space(H5Screate(H5S_SCALAR), H5Sclose);
        put(object, name, H5T_NATIVE_DOUBLE, space.get(), &value);
    }

    void attribute(hid_t object, const char* name, long long value)
    {
        const Hid space(H5Screate(H5S_SCALAR), H5Sclose);
        put(object, name, H5T_NATIVE_LLONG, space.get(), &value);
    }

    void attribute(hid_t object, const char* name, const std::vector<double>& values)
    {
        const hsize_t count = values.size();
        const Hid space(H5Screate_simple(1, &count, nullptr), H5Sclose);
        put(object, name, H5T_NATIVE_DOUBLE, space.get(), values.data());
    }

    void attribute(hid_t object, const char* name, const std::vector<std::string>& values)
    {
        const hsize_t count = values.size();
        const Hid space(H5Screate_simple(1, &count, nullptr), H5Sclose);
        std::vector<const char*> characters;
        for (const auto& v : values) {
            characters.push_back(v.c_str());
        }
        put(object, name, textType().get(), space.get(), characters.data());
    }

    Result<> close()
    {
        const bool created = m_file.good();
        note(m_file.reset(), "close the file");
        if (!m_wrong.empty()) {
            return fail(ErrorKind::Io, "HDF5 cannot " + m_wrong,
                        created ? "check the space left on the disk" : "check that the folder is writable");
        }
        return {};
    }

private:
    // Of variable length in UTF-8: what other readers hand out as plain text.
    static Hid textType()
    {
        Hid type(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(type.get(), H5T_VARIABLE);
        H5Tset_cset(type.get(), H5T_CSET_UTF8);
        return type;
    }

    void put(hid_t object, const char* name, hid_t type, hid_t space, const void* value)
    {
        const Hid a(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        note(a.good() && H5Awrite(a.get(), type, value) >= 0, std::string("write the attribute ") + name);
    }

    void note(bool fine, const std::string& what)
    {
        if (!fine && m_wrong.empty()) {
            m_wrong = what + " (" + hdf5Why() + ")";
        }
    }

    Hid m_file;
    std::string m_wrong;
};

std::vector<std::string> axisNames(int rank)
{
    return rank == 2 ? std::vector<std::string>{"z", "x"} : std::vector<std::string>{"z", "y", "x"};
}

void writeModelGroup(Writer& out, const Model& model)
{
    const Grid& g = model.grid();
    const Hid group = out.group(out.root(), "model");
    const bool flat = g.rank == 2;
    const auto count = [](int n) { return static_cast<hsize_t>(n); };
    const Shape shape = flat ? Shape{count(g.nz), count(g.nx)} : Shape{count(g.nz), count(g.ny), count(g.nx)};
    const Hid set = out.numbers(group.get(), "velocity", shape, model.velocity().samples().data());
    out.attribute(set.get(), "unit", model.velocity().unit);
    out.attribute(set.get(), "axes", axisNames(g.rank));
    out.attribute(set.get(), "axes_unit", std::string("m"));
    out.attribute(set.get(), "spacing", flat ? std::vector<double>{g.dz, g.dx} : std::vector<double>{g.dz, g.dy, g.dx});
    out.attribute(set.get(), "origin",
                  flat ? std::vector<double>{g.origin.z, g.origin.x}
                       : std::vector<double>{g.origin.z, g.origin.y, g.origin.x});
    out.attribute(group.get(), "name", model.name());
}

template<class Place>
void writePlaces(Writer& out, hid_t group, const char* name, const std::vector<Place>& places)
{
    std::vector<double> table;
    for (const auto& p : places) {
        table.insert(table.end(), {p.position.x, p.position.y, p.position.z});
    }
    const Hid set = out.numbers(group, name, {places.size(), 3}, table.data());
    out.attribute(set.get(), "unit", std::string("m"));
    out.attribute(set.get(), "axes", std::vector<std::string>{"point", "coordinate"});
    out.attribute(set.get(), "columns", std::vector<std::string>{"x", "y", "z"});
}

void writeShot(Writer& out, hid_t shots, const Gather& gather, const char* sourceUnit)
{
    const Hid group = out.group(shots, fmt::format("{:04}", gather.shot));
    const auto samples = static_cast<hsize_t>(gather.samples);
    const Hid set = out.numbers(group.get(), "traces", {gather.receivers.size(), samples}, gather.traces.data());
    out.attribute(set.get(), "unit", std::string("Pa"));
    out.attribute(set.get(), "quantity", std::string("pressure"));
    out.attribute(set.get(), "axes", std::vector<std::string>{"receiver", "time"});
    out.attribute(set.get(), "sample_interval", gather.dt);
    out.attribute(set.get(), "first_time", 0.0);
    out.attribute(set.get(), "time_unit", std::string("s"));
    out.attribute(set.get(), "recorded", static_cast<long long>(gather.recorded));
    writePlaces(out, group.get(), "receivers", gather.receivers);
    writePlaces(out, group.get(), "sources", gather.sources);
    std::vector<double> wavelets;
    std::vector<std::string> words;
    for (const auto& source : gather.sources) {
        const auto f = source.wavelet.samples(gather.dt, gather.samples);
        wavelets.insert(wavelets.end(), f.begin(), f.end());
        words.push_back(source.wavelet.describe());
    }
    const Hid shape = out.numbers(group.get(), "wavelets", {gather.sources.size(), samples}, wavelets.data());
    out.attribute(shape.get(), "unit", std::string(sourceUnit));
    out.attribute(shape.get(), "axes", std::vector<std::string>{"source", "time"});
    out.attribute(shape.get(), "sample_interval", gather.dt);
    if (!words.empty()) {
        out.attribute(shape.get(), "description", words);
    }
}

void writeField(Writer& out, const LastField& field, const Grid& grid)
{
    const Hid group = out.group(out.root(), "field");
    const bool flat = grid.rank == 2;
    const auto count = [](int n) { return static_cast<hsize_t>(n); };
    const Shape shape =
        flat ? Shape{count(field.nz), count(field.nx)} : Shape{count(field.nz), count(field.ny), count(field.nx)};
    const Hid set = out.numbers(group.get(), "pressure", shape, field.pressure.data());
    const double dz = field.dz > 0.0 ? field.dz : grid.dz;
    const double dy = field.dy > 0.0 ? field.dy : grid.dy;
    const double dx = field.dx > 0.0 ? field.dx : grid.dx;
    out.attribute(set.get(), "unit", std::string("Pa"));
    out.attribute(set.get(), "axes", axisNames(grid.rank));
    out.attribute(set.get(), "axes_unit", std::string("m"));
    out.attribute(set.get(), "spacing", flat ? std::vector<double>{dz, dx} : std::vector<double>{dz, dy, dx});
    out.attribute(set.get(), "origin",
                  flat ? std::vector<double>{grid.origin.z, grid.origin.x}
                       : std::vector<double>{grid.origin.z, grid.origin.y, grid.origin.x});
    out.attribute(set.get(), "step", field.step);
    out.attribute(set.get(), "time", field.time);
    out.attribute(set.get(), "time_unit", std::string("s"));
}

std::string timeNow()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

Result<> checkShapes(const RunResult& result)
{
    for (const auto& g : result.gathers) {
        if (g.traces.size() != g.receivers.size() * static_cast<std::size_t>(g.samples)) {
            return fail(ErrorKind::Internal, fmt::format("shot {} has {} samples for {} receivers of {}", g.shot,
                                                         g.traces.size(), g.receivers.size(), g.samples));
        }
    }
    if (result.field) {
        const auto& f = *result.field;
        if (f.pressure.size() !=
            static_cast<std::size_t>(f.nz) * static_cast<std::size_t>(f.ny) * static_cast<std::size_t>(f.nx)) {
            return fail(ErrorKind::Internal, fmt::format("the last field has {} samples for {} x {} x {}",
                                                         f.pressure.size(), f.nz, f.ny, f.nx));
        }
    }
    return {};
}

} // namespace

bool canWriteHdf5()
{
    return true;
}

Result<> writeResults(const std::string& path, const RunResult& result)
{
    if (auto r = checkShapes(result); !r) {
        return within(r.error(), "while writing " + path);
    }
    return writeAtomically(path, [&result](const std::string& temporary) -> Result<> {
        const Hdf5Lock lock;
        Writer out(temporary);
        const std::string created = result.created.empty() ? timeNow() : result.created;
        out.attribute(out.root(), "format", std::string("ondoscope results"));
        out.attribute(out.root(), "format_version", 1LL);
        out.attribute(out.root(), "program", std::string("ondoscope"));
        out.attribute(out.root(), "version", std::string(ONDO_VERSION));
        out.attribute(out.root(), "title", result.description.title);
        out.attribute(out.root(), "device", result.device);
        out.attribute(out.root(), "created", created);
        out.attribute(out.root(), "complete", result.complete ? 1LL : 0LL);
        if (!result.model.empty()) {
            writeModelGroup(out, result.model);
        }
        {
            const Hid shots = out.group(out.root(), "shots");
            for (const auto& gather : result.gathers) {
                // In two dimensions the source is a line: Pa m a metre (survey/wavelet.h).
                const bool flat = !result.model.empty() && result.model.grid().rank == 2;
                writeShot(out, shots.get(), gather, flat ? "Pa" : "Pa m");
            }
        }
        if (result.field) {
            writeField(out, *result.field, result.model.grid());
        }
        {
            const Hid group = out.group(out.root(), "provenance");
            out.text(group.get(), "plan", result.planText);
            out.text(group.get(), "run_file",
                     result.runFileText.empty() ? runFileText(result.description) : result.runFileText);
            out.text(group.get(), "device", result.device);
            out.text(group.get(), "version", ONDO_VERSION);
            out.text(group.get(), "created", created);
        }
        return out.close();
    });
}

Result<> writeModelHdf5(const std::string& path, const Model& model)
{
    return writeAtomically(path, [&model](const std::string& temporary) -> Result<> {
        const Hdf5Lock lock;
        Writer out(temporary);
        out.attribute(out.root(), "format", std::string("ondoscope model"));
        out.attribute(out.root(), "format_version", 1LL);
        out.attribute(out.root(), "version", std::string(ONDO_VERSION));
        writeModelGroup(out, model);
        return out.close();
    });
}

#endif

} // namespace ondo
