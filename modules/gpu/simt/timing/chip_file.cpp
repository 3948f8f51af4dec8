// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/chip_file.h"

#include "base/number_text.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

struct Field {
    std::string_view path;
    double ChipTiming::*member;
    double least;
    double most;
};

/// Measured on few chips: what ChipTiming starts with stands for "not known".
constexpr std::array<std::string_view, 20> kOptional{
    "l2.link_bytes_per_cycle", "l1.header_bytes",        "l2.in_bytes_per_cycle",    "l2.run_lines",
    "l2.atomic_cycles",        "dram.read_bytes",        "sm.barrier_cycles",        "sm.adds_on_fma",
    "sm.constant_miss_cycles", "l2.atomic_result_bytes", "sm.block_interval_cycles", "sm.warp_interval_cycles",
    "l1.store_lines",          "dram.sharpness",         "l1.store_queue",           "l2.join_cycles",
    "sm.path_cycles",          "sm.membar_cycles",       "sm.match_cycles",          "sm.imad_wide_factor"};

constexpr std::array<Field, 63> kFields{{
    {"clock_mhz", &ChipTiming::clockMhz, 100, 10000},
    {"sms", &ChipTiming::sms, 1, 1024},
    {"sm.sub_cores", &ChipTiming::subCores, 1, 8},
    {"sm.branch_cycles", &ChipTiming::branchCycles, 1, 100},
    {"sm.barrier_cycles", &ChipTiming::barrierCycles, 0, 64},
    {"sm.path_cycles", &ChipTiming::pathCycles, 0, 1000},
    {"sm.imad_wide_factor", &ChipTiming::wideFactor, 1, 8},
    {"sm.match_cycles", &ChipTiming::matchCycles, 0, 1000},
    {"sm.membar_cycles", &ChipTiming::membarCycles, 0, 10000},
    {"sm.block_interval_cycles", &ChipTiming::blockInterval, 0, 10000},
    {"sm.warp_interval_cycles", &ChipTiming::warpInterval, 0, 1000},
    {"sm.block_cycles", &ChipTiming::blockCycles, 0, 10000},
    {"sm.l0_instructions", &ChipTiming::l0Instructions, 16, 1e6},
    {"sm.l1_instructions", &ChipTiming::l1Instructions, 16, 1e7},
    {"sm.l0_miss_cycles", &ChipTiming::l0MissCycles, 0, 1000},
    {"sm.l1_miss_cycles", &ChipTiming::l1MissCycles, 0, 10000},
    {"sm.constant_miss_cycles", &ChipTiming::constantMissCycles, 0, 10000},
    {"sm.register_banks", &ChipTiming::registerBanks, 1, 8},
    {"sm.adds_on_fma", &ChipTiming::addsOnFma, 0, 1},
    {"sm.mma_f32_factor", &ChipTiming::mmaF32Factor, 1, 4},
    {"sm.memory_queue", &ChipTiming::memoryQueue, 1, 64},
    {"sm.mio_accept_cycles", &ChipTiming::mioAcceptCycles, 1, 16},
    {"sm.max_warps", &ChipTiming::maxWarps, 4, 64},
    {"sm.max_blocks", &ChipTiming::maxBlocks, 1, 64},
    {"sm.registers", &ChipTiming::registersPerSm, 1024, 1e6},
    {"sm.register_granularity", &ChipTiming::registerGranularity, 1, 4096},
    {"sm.shared_kb", &ChipTiming::sharedKbPerSm, 1, 1024},
    {"sm.shared_granularity_bytes", &ChipTiming::sharedGranularity, 1, 65536},
    {"sm.shared_reserved_bytes", &ChipTiming::sharedReserved, 0, 65536},
    {"l1.tags_per_cycle", &ChipTiming::tagsPerCycle, 1, 64},
    {"l1.bytes_per_cycle", &ChipTiming::l1BytesPerCycle, 16, 1024},
    {"l1.shared_bytes_per_cycle", &ChipTiming::sharedBytesPerCycle, 16, 1024},
    {"l1.unified_kb", &ChipTiming::unifiedKb, 16, 2048},
    {"l1.ways", &ChipTiming::l1Ways, 1, 1024},
    {"l1.pending_lines", &ChipTiming::pendingLines, 8, 1e5},
    {"l1.store_lines", &ChipTiming::storeLines, 8, 1e5},
    {"l1.store_queue", &ChipTiming::storeQueue, 1, 256},
    {"l1.fill_bytes_per_cycle", &ChipTiming::fillBytesPerCycle, 8, 1024},
    {"l1.send_bytes_per_cycle", &ChipTiming::sendBytesPerCycle, 8, 1024},
    {"l1.header_bytes", &ChipTiming::headerBytes, 0, 256},
    {"l2.kb", &ChipTiming::l2Kb, 64, 1e6},
    {"l2.slices", &ChipTiming::l2Slices, 1, 512},
    {"l2.partitions", &ChipTiming::l2Partitions, 1, 2},
    {"l2.ways", &ChipTiming::l2Ways, 1, 64},
    {"l2.bytes_per_cycle", &ChipTiming::l2BytesPerCycle, 16, 1e5},
    {"l2.hit_cycles", &ChipTiming::l2HitCycles, 100, 5000},
    {"l2.far_cycles", &ChipTiming::l2FarCycles, 100, 5000},
    {"l2.link_bytes_per_cycle", &ChipTiming::l2LinkBytesPerCycle, 0, 1e5},
    {"l2.atomics_per_cycle", &ChipTiming::l2AtomicsPerCycle, 0.01, 64},
    {"l2.in_bytes_per_cycle", &ChipTiming::l2InBytesPerCycle, 0, 1e5},
    {"l2.run_lines", &ChipTiming::l2RunLines, 1, 64},
    {"l2.atomic_cycles", &ChipTiming::l2AtomicCycles, 0, 64},
    {"l2.atomic_result_bytes", &ChipTiming::l2ResultBytes, 0, 64},
    {"l2.join_cycles", &ChipTiming::l2JoinCycles, 0, 1000},
    {"dram.cycles", &ChipTiming::dramCycles, 100, 10000},
    {"dram.channels", &ChipTiming::dramChannels, 1, 256},
    {"dram.read_bytes", &ChipTiming::dramReadBytes, 32, 128},
    {"dram.sharpness", &ChipTiming::dramSharpness, 1, 8},
    {"dram.peak_gbs", &ChipTiming::dramPeakGBs, 1, 1e5},
    {"dram.reached_gbs", &ChipTiming::dramReachedGBs, 1, 1e5},
    {"cluster.gpcs", &ChipTiming::gpcs, 1, 64},
    {"cluster.cycles", &ChipTiming::clusterCycles, 128, 5000},
    {"cluster.bytes_per_cycle", &ChipTiming::clusterBytesPerCycle, 1, 1024},
}};

