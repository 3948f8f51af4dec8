// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.7: what PyTorch's caching allocator does with a program's memory, and why it runs out of it.
#include "memory/allocator.h"
#include "base/grid_trace.h"
#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "labs/5-memory-systems/allocator_snapshot.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/model_params.h"
#include "memory/allocator_cases.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::labs {
namespace {

using namespace memory;

constexpr std::uint64_t kUnknownMemory = std::uint64_t{1} << 40; // a recorded program that nobody saw run out
constexpr std::uint32_t kDrawnColumns = 64, kDrawnRows = 512;
const std::vector<std::string> kRecompute{"none", "full"};

std::vector<ParamSpec> parameters()
{
    const auto count = [](const char* name, const char* title, const char* unit, double most, std::int64_t usual,
                          const char* help) {
        return integerParam(name, title, unit, 0, most, usual, ParamScale::Log2, help);
    };
    ParamSpec expandable = integerParam("expandable_segments", "Expandable segments", "", -1, 1, -1, ParamScale::List,
                                        "1: segments grow where they lie. 0: they do not. -1: as recorded, or not.");
    expandable.choices = {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}};
    ParamSpec divisions = integerParam("divisions", "Divisions", "", 0, 64, 0, ParamScale::List,
                                       "roundup_power2_divisions: sizes are rounded to such a part of a power of two.");
    divisions.choices = {std::int64_t{0}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16}};
    return {
        fileParam("snapshot", "Snapshot", "Snapshots (*.pickle *.pkl *.json)",
                  "What torch.cuda.memory._dump_snapshot wrote, or the same as JSON, in place of a case. It is read, "
                  "never executed."),
        choiceParam("case", "Program", memoryCaseNames(), "fragmentation",
                    "healthy: steps of equal length. fragmentation: micro-batches that become longer. activation_peak: "
                    "one batch of four times the length. leak: every step keeps something. kv_growth: caches made "
                    "anew for every token."),
        expandable,
        integerParam("max_split", "Largest split", "MiB", -1, 1 << 20, 0, ParamScale::Linear,
                     "max_split_size_mb: larger blocks are not cut. 0: as recorded, or no limit. -1: no limit."),
        divisions,
        amountParam("memory", "GPU memory", "bytes", 1e15, 0,
                    "That the driver has for PyTorch. 0: the case's, or what a recorded failure tells, or no limit."),
        integerParam("device", "Device", "", 0, 1023, 0, ParamScale::Linear, "Of a snapshot."),
        count("steps", "Steps", "steps", 100000, 0, "Or tokens of kv_growth. 0: the case's."),
        count("batch", "Batch", "sequences", 4096, 4, "Of the case's model."),
        count("sequence", "Sequence", "tokens", 1 << 20, 512, "Of the first batch; the prompt of kv_growth."),
        count("layers", "Layers", "layers", 1024, 12, "Of the case's model."),
        count("hidden", "Width", "values", 65536, 1024, "Of the case's model."),
        count("vocabulary", "Vocabulary", "tokens", 1 << 22, 128256, "Of the case's model."),
        choiceParam("recompute", "Recompute", kRecompute, "none",
                    "full: layers of the case's model keep their input alone (checkpointing).")};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"peak", "Peak", "bytes", "Most that the program held at once, as blocks."},
        {"reserved", "Reserved", "bytes",
         "Most that was taken from the driver: what nvidia-smi shows beside the context."},
        {"fragmentation", "Fragmentation", "1",
         "1 - peak / reserved: what the most reserved memory was never full of."},
        {"peak_event", "Peak at", "events", "Events before it."},
        {"events", "Events", "events", "Until the end, or until memory ran out."},
        {"requested", "Asked for", "bytes", "At the peak, without rounding."},
        {"out_of_memory", "Out of memory", "1", "1 where an allocation failed."},
        {"tried", "Tried to allocate", "bytes", "By the allocation that failed."},
        {"device_free", "Free on the GPU", "bytes", "That the driver had left then."},
        {"allocated", "Allocated", "bytes", "By PyTorch then."},
        {"unallocated", "Reserved but unallocated", "bytes", "By PyTorch then."},
        {"largest_free", "Largest free block", "bytes",
         "Of the reserved memory then; at the peak where nothing failed."},
        {"free_share", "Free", "1", "Share of the GPU's memory that was free or unallocated then."},
        {"peak_weights", "Weights at the peak", "bytes", "Of a case."},
        {"peak_gradients", "Gradients at the peak", "bytes", "Of a case."},
        {"peak_optimizer", "Optimizer at the peak", "bytes", "Of a case; of a snapshot from calls of optimizers."},
        {"peak_activations", "Activations at the peak", "bytes", "Of a case."},
        {"peak_temporary", "Temporary at the peak", "bytes", "Of a case."},
        {"peak_cache", "Cache at the peak", "bytes", "Of a case."},
        {"peak_forward", "Forward at the peak", "bytes", "Of a snapshot: asked for below a call of forward."},
        {"peak_backward", "Backward at the peak", "bytes", "Of a snapshot: asked for below a call of backward."},
        {"peak_other", "Other at the peak", "bytes", "Of a snapshot: asked for elsewhere, or not recorded."},
        {"driver_calls", "Calls of the driver", "calls", "cudaMalloc, or mappings of expandable segments."},
        {"flushes", "Flushes", "flushes", "Times that cached segments were given back to make room."},
        {"cured", "Cured", "allocations", "Recorded failures that find memory here."},
        {"reserved_match", "Reserved as recorded", "1", "Share of events after which as much is reserved as recorded."},
        {"address_match", "Placed as recorded", "1", "Share of allocations that lie where they lay."}};
}

