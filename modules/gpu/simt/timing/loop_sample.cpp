// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/loop_sample.h"

#include "gpu/simt/run/aside.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kFirstTurn = 2; ///< what is not steady in the first turn does not count
constexpr std::uint64_t kPeriods = 3;   ///< that planes are looked at
constexpr std::int64_t kTurn = 1 << 14; ///< micro-ops of a warp before the next one
constexpr std::size_t kPlaneLanes = kWarpSize;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

std::uint64_t lane(const std::byte* plane, std::uint32_t bytes, std::size_t at)
{
    std::uint64_t value = 0;
    std::memcpy(&value, plane + at * bytes, bytes);
    return value;
}

/// Bytes of a plane in the register file: a predicate is one word.
std::size_t sizeOf(const MovingPlane& plane)
{
    return plane.bytes * kPlaneLanes;
}

std::size_t sizeOf(const std::vector<MovingPlane>& planes)
{
    std::size_t bytes = 0;
    for (const MovingPlane& plane : planes)
        bytes += sizeOf(plane);
    return bytes;
}

void keep(const Warp& warp, const std::vector<MovingPlane>& planes, std::vector<std::byte>& to)
{
    to.resize(sizeOf(planes));
    std::size_t at = 0;
    for (const MovingPlane& plane : planes) {
        std::memcpy(to.data() + at, warp.file + plane.offset, sizeOf(plane));
        at += sizeOf(plane);
    }
}

/// Registers of one, two, four and eight bytes, each once.
std::vector<MovingPlane> planesOf(const KernelImage& image)
{
    std::map<std::uint32_t, std::uint32_t> bytes;
    for (const NamedRegister& one : image.registers) {
        if (one.bytes == 1 || one.bytes == 2 || one.bytes == 4 || one.bytes == 8)
            bytes[one.plane] = std::max(bytes[one.plane], std::uint32_t{one.bytes});
    }
    std::vector<MovingPlane> planes;
    for (const auto& [offset, width] : bytes)
        planes.push_back({offset, width});
    return planes;
}

/// Looks at the turns of all loops of one block, and at those of one loop more closely.
class Tracer : public LoopWatcher {
public:
    Tracer(const KernelImage& image, std::size_t warps, const TraceOrder& order)
        : m_order(order), m_planes(order.period != 0 ? planesOf(image) : std::vector<MovingPlane>{}), m_warps(warps)
    {
        if (order.cut != nullptr)
            m_cutter.emplace(*order.cut);
        m_moves.assign(m_planes.size(), true);
    }

    void turn(Warp& warp, std::uint32_t branch, bool whole) override
    {
        Own& own = m_warps[m_first + warp.index];
        read(own, *warp.launch);
        Seen& seen = own.seen[branch];
        seen.first = seen.first == 0 ? own.microOps : seen.first;
        seen.last = own.microOps;
        seen.isWhole = seen.isWhole && whole;
        seen.turns += seen.isWhole ? 1 : 0;
        if (branch != m_order.branch)
            return;
        own.parts.push_back(std::exchange(own.part, 0));
        own.paths.push_back(std::exchange(own.partPath, 0));
        if (m_order.period != 0 && seen.isWhole)
            look(own, warp, seen.turns);
        if (m_cutter)
            m_cutter->turn(warp, branch, whole);
    }

    /// The warps that run next are those of the block whose first one has this number.
    void setFirst(std::size_t first) { m_first = first; }

    /// What the warp has noted since the last call.
    void read(std::size_t warp, LaunchState& state, WarpStream& stream)
    {
        Own& own = m_warps[warp];
        state.stream = &stream;
        read(own, state);
        state.stream = nullptr;
    }

    BlockTrace take(std::uint64_t executed)
    {
        BlockTrace trace;
        trace.executed = executed;
        for (Own& own : m_warps) {
            own.parts.push_back(own.part);
            own.paths.push_back(own.partPath);
            trace.path = mix(trace.path, own.path);
            trace.touched = mix(trace.touched, own.touched);
            trace.parts.push_back(std::move(own.parts));
            trace.paths.push_back(std::move(own.paths));
        }
        for (const auto& [branch, first] : m_warps.front().seen) {
            LoopFound loop{branch, first.turns, 0, true};
            bool isAlike = true;
            for (const Own& own : m_warps) {
                const auto found = own.seen.find(branch);
                isAlike = isAlike && found != own.seen.end() && found->second.turns > 0;
                if (!isAlike)
                    break;
                loop.isEven = loop.isEven && found->second.isWhole && found->second.turns == first.turns;
                loop.turns = std::min(loop.turns, found->second.turns);
                loop.microOps += found->second.last - found->second.first;
            }
            if (isAlike)
                trace.loops.push_back(loop);
            if (isAlike && branch == m_order.branch)
                trace.turns = loop.turns;
        }
        for (std::size_t at = 0; at < m_planes.size(); ++at) {
            if (m_moves[at])
                trace.moving.push_back(m_planes[at]);
        }
        return trace;
    }

private:
    struct Seen {
        std::uint64_t turns = 0, first = 0, last = 0;
        bool isWhole = true;
    };
    struct Own {
        std::uint64_t path = 0, touched = 0, part = 0, partPath = 0, microOps = 0;
        std::vector<std::uint64_t> parts, paths;
        std::map<std::uint32_t, Seen> seen;
        std::vector<std::vector<std::byte>> kept; ///< of the planes, turn after turn
    };

