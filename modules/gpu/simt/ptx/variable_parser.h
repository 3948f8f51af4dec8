// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/token_stream.h"

namespace ridge::gpu::simt {

/// ".align 4 .f32 a[4] = {…}, b;" after the state space: what stands before the first name holds for all. Throws
/// SyntaxError, as all here.
std::vector<Variable> parseVariables(TokenStream& tokens, Space space, bool isExternal);

/// "(.param .b32 a, …)" after "(".
std::vector<Variable> parseParameters(TokenStream& tokens);

/// "(.managed, .unified(19, 95))" after ".attribute". Neither changes what runs.
void parseAttributes(TokenStream& tokens);

std::optional<Space> variableSpace(std::string_view directive);

} // namespace ridge::gpu::simt
