// How far the reading of files is, and the way to end it: while a watch lives, what its thread reads from files is told
// to it. Readers read on the thread that called them. One watch a thread at a time.
#pragma once

#include <cstdint>
#include <functional>

namespace ondo {

class ReadWatch {
public:
    // told: the share of the bytes that has been read, 0 to 1; false ends the reading with ErrorKind::Cancelled.
    explicit ReadWatch(std::function<bool(double share)> told);
    ~ReadWatch();
    ReadWatch(const ReadWatch&) = delete;
    ReadWatch& operator=(const ReadWatch&) = delete;
    ReadWatch(ReadWatch&&) = delete;
    ReadWatch& operator=(ReadWatch&&) = delete;

    // For readers. A file of so many bytes is being read too.
    static void expect(std::int64_t bytes);
    // So many of them are here. False: stop.
    [[nodiscard]] static bool goesOn(std::int64_t bytes);

private:
    std::function<bool(double)> m_told;
    std::int64_t m_expected = 0, m_read = 0;
};

} // namespace ondo
