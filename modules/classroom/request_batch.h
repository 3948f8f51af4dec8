// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "classroom/handed_in_runs.h"
#include "classroom/regrade.h"

namespace ridge::classroom {

/// What a request gave here.
struct RerunOutcome {
    std::vector<SampleEvent> samples;
    Json build;
    int version = 0;
    bool anySeed = false; ///< another seed would give the same
};
using Outcomes = std::map<Request, RerunOutcome>;

/// Runs all requests that have no outcome yet.
class Batch {
public:
    Batch(const Execute& execute, Outcomes& outcomes, std::map<Request, Error>& failures)
        : m_execute(execute), m_outcomes(outcomes), m_failures(failures)
    {
    }

    void want(const Request& request);
    int requests() const { return static_cast<int>(m_wanted.size()); }

    /// `step` says whether to go on. A request that fails is left without an outcome, and with its reason.
    bool run(const std::function<bool()>& step, RegradeReport& report);

private:
    const Execute& m_execute;
    Outcomes& m_outcomes;
    std::map<Request, Error>& m_failures;
    std::set<Request> m_wanted;
};

} // namespace ridge::classroom
