// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 1.7: what passes over managed memory cost while they fit into the GPU, and once they do not.
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/model_params.h"
#include "labs/harness/silicon_rows.h"
#include "memory/managed_pages.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::labs {
namespace {

using namespace memory;

const std::vector<std::string> kOrders{"stream", "back_and_forth", "tiled"}; // as ManagedOrder
const std::vector<std::string> kEvictions{"migrated", "used"};               // as ManagedEviction

std::vector<ParamSpec> parameters()
{
    auto order = choiceParam("order", "Order", kOrders, "stream",
                             "stream: each pass from begin to end. back_and_forth: every second pass from end to "
                             "begin. tiled: all passes over a part that fits, then over the next.");
    return {
        integerParam("mebibytes", "Working set", "MiB", 2, 1 << 18, 24576, ParamScale::Log2, "Of all arrays together."),
        order,
        integerParam("passes", "Passes", "", 1, 64, 4, ParamScale::Log2,
                     "Over all of it, after one that fills the memory."),
        integerParam("arrays", "Arrays", "", 1, 8, 3, ParamScale::Linear,
                     "Of one size, read side by side; a triad has three."),
        choiceParam("prefetch", "Prefetch", {"no", "yes"}, "no",
                    "yes: blocks are asked for before the kernel needs them (cudaMemPrefetchAsync). No faults, "
                    "the same copies."),
        choiceParam("evict", "Evicts", kEvictions, "migrated",
                    "Which block makes room. migrated: the one that came first, as the driver does. used: the "
                    "one that was touched least recently."),
        amountParam("link_gbs", "Link", "GB/s", 1e4, 0, "One way. 0 takes the machine's."),
        amountParam("fault_us", "Fault", "us", 1e6, 0, "Service of a group of faults. 0 takes the machine's.")};
}

class ManagedExperiment : public Experiment {
public:
    ManagedExperiment()
    {
        m_info.id = "managed";
        m_info.title = "Managed memory";
        m_info.module = 1;
        m_info.summary = "Moves pages of managed memory to a GPU and back, and tells the bandwidth that a kernel sees.";
        m_info.parameters = parameters();
        m_info.targets = {"machine"};
        m_info.engine = "managed";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:v100-managed";
        m_info.metrics = {
            {"bandwidth", "Bandwidth", "GB/s",
             "Bytes of the working set over the time of a pass, as the kernel sees it."},
            {"time", "Time", "s", "Of a pass, on average."},
            {"hit_share", "Found", "%", "Blocks that were in device memory when the kernel came to them."},
            {"moved_in", "Moved in", "B", "To the device in a pass, on average."},
            {"moved_out", "Moved out", "B", "Back to the host to make room, in a pass, on average."},
            {"fault_groups", "Fault groups", "1", "That were served in a pass, on average."},
            {"copy_share", "Copies", "%", "Of the time: bytes on the link, both ways, one after the other."},
            {"fault_share", "Faults", "%", "Of the time: the service of faults."}};
        m_info.charts = {{"bandwidth_over_size", "Bandwidth over working set", "mebibytes", "bandwidth",
                          ParamScale::Log2, ParamScale::Log2, "order"}};
        m_info.limits = {{"bandwidth", "device memory", "upper", "bandwidth of the kernel's own memory",
                          "what no page migration can beat: the machine's file"}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto real = [&](const char* name) { return std::get<double>(params.at(name)); };
        const auto place = [&](const std::vector<std::string>& words, const char* name) {
            return std::find(words.begin(), words.end(), choice(params, name)) - words.begin();
        };
        MachineReader values(*context.machine());
        ManagedMachine machine;
        machine.capacity = std::int64_t(values.number("memory", "B"));
        machine.bytesPerS = values.number("bandwidth", "B/s");
        machine.linkBytesPerS = values.number("link", "B/s");
        machine.faultSeconds = values.number("fault", "s");
        if (values.error())
            return *values.error();
        if (real("link_gbs") > 0)
            machine.linkBytesPerS = real("link_gbs") * 1e9;
        if (real("fault_us") > 0)
            machine.faultSeconds = real("fault_us") * 1e-6;

        ManagedUse use;
        use.bytes = std::int64_t(integer(params, "mebibytes")) << 20;
        use.arrays = int(integer(params, "arrays"));
        use.passes = int(integer(params, "passes"));
        use.order = static_cast<ManagedOrder>(place(kOrders, "order"));
        use.evict = static_cast<ManagedEviction>(place(kEvictions, "evict"));
        use.prefetched = choice(params, "prefetch") == "yes";
        const auto cost = playManaged(machine, use);
        if (!cost)
            return cost.error();

        const double passes = use.passes, time = cost->seconds(), block = double(kManagedBlock);
        const auto model = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        const auto count = [&](const char* name, double value) { context.metric(name, value, Provenance::Simulated); };
        model("bandwidth", double(cost->touched) * block / time / 1e9);
        model("time", time / passes);
        count("hit_share", 100 * double(cost->touched - cost->movedIn) / double(cost->touched));
        count("moved_in", double(cost->movedIn) * block / passes);
        count("moved_out", double(cost->movedOut) * block / passes);
        count("fault_groups", double(cost->faultGroups) / passes);
        model("copy_share", 100 * cost->copySeconds / time);
        model("fault_share", 100 * cost->faultSeconds / time);
        context.limit("bandwidth", machine.bytesPerS / 1e9);
        if (use.order == ManagedOrder::Stream) {
            // Whoever comes round in a circle that is too large finds what it wants always just gone.
            const std::int64_t capacity = machine.capacity / kManagedBlock, all = cost->touched / use.passes;
            const std::int64_t missing = all > capacity ? all : 0;
            context.check("stream", cost->movedIn == missing * use.passes,
                          fmt::format("{} of {} blocks moved in a pass, {} by the closed form",
                                      cost->movedIn / use.passes, all, missing));
        }
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeManaged()
{
    return std::make_unique<ManagedExperiment>();
}

} // namespace ridge::labs
