// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "cluster/collective.h"

#include <span>
#include <string>

namespace ridge::labs {

/// What begins the one line of a rank that has something to tell.
inline constexpr const char* kMpiMark = "ridge-mpi ";

/// One all-reduce of floats, over processes of Open MPI on this machine.
struct MpiJob {
    cluster::CollectiveShape shape; ///< an all-reduce, not in the network
    std::uint64_t elements = 0;     ///< floats of each rank
    std::uint32_t repeats = 10;
    std::uint64_t seed = 0;
    std::string fault = "none"; ///< "killed": the last rank dies half way through; "absent": it never takes part
};

/// The arguments after "ridge-worker mpi-rank", and back. Errors: "bad-argument".
std::vector<std::string> argumentsOf(const MpiJob& job);
Result<MpiJob> mpiJobOf(std::span<const std::string> arguments);

/// The body of a process that mpirun started: opens libmpi, runs the schedule on its data, and rank 0 prints kMpiMark
/// and a JSON object (seconds, vendor_seconds: one a repeat; wrong, other_bits: elements). The exit code of the
/// process.
int runMpiRank(const MpiJob& job);

/// What every rank has after the schedule, in the order in which it adds; one rank's, and whether all have the same
/// bits. The reference of runMpiRank, without MPI.
std::vector<float> replaySchedule(const cluster::Schedule& schedule, std::uint64_t elements, std::uint64_t seed,
                                  bool& same);

/// Element i of rank r: of many sizes, so that the order of additions shows in the last bits.
float mpiValue(std::uint32_t rank, std::uint64_t i, std::uint64_t seed);

} // namespace ridge::labs
