// SPDX-License-Identifier: GPL-3.0-or-later
// A wafer of cores in a mesh: routes round dead cores, and weights that stream in layer by layer.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <vector>

namespace ridge::accelerator {

/// Rows x columns of cores, one hop a cycle to each of four neighbours.
struct Mesh {
    std::uint32_t rows = 0, cols = 0;
    std::vector<std::uint8_t> dead; ///< rows x cols, 1: gone
    static constexpr std::uint32_t kMostCores = 1u << 20;
    std::uint32_t cores() const { return rows * cols; }
};

/// All alive. Errors: "bad-mesh" where it has no or more than kMostCores cores.
Result<Mesh> meshOf(std::uint32_t rows, std::uint32_t cols);

inline constexpr std::uint32_t kNoRoute = 0xffffffff;

/// Hops on a shortest way from `from` to every core over live ones; kNoRoute where there is none. `from` must be alive
/// or everything is kNoRoute.
std::vector<std::uint32_t> hopsFrom(const Mesh& mesh, std::uint32_t from);

/// The cores of a shortest way, both ends included; empty where there is none.
std::vector<std::uint32_t> routeOf(const Mesh& mesh, std::uint32_t from, std::uint32_t to);

struct Streaming {
    double layers = 1;
    double layerParameters = 0; ///< of each
    double bytesPerParameter = 2;
    double tokens = 1;    ///< that pass a layer together
    double flopsPerS = 0; ///< of the wafer
    double bytesPerS = 0; ///< that weights come in at
};

struct StreamingRun {
    double time = 0, compute = 0, stream = 0; ///< s, of all layers
    double utilization = 0;
};

/// While a layer computes, the next one's weights come in; there is room for two. 2 operations a parameter and token.
StreamingRun runStreaming(const Streaming& s);
/// Tokens at which a layer computes as long as it streams: bytes x flops/s / (2 x bytes/s).
double breakEvenTokens(const Streaming& s);
/// The same as the least whole number at which runStreaming never waits but for the first layer.
double foundBreakEven(Streaming s);

} // namespace ridge::accelerator
