// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/launch_part.h"

#include "base/number_text.h"
#include "gpu/simt/run/aside.h"
#include "gpu/simt/run/misc_ops.h"
#include "gpu/simt/run/store_log.h"
#include "gpu/simt/timing/loop_sample.h"
#include "gpu/simt/timing/turn_times.h"
#include "gpu/simt/timing/value_free.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kFewestTurns = 16;  ///< of a loop that is worth cutting, where every turn is as the one before
constexpr std::uint64_t kFewestBlocks = 16; ///< of a launch that Estimate::Auto looks at
constexpr double kWaves = 1.25;             ///< that are timed at least
constexpr double kLineWaves = 2.25;         ///< the same for lines: two periods, of which one is not the first
constexpr double kApart = 0.2;              ///< by which turns and the line of two parts may differ
constexpr double kSteady = 0.02;            ///< with so little doubt no longer part is timed
constexpr double kMostDoubt = 0.05;         ///< with which Estimate::Auto takes an estimate
constexpr double kLeastDoubt = 0.01;        ///< 1.5 % where waves are left out, 2 % with none but the first timed

/// What device memory holds, to be put back.
class MemoryCopy {
public:
    explicit MemoryCopy(const GlobalMemory& memory) : m_memory(memory)
    {
        for (const Allocation& one : memory.allocations()) {
            std::unique_ptr<std::byte, Allocation::Release> bytes;
            if (!one.freed) {
                bytes.reset(static_cast<std::byte*>(std::malloc(one.bytes)));
                m_isWhole = m_isWhole && bytes;
                if (bytes)
                    std::memcpy(bytes.get(), one.host.get(), one.bytes);
            }
            m_bytes.push_back(std::move(bytes));
        }
    }
    ~MemoryCopy()
    {
        for (std::size_t at = 0; at < m_bytes.size(); ++at) {
            const Allocation& one = m_memory.allocations()[at];
            if (m_isWhole && m_bytes[at])
                std::memcpy(one.host.get(), m_bytes[at].get(), one.bytes);
        }
    }
    MemoryCopy(const MemoryCopy&) = delete;
    MemoryCopy& operator=(const MemoryCopy&) = delete;
    bool isWhole() const { return m_isWhole; }

private:
    const GlobalMemory& m_memory;
    std::vector<std::unique_ptr<std::byte, Allocation::Release>> m_bytes;
    bool m_isWhole = true;
};

/// Why blocks of the kernel cannot stand for each other; null: nothing in its code says so.
const char* whyNotAlike(const KernelImage& image)
{
    for (const MemoryDetail& detail : image.memory) {
        if (detail.space == Space::Shared)
            continue;
        if (detail.op == MemoryOp::Atomic && detail.data[0] != kNone)
            return "it uses what an atomic found, which differs from block to block";
        if (detail.observesOthers)
            return "a block looks at what others write";
    }
    for (const SystemCall call : {SystemCall::Printf, SystemCall::Malloc, SystemCall::Free}) {
        const OpFunction run = findSystemCall(call);
        if (std::any_of(image.ops.begin(), image.ops.end(), [run](const MicroOp& op) { return op.run == run; }))
            return "it prints or allocates memory";
    }
    return nullptr;
}

/// One timed part: so many turns of every block's loop.
struct Timed {
    double turns = 0;
    TimingReport report;
    Counters counters;
    MemorySample memory;
    TimedTurns times;
    double first = 0, period = 0; ///< cycles of the first wave and of the one behind it; 0: the grid has no more
    std::uint64_t front = 0;      ///< turns before those that are left out
};

/// A value that grows evenly with turns, read off at `at`.
struct Line {
    double from = 0, to = 0, at = 0;
    double operator()(double low, double high) const { return high + (high - low) / (to - from) * (at - to); }
};

class LaunchPart {
public:
    explicit LaunchPart(const PartSetup& setup)
        : m_setup(setup), m_image(*setup.state.image), m_state(setup.state), m_blocks(setup.shape.grid.count()),
          m_always(setup.state.options.timingOptions.estimate == Estimate::Always)
    {
        const OccupancyTiming room = residency(setup.chip, {static_cast<std::uint32_t>(setup.shape.block.count()),
                                                            setup.machine.registers, setup.shape.sharedBytes});
        m_resident = std::uint64_t{room.blocksPerSm} * static_cast<std::uint64_t>(setup.chip.sms);
    }

