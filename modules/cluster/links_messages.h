// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/collective.h"

// Messages one by one over links with queues, in whole nanoseconds: the model of ASTRA-sim's analytical backend
// (github.com/astra-sim, 838a649), with which it agrees to the nanosecond.

namespace ridge::cluster {

struct MessageCosts {
    std::uint32_t chunks = 1;   ///< the data are cut into so many, which run one after another on every rank
    std::uint64_t endpoint = 0; ///< ns before a message leaves, and once at the end of a chunk
    double memoryRate = 0;      ///< B/ns: what is added is read twice and written once; 0: adding takes no time
    /// true: a message waits at every link until the one before it is through, and is there whole before it goes on.
    /// false: bytes over the least rate plus all latencies, whatever else is on its way.
    bool congestion = true;
};

struct MessageTimes {
    std::uint64_t nanoseconds = 0;
    std::uint64_t messages = 0;
};

/// Latencies are rounded to whole ns and times on links down. Errors: "bad-collective" where the topology has fewer
/// ranks or no switch, "too-many-transfers" above 2^26 messages.
Result<MessageTimes> simulateMessages(const Topology& topology, const Schedule& schedule, double bytes,
                                      const MessageCosts& costs);

} // namespace ridge::cluster
