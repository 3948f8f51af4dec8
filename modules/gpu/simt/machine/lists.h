// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
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
