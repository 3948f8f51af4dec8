// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/groq.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>

namespace ridge::accelerator {
namespace {

std::uint32_t distance(const LpuOp& from, const LpuOp& to)
{
    return from.place > to.place ? from.place - to.place : to.place - from.place;
}

/// What a result covers of its stream: places it crosses, and the diagonal (cycle less place along its way) it is on.
struct Trail {
    bool east = true;
    std::int64_t first = 0, last = 0; ///< places
    std::int64_t begin = 0, end = 0;  ///< diagonals, end excluded
    bool meets(const Trail& other) const
    {
        return east == other.east && first <= other.last && other.first <= last && begin < other.end &&
               other.begin < end;
    }
};

/// The trails of op `at`, one for each direction that a consumer lies in.
std::vector<Trail> trailsOf(const std::vector<LpuOp>& ops, const std::vector<std::int64_t>& west,
                            const std::vector<std::int64_t>& east, std::size_t at, std::uint64_t begin)
{
    const LpuOp& op = ops[at];
    const auto out = static_cast<std::int64_t>(begin + op.function);
    const std::int64_t place = op.place;
    std::vector<Trail> trails;
    if (east[at] > place)
        trails.push_back({true, place, east[at], out - place, out - place + op.vectors});
    if (west[at] < place)
        trails.push_back({false, west[at], place, out + place, out + place + op.vectors});
    return trails;
}

struct Reach {
    std::vector<std::int64_t> west, east; ///< farthest consumers of each op, or its own place
};
Reach reachOf(const std::vector<LpuOp>& ops)
{
    Reach reach;
    for (const LpuOp& op : ops) {
        reach.west.push_back(op.place);
        reach.east.push_back(op.place);
    }
    for (const LpuOp& op : ops)
        for (const std::uint32_t input : op.inputs) {
            reach.west[input] = std::min<std::int64_t>(reach.west[input], op.place);
            reach.east[input] = std::max<std::int64_t>(reach.east[input], op.place);
        }
    return reach;
}

Result<void> checkOps(const std::vector<LpuOp>& ops)
{
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const LpuOp& op = ops[i];
        if (op.place >= LpuChip::kPlaces || op.vectors == 0 || op.vectors > 1u << 20)
            return Error{"bad-program", fmt::format("op {} has no place in the row, or no vectors", i), op.name,
                         fmt::format("give a place below {} and 1 to 1048576 vectors", LpuChip::kPlaces)};
        for (const std::uint32_t input : op.inputs)
            if (input >= i)
                return Error{"bad-program", fmt::format("op {} uses op {}, which comes later", i, input), op.name,
                             "put what is used first"};
    }
    return {};
}

} // namespace

std::vector<LpuOp> lpuNetwork(std::uint32_t layers, std::uint32_t planes, std::uint32_t vectors)
{
    constexpr std::uint32_t kMem = 5, kMxm = 12, kVxm = 4;
    layers = std::clamp<std::uint32_t>(layers, 1, 64);
    planes = std::clamp<std::uint32_t>(planes, 1, 4);
    vectors = std::clamp<std::uint32_t>(vectors, 1, 4096);
    std::vector<LpuOp> ops;
    std::uint32_t written = UINT32_MAX;
    const auto add = [&](std::string name, std::uint32_t place, std::uint32_t count, std::uint32_t function,
                         bool memory, std::vector<std::uint32_t> inputs) {
        ops.push_back({std::move(name), place, count, function, memory, std::move(inputs)});
        return static_cast<std::uint32_t>(ops.size() - 1);
    };
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        std::vector<std::uint32_t> products;
        for (std::uint32_t plane = 0; plane < planes; ++plane) {
            const bool east = plane % 2 == 1;
            const std::uint32_t mxm = east ? LpuChip::kPlaces - 1 : 0;
            const auto slice = [&](std::uint32_t n) {
                return east ? LpuChip::kVector + 1 + n % 44 : LpuChip::kVector - 1 - n % 44;
            };
            const auto weights =
                add(fmt::format("L{} weights {}", layer, plane), slice(20 + 7 * plane + 3 * layer), 40, kMem, true, {});
            std::vector<std::uint32_t> before;
            if (written != UINT32_MAX)
                before.push_back(written);
            const auto inputs = add(fmt::format("L{} inputs {}", layer, plane), slice(2 + plane + 5 * layer), vectors,
                                    kMem, true, std::move(before));
            products.push_back(
                add(fmt::format("L{} product {}", layer, plane), mxm, vectors, kMxm, false, {weights, inputs}));
        }
        const auto sum = add(fmt::format("L{} sum", layer), LpuChip::kVector, vectors, kVxm, false, products);
        written =
            add(fmt::format("L{} write", layer), LpuChip::kVector + 1 + (layer * 11) % 44, vectors, kMem, false, {sum});
    }
    return ops;
}

