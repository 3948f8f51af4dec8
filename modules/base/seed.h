// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace ridge {

/// SplitMix64 (Steele, Lea, Flood 2014): the same sequence on every machine and compiler, which std:: distributions
/// do not promise.
class Rng {
public:
    explicit Rng(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next();
    std::uint32_t nextU32() { return static_cast<std::uint32_t>(next() >> 32); }
    double uniform(); ///< [0, 1) with 53 bits

private:
    std::uint64_t m_state;
};

} // namespace ridge
