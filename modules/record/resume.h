// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/recorder.h"

namespace ridge::record {

/// A sweep that was stopped or killed, or lost its machine, before all of its points were there.
struct UnfinishedSweep {
    RunContextIds ids;             ///< with the sweep's id: what is recorded with them continues it
    std::vector<RunRow> rows;      ///< finished points, in the order of the request
    std::vector<ParamSet> missing; ///< the others, complete, in that order; points that failed are among them
    std::size_t points() const { return rows.size() + missing.size(); }
};

/// What `request` could continue: the newest sweep of this store's own with the same experiment in the same version,
/// target, seed, lesson, block and prediction whose points are all asked for again. Nothing where it is complete, where
/// none is like that, or where the request has one point. A run of one point that ended well is no beginning of a
/// sweep. Looks at the newest runs only, so that it may be asked while somebody types.
/// Errors: those of the store, of completeParams for a point.
Result<std::optional<UnfinishedSweep>> unfinishedSweep(const Store& store, const ExperimentInfo& info,
                                                       const RunRequest& request, RunContextIds ids);

} // namespace ridge::record
