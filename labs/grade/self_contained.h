// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"

namespace ridge::labs {

/// A kernel that is handed in is one file, and is compiled on machines of others: it may name headers of the toolkit
/// (`#include <cuda_fp16.h>`) and no file of its own or of that machine. Looks for words rather than for directives,
/// since comments and line splices hide directives: `include`, `include_next`, `import` and `embed` may stand nowhere
/// else. Errors: "not-self-contained" with the line.
Result<void> requireSelfContained(const KernelText& source);

} // namespace ridge::labs
