// Handles of the HDF5 library that close themselves, and the lock that keeps it on one thread at a time (the serial
// library is not thread-safe). The only header of ours that names hdf5.h.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace ondo {

class Hid {
public:
    using Closer = herr_t (*)(hid_t);
    Hid() = default;
    Hid(hid_t id, Closer closer)
        : m_id(id)
        , m_closer(closer)
    {
    }
    ~Hid() { reset(); }
    Hid(const Hid&) = delete;
    Hid& operator=(const Hid&) = delete;
    Hid(Hid&& other) noexcept
        : m_id(std::exchange(other.m_id, -1))
        , m_closer(other.m_closer)
    {
    }
    Hid& operator=(Hid&& other) noexcept
    {
        if (this != &other) {
            reset();
            m_id = std::exchange(other.m_id, -1);
            m_closer = other.m_closer;
        }
        return *this;
    }

    [[nodiscard]] hid_t get() const { return m_id; }
    [[nodiscard]] bool good() const { return m_id >= 0; }
    // Closes now; false when the library says that closing failed (a full disk shows here).
    bool reset()
    {
        const bool fine = m_id < 0 || m_closer(m_id) >= 0;
        m_id = -1;
        return fine;
    }

private:
    hid_t m_id = -1;
    Closer m_closer = nullptr;
};

// Holds the library and keeps it from printing.
class Hdf5Lock {
public:
    Hdf5Lock();

private:
    std::unique_lock<std::recursive_mutex> m_lock;
};

// The innermost message of the library's error stack.
[[nodiscard]] std::string hdf5Why();

} // namespace ondo