/// One lane with what each category holds, and what is reserved, over the events.
std::string timeline(const AllocatorHistory& history, const AllocatorRun& run, const std::string& title)
{
    LaneTraceBuilder lanes(title, "events");
    const auto mark = lanes.state("peak", TraceColor::Accent);
    const auto bad = lanes.state("out of memory", TraceColor::Bad);
    const auto total = lanes.lane("all of it");
    const auto reserved = lanes.counter(total, "reserved", "B");
    const auto allocated = lanes.counter(total, "allocated", "B");
    std::vector<std::uint32_t> counters;
    for (const std::string& category : history.categories)
        counters.push_back(lanes.counter(lanes.lane(category, "by category"), category, "B"));
    for (const AllocatorSample& sample : run.samples) {
        const auto at = static_cast<double>(sample.event);
        lanes.sample(reserved, at, static_cast<double>(sample.reserved));
        lanes.sample(allocated, at, static_cast<double>(sample.allocated));
        for (std::size_t i = 0; i < counters.size() && i < sample.byCategory.size(); ++i)
            lanes.sample(counters[i], at, static_cast<double>(sample.byCategory[i]));
    }
    const auto text = [&](std::uint64_t event) -> std::string {
        return event < history.events.size() ? history.texts[history.events[event].what] : std::string();
    };
    lanes.instant(total, static_cast<double>(run.peakEvent), mark, "peak: " + text(run.peakEvent));
    if (run.failure)
        lanes.instant(total, static_cast<double>(run.failureEvent), bad, "out of memory: " + text(run.failureEvent));
    lanes.endsAt(static_cast<double>(std::max<std::uint64_t>(1, run.events)));
    return encodeLaneTrace(lanes.take());
}