    Result<std::optional<PartTimed>> run()
    {
        const LaunchOptions& options = m_setup.state.options;
        if (m_resident == 0)
            return std::optional<PartTimed>(); // the whole launch says why
        if (m_setup.shape.cluster.count() > 1)
            return no("its blocks work together in clusters");
        if (options.traceRequests > 0 || options.mostInstructions != 0 || options.mostCycles != 0)
            return no("its accesses are kept, or the launch has a limit of instructions or cycles");
        if (options.timingOptions.eventCapacity > 0)
            return no("its events are kept");
        if (const char* why = whyNotAlike(m_image))
            return no(why);
        if (!m_always && !isMuch())
            return std::optional<PartTimed>();
        const MemoryCopy copy(*m_setup.state.memory);
        if (!copy.isWhole())
            return no("this computer has no room for a copy of its buffers");
        return time();
    }

private:
    /// No estimate: an error where one must be made.
    Result<std::optional<PartTimed>> no(std::string why) const
    {
        if (!m_always)
            return std::optional<PartTimed>();
        return Error{"not-estimable", "a part of '" + m_image.name + "' cannot stand for all of it: " + std::move(why),
                     "launch of " + m_image.name, "Let the whole launch be timed (--estimate never)."};
    }

    /// Whether the launch is so much work that Estimate::Auto looks further. Memory stays as it is.
    bool isMuch()
    {
        if (m_blocks < kFewestBlocks || !canRunAside(m_image))
            return false;
        StoreLog log;
        LaunchState aside = m_state;
        aside.log = &log;
        const auto first = traceBlock(std::move(aside), m_setup.shape, m_setup.control, 0, {});
        m_setup.control.error.reset(); // the whole launch will come to it
        m_setup.control.untilPoll = 0;
        return first && *first && (*first)->executed >= kMuchWork / m_blocks;
    }

    Result<std::optional<PartTimed>> time()
    {
        auto first = trace(0, {});
        if (!first)
            return first.error();
        if (!*first)
            return no("a block waits for others or reads the clock");
        if (auto left = leaveValuesOut(**first); !left)
            return left.error();
        std::vector<LoopFound> loops = (*first)->loops;
        std::sort(loops.begin(), loops.end(),
                  [](const LoopFound& a, const LoopFound& b) { return a.microOps > b.microOps; });
        m_whole.emplace(std::move(**first));
        for (const LoopFound& loop : loops) {
            if (loop.turns < kFewestTurns || 2 * loop.microOps < m_whole->executed)
                continue;
            for (const std::uint64_t period : {1u, 2u, 3u, 4u, 6u}) {
                auto cut = tryCut(loop, period);
                if (!cut)
                    return cut.error();
                if (!m_differs.empty())
                    return no(m_differs);
                if (*cut)
                    return timeTurns();
            }
        }
        if (!m_always) // the whole launch leaves waves out as well, by its budget
            return std::optional<PartTimed>();
        auto alike = samplesAlike({});
        if (!alike)
            return alike.error();
        if (!*alike)
            return no(m_differs);
        return timeWaves();
    }

    /// From here on blocks compute only what decides where they go and what they touch, if that is as before.
    Result<void> leaveValuesOut(const BlockTrace& first)
    {
        m_thin = withoutValues(m_image);
        for (const std::uint64_t block : {std::uint64_t{0}, m_blocks - 1}) {
            Result<std::optional<BlockTrace>> last = std::optional<BlockTrace>();
            m_state.image = &m_image;
            if (block != 0)
                last = trace(block, {});
            if (!last)
                return last.error();
            const BlockTrace* const all = block == 0 ? &first : *last ? &**last : nullptr;
            m_state.image = &m_thin;
            auto thin = trace(block, {});
            if (!thin)
                return thin.error();
            if (all != nullptr && *thin && all->path == (*thin)->path && all->touched == (*thin)->touched)
                continue;
            m_state.image = &m_image;
            break;
        }
        return {};
    }

    /// Blocks from all over the grid: corners, and places that no row or column of them shares.
    std::vector<std::uint64_t> samples() const
    {
        std::vector<std::uint64_t> blocks{0, m_blocks - 1, m_blocks / 2, m_blocks * 3 / 7, m_blocks * 6 / 7};
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        return blocks;
    }

    Result<std::optional<BlockTrace>> trace(std::uint64_t block, const TraceOrder& order)
    {
        return traceBlock(m_state, m_setup.shape, m_setup.control, block, order);
    }

