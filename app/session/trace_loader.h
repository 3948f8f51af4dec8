// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/scenes/launch_view.h"
#include "base/launch_trace.h"

#include <QFuture>

namespace ridge::app {

/// What the traces of a point decode to; a trace event brings one of them, a stored file all.
struct DecodedTraces {
    std::optional<MemoryTrace> memory;
    std::shared_ptr<const LaunchView> launch;
    std::shared_ptr<const ScheduleTrace> schedule; ///< a time line, no scene
    QString problem;                               ///< why nothing else is there; empty: all is well
    void addTo(SceneFrame& frame) const;
};

/// The run stays; the scene of its point says why it has no picture.
DecodedTraces unreadable(const Error& error);

/// Decodes one or more traces on the thread pool: they may be megabytes and the window must keep its frame rate. Any
/// thread.
QFuture<Result<DecodedTraces>> decodeTracesAsync(std::string bytes);

} // namespace ridge::app
