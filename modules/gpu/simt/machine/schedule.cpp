// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/block_scheduler.h"

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

namespace ridge::gpu::simt {

namespace {

/// Registers that ptxas holds beyond the values that are live: the stack pointer, two reserved ones, and what keeps a
/// load's address and result apart. It decides from which occupancy on an order is looked for. Fitted on the
/// development half of the corpus (docs/validation.md).
constexpr std::size_t kBeyondLive = 8;
/// Registers that the order may leave over at least and at most, so that what is allocated fits.
constexpr std::size_t kLeastSlack = 2, kMostSlack = 12;

/// An order that takes this much longer than one with all registers is not worth the occupancy. Chosen on the
/// development kernels: with 1.7 four of them held more registers than in ptxas (80 for 64, 46 for 29), with 4.5 they
/// get by with as few as it has, in orders that take longer than its own.
constexpr double kMostWait = 2.6;

/// Registers a thread may have at each occupancy that a scheduler aims at: 65536 registers over the threads of an SM.
constexpr std::array<std::size_t, 9> kSteps{32, 40, 48, 64, 80, 96, 128, 168, 255};

/// Threads an SM holds (CUDA C++ programming guide, table of compute capabilities).
std::size_t threadsOfSm(int computeCapability)
{
    switch (computeCapability) {
    case 75:
        return 1024;
    case 86:
    case 87:
    case 89:
    case 120:
    case 121:
        return 1536;
    default:
        return 2048;
    }
}

constexpr std::array<Manner, 7> kManners{{{true, SIZE_MAX, true},
                                          {false, SIZE_MAX, true},
                                          {true, 64, true},
                                          {false, SIZE_MAX, false},
                                          {true, SIZE_MAX, false},
                                          {false, SIZE_MAX, true, true},
                                          {false, SIZE_MAX, false, true}}};

/// Leaves more registers over in the blocks that write beyond `most`. False where one of them left the most that it
/// may.
bool tighten(const DraftKernel& kernel, const RegisterAllocation& allocation, std::size_t most,
             std::vector<std::size_t>& slack)
{
    std::vector<std::size_t> highest(kernel.blocks.size(), 0);
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        for (const Draft& draft : kernel.blocks[block].drafts) {
            for (const std::uint32_t id : draft.results) {
                if (allocation.physical[id] != kNoRegister)
                    highest[block] = std::max<std::size_t>(highest[block], allocation.physical[id] + 1u);
            }
        }
    }
    const std::size_t reserved = allocation.registers - *std::max_element(highest.begin(), highest.end());
    for (std::size_t block = 0; block < highest.size(); ++block) {
        const std::size_t used = highest[block] + reserved;
        if (used <= most)
            continue;
        slack[block] += std::max<std::size_t>(1, (used - most) / 2);
        if (slack[block] > kMostSlack)
            return false;
    }
    return true;
}

} // namespace

/// Cycles that one warp takes for the blocks, each once, where what comes from memory takes long.
long timeOf(const DraftKernel& kernel, const ScheduleLatencies& latencies, int computeCapability)
{
    long total = 0;
    Notes writer(kernel.registers.size()); // instruction of the block
    std::vector<long> issued;
    for (const DraftBlock& block : kernel.blocks) {
        writer.forget();
        issued.clear();
        long now = 0;
        for (const Draft& draft : block.drafts) {
            for (const std::uint32_t id : draft.sources) {
                const std::uint32_t at = writer.get(id);
                if (at == Notes::kNoNote)
                    continue;
                const Draft& from = block.drafts[at];
                const int latency = isLoad(from) ? kAssumedLoad
                                    : !isFixedLatency(from.latency)
                                        ? 30
                                        : latencies.cycles[static_cast<std::size_t>(from.latency)];
                now = std::max(now, issued[at] + resultDistance(from, draft, id, latency, computeCapability));
            }
            for (const std::uint32_t id : draft.results)
                writer.set(id, static_cast<std::uint32_t>(issued.size()));
            issued.push_back(now);
            ++now;
        }
        total += now;
    }
    return total;
}

