// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_argument.h"

namespace ridge {

/// A CUtensorMap that a kernel takes by value, as `ridge kernel run` takes it:
///   tensor:{in:f16:8192:rand(1),size=128x64,box=64x32,swizzle=128}
/// First the buffer that the map leads to, then sizes with the contiguous dimension first, as cuTensorMapEncodeTiled
/// takes them. stride=BYTESx… is given for all dimensions but the first and follows from the sizes without; step=1x2
/// leaves elements out; fill=nan in place of zeros outside. lower=-1x-1,upper=-1x-1, the corners of
/// cuTensorMapEncodeIm2col in W, H and D, make it a map of windows, whose box is channels and pixels.
struct TensorArgument {
    std::string text;
    KernelArgument buffer;
    std::vector<std::uint64_t> size;   ///< elements a dimension
    std::vector<std::uint64_t> stride; ///< bytes, of dimension 1 on
    std::vector<std::uint64_t> box;    ///< elements a dimension
    std::vector<std::uint64_t> step;
    unsigned swizzle = 0; ///< bytes: 0, 32, 64 or 128
    bool fillNan = false;
    std::vector<std::int64_t> lower, upper; ///< corners; empty: the map is tiled

    bool isWindows() const { return !lower.empty(); }
    std::size_t rank() const { return size.size(); }
};

bool isTensorArgument(std::string_view text);

/// `number` as for parseKernelArgument(). Errors: "bad-argument": what of the map is not legal (CUDA driver API,
/// "Tensor Map Object Management"), or leads out of the buffer.
Result<TensorArgument> parseTensorArgument(std::string_view text, std::size_t number);

} // namespace ridge
