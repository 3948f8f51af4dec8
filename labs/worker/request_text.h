// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <atomic>
#include <string>

namespace ridge::labs {

/// Everything up to the end of `descriptor`. SIGTERM and SIGINT are let through only while it waits, so that one whose
/// handler sets `cancelled` always ends the wait. Call it before other threads exist. Errors: "cancelled" when
/// `cancelled` is set before the end is reached, "unreadable" with the system's reason.
Result<std::string> readRequestText(int descriptor, const std::atomic<bool>& cancelled);

} // namespace ridge::labs
