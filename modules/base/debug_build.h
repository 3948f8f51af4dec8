// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace ridge {

/// The last line of a kernel's source with which NVRTC and nvcc compile it without optimization and with debug
/// information, so that variables have registers. The lines above it stay where they are; to other compilers it is the
/// comment that it looks like.
inline constexpr std::string_view kDebugBuildLine = "\n// Build     debug\n";

inline std::string withDebugBuild(std::string source)
{
    return std::move(source) + std::string(kDebugBuildLine);
}

inline bool wantsDebugBuild(std::string_view source)
{
    return source.find(kDebugBuildLine) != std::string_view::npos;
}

} // namespace ridge
