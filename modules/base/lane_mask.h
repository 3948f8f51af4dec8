// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace ridge {

/// Calls `use` with the number of every lane of a warp that `mask` names, lowest first.
template<class Use>
void forLanes(std::uint32_t mask, const Use& use)
{
    for (; mask != 0; mask &= mask - 1)
        use(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

} // namespace ridge
