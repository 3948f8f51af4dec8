// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.3: which accesses of a loop miss, in a cache that one sets up; on the target cpu the loop runs as well.
#include "memory/cache.h"
#include "base/grid_trace.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/host_time.h"
#include "labs/harness/input.h"
#include "memory/loops_native.h"
#include "silicon/machines.h"

#include <fmt/core.h>

#include <bit>

namespace ridge::labs {
namespace {

using namespace memory;

constexpr std::size_t kDrawn = 2000; // accesses of a picture: as many as one steps through
constexpr std::uint64_t kCells = 1u << 16;
constexpr const char* kOfTheMachine = "machine";
constexpr std::uint64_t kMostExecuted = std::uint64_t{1} << 32;  // accesses of a pass on a processor
constexpr std::uint64_t kMostBeside = std::uint64_t{1} << 29;    // and of one that is simulated beside it
constexpr std::uint64_t kMostDistances = std::uint64_t{1} << 24; // whose misses are told apart there
const std::vector<std::string> kPolicies{"lru", "fifo", "random", "plru", "srrip"}; // as Replacement

std::vector<ParamSpec> parameters()
{
    auto loop = choiceParam("loop", "Loop", loopNames(), "matmul_ijk", "The loop whose loads and stores are replayed.");
    for (std::size_t i = 0; i < loopNames().size(); ++i)
        loop.choiceTitles.emplace_back(loopCode(static_cast<Loop>(i)));
    std::vector<std::string> policies = kPolicies;
    policies.insert(policies.begin(), kOfTheMachine);
    const char* zero = " 0 takes the machine's; of a processor its first cache, with lines of 64 bytes and 8 ways.";
    return {
        loop,
        integerParam("n", "Size", "", 1, 1 << 24, 64, ParamScale::Log2, "Elements, or rows and columns of a matrix."),
        integerParam("tile", "Tile", "", 1, 4096, 8, ParamScale::Log2, "Rows and columns of a tile of a tiled loop."),
        integerParam("stride", "Stride", "elements", 1, 1 << 20, 1, ParamScale::Log2, "Between two loads of strided."),
        integerParam("pad", "Padding", "elements", 0, 4096, 0, ParamScale::Linear, "Unused behind each matrix row."),
        integerParam("element", "Element", "bytes", 4, 8, 8, ParamScale::Log2, "4 for float, 8 for double."),
        integerParam("size", "Capacity", "bytes", 0, 1 << 30, 0, ParamScale::Log2,
                     std::string("Data it holds.") + zero),
        integerParam("line", "Line", "bytes", 0, 65536, 0, ParamScale::Log2, std::string("Fetched at once.") + zero),
        integerParam("ways", "Ways", "", 0, 65536, 0, ParamScale::Log2, std::string("Places of a line.") + zero),
        integerParam("sectors", "Sectors", "", 1, 32, 1, ParamScale::Log2, "Of a line, fetched one by one."),
        choiceParam("policy", "Replacement", policies, kOfTheMachine, "Which line of a full set makes room."),
        choiceParam("write", "Stores", {"back", "through"}, "back",
                    "back: a store fetches its line, which is written when it is evicted. through: every store is "
                    "written at once, and one that misses fetches nothing."),
        fileParam("trace", "Trace", "Traces (*.trace *.txt *.din)",
                  "A file of accesses that are replayed in place of the loop, one a line: R or W and a hexadecimal "
                  "address, or as Dinero has them. Each is of the size of an element, from its address rounded down."),
    };
}

std::vector<MetricSpec> metrics()
{
    return {{"accesses", "Accesses", "accesses", "Loads and stores of the loop or the trace."},
            {"hits", "Hits", "accesses", "Accesses that found their sector."},
            {"misses", "Misses", "accesses", "Accesses that did not."},
            {"miss_rate", "Miss rate", "1", "Misses over accesses."},
            {"evictions", "Evictions", "lines", "Lines that made room for another."},
            {"compulsory", "First touches", "accesses", "Misses that no cache avoids: the first access to each line."},
            {"capacity", "Capacity misses", "accesses",
             "Further misses of a fully associative LRU cache of the same size."},
            {"conflict", "Conflict misses", "accesses",
             "Misses beyond those, from lines that share a set; below 0 where LRU itself is the worse choice."},
            {"bytes_in", "Fetched", "bytes", "From the level below."},
            {"bytes_out", "Written", "bytes", "To the level below."},
            {"cycles_per_access", "Cycles an access", "cycles", "Hit cycles + miss rate x miss cycles of the machine."},
            {"time", "Time", "s",
             "Of the loop once over, by one thread without vector instructions; on a processor alone."},
            {"time_min", "Shortest time", "s", "The shortest of the samples."},
            {"time_p95", "95 % of the times", "s", "Below it are 95 of 100 samples."},
            {"time_per_access", "Time an access", "s", "Time over loads and stores."}};
}

/// The first cache of this processor with what the point sets differently. Lines, ways and replacement are assumed.
CacheShape hostShapeOf(const host::Machine& machine, const ParamSet& params)
{
    constexpr std::uint64_t kUsualBytes = 32768, kUsualLine = 64, kUsualWays = 8;
    const auto chosen = [&](const char* name, std::uint64_t otherwise) {
        const std::uint64_t given = integer(params, name);
        return given ? given : otherwise;
    };
    CacheShape shape;
    shape.line = static_cast<std::uint32_t>(chosen("line", kUsualLine));
    const std::uint64_t first = machine.caches.empty() ? kUsualBytes : machine.caches.front().bytes;
    shape.bytes = chosen("size", first);
    // 48 KiB have 12 ways: sets are a power of two.
    std::uint64_t ways = kUsualWays;
    for (const std::uint64_t each : {8, 12, 10, 16, 6, 4})
        if (shape.bytes % (each * shape.line) == 0 && std::has_single_bit(shape.bytes / (each * shape.line))) {
            ways = each;
            break;
        }
    shape.ways = static_cast<std::uint32_t>(chosen("ways", ways));
    shape.sectors = static_cast<std::uint32_t>(integer(params, "sectors"));
    const auto found = std::find(kPolicies.begin(), kPolicies.end(), choice(params, "policy"));
    shape.replacement =
        found == kPolicies.end() ? Replacement::Lru : static_cast<Replacement>(found - kPolicies.begin());
    shape.write = choice(params, "write") == "back" ? WritePolicy::WriteBack : WritePolicy::WriteThrough;
    return shape;
}

/// The machine's cache with what the point sets differently.
Result<CacheShape> shapeOf(const silicon::Machine& machine, const ParamSet& params)
{
    const auto line = machine.count("line_bytes", "bytes");
    const auto sets = machine.count("sets", "sets");
    const auto ways = machine.count("ways", "ways");
    const auto policy = machine.text("replacement");
    for (const auto* each : {&line, &sets, &ways})
        if (!*each)
            return each->error();
    if (!policy)
        return policy.error();
    const auto chosen = [&](const char* name, std::uint64_t otherwise) {
        const std::uint64_t given = integer(params, name);
        return given ? given : otherwise;
    };
    CacheShape shape;
    shape.line = static_cast<std::uint32_t>(chosen("line", *line));
    shape.ways = static_cast<std::uint32_t>(chosen("ways", *ways));
    shape.bytes = chosen("size", *line * *sets * *ways);
    shape.sectors = static_cast<std::uint32_t>(integer(params, "sectors"));
    const std::string name = choice(params, "policy") == kOfTheMachine ? *policy : choice(params, "policy");
    const auto found = std::find(kPolicies.begin(), kPolicies.end(), name);
    if (found == kPolicies.end())
        return Error{"bad-machine", "there is no replacement policy \"" + name + "\"", machine.file + ": replacement",
                     "write lru, fifo, random, plru or srrip"};
    shape.replacement = static_cast<Replacement>(found - kPolicies.begin());
    shape.write = choice(params, "write") == "back" ? WritePolicy::WriteBack : WritePolicy::WriteThrough;
    return shape;
}

/// The first accesses, each with what it found: sets along the bottom, ways above each other.
class Picture {
public:
    explicit Picture(const CacheShape& shape)
        : m_shape(shape), m_grid(fmt::format("{} bytes, {} sets of {} ways, lines of {} bytes", shape.bytes,
                                             shape.sets(), shape.ways, shape.line),
                                 shape.ways, static_cast<std::uint32_t>(shape.sets()))
    {
        m_grid.axes("way", "set").stepUnit("access");
        m_empty = m_grid.state("empty", TraceColor::Idle);
        m_clean = m_grid.state("loaded", TraceColor::Series1);
        m_dirty = m_grid.state("stored to", TraceColor::Series2);
        m_stored.assign(shape.lines(), 0);
    }
    static bool fits(const CacheShape& shape) { return shape.lines() <= kCells; }
    void add(const Access& access, const AccessResult& result)
    {
        if (m_drawn++ >= kDrawn)
            return;
        const char* what = access.write ? "store to" : "load of";
        const char* found = result.outcome == Outcome::Hit          ? "hit"
                            : result.outcome == Outcome::SectorMiss ? "the line is there, this sector is not"
                                                                    : "miss";
        std::string caption = fmt::format("{} {:#x}: set {}, {}", what, access.address, result.set, found);
        if (result.evicted)
            caption += fmt::format(", evicts {:#x}{}", result.victim, result.wroteBack ? " and writes it back" : "");
        m_grid.step(caption);
        if (result.outcome != Outcome::Hit && !result.filled)
            return; // a store that went through and left nothing here
        char& stored = m_stored[result.set * m_shape.ways + result.way];
        if (result.outcome == Outcome::Miss)
            stored = 0;
        if (access.write && m_shape.write == WritePolicy::WriteBack)
            stored = 1;
        const std::string line = fmt::format("{:#x}", access.address / m_shape.line * m_shape.line);
        m_grid.set(result.way, static_cast<std::uint32_t>(result.set),
                   {.state = stored ? m_dirty : m_clean, .text = line, .note = caption});
    }
    std::string bytes() { return encodeGridTrace(m_grid.take()); }

private:
    CacheShape m_shape;
    GridTraceBuilder m_grid;
    std::vector<char> m_stored; ///< a line each
    std::uint8_t m_empty = 0, m_clean = 0, m_dirty = 0;
    std::size_t m_drawn = 0;
};

/// What is replayed: a loop, or the trace of a file.
struct Source {
    LoopSpec loop;
    std::vector<Access> trace; ///< empty: the loop

