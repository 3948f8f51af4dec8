// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"

namespace ridge::gpu::simt {

/// The name under which the parser declares an element of a vector register: "two.x" of ".reg .v2 .u32 two".
/// `axis` counts from 0.
std::string elementName(std::string_view vector, unsigned axis);

/// Writes in plain PTX what few programs use and ptxas takes: a range of registers beside a register of its name
/// (.reg .b32 a; .reg .b32 a<2>), registers of vector type, .global and .const variables inside a function, an element
/// of an array by its index, and a register plus a constant as a value. All later steps see registers, variables of the
/// module, addresses and an add.
/// Throws SyntaxError. Functions without any of it are only looked over.
void settleDeclarations(Module& module);

} // namespace ridge::gpu::simt
