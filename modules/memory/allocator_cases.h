// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of programs that run out of memory, each for another reason, made from a small model of a training step.
#pragma once

#include "memory/allocator.h"

namespace ridge::memory {

enum class MemoryCase {
    Healthy,        ///< steps of equal length
    Fragmentation,  ///< gradients are summed over micro-batches that become longer: they lie in the holes of short ones
    ActivationPeak, ///< one batch in the middle is four times as long
    Leak,           ///< each step keeps its last activations, as a list of losses with their graphs does
    KvGrowth        ///< generation: every token makes all caches anew, one token longer
};
/// "healthy", "fragmentation", "activation_peak", "leak", "kv_growth", in the order of MemoryCase.
const std::vector<std::string>& memoryCaseNames();

/// A transformer of GPT's shape with 16-bit weights and activations, gradients of 2 bytes and Adam in fp32 (weight and
/// two moments), whose attention keeps no scores.
struct StepModel {
    std::uint32_t layers = 12, hidden = 1024, vocabulary = 128256;
    std::uint32_t batch = 4, sequence = 512;
    std::uint32_t steps = 6; ///< KvGrowth: tokens that are generated
    bool recompute = false;  ///< layers keep their input and are computed again
};

/// Categories: "weights", "gradients", "optimizer", "activations", "temporary", "cache". Errors: "bad-case" (0 of
/// something, more than 2 million events or 1 PiB).
Result<AllocatorHistory> makeHistory(MemoryCase which, const StepModel& model);

/// Steps or tokens of a case, if nobody says otherwise.
std::uint32_t stepsOfCase(MemoryCase which);
/// Bytes of GPU memory with which the case runs out where it should, for the model as it is by default.
std::uint64_t memoryOfCase(MemoryCase which);

} // namespace ridge::memory
