// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ridge {

/// What a fingerprint says under "data" of an experiment that draws nothing: another seed would give the same bits.
inline constexpr const char* kSameForEverySeed = "the same for every seed";

} // namespace ridge
