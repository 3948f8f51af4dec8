// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace_look.h"

#include <memory>

// Lanes over time: stages of a pipeline, links of a network, banks of a channel, requests of a batch.
// The scene "lanes" draws it, however long it is. An engine writes:
//
//     LaneTraceBuilder lanes("Channel 0, open pages", "ns");
//     const auto act = lanes.state("activate", TraceColor::Series1);
//     const auto read = lanes.state("read", TraceColor::Series3);
//     const auto bank = lanes.lane("bank 0", "rank 0");          // name, group
//     const auto opened = lanes.span(bank, 10, 24, act, "ACT 17", 1);  // lane, begin, end, state, label, id
//     const auto given = lanes.span(bank, 24, 28, read, "RD", 1);      // the same id: the same request
//     lanes.arrow(opened, given);                                // what waited for what
//     lanes.instant(bank, 30, read, "last word");
//     const auto queue = lanes.counter(bank, "queued", "requests");
//     lanes.sample(queue, 10, 3);                                // 3 from 10 ns on
//     context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
//
// and ExperimentInfo::scene = "lanes". Order does not matter; spans of a lane may overlap and are then stacked.

namespace ridge {

struct Lane {
    std::string name;  ///< "bank 3"
    std::string group; ///< "rank 0": a heading over the lanes in a row that have it; empty: none
    bool operator==(const Lane&) const = default;
};

/// From begin to end, in LaneTrace::unit. `id` says what it belongs to (a request, a packet): spans that have one in
/// common are shown together. 0: nothing.
struct LaneSpan {
    double begin = 0, end = 0;
    std::uint64_t id = 0;
    std::uint32_t lane = 0;
    std::uint32_t label = 0; ///< index into LaneTrace::texts
    std::uint8_t state = 0;
    bool operator==(const LaneSpan&) const = default;
};

struct LaneInstant {
    double at = 0;
    std::uint32_t lane = 0;
    std::uint32_t label = 0;
    std::uint8_t state = 0;
    bool operator==(const LaneInstant&) const = default;
};

/// From the end of a span to the begin of another.
struct LaneArrow {
    std::uint32_t from = 0, to = 0; ///< indices into LaneTrace::spans
    bool operator==(const LaneArrow&) const = default;
};

/// A number that holds from a sample on until the next: a step line below its lane.
struct LaneCounter {
    std::uint32_t lane = 0;
    std::string name, unit;
    std::vector<double> at, values; ///< one each, times rising
    bool operator==(const LaneCounter&) const = default;
};

/// Layout in docs/protocol.md.
struct LaneTrace {
    static constexpr const char* kKind = "lanes";
    static constexpr std::size_t kMostBytes = 96u << 20; ///< a larger one is refused
    static constexpr std::size_t kMostLanes = 1u << 12;
    static constexpr std::size_t kMostSpans = 1u << 20; ///< and as many instants
    static constexpr std::size_t kMostArrows = 1u << 18;
    static constexpr std::size_t kMostSamples = 1u << 20; ///< of all counters

    std::string title;
    std::string unit = "cycles"; ///< of time, after numbers: "cycles", "ns", "ms"
    double end = 0;              ///< of the time axis, which begins at 0
    std::vector<TraceState> states;
    std::vector<Lane> lanes;
    std::vector<std::string> texts;
    std::vector<LaneSpan> spans;       ///< by lane, then begin
    std::vector<LaneInstant> instants; ///< by lane, then time
    std::vector<LaneArrow> arrows;
    std::vector<LaneCounter> counters; ///< by lane
    std::uint64_t spansInAll = 0;      ///< of the engine; more than `spans` has: the trace holds the first ones
    bool operator==(const LaneTrace&) const = default;
};

std::string encodeLaneTrace(const LaneTrace& trace);

/// Errors: "bad-trace" (not one, cut short, damaged, larger than the bounds above, what points nowhere, times that are
/// no numbers or run backwards), "newer-trace".
Result<LaneTrace> decodeLaneTrace(std::string_view bytes);

/// Calls that make no sense (a lane that is not there, an end before its begin) throw std::logic_error: they are
/// mistakes of the engine. What is beyond the bounds is counted and not kept.
class LaneTraceBuilder {
public:
    LaneTraceBuilder(std::string title, std::string unit);

