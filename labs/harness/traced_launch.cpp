// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/traced_launch.h"

#include <algorithm>
#include <map>

namespace ridge::labs {
namespace {

// Bounds of what one point sends; together some 1.5 MB at the very most (docs/benchmarks.md).
constexpr std::uint32_t kWatchedSms = 4;
constexpr std::size_t kMostEvents = 160'000; // of all watched SMs; an interval takes three to six bytes
constexpr std::size_t kMostCells = 16'384;   // buckets × SMs of the timeline, some 25 bytes each
constexpr std::size_t kMostBlocks = 50'000;  // some seven bytes each
constexpr std::size_t kMostInstructions = 4096;
constexpr std::size_t kMostLineText = 160;

std::vector<std::string> stateNames()
{
    std::vector<std::string> names;
    for (std::size_t at = 0; at < gpu::kStalls; ++at)
        names.emplace_back(gpu::toText(static_cast<gpu::Stall>(at)));
    return names;
}

std::vector<std::uint64_t> cyclesOf(const gpu::StallCycles& stalls)
{
    return {stalls.begin(), stalls.end()};
}

TracedCounters countersOf(const gpu::LaunchReport& report)
{
    const gpu::TimingCounters& t = report.timing->counters;
    TracedCounters c;
    c.instructions = t.instIssued;
    c.warpCycles = t.warpCycles;
    c.activeCycles = t.activeCycles;
    c.l1Requests = t.l1Requests;
    c.l1SectorHits = t.l1SectorHits;
    c.l1SectorMisses = t.l1SectorMisses;
    c.l2Requests = t.l2Requests;
    c.l2SectorHits = t.l2SectorHits;
    c.l2SectorMisses = t.l2SectorMisses;
    c.dramReadBytes = t.dramReadBytes;
    c.dramWriteBytes = t.dramWriteBytes;
    c.sharedWavefronts = t.sharedWavefronts;
    if (report.counters) {
        const gpu::Counters& f = *report.counters;
        c.globalLoadBytes = f.globalLoadBytes;
        c.globalStoreBytes = f.globalStoreBytes;
        c.globalLoadRequests = f.globalLoadRequests;
        c.globalStoreRequests = f.globalStoreRequests;
        c.globalLoadSectors = f.globalLoadSectors;
        c.globalStoreSectors = f.globalStoreSectors;
        c.sharedRequests = f.sharedLoadRequests + f.sharedStoreRequests;
    }
    return c;
}

/// Lines of a text, from 1.
class SourceText {
public:
    explicit SourceText(std::string_view text)
    {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            m_lines.push_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    std::string line(std::uint32_t number) const
    {
        if (number == 0 || number > m_lines.size())
            return {};
        std::string_view text = m_lines[number - 1];
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        return std::string(text.substr(0, kMostLineText));
    }

private:
    std::vector<std::string_view> m_lines;
};

std::vector<TracedLine> linesOf(const gpu::TimingReport& timing, std::string_view source)
{
    const SourceText text(source);
    std::vector<TracedLine> lines;
    for (const gpu::LineTiming& line : timing.lines)
        lines.push_back({line.sourceLine, line.ptxLine, text.line(line.sourceLine), line.instructions, line.sectors,
                         cyclesOf(line.stalls)});
    return lines;
}

/// The timeline in few enough buckets: neighbours are added up.
TracedGrid gridOf(const gpu::Timeline& timeline)
{
    TracedGrid grid;
    const std::size_t row = std::size_t{timeline.sms} * gpu::Timeline::kCounters;
    if (row == 0 || timeline.values.empty())
        return grid;
    const std::size_t buckets = timeline.values.size() / row;
    std::size_t join = 1;
    while ((buckets + join - 1) / join * timeline.sms > kMostCells)
        ++join;
    grid.bucketCycles = timeline.bucketCycles * join;
    grid.counters = timeline.names;
    grid.values.assign((buckets + join - 1) / join * row, 0);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
        for (std::size_t at = 0; at < row; ++at)
            grid.values[bucket / join * row + at] += timeline.values[bucket * row + at];
    while (grid.values.size() > row && std::all_of(grid.values.end() - static_cast<std::ptrdiff_t>(row),
                                                   grid.values.end(), [](std::uint32_t value) { return value == 0; }))
        grid.values.resize(grid.values.size() - row); // the engine closes one bucket more than anything happened in
    return grid;
}

/// Joins the events of each warp into the stretches of its life.
class Tracks {
public:
    explicit Tracks(LaunchTrace& trace) : m_trace(trace) {}

