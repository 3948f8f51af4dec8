// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/launch_trace.h"

namespace ridge::testing {

/// A launch that is small enough to be worked out by hand: 4 SMs with 8 warp slots, of which 2 were watched. Each SM
/// gets three blocks of two warps, two of them at a time. A warp issues a load, waits 40 cycles for it, adds, waits 4,
/// passes half of its lanes through a branch, meets its block at a barrier and ends; warp 1 starts 10 cycles late, so
/// warp 0 waits for it.
inline LaunchTrace smallLaunch()
{
    LaunchTrace t;
    t.kernel = "halves";
    t.chip = {"Test chip (simulated)", "assumption", 4, 8, 1e9, 1e11, 4u << 20};
    t.grid = {12, 1, 1};
    t.block = {64, 1, 1};
    t.states = {"selected", "not_selected", "wait", "long_scoreboard", "barrier", "no_instruction"};
    t.occupancy = {0.5, 0.4, 2, 2, 16, 1024, 64u << 10, 128u << 10, "shared memory"};
    t.machine = {{"LDG.E.32", 10, 3, 0, 0, TracedInstruction::kNone},
                 {"FADD", 11, 4, 1, TracedInstruction::kNone, TracedInstruction::kNone},
                 {"FMUL", 12, 6, 0, TracedInstruction::kNone, TracedInstruction::kNone},
                 {"BAR.SYNC", 13, 8, 0, TracedInstruction::kNone, TracedInstruction::kNone},
                 {"EXIT", 14, 9, 0, TracedInstruction::kNone, TracedInstruction::kNone}};
    t.watchedSms = 2;
    t.stateCycles.assign(t.states.size(), 0);
    for (const char* text : {"float v = in[i];", "float w = v + 1;", "if (lane < 16) w *= v;", "__syncthreads();", "}"})
        t.lines.push_back({t.machine[t.lines.size()].sourceLine, t.machine[t.lines.size()].ptxLine, text, 0, 0,
                           std::vector<std::uint64_t>(t.states.size(), 0)});
    t.lines[0].sectors = 96;
    t.sms.bucketCycles = 32;
    t.sms.counters = {"inst_issued", "warp_cycles", "long_scoreboard", "barrier", "wait", "no_instruction"};
    t.sms.values.assign(std::size_t{6} * t.chip.sms * t.sms.counters.size(), 0);
    const std::array<int, 6> counterOf = {0, -1, 4, 2, 3, 5}; // of each state
    const auto live = [&](WarpTrack track) {
        std::uint32_t cycle = track.intervals.front().begin;
        for (WarpInterval& interval : track.intervals) {
            interval.begin = cycle;
            cycle += interval.cycles;
            t.stateCycles[interval.state] += interval.cycles;
            t.lines[interval.op].stateCycles[interval.state] += interval.cycles;
            t.lines[interval.op].instructions += interval.state == 0 ? 1 : 0;
            for (std::uint32_t at = interval.begin; at < interval.end(); ++at) {
                std::uint32_t* cell = t.sms.values.data() + (at / 32 * t.chip.sms + track.sm) * t.sms.counters.size();
                ++cell[1];
                if (const int counter = counterOf[interval.state]; counter >= 0)
                    ++cell[counter];
            }
        }
        track.whole = true;
        if (track.sm < t.watchedSms)
            t.warps.push_back(std::move(track));
        return cycle;
    };
    constexpr std::uint32_t all = 0xffffffffu, half = 0x0000ffffu;
    for (std::uint32_t sm = 0; sm < t.chip.sms; ++sm)
        for (std::uint32_t turn = 0; turn < 3; ++turn) {
            const std::uint32_t block = turn * 4 + sm, start = turn < 2 ? 5 * turn : 80;
            std::uint32_t end = 0;
            for (std::uint32_t warp = 0; warp < 2; ++warp)
                end = live({sm,
                            (turn % 2) * 2 + warp,
                            block,
                            warp,
                            false,
                            {{start, 6 + 10 * warp, 0, 0, 5},
                             {0, 1, 0, all, 0},
                             {0, 40, 1, 0, 3},
                             {0, 1, 1, all, 0},
                             {0, 4, 2, 0, 2},
                             {0, 1, 2, half, 0},
                             {0, 1, 3, all, 0},
                             {0, 12 - 10 * warp, 4, 0, 4},
                             {0, 1, 4, all, 0}}});
            t.blocks.push_back({block, sm, start, end});
        }
    t.blocksInAll = t.blocks.size();
    for (const TracedBlock& block : t.blocks)
        t.cycles = std::max(t.cycles, block.end);
    t.extrapolation = {false, t.blocksInAll, t.blocksInAll, t.cycles, 0};
    t.watchedUntil = {t.cycles, t.cycles};
    for (const std::uint64_t cycles : t.stateCycles)
        t.counters.warpCycles += cycles;
    t.counters.instructions = t.stateCycles[0];
    t.counters.activeCycles = t.cycles * 4;
    t.counters.l1SectorHits = 24;
    t.counters.l1SectorMisses = 72;
    t.counters.l1Requests = t.counters.globalLoadRequests = 24;
    t.counters.l2Requests = 48;
    t.counters.l2SectorHits = 24;
    t.counters.l2SectorMisses = 64;
    t.counters.dramReadBytes = 2048;
    t.counters.dramWriteBytes = 512;
    t.counters.globalLoadBytes = 3072;
    t.counters.globalStoreRequests = 8;
    return t;
}

} // namespace ridge::testing
