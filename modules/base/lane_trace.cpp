// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/lane_trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace ridge {
namespace {

constexpr std::string_view kMagic = "RLAN";
constexpr std::uint32_t kVersion = 1;

bool onAxis(double time)
{
    return std::isfinite(time) && time >= 0;
}

/// Times and lanes as they follow each other; the same in both directions.
template<class Thing, class Time>
bool follows(const Thing& before, const Thing& after, Time time)
{
    return before.lane < after.lane || (before.lane == after.lane && time(before) <= time(after));
}

bool readSpans(TraceReader& in, LaneTrace& t)
{
    const std::size_t count = in.count();
    if (!in.ok() || count > LaneTrace::kMostSpans || t.spansInAll < count)
        return false;
    for (std::size_t at = 0; at < count; ++at) {
        LaneSpan span;
        in.field(span.lane);
        in.field(span.begin);
        in.field(span.end);
        span.state = in.byte();
        in.field(span.label);
        in.field(span.id);
        if (!in.ok() || span.lane >= t.lanes.size() || span.state >= t.states.size() || span.label >= t.texts.size() ||
            !onAxis(span.begin) || span.end < span.begin || span.end > t.end ||
            (at > 0 && !follows(t.spans.back(), span, [](const LaneSpan& s) { return s.begin; })))
            return false;
        t.spans.push_back(span);
    }
    return true;
}

bool readInstants(TraceReader& in, LaneTrace& t)
{
    const std::size_t count = in.count();
    if (!in.ok() || count > LaneTrace::kMostSpans)
        return false;
    for (std::size_t at = 0; at < count; ++at) {
        LaneInstant instant;
        in.field(instant.lane);
        in.field(instant.at);
        instant.state = in.byte();
        in.field(instant.label);
        if (!in.ok() || instant.lane >= t.lanes.size() || instant.state >= t.states.size() ||
            instant.label >= t.texts.size() || !onAxis(instant.at) || instant.at > t.end ||
            (at > 0 && !follows(t.instants.back(), instant, [](const LaneInstant& i) { return i.at; })))
            return false;
        t.instants.push_back(instant);
    }
    return true;
}

bool readArrows(TraceReader& in, LaneTrace& t)
{
    const std::size_t count = in.count();
    if (!in.ok() || count > LaneTrace::kMostArrows)
        return false;
    for (std::size_t at = 0; at < count; ++at) {
        LaneArrow arrow;
        in.field(arrow.from);
        in.field(arrow.to);
        if (!in.ok() || arrow.from >= t.spans.size() || arrow.to >= t.spans.size())
            return false;
        t.arrows.push_back(arrow);
    }
    return true;
}

bool readCounters(TraceReader& in, LaneTrace& t)
{
    const std::size_t count = in.count();
    if (!in.ok() || count > LaneTrace::kMostLanes)
        return false;
    std::size_t samples = 0;
    for (std::size_t each = 0; each < count; ++each) {
        LaneCounter counter;
        in.field(counter.lane);
        readText(in, counter.name);
        readText(in, counter.unit);
        const std::size_t own = in.count();
        samples += own;
        if (!in.ok() || counter.lane >= t.lanes.size() || samples > LaneTrace::kMostSamples ||
            (each > 0 && counter.lane < t.counters.back().lane))
            return false;
        for (std::size_t at = 0; at < own; ++at) {
            double time = 0, value = 0;
            in.field(time);
            in.field(value);
            if (!in.ok() || !onAxis(time) || time > t.end || (at > 0 && time < counter.at.back()))
                return false;
            counter.at.push_back(time);
            counter.values.push_back(value);
        }
        t.counters.push_back(std::move(counter));
    }
    return true;
}

bool readHead(TraceReader& in, LaneTrace& t)
{
    readText(in, t.title);
    readText(in, t.unit);
    in.field(t.end);
    t.states = readStates(in);
    const std::size_t lanes = in.count();
    if (!in.ok() || lanes == 0 || lanes > LaneTrace::kMostLanes || t.states.empty() || !onAxis(t.end))
        return false;
    for (std::size_t at = 0; in.ok() && at < lanes; ++at) {
        Lane& lane = t.lanes.emplace_back();
        readText(in, lane.name);
        readText(in, lane.group);
    }
    t.texts = readTexts(in, TraceTexts::kMost);
    in.field(t.spansInAll);
    return in.ok() && !t.texts.empty() && t.texts.front().empty();
}

} // namespace