/// What there is a number of: half an SM is a slip.
constexpr std::array<std::string_view, 23> kCounts{"sms",
                                                   "sm.sub_cores",
                                                   "sm.l0_instructions",
                                                   "sm.l1_instructions",
                                                   "sm.register_banks",
                                                   "sm.max_warps",
                                                   "sm.max_blocks",
                                                   "sm.memory_queue",
                                                   "sm.registers",
                                                   "sm.register_granularity",
                                                   "l1.ways",
                                                   "l1.pending_lines",
                                                   "l1.store_lines",
                                                   "l1.store_queue",
                                                   "sm.shared_granularity_bytes",
                                                   "sm.shared_reserved_bytes",
                                                   "l2.slices",
                                                   "l2.run_lines",
                                                   "l2.ways",
                                                   "l2.partitions",
                                                   "dram.channels",
                                                   "cluster.gpcs",
                                                   "l1.tags_per_cycle"};

constexpr std::array<std::string_view, kLatencyClasses> kClassNames{
    "alu",           "fma",         "imad",         "half",          "fp64",        "mufu",
    "convert",       "popc",        "uniform",      "branch",        "shuffle",     "vote",
    "redux",         "match",       "special",      "constant",      "shared_load", "shared_store",
    "shared_atomic", "global_load", "global_store", "global_atomic", "local_load",  "local_store",
    "mma_f16",       "mma_tf32",    "mma_f64",      "mma_int8",      "mma_fp8",     "wgmma",
    "ldmatrix",      "async_copy",  "bulk_copy",    "barrier",       "fence",       "none",
};

const std::vector<std::string> kConfidences{"verified", "recalled", "partial", "derived", "fitted", "assumption"};

Error bad(const std::string& file, const std::string& field, std::string message, std::string fix)
{
    return {"bad-chip-file", field + " " + std::move(message), file + ", values." + field, std::move(fix)};
}

