// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

namespace ridge::record {

/// What a table says about a run: everything but limits, checks, fingerprint and all metrics but one. A hundred
/// thousand of them fit where a hundred thousand RunRows would not.
struct RunHead {
    std::int64_t position = 0; ///< grows with every row this database takes up
    std::string id, sweepId, lesson, block, experiment, target;
    Provenance provenance = Provenance::Simulated;
    std::string params;       ///< JSON object as stored; runs at the same point have the same text
    std::string metric, unit; ///< empty: it has none
    double value = 0;
    std::string validity;
    bool failed = false;
    std::string errorCode; ///< of a failed run
    std::string createdAt;
};

struct RunHeadFilter {
    std::int64_t after = 0;  ///< only rows taken up behind this position
    std::int64_t before = 0; ///< only rows taken up before this position; 0: any
    int limit = 0;           ///< 0: all
    /// Which metric an experiment's runs are summed up by; others, and runs without it, give their first one.
    std::map<std::string, std::string> metricOf = {};
};

} // namespace ridge::record
