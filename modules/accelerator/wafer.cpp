// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/wafer.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ridge::accelerator {

Result<Mesh> meshOf(std::uint32_t rows, std::uint32_t cols)
{
    if (rows == 0 || cols == 0 || std::uint64_t{rows} * cols > Mesh::kMostCores)
        return Error{"bad-mesh", fmt::format("{} x {} cores cannot be simulated", rows, cols), "parameters rows, cols",
                     fmt::format("give 1 to {} in all", Mesh::kMostCores)};
    return Mesh{rows, cols, std::vector<std::uint8_t>(std::size_t{rows} * cols, 0)};
}

namespace {

/// Calls `visit` with each neighbour on the mesh.
template<typename Visit>
void neighbours(const Mesh& mesh, std::uint32_t core, Visit visit)
{
    const std::uint32_t row = core / mesh.cols, col = core % mesh.cols;
    if (col + 1 < mesh.cols)
        visit(core + 1);
    if (col > 0)
        visit(core - 1);
    if (row + 1 < mesh.rows)
        visit(core + mesh.cols);
    if (row > 0)
        visit(core - mesh.cols);
}

} // namespace

std::vector<std::uint32_t> hopsFrom(const Mesh& mesh, std::uint32_t from)
{
    std::vector<std::uint32_t> hops(mesh.cores(), kNoRoute);
    if (from >= mesh.cores() || mesh.dead[from])
        return hops;
    std::vector<std::uint32_t> queue{from};
    queue.reserve(mesh.cores());
    hops[from] = 0;
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const std::uint32_t core = queue[at];
        neighbours(mesh, core, [&](std::uint32_t next) {
            if (hops[next] == kNoRoute && !mesh.dead[next]) {
                hops[next] = hops[core] + 1;
                queue.push_back(next);
            }
        });
    }
    return hops;
}

std::vector<std::uint32_t> routeOf(const Mesh& mesh, std::uint32_t from, std::uint32_t to)
{
    const auto hops = hopsFrom(mesh, to);
    if (from >= mesh.cores() || hops[from] == kNoRoute)
        return {};
    std::vector<std::uint32_t> route{from};
    while (route.back() != to) {
        std::uint32_t best = route.back();
        neighbours(mesh, route.back(), [&](std::uint32_t next) {
            if (hops[next] < hops[best])
                best = next;
        });
        route.push_back(best);
    }
    return route;
}

StreamingRun runStreaming(const Streaming& s)
{
    StreamingRun run;
    const double stream = s.layerParameters * s.bytesPerParameter / s.bytesPerS;
    const double compute = 2 * s.layerParameters * s.tokens / s.flopsPerS;
    double arrived = 0, done = 0, before = 0; // weights of this layer, results of the last and of the one before it
    for (double layer = 0; layer < s.layers; ++layer) {
        arrived = std::max(arrived, before) + stream; // into the half that the layer before last has left
        before = done;
        done = std::max(done, arrived) + compute;
    }
    run.time = done;
    run.compute = compute * s.layers;
    run.stream = stream * s.layers;
    run.utilization = run.compute / run.time;
    return run;
}

double breakEvenTokens(const Streaming& s)
{
    return s.bytesPerParameter * s.flopsPerS / (2 * s.bytesPerS);
}

double foundBreakEven(Streaming s)
{
    const double stream = s.layerParameters * s.bytesPerParameter / s.bytesPerS;
    const auto waits = [&](double tokens) {
        s.tokens = tokens;
        const StreamingRun run = runStreaming(s);
        return run.time > (stream + run.compute) * (1 + 1e-12);
    };
    if (s.layers < 2)
        return 0;
    double low = 0, high = 1;
    while (waits(high) && high < 1e15)
        high *= 2;
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (waits(middle) ? low : high) = middle;
    }
    return high;
}

} // namespace ridge::accelerator