    /// Whether all samples do the same; m_traces has them.
    Result<bool> samplesAlike(const TraceOrder& order)
    {
        m_traces.clear();
        for (const std::uint64_t block : samples()) {
            auto one = trace(block, order);
            if (!one)
                return one.error();
            if (!*one || (*one)->path != m_whole->path) {
                m_differs = "block " + std::to_string(block) + " does not run the instructions that block 0 runs";
                return false;
            }
            m_traces.push_back(std::move(**one));
        }
        return true;
    }

    /// The cut that leaves `turns` or a few more.
    LoopCut cutTo(std::uint64_t turns) const
    {
        LoopCut cut = m_cut;
        const std::uint64_t p = cut.period;
        cut.skip = m_turns > turns ? (m_turns - turns) / p * p : 0;
        cut.front = m_turns - cut.skip - p;
        return cut;
    }

    /// Finds the registers that move, and holds cut blocks against whole ones.
    Result<bool> tryCut(const LoopFound& loop, std::uint64_t period)
    {
        m_turns = loop.turns;
        m_cut = {};
        m_cut.branch = loop.branch;
        m_cut.period = period;
        if (m_turns < fewestTurns())
            return false;
        auto alike = samplesAlike({loop.branch, period, nullptr});
        if (!alike || !*alike)
            return alike;
        for (const BlockTrace& one : m_traces) { // of those that move in one block, those that do in all
            const auto moves = [](const std::vector<MovingPlane>& in, const MovingPlane& plane) {
                return std::any_of(in.begin(), in.end(),
                                   [&](const MovingPlane& other) { return other.offset == plane.offset; });
            };
            if (m_cut.planes.empty())
                m_cut.planes = one.moving;
            m_cut.planes.erase(std::remove_if(m_cut.planes.begin(), m_cut.planes.end(),
                                              [&](const MovingPlane& plane) { return !moves(one.moving, plane); }),
                               m_cut.planes.end());
        }
        const std::vector<std::uint64_t> blocks = samples();
        for (std::size_t at = 0; at < blocks.size(); ++at) {
            for (const std::uint64_t turns : {shortest(), lengthOf(1)}) {
                const LoopCut cut = cutTo(turns);
                auto less = trace(blocks[at], {loop.branch, 0, &cut});
                const bool isFault = !less && less.error().code != "cancelled" && less.error().code != "time-limit";
                m_setup.control.error.reset();
                if (!less && !isFault)
                    return less.error();
                if (isFault || !*less || !isCutOf(**less, m_traces[at], cut.front, cut.skip))
                    return false;
            }
        }
        return true;
    }

    /// A part has three stretches of `times` units, of which the first is not looked at, and the last turns of the
    /// loop.
    std::uint64_t unit() const { return m_cut.period == 1 ? 3 : m_cut.period == 2 ? 4 : m_cut.period; }
    std::uint64_t lengthOf(std::uint64_t times) const { return 3 * times * unit() + m_cut.period; }
    std::uint64_t lineUnit() const { return m_cut.period == 1 ? 3 : 2 * m_cut.period + 2; }
    std::uint64_t shortest() const { return 2 * m_cut.period + 1; }
    std::uint64_t fewestTurns() const { return 5 * unit() + m_cut.period; }

    /// Blocks of the grid that are timed where waves are left out as well.
    std::uint64_t blocksTimed() const
    {
        const auto least = static_cast<std::uint64_t>(m_leastWaves * static_cast<double>(m_resident));
        if (m_blocks < least + m_resident)
            return m_blocks;
        return m_blocks - (m_blocks - least) / m_resident * m_resident;
    }

