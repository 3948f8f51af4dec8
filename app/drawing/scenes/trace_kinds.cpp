// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/trace_kinds.h"

#include "app/drawing/scenes/launch_view.h"
#include "base/grid_trace.h"
#include "base/lane_trace.h"
#include "base/schedule_trace.h"

#include <algorithm>

namespace ridge::app {
namespace {

/// What a codec of modules/base gives, as the payload of a frame.
template<auto decode>
Result<Payloads> plain(std::string_view bytes)
{
    auto trace = decode(bytes);
    if (!trace)
        return trace.error();
    Payloads payloads;
    payloads.put(std::make_shared<const std::remove_cvref_t<decltype(*trace)>>(std::move(*trace)));
    return payloads;
}

/// The same behind a view that makes any place of it answer at once.
template<class View, auto decode>
Result<Payloads> indexed(std::string_view bytes)
{
    auto trace = decode(bytes);
    if (!trace)
        return trace.error();
    using Trace = std::remove_cvref_t<decltype(*trace)>;
    Payloads payloads;
    payloads.put(std::make_shared<const View>(std::make_shared<const Trace>(std::move(*trace))));
    return payloads;
}

constexpr TraceKind kKinds[] = {
    {"memory", "RTRC", plain<decodeTrace>},
    {"launch", "RLTR", indexed<LaunchView, decodeLaunchTrace>},
    {"schedule", "RSTR", plain<decodeScheduleTrace>},
    {GridTrace::kKind, "RGRD", indexed<GridHistory, decodeGridTrace>},
    {LaneTrace::kKind, "RLAN", indexed<LaneIndex, decodeLaneTrace>},
};

const TraceKind* found(std::string_view TraceKind::*part, std::string_view wanted)
{
    const auto at =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const TraceKind& kind) { return kind.*part == wanted; });
    return at == std::end(kKinds) ? nullptr : at;
}

} // namespace

std::span<const TraceKind> traceKinds()
{
    return kKinds;
}

const TraceKind* kindOfName(std::string_view name)
{
    return found(&TraceKind::name, name);
}

const TraceKind* kindOfMagic(std::string_view magic)
{
    return found(&TraceKind::magic, magic);
}

} // namespace ridge::app
