// SPDX-License-Identifier: GPL-3.0-or-later
// The history that a PyTorch snapshot records of one GPU, as the allocator's replay takes it.
#pragma once

#include "imports/torch_snapshot.h"
#include "memory/allocator.h"

namespace ridge::labs {

struct RecordedHistory {
    memory::AllocatorHistory history;
    std::uint64_t capacity = 0; ///< what the driver had for PyTorch, from a recorded failure or flush; 0: not known
    bool whole = false;         ///< it begins with nothing allocated
    std::size_t unplaced = 0;   ///< blocks from before the history that lie in no segment
};

/// A snapshot has its end and the events before it. The beginning follows from undoing them. Errors: "bad-value" (a
/// device that the snapshot has nothing of).
Result<RecordedHistory> historyOf(const imports::TorchSnapshot& snapshot, std::uint32_t device);

} // namespace ridge::labs
