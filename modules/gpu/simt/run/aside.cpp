// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/aside.h"

#include "gpu/simt/run/async_ops.h"
#include "gpu/simt/run/misc_ops.h"

#include <algorithm>

namespace ridge::gpu::simt {

bool canRunAside(const KernelImage& image)
{
    std::vector<OpFunction> shared{findSystemCall(SystemCall::Malloc), findSystemCall(SystemCall::Free)};
    for (auto op = static_cast<int>(AsyncOp::BarrierInit); op <= static_cast<int>(AsyncOp::RemoteReduceWide); ++op)
        shared.push_back(findAsyncOp(static_cast<AsyncOp>(op)));
    const bool anyShared = std::any_of(image.ops.begin(), image.ops.end(), [&](const MicroOp& op) {
        return std::find(shared.begin(), shared.end(), op.run) != shared.end();
    });
    const bool anyCluster = std::any_of(image.blocks.begin(), image.blocks.end(), [&](const BasicBlock& block) {
        return block.kind == EndKind::Barrier &&
               static_cast<BarrierKind>(image.ops[block.end].flags) >= BarrierKind::ClusterArrive;
    });
    return !anyShared && !anyCluster;
}

LaunchState stateAside(const LaunchState& launch)
{
    LaunchState aside = launch;
    aside.phases = nullptr;
    aside.counters = {};
    aside.trace.clear();
    return aside;
}

void takeOver(LaunchState& launch, Counters& counters, std::vector<MemoryRequest>& trace)
{
    for (const auto counter : kCounters)
        launch.counters.*counter += std::exchange(counters.*counter, 0);
    for (const MemoryRequest& request : trace) {
        if (launch.trace.size() < launch.options.traceRequests)
            launch.trace.push_back(request);
    }
    trace.clear();
}

} // namespace ridge::gpu::simt
