// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace.h"

#include <QFuture>

namespace ridge::app {

/// Decodes a trace on the thread pool: a trace may be megabytes and the window must keep its frame rate. Any thread.
QFuture<Result<MemoryTrace>> decodeTraceAsync(std::string bytes);

} // namespace ridge::app
