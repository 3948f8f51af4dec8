// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/provenance.h"
#include "base/result.h"

#include <span>
#include <string>
#include <string_view>

namespace ridge {

/// What follows the colon of a target.
enum class TargetName {
    None,    ///< nothing: "cpu"
    Index,   ///< a number: "gpu:0"
    Chip,    ///< a chip of the catalogue: "sim:h100-sxm"
    Machine, ///< a file of assets/machines: "machine:cache-teaching"
};

/// A kind of target. Whatever the program does differently for one kind is a column of this table: nothing else looks
/// at the text of a target (tests/layers).
struct TargetKind {
    std::string_view id;     ///< the text before the colon
    std::string_view title;  ///< "simulated GPU"
    std::string_view plural; ///< "simulated chips"
    TargetName name;
    std::string_view form;    ///< how it is written: "sim:<chip>"
    std::string_view example; ///< "sim:h100-sxm"
    Provenance provenance;    ///< of its numbers
    bool deterministic;       ///< the same request gives the same bits again
    bool hasDevice;           ///< there is a gpu::Device: kernels can run
    bool onHardware;          ///< real hardware of the worker's machine executes
    bool inLessons;           ///< everybody has it, so the head of a lesson may name one
    bool needsMpi = false;    ///< mpirun of Open MPI starts what executes

    bool measuresKernels() const { return hasDevice && onHardware; }
    bool simulatesKernels() const { return hasDevice && !onHardware; }
    /// One of many files that Ridgepoint ships, so that a report counts them instead of listing each.
    bool isShipped() const { return name == TargetName::Chip || name == TargetName::Machine; }
};

std::span<const TargetKind> targetKinds();
/// Null where there is no such kind.
const TargetKind* findTargetKind(std::string_view id);
/// "gpu:<index>, sim:<chip>, cpu …", for messages.
std::string targetForms();

/// A target, taken apart: "lab:gpu:0" is the GPU 0 of the remote target lab.
struct Target {
    std::string remote; ///< empty: of this machine
    const TargetKind* kind = nullptr;
    std::string name; ///< "0", "h100-sxm"; empty where the kind has none

    bool operator==(const Target&) const = default;
};

/// Errors: "unknown-target" for a kind that does not exist, with the kinds there are and the nearest; for a name where
/// the kind takes none, or none where it takes one. Whether there is such a GPU, chip or machine is not looked up.
Result<Target> parseTarget(std::string_view text);

/// Of local and remote targets; null where there is no such kind.
const TargetKind* kindOf(std::string_view target);
/// Kernels can run there; on real hardware; on a simulator. False for what is no target.
bool runsKernels(std::string_view target);
bool measuresKernels(std::string_view target);
bool simulatesKernels(std::string_view target);
/// A local target that gives the same bits for the same request. A simulator of a remote target is the program of
/// another machine.
bool isRepeatableHere(std::string_view target);
bool isLocal(std::string_view target);
/// Of its numbers. Simulated where there is no such kind, the kind that claims least.
Provenance provenanceOfTarget(std::string_view target);
/// The texts of targets.
std::string gpuTarget(int index);
std::string simulatorTarget(std::string_view chip);
std::string machineTarget(std::string_view id);
/// "h100-sxm" of "sim:h100-sxm"; empty for every kind that names no chip.
std::string chipOfTarget(std::string_view target);
/// "cache-teaching" of "machine:cache-teaching"; empty for every kind that names no machine.
std::string machineOfTarget(std::string_view target);

} // namespace ridge