std::optional<RegisterAllocation> schedule(DraftKernel& kernel, const ScheduleLatencies& latencies,
                                           int computeCapability, std::uint32_t registerLimit, std::size_t pressure)
{
    const Liveness live = livenessOf(kernel);
    kernel.maxLive = static_cast<std::uint32_t>(pressureOf(kernel, live));
    const std::size_t full = 65536 / threadsOfSm(computeCapability) / 8 * 8; // registers are handed out by eights
    Allocator allocator(kernel, live);
    std::vector<BlockScheduler> blocks;
    blocks.reserve(kernel.blocks.size());
    Notes first(kernel.registers.size()), second(kernel.registers.size());
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        blocks.emplace_back(kernel, block, latencies, computeCapability, live, first, second);
    const bool hasTuples =
        std::any_of(blocks.begin(), blocks.end(), [](const BlockScheduler& block) { return block.hasTuples(); });
    BlockValues values;
    std::vector<Order> orders(blocks.size()), best, least, last;
    RegisterAllocation allocation; // of `last`
    std::optional<RegisterAllocation> bestAllocation;
    std::vector<std::size_t> slack(blocks.size()), ordered(blocks.size()); // that an order was made with
    std::vector<char> tight(blocks.size());                                // the budget decided something of it
    std::size_t leastRegisters = SIZE_MAX;
    const auto lend = [&](const std::vector<Order>& all) {
        for (std::size_t block = 0; block < blocks.size(); ++block)
            blocks[block].lend(all[block], kernel.blocks[block]);
    };
    const auto takeBack = [&](const std::vector<Order>& all) {
        for (std::size_t block = 0; block < blocks.size(); ++block)
            blocks[block].takeBack(all[block], kernel.blocks[block]);
    };
    bool isTightHere = false;
    for (std::size_t block = 0; block < blocks.size(); ++block)
        orders[block] = blocks[block].order(SIZE_MAX / 2, kManners[0], values, isTightHere);
    lend(orders);
    const long shortest = timeOf(kernel, latencies, computeCapability);
    takeBack(orders);
    for (const std::size_t step : kSteps) {
        const bool isLast = step == kSteps.back();
        if ((step < full || step < std::min<std::size_t>(pressure, kernel.maxLive) + kBeyondLive) && !isLast)
            continue;
        const std::size_t most = std::min<std::size_t>(step, registerLimit);
        long bestTime = LONG_MAX / 100;
        bool isTight = true; // else every manner makes the same
        for (std::size_t manner = 0; manner < kManners.size() && isTight && bestTime * 100 > shortest * 101; ++manner) {
            if (!kManners[manner].byTuples && !hasTuples)
                continue;
            std::fill(slack.begin(), slack.end(), kLeastSlack);
            std::fill(ordered.begin(), ordered.end(), SIZE_MAX);
            for (bool goesOn = true; goesOn;) {
                for (std::size_t block = 0; block < blocks.size(); ++block) {
                    if (std::exchange(ordered[block], slack[block]) == slack[block])
                        continue; // tightened alone: the others keep their order
                    bool decides = false;
                    orders[block] = blocks[block].order(most > slack[block] ? most - slack[block] : 1, kManners[manner],
                                                        values, decides);
                    tight[block] = decides ? 1 : 0;
                }
                isTight = std::any_of(tight.begin(), tight.end(), [](char decides) { return decides != 0; });
                lend(orders);
                if (orders != last) {
                    allocation = allocator.run(static_cast<std::uint32_t>(most));
                    last = orders;
                }
                const std::size_t used = allocation.registers;
                const bool fits = used <= most;
                const long time = timeOf(kernel, latencies, computeCapability);
                const bool isWorth = isLast || most == registerLimit ||
                                     static_cast<double>(time) <= kMostWait * static_cast<double>(shortest);
                // With fewer registers it would only wait more often.
                goesOn = !fits && isWorth && time < bestTime && tighten(kernel, allocation, most, slack);
                takeBack(orders);
                if (used < leastRegisters) {
                    leastRegisters = used;
                    least = orders;
                }
                if (fits && isWorth && time < bestTime) {
                    best = orders;
                    bestAllocation = allocation;
                    bestTime = time;
                }
            }
        }
        if (isLast || most == registerLimit || !best.empty())
            break;
    }
    lend(best.empty() ? least : best);
    return bestAllocation;
}

} // namespace ridge::gpu::simt