    Result<Timed> timeOnce(std::uint64_t turns)
    {
        LaunchState state = m_state;
        const LoopCut cut = cutTo(turns);
        LoopCutter cutter(cut);
        state.loops = cut.skip > 0 ? &cutter : nullptr;
        TimingEngine engine(state, m_setup.shape, m_setup.machine, m_setup.chip, state.options.timingOptions,
                            m_setup.control);
        engine.watchTurns(m_cut.branch);
        const std::uint64_t blocks = blocksTimed();
        auto report = engine.runPart(blocks);
        if (!report)
            return report.error();
        Timed timed;
        timed.turns = static_cast<double>(m_turns - cut.skip);
        timed.front = cut.front;
        timed.report = std::move(*report);
        timed.counters = state.counters;
        timed.memory = engine.memorySample();
        m_areAlike = m_areAlike && engine.executedByBlocks().first == engine.executedByBlocks().second;
        timed.times.cycles = timed.report.cycles;
        timed.times.resident = m_resident;
        timed.times.blocks = timed.report.blocks;
        for (const Sm& sm : engine.sms())
            timed.times.sms.push_back({sm.tally().lastCycle, sm.turnTally()});
        if (blocks < m_blocks && blocks > 2 * m_resident) {
            std::vector<double> begins(blocks);
            for (const BlockSpan& span : timed.report.blocks)
                begins[span.block] = static_cast<double>(span.begin);
            const auto apart = [&](std::uint64_t from, std::uint64_t end) {
                double sum = 0;
                for (std::uint64_t at = from; at < end; ++at)
                    sum += begins[at] - begins[at - m_resident];
                return sum / static_cast<double>(end - from);
            };
            timed.first = apart(m_resident, 2 * m_resident);
            timed.period = apart(2 * m_resident, blocks);
        }
        return timed;
    }

    double leastDoubt(bool hasSteadyWave) const
    {
        return kLeastDoubt * (wavesLeftOut() == 0 ? 1 : hasSteadyWave ? 1.5 : 2);
    }

    double wavesLeftOut() const
    {
        return static_cast<double>(m_blocks - blocksTimed()) / static_cast<double>(m_resident);
    }

    /// Cycles by which DRAM holds the launch up beyond `slope` a turn. What L2 swallows while it fills has to leave it
    /// once it is full: from then on a turn takes no less than DRAM needs for its share.
    double heldUp(const Timed& low, const Timed& high, double slope) const
    {
        const double turns = high.turns - low.turns, left = static_cast<double>(m_turns) - high.turns;
        const auto grew = [&](std::uint64_t MemorySample::*what) {
            return (static_cast<double>(high.memory.*what) - static_cast<double>(low.memory.*what)) / turns;
        };
        const double moves =
            std::max(grew(&MemorySample::dramBytes), 0.0) + std::max(grew(&MemorySample::heldBytes), 0.0);
        const double fills = std::max(grew(&MemorySample::freshLines), 0.0);
        const double lines = m_setup.chip.l2Kb * 1024 / 128;
        const double room = std::max(lines - static_cast<double>(high.memory.freshLines), 0.0);
        const double untilFull = fills > 0 ? std::min(left, room / fills) : left;
        return (left - untilFull) * std::max(moves / m_setup.chip.dramBytesPerCycle() - slope, 0.0);
    }

    /// Cycles of the whole launch by the line through two parts of it.
    double draw(const Timed& low, const Timed& high, double& bound) const
    {
        const double turns = high.turns - low.turns, left = static_cast<double>(m_turns) - high.turns;
        const double slope = slopeOf(low, high);
        bound = heldUp(low, high, slope);
        const double oneGrid = static_cast<double>(high.report.cycles) + left * slope + bound;
        const double period = high.period + (high.period - low.period) / turns * left;
        return oneGrid + wavesLeftOut() * period;
    }

    static double slopeOf(const Timed& low, const Timed& high)
    {
        return (static_cast<double>(high.report.cycles) - static_cast<double>(low.report.cycles)) /
               (high.turns - low.turns);
    }

    /// A short part, for what is counted, and one whose turns have come to be steady, for what they take.
    Result<std::optional<PartTimed>> timeTurns()
    {
        auto low = timeOnce(shortest());
        if (!low)
            return low.error();
        std::optional<Timed> high;
        double cycles = 0, own = 1, doubt = 1;
        for (const std::uint64_t times : {1u, 2u, 4u}) {
            if (times > 1 && (own < kSteady || 4 * lengthOf(times) > 3 * m_turns))
                break;
            auto timed = timeOnce(lengthOf(times));
            if (!timed)
                return timed.error();
            if (!m_areAlike)
                return no("its blocks do not execute equally many instructions");
            const Timed before = high ? std::move(*high) : *low; // what the turns are held against
            high = std::move(*timed);
            const std::size_t third = times * unit(), front = high->front;
            const DrawnTurns drawn = drawTurns(high->times, {front - 2 * third, front - third, front},
                                               {static_cast<double>(m_turns) - high->turns, wavesLeftOut()});
            if (!drawn.isKnown)
                return no("its warps do not go through the loop together");
            const double bound = heldUp(*low, *high, drawn.slope);
            const double apart = std::abs(slopeOf(before, *high) - drawn.slope);
            if (apart > kApart * drawn.slope)
                return timeLines();
            cycles = drawn.cycles + bound;
            const double left = static_cast<double>(m_turns) - high->turns;
            own = std::hypot(drawn.doubt, 0.25 * bound, 0.1 * left * apart) / cycles;
            doubt = std::max(own, leastDoubt(drawn.hasSteadyWave));
        }
        if (doubt > kMostDoubt && !m_always)
            return std::optional<PartTimed>();
        return drawn(*low, *high, cycles, doubt);
    }