/// Where a field's number goes.
struct Slot {
    double* value = nullptr;
    double least = 0;
    double most = 0;
};

std::map<std::string, Slot> slotsOf(ChipTiming& chip)
{
    std::map<std::string, Slot> slots;
    for (const Field& field : kFields)
        slots[std::string(field.path)] = {&(chip.*field.member), field.least, field.most};
    for (std::size_t at = 0; at + 1 < kLatencyClasses; ++at) {
        slots["latency." + std::string(kClassNames[at])] = {&chip.latency[at], 1, 20000};
        slots["lanes." + std::string(kClassNames[at])] = {&chip.lanes[at], 0.1, 8192};
    }
    return slots;
}

Result<ValueOrigin> readOrigin(const std::string& file, const std::string& path, const Json& entry)
{
    ValueOrigin origin;
    if (!entry.contains("confidence") || !entry["confidence"].is_string())
        return bad(file, path, "has no confidence",
                   "Add one of verified, recalled, partial, derived, fitted, "
                   "assumption.");
    origin.confidence = entry["confidence"].get<std::string>();
    if (std::find(kConfidences.begin(), kConfidences.end(), origin.confidence) == kConfidences.end())
        return bad(file, path, "has the confidence '" + origin.confidence + "'",
                   "Use verified, recalled, partial, derived, fitted or assumption.");
    if (!entry.contains("source") || !entry["source"].is_array() || entry["source"].empty())
        return bad(file, path, "has no source", "Add a list of keys of \"sources\".");
    for (const Json& key : entry["source"]) {
        if (!key.is_string())
            return bad(file, path, "has a source that is not a text", "Name a key of \"sources\".");
        origin.source.push_back(key.get<std::string>());
    }
    if (entry.contains("note") && entry["note"].is_string())
        origin.note = entry["note"].get<std::string>();
    return origin;
}

Result<void> checkSources(const std::string& file, const Json& document, const std::string& path,
                          const ValueOrigin& origin)
{
    for (const std::string& key : origin.source) {
        if (!document.contains("sources") || !document["sources"].contains(key))
            return bad(file, path, "cites '" + key + "', which is not among the sources",
                       "Add it to \"sources\" or correct the key.");
    }
    return {};
}

Result<void> readCarveouts(const std::string& file, const Json& entry, ChipTiming& chip)
{
    const std::string path = "sm.carveouts_kb";
    if (!entry["value"].is_array() || entry["value"].empty())
        return bad(file, path, "is not a list", "List the legal sizes of shared memory in KB, ascending.");
    chip.carveoutsKb.clear();
    for (const Json& size : entry["value"]) {
        if (!size.is_number() || size.get<double>() < 0 || size.get<double>() > 2048 ||
            (!chip.carveoutsKb.empty() && size.get<double>() <= chip.carveoutsKb.back()))
            return bad(file, path, "has an element that is not an ascending number from 0 to 2048", "Correct it.");
        chip.carveoutsKb.push_back(size.get<double>());
    }
    return {};
}

Result<void> readValue(const std::string& file, const std::string& path, const Json& entry,
                       const std::map<std::string, Slot>& slots, ChipTiming& chip)
{
    if (!entry.is_object() || !entry.contains("value"))
        return bad(file, path, "is not an object with a value", "Write {\"value\", \"source\", \"confidence\"}.");
    if (path == "sm.carveouts_kb")
        return readCarveouts(file, entry, chip);
    const auto slot = slots.find(path);
    if (slot == slots.end())
        return bad(file, path, "is not a field of a chip", "Remove it or correct its name.");
    if (!entry["value"].is_number())
        return bad(file, path, "is not a number", "Write a number.");
    const double value = entry["value"].get<double>();
    if (!std::isfinite(value) || value < slot->second.least || value > slot->second.most)
        return bad(file, path, "is " + shortText(value),
                   "Legal: " + shortText(slot->second.least) + " to " + shortText(slot->second.most) + ".");
    if (value != std::floor(value) && std::find(kCounts.begin(), kCounts.end(), path) != kCounts.end())
        return bad(file, path, "is " + shortText(value), "Write a whole number.");
    *slot->second.value = value;
    return {};
}

