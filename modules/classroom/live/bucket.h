// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace ridge::live {

/// A rate with room for a burst: `perSecond` tokens come in, at most `burst` are kept. Times in milliseconds of one
/// clock that only goes forward.
class Bucket {
public:
    Bucket(double burst, double perSecond, std::int64_t nowMs)
        : m_burst(burst), m_perSecond(perSecond), m_tokens(burst), m_filledMs(nowMs)
    {
    }
    bool take(std::int64_t nowMs)
    {
        m_tokens =
            std::min(m_burst, m_tokens + m_perSecond *
                                             static_cast<double>(std::max<std::int64_t>(0, nowMs - m_filledMs)) / 1000);
        m_filledMs = nowMs;
        if (m_tokens < 1)
            return false;
        m_tokens -= 1;
        return true;
    }

private:
    double m_burst, m_perSecond, m_tokens;
    std::int64_t m_filledMs;
};

} // namespace ridge::live
