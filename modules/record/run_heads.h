// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/rows.h"

#include <functional>

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

/// What checks and counts read of a finished run of a lesson, without limits, checks and fingerprint; parameters and
/// metrics as they are stored, so that equal ones need be taken apart once.
struct RunFact {
    std::string id, sweepId, block, experiment, target, validity;
    std::string params, metrics; ///< JSON objects
    std::int64_t seq = 0;
    std::string createdAt = {}, origin = {};
};

struct RunFactFilter {
    std::string lesson;
    std::vector<std::string> experiments = {}; ///< empty: any
    std::vector<std::string> validities = {};  ///< empty: any
    std::string since = {};                    ///< ISO 8601 UTC; empty: from the beginning
};

struct RunHeadFilter {
    std::int64_t after = 0;  ///< only rows taken up behind this position
    std::int64_t before = 0; ///< only rows taken up before this position; 0: any
    int limit = 0;           ///< 0: all
    /// Which metric an experiment's runs are summed up by; others, and runs without it, give their first one.
    std::map<std::string, std::string> metricOf = {};
};

} // namespace ridge::record
