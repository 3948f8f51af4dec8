// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/5-memory-systems/dram_latency.h"
#include "base/grid_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::labs {
namespace {

constexpr std::uint32_t kRows = 24, kMostColumns = 48;
constexpr std::size_t kSteps = 24;
constexpr double kTail = 0.995; ///< share of the reads that have columns of their own

/// The least of 1, 2, 5, 10 … ns that reaches `longest` in the columns before the last.
double widthFor(double longest)
{
    double decade = 1;
    for (;; decade *= 10)
        for (const double step : {1.0, 2.0, 5.0})
            if (longest < step * decade * (kMostColumns - 1))
                return step * decade;
}

} // namespace

std::string latencyPicture(const std::vector<std::uint32_t>& latency, const std::vector<memory::RowState>& found,
                           double tick)
{
    if (latency.empty() || latency.size() != found.size())
        return {};
    std::vector<std::uint32_t> sorted = latency;
    const auto place = static_cast<std::ptrdiff_t>(kTail * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
    const double ns = tick * 1e9;
    const double width = widthFor(sorted[static_cast<std::size_t>(place)] * ns);
    const double most = *std::max_element(sorted.begin() + place, sorted.end()) * ns;
    const std::uint32_t columns = std::min(kMostColumns, static_cast<std::uint32_t>(most / width) + 1);

    using Counts = std::array<std::uint64_t, 3>; // by RowState
    std::vector<Counts> counts(columns, Counts{});
    const auto columnOf = [&](std::uint32_t ticks) {
        return std::min(columns - 1, static_cast<std::uint32_t>(ticks * ns / width));
    };
    for (const std::uint32_t ticks : latency)
        ++counts[columnOf(ticks)][0];
    std::uint64_t tallest = 0;
    for (Counts& each : counts) {
        tallest = std::max(tallest, each[0]);
        each = {};
    }

    GridTraceBuilder grid(fmt::format("Latency of {} reads, {:g} ns a column", latency.size(), width), kRows, columns);
    grid.axes("share of the tallest column", "latency, ns").stepUnit("read");
    std::vector<std::string> rows, names;
    for (std::uint32_t row = 0; row < kRows; ++row)
        rows.push_back(fmt::format("{:.0f} %", 100.0 * (kRows - row) / kRows));
    for (std::uint32_t column = 0; column < columns; ++column)
        names.push_back(column + 1 == kMostColumns ? fmt::format("{:g} and more", column * width)
                                                   : fmt::format("{:g}", column * width));
    grid.rowNames(std::move(rows)).columnNames(std::move(names));
    grid.state("none", TraceColor::Idle);
    const std::array<std::uint8_t, 3> states = {grid.state("row open", TraceColor::Good, "H"),
                                                grid.state("bank closed", TraceColor::Warn, "M"),
                                                grid.state("another row open", TraceColor::Bad, "C")};
    std::size_t done = 0;
    const std::size_t steps = std::min(kSteps, latency.size());
    for (std::size_t step = 1; step <= steps; ++step) {
        const std::size_t until = latency.size() * step / steps;
        for (; done < until; ++done)
            ++counts[columnOf(latency[done])][static_cast<std::size_t>(found[done])];
        grid.step(fmt::format("after {} reads", done), {}, done);
        for (std::uint32_t column = 0; column < columns; ++column) {
            const Counts& c = counts[column];
            const std::string note =
                fmt::format("{:g} ns and more: {} reads; {} found their row open, {} a closed bank, {} another row",
                            column * width, c[0] + c[1] + c[2], c[0], c[1], c[2]);
            // Where there is a read there is a cell.
            double below = 0;
            std::uint32_t filled = 0;
            for (std::size_t kind = 0; kind < c.size(); ++kind) {
                below += static_cast<double>(c[kind]) * kRows / static_cast<double>(tallest);
                const auto upTo = std::min(kRows, static_cast<std::uint32_t>(std::ceil(below - 1e-9)));
                for (; filled < upTo; ++filled)
                    grid.set(kRows - 1 - filled, column, {.state = states[kind], .note = note});
            }
        }
    }
    return encodeGridTrace(grid.take());
}

} // namespace ridge::labs
