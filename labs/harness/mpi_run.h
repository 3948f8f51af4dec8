// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/mpi_rank.h"

#include <functional>

namespace ridge::labs {

struct MpiResult {
    std::vector<double> seconds, vendorSeconds; ///< of each repeat: the slowest rank; vendor: MPI_Allreduce
    std::uint64_t wrong = 0;                    ///< elements with other bits than the schedule gives
    std::uint64_t otherBits = 0;                ///< elements in which MPI_Allreduce has other bits
    bool same = false;                          ///< every rank has the same bits
};

/// mpirun of Open MPI in PATH. Errors: "no-mpi" with the package to install.
Result<std::string> findMpirun();

/// Starts the ranks and waits, `seconds` at most. Errors: "no-mpi"; "rank-killed" with the rank and the signal;
/// "time-limit" (nobody came to an end: every rank is killed); "mpi-failed" with what mpirun said; "cancelled".
Result<MpiResult> runMpi(const MpiJob& job, double seconds, const std::function<bool()>& stop);

/// The error that mpirun's own words mean; for tests.
Error mpiError(int exitCode, const std::string& words, std::uint32_t ranks);

} // namespace ridge::labs