    void take(const gpu::TimingEvent& event)
    {
        using Kind = gpu::TimingEvent::Kind;
        const std::uint32_t slot = std::uint32_t{event.sm} << 8 | event.slot;
        if (event.kind == Kind::BlockStart) {
            WarpTrack track;
            track.sm = event.sm;
            track.slot = event.slot;
            track.block = event.payload;
            track.warp = m_nextWarp[{event.sm, event.payload}]++;
            m_open[slot] = m_trace.warps.size();
            m_trace.warps.push_back(std::move(track));
            return;
        }
        const auto found = m_open.find(slot);
        if (found == m_open.end())
            return;
        WarpTrack& track = m_trace.warps[found->second];
        if (event.kind == Kind::Issue) {
            add(track, {event.cycle, 1, event.op, event.payload, 0});
        } else if (event.kind == Kind::Stall) {
            const std::uint32_t cycles = event.payload & 0xffffff;
            add(track, {event.cycle - cycles, cycles, event.op, 0, static_cast<std::uint8_t>(event.payload >> 24)});
        } else if (event.kind == Kind::WarpEnd) {
            track.whole = true;
            m_open.erase(found);
        }
    }

private:
    static void add(WarpTrack& track, const WarpInterval& next)
    {
        if (!track.intervals.empty()) {
            WarpInterval& last = track.intervals.back();
            if (last.state == next.state && last.op == next.op && next.state != 0) {
                last.cycles += next.cycles;
                return;
            }
        }
        track.intervals.push_back(next);
    }

    LaunchTrace& m_trace;
    std::map<std::uint32_t, std::size_t> m_open;                                 ///< by SM and slot
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> m_nextWarp; ///< by SM and block
};

void takeWarps(const gpu::TimingReport& timing, LaunchTrace& trace)
{
    trace.watchedSms = std::min(kWatchedSms, trace.chip.sms);
    trace.watchedUntil.assign(trace.watchedSms, 0);
    for (std::uint32_t sm = 0; sm < trace.watchedSms; ++sm)
        trace.watchedUntil[sm] = timing.extrapolation.simulatedCycles;
    std::vector<std::size_t> seen(trace.watchedSms, 0);
    std::vector<std::uint64_t> last(trace.watchedSms, 0);
    Tracks tracks(trace);
    for (const gpu::TimingEvent& event : timing.events) {
        if (event.sm >= trace.watchedSms)
            continue;
        ++seen[event.sm];
        last[event.sm] = event.cycle;
        tracks.take(event);
    }
    for (std::uint32_t sm = 0; sm < trace.watchedSms; ++sm)
        if (seen[sm] >= kMostEvents / trace.watchedSms)
            trace.watchedUntil[sm] = last[sm];
    std::stable_sort(trace.warps.begin(), trace.warps.end(),
                     [](const WarpTrack& a, const WarpTrack& b) { return a.sm < b.sm; });
    std::erase_if(trace.warps, [](const WarpTrack& track) { return track.intervals.empty(); });
}

} // namespace

void watchWarps(gpu::TimingOptions& options)
{
    options.watchSms = kWatchedSms;
    options.eventCapacity = kMostEvents;
}

LaunchTrace launchTraceOf(const gpu::DeviceInfo& device, const gpu::Launch& launch, const gpu::LaunchReport& report,
                          std::string_view source)
{
    const gpu::TimingReport& timing = *report.timing;
    LaunchTrace trace;
    trace.kernel = launch.kernel;
    trace.chip = {device.name,
                  timing.confidence,
                  static_cast<std::uint32_t>(timing.sms.size()),
                  timing.occupancy.warpSlots,
                  timing.clockHz,
                  device.memoryBytesPerSecond,
                  device.l2Bytes};
    trace.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    trace.block = {launch.block.x, launch.block.y, launch.block.z};
    trace.cycles = timing.cycles;
    trace.extrapolation = {timing.extrapolation.used, timing.extrapolation.blocks, timing.extrapolation.simulatedBlocks,
                           timing.extrapolation.simulatedCycles, timing.extrapolation.relativeError};
    const gpu::OccupancyTiming& o = timing.occupancy;
    trace.occupancy = {
        o.theoretical,         o.achieved, o.blocksPerSm, o.warpsPerBlock, o.registersPerThread, o.sharedBytesPerBlock,
        o.sharedCarveoutBytes, o.l1Bytes,  o.limiter};
    trace.counters = countersOf(report);
    trace.states = stateNames();
    trace.stateCycles = cyclesOf(timing.stalls);
    trace.lines = linesOf(timing, source);
    trace.sms = gridOf(timing.timeline);
    for (const gpu::BlockSpan& span : timing.blocks)
        trace.blocks.push_back({span.block, span.sm, span.begin, span.end});
    std::stable_sort(trace.blocks.begin(), trace.blocks.end(),
                     [](const TracedBlock& a, const TracedBlock& b) { return a.block < b.block; });
    trace.blocksInAll = trace.extrapolation.blocks;
    trace.blocks.resize(std::min(trace.blocks.size(), kMostBlocks));
    if (timing.machine.size() > kMostInstructions)
        return trace; // such a kernel is told by its lines, not by its instructions
    for (const gpu::MachineLine& line : timing.machine)
        trace.machine.push_back(
            {line.text, line.ptxLine, line.sourceLine, line.waitMask, line.writeCounter, line.readCounter});
    takeWarps(timing, trace);
    return trace;
}

} // namespace ridge::labs