Result<LpuSchedule> scheduleLpu(const std::vector<LpuOp>& ops, std::uint32_t streams)
{
    if (auto good = checkOps(ops); !good)
        return good.error();
    if (streams == 0 || streams > LpuChip::kMostStreams)
        return Error{"bad-program", "a result needs a stream to move on", "streams", "give 1 to 64"};
    const Reach reach = reachOf(ops);
    std::vector<std::vector<Trail>> used(streams);
    std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> busy(LpuChip::kPlaces); // by begin
    LpuSchedule schedule;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const LpuOp& op = ops[i];
        std::uint64_t begin = 0;
        for (const std::uint32_t input : op.inputs)
            begin = std::max(begin, schedule.ops[input].begin + ops[input].function + distance(ops[input], op));
        for (bool placed = false; !placed;) {
            for (const auto& [from, to] : busy[op.place])
                if (begin < to && from < begin + op.vectors)
                    begin = to;
            const auto trails = trailsOf(ops, reach.west, reach.east, i, begin);
            std::int64_t wait = INT64_MAX; // until a stream is free of what is in the way now
            for (std::uint32_t s = 0; s < streams && !placed; ++s) {
                std::int64_t clear = 0;
                for (const Trail& trail : trails)
                    for (const Trail& other : used[s])
                        if (trail.meets(other))
                            clear = std::max(clear, other.end - trail.begin);
                if (clear == 0) {
                    used[s].insert(used[s].end(), trails.begin(), trails.end());
                    schedule.ops.push_back({begin, s});
                    placed = true;
                } else
                    wait = std::min(wait, clear);
            }
            if (!placed)
                begin += static_cast<std::uint64_t>(wait);
        }
        auto& unit = busy[op.place];
        unit.insert(std::upper_bound(unit.begin(), unit.end(), std::pair{begin, begin + op.vectors}),
                    {begin, begin + op.vectors});
        schedule.cycles = std::max(schedule.cycles, begin + op.function + LpuChip::kTiles + op.vectors - 1);
    }
    return schedule;
}

std::string checkLpu(const std::vector<LpuOp>& ops, const LpuSchedule& schedule)
{
    if (auto good = checkOps(ops); !good)
        return good.error().message;
    if (schedule.ops.size() != ops.size())
        return "not every op has a place";
    const Reach reach = reachOf(ops);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const std::uint32_t input : ops[i].inputs) {
            const std::uint64_t arrives =
                schedule.ops[input].begin + ops[input].function + distance(ops[input], ops[i]);
            if (schedule.ops[i].begin < arrives)
                return fmt::format("{} begins at {}, its input {} arrives at {}", ops[i].name, schedule.ops[i].begin,
                                   ops[input].name, arrives);
        }
        const auto mine = trailsOf(ops, reach.west, reach.east, i, schedule.ops[i].begin);
        for (std::size_t j = 0; j < i; ++j) {
            const std::uint64_t a = schedule.ops[i].begin, b = schedule.ops[j].begin;
            if (ops[i].place == ops[j].place && a < b + ops[j].vectors && b < a + ops[i].vectors)
                return fmt::format("{} and {} need one unit at the same time", ops[j].name, ops[i].name);
            if (schedule.ops[i].stream != schedule.ops[j].stream)
                continue;
            for (const Trail& other : trailsOf(ops, reach.west, reach.east, j, b))
                for (const Trail& trail : mine)
                    if (trail.meets(other))
                        return fmt::format("{} and {} collide on stream {}", ops[j].name, ops[i].name,
                                           schedule.ops[i].stream);
        }
    }
    return {};
}

std::uint64_t runLpu(const std::vector<LpuOp>& ops, const SharedMemory* memory, Rng* rng,
                     std::vector<std::uint64_t>* begins)
{
    std::vector<std::uint64_t> out(ops.size(), 0);
    std::array<std::uint64_t, LpuChip::kPlaces> free{};
    std::uint64_t end = 0;
    if (begins)
        begins->clear();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const LpuOp& op = ops[i];
        std::uint64_t begin = free[op.place];
        for (const std::uint32_t input : op.inputs)
            begin = std::max(begin, out[input] + distance(ops[input], op));
        std::uint64_t extra = 0;
        if (op.memory && memory && rng) {
            extra = rng->uniform() < memory->hitRate ? memory->hitCycles : memory->missCycles;
            std::uint64_t wanting = 0;
            for (std::uint32_t s = 0; s < memory->sharers; ++s)
                wanting += rng->uniform() < memory->load;
            // An arbiter that is fair: any of those who want the port is as likely to be first.
            extra += static_cast<std::uint64_t>(rng->uniform() * double(wanting + 1)) * op.vectors;
        }
        out[i] = begin + extra + op.function;
        free[op.place] = begin + extra + op.vectors;
        end = std::max(end, out[i] + LpuChip::kTiles + op.vectors - 1);
        if (begins)
            begins->push_back(begin + extra);
    }
    return end;
}

double lpuChips(const LpuChip& chip, double weightBytes)
{
    return std::max(1.0, std::ceil(weightBytes / chip.sramBytes - 1e-9));
}

double lpuTokenSeconds(const LpuChip& chip, double weightBytes, double atOnce, double hops, double hopSeconds)
{
    return weightBytes / (chip.installBytesPerCycle * chip.clock * atOnce) + hops * hopSeconds;
}

LpuRun lpuProduct(const LpuChip& chip, const Gemm& gemm, std::uint32_t word)
{
    const auto pieces = [&](std::uint64_t side) { return double((side + chip.side - 1) / chip.side); };
    const double folds = pieces(gemm.k) * pieces(gemm.n) * (word == 2 ? 4 : 1);
    const double install = double(chip.planes) * chip.side * chip.side / chip.installBytesPerCycle;
    const double streamed = std::ceil(folds * double(gemm.m) / chip.planes);
    const double installed = std::ceil(folds / chip.planes) * install;
    // Once through the row: read, multiply, add, write, and all tiles.
    constexpr double kPass = 5 + 12 + 4 + 5 + 2 * LpuChip::kVector + LpuChip::kTiles;
    return {std::max(streamed, installed) + kPass};
}

} // namespace ridge::accelerator