std::string encodeLaneTrace(const LaneTrace& trace)
{
    TraceWriter out;
    out.field(trace.title);
    out.field(trace.unit);
    out.field(trace.end);
    writeStates(out, trace.states);
    out.number(trace.lanes.size());
    for (const Lane& lane : trace.lanes) {
        out.field(lane.name);
        out.field(lane.group);
    }
    writeTexts(out, trace.texts);
    out.field(trace.spansInAll);
    out.number(trace.spans.size());
    for (const LaneSpan& span : trace.spans) {
        out.field(span.lane);
        out.field(span.begin);
        out.field(span.end);
        out.byte(span.state);
        out.field(span.label);
        out.field(span.id);
    }
    out.number(trace.instants.size());
    for (const LaneInstant& instant : trace.instants) {
        out.field(instant.lane);
        out.field(instant.at);
        out.byte(instant.state);
        out.field(instant.label);
    }
    out.number(trace.arrows.size());
    for (const LaneArrow& arrow : trace.arrows) {
        out.field(arrow.from);
        out.field(arrow.to);
    }
    out.number(trace.counters.size());
    for (const LaneCounter& counter : trace.counters) {
        out.field(counter.lane);
        out.field(counter.name);
        out.field(counter.unit);
        out.number(counter.at.size());
        for (std::size_t at = 0; at < counter.at.size(); ++at) {
            out.field(counter.at[at]);
            out.field(counter.values[at]);
        }
    }
    return frameTrace(kMagic, kVersion, out.take());
}

Result<LaneTrace> decodeLaneTrace(std::string_view bytes)
{
    if (bytes.size() > LaneTrace::kMostBytes)
        return badTrace("the lane trace has " + std::to_string(bytes.size() >> 20) + " MiB; the most is " +
                        std::to_string(LaneTrace::kMostBytes >> 20));
    const auto payload = unframeTrace(bytes, kMagic, kVersion);
    if (!payload)
        return payload.error();
    TraceReader in(*payload);
    LaneTrace trace;
    if (!readHead(in, trace))
        return badTrace("the lane trace has a head that makes no sense or is too large");
    if (!readSpans(in, trace) || !readInstants(in, trace) || !readArrows(in, trace) || !readCounters(in, trace) ||
        !in.ok() || !in.atEnd())
        return badTrace("the lane trace has spans or counters that are cut short, too many, run backwards or point "
                        "nowhere");
    return trace;
}

LaneTraceBuilder::LaneTraceBuilder(std::string title, std::string unit)
{
    m_trace.title = std::move(title);
    m_trace.unit = std::move(unit);
}

std::uint8_t LaneTraceBuilder::state(const std::string& name, TraceColor color, const std::string& letter)
{
    return addState(m_trace.states, name, color, letter);
}

std::uint32_t LaneTraceBuilder::lane(std::string name, std::string group)
{
    if (m_trace.lanes.size() >= LaneTrace::kMostLanes)
        throw std::logic_error("a lane trace has at most " + std::to_string(LaneTrace::kMostLanes) + " lanes");
    m_trace.lanes.push_back({std::move(name), std::move(group)});
    return static_cast<std::uint32_t>(m_trace.lanes.size() - 1);
}

void LaneTraceBuilder::check(std::uint32_t lane, double begin, double end, std::uint8_t state)
{
    if (lane >= m_trace.lanes.size() || state >= m_trace.states.size())
        throw std::logic_error("a lane trace has no lane " + std::to_string(lane) + " or no state " +
                               std::to_string(state));
    if (!onAxis(begin) || !std::isfinite(end) || end < begin)
        throw std::logic_error("lane " + m_trace.lanes[lane].name + " has a time that is no number or runs backwards");
    m_trace.end = std::max(m_trace.end, end);
}