    /// Its number. `letter` stands where a span has no label or no room for it; the default is the first of the name.
    std::uint8_t state(const std::string& name, TraceColor color, const std::string& letter = {});
    std::uint32_t lane(std::string name, std::string group = {});

    static constexpr std::uint32_t kNone = 0xffffffff; ///< a span that was not kept
    std::uint32_t span(std::uint32_t lane, double begin, double end, std::uint8_t state, std::string_view label = {},
                       std::uint64_t id = 0);
    void instant(std::uint32_t lane, double at, std::uint8_t state, std::string_view label = {});
    /// Of two spans that span() gave; nothing where one was not kept.
    void arrow(std::uint32_t from, std::uint32_t to);
    std::uint32_t counter(std::uint32_t lane, std::string name, std::string unit = {});
    void sample(std::uint32_t counter, double at, double value);
    /// Where the time axis ends, if later than all that is on it.
    void endsAt(double end);
    bool full() const { return m_full; }
    LaneTrace take();

private:
    void check(std::uint32_t lane, double begin, double end, std::uint8_t state);

    LaneTrace m_trace;
    TraceTexts m_texts;
    std::size_t m_samples = 0;
    bool m_full = false;
};

/// A trace made ready so that any stretch of time is looked up at once. Spans of a lane that overlap lie in rows of
/// their own; a row's spans lie one after another.
class LaneIndex {
public:
    explicit LaneIndex(std::shared_ptr<const LaneTrace> trace);
    const LaneTrace& trace() const { return *m_trace; }
    double end() const { return m_end; }           ///< of the time axis, above 0
    double usualLength() const { return m_usual; } ///< of spans: the mean

    static constexpr std::size_t kMostRows = 6; ///< of a lane; what overlaps more lies over the last
    struct Row {
        std::uint32_t lane = 0;
        std::vector<std::uint32_t> spans; ///< by begin
        std::vector<double> reach;        ///< the latest end up to each
    };
    const std::vector<Row>& rows() const { return m_rows; }                     ///< by lane; each lane has at least one
    std::size_t firstRow(std::uint32_t lane) const { return m_firstRow[lane]; } ///< of lanes() + 1
    std::size_t rowOf(std::uint32_t span) const { return m_rowOf[span]; }

    /// The first span of a row that ends after `time`, as a place in Row::spans; its size: none.
    std::size_t firstAfter(const Row& row, double time) const;
    /// The span that holds `time`; kNone: none.
    std::uint32_t at(const Row& row, double time) const;
    /// All spans by begin, and the place of each.
    const std::vector<std::uint32_t>& byBegin() const { return m_byBegin; }
    std::size_t placeOf(std::uint32_t span) const { return m_place[span]; }
    /// Of a lane: first and one past the last in LaneTrace::instants.
    std::pair<std::size_t, std::size_t> instantsOf(std::uint32_t lane) const;
    /// Spans with the same id, at most `most`; none for 0.
    std::vector<std::uint32_t> sameId(std::uint64_t id, std::size_t most) const;
    /// Arrows that touch a span.
    std::vector<std::uint32_t> arrowsOf(std::uint32_t span) const;
    /// Arrows that touch [begin, end); more than `most`: none of them, and `crowded`.
    std::vector<std::uint32_t> arrowsIn(double begin, double end, std::size_t most, bool& crowded) const;

    /// Least and largest value of a counter in [begin, end), and the value at `begin`.
    struct Extent {
        double least = 0, largest = 0, first = 0;
        bool any = false; ///< false before the first sample
    };
    Extent extent(std::size_t counter, double begin, double end) const;
    /// Over all of its samples, with 0.
    Extent whole(std::size_t counter) const { return m_whole[counter]; }

private:
    std::shared_ptr<const LaneTrace> m_trace;
    double m_end = 1, m_usual = 0;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_firstRow, m_rowOf, m_place;
    std::vector<std::uint32_t> m_byBegin, m_byId;
    std::vector<std::uint32_t> m_byFrom;                          ///< arrows by their earlier end
    std::vector<double> m_arrowReach;                             ///< by m_byFrom: the latest time up to each
    std::vector<std::vector<std::pair<double, double>>> m_blocks; ///< [counter][samples / kBlock]: least, largest
    std::vector<Extent> m_whole;
};

} // namespace ridge
