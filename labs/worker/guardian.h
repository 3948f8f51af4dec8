// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ridge::labs {

/// From now on this process is killed as soon as the process `pid` (decimal) is gone, whoever its parent is: a worker
/// below a profiler is no child of the worker that asked for it. False where `pid` is not a process number.
bool endWith(const char* pid);

} // namespace ridge::labs
