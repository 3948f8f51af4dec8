// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/launch_trace.h"

#include "base/trace_bytes.h"

#include <algorithm>
#include <limits>

namespace ridge {
namespace {

constexpr std::string_view kMagic = "RLTR";
constexpr std::uint32_t kVersion = 1;

// ---- one description of the layout for both directions
// ---------------------------------------------------------------

template<class Stream, class... Fields>
void all(Stream& stream, Fields&... fields)
{
    (stream.field(fields), ...);
}

template<class Stream, class T>
void describe(Stream& s, T& chip) requires std::same_as<std::remove_const_t<T>, TracedChip>
{
    all(s, chip.name, chip.confidence, chip.sms, chip.warpSlots, chip.clockHz, chip.memoryBytesPerSecond, chip.l2Bytes);
}

template<class Stream, class T>
void describe(Stream& s, T& o) requires std::same_as<std::remove_const_t<T>, TracedOccupancy>
{
    all(s, o.theoretical, o.achieved, o.blocksPerSm, o.warpsPerBlock, o.registersPerThread, o.sharedBytesPerBlock,
        o.sharedCarveoutBytes, o.l1Bytes, o.limiter);
}

template<class Stream, class T>
void describe(Stream& s, T& c) requires std::same_as<std::remove_const_t<T>, TracedCounters>
{
    all(s, c.instructions, c.warpCycles, c.activeCycles, c.l1Requests, c.l1SectorHits, c.l1SectorMisses, c.l2Requests,
        c.l2SectorHits, c.l2SectorMisses, c.dramReadBytes, c.dramWriteBytes, c.sharedWavefronts, c.globalLoadBytes,
        c.globalStoreBytes, c.globalLoadRequests, c.globalStoreRequests, c.globalLoadSectors, c.globalStoreSectors,
        c.sharedRequests);
}

template<class Stream, class T>
void describe(Stream& s, T& e) requires std::same_as<std::remove_const_t<T>, TracedExtrapolation>
{
    all(s, e.used, e.blocks, e.simulatedBlocks, e.simulatedCycles, e.relativeError);
}

template<class Stream, class T>
void describe(Stream& s, T& i) requires std::same_as<std::remove_const_t<T>, TracedInstruction>
{
    all(s, i.text, i.ptxLine, i.sourceLine, i.waitMask, i.writeCounter, i.readCounter);
}

template<class Stream, class T>
void describe(Stream& s, T& b) requires std::same_as<std::remove_const_t<T>, TracedBlock>
{
    all(s, b.block, b.sm, b.begin, b.end);
}

template<class Stream, class T>
void describe(Stream& s, T& l) requires std::same_as<std::remove_const_t<T>, TracedLine>;
template<class Stream, class T>
void describe(Stream& s, T& w) requires std::same_as<std::remove_const_t<T>, WarpTrack>;

template<class T>
void list(TraceWriter& out, const std::vector<T>& items)
{
    out.number(items.size());
    for (const T& item : items)
        if constexpr (requires { out.field(item); })
            out.field(item);
        else
            describe(out, item);
}

template<class T>
void list(TraceReader& in, std::vector<T>& items)
{
    items.assign(in.count(), T{});
    for (T& item : items)
        if constexpr (requires { in.field(item); })
            in.field(item);
        else
            describe(in, item);
}

template<class Stream, class T>
void describe(Stream& s, T& l) requires std::same_as<std::remove_const_t<T>, TracedLine>
{
    all(s, l.sourceLine, l.ptxLine, l.text, l.instructions, l.sectors);
    list(s, l.stateCycles);
}

/// Lengths, not cycles: intervals join. Instructions as the way from the one before, lanes inverted, since most are
/// all 32: three or four bytes an interval.
void intervals(TraceWriter& out, const std::vector<WarpInterval>& items)
{
    out.number(items.size());
    out.number(items.empty() ? 0 : items.front().begin);
    std::uint32_t op = 0;
    for (const WarpInterval& item : items) {
        out.byte(item.state);
        out.number(item.cycles);
        const std::int64_t way = std::int64_t{item.op} - op;
        out.number(way < 0 ? static_cast<std::uint64_t>(-way) * 2 - 1 : static_cast<std::uint64_t>(way) * 2);
        if (item.state == 0)
            out.number(static_cast<std::uint32_t>(~item.lanes));
        op = item.op;
    }
}

void intervals(TraceReader& in, std::vector<WarpInterval>& items)
{
    items.assign(in.count(), {});
    std::uint64_t cycle = in.number();
    std::int64_t op = 0;
    for (WarpInterval& item : items) {
        item.state = in.byte();
        in.field(item.cycles);
        const std::uint64_t way = in.number();
        op += way % 2 == 0 ? static_cast<std::int64_t>(way / 2) : -static_cast<std::int64_t>(way / 2 + 1);
        if (item.state == 0) {
            in.field(item.lanes);
            item.lanes = ~item.lanes;
        }
        item.begin = static_cast<std::uint32_t>(cycle);
        item.op = static_cast<std::uint32_t>(op);
        cycle += item.cycles;
        if (cycle > std::numeric_limits<std::uint32_t>::max() || op < 0 || op > std::int64_t{1} << 31)
            return in.fail();
    }
}

template<class Stream, class T>
void describe(Stream& s, T& w) requires std::same_as<std::remove_const_t<T>, WarpTrack>
{
    all(s, w.sm, w.slot, w.block, w.warp, w.whole);
    intervals(s, w.intervals);
}

template<class Stream, class T>
void whole(Stream& s, T& t)
{
    s.field(t.kernel);
    describe(s, t.chip);
    list(s, t.grid);
    list(s, t.block);
    s.field(t.cycles);
    describe(s, t.extrapolation);
    describe(s, t.occupancy);
    describe(s, t.counters);
    list(s, t.states);
    list(s, t.stateCycles);
    list(s, t.lines);
    list(s, t.machine);
    s.field(t.blocksInAll);
    list(s, t.blocks);
    s.field(t.sms.bucketCycles);
    list(s, t.sms.counters);
    list(s, t.sms.values);
    s.field(t.watchedSms);
    list(s, t.watchedUntil);
    list(s, t.warps);
}

/// What of a well-formed trace points nowhere; empty: nothing.
std::string nonsense(const LaunchTrace& t)
{
    const std::size_t states = t.states.size();
    const std::size_t row = std::size_t{t.chip.sms} * t.sms.counters.size();
    if (t.grid.size() != 3 || t.block.size() != 3)
        return "a grid or block without three sizes";
    if (t.chip.sms == 0 || t.chip.sms > 1u << 16 || t.chip.warpSlots > 1u << 16)
        return "a number of SMs or warps that no chip has";
    if (t.stateCycles.size() != states || states == 0 || states > 255)
        return "warp states without their cycles";
    if (!t.sms.values.empty() && (row == 0 || t.sms.values.size() % row != 0 || t.sms.bucketCycles == 0))
        return "a timeline that is not one of its SMs";
    if (t.watchedSms > t.chip.sms || t.watchedUntil.size() != t.watchedSms)
        return "a watch over SMs that the chip does not have";
    for (const TracedLine& line : t.lines)
        if (line.stateCycles.size() != states)
            return "a line without the cycles of its states";
    for (const TracedBlock& block : t.blocks)
        if (block.sm >= t.chip.sms || block.end < block.begin)
            return "a block on no SM or that ends before it begins";
    for (const WarpTrack& warp : t.warps) {
        if (warp.sm >= t.watchedSms || warp.slot > 1u << 16)
            return "a warp on an SM that was not watched";
        if (warp.intervals.empty())
            return "a warp that never lived";
        for (const WarpInterval& interval : warp.intervals)
            if (interval.state >= states || interval.op >= t.machine.size())
                return "a warp in no state or at no instruction";
    }
    return {};
}

} // namespace

std::size_t LaunchTrace::buckets() const
{
    const std::size_t row = std::size_t{chip.sms} * sms.counters.size();
    return row == 0 ? 0 : sms.values.size() / row;
}

std::size_t LaunchTrace::events() const
{
    std::size_t sum = 0;
    for (const WarpTrack& warp : warps)
        sum += warp.intervals.size();
    return sum;
}

std::string encodeLaunchTrace(const LaunchTrace& trace)
{
    TraceWriter out;
    whole(out, trace);
    return frameTrace(kMagic, kVersion, out.take());
}

Result<LaunchTrace> decodeLaunchTrace(std::string_view bytes)
{
    if (bytes.size() > LaunchTrace::kMostBytes)
        return badTrace("the trace has " + std::to_string(bytes.size() >> 20) + " MiB; the most is " +
                        std::to_string(LaunchTrace::kMostBytes >> 20));
    const auto payload = unframeTrace(bytes, kMagic, kVersion);
    if (!payload)
        return payload.error();
    TraceReader in(*payload);
    LaunchTrace trace;
    whole(in, trace);
    if (!in.ok() || !in.atEnd())
        return badTrace("the trace is cut short or has bytes too many");
    if (const std::string what = nonsense(trace); !what.empty())
        return badTrace("the trace has " + what);
    return trace;
}

} // namespace ridge
