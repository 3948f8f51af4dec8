// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "base/kernel_argument.h"

#include <cstddef>
#include <span>

namespace ridge::labs {

/// How much of each buffer is compared, and how many of its elements are told.
inline constexpr std::size_t kComparedBytes = std::size_t{1} << 20;
inline constexpr std::size_t kToldElements = 256;

/// An element as its shortest decimal text that reads back the same: "0.1", "-7", "nan", "inf".
std::string elementText(DataType type, std::span<const std::byte> bytes);

/// What a kernel did to a buffer, of which both are the first bytes: {type, elements, compared, changed, values:
/// [{index, before, after}]}. Told are the first elements and, where others changed, those of them that come first.
Json contentsToJson(const KernelArgument& argument, std::span<const std::byte> before,
                    std::span<const std::byte> after);

} // namespace ridge::labs
