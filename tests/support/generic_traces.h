// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/grid_trace.h"
#include "base/lane_trace.h"
#include "base/seed.h"

#include <algorithm>
#include <cmath>

// Traces as engines would make them, for the codecs and scenes that serve all of them.

namespace ridge::testing {

/// A cache with lines of 64 bytes, read and written along two arrays and now and then anywhere. The one that was used
/// longest ago goes.
inline GridTrace cacheGrid(std::uint32_t sets = 64, std::uint32_t ways = 8, int accesses = 500)
{
    GridTraceBuilder grid("L1 of " + std::to_string(sets * ways * 64 / 1024) + " KiB, " + std::to_string(ways) +
                              " ways, least recently used",
                          ways, sets);
    grid.axes("way", "set").stepUnit("access");
    grid.state("empty", TraceColor::Idle);
    const auto clean = grid.state("clean", TraceColor::Series1);
    const auto dirty = grid.state("dirty", TraceColor::Series2);
    struct Line {
        std::uint64_t tag = 0;
        int used = -1;
        bool dirty = false;
    };
    std::vector<Line> lines(std::size_t{sets} * ways);
    Rng rng(7);
    const auto hex = [](std::uint64_t value) {
        char words[20];
        std::snprintf(words, sizeof words, "0x%llx", static_cast<unsigned long long>(value));
        return std::string(words);
    };
    for (int access = 0; access < accesses; ++access) {
        const bool write = access % 3 == 2;
        const std::uint64_t address = access % 11 == 10 ? rng.next() % (1u << 20) / 64 * 64
                                      : write           ? 0x40000u + static_cast<std::uint64_t>(access) * 24 / 64 * 64
                                                        : static_cast<std::uint64_t>(access) * 48 / 64 * 64;
        const auto set = static_cast<std::uint32_t>(address / 64 % sets);
        const std::uint64_t tag = address / 64 / sets;
        const auto at = [&](std::uint32_t way) -> Line& { return lines[std::size_t{way} * sets + set]; };
        std::uint32_t way = 0;
        bool hit = false;
        for (std::uint32_t each = 0; each < ways && !hit; ++each) {
            hit = at(each).used >= 0 && at(each).tag == tag;
            way = hit || at(each).used < at(way).used ? each : way;
        }
        Line& line = at(way);
        const std::string what = (write ? "write " : "read ") + hex(address);
        std::string caption = what + ": set " + std::to_string(set) + (hit ? ", hit in way " : ", miss, fills way ") +
                              std::to_string(way);
        if (!hit && line.used >= 0)
            caption += ", evicts " + hex((line.tag * sets + set) * 64) + (line.dirty ? " and writes it back" : "");
        line = {tag, access, write || (hit && line.dirty)};
        grid.step(caption);
        grid.set(way, set,
                 {.state = line.dirty ? dirty : clean,
                  .text = hex(tag),
                  .note = (hit ? "hit by the " : "filled by the ") + what});
    }
    return grid.take();
}

/// Partial sums of a systolic array that multiplies two matrices: values enter from the left and run to the lower
/// right.
inline GridTrace systolicGrid(std::uint32_t side = 128, std::uint32_t every = 16)
{
    GridTraceBuilder grid(
        "Systolic array " + std::to_string(side) + " × " + std::to_string(side) + ", output stationary", side, side);
    grid.axes("row", "column").stepUnit("cycle").square().values("partial sum", "", -1, 1);
    std::vector<double> sums(std::size_t{side} * side, 0);
    for (std::uint32_t cycle = 0; cycle < 3 * side - 2; ++cycle) {
        for (std::uint32_t row = 0; row < side; ++row)
            for (std::uint32_t column = 0; column < side; ++column)
                if (row + column <= cycle && cycle - row - column < side) {
                    const double k = cycle - row - column;
                    sums[std::size_t{row} * side + column] +=
                        1.6 * std::sin(0.21 * row + 0.05 * k) * std::cos(0.13 * column - 0.02 * k) / side;
                }
        if (cycle % every != 0)
            continue;
        grid.step("wave " + std::to_string(cycle) + " passes the array", {}, cycle);
        for (std::uint32_t row = 0; row < side; ++row)
            for (std::uint32_t column = 0; column < side; ++column)
                grid.set(
                    row, column,
                    {.value = static_cast<float>(std::round(1000 * sums[std::size_t{row} * side + column]) / 1000)});
    }
    return grid.take();
}

/// Reads of a DRAM channel with open pages: precharge, activate, read; the data bus is one.
inline LaneTrace dramLanes(std::uint32_t banks = 32, std::uint32_t reads = 300)
{
    LaneTraceBuilder lanes("DDR5 channel, " + std::to_string(banks) + " banks, open pages", "ns");
    lanes.state("idle", TraceColor::Idle);
    const auto precharge = lanes.state("precharge", TraceColor::Warn, "P");
    const auto activate = lanes.state("activate", TraceColor::Series1);
    const auto read = lanes.state("read", TraceColor::Series3);
    const auto refresh = lanes.state("refresh", TraceColor::Bad, "F");
    const auto bus = lanes.lane("data bus", "channel 0");
    std::vector<std::uint32_t> lane;
    for (std::uint32_t bank = 0; bank < banks; ++bank)
        lane.push_back(lanes.lane("bank " + std::to_string(bank), bank < banks / 2 ? "rank 0" : "rank 1"));
    const auto queue = lanes.counter(bus, "queued", "reads");
    std::vector<std::uint64_t> open(banks, 0);
    std::vector<double> free(banks, 0), ends;
    double busFree = 0;
    Rng rng(11);
    for (std::uint32_t at = 0; at < reads; ++at) {
        const double arrives = at * 3.2;
        const auto bank = static_cast<std::uint32_t>(rng.next() % banks);
        const std::uint64_t row = rng.next() % 3 == 0 ? rng.next() % 64 + 1 : std::max<std::uint64_t>(1, open[bank]);
        double now = std::max(arrives, free[bank]);
        const std::uint64_t id = at + 1;
        std::uint32_t before = LaneTraceBuilder::kNone;
        if (open[bank] != row) {
            if (open[bank] != 0) {
                lanes.span(lane[bank], now, now + 14, precharge, "PRE", id);
                now += 14;
            }
            before = lanes.span(lane[bank], now, now + 14, activate, "ACT " + std::to_string(row), id);
            now += 14;
            open[bank] = row;
        }
        now = std::max(now, busFree - 14);
        const auto reading = lanes.span(lane[bank], now, now + 14, read, "RD", id);
        const auto data = lanes.span(bus, now + 14, now + 17, read, std::to_string(id), id);
        lanes.arrow(before, reading);
        lanes.arrow(reading, data);
        free[bank] = now + 14;
        busFree = now + 17;
        ends.push_back(now + 17);
        const auto waiting = std::count_if(ends.begin(), ends.end(), [&](double end) { return end > arrives; });
        lanes.sample(queue, arrives, static_cast<double>(waiting));
    }
    lanes.instant(lane[0], busFree / 2, refresh, "REF due");
    return lanes.take();
}

/// Requests of a server that batches them as they come: waiting, reading the prompt, a token at a time.
inline LaneTrace batchLanes(std::uint32_t requests = 200, std::uint32_t slots = 32)
{
    LaneTraceBuilder lanes("Continuous batching, " + std::to_string(slots) + " slots", "ms");
    const auto waits = lanes.state("waiting", TraceColor::Muted);
    const auto prefill = lanes.state("prefill", TraceColor::Series2);
    const auto decode = lanes.state("decode", TraceColor::Series1);
    std::vector<double> free(slots, 0);
    Rng rng(5);
    double arrives = 0;
    for (std::uint32_t request = 0; request < requests; ++request) {
        arrives += static_cast<double>(rng.next() % 40);
        const auto lane = lanes.lane("request " + std::to_string(request));
        const auto slot = std::min_element(free.begin(), free.end());
        const double begins = std::max(arrives, *slot);
        const std::uint64_t id = request + 1;
        if (begins > arrives)
            lanes.span(lane, arrives, begins, waits, "waiting", id);
        double now = begins + 20 + static_cast<double>(rng.next() % 80);
        lanes.span(lane, begins, now, prefill, "prefill", id);
        for (std::uint64_t token = 0, tokens = 8 + rng.next() % 90; token < tokens; ++token, now += 9)
            lanes.span(lane, now, now + 8, decode, {}, id);
        *slot = now;
    }
    return lanes.take();
}

} // namespace ridge::testing