std::uint32_t LaneTraceBuilder::span(std::uint32_t lane, double begin, double end, std::uint8_t state,
                                     std::string_view label, std::uint64_t id)
{
    check(lane, begin, end, state);
    ++m_trace.spansInAll;
    m_full = m_full || m_trace.spans.size() >= LaneTrace::kMostSpans;
    if (m_full)
        return kNone;
    m_trace.spans.push_back({begin, end, id, lane, m_texts.add(label), state});
    return static_cast<std::uint32_t>(m_trace.spans.size() - 1);
}

void LaneTraceBuilder::instant(std::uint32_t lane, double at, std::uint8_t state, std::string_view label)
{
    check(lane, at, at, state);
    m_full = m_full || m_trace.instants.size() >= LaneTrace::kMostSpans;
    if (!m_full)
        m_trace.instants.push_back({at, lane, m_texts.add(label), state});
}

void LaneTraceBuilder::arrow(std::uint32_t from, std::uint32_t to)
{
    if (from == kNone || to == kNone || m_trace.arrows.size() >= LaneTrace::kMostArrows)
        return;
    if (from >= m_trace.spans.size() || to >= m_trace.spans.size())
        throw std::logic_error("an arrow of a lane trace wants two spans");
    m_trace.arrows.push_back({from, to});
}

std::uint32_t LaneTraceBuilder::counter(std::uint32_t lane, std::string name, std::string unit)
{
    if (lane >= m_trace.lanes.size() || m_trace.counters.size() >= LaneTrace::kMostLanes)
        throw std::logic_error("a counter of a lane trace wants a lane: " + name);
    m_trace.counters.push_back({lane, std::move(name), std::move(unit), {}, {}});
    return static_cast<std::uint32_t>(m_trace.counters.size() - 1);
}

void LaneTraceBuilder::sample(std::uint32_t counter, double at, double value)
{
    LaneCounter& own = m_trace.counters.at(counter);
    if (!onAxis(at) || !std::isfinite(value) || (!own.at.empty() && at < own.at.back()))
        throw std::logic_error("the counter " + own.name + " has a sample that is no number or runs backwards");
    m_trace.end = std::max(m_trace.end, at);
    if (m_samples >= LaneTrace::kMostSamples || (!own.values.empty() && own.values.back() == value))
        return;
    ++m_samples;
    own.at.push_back(at);
    own.values.push_back(value);
}

void LaneTraceBuilder::endsAt(double end)
{
    if (!onAxis(end))
        throw std::logic_error("a lane trace ends at no number");
    m_trace.end = std::max(m_trace.end, end);
}

LaneTrace LaneTraceBuilder::take()
{
    if (m_trace.lanes.empty() || m_trace.states.empty())
        throw std::logic_error("a lane trace wants lanes and states");
    std::vector<std::uint32_t> order(m_trace.spans.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const LaneSpan &x = m_trace.spans[a], &y = m_trace.spans[b];
        return x.lane != y.lane ? x.lane < y.lane : x.begin < y.begin;
    });
    std::vector<LaneSpan> spans;
    std::vector<std::uint32_t> place(order.size());
    spans.reserve(order.size());
    for (const std::uint32_t each : order) {
        place[each] = static_cast<std::uint32_t>(spans.size());
        spans.push_back(m_trace.spans[each]);
    }
    m_trace.spans = std::move(spans);
    for (LaneArrow& arrow : m_trace.arrows)
        arrow = {place[arrow.from], place[arrow.to]};
    std::stable_sort(m_trace.instants.begin(), m_trace.instants.end(), [](const LaneInstant& a, const LaneInstant& b) {
        return a.lane != b.lane ? a.lane < b.lane : a.at < b.at;
    });
    std::stable_sort(m_trace.counters.begin(), m_trace.counters.end(),
                     [](const LaneCounter& a, const LaneCounter& b) { return a.lane < b.lane; });
    m_trace.texts = m_texts.take();
    return std::move(m_trace);
}

} // namespace ridge