    static void read(Own& own, LaunchState& state)
    {
        WarpStream& stream = *state.stream;
        const LineTouch* line = stream.lines.data();
        const Access* access = stream.accesses.data();
        for (const Visit& visit : stream.visits) {
            const std::uint64_t where = std::uint64_t{visit.from} << 32 | visit.end;
            own.path = mix(mix(own.path, where), visit.mask);
            own.part = mix(mix(own.part, where), visit.mask);
            own.partPath = mix(mix(own.partPath, where), visit.mask);
            own.microOps += visit.end - visit.from;
            for (std::uint32_t at = 0; at < visit.accesses; ++at, ++access) {
                std::uint64_t touched = std::uint64_t{access->wavefronts} << 32 | access->bulkBytes;
                for (std::uint32_t of = 0; of < access->lineCount; ++of)
                    touched = mix(touched, *line++);
                own.part = mix(own.part, touched);
                own.touched = mix(own.touched, touched);
            }
        }
        stream.firstVisit += static_cast<std::uint32_t>(stream.visits.size());
        stream.visits.clear();
        stream.accesses.clear();
        stream.lines.clear();
        stream.barriers.clear();
        stream.phases.clear();
        state.accessesNoted = 0;
    }

    /// Which planes have moved by as much as in the period before.
    void look(Own& own, const Warp& warp, std::uint64_t turn)
    {
        const std::uint64_t period = m_order.period;
        if (turn < kFirstTurn || turn > kFirstTurn + kPeriods * period)
            return;
        keep(warp, m_planes, own.kept.emplace_back());
        const std::size_t now = own.kept.size() - 1;
        if (now < period + 1)
            return;
        const auto& first = own.kept[0];
        std::size_t from = 0;
        for (std::size_t at = 0; at < m_planes.size(); from += sizeOf(m_planes[at]), ++at) {
            const std::uint32_t bytes = m_planes[at].bytes;
            const std::uint64_t mask = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes * 8) - 1;
            for (std::size_t of = 0; of < kPlaneLanes && m_moves[at]; ++of) {
                const auto in = [&](const std::vector<std::byte>& kept) { return lane(kept.data() + from, bytes, of); };
                const std::uint64_t here = in(own.kept[now]) - in(own.kept[now - period]);
                m_moves[at] = ((here - (in(own.kept[period]) - in(first))) & mask) == 0;
            }
        }
    }

    const TraceOrder& m_order;
    std::vector<MovingPlane> m_planes;
    std::vector<bool> m_moves;
    std::vector<Own> m_warps;
    std::size_t m_first = 0;
    std::optional<LoopCutter> m_cutter;
};

} // namespace

void LoopCutter::turn(Warp& warp, std::uint32_t branch, bool)
{
    if (branch != m_cut.branch)
        return;
    const std::uint64_t turn = ++warp.loop.turns;
    if (turn == m_cut.front - m_cut.period)
        keep(warp, m_cut.planes, warp.loop.kept);
    if (turn != m_cut.front)
        return;
    const std::uint64_t times = m_cut.skip / m_cut.period;
    std::size_t from = 0;
    for (const MovingPlane& plane : m_cut.planes) {
        std::byte* const to = warp.file + plane.offset;
        const bool stands = std::memcmp(to, warp.loop.kept.data() + from, sizeOf(plane)) == 0;
        for (std::size_t at = 0; at < kPlaneLanes && !stands; ++at) {
            const std::uint64_t now = lane(to, plane.bytes, at);
            const std::uint64_t value = now + times * (now - lane(warp.loop.kept.data() + from, plane.bytes, at));
            std::memcpy(to + at * plane.bytes, &value, plane.bytes);
        }
        from += sizeOf(plane);
    }
}

