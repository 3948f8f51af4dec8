// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/machine/code.h"

namespace ridge::gpu::simt {

/// What the text of an instruction says without its operands; made once for each distinct text.
struct Form {
    Opcode op = Opcode::Other;
    ScalarType type = ScalarType::None;
    ScalarType from = ScalarType::None;
    std::uint32_t flags = 0;
    std::uint8_t count = 1;
    Space space = Space::Generic;
    bool hasResult = true;
};

/// Of "ld.global.v4.f32". Opcodes without a meaning of their own here are Opcode::Other.
Form formOf(std::string_view text);

} // namespace ridge::gpu::simt
