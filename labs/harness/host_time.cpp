// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/host_time.h"

namespace ridge::labs {

host::Sampling samplingOf(RunContext& context)
{
    host::Sampling how;
    how.stop = [&context] { return context.cancelled(); };
    return how;
}

void reportHostTime(RunContext& context, const host::Timing& timing)
{
    context.validity(timing.validity);
    context.metric("time", timing.medianSeconds, Provenance::Measured);
    context.metric("time_min", timing.minSeconds, Provenance::Measured);
    context.metric("time_p95", timing.p95Seconds, Provenance::Measured);
}

} // namespace ridge::labs