    /// Where turns do not tell what more of them take, as where blocks that came first also issue first and the last
    /// ones wait: a line through whole parts, moved on by as much as it differs from the line before.
    Result<std::optional<PartTimed>> timeLines()
    {
        if (4 * lineUnit() >= m_turns)
            return no("its loop has too few turns for blocks that take turns at what they share");
        m_leastWaves = kLineWaves;
        std::vector<Timed> parts;
        double cycles = 0, doubt = 1;
        for (const std::uint64_t times : {1u, 2u, 4u, 8u}) {
            if (times == 8 && (doubt < kSteady || 16 * lineUnit() > m_turns))
                break;
            auto timed = timeOnce(times * lineUnit());
            if (!timed)
                return timed.error();
            if (!m_areAlike)
                return no("its blocks do not execute equally many instructions");
            parts.push_back(std::move(*timed));
            if (parts.size() < 3)
                continue;
            const std::size_t last = parts.size() - 1;
            double bound = 0, before = 0;
            cycles = draw(parts[last - 1], parts[last], bound);
            const double sooner = draw(parts[last - 2], parts[last - 1], before);
            const double waves = 0.25 * wavesLeftOut() * std::abs(parts[last].period - parts[last].first) *
                                 static_cast<double>(m_turns) / parts[last].turns;
            // What is not steady yet grows and fades with the turns: as much again as twice the turns have changed.
            // Four waves of tensor-core products with 12 of 31 turns were off by 2.2 of these changes.
            const double change = cycles - sooner;
            cycles += change;
            doubt = std::max(std::hypot(3 * change, 0.25 * bound, waves) / cycles, leastDoubt(true));
        }
        if (doubt > kMostDoubt && !m_always)
            return std::optional<PartTimed>();
        return drawn(parts[parts.size() - 2], parts.back(), cycles, doubt);
    }

    /// Only waves are left out: what blocks do is short.
    Result<std::optional<PartTimed>> timeWaves()
    {
        if (m_blocks < 4 * m_resident)
            return no("it has neither a loop of " + std::to_string(kFewestTurns) +
                      " equal turns that could be cut nor four waves of blocks");
        LaunchState state = m_state;
        TimingOptions options = state.options.timingOptions;
        options.timeOnly = true;
        TimingEngine engine(state, m_setup.shape, m_setup.machine, m_setup.chip, options, m_setup.control);
        auto report = engine.run();
        if (!report)
            return report.error();
        if (engine.executedByBlocks().first != engine.executedByBlocks().second)
            return no("its blocks do not execute equally many instructions");
        Extrapolation& e = report->extrapolation;
        if (!e.used) { // all of it was timed
            e.wholeCounters = true;
            return std::optional<PartTimed>(PartTimed{std::move(*report), state.counters});
        }
        const double times = static_cast<double>(e.blocks) / static_cast<double>(e.simulatedBlocks);
        PartTimed part{std::move(*report), state.counters};
        for (const auto counter : kCounters)
            part.counters.*counter = scaled(part.counters.*counter, times);
        forEachCount(part.timing, part.timing, [&](std::uint64_t& to, std::uint64_t) { to = scaled(to, times); });
        finish(part.timing);
        return std::optional<PartTimed>(std::move(part));
    }

    static std::uint64_t scaled(std::uint64_t value, double times)
    {
        return static_cast<std::uint64_t>(std::max(0.0, std::round(static_cast<double>(value) * times)));
    }

