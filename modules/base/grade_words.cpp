// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/grade_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ridge {
namespace {

struct Entry {
    const char *id, *title, *advice;
};

constexpr std::array kWords{
    Entry{"out-of-bounds", "It touches memory behind or before a buffer",
          "Hold every index against the sizes before it is used; the last block reaches past n."},
    Entry{
        "misaligned", "It reads or writes at an address that its type does not allow",
        "Vector loads need an address that is a multiple of their size; sizes that are no multiple need scalar ones."},
    Entry{"use-after-free", "It touches memory that was given back",
          "Keep no pointer from one launch to the next: each launch has buffers of its own."},
    Entry{"host-pointer", "It follows a pointer that is not the GPU's",
          "Use the pointers that the kernel was given, and no others."},
    Entry{"null-pointer", "It follows a pointer to nothing",
          "Look where the pointer gets its value, and whether every way through the code sets it."},
    Entry{"barrier-deadlock", "Its threads wait for each other for ever",
          "Every thread of a block has to reach the same __syncthreads(): take it out of the if, or let all go in."},
    Entry{"exited-block", "It reads shared memory of a block that has ended",
          "Let the blocks of a cluster wait for each other (cluster.sync()) before any of them ends."},
    Entry{"endless-loop", "It never ends", "Look what makes the loop end, and whether that can be stepped over."},
    Entry{"never-resident-block", "Its blocks wait for one that cannot start before they end",
          "Blocks must not depend on each other's progress: use a second pass or atomics in place of waiting."},
    Entry{"time-limit", "It took longer than a launch may",
          "Look for a loop that runs much longer than the sizes ask for; a longer limit is --seconds."},
    Entry{"launch-limits", "It cannot be launched like that",
          "Mend the line // Launch at the head of the file, or use less shared memory or fewer registers."},
    Entry{"launch-failed", "The launch failed", ""},
    Entry{"uninitialised-read", "It uses a value that nobody has written",
          "Set every register and every place of shared memory before it is read, also at the edges."},
    Entry{"array-overrun", "An index leads out of one shared array into another",
          "Hold the index against the size of the array in the line that it names: an edge, a halo, a block that is "
          "larger."},
    Entry{"unfilled-variable", "It reads a variable that nobody fills",
          "Give it a first value in the file, or take the numbers from the kernel's inputs."},
    Entry{"division-by-zero", "It divides an integer by zero",
          "Look which sizes make the divisor 0, and treat them before the division."},
    Entry{"divergent-barrier", "Lanes of a warp wait at different barriers",
          "Let all threads of the block go through the same __syncthreads()."},
    Entry{"race", "Two threads touch the same place, and nothing orders them",
          "Put a barrier between the write and the other access; between blocks use atomics, or a second pass."},
    Entry{"unwatched-blocks", "Its blocks meet at more places than the detectors can follow",
          "Use far fewer addresses with atomics or volatile accesses: one counter, or one for each block."},
    Entry{"input-changed", "It writes into its input", "Write to the output alone; an input has to stay as it was."},
    Entry{"prints", "It prints", "Take printf out: what is graded are the results."},
    Entry{"replayed-output", "It gives the results of an earlier launch again",
          "Compute from the data of this launch. A kernel must keep nothing between launches, also not in __device__ "
          "variables."},
    Entry{
        "skips-later-launches", "It is right once, and wrong in later launches",
        "Set what the kernel keeps (__device__ variables, counters) at the beginning of each launch, or keep nothing."},
    Entry{"differs-when-timed", "It computes something else when it is timed",
          "Look for races: whatever depends on the order or the speed of threads may differ from launch to launch."},
    Entry{"precision-too-low", "It computes with too few bits",
          "Multiply and add in the type of the data; sum in FP32 or wider where the task asks for FP32. If you do, "
          "look for "
          "a small term that is left out, or for large numbers that cancel."},
    Entry{"known-data-only", "It is right only on the data of the example",
          "Compute the results from the inputs: a grading draws other data each time."},
    Entry{"constant-input-only", "It is right only where all elements are alike",
          "Look at the indices: elements are read from the wrong places, which equal data hide."},
    Entry{"aligned-sizes-only", "It is right only at sizes that are multiples of 32",
          "Handle the rest: the last block, the last tile, the last vector, with a test against the size."},
    Entry{"visible-sizes-only", "It is right only at the sizes that the task shows",
          "Use the sizes that the kernel is given: no number of the examples may stand in the code. Try others, small "
          "ones "
          "and those that are 1, 2 and 3 larger."},
    Entry{"output-not-written", "Some results are never written",
          "Look whether the grid covers all elements, and whether an if leaves some out."},
    Entry{"wrong-result", "Some results are wrong",
          "Run it at that size with the detectors on and work out the first wrong element by hand. If the example's "
          "data come "
          "out right, try zeros, large numbers and negative ones."},
    Entry{"reads-clock", "It reads a clock", "Take clock() and the timers out: no result depends on them."},
    Entry{
        "impossible-time", "It was faster than the machine can be",
        "Do all of the work in the launch. On a GPU a roof that was calibrated wrongly says so, too: calibrate again."},
    Entry{"clocks-disagree", "The GPU went on working after the launch was over",
          "Do all of the work in the launch itself: start no work on the side that outlives it."},
    Entry{"not-graded", "Not all cases were run", "Mend what stopped it, or try once more on a less busy machine."},
};

} // namespace

ReasonWords reasonWords(const std::string& id)
{
    const auto found = std::find_if(kWords.begin(), kWords.end(), [&](const Entry& entry) { return id == entry.id; });
    if (found != kWords.end())
        return {found->title, found->advice};
    std::string title = id;
    std::replace(title.begin(), title.end(), '-', ' ');
    if (!title.empty())
        title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return {title, ""};
}

std::vector<std::string> gradeReasonIds()
{
    std::vector<std::string> ids;
    for (const Entry& entry : kWords)
        ids.emplace_back(entry.id);
    return ids;
}

} // namespace ridge
