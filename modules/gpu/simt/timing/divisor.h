// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace ridge::gpu::simt {

/// Division of numbers below 2^63 by one that stays: two products in place of the processor's slow division.
class Divisor {
public:
    struct Divided {
        std::uint64_t quotient = 0, rest = 0;
    };

    Divisor() = default;
    explicit Divisor(std::uint32_t by) : m_by(by), m_inverse(by > 1 ? ~std::uint64_t{0} / by + 1 : 0) {}

    Divided operator()(std::uint64_t number) const
    {
        if (m_by <= 1)
            return {number, 0};
        // The inverse is too large by less than one in 2^64 / by, so the quotient by at most one.
        __extension__ typedef unsigned __int128 Wide;
        auto quotient = static_cast<std::uint64_t>(Wide{number} * m_inverse >> 64);
        std::uint64_t rest = number - quotient * m_by;
        if (rest >= m_by) { // below zero
            --quotient;
            rest += m_by;
        }
        return {quotient, rest};
    }

private:
    std::uint64_t m_by = 1;
    std::uint64_t m_inverse = 0; ///< 2^64 / by, rounded up
};

} // namespace ridge::gpu::simt
