// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ridge {

/// For many lists of ascending numbers, each with a set of bits: the newest one below a limit that has a bit. A search
/// and a walk over at most kFrame of them, however long the list is.
class NewestWith {
public:
    /// `each(use)` calls use(list, number, bits) for everything there is, the numbers of a list ascending; it is called
    /// twice. A number that comes again in a list has its bits joined. `width`: bits are below it, at most 32.
    using Use = std::function<void(std::size_t list, std::uint32_t number, std::uint32_t bits)>;
    void build(std::size_t lists, std::uint32_t width, const std::function<void(const Use&)>& each);
    std::optional<std::uint32_t> find(std::size_t list, std::uint32_t limit, std::uint32_t bit) const;
    /// Whether the list has anything below the limit.
    bool any(std::size_t list, std::uint32_t limit) const
    {
        return m_begin[list] < m_begin[list + 1] && m_numbers[m_begin[list]] < limit;
    }

private:
    static constexpr std::uint32_t kFrame = 32;
    std::uint32_t m_width = 0;
    std::vector<std::uint32_t> m_begin, m_frameBegin; ///< of each list, and one past the last
    std::vector<std::uint32_t> m_numbers, m_bits;
    std::vector<std::uint32_t> m_frames; ///< after every kFrame of a list: the newest of each bit, as an index, or ~0
};

} // namespace ridge
