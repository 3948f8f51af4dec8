// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"

namespace ridge::labs {

/// A kernel that is handed in is one file, and is compiled on machines of others: it may name headers of the toolkit
/// (`#include <cuda_fp16.h>`), ask whether they are there (`__has_include`), and no file of its own or of that machine;
/// nor may it depend on when it is compiled. Splices and comments, which hide directives, are taken out first. Errors:
/// "not-self-contained" with the line.
Result<void> requireSelfContained(const KernelText& source);

} // namespace ridge::labs
