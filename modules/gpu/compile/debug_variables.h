// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::gpu {

/// Where a variable is while the instructions between two lines of the PTX run: begin <= line < end.
struct VariablePlace {
    std::uint32_t begin = 0, end = 0;
    std::string reg; ///< "%f1"
    bool operator==(const VariablePlace&) const = default;
};

/// A variable of the source that debug information finds in a register somewhere.
struct DebugVariable {
    enum class Kind : std::uint8_t { Signed, Unsigned, Float, Boolean, Pointer, Other };
    std::string name;
    std::string function; ///< that it belongs to, as the PTX calls it
    std::string type;     ///< "const float*"
    Kind kind = Kind::Other;
    std::uint32_t bytes = 0; ///< 0: not known
    std::uint32_t line = 0;  ///< of the source, where it is declared
    std::vector<VariablePlace> places;
    bool operator==(const DebugVariable&) const = default;
};

/// What the sections .debug_info and .debug_loc of a PTX text tell (DWARF 2 to 4, as NVRTC and nvcc write them with
/// -G). Variables in memory are left out: arrays, and those whose address is taken. Empty where the text has no such
/// sections; of sections that cannot be read, what stands before the place that cannot.
std::vector<DebugVariable> debugVariables(std::string_view ptx);

} // namespace ridge::gpu
