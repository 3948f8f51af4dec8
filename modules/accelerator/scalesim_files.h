// SPDX-License-Identifier: GPL-3.0-or-later
// SCALE-Sim's own files: topologies (.csv, a layer a line) and configurations (.cfg).
#pragma once

#include "accelerator/scalesim.h"

#include <string>
#include <vector>

namespace ridge::accelerator {

struct TopologyLayer {
    std::string name;
    Conv conv;
    std::uint32_t times = 1; ///< a depthwise layer ("DP" in its name) runs once a channel
};

/// A line is name, in_h, in_w, kernel_h, kernel_w, channels, filters, stride, or name, M, N, K; the first line is a
/// title. A comma at the end may be missing, though SCALE-Sim then drops the last number. Errors: "bad-topology" with
/// file and line; sparsity other than 1:1 is refused.
Result<std::vector<TopologyLayer>> parseTopology(std::string_view text, const std::string& place);

/// Sections and keys in any case, "=" or ":". `InterfaceBandwidth` decides CALC or USER; `Bandwidth` is that of writes,
/// `IfmapSRAMBankBandwidth` and `FilterSRAMBankBandwidth` of [layout] those of reads (absent: `Bandwidth`). Errors:
/// "bad-config" with file and key; custom layouts, sparsity and Ramulator traces are refused.
Result<ScaleSimSetup> parseScaleSimConfig(std::string_view text, const std::string& place);

} // namespace ridge::accelerator