    std::uint64_t count() const { return trace.empty() ? accessCount(loop) : trace.size(); }
    void forEach(const std::function<bool(std::span<const Access>)>& take) const
    {
        constexpr std::size_t kBlock = 4096;
        if (trace.empty())
            return forEachBlock(loop, take);
        for (std::size_t at = 0; at < trace.size(); at += kBlock)
            if (!take(std::span(trace).subspan(at, std::min(kBlock, trace.size() - at))))
                return;
    }
};

Result<Source> sourceOf(const ParamSet& params, std::uint64_t seed)
{
    Source source;
    LoopSpec& loop = source.loop;
    loop.loop = *loopNamed(choice(params, "loop"));
    for (const auto& [name, field] : {std::pair{"n", &loop.n},
                                      {"tile", &loop.tile},
                                      {"stride", &loop.stride},
                                      {"pad", &loop.pad},
                                      {"element", &loop.element}})
        *field = static_cast<std::uint32_t>(integer(params, name));
    loop.seed = seed;
    if (given(params, "trace")) {
        const auto text = readInput(params, "trace");
        if (!text)
            return text.error();
        auto trace = parseTrace(*text, std::get<std::string>(params.at("trace")));
        if (!trace)
            return trace.error();
        if (loop.element != 4 && loop.element != 8)
            return Error{"bad-value", "an access has 4 or 8 bytes, not " + std::to_string(loop.element),
                         "parameter element", "give 4 or 8"};
        source.trace = std::move(*trace);
        // An element lies within a sector, as the loops' do.
        for (Access& access : source.trace)
            access.address -= access.address % loop.element;
        return source;
    }
    if (auto good = checkLoop(loop); !good)
        return good.error();
    return source;
}

class CacheExperiment : public Experiment {
public:
    CacheExperiment()
    {
        m_info.id = "cache";
        m_info.title = "Hits and misses of a loop";
        m_info.module = 5;
        m_info.summary =
            "Replays the loads and stores of a loop or a trace in a set-associative cache and counts what it fetches.";
        m_info.parameters = parameters();
        m_info.targets = {"machine", "cpu"};
        m_info.engine = "cache";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:cache-teaching";
        m_info.metrics = metrics();
        m_info.charts = {{"miss_rate_over_tile", "Miss rate over tile", "tile", "miss_rate", ParamScale::Log2},
                         {"miss_rate_over_n", "Miss rate over size", "n", "miss_rate", ParamScale::Log2},
                         {"misses_over_ways", "Misses over ways", "ways", "misses", ParamScale::Log2},
                         {"miss_rate_over_loop", "Miss rate of the loops", "loop", "miss_rate", ParamScale::List},
                         {"time_over_loop", "Time of the loops", "loop", "time_per_access", ParamScale::List},
                         {"time_over_tile", "Time over tile", "tile", "time_per_access", ParamScale::Log2},
                         {"time_over_n", "Time over size", "n", "time_per_access", ParamScale::Log2}};
        m_info.limits = {{"misses", "first touches", "lower", "distinct lines that are touched",
                          "Hill 1987: a line that was never touched cannot be there"}};
        m_info.scene = "grid";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

/// The loop on this processor, and its misses in a cache like the processor's first one beside it.
Result<void> runOnProcessor(const ParamSet& params, RunContext& context)
{
    if (given(params, "trace"))
        return Error{"bad-value", "a trace has addresses and no code that a processor could run", "parameter trace",
                     "take a loop, or the target machine:cache-teaching"};
    const auto source = sourceOf(params, context.rng().next());
    if (!source)
        return source.error();
    const std::uint64_t count = source->count();
    if (count > kMostExecuted)
        return Error{"bad-loop", fmt::format("{} accesses take too long for one pass", count), "parameter n",
                     "take a smaller n"};
    const host::Machine machine = host::machine();
    const CacheShape shape = hostShapeOf(machine, params);
    auto cache = Cache::make(shape, context.rng().next());
    if (!cache)
        return cache.error();
    auto loop = NativeLoop::make(source->loop);
    if (!loop)
        return loop.error();
    context.progress(0, "checking what the loop computes");
    context.check("the loop's result", loop->right(), "every element is what the loop must give");
    host::Team one({machine.processors.empty() ? 0 : machine.processors.front()});
    context.progress(0.2, "timing the loop");
    double kept = 0;
    const auto time = host::timePasses(one, samplingOf(context), [&](unsigned, std::uint64_t passes) {
        for (std::uint64_t pass = 0; pass < passes; ++pass)
            kept += loop->pass();
    });
    if (!time)
        return time.error();
    context.check("sums", kept >= 0, "loads are not left out"); // what nobody looks at need not be loaded
    reportHostTime(context, *time);
    const double accesses = static_cast<double>(count);
    context.metric("accesses", accesses, Provenance::Simulated);
    context.metric("time_per_access", time->medianSeconds / accesses, Provenance::Measured);
    context.log(
        fmt::format("Simulated beside it: {} bytes, {} ways, lines of {} bytes", shape.bytes, shape.ways, shape.line));
    if (count > kMostBeside) {
        context.log("The loop is too long to be simulated beside; take a smaller n for its misses.");
        return {};
    }
    const auto element = static_cast<std::uint32_t>(integer(params, "element"));
    std::optional<StackDistances> distances;
    if (count <= kMostDistances)
        distances.emplace(shape.line);
    source->forEach([&](std::span<const Access> block) {
        for (const Access& access : block) {
            cache->access(access.address, access.write, element);
            if (distances)
                distances->access(access.address);
        }
        context.progress(0.3 + 0.7 * static_cast<double>(cache->counts().accesses()) / accesses, "replaying");
        return !context.cancelled();
    });
    if (context.cancelled()) // counts of a part of the loop are no result
        return {};
    const CacheCounts& counts = cache->counts();
    const auto tell = [&](const char* name, auto value) {
        context.metric(name, static_cast<double>(value), Provenance::Simulated);
    };
    tell("hits", counts.hits);
    tell("misses", counts.misses);
    tell("miss_rate", counts.missRate());
    tell("evictions", counts.evictions);
    tell("bytes_in", counts.bytesIn);
    tell("bytes_out", counts.bytesOut);
    if (distances) {
        const MissKinds kinds = missKinds(*cache, *distances);
        tell("compulsory", kinds.compulsory);
        if (shape.sectors == 1 && shape.write == WritePolicy::WriteBack) {
            tell("capacity", kinds.capacity);
            tell("conflict", kinds.conflict);
        }
        context.limit("misses", static_cast<double>(kinds.compulsory));
    }
    return {};
}

Result<void> CacheExperiment::run(const ParamSet& params, RunContext& context) const
{
    if (context.machine() == nullptr)
        return runOnProcessor(params, context);
    const silicon::Machine& machine = *context.machine();
    const auto shape = shapeOf(machine, params);
    const auto hitCycles = machine.number("hit_cycles", "cycles");
    const auto missCycles = machine.number("miss_cycles", "cycles");
    if (!shape || !hitCycles || !missCycles)
        return !shape ? shape.error() : !hitCycles ? hitCycles.error() : missCycles.error();
    const auto source = sourceOf(params, context.rng().next());
    if (!source)
        return source.error();
    const auto element = static_cast<std::uint32_t>(integer(params, "element"));
    auto cache = Cache::make(*shape, context.rng().next());
    if (!cache)
        return cache.error();

    StackDistances distances(shape->line);
    std::optional<Picture> picture;
    if (context.wantsTrace() && Picture::fits(*shape))
        picture.emplace(*shape);
    const double all = static_cast<double>(source->count());
    source->forEach([&](std::span<const Access> block) {
        for (const Access& access : block) {
            const AccessResult result = cache->access(access.address, access.write, element);
            distances.access(access.address);
            if (picture)
                picture->add(access, result);
        }
        context.progress(static_cast<double>(cache->counts().accesses()) / all, "replaying");
        return !context.cancelled();
    });
    if (context.cancelled()) // counts of a part of the loop are no result
        return {};

    const CacheCounts& counts = cache->counts();
    const MissKinds kinds = missKinds(*cache, distances);
    const auto tell = [&](const char* name, auto value) {
        context.metric(name, static_cast<double>(value), Provenance::Simulated);
    };
    tell("accesses", counts.accesses());
    tell("hits", counts.hits);
    tell("misses", counts.misses);
    tell("miss_rate", counts.missRate());
    tell("evictions", counts.evictions);
    tell("compulsory", kinds.compulsory);
    if (shape->sectors == 1 && shape->write == WritePolicy::WriteBack) { // else the three kinds do not add up
        tell("capacity", kinds.capacity);
        tell("conflict", kinds.conflict);
    }
    tell("bytes_in", counts.bytesIn);
    tell("bytes_out", counts.bytesOut);
    tell("cycles_per_access", *hitCycles + counts.missRate() * *missCycles);
    context.limit("misses", static_cast<double>(kinds.compulsory));
    context.check("first touches", counts.misses >= kinds.compulsory,
                  fmt::format("{} misses, {} distinct lines", counts.misses, kinds.compulsory));
    if (shape->ways == shape->lines() && shape->replacement == Replacement::Lru && shape->sectors == 1 &&
        shape->write == WritePolicy::WriteBack)
        context.check("stack distances", kinds.conflict == 0,
                      "a fully associative LRU cache misses what the stack distances say");
    if (picture)
        context.trace(GridTrace::kKind, picture->bytes());
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeCache()
{
    return std::make_unique<CacheExperiment>();
}

} // namespace ridge::labs
