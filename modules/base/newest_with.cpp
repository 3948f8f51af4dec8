// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/newest_with.h"

#include "base/lane_mask.h"

#include <algorithm>

namespace ridge {

void NewestWith::build(std::size_t lists, std::uint32_t width, const std::function<void(const Use&)>& each)
{
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    m_width = width;
    m_begin.assign(lists + 1, 0);
    std::vector<std::uint32_t> last(lists, kNone);
    each([&](std::size_t list, std::uint32_t number, std::uint32_t) {
        m_begin[list + 1] += last[list] == number ? 0 : 1;
        last[list] = number;
    });
    m_frameBegin.assign(lists + 1, 0);
    for (std::size_t list = 0; list < lists; ++list) {
        m_frameBegin[list + 1] = m_frameBegin[list] + m_begin[list + 1] / kFrame;
        m_begin[list + 1] += m_begin[list];
    }
    m_numbers.resize(m_begin.back());
    m_bits.assign(m_begin.back(), 0);
    std::vector<std::uint32_t> end(m_begin.begin(), m_begin.end() - 1);
    each([&](std::size_t list, std::uint32_t number, std::uint32_t bits) {
        const bool again = end[list] > m_begin[list] && m_numbers[end[list] - 1] == number;
        const std::uint32_t at = again ? end[list] - 1 : end[list]++;
        m_numbers[at] = number;
        m_bits[at] |= bits;
    });
    m_frames.assign(std::size_t{m_frameBegin.back()} * width, kNone);
    std::vector<std::uint32_t> newest(width);
    for (std::size_t list = 0; list < lists; ++list) {
        std::fill(newest.begin(), newest.end(), kNone);
        auto frame = m_frames.begin() + static_cast<std::ptrdiff_t>(std::size_t{m_frameBegin[list]} * width);
        for (std::uint32_t at = m_begin[list]; at < m_begin[list + 1]; ++at) {
            forLanes(m_bits[at], [&](std::uint32_t bit) { newest[bit] = at; });
            if ((at - m_begin[list] + 1) % kFrame == 0)
                frame = std::copy(newest.begin(), newest.end(), frame);
        }
    }
}

std::optional<std::uint32_t> NewestWith::find(std::size_t list, std::uint32_t limit, std::uint32_t bit) const
{
    const auto begin = m_numbers.begin() + m_begin[list], end = m_numbers.begin() + m_begin[list + 1];
    auto left = static_cast<std::uint32_t>(std::lower_bound(begin, end, limit) - begin);
    for (; left % kFrame != 0; --left)
        if ((m_bits[m_begin[list] + left - 1] >> bit & 1) != 0)
            return m_numbers[m_begin[list] + left - 1];
    if (left == 0)
        return std::nullopt;
    const std::uint32_t at = m_frames[std::size_t{m_frameBegin[list] + left / kFrame - 1} * m_width + bit];
    return at == ~std::uint32_t{0} ? std::nullopt : std::optional(m_numbers[at]);
}

} // namespace ridge