namespace {

/// A turn for every warp. False: the cluster needs others or the clock.
Result<bool> advance(BlockRun& block, std::size_t first, Tracer& tracer, LaunchState& state, LaunchControl& control)
{
    tracer.setFirst(first);
    for (std::size_t warp = 0; warp < block.warpCount(); ++warp) {
        BlockRun::Turn turn = block.advance(warp, kTurn);
        // With a log nobody else looks at the limits. A warp that is held goes on before any other.
        while (turn == BlockRun::Turn::InOrder && control.untilPoll < 0) {
            if ((control.stop && control.stop()) || control.timeIsUp())
                return false;
            control.untilPoll = kMostAside;
            turn = block.advance(warp, kTurn);
        }
        if (turn == BlockRun::Turn::Failed)
            return *control.error;
        // It looks at a barrier of the copy engine: time has to pass for the others of the cluster alone.
        if (turn != BlockRun::Turn::Ran && turn != BlockRun::Turn::Blocked && turn != BlockRun::Turn::Observed)
            return false;
        tracer.read(first + warp, state, block.stream(warp));
    }
    return true;
}

} // namespace

Result<std::optional<BlockTrace>> traceBlock(LaunchState state, const LaunchShape& shape, LaunchControl& control,
                                             std::uint64_t cluster, const TraceOrder& order)
{
    PhaseBook phases;
    state.phases = &phases;
    state.counters = {};
    const std::size_t warps = (shape.block.count() + kWarpSize - 1) / kWarpSize, blocks = shape.cluster.count();
    Tracer tracer(*state.image, warps * blocks, order);
    state.loops = &tracer;
    std::vector<std::unique_ptr<BlockRun>> runs;
    for (std::size_t rank = 0; rank < blocks; ++rank) {
        runs.push_back(std::make_unique<BlockRun>(state, shape, control));
        if (auto prepared = runs.back()->prepare(); !prepared)
            return prepared.error();
        runs.back()->record(static_cast<std::uint32_t>(rank));
    }
    const auto members = std::make_shared<Cluster>(state, shape.cluster);
    for (std::uint32_t rank = 0; rank < blocks; ++rank) {
        if (blocks == 1)
            runs[rank]->start(cluster);
        else
            runs[rank]->start(blockOfCluster(shape, cluster, rank), members, rank);
    }
    const auto executedBy = [&] {
        std::uint64_t executed = 0;
        for (const auto& one : runs)
            executed += one->executed();
        return executed;
    };
    const auto isDone = [&] {
        return std::all_of(runs.begin(), runs.end(), [](const auto& one) { return one->finished(); });
    };
    bool isFirst = true; // no warp lives before the first turn
    while (isFirst || !isDone()) {
        const std::uint64_t before = executedBy();
        for (std::size_t rank = 0; rank < blocks; ++rank) {
            if (!isFirst && runs[rank]->finished())
                continue;
            auto went = advance(*runs[rank], rank * warps, tracer, state, control);
            if (!went)
                return went.error();
            if (!*went)
                return std::optional<BlockTrace>();
        }
        isFirst = false;
        const std::uint64_t now = executedBy();
        if (now > kMostOfABlock || (now == before && !isDone()))
            return std::optional<BlockTrace>(); // it is long, or it waits for others, or for ever
    }
    BlockTrace trace = tracer.take(executedBy());
    trace.fewest = trace.most = runs.front()->executed();
    for (const auto& one : runs) {
        trace.fewest = std::min(trace.fewest, one->executed());
        trace.most = std::max(trace.most, one->executed());
    }
    return std::optional<BlockTrace>(std::move(trace));
}

bool isAlikeFor(const BlockTrace& a, const BlockTrace& b, std::uint64_t turns)
{
    if (a.paths.size() != b.paths.size())
        return false;
    for (std::size_t warp = 0; warp < a.paths.size(); ++warp) {
        const auto &one = a.paths[warp], &other = b.paths[warp];
        const std::size_t fewest = turns + 1, most = turns + 2; // the last is what comes behind the loop
        if (one.size() < fewest || one.size() > most || other.size() < fewest || other.size() > most ||
            !std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(turns), other.begin()))
            return false;
    }
    return true;
}

bool isCutOf(const BlockTrace& cut, const BlockTrace& whole, std::uint64_t front, std::uint64_t skip)
{
    if (cut.parts.size() != whole.parts.size())
        return false;
    for (std::size_t warp = 0; warp < cut.parts.size(); ++warp) {
        const auto& less = cut.parts[warp];
        const auto& all = whole.parts[warp];
        if (less.size() + skip != all.size() || less.size() <= front)
            return false;
        const auto at = static_cast<std::ptrdiff_t>(front), left = static_cast<std::ptrdiff_t>(front + skip);
        if (!std::equal(less.begin(), less.begin() + at, all.begin()) ||
            !std::equal(less.begin() + at, less.end(), all.begin() + left))
            return false;
    }
    return true;
}

} // namespace ridge::gpu::simt