Result<void> apply(const std::string& id, const ChipFileText& text, ChipTiming& chip, int depth)
{
    const std::string file = id + ".json";
    if (depth > 4)
        return Error{"bad-chip-file", "\"inherits\" goes round in a circle or is deeper than 4 files", file,
                     "Inherit from a file that gives all values."};
    auto content = text(id);
    if (!content)
        return content.error();
    auto document = parseJson(*content, file);
    if (!document)
        return Error{"bad-chip-file", document.error().message, document.error().place, "Correct the JSON."};
    if (!document->is_object() || document->value("schema", std::string()) != "chip-timing/1")
        return Error{"bad-chip-file", "the schema is not \"chip-timing/1\"", file, "This program reads version 1."};
    if (document->value("id", std::string()) != id)
        return Error{"bad-chip-file", "the id does not equal the name of the file", file, "Write \"" + id + "\"."};
    if (document->contains("inherits")) {
        if (!(*document)["inherits"].is_string())
            return Error{"bad-chip-file", "\"inherits\" is not a text", file, "Name the id of another chip file."};
        const auto base = (*document)["inherits"].get<std::string>();
        if (auto inherited = apply(base, text, chip, depth + 1); !inherited)
            return inherited;
        for (auto& [path, origin] : chip.origins) {
            origin.note = "as " + base + (origin.note.empty() ? "" : ": " + origin.note);
            origin.confidence = "assumption";
        }
    }
    if (!document->contains("values") || !(*document)["values"].is_object())
        return Error{"bad-chip-file", "there is no object \"values\"", file, "See docs/chip-timing.md."};
    const auto slots = slotsOf(chip);
    for (const auto& [path, entry] : (*document)["values"].items()) {
        if (auto read = readValue(file, path, entry, slots, chip); !read)
            return read;
        auto origin = readOrigin(file, path, entry);
        if (!origin)
            return origin.error();
        if (auto cited = checkSources(file, *document, path, *origin); !cited)
            return cited;
        chip.origins[path] = *origin;
    }
    chip.id = id;
    chip.name = document->value("name", id);
    return {};
}

Result<void> checkWhole(const ChipTiming& chip)
{
    const std::string file = chip.id + ".json";
    if (chip.carveoutsKb.empty())
        return bad(file, "sm.carveouts_kb", "is missing", "Add it here or inherit it.");
    if (chip.carveoutsKb.back() > chip.unifiedKb)
        return bad(file, "sm.carveouts_kb", "exceeds l1.unified_kb", "Correct one of them.");
    if (chip.l2FarCycles < chip.l2HitCycles)
        return bad(file, "l2.far_cycles", "is below l2.hit_cycles", "Far hits cannot be faster.");
    if (chip.dramCycles <= chip.l2HitCycles)
        return bad(file, "dram.cycles", "is not above l2.hit_cycles", "A miss cannot be faster than a hit.");
    if (chip.dramReachedGBs > chip.dramPeakGBs)
        return bad(file, "dram.reached_gbs", "exceeds dram.peak_gbs", "Correct one of them.");
    if (static_cast<int>(chip.l2Slices) % static_cast<int>(chip.l2Partitions) != 0)
        return bad(file, "l2.slices", "is not a multiple of l2.partitions", "Correct one of them.");
    return {};
}

} // namespace

std::string_view chipName(LatencyClass latency)
{
    return kClassNames[static_cast<std::size_t>(latency)];
}

Result<ChipTiming> parseChipTiming(const std::string& id, const ChipFileText& text)
{
    ChipTiming chip;
    if (auto applied = apply(id, text, chip, 0); !applied)
        return applied.error();
    for (const auto& [path, slot] : slotsOf(chip)) {
        if (chip.origins.count(path) == 0 && std::find(kOptional.begin(), kOptional.end(), path) == kOptional.end())
            return bad(id + ".json", path, "is missing", "Add it here or inherit it.");
    }
    if (auto whole = checkWhole(chip); !whole)
        return whole.error();
    return chip;
}

Result<ChipTiming> readChipTiming(const std::filesystem::path& folder, const std::string& id)
{
    return parseChipTiming(id, [&](const std::string& name) { return readFile(folder / (name + ".json")); });
}

std::vector<std::string> assumptionsOf(const ChipTiming& chip)
{
    std::vector<std::string> out;
    for (const auto& [path, origin] : chip.origins) {
        if (origin.confidence == "assumption")
            out.push_back(path);
    }
    return out;
}

} // namespace ridge::gpu::simt
