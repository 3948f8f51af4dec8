// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/regime.h"

#include <array>

namespace ridge {

namespace {
constexpr std::array<std::string_view, 3> kNames{"quick", "burst", "settled"};
}

std::string_view toText(Regime regime)
{
    return kNames[static_cast<std::size_t>(regime)];
}

std::optional<Regime> regimeFromText(std::string_view text)
{
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (text == kNames[i])
            return static_cast<Regime>(i);
    return std::nullopt;
}

} // namespace ridge