/// Segments from top to bottom, each in 64 parts: what most of a part is.
std::string layout(const AllocatorHistory& history, const CachingAllocator& allocator, const std::string& title)
{
    std::vector<AllocatorSegment> segments = allocator.segments();
    for (AllocatorSegment& segment : segments) // addresses behind the last mapped one are no memory
        while (!segment.blocks.empty() && segment.blocks.back().state == AllocatorBlock::State::Unmapped) {
            segment.bytes -= segment.blocks.back().bytes;
            segment.blocks.pop_back();
        }
    std::erase_if(segments, [](const AllocatorSegment& each) { return each.blocks.empty(); });
    std::stable_sort(segments.begin(), segments.end(),
                     [](const AllocatorSegment& a, const AllocatorSegment& b) { return a.bytes > b.bytes; });
    if (segments.empty())
        return {};
    const std::size_t rows = std::min<std::size_t>(segments.size(), kDrawnRows);
    GridTraceBuilder grid(title, static_cast<std::uint32_t>(rows), kDrawnColumns);
    grid.axes("segment", "64th of it").stepUnit("moment");
    std::vector<std::string> names;
    for (std::size_t row = 0; row < rows; ++row)
        names.push_back(fmt::format("{:.0f} MiB{}",
                                    static_cast<double>(segments[row].bytes) / static_cast<double>(kMiB),
                                    segments[row].expandable ? ", expandable" : ""));
    grid.rowNames(std::move(names));
    grid.state("free", TraceColor::Idle);
    const auto unmapped = grid.state("not mapped", TraceColor::Muted, "-");
    const auto pending = grid.state("waits to be freed", TraceColor::Warn, "p");
    std::vector<std::uint8_t> states;
    for (std::size_t i = 0; i < history.categories.size(); ++i)
        states.push_back(grid.state(history.categories[i],
                                    static_cast<TraceColor>(static_cast<std::size_t>(TraceColor::Series1) + i % 8)));
    grid.step(title);
    for (std::size_t row = 0; row < rows; ++row) {
        const AllocatorSegment& segment = segments[row];
        std::size_t block = 0;
        for (std::uint32_t column = 0; column < kDrawnColumns; ++column) {
            const auto edge = [&](std::uint64_t part) {
                return segment.address + segment.bytes / kDrawnColumns * part +
                       segment.bytes % kDrawnColumns * part / kDrawnColumns;
            };
            const std::uint64_t begin = edge(column), end = edge(column + 1);
            // The block that has the most of the part.
            const AllocatorBlock* most = nullptr;
            std::uint64_t best = 0;
            while (block < segment.blocks.size() &&
                   segment.blocks[block].address + segment.blocks[block].bytes <= begin)
                ++block;
            for (std::size_t i = block; i < segment.blocks.size() && segment.blocks[i].address < end; ++i) {
                const AllocatorBlock& each = segment.blocks[i];
                const std::uint64_t share = std::min(end, each.address + each.bytes) - std::max(begin, each.address);
                if (!most || share > best) {
                    most = &each;
                    best = share;
                }
            }
            if (!most || most->state == AllocatorBlock::State::Free)
                continue;
            using State = AllocatorBlock::State;
            const std::size_t category = most->category < states.size() ? most->category : 0;
            const std::string note =
                fmt::format("block of {:.2f} MiB", static_cast<double>(most->bytes) / static_cast<double>(kMiB));
            grid.set(static_cast<std::uint32_t>(row), column,
                     {.state = most->state == State::Unmapped      ? unmapped
                               : most->state == State::PendingFree ? pending
                                                                   : states[category],
                      .note = note});
        }
    }
    return encodeGridTrace(grid.take());
}

