// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "record/rows.h"

#include <QString>

namespace ridge::app {

/// Three questions about a run and what its own numbers answer. Sentences of rules, each with the figures that it read.
struct RunExplanation {
    QString saturates; ///< what holds it back
    QString roof;      ///< how far it is from its limit; empty: it reports none
    QString change;    ///< what to change first, and what that is worth at most; empty: no rule knows
    double gain = 0;   ///< how many times as fast the change may make it at most; 0: nothing is said of it
    bool operator==(const RunExplanation&) const = default;
};

/// None for a run that failed, or that reports neither limits nor the states of its warps.
std::optional<RunExplanation> explainRun(const record::RunRow& run, const ExperimentInfo* info);

} // namespace ridge::app
