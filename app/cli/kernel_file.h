// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"

namespace ridge::cli {

/// A .cu, .cuh or .ptx file of at most 16 MiB. Errors: "cannot-read".
Result<KernelText> readKernelFile(const std::string& path);

} // namespace ridge::cli
