// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/token_stream.h"

namespace ridge::gpu::simt {

/// Whether the next tokens are an expression of integer constants and not a lone literal: `(1 << 4) | 1`, `~3`, `4 *
/// 2`. A list in parentheses (the arguments of a call) is none.
bool isConstantExpression(const TokenStream& tokens);

/// Its value in 64 bits, signed where a sign matters (PTX ISA, "Constant Expressions"); casts and floats are left out.
/// Throws SyntaxError.
std::uint64_t parseConstantExpression(TokenStream& tokens);

} // namespace ridge::gpu::simt
