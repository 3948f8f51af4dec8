// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/launch_part.h"

#include "base/number_text.h"
#include "gpu/simt/run/aside.h"
#include "gpu/simt/run/misc_ops.h"
#include "gpu/simt/run/store_log.h"
#include "gpu/simt/timing/block_replay.h"
#include "gpu/simt/timing/loop_sample.h"
#include "gpu/simt/timing/memory_copy.h"
#include "gpu/simt/timing/turn_times.h"
#include "gpu/simt/timing/value_free.h"
#include "gpu/simt/timing/wave_pace.h"

#include <algorithm>
#include <cmath>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kFewestTurns = 16;  ///< of a loop that is worth cutting, where every turn is as the one before
constexpr std::uint64_t kFewestBlocks = 16; ///< of a launch that Estimate::Auto looks at
constexpr double kWaves = 1.75;             ///< that are timed at least
constexpr double kLineWaves = 2.25;         ///< the same for lines: two periods, of which one is not the first
constexpr std::uint64_t kFewestWaves = 8;   ///< where waves alone are left out
constexpr double kSteadyPace = 0.012;       ///< of waves: with so little doubt no further one is timed
constexpr std::uint64_t kMostIssued = 40'000'000; ///< machine instructions until waves are steady
constexpr double kApart = 0.2;                    ///< by which turns and the line of two parts may differ
constexpr double kSteady = 0.02;                  ///< with so little doubt no longer part is timed
constexpr double kSteadyWaves = 0.03;             ///< the same where blocks are played again
constexpr double kMostDoubt = 0.05;               ///< with which Estimate::Auto takes an estimate
constexpr double kLeastDoubt = 0.01; ///< 1.5 % where waves are left out, 2 % by waves alone or the first one

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
    PartTimed counts;
    MemorySample memory;
    TimedTurns times;
    std::vector<TimedBlock> blocks; ///< where waves were left out or overlap
    double first = 0, period = 0;   ///< cycles of the first wave and of the one behind it; 0: the grid has no more
    std::uint64_t front = 0;        ///< turns before those that are left out
};

/// What a part says of the whole launch, in cycles.
struct Drawn {
    double cycles = 0, slope = 0, doubt = 0; ///< slope: of one more turn of every timed block
    double least = kLeastDoubt;              ///< of the doubt, as a share
};

class LaunchPart {
public:
    explicit LaunchPart(const PartSetup& setup)
        : m_setup(setup), m_image(*setup.state.image), m_state(setup.state), m_blocks(setup.shape.grid.count()),
          m_clusters(setup.shape.clusters()), m_always(setup.state.options.timingOptions.estimate == Estimate::Always)
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
        if (options.traceRequests > 0 || options.mostInstructions != 0 || options.mostCycles != 0)
            return refusal("its accesses are kept, or the launch has a limit of instructions or cycles");
        if (options.timingOptions.eventCapacity > 0)
            return refusal("its events are kept");
        const char* const why = whyNotAlike(m_image);
        if (!m_always && (why != nullptr || !isMuch()))
            return std::optional<PartTimed>();
        const MemoryCopy copy(*m_setup.state.memory);
        if (!copy.isWhole())
            return refusal("this computer has no room for a copy of its buffers");
        auto part = why != nullptr ? no(why) : time();
        if (!part || *part || m_refusal.empty())
            return part;
        return m_always && options.timingOptions.timeOnly ? timeAll() : refusal(m_refusal);
    }

