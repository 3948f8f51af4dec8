// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/engine_overlap.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace ridge::accelerator {

Result<EngineRun> runEngines(const std::vector<EngineOp>& ops, std::uint32_t slices, double overhead)
{
    if (ops.empty() || slices == 0 || ops.size() > kMostEngineSpans / slices)
        return Error{"bad-graph", "the graph has no pieces, or more than 131072", "parameters blocks, slices",
                     "give fewer blocks or slices"};
    for (const EngineOp& op : ops)
        if (op.engine >= EngineRun::kMostEngines || !(op.seconds >= 0))
            return Error{"bad-graph", "an operation has no engine, or a time below 0", "operations", "give 0 to 3"};
    EngineRun run;
    using Piece = std::pair<std::uint32_t, std::uint32_t>; // slice, op
    std::priority_queue<Piece, std::vector<Piece>, std::greater<>> ready[EngineRun::kMostEngines];
    using Event = std::tuple<double, std::uint32_t, std::uint32_t>; // end, slice, op
    std::priority_queue<Event, std::vector<Event>, std::greater<>> running;
    bool busy[EngineRun::kMostEngines] = {};
    for (std::uint32_t s = 0; s < slices; ++s)
        ready[ops[0].engine].push({s, 0});
    double now = 0;
    const auto start = [&] {
        for (std::uint32_t e = 0; e < EngineRun::kMostEngines; ++e)
            if (!busy[e] && !ready[e].empty()) {
                const auto [slice, op] = ready[e].top();
                ready[e].pop();
                const double end = now + ops[op].seconds / slices + overhead;
                run.spans.push_back({op, slice, now, end});
                run.busy[e] += end - now;
                busy[e] = true;
                running.push({end, slice, op});
            }
    };
    start();
    while (!running.empty()) {
        now = std::get<0>(running.top());
        while (!running.empty() && std::get<0>(running.top()) <= now) {
            const auto [end, slice, op] = running.top();
            running.pop();
            busy[ops[op].engine] = false;
            if (op + 1 < ops.size())
                ready[ops[op + 1].engine].push({slice, op + 1});
        }
        start();
    }
    run.time = now;
    return run;
}

} // namespace ridge::accelerator
