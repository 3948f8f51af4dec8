// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel_document.h"

#include "gpu/simt/program.h"
#include "silicon/catalogue.h"
#include "silicon/occupancy.h"

namespace ridge::labs {
namespace {

struct CounterField {
    const char* name;
    std::uint64_t gpu::Counters::*field;
    const char* unit;
};

constexpr std::array<CounterField, 18> kFields{{
    {"inst_executed", &gpu::Counters::instExecuted, "inst"},
    {"thread_inst_executed", &gpu::Counters::threadInstExecuted, "inst"},
    {"global_load_requests", &gpu::Counters::globalLoadRequests, "requests"},
    {"global_load_sectors", &gpu::Counters::globalLoadSectors, "sectors"},
    {"global_load_lines", &gpu::Counters::globalLoadLines, "lines"},
    {"global_load_bytes", &gpu::Counters::globalLoadBytes, "B"},
    {"global_store_requests", &gpu::Counters::globalStoreRequests, "requests"},
    {"global_store_sectors", &gpu::Counters::globalStoreSectors, "sectors"},
    {"global_store_lines", &gpu::Counters::globalStoreLines, "lines"},
    {"global_store_bytes", &gpu::Counters::globalStoreBytes, "B"},
    {"shared_load_requests", &gpu::Counters::sharedLoadRequests, "requests"},
    {"shared_load_wavefronts", &gpu::Counters::sharedLoadWavefronts, "wavefronts"},
    {"shared_load_minimum_wavefronts", &gpu::Counters::sharedLoadMinimumWavefronts, "wavefronts"},
    {"shared_store_requests", &gpu::Counters::sharedStoreRequests, "requests"},
    {"shared_store_wavefronts", &gpu::Counters::sharedStoreWavefronts, "wavefronts"},
    {"shared_store_minimum_wavefronts", &gpu::Counters::sharedStoreMinimumWavefronts, "wavefronts"},
    {"divergent_branches", &gpu::Counters::divergentBranches, "branches"},
    {"barriers", &gpu::Counters::barriers, "inst"},
}};

std::string lineOf(std::string_view text, std::uint32_t number)
{
    for (std::uint32_t line = 1; !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size());
        if (line == number) {
            const std::string_view found = text.substr(0, end);
            const auto first = found.find_first_not_of(" \t");
            const auto last = found.find_last_not_of(" \t\r");
            return first == std::string_view::npos ? std::string() : std::string(found.substr(first, last - first + 1));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

} // namespace

std::map<std::string, KernelFacts> factsOf(const gpu::Program& program)
{
    std::map<std::string, KernelFacts> facts;
    const auto memory = std::make_shared<gpu::simt::GlobalMemory>(std::uint64_t{1} << 30);
    const auto loaded = gpu::simt::SimtProgram::load(program, memory, 0);
    if (!loaded)
        return facts;
    const auto kernels = signaturesOf(program);
    if (!kernels)
        return facts;
    for (const KernelSignature& kernel : *kernels) {
        const auto image = (*loaded)->kernel(kernel.name);
        if (image)
            facts[kernel.name] = {(*image)->registerCount, false, (*image)->staticSharedBytes,
                                  (*image)->dynamicSharedBase, (*image)->localBytes};
    }
    return facts;
}

Json countersToJson(const gpu::Counters& counters)
{
    Json json = Json::object();
    for (const CounterField& field : kFields)
        json[field.name] = Json{{"value", counters.*field.field}, {"unit", field.unit}};
    return json;
}

Json occupancyToJson(const gpu::DeviceInfo& device, const std::optional<KernelFacts>& facts, const gpu::Launch& launch)
{
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue || !facts)
        return nullptr;
    const auto limits = catalogue->limits(device.computeMajor, device.computeMinor);
    if (!limits)
        return nullptr;
    const std::uint32_t shared = launch.dynamicSharedBytes != 0 ? facts->dynamicBase + launch.dynamicSharedBytes
                                                                 : facts->sharedBytes;
    const std::uint32_t registers = std::clamp(facts->registers, 1u, limits->maxRegistersPerThread);
    const auto found =
        silicon::occupancy(*limits, static_cast<std::uint32_t>(launch.block.count()), registers, shared);
    if (!found)
        return nullptr;
    Json json{{"theoretical", found->fraction},          {"achieved", nullptr},
              {"blocks_per_sm", found->blocksPerSm},     {"warps_per_sm", found->warpsPerSm},
              {"limiters", Json::array()},               {"registers_per_thread", registers},
              {"registers_exact", facts->registersExact}, {"shared_bytes_per_block", shared}};
    for (const silicon::Limiter limiter : found->limiters)
        json["limiters"].push_back(silicon::toText(limiter));
    return json;
}

void addSourceText(std::vector<gpu::Report>& reports, const KernelText& source)
{
    if (source.isPtx)
        return;
    for (gpu::Report& report : reports) {
        report.place.sourceText = lineOf(source.text, report.place.sourceLine);
        if (report.otherPlace)
            report.otherPlace->sourceText = lineOf(source.text, report.otherPlace->sourceLine);
    }
}

} // namespace ridge::labs
