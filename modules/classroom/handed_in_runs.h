// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"
#include "record/rows.h"

#include <cstdint>

namespace ridge::classroom {

/// One request of a learner, up to its last finished point. It is the unit of re-execution: what earlier points left on
/// the device counts, so that a point has the same bits only at the same place of the same request.
struct Request {
    std::string experiment, target, compiler;
    std::uint64_t seed = 1;
    std::vector<ParamSet> points;
    auto operator<=>(const Request&) const = default;
};

/// Rows of one request in the order in which they ran.
struct Sequence {
    Request request;
    std::vector<const record::RunRow*> rows;
};

/// What says that nobody's program made this row: a target that is none, a provenance that is not its target's (a
/// simulator measures nothing, and nothing that runs here is RECORDED), metrics or a machine of something else. Empty
/// where the row is what it says. That a figure is invented it does not find.
std::string contradictionOf(const record::RunRow& run);

/// Finished, of a simulator or a model, and without contradiction: it gives the same bits everywhere.
bool isRepeatable(const record::RunRow& run);
/// Finished, of hardware, and without contradiction: it is judged by ratios.
bool isMeasured(const record::RunRow& run);

/// Every finished run without contradiction, in the request that it was part of. Into `runs`.
std::vector<Sequence> sequencesOf(const std::vector<record::RunRow>& runs);

} // namespace ridge::classroom
