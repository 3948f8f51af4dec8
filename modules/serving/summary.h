// SPDX-License-Identifier: GPL-3.0-or-later
// What users and owners of a server ask about a run.
#pragma once

#include "serving/fleet.h"

namespace ridge::serving {

/// Percentiles between ranks by straight lines, as numpy's default has them.
struct Spread {
    double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, most = 0;
    std::size_t count = 0; ///< 0: nothing to tell
};
/// The order of `values` changes.
Spread spreadOf(std::vector<double>& values);
/// As if each interval were there `weight` times, whole weights; the order changes.
Spread spreadOf(std::vector<Interval>& intervals);

struct Slo {
    double ttft = kNever, tpot = kNever; ///< s
};

struct Summary {
    Spread ttft; ///< from arrival to the first token
    Spread tpot; ///< a request's time after its first token, over its tokens but the first; outputs of 2 and more
    Spread itl;  ///< between two tokens of a request
    Spread e2e;  ///< from arrival to the last token
    std::size_t finished = 0;
    double promptTokens = 0, outputTokens = 0;
    double good = 0; ///< requests that keep both objectives
};

/// Of requests that are done. The intervals of `result` change their order. `together`: tokens of an answer that are
/// sent at once, so that a client sees the first when so many are there (or all); TPOT then begins there, and the
/// intervals stay those of the engine. A request's tokens are taken to come evenly.
Summary summarize(ClusterResult& result, const Slo& slo, std::uint32_t together = 1);

} // namespace ridge::serving
