// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"

#include <QFuture>

namespace ridge::app {

/// What the traces of a point decode to, by type (app/drawing/scenes/trace_kinds has the kinds); a trace event brings
/// one of them, a stored file all.
struct DecodedTraces {
    Payloads payloads;
    QString problem; ///< why something is not there; empty: all is well
    void addTo(SceneFrame& frame) const;
};

/// The run stays; the scene of its point says why it has no picture.
DecodedTraces unreadable(const Error& error);

/// Where traces come from, for what is said of one that cannot be drawn.
struct TraceOrigin {
    std::string kind; ///< that the worker named; empty: a stored file, whose traces say themselves what they are
    QString run;      ///< "coalescing on sim:h100-sxm"
};

/// Decodes one or more traces, one after another. Of a kind that this version does not know, `problem` says so; the
/// others are there. Errors: "bad-trace", "newer-trace".
Result<DecodedTraces> decodeForScenes(std::string_view bytes, const TraceOrigin& origin);

/// The same on the thread pool: they may be megabytes and the window must keep its frame rate. Any thread.
QFuture<Result<DecodedTraces>> decodeTracesAsync(std::string bytes, TraceOrigin origin);

} // namespace ridge::app
