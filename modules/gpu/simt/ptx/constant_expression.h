// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/token_stream.h"

namespace ridge::gpu::simt {

/// Whether the next tokens are a computation of constants, such as (1 << 8) - 1 or WARP_SZ: not a literal alone, not a
/// register. One number in brackets is one too; the list of arguments of a call looks the same.
bool isConstantExpression(const TokenStream& tokens);

/// Integers are signed until a number has a U, is larger than 2^63 - 1, or is cast; floats are doubles (PTX ISA,
/// chapter "Constant Expressions"). Where that chapter is silent or ptxas differs from it, ptxas 13.5 is followed:
/// shifts go by the low six bits, and ?: keeps the type of what it chooses. Throws SyntaxError.
Number parseConstantExpression(TokenStream& tokens);

/// An integer, or a computation that gives one.
std::int64_t parseOffsetExpression(TokenStream& tokens);

/// "+4", "-8", "+-4", "+4*2-8" after a base; several add up. 0: there is none.
std::int64_t parseOffset(TokenStream& tokens);

/// "-1.5".
Number parseLiteral(TokenStream& tokens);

} // namespace ridge::gpu::simt