private:
    /// No estimate.
    Result<std::optional<PartTimed>> no(std::string why)
    {
        m_refusal = std::move(why);
        return std::optional<PartTimed>();
    }

    /// An error where an estimate must be made.
    Result<std::optional<PartTimed>> refusal(const std::string& why) const
    {
        if (!m_always)
            return std::optional<PartTimed>();
        return Error{"not-estimable", "a part of '" + m_image.name + "' cannot stand for all of it: " + why,
                     "launch of " + m_image.name, "Let the whole launch be timed (--estimate never)."};
    }

    /// Whether the launch is so much work that Estimate::Auto looks further. Memory stays as it is.
    bool isMuch()
    {
        if (m_clusters < kFewestBlocks || !canRunAside(m_image))
            return false;
        StoreLog log;
        LaunchState aside = m_state;
        aside.log = &log;
        const auto first = traceBlock(std::move(aside), m_setup.shape, m_setup.control, 0, {});
        m_setup.control.error.reset(); // the whole launch will come to it
        m_setup.control.untilPoll = 0;
        return first && *first && (*first)->executed >= kMuchWork / m_clusters;
    }

    Result<std::optional<PartTimed>> time()
    {
        auto first = trace(0, {});
        if (!first)
            return first.error();
        if (!*first)
            return no("a block waits for others or reads the clock");
        m_hasTrace = true;
        if (auto left = leaveValuesOut(**first); !left)
            return left.error();
        std::vector<LoopFound> loops = (*first)->loops;
        std::sort(loops.begin(), loops.end(),
                  [](const LoopFound& a, const LoopFound& b) { return a.microOps > b.microOps; });
        m_whole.emplace(std::move(**first));
        for (const LoopFound& loop : loops) {
            if (m_clusters < m_blocks) // turns of blocks that wait for each other are not told apart
                break;
            if (loop.turns < kFewestTurns || 2 * loop.microOps < m_whole->executed || (!loop.isEven && !isOneWave()))
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
        if (m_blocks < kFewestWaves * m_resident && !m_always)
            return std::optional<PartTimed>();
        auto alike = samplesAlike({});
        if (!alike)
            return alike.error();
        if (!*alike)
            return no(m_differs);
        if (m_blocks < kFewestWaves * m_resident)
            return no("it has neither a loop of " + std::to_string(kFewestTurns) +
                      " equal turns that could be cut nor " + std::to_string(kFewestWaves) + " waves of blocks");
        return timeWaves();
    }

    /// From here on blocks compute only what decides where they go and what they touch, if that is as before.
    Result<void> leaveValuesOut(const BlockTrace& first)
    {
        for (const ShortBranches branches :
             {ShortBranches::NotTaken, ShortBranches::Taken, ShortBranches::AsComputed}) {
            ValueFree made = withoutValues(m_image, branches);
            if (branches != ShortBranches::AsComputed && made.assumed == 0)
                continue;
            m_thin = std::move(made.image);
            m_assumed = made.assumed;
            // Where nothing is assumed the first and the last block tell whether the kernel has been understood.
            const std::vector<std::uint64_t> blocks =
                m_assumed > 0 ? samples() : std::vector<std::uint64_t>{0, m_clusters - 1};
            bool isSame = true;
            for (std::size_t at = 0; at < blocks.size() && isSame; ++at) {
                Result<std::optional<BlockTrace>> all = std::optional<BlockTrace>();
                m_state.image = &m_image;
                if (blocks[at] != 0)
                    all = trace(blocks[at], {});
                if (!all)
                    return all.error();
                const BlockTrace* const computed = blocks[at] == 0 ? &first : *all ? &**all : nullptr;
                m_state.image = &m_thin;
                auto thin = trace(blocks[at], {});
                if (!thin)
                    return thin.error();
                isSame = computed != nullptr && *thin && computed->path == (*thin)->path &&
                         computed->touched == (*thin)->touched;
            }
            if (isSame)
                return {};
        }
        m_state.image = &m_image;
        m_assumed = 0;
        return {};
    }

    /// Clusters from all over the grid: corners, and places that no row or column of them shares.
    std::vector<std::uint64_t> samples() const
    {
        std::vector<std::uint64_t> blocks{0, m_clusters - 1, m_clusters / 2, m_clusters * 3 / 7, m_clusters * 6 / 7};
        std::sort(blocks.begin(), blocks.end());
        blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
        return blocks;
    }

    Result<std::optional<BlockTrace>> trace(std::uint64_t cluster, const TraceOrder& order)
    {
        return traceBlock(m_state, m_setup.shape, m_setup.control, cluster, order);
    }

    /// Whether all samples do the same; m_traces has them. Of one wave, whose blocks are all timed, some may go once
    /// more through the loop than others, or with some of their lanes: a loop with the stride of the grid.
    Result<bool> samplesAlike(const TraceOrder& order)
    {
        m_traces.clear();
        std::uint64_t least = m_whole->fewest, most = m_whole->most;
        for (const std::uint64_t block : samples()) {
            auto one = trace(block, order);
            if (!one)
                return one.error();
            const bool mayDiffer = order.branch != kNone && isOneWave();
            if (!*one || ((*one)->path != m_whole->path && (!mayDiffer || (*one)->turns == 0))) {
                m_differs = differsText(block);
                return false;
            }
            m_turns = mayDiffer ? std::min(m_turns, (*one)->turns) : m_turns;
            least = std::min(least, (*one)->fewest);
            most = std::max(most, (*one)->most);
            m_traces.push_back(std::move(**one));
        }
        m_spread = most - least;
        const std::vector<std::uint64_t> blocks = samples();
        for (std::size_t at = 0; at < blocks.size(); ++at) {
            if (m_traces[at].path != m_whole->path && !isAlikeFor(m_traces[at], m_traces.front(), m_turns)) {
                m_differs = differsText(blocks[at]);
                return false;
            }
        }
        return true;
    }

    std::string differsText(std::uint64_t at) const
    {
        const std::string one = m_clusters < m_blocks ? "cluster " : "block ";
        return one + std::to_string(at) + " does not run the instructions that " + one + "0 runs";
    }
    bool isOneWave() const { return m_blocks <= m_resident; }

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
        if (m_turns < fewestTurns())
            return false;
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

    /// Blocks of the grid that are timed where waves are left out as well. For lines they end as the whole grid does.
    std::uint64_t blocksTimed() const
    {
        const auto least = static_cast<std::uint64_t>(std::ceil(m_leastWaves * static_cast<double>(m_resident)));
        if (!m_isByLines || m_blocks < least + m_resident)
            return m_isByLines ? m_blocks : std::min(m_blocks, least);
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
        timed.counts.timing = std::move(*report);
        timed.counts.counters = state.counters;
        timed.memory = engine.memorySample();
        m_areAlike = m_areAlike && areAlike(engine);
        timed.times.cycles = timed.counts.timing.cycles;
        for (const Sm& sm : engine.sms()) {
            timed.times.sms.push_back({sm.tally().lastCycle, turnsOf(sm)});
            noteBlocks(sm, timed.blocks);
        }
        if (blocks < m_blocks && blocks > 2 * m_resident) {
            std::vector<double> begins(blocks);
            for (const BlockSpan& span : timed.counts.timing.blocks)
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

    /// When warps of the SM began their turns.
    static std::vector<TurnTally> turnsOf(const Sm& sm)
    {
        std::vector<TurnTally> all;
        for (const std::vector<TurnTally>& turns : sm.turnTally()) {
            all.resize(std::max(all.size(), turns.size()));
            for (std::size_t turn = 0; turn < turns.size(); ++turn) {
                all[turn].cycles += turns[turn].cycles;
                all[turn].warps += turns[turn].warps;
            }
        }
        return all;
    }

    /// When blocks of the SM began their turns.
    static void noteBlocks(const Sm& sm, std::vector<TimedBlock>& to)
    {
        for (std::size_t at = 0; at < sm.spans().size(); ++at) {
            const BlockSpan& span = sm.spans()[at];
            TimedBlock block{span.block, span.sm, static_cast<double>(span.begin), static_cast<double>(span.end), {}};
            const std::size_t turns = at < sm.turnTally().size() ? sm.turnTally()[at].size() : 0;
            for (std::size_t turn = 1; turn < turns; ++turn) {
                const TurnTally& begun = sm.turnTally()[at][turn];
                block.turns.push_back(static_cast<double>(begun.cycles) / static_cast<double>(begun.warps));
            }
            to.push_back(std::move(block));
        }
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
        const double oneGrid = static_cast<double>(high.counts.timing.cycles) + left * slope + bound;
        const double period = high.period + (high.period - low.period) / turns * left;
        return oneGrid + wavesLeftOut() * period;
    }

    static double slopeOf(const Timed& low, const Timed& high)
    {
        return (static_cast<double>(high.counts.timing.cycles) - static_cast<double>(low.counts.timing.cycles)) /
               (high.turns - low.turns);
    }

    /// The launch by the turns of one of its parts.
    std::optional<Drawn> drawByTurns(const Timed& part, std::uint64_t third) const
    {
        const std::size_t front = part.front;
        const DrawnTurns drawn =
            drawTurns(part.times, {front - 2 * third, front - third, front}, static_cast<double>(m_turns) - part.turns);
        if (!drawn.isKnown)
            return std::nullopt;
        return Drawn{drawn.cycles, drawn.slope, drawn.doubt, kLeastDoubt};
    }

    /// The launch played again with the paces of one of its parts.
    std::optional<Drawn> drawByBlocks(const Timed& part) const
    {
        const std::uint64_t blocks = blocksTimed();
        const auto sms = static_cast<std::uint32_t>(m_setup.chip.sms);
        const ReplayedLaunch played =
            replayLaunch(part.blocks, {blocks, static_cast<std::uint64_t>(part.turns), m_resident, sms},
                         {m_blocks, m_turns, m_resident, sms});
        if (!played.isKnown)
            return std::nullopt;
        const bool hasSteadyWave = 4 * (blocks - m_resident) >= 3 * m_resident;
        return Drawn{played.cycles, played.slope, played.doubt, leastDoubt(hasSteadyWave)};
    }

    /// A short part, for what is counted, and one whose turns have come to be steady, for what they take.
    Result<std::optional<PartTimed>> timeTurns()
    {
        auto low = timeOnce(shortest());
        if (!low)
            return low.error();
        std::optional<Timed> high;
        double cycles = 0, own = 1, doubt = 1, steady = kSteady;
        for (const std::uint64_t times : {1u, 2u, 4u}) {
            if (times > 1 && (own < steady || 4 * lengthOf(times) > 3 * m_turns))
                break;
            auto timed = timeOnce(lengthOf(times));
            if (!timed)
                return timed.error();
            if (!m_areAlike)
                return no("its blocks do not execute equally many instructions");
            const Timed before = high ? std::move(*high) : *low; // what the turns are held against
            high = std::move(*timed);
            std::optional<Drawn> drawn;
            double apart = 0;
            if (isOneWave()) {
                drawn = drawByTurns(*high, times * unit());
                if (!drawn)
                    return no("its warps do not go through the loop together");
                apart = std::abs(slopeOf(before, *high) - drawn->slope);
                steady = kSteady;
            }
            // The slope of two short parts says nothing of blocks that overlap: it has their starts and ends in it.
            if (!drawn || apart > kApart * drawn->slope) {
                drawn = drawByBlocks(*high);
                apart = 0;
                steady = kSteadyWaves;
            }
            if (!drawn)
                return timeLines();
            const double grids = static_cast<double>(m_blocks) / static_cast<double>(blocksTimed());
            const double bound = heldUp(*low, *high, drawn->slope) * grids;
            cycles = drawn->cycles + bound;
            const double left = static_cast<double>(m_turns) - high->turns;
            own = std::hypot(drawn->doubt, 0.25 * bound, 0.1 * left * apart * grids) / cycles;
            doubt = std::max(own, drawn->least);
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
        m_isByLines = true;
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
            // Waves of tensor-core products with 12 of 31 turns were off by 2.2 and 3.8 of these changes.
            const double change = cycles - sooner;
            cycles += change;
            doubt = std::max(std::hypot(4 * change, 0.25 * bound, waves) / cycles, leastDoubt(true));
        }
        if (doubt > kMostDoubt && !m_always)
            return std::optional<PartTimed>();
        return drawn(parts[parts.size() - 2], parts.back(), cycles, doubt);
    }

    bool areAlike(const TimingEngine& engine) const
    {
        const auto [least, most] = engine.executedByBlocks();
        return most <= least || most - least <= m_spread;
    }

    /// Only waves are left out: what blocks do is short.
    Result<std::optional<PartTimed>> timeWaves()
    {
        LaunchState state = m_state;
        TimingEngine engine(state, m_setup.shape, m_setup.machine, m_setup.chip, state.options.timingOptions,
                            m_setup.control);
        const auto lines = static_cast<std::uint64_t>(m_setup.chip.l2Kb * 1024 / 128);
        const WaveGrid grid{m_blocks, engine.residentClusters() * m_setup.shape.cluster.count(), lines,
                            m_setup.chip.dramBytesPerCycle()};
        const auto doubtOf = [&](const WavePace& pace, std::uint64_t ended) { // as a share of the launch
            const double left = static_cast<double>(m_blocks - ended) / static_cast<double>(grid.resident);
            return pace.doubt * left /
                   (pace.period * static_cast<double>(m_blocks) / static_cast<double>(grid.resident));
        };
        auto report = engine.runWaves([&](const std::vector<std::uint64_t>& ends,
                                          const std::vector<MemorySample>& samples, std::uint64_t issued) {
            const WavePace pace = paceOfWaves(ends, samples, grid);
            return (issued >= kMostIssued && ends.size() >= 2 * grid.resident) ||
                   (pace.isKnown && !pace.isFilling && doubtOf(pace, ends.size()) < kSteadyPace);
        });
        if (!report)
            return report.error();
        if (!areAlike(engine))
            return no("its blocks do not execute equally many instructions");
        const std::vector<std::uint64_t> ends = engine.completions();
        const std::vector<MemorySample> samples = engine.memorySamples();
        PartTimed part{std::move(*report), state.counters};
        Extrapolation& e = part.timing.extrapolation;
        if (e.simulatedBlocks == m_blocks) // all of it was timed
            return std::optional<PartTimed>(std::move(part));
        const WavePace pace = paceOfWaves(ends, samples, grid);
        const auto left = static_cast<double>(m_blocks - e.simulatedBlocks);
        const double waves = left / static_cast<double>(grid.resident);
        double rest = waves * pace.period, doubt = waves * pace.doubt;
        if (!pace.isKnown || pace.isFilling) { // the work was too much to wait for the steady state
            const Steady steady = steadyState(ends, grid.resident);
            if (!steady.known)
                return no("its first waves are too much work");
            const Rest blocks{left, left * static_cast<double>(engine.executedByBlocks().second)};
            rest = restCycles(steady, samples, {m_setup.chip.dramBytesPerCycle(), lines}, blocks);
            doubt = std::hypot(restDoubt(steady, samples, blocks),
                               0.5 * (rest - left * steady.cyclesPerBlock)); // nobody has seen the full L2
        }
        const double cycles = static_cast<double>(part.timing.cycles) + rest;
        const double share = std::max(doubt / cycles, 2 * kLeastDoubt);
        if (share > kMostDoubt && !m_always &&
            state.options.timingOptions.budget == 0) // else that leaves waves out too
            return std::optional<PartTimed>();
        const std::uint64_t read = part.timing.counters.dramReadBytes, written = part.timing.counters.dramWriteBytes;
        const double times = static_cast<double>(m_blocks) / static_cast<double>(e.simulatedBlocks);
        multiplyCounts(part, times);
        if (pace.isKnown && !pace.isFilling) { // while L2 fills it writes less
            part.timing.counters.dramReadBytes = read + static_cast<std::uint64_t>(waves * pace.dramReadBytes);
            part.timing.counters.dramWriteBytes = written + static_cast<std::uint64_t>(waves * pace.dramWriteBytes);
        }
        lengthen(part.timing, cycles, times, share);
        return std::optional<PartTimed>(std::move(part));
    }

    /// The launch cycle by cycle, with no values but those that decide where it goes and what it touches: as exact as
    /// the whole, but for its results. What does not stand still for an estimate goes this way where time alone is
    /// asked.
    Result<std::optional<PartTimed>> timeAll()
    {
        if (!m_hasTrace) {
            m_state.image = &m_image;
            auto first = trace(0, {});
            if (!first)
                return first.error();
            if (*first) {
                if (auto left = leaveValuesOut(**first); !left)
                    return left.error();
            }
        }
        LaunchState state = m_state;
        TimingOptions options = state.options.timingOptions;
        options.budget = 0;
        auto report = TimingEngine(state, m_setup.shape, m_setup.machine, m_setup.chip, options, m_setup.control).run();
        if (!report)
            return report.error();
        if (m_assumed > 0) {
            report->extrapolation.simulatedBlocks = m_blocks;
            lengthen(*report, static_cast<double>(report->cycles), 1, 0);
        }
        return std::optional<PartTimed>(PartTimed{std::move(*report), state.counters});
    }

    /// Cycles by which a launch may be longer or shorter where blocks that were not looked at go the other way at
    /// branches over arithmetic.
    double assumedCycles() const
    {
        constexpr double kCyclesOfOp = 40; // the longest that results of arithmetic take
        return kCyclesOfOp * m_assumed * std::ceil(static_cast<double>(m_blocks) / static_cast<double>(m_resident));
    }

    /// The longer of two parts becomes the report of the whole.
    std::optional<PartTimed> drawn(const Timed& low, Timed& high, double cycles, double doubt) const
    {
        const double times = static_cast<double>(m_blocks) / static_cast<double>(blocksTimed());
        PartTimed part = std::move(high.counts);
        growCounts(part, low.counts, {low.turns, high.turns, static_cast<double>(m_turns), times});
        Extrapolation& e = part.timing.extrapolation;
        e.simulatedBlocks = blocksTimed();
        e.turns = m_turns;
        e.simulatedTurns = static_cast<std::uint64_t>(high.turns);
        lengthen(part.timing, cycles, times, doubt);
        return part;
    }

    /// A part becomes a launch of `cycles` and of `times` as many blocks.
    void lengthen(TimingReport& timing, double cycles, double times, double doubt) const
    {
        const double grown = cycles / static_cast<double>(timing.cycles);
        for (SmTiming& sm : timing.sms) {
            sm.cycles = scaled(sm.cycles, grown);
            sm.blocks = scaled(sm.blocks, times);
        }
        Extrapolation& e = timing.extrapolation;
        e.used = true;
        e.simulatedCycles = timing.cycles;
        e.cyclesPerBlock = cycles / static_cast<double>(m_blocks);
        e.relativeError = doubt + assumedCycles() / cycles;
        timing.cycles = static_cast<std::uint64_t>(std::round(cycles));
        timing.seconds = static_cast<double>(timing.cycles) / timing.clockHz;
        markWhole(timing);
    }

    const PartSetup& m_setup;
    const KernelImage& m_image;
    LaunchState m_state; ///< that parts are run with
    KernelImage m_thin;
    std::uint32_t m_assumed = 0; ///< micro-ops behind branches whose way is assumed
    std::uint64_t m_blocks, m_clusters;
    std::uint64_t m_resident = 0; ///< blocks that all SMs hold
    bool m_always;
    std::optional<BlockTrace> m_whole;
    std::vector<BlockTrace> m_traces; ///< of samples()
    bool m_hasTrace = false;
    std::string m_differs, m_refusal;
    std::uint64_t m_turns = 0;
    LoopCut m_cut;
    double m_leastWaves = kWaves;
    bool m_isByLines = false;
    bool m_areAlike = true;
    std::uint64_t m_spread = 0; ///< warp instructions of the longest sample beyond those of the shortest
};

} // namespace

Result<std::optional<PartTimed>> timePart(const PartSetup& setup)
{
    return LaunchPart(setup).run();
}

} // namespace ridge::gpu::simt
