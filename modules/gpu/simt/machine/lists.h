// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace ridge::gpu::simt {

/// A list for each of many owners, in one piece: those of `owner` are items[first[owner]] … items[first[owner + 1]].
template<class T>
struct Lists {
    std::vector<std::uint32_t> first{0};
    std::vector<T> items;

    void close() { first.push_back(static_cast<std::uint32_t>(items.size())); } ///< the next owner's begins
    std::span<const T> open() const { return {items.data() + first.back(), items.data() + items.size()}; } ///< so far
    std::span<const T> of(std::size_t owner) const
    {
        return {items.data() + first[owner], items.data() + first[owner + 1]};
    }
};

/// `each` calls what it is given with every pair of an owner and an item, the same ones in the same order each of the
/// two times that it is called.
template<class T, class F>
Lists<T> gathered(std::size_t owners, F&& each)
{
    Lists<T> made;
    made.first.assign(owners + 1, 0);
    each([&](std::size_t owner, const T&) { ++made.first[owner + 1]; });
    std::partial_sum(made.first.begin(), made.first.end(), made.first.begin());
    made.items.resize(made.first.back());
    std::vector<std::uint32_t> next(made.first.begin(), made.first.end() - 1);
    each([&](std::size_t owner, const T& item) { made.items[next[owner]++] = item; });
    return made;
}

/// A note about registers that lasts for one block.
class Notes {
public:
    static constexpr std::uint32_t kNoNote = ~std::uint32_t{0};

    explicit Notes(std::size_t registers) : m_note(registers), m_block(registers, 0) {}
    void forget() { ++m_now; }
    std::uint32_t get(std::uint32_t id) const { return m_block[id] == m_now ? m_note[id] : kNoNote; }
    void set(std::uint32_t id, std::uint32_t note)
    {
        m_note[id] = note;
        m_block[id] = m_now;
    }

private:
    std::vector<std::uint32_t> m_note, m_block;
    std::uint32_t m_now = 1;
};

} // namespace ridge::gpu::simt
