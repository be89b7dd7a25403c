// One HDF5 file being written: groups, arrays, text, attributes. The first failure is remembered, and the calls after it do
// nothing; close() tells it. Hold an Hdf5Lock as long as one lives.
#pragma once

#include "engine/core/result.h"
#include "engine/io/hdf5_handle.h"

#include <string>
#include <vector>

namespace ondo {

using Hdf5Shape = std::vector<hsize_t>;

class Hdf5Writer {
public:
    explicit Hdf5Writer(const std::string& path)
        : m_file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose)
    {
        note(m_file.good(), "create the file");
    }
    // One that is there, to be changed in place: what fails half way leaves it broken, so give it a copy.
    struct Existing {};
    Hdf5Writer(const std::string& path, Existing)
        : m_file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose)
    {
        note(m_file.good(), "open the file");
    }

    [[nodiscard]] hid_t root() const { return m_file.get(); }

    Hid group(hid_t parent, const std::string& name)
    {
        Hid g(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        note(g.good(), "create " + name);
        return g;
    }

    Hid openGroup(const std::string& name)
    {
        Hid g(H5Gopen2(m_file.get(), name.c_str(), H5P_DEFAULT), H5Gclose);
        note(g.good(), "open " + name);
        return g;
    }

    void remove(const std::string& name)
    {
        note(H5Ldelete(m_file.get(), name.c_str(), H5P_DEFAULT) >= 0, "remove " + name);
    }

    template<class T>
    Hid numbers(hid_t parent, const std::string& name, const Hdf5Shape& shape, const T* values)
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

} // namespace ondo
