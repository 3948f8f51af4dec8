// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/ladder.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "silicon/chip_catalogue.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {

ParamSpec rungParam(std::span<const Rung> rungs, const char* defaultName)
{
    std::vector<std::string> names;
    std::string help = "Rung of the ladder, each with one change:";
    for (const Rung& rung : rungs) {
        help += fmt::format("{} {} ({})", names.empty() ? "" : ",", rung.name, rung.phrase);
        names.emplace_back(rung.name);
    }
    return choiceParam("rung", "Rung", std::move(names), defaultName, help + ".");
}

std::size_t rungOf(std::span<const Rung> rungs, const ParamSet& params)
{
    const auto at =
        std::ranges::find(rungs, choice(params, "rung"), [](const Rung& rung) { return std::string(rung.name); });
    return static_cast<std::size_t>(at - rungs.begin());
}

std::vector<std::string> filesOf(std::span<const Rung> rungs)
{
    std::vector<std::string> files;
    for (const Rung& rung : rungs)
        if (std::ranges::find(files, std::string(rung.file)) == files.end())
            files.emplace_back(rung.file);
    return files;
}

std::uint32_t residentThreads(const gpu::DeviceInfo& info)
{
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return 1024;
    const auto limits = catalogue->limits(info.computeMajor, info.computeMinor);
    return limits ? limits->maxThreadsPerSm : 1024;
}

std::vector<MetricSpec> ladderMetrics(std::span<const MetricSpec> own, const std::string& usefulBytes,
                                      const std::string& timed)
{
    std::vector<MetricSpec> all(own.begin(), own.end());
    all.push_back({"bandwidth", "Bandwidth", "GB/s", usefulBytes + " over the time."});
    all.push_back(
        {"share_of_limit", "Share of the limit", "%",
         "Shortest time in which the useful bytes can cross the memory pins over the time that the rung took; "
         "100 is the best that a cold input allows."});
    for (const auto& list : {timeMetrics(timed), simulatedMetrics()})
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

std::vector<LimitSpec> bandwidthLimits(const std::string& formula)
{
    const std::string source = "pin bandwidth of the chip: the chip catalogue (assets/chips), or the driver on a GPU";
    const std::string kept = "; of a cold simulated launch without the written bytes that fit into L2";
    return {{"time", "useful bytes at pin bandwidth", "lower", formula + " ÷ pin bandwidth" + kept, source},
            {"bandwidth", "useful bytes at pin bandwidth", "upper", formula + " ÷ shortest time", source},
            {"share_of_limit", "useful bytes at pin bandwidth", "upper", "100", source}};
}

Result<void> rotate(gpu::Arm& arm, std::uint64_t sets, const std::function<Result<gpu::Sequence>()>& further)
{
    while (arm.sets.size() < sets) {
        auto sequence = further();
        if (!sequence && sequence.error().code == "out-of-memory")
            break; // another program holds the memory: fewer sets, and the verdict says so
        if (!sequence)
            return sequence.error();
        arm.sets.push_back(std::move(*sequence));
    }
    return {};
}

void reportBandwidth(GpuContext& context, const Measured& measured, const UsefulBytes& bytes, std::size_t sets)
{
    const gpu::DeviceInfo& info = context.device().info();
    reportTime(context, measured);
    const double cache = static_cast<double>(info.l2Bytes);
    if (measured.timing && measured.timing->validity == "valid" && bytes.all() * static_cast<double>(sets) < 2 * cache)
        context.validity("resident in L2");
    context.metric("bandwidth", bytes.all() / measured.seconds / 1e9, measured.provenance);
    const double bound = pinBound(info, bytes.read, bytes.written, !measured.timing);
    if (!(bound > 0))
        return;
    const double fastest = bytes.all() / bound;
    context.metric("share_of_limit", 100 * fastest / measured.seconds, measured.provenance);
    context.limit("time", fastest);
    context.limit("bandwidth", bound / 1e9);
    context.limit("share_of_limit", 100);
}

gpu::Step step(const gpu::LoadedProgram* program, std::string kernel, std::uint64_t blocks, std::uint32_t threads,
               std::vector<gpu::KernelArg> args)
{
    gpu::Step made{program, {}};
    made.launch.kernel = std::move(kernel);
    made.launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
    made.launch.block = {threads, 1, 1};
    made.launch.args = std::move(args);
    return made;
}

} // namespace ridge::labs
