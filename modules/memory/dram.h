// SPDX-License-Identifier: GPL-3.0-or-later
// One channel of a DRAM, command by command: banks with row buffers, the timing rules between commands, refresh, and a
// controller that orders requests. Time jumps from one event to the next.
//
// Terminology. A channel has pseudo-channels (each with data pins of its own), these have ranks (in HBM: stack ids),
// bank groups and banks. A bank holds one open row at most. A request is one burst, `burstBytes` of one row.
// Rules between commands, the scheduler and its watermarks follow Ramulator 2.1 (CMU-SAFARI/ramulator2, commit c5b1c3a,
// MIT licence: python/ramulator/dram/*.py, src/ramulator/controller); nothing is copied from it but numbers and rules.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ridge::memory {

/// When a row is closed. Open: when another row of its bank is asked for. Closed: with every access (auto-precharge).
enum class PagePolicy { Open, Closed };
/// AllBank: every bank of a pseudo-channel or rank at once. PerBank: one after another. None: never, for comparison.
enum class RefreshMode { AllBank, PerBank, None };
/// What a request found when its first command was given: its row open, its bank closed, another row open.
enum class RowState : std::uint8_t { Hit, Miss, Conflict };

/// Minimum distances in clock cycles (CK). Names as in the standards, without the t.
struct DramTimings {
    std::uint32_t burst = 2; ///< cycles that one burst takes on the data pins
    std::uint32_t cl = 20, cwl = 10;
    std::uint32_t rcdRead = 31, rcdWrite = 15;
    std::uint32_t rp = 26, rpAll = 26, ras = 45, rc = 72;
    std::uint32_t writeRecovery = 33, rtp = 9;
    std::uint32_t ccdShort = 2, ccdLong = 4;           ///< reads: other group, same group
    std::uint32_t ccdShortWrite = 2, ccdLongWrite = 4; ///< writes
    std::uint32_t ccdRank = 3;                         ///< reads of two ranks, from command to command
    std::uint32_t rankSwitch = 0;                      ///< of ranks on the same pins: cycles between two bursts
    std::uint32_t rrdShort = 4, rrdLong = 5, faw = 24;
    std::uint32_t wtrShort = 7, wtrLong = 10; ///< from the end of the written data
    std::uint32_t readToWrite = 20;           ///< from command to command
    std::uint32_t ppd = 2;                    ///< between two precharges; 0: no rule
    std::uint32_t rfc = 416, rfcBank = 320, refi = 6240, refiBank = 195, rrefd = 8;
};

struct DramSpec {
    double pinRate = 6.4e9;       ///< bits a second and pin
    std::uint32_t pins = 32;      ///< data pins of a pseudo-channel
    std::uint32_t prefetch = 8;   ///< bits a pin and burst
    std::uint32_t halfTicks = 2;  ///< 2: commands may begin at half cycles (HBM3, HBM4), else 1
    bool twoBuses = true;         ///< row and column commands have wires of their own (HBM)
    bool stacked = true;          ///< ranks are stack ids: rows of all of them share tRRD, tFAW and refresh
    bool ddr = false;             ///< tCCD_L is a time and tRRD_S a number of cycles (DDR4, DDR5), not the other way
    std::uint32_t turnaround = 0; ///< cycles: tRTW is CL + burst + this - CWL; 0: `readToWrite` is a time of its own
    std::uint32_t actTicks = 3, preTicks = 1, columnTicks = 2;          ///< of the command wires, in ticks
    std::uint32_t pseudoChannels = 2, ranks = 2, groups = 4, banks = 4; ///< banks: of a group
    std::uint32_t rows = 8192, columns = 32;                            ///< columns: bursts of a row
    std::uint32_t readQueue = 128, writeQueue = 64;
    DramTimings timings;

