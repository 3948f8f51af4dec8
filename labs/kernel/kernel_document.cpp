// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/kernel_document.h"

#include "gpu/compile/debug_variables.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/simt_program.h"
#include "silicon/chip_catalogue.h"
#include "silicon/occupancy.h"

namespace ridge::labs {
namespace {

struct CounterField {
    const char* name;
    std::uint64_t gpu::Counters::*field;
    const char* unit;
};

constexpr std::array<CounterField, 24> kFields{{
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
    {"cluster_requests", &gpu::Counters::clusterRequests, "requests"},
    {"cluster_bytes", &gpu::Counters::clusterBytes, "B"},
    {"bulk_copies", &gpu::Counters::bulkCopies, "copies"},
    {"bulk_load_bytes", &gpu::Counters::bulkLoadBytes, "B"},
    {"bulk_store_bytes", &gpu::Counters::bulkStoreBytes, "B"},
    {"wgmma_shared_bytes", &gpu::Counters::wgmmaSharedBytes, "B"},
}};

struct TimingField {
    const char* name;
    std::uint64_t gpu::TimingCounters::*field;
    const char* unit;
};

constexpr std::array<TimingField, 15> kTimingFields{{
    {"inst_issued", &gpu::TimingCounters::instIssued, "inst"},
    {"sm_active_cycles", &gpu::TimingCounters::activeCycles, "cycles"},
    {"warp_cycles", &gpu::TimingCounters::warpCycles, "cycles"},
    {"l1_requests", &gpu::TimingCounters::l1Requests, "requests"},
    {"l1_tag_wavefronts", &gpu::TimingCounters::l1TagWavefronts, "wavefronts"},
    {"l1_data_wavefronts", &gpu::TimingCounters::l1DataWavefronts, "wavefronts"},
    {"l1_sector_hits", &gpu::TimingCounters::l1SectorHits, "sectors"},
    {"l1_sector_misses", &gpu::TimingCounters::l1SectorMisses, "sectors"},
    {"l2_requests", &gpu::TimingCounters::l2Requests, "requests"},
    {"l2_sector_hits", &gpu::TimingCounters::l2SectorHits, "sectors"},
    {"l2_sector_misses", &gpu::TimingCounters::l2SectorMisses, "sectors"},
    {"dram_read_bytes", &gpu::TimingCounters::dramReadBytes, "B"},
    {"dram_write_bytes", &gpu::TimingCounters::dramWriteBytes, "B"},
    {"shared_wavefronts", &gpu::TimingCounters::sharedWavefronts, "wavefronts"},
    {"register_bank_conflicts", &gpu::TimingCounters::registerConflicts, "cycles"},
}};

/// Warp-cycles by reason, {"long_scoreboard": 1234, …}; those that are zero are left out.
Json stallsToJson(const gpu::StallCycles& stalls)
{
    Json json = Json::object();
    for (std::size_t at = 0; at < gpu::kStalls; ++at)
        if (stalls[at] != 0)
            json[std::string(gpu::toText(static_cast<gpu::Stall>(at)))] = stalls[at];
    return json;
}

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

std::map<std::string, Result<KernelFacts>> factsOf(const gpu::Program& program, int sm)
{
    std::map<std::string, Result<KernelFacts>> facts;
    const auto kernels = signaturesOf(program);
    if (!kernels)
        return facts;
    const auto memory = std::make_shared<gpu::simt::GlobalMemory>(std::uint64_t{1} << 30);
    const auto loaded = gpu::simt::SimtProgram::load(program, memory, 0);
    const auto of = [&](const KernelSignature& kernel) -> Result<KernelFacts> {
        if (!loaded)
            return loaded.error();
        const auto image = (*loaded)->kernel(kernel.name);
        if (!image)
            return image.error();
        const auto machine = gpu::simt::lowerToMachine(**image, sm, gpu::simt::defaultScheduleLatencies());
        if (!machine)
            return machine.error();
        return KernelFacts{machine->registers,
                           machine->registersExact,
                           (*image)->staticSharedBytes,
                           (*image)->dynamicSharedBase,
                           (*image)->localBytes,
                           gpu::simt::resourceUse(**image, *machine, sm),
                           gpu::simt::listLines(**image, *machine)};
    };
    for (const KernelSignature& kernel : *kernels)
        facts.emplace(kernel.name, of(kernel));
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
    const std::uint32_t shared =
        launch.dynamicSharedBytes != 0 ? facts->dynamicBase + launch.dynamicSharedBytes : facts->sharedBytes;
    const std::uint32_t registers = std::clamp(facts->registers, 1u, limits->maxRegistersPerThread);
    const auto found = silicon::occupancy(*limits, static_cast<std::uint32_t>(launch.block.count()), registers, shared);
    if (!found)
        return nullptr;
    Json json{{"theoretical", found->fraction},
              {"achieved", nullptr},
              {"blocks_per_sm", found->blocksPerSm},
              {"warps_per_sm", found->warpsPerSm},
              {"limiters", Json::array()},
              {"registers_per_thread", registers},
              {"registers_exact", facts->registersExact},
              {"shared_bytes_per_block", shared}};
    for (const silicon::Limiter limiter : found->limiters)
        json["limiters"].push_back(silicon::toText(limiter));
    return json;
}

void addTiming(Json& document, const gpu::TimingReport& timing, const KernelText& source)
{
    document["mode"] = "timed";
    document["cycles"] = timing.cycles;
    document["time_s"] = timing.seconds;
    const gpu::OccupancyTiming& o = timing.occupancy;
    Json occupancy{{"theoretical", o.theoretical},
                   {"achieved", o.achieved},
                   {"blocks_per_sm", o.blocksPerSm},
                   {"warps_per_sm", o.blocksPerSm * o.warpsPerBlock},
                   {"limiters", Json::array({o.limiter})},
                   {"registers_per_thread", o.registersPerThread},
                   {"registers_exact", false},
                   {"shared_bytes_per_block", o.sharedBytesPerBlock}};
    if (document["occupancy"].is_object())
        occupancy["registers_exact"] = document["occupancy"]["registers_exact"];
    document["occupancy"] = std::move(occupancy);
    for (const TimingField& field : kTimingFields)
        document["counters"][field.name] = Json{{"value", timing.counters.*field.field}, {"unit", field.unit}};
    document["stalls"] = stallsToJson(timing.stalls);
    document["per_line"] = Json::array();
    for (const gpu::LineTiming& line : timing.lines)
        document["per_line"].push_back(
            Json{{"source_line", line.sourceLine == 0 ? Json() : Json(line.sourceLine)},
                 {"source_text", source.isPtx ? Json() : Json(lineOf(source.text, line.sourceLine))},
                 {"ptx_line", line.ptxLine},
                 {"inst_issued", line.instructions},
                 {"global_sectors", line.sectors},
                 {"global_requests", line.requests},
                 {"global_request_sectors", line.requestSectors},
                 {"shared_wavefronts", line.sharedWavefronts},
                 {"shared_minimum_wavefronts", line.sharedMinimumWavefronts},
                 {"stalls", stallsToJson(line.stalls)}});
    const gpu::Extrapolation& e = timing.extrapolation;
    document["timing"] = Json{{"chip", timing.chip},
                              {"clock_hz", timing.clockHz},
                              {"confidence", timing.confidence},
                              {"assumptions", timing.assumptions},
                              {"extrapolation", Json{{"used", e.used},
                                                     {"blocks", e.blocks},
                                                     {"simulated_blocks", e.simulatedBlocks},
                                                     {"simulated_cycles", e.simulatedCycles},
                                                     {"cycles_per_block", e.cyclesPerBlock},
                                                     {"relative_error", e.relativeError},
                                                     {"turns", e.turns},
                                                     {"simulated_turns", e.simulatedTurns},
                                                     {"whole_counters", e.wholeCounters},
                                                     {"results_left_out", e.resultsLeftOut}}}};
}

Json variablesToJson(const gpu::Program& program)
{
    constexpr const char* kKinds[] = {"signed", "unsigned", "float", "boolean", "pointer", "other"};
    Json all = Json::array();
    for (const gpu::DebugVariable& variable : gpu::debugVariables(program.ptx)) {
        Json places = Json::array();
        for (const gpu::VariablePlace& place : variable.places)
            places.push_back({place.begin, place.end, place.reg});
        all.push_back(Json{{"name", variable.name},
                           {"function", variable.function},
                           {"type", variable.type},
                           {"kind", kKinds[static_cast<std::size_t>(variable.kind)]},
                           {"bytes", variable.bytes},
                           {"line", variable.line},
                           {"places", std::move(places)}});
    }
    return all;
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
