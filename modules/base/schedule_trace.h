// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <vector>

namespace ridge {

/// One operation of a schedule: where it ran and when. Seconds; those of the device count from the begin of the first
/// operation, those of the CPU from its first call.
struct TracedOperation {
    std::string label; ///< "in 3", "chunk_work"
    std::string lane;  ///< what carried it out: "copy in", "copy out", "copy within", "kernel", "event"
    std::uint32_t stream = 0;
    std::uint64_t bytes = 0; ///< of copies
    double begin = 0, end = 0;
    double called = 0, returned = 0; ///< both 0 in a graph
    bool operator==(const TracedOperation&) const = default;
};

/// What each stream did when: a Gantt chart. Layout in docs/protocol.md.
struct ScheduleTrace {
    static constexpr std::size_t kMostBytes = 16u << 20;     ///< a larger one is refused
    static constexpr std::size_t kMostOperations = 1u << 16; ///< what a worker sends

    std::string title;      ///< "8 chunks on 4 streams, pinned"
    std::string device;     ///< "H100 SXM5 80GB (simulated)"
    std::string provenance; ///< of the times: "MEASURED", "MODELLED" …
    double seconds = 0;     ///< from the first begin to the last end
    double wallSeconds = 0; ///< from the first call until the CPU knew that all was done
    std::vector<TracedOperation> operations;
    bool operator==(const ScheduleTrace&) const = default;
};

std::string encodeScheduleTrace(const ScheduleTrace& trace);

/// Errors: "bad-trace" (not one, cut short, damaged, too large, times that are no numbers or run backwards),
/// "newer-trace".
Result<ScheduleTrace> decodeScheduleTrace(std::string_view bytes);

} // namespace ridge
