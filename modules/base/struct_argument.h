// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_argument.h"

namespace ridge {

/// A parameter that a kernel takes by value: a struct, or an array of pointers or numbers. As `ridge kernel run` takes
/// it:
///   struct:{in:f32:1000:iota,u64:0,u32:1000}     fields in their order, each a SPEC; a buffer is its address
///   struct:{u8:1,struct:{f64:2,i32:3},4*u32:0}   structs within it; 4*u32:0 for an array of four
/// Fields lie as C lays them out: each aligned to its own size (a struct to that of its widest field), and the whole
/// padded to the widest. Padding is zero.
struct StructArgument {
    struct Field {
        KernelArgument value;
        std::uint64_t offset = 0;
    };
    std::string text;
    std::vector<Field> fields; ///< those of inner structs too, in order
    std::uint64_t bytes = 0, align = 1;
};

bool isStructArgument(std::string_view text);

/// `number` as for parseKernelArgument(). Errors: "bad-argument", naming argument, field and what is legal.
Result<StructArgument> parseStructArgument(std::string_view text, std::size_t number);

/// Whether a SPEC of either kind can be read. Errors: as of the two that read them.
Result<void> checkArgumentText(std::string_view text, std::size_t number);

/// "in:f32:1000:iota at 0, u64:0 at 8, u32:1000 at 16": for messages.
std::string layoutText(const StructArgument& argument);

} // namespace ridge
