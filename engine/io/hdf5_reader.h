// One HDF5 file of our own being read: arrays, attributes. The first failure is remembered, and what is asked for
// after it
// comes back empty or 0; good() tells. For files of others see hdf5_file.cpp. Hold an Hdf5Lock as long as one lives.
#pragma once

#include "engine/io/hdf5_handle.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace ondo {

class Hdf5Reader {
public:
    explicit Hdf5Reader(const std::string& path)
        : m_file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose)
    {
        note(m_file.good(), "open the file");
    }

    [[nodiscard]] bool good() const { return m_wrong.empty(); }
    [[nodiscard]] const std::string& wrong() const { return m_wrong; }

    // The parent must be there.
    [[nodiscard]] bool has(const std::string& path) const
    {
        return m_file.good() && H5Lexists(m_file.get(), path.c_str(), H5P_DEFAULT) > 0;
    }

    template<class T>
    [[nodiscard]] std::vector<T> numbers(const std::string& path)
    {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
        std::vector<T> out;
        const Hid set(good() ? H5Dopen2(m_file.get(), path.c_str(), H5P_DEFAULT) : -1, H5Dclose);
        const Hid space(set.good() ? H5Dget_space(set.get()) : -1, H5Sclose);
        note(space.good(), "open " + path);
        if (good()) {
            out.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
            const hid_t type = sizeof(T) == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
            note(H5Dread(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) >= 0, "read " + path);
        }
        return out;
    }

    [[nodiscard]] double number(const std::string& object, const char* name)
    {
        double value = 0.0;
        const Hid a = open(object, name);
        note(a.good() && H5Aread(a.get(), H5T_NATIVE_DOUBLE, &value) >= 0, std::string("read the attribute ") + name);
        return value;
    }

    [[nodiscard]] bool hasAttribute(const std::string& object, const char* name) const
    {
        return m_file.good() && H5Aexists_by_name(m_file.get(), object.c_str(), name, H5P_DEFAULT) > 0;
    }

    [[nodiscard]] std::vector<double> attributeNumbers(const std::string& object, const char* name)
    {
        const Hid a = open(object, name);
        const Hid space(a.good() ? H5Aget_space(a.get()) : -1, H5Sclose);
        std::vector<double> values(
            space.good() ? static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get())))
                         : 0);
        note(space.good() && H5Aread(a.get(), H5T_NATIVE_DOUBLE, values.data()) >= 0,
             std::string("read the attribute ") + name);
        return values;
    }

    // Of a dataset, slowest axis first.
    [[nodiscard]] std::vector<hsize_t> shape(const std::string& path)
    {
        const Hid set(good() ? H5Dopen2(m_file.get(), path.c_str(), H5P_DEFAULT) : -1, H5Dclose);
        const Hid space(set.good() ? H5Dget_space(set.get()) : -1, H5Sclose);
        note(space.good(), "open " + path);
        std::vector<hsize_t> out(good() ? static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get())))
                                        : 0);
        if (!out.empty()) {
            H5Sget_simple_extent_dims(space.get(), out.data(), nullptr);
        }
        return out;
    }

    [[nodiscard]] std::string attributeText(const std::string& object, const char* name)
    {
        const Hid a = open(object, name);
        return textOf(a.get(), H5Aget_type, H5Aread, name);
    }

    // A dataset of one text.
    [[nodiscard]] std::string text(const std::string& path)
    {
        const Hid set(good() ? H5Dopen2(m_file.get(), path.c_str(), H5P_DEFAULT) : -1, H5Dclose);
        const auto read = [](hid_t from, hid_t type, void* to) {
            return H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
        };
        return textOf(set.get(), H5Dget_type, read, path);
    }

private:
    template<class Read>
    [[nodiscard]] std::string textOf(hid_t from, hid_t (*typeOf)(hid_t), const Read& read, const std::string& name)
    {
        const Hid type(from >= 0 ? typeOf(from) : -1, H5Tclose);
        char* characters = nullptr;
        if (!type.good() || H5Tis_variable_str(type.get()) <= 0 || read(from, type.get(), &characters) < 0) {
            note(false, "read the text " + name);
            return {};
        }
        std::string out = characters != nullptr ? characters : "";
        H5free_memory(characters);
        return out;
    }

    [[nodiscard]] Hid open(const std::string& object, const char* name) const
    {
        return {good() ? H5Aopen_by_name(m_file.get(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT) : -1, H5Aclose};
    }

    void note(bool fine, const std::string& what)
    {
        if (!fine && m_wrong.empty()) {
            m_wrong = "HDF5 cannot " + what + " (" + hdf5Why() + ")";
        }
    }

    Hid m_file;
    std::string m_wrong;
};

} // namespace ondo