    /// Every count of `to` beside that of `other`, a report of the same kernel.
    template<typename F>
    static void forEachCount(TimingReport& to, const TimingReport& other, const F& f)
    {
        for (std::size_t at = 0; at < kStalls; ++at)
            f(to.stalls[at], other.stalls[at]);
        TimingCounters& c = to.counters;
        const TimingCounters& o = other.counters;
        for (const auto field :
             {&TimingCounters::instIssued, &TimingCounters::activeCycles, &TimingCounters::warpCycles,
              &TimingCounters::l1Requests, &TimingCounters::l1TagWavefronts, &TimingCounters::l1DataWavefronts,
              &TimingCounters::l1SectorHits, &TimingCounters::l1SectorMisses, &TimingCounters::l2Requests,
              &TimingCounters::l2SectorHits, &TimingCounters::l2SectorMisses, &TimingCounters::dramReadBytes,
              &TimingCounters::dramWriteBytes, &TimingCounters::sharedWavefronts, &TimingCounters::registerConflicts})
            f(c.*field, o.*field);
        for (std::size_t at = 0; at < c.pipeInstructions.size(); ++at)
            f(c.pipeInstructions[at], o.pipeInstructions[at]);
        for (std::size_t at = 0; at < to.lines.size() && at < other.lines.size(); ++at) {
            LineTiming& line = to.lines[at];
            const LineTiming& with = other.lines[at];
            for (const auto field :
                 {&LineTiming::instructions, &LineTiming::sectors, &LineTiming::requests, &LineTiming::requestSectors,
                  &LineTiming::sharedWavefronts, &LineTiming::sharedMinimumWavefronts})
                f(line.*field, with.*field);
            for (std::size_t stall = 0; stall < kStalls; ++stall)
                f(line.stalls[stall], with.stalls[stall]);
        }
        for (std::size_t at = 0; at < to.sms.size() && at < other.sms.size(); ++at) {
            f(to.sms[at].instructions, other.sms[at].instructions);
            f(to.sms[at].warpCycles, other.sms[at].warpCycles);
        }
    }

    /// The longer of two parts becomes the report of the whole.
    std::optional<PartTimed> drawn(const Timed& low, Timed& high, double cycles, double doubt) const
    {
        const Line line{low.turns, high.turns, static_cast<double>(m_turns)};
        const double times = static_cast<double>(m_blocks) / static_cast<double>(blocksTimed());
        const auto whole = [&](std::uint64_t less, std::uint64_t more) {
            const double value = line(static_cast<double>(less), static_cast<double>(more)) * times;
            return static_cast<std::uint64_t>(std::max(0.0, std::round(value)));
        };
        PartTimed part{std::move(high.report), {}};
        TimingReport& timing = part.timing;
        for (const auto counter : kCounters)
            part.counters.*counter = whole(low.counters.*counter, high.counters.*counter);
        forEachCount(timing, low.report, [&](std::uint64_t& to, std::uint64_t less) { to = whole(less, to); });
        const double grown = cycles / static_cast<double>(timing.cycles);
        for (SmTiming& sm : timing.sms) {
            sm.cycles = scaled(sm.cycles, grown);
            sm.blocks = scaled(sm.blocks, times);
        }
        Extrapolation& e = timing.extrapolation;
        e.used = true;
        e.simulatedCycles = timing.cycles;
        e.simulatedBlocks = blocksTimed();
        e.cyclesPerBlock = cycles / static_cast<double>(m_blocks);
        e.relativeError = doubt;
        e.turns = m_turns;
        e.simulatedTurns = static_cast<std::uint64_t>(high.turns);
        timing.cycles = static_cast<std::uint64_t>(std::round(cycles));
        timing.seconds = static_cast<double>(timing.cycles) / timing.clockHz;
        finish(timing);
        return part;
    }

    static void finish(TimingReport& timing)
    {
        timing.extrapolation.wholeCounters = true;
        timing.hash = timing.hash * 31 + timing.cycles;
    }

    const PartSetup& m_setup;
    const KernelImage& m_image;
    LaunchState m_state; ///< that parts are run with
    KernelImage m_thin;
    std::uint64_t m_blocks;
    std::uint64_t m_resident = 0; ///< blocks that all SMs hold
    bool m_always;
    std::optional<BlockTrace> m_whole;
    std::vector<BlockTrace> m_traces; ///< of samples()
    std::string m_differs;
    std::uint64_t m_turns = 0;
    LoopCut m_cut;
    double m_leastWaves = kWaves;
    bool m_areAlike = true;
};

} // namespace

Result<std::optional<PartTimed>> timePart(const PartSetup& setup)
{
    return LaunchPart(setup).run();
}

} // namespace ridge::gpu::simt
