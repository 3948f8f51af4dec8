// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"

namespace ridge::labs {

/// How a kernel of the family kernels/stream spreads an array over threads.
enum class StreamGrid { Element, GridStride, Persistent };
inline constexpr const char* kStreamGrids[] = {"element", "grid_stride", "persistent"};
inline constexpr const char* kStreamKernels[] = {"stream/01_element_per_thread.cu", "stream/02_grid_stride.cu",
                                                 "stream/03_persistent.cu"};

/// What is done with the arrays; the names are those of the kernels.
enum class StreamOp { Copy, Scale, Add, Triad, Read, Write, Dot };
inline constexpr const char* kStreamOps[] = {"copy", "scale", "add", "triad", "read", "write", "dot"};

ExperimentInfo streamInfo();

} // namespace ridge::labs
