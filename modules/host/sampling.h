// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "host/team.h"

namespace ridge::host {

/// Asked now and then from long work; true asks it to stop.
using StopRequested = std::function<bool()>;

struct Sampling {
    double budgetSeconds = 0.4;   ///< of sampling; a fifth of it more to warm up
    double sampleSeconds = 0.004; ///< of one sample at least: shorter passes are repeated within it
    StopRequested stop;           ///< may be empty
};

/// Statistics of one pass.
struct Timing {
    double medianSeconds = 0;
    double iqrSeconds = 0;
    double minSeconds = 0;
    double p95Seconds = 0;
    int samples = 0;
    double busy = 1;      ///< median share of the processors that the threads got
    std::string validity; ///< "valid", "on battery", "contended", "too few samples"
};

/// Samples `work(thread, passes)`, which does the same `passes` times over. Errors: "cancelled".
Result<Timing> timePasses(Team& team, const Sampling& how,
                          const std::function<void(unsigned thread, std::uint64_t passes)>& work);

/// The verdict on samples; `power` as silicon::powerSource() says.
std::string verdict(int samples, double busy, const std::string& power);

} // namespace ridge::host
