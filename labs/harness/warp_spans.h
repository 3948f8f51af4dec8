// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/gpu_experiment.h"

namespace ridge::labs {

/// When a warp worked by the clock of its SM, and which that was: what kernels with a `spans` argument write.
struct WarpSpan {
    std::uint64_t begin = 0, end = 0, sm = 0;
};

/// The warps of one SM together.
struct SmSpan {
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    std::uint64_t busy = 0; ///< cycles of its warps, added up
    std::uint64_t warps = 0;

    double cycles() const { return static_cast<double>(end - begin); }
    double activeWarps() const { return static_cast<double>(busy) / cycles(); }
};

/// Reads the spans of `warps` warps. Errors: those of copies, "bad-timing" for a warp that wrote none.
Result<std::vector<SmSpan>> readSpans(GpuContext& context, gpu::DevicePtr from, std::uint64_t warps);

/// The middle of what `of` says about each SM.
template<class Of>
double medianOf(const std::vector<SmSpan>& sms, Of of)
{
    std::vector<double> values;
    for (const SmSpan& sm : sms)
        values.push_back(of(sm));
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace ridge::labs
