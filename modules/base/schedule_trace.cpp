// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/schedule_trace.h"

#include "base/trace_bytes.h"

#include <cmath>

namespace ridge {
namespace {

constexpr std::string_view kMagic = "RSTR";
constexpr std::uint32_t kVersion = 1;

template<class Stream, class... Fields>
void all(Stream& stream, Fields&... fields)
{
    (stream.field(fields), ...);
}

template<class Stream, class Trace>
void describeHead(Stream& s, Trace& t)
{
    all(s, t.title, t.device, t.provenance, t.seconds, t.wallSeconds);
}

template<class Stream, class Operation>
void describeOperation(Stream& s, Operation& o)
{
    all(s, o.label, o.lane, o.stream, o.bytes, o.begin, o.end, o.called, o.returned);
}

bool runsForward(double from, double to)
{
    return std::isfinite(from) && std::isfinite(to) && from >= 0 && to >= from;
}

} // namespace

std::string encodeScheduleTrace(const ScheduleTrace& trace)
{
    TraceWriter out;
    describeHead(out, trace);
    out.number(trace.operations.size());
    for (const TracedOperation& operation : trace.operations)
        describeOperation(out, operation);
    return frameTrace(kMagic, kVersion, out.take());
}

Result<ScheduleTrace> decodeScheduleTrace(std::string_view bytes)
{
    if (bytes.size() > ScheduleTrace::kMostBytes)
        return badTrace("the trace is larger than any that a worker sends");
    const auto payload = unframeTrace(bytes, kMagic, kVersion);
    if (!payload)
        return payload.error();
    TraceReader in(*payload);
    ScheduleTrace trace;
    describeHead(in, trace);
    trace.operations.resize(in.count());
    for (TracedOperation& operation : trace.operations)
        describeOperation(in, operation);
    if (!in.ok() || !in.atEnd())
        return badTrace("the trace does not hold what it says");
    bool right = runsForward(0, trace.seconds) && runsForward(0, trace.wallSeconds);
    for (const TracedOperation& operation : trace.operations)
        right =
            right && runsForward(operation.begin, operation.end) && runsForward(operation.called, operation.returned);
    if (!right)
        return badTrace("the trace has times that are no numbers or run backwards");
    return trace;
}

} // namespace ridge
