#include "engine/io/read_watch.h"

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

thread_local ReadWatch* t_watch = nullptr;

}

ReadWatch::ReadWatch(std::function<bool(double share)> told)
    : m_told(std::move(told))
{
    t_watch = this;
}

ReadWatch::~ReadWatch()
{
    t_watch = nullptr;
}

void ReadWatch::expect(std::int64_t bytes)
{
    if (t_watch != nullptr) {
        t_watch->m_expected += bytes;
    }
}

bool ReadWatch::goesOn(std::int64_t bytes)
{
    if (t_watch == nullptr) {
        return true;
    }
    ReadWatch& watch = *t_watch;
    watch.m_read += bytes;
    const auto whole = static_cast<double>(std::max<std::int64_t>(watch.m_expected, 1));
    // Headers are looked at more than once.
    return watch.m_told(std::min(1.0, static_cast<double>(watch.m_read) / whole));
}

} // namespace ondo
