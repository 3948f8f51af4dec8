// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ridge::gpu::simt {

/// Of the short names that PTX is full of: eight characters at a time.
struct NameHash {
    std::size_t operator()(std::string_view name) const noexcept
    {
        std::uint64_t hash = name.size();
        while (name.size() > 8) {
            hash = mixed(hash, name, 8);
            name.remove_prefix(8);
        }
        return name.empty() ? hash : mixed(hash, name, name.size());
    }

private:
    static std::uint64_t mixed(std::uint64_t hash, std::string_view name, std::size_t size) noexcept
    {
        std::uint64_t word = 0;
        std::memcpy(&word, name.data(), size);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15; // 2^64 over the golden ratio: Knuth, TAOCP 3, 6.4
        return hash ^ hash >> 32;
    }
};

/// What belongs to each name, in the order in which they came. The names lie in the program's text, which outlives the
/// map. Entries stay where they are while others are added, and none is taken out.
template<class T>
class NameMap {
public:
    using value_type = std::pair<const std::string_view, T>;
    using iterator = typename std::deque<value_type>::iterator;
    using const_iterator = typename std::deque<value_type>::const_iterator;

    NameMap() = default;
    NameMap(std::initializer_list<value_type> entries)
    {
        for (const value_type& entry : entries)
            emplace(entry.first, entry.second);
    }

    iterator begin() { return m_entries.begin(); }
    iterator end() { return m_entries.end(); }
    const_iterator begin() const { return m_entries.begin(); }
    const_iterator end() const { return m_entries.end(); }
    std::size_t size() const { return m_entries.size(); }
    bool empty() const { return m_entries.empty(); }

    iterator find(std::string_view name)
    {
        const std::size_t at = placeOf(name);
        return at == kNowhere ? end() : begin() + static_cast<std::ptrdiff_t>(at);
    }
    const_iterator find(std::string_view name) const
    {
        const std::size_t at = placeOf(name);
        return at == kNowhere ? end() : begin() + static_cast<std::ptrdiff_t>(at);
    }
    std::size_t count(std::string_view name) const { return placeOf(name) == kNowhere ? 0 : 1; }
    bool contains(std::string_view name) const { return count(name) != 0; }
    const T& at(std::string_view name) const
    {
        const std::size_t found = placeOf(name);
        if (found == kNowhere)
            throw std::out_of_range("a name that the map does not have");
        return m_entries[found].second;
    }

    template<class... Arguments>
    std::pair<iterator, bool> try_emplace(std::string_view name, Arguments&&... arguments)
    {
        if (2 * (m_entries.size() + 1) > m_slots.size())
            grow(2 * (m_entries.size() + 1));
        const auto hash = hashOf(name);
        Slot* const slot = slotOf(name, hash);
        if (slot->entry != kFree)
            return {begin() + slot->entry, false};
        m_entries.emplace_back(std::piecewise_construct, std::forward_as_tuple(name),
                               std::forward_as_tuple(std::forward<Arguments>(arguments)...));
        *slot = {hash, static_cast<std::uint32_t>(m_entries.size() - 1)};
        return {std::prev(end()), true};
    }
    template<class U>
    std::pair<iterator, bool> emplace(std::string_view name, U&& value)
    {
        return try_emplace(name, std::forward<U>(value));
    }
    T& operator[](std::string_view name) { return try_emplace(name).first->second; }
    void reserve(std::size_t entries)
    {
        if (2 * entries > m_slots.size())
            grow(2 * entries);
    }

private:
    static constexpr std::uint32_t kFree = ~std::uint32_t{0};
    static constexpr std::size_t kNowhere = ~std::size_t{0};
    struct Slot {
        std::uint32_t hash = 0, entry = kFree;
    };

    static std::uint32_t hashOf(std::string_view name) { return static_cast<std::uint32_t>(NameHash{}(name)); }

    /// Where the name is, or would be put.
    const Slot* slotOf(std::string_view name, std::uint32_t hash) const
    {
        const std::size_t last = m_slots.size() - 1;
        std::size_t at = hash & last;
        while (m_slots[at].entry != kFree && (m_slots[at].hash != hash || m_entries[m_slots[at].entry].first != name))
            at = (at + 1) & last;
        return &m_slots[at];
    }
    Slot* slotOf(std::string_view name, std::uint32_t hash)
    {
        return const_cast<Slot*>(std::as_const(*this).slotOf(name, hash));
    }
    std::size_t placeOf(std::string_view name) const
    {
        if (m_entries.empty())
            return kNowhere;
        const Slot* const slot = slotOf(name, hashOf(name));
        return slot->entry == kFree ? kNowhere : slot->entry;
    }
    void grow(std::size_t slots)
    {
        const std::vector<Slot> old =
            std::exchange(m_slots, std::vector<Slot>(std::bit_ceil(std::max<std::size_t>(slots, 8))));
        const std::size_t last = m_slots.size() - 1;
        for (const Slot& slot : old) {
            if (slot.entry == kFree)
                continue;
            std::size_t at = slot.hash & last;
            while (m_slots[at].entry != kFree)
                at = (at + 1) & last;
            m_slots[at] = slot;
        }
    }

    std::deque<value_type> m_entries;
    std::vector<Slot> m_slots; ///< a power of two, at least twice as many as entries
};

using NameSet = std::unordered_set<std::string_view, NameHash>;

} // namespace ridge::gpu::simt
