// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"
#include "base/result.h"

#include <span>
#include <string_view>

namespace ridge::app {

/// A kind of trace that this version can read, with what a frame gets of it. A new kind is one line of the table in
/// trace_kinds.cpp; everything else that handles traces passes bytes and payloads on.
struct TraceKind {
    std::string_view name;  ///< TraceEvent::kind
    std::string_view magic; ///< of its bytes (base/trace_bytes.h): in a stored file the name is not there
    Result<Payloads> (*decode)(std::string_view bytes);
};

std::span<const TraceKind> traceKinds();
/// Null: this version does not know it.
const TraceKind* kindOfName(std::string_view name);
const TraceKind* kindOfMagic(std::string_view magic);

} // namespace ridge::app
