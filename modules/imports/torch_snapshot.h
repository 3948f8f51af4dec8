// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::imports {

/// What torch.cuda.memory._snapshot() gives, as values. Sizes and addresses in bytes.
struct TorchBlock {
    enum class State : std::uint8_t { Inactive, Allocated, PendingFree };
    std::uint64_t address = 0, size = 0, requested = 0;
    State state = State::Inactive;
    std::uint32_t what = 0; ///< of TorchSnapshot::frames
};

struct TorchSegment {
    std::uint32_t device = 0, stream = 0;
    std::uint64_t address = 0, size = 0;
    bool small = false, expandable = false;
    std::vector<TorchBlock> blocks; ///< they fill it
};

struct TorchEvent {
    enum class Action : std::uint8_t {
        Alloc,
        FreeRequested,
        FreeCompleted,
        SegmentAlloc,
        SegmentFree,
        SegmentMap,
        SegmentUnmap,
        OutOfMemory ///< `address` is what the driver had left
    };
    Action action = Action::Alloc;
    std::uint32_t stream = 0; ///< numbered from 0 in the order in which streams appear
    std::uint32_t what = 0;
    std::uint64_t address = 0, size = 0; ///< of Alloc and the frees as the program asked, without rounding
};

/// Where in a program memory was asked for.
struct TorchFrame {
    std::string text;  ///< "forward (model.py:31)": the nearest frame that is not PyTorch's own; empty: not recorded
    std::string place; ///< of all frames: "backward", "optimizer", "forward", "other"
};

struct TorchSnapshot {
    std::vector<TorchSegment> segments;
    std::vector<std::vector<TorchEvent>> traces; ///< of each device, oldest first
    std::vector<TorchFrame> frames{TorchFrame()};
    bool expandable = false;
    std::uint64_t maxSplit = 0;  ///< bytes; 0: no limit
    unsigned divisions = 0;      ///< roundup_power2_divisions, where it is one number
    std::size_t otherEvents = 0; ///< of actions that say nothing of memory ("snapshot", "annotate")
};

/// Reads a snapshot as a pickle (protocols 2 to 5, of plain values alone: nothing in it is ever executed) or the same
/// value as JSON. Errors: "bad-pickle", "bad-json", and "bad-import" with what is missing or impossible and the fix.
Result<TorchSnapshot> readTorchSnapshot(std::string_view bytes, const std::string& name);

} // namespace ridge::imports
