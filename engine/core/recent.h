// What was made of the last few keys, so that who asks for the same again gets the same object: shots with one line of
// receivers, a run started once more. What is large is not kept for that: it is found as long as somebody else holds it. Any
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace ondo {

template<class Key, class Value>
class Recent {
public:
    explicit Recent(std::size_t most)
        : m_most(most)
    {
    }

    // make(key) gives the value of a key that is not there; it runs unlocked, at worst twice. isLarge(value): see above.
    template<class Make, class IsLarge>
    std::shared_ptr<const Value> get(Key key, const Make& make, const IsLarge& isLarge)
    {
        if (auto known = find(key)) {
            return known;
        }
        auto made = std::make_shared<const Value>(make(key));
        const std::lock_guard lock(m_mutex);
        if (m_entries.size() >= m_most) {
            m_entries.erase(m_entries.begin());
        }
        m_entries.push_back({std::move(key), made, isLarge(*made) ? nullptr : made});
        return made;
    }

private:
    struct Entry {
        Key key;
        std::weak_ptr<const Value> value;
        std::shared_ptr<const Value> kept; // null: large
    };

    std::shared_ptr<const Value> find(const Key& key)
    {
        const std::lock_guard lock(m_mutex);
        const auto found =
            std::find_if(m_entries.begin(), m_entries.end(), [&key](const Entry& e) { return e.key == key; });
        if (found == m_entries.end()) {
            return nullptr;
        }
        auto value = found->value.lock();
        if (value == nullptr) {
            m_entries.erase(found);
            return nullptr;
        }
        std::rotate(found, found + 1, m_entries.end()); // the longest unasked goes first
        return value;
    }

    std::size_t m_most;
    std::mutex m_mutex;
    std::vector<Entry> m_entries;
};

} // namespace ondo