class AllocatorExperiment : public Experiment {
public:
    AllocatorExperiment()
    {
        m_info.id = "allocator";
        m_info.title = "PyTorch's caching allocator";
        m_info.module = 5;
        m_info.summary = "Plays a program's allocations, made up or recorded, and says where its memory goes.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.drawsNothing = true;
        m_info.charts = {{"reserved_over_case", "Reserved by programs", "case", "reserved", ParamScale::List},
                         {"fragmentation_over_expandable", "Fragmentation", "expandable_segments", "fragmentation",
                          ParamScale::List},
                         {"peak_over_sequence", "Peak over sequence", "sequence", "peak", ParamScale::Log2},
                         {"peak_over_recompute", "Peak and checkpointing", "recompute", "peak", ParamScale::List}};
        m_info.limits = {{"reserved", "what the program holds", "lower", "peak", "blocks lie in reserved memory"}};
        m_info.scene = "lanes";
        m_info.scenes = {"grid"};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

struct Program {
    RecordedHistory recorded;
    AllocatorSettings settings;
    bool snapshot = false;
};

Result<Program> programOf(const ParamSet& params, RunContext& context)
{
    Program program;
    AllocatorSettings& settings = program.settings;
    const auto number = [&](const char* name) { return std::get<std::int64_t>(params.at(name)); };
    if (given(params, "snapshot")) {
        const auto bytes = readInput(params, "snapshot");
        if (!bytes)
            return bytes.error();
        const auto snapshot = imports::readTorchSnapshot(*bytes, std::get<std::string>(params.at("snapshot")));
        if (!snapshot)
            return snapshot.error();
        auto recorded = historyOf(*snapshot, static_cast<std::uint32_t>(number("device")));
        if (!recorded)
            return recorded.error();
        program.recorded = std::move(*recorded);
        program.snapshot = true;
        settings.expandable = snapshot->expandable;
        settings.divisions = snapshot->divisions;
        if (snapshot->maxSplit > 0)
            settings.maxSplit = snapshot->maxSplit;
        settings.capacity = program.recorded.capacity ? program.recorded.capacity : kUnknownMemory;
        if (!program.recorded.whole)
            context.log("The history begins with memory in use; what lay there was worked out from its end.");
        if (program.recorded.unplaced > 0)
            context.log(fmt::format("{} blocks lie in no segment and are left out.", program.recorded.unplaced));
    } else {
        const auto& names = memoryCaseNames();
        const auto which =
            static_cast<MemoryCase>(std::find(names.begin(), names.end(), choice(params, "case")) - names.begin());
        StepModel model;
        for (const auto& [name, field] : {std::pair{"batch", &model.batch},
                                          {"sequence", &model.sequence},
                                          {"layers", &model.layers},
                                          {"hidden", &model.hidden},
                                          {"vocabulary", &model.vocabulary},
                                          {"steps", &model.steps}})
            *field = static_cast<std::uint32_t>(number(name));
        if (model.steps == 0)
            model.steps = stepsOfCase(which);
        model.recompute = choice(params, "recompute") == "full";
        auto history = makeHistory(which, model);
        if (!history)
            return history.error();
        program.recorded.history = std::move(*history);
        settings.capacity = memoryOfCase(which);
    }
    if (number("expandable_segments") >= 0)
        settings.expandable = number("expandable_segments") == 1;
    if (number("max_split") != 0)
        settings.maxSplit = number("max_split") < 0 ? AllocatorSettings::kNoLimit
                                                    : static_cast<std::uint64_t>(number("max_split")) * kMiB;
    if (number("divisions") > 0)
        settings.divisions = static_cast<unsigned>(number("divisions"));
    if (const double memory = std::get<double>(params.at("memory")); memory > 0)
        settings.capacity = static_cast<std::uint64_t>(memory);
    return program;
}

Result<void> AllocatorExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto program = programOf(params, context);
    if (!program)
        return program.error();
    const AllocatorHistory& history = program->recorded.history;
    const AllocatorSettings& settings = program->settings;
    const auto run = play(history, settings);
    if (!run)
        return run.error();
    const std::uint64_t moment = run->failure ? run->failureEvent : run->peakEvent;
    std::optional<CachingAllocator> then;
    if (const auto again = play(history, settings, moment, &then); !again)
        return again.error();

    const auto tell = [&](const std::string& name, auto value) {
        context.metric(name, static_cast<double>(value), Provenance::Modelled);
    };
    const auto share = [](auto part, auto whole) {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    tell("peak", run->peak);
    tell("reserved", run->reserved);
    tell("fragmentation", run->reserved > 0 ? 1 - share(run->peak, run->reserved) : 0);
    tell("peak_event", run->peakEvent);
    tell("events", run->events);
    tell("requested", run->peakRequested);
    tell("out_of_memory", run->failure ? 1 : 0);
    if (run->failure) {
        const OutOfMemory& failure = *run->failure;
        tell("tried", failure.tried);
        tell("device_free", failure.deviceFree);
        tell("allocated", failure.allocated);
        tell("unallocated", failure.unallocated);
        tell("largest_free", failure.largest);
        tell("free_share", share(failure.deviceFree + failure.unallocated, settings.capacity));
        const std::string& what = history.texts[history.events[run->failureEvent].what];
        context.log((what.empty() ? "" : what + ": ") + memory::toText(failure, settings.capacity));
    } else {
        tell("largest_free", then->largestFree());
    }
    std::string most;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < history.categories.size() && i < run->peakByCategory.size(); ++i) {
        tell("peak_" + history.categories[i], run->peakByCategory[i]);
        if (run->peakByCategory[i] > bytes) {
            bytes = run->peakByCategory[i];
            most = history.categories[i];
        }
    }
    if (!most.empty())
        context.log(fmt::format("At the peak {} has the most.", most));
    tell("driver_calls", run->driverCalls);
    tell("flushes", run->flushes);
    if (program->snapshot) {
        tell("cured", run->cured);
        if (run->comparedReserved > 0)
            tell("reserved_match", share(run->sameReserved, run->comparedReserved));
        if (run->compared > 0)
            tell("address_match", share(run->sameAddress, run->compared));
    }
    context.limit("reserved", static_cast<double>(run->peak));
    std::uint64_t sum = 0;
    for (const std::uint64_t each : run->peakByCategory)
        sum += each;
    context.check("categories", sum == run->peak,
                  fmt::format("{} B by category, {} B allocated at the peak", sum, run->peak));
    context.check(
        "reserved memory", run->reserved <= settings.capacity && run->reserved >= run->peak,
        fmt::format("{} B allocated, {} B reserved, {} B there are", run->peak, run->reserved, settings.capacity));
    if (context.wantsTrace()) {
        const std::string name = program->snapshot ? "snapshot" : choice(params, "case");
        context.trace(LaneTrace::kKind, timeline(history, *run, name));
        if (std::string drawn = layout(history, *then, name + (run->failure ? ", out of memory" : ", at the peak"));
            !drawn.empty())
            context.trace(GridTrace::kKind, std::move(drawn));
    }
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeAllocator()
{
    return std::make_unique<AllocatorExperiment>();
}

} // namespace ridge::labs