    std::uint32_t burstBytes() const { return pins * prefetch / 8; }
    std::uint32_t bankCount() const { return pseudoChannels * ranks * groups * banks; }
    std::uint64_t bytes() const { return std::uint64_t{bankCount()} * rows * columns * burstBytes(); }
    double peak() const { return pinRate * pins * pseudoChannels / 8; }   ///< bytes a second of the channel
    double cycle() const { return prefetch / (pinRate * timings.burst); } ///< seconds
    double tick() const { return cycle() / halfTicks; }                   ///< seconds
};

/// Errors: "bad-dram" with what does not fit.
Result<void> checkSpec(const DramSpec& spec);

/// The same memory at another pin rate: what is a time in the standard (tRCD, tRAS …) keeps its length and is rounded
/// up to cycles; what is a number of cycles (burst, tCCD_S, tPPD) stays one. Errors: "bad-dram" for a rate below a
/// quarter of the memory's own or above twice.
Result<DramSpec> atRate(const DramSpec& spec, double pinRate);

/// One burst within a channel. `bank` counts banks of the group.
struct DramPlace {
    std::uint32_t pseudoChannel = 0, rank = 0, group = 0, bank = 0, row = 0, column = 0;
    bool operator==(const DramPlace&) const = default;
};

struct DramRequest {
    DramPlace place;
    bool write = false;
};

enum class DramCommandKind : std::uint8_t { Act, Pre, PreAll, Read, Write, ReadPre, WritePre, Refresh, RefreshBank };
/// "ACT", "PRE" …
const char* nameOf(DramCommandKind kind);

struct DramCommand {
    std::int64_t tick = 0; ///< when its first part is on the wires
    DramCommandKind kind = DramCommandKind::Act;
    DramPlace place;           ///< of PreAll and Refresh: pseudo-channel and rank alone (rank 0 in a stack)
    std::uint64_t request = 0; ///< number of the request it serves, from 1; 0: refresh
};

struct DramRun {
    /// The n-th request, n from 0.
    std::function<DramRequest(std::uint64_t)> next;
    std::uint64_t requests = 0;
    /// Ticks between two turns of the source; 0: a request whenever a queue has room. A turn that finds its queue full
    /// is lost, as in Ramulator's latency-throughput front end.
    double interval = 0;
    /// Where the probe reads next; empty: none. One read is under way at a time, beside the stream.
    std::function<DramPlace()> probe;
    PagePolicy page = PagePolicy::Open;
    RefreshMode refresh = RefreshMode::AllBank;
    double drainFrom = 0.8, drainTo = 0.2; ///< of the write queue: writes begin above, end below (Ramulator's)
    std::function<void(const DramCommand&)> command; ///< sees every command; may be empty
    std::function<bool(std::uint64_t)> goOn;         ///< asked now and then, with requests served; may be empty
};

struct DramCounts {
    std::uint64_t reads = 0, writes = 0;               ///< bursts that crossed the pins, without the probe's
    std::uint64_t hits = 0, misses = 0, conflicts = 0; ///< of the stream: row open, bank closed, another row open
    std::uint64_t forwarded = 0;                       ///< reads that the write queue answered
    std::uint64_t merged = 0;                          ///< writes to a burst that waited in the write queue already
    std::uint64_t activates = 0, precharges = 0, prechargesAll = 0, refreshes = 0, bankRefreshes = 0;
    std::uint64_t probes = 0; ///< reads of the probe
};

struct DramResult {
    DramCounts counts;
    std::int64_t end = 0;                   ///< tick at which the last data are over
    std::vector<std::uint32_t> readLatency; ///< ticks from arrival to the end of the data, the stream's reads
    std::vector<RowState> readFound;        ///< what each of them found, in the same order
    double probeLatency = 0;                ///< ticks, mean; 0 without a probe
    bool stopped = false;                   ///< goOn said no
};

/// Errors: those of checkSpec.
Result<DramResult> simulate(const DramSpec& spec, const DramRun& run);

} // namespace ridge::memory
