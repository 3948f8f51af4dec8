// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/request_executor.h"

#include <filesystem>

namespace ridge::classroom {

/// What the worker beside this program is: its own bytes, the files it reads, the compilers that it finds. Workers of
/// equal identity give a simulated request the same bits. Blocks for some tenths of a second. Errors: queryWorker's.
Result<std::string> workerIdentity();

/// `execute`, which asks `folder` first: what this worker has simulated or modelled once it need not run again for a
/// file that came later. Answers are kept in a folder of the worker's identity; those of another worker are thrown
/// away, a file that is damaged counts as none, and a folder that cannot be written only costs the time again. Measured
/// targets are never remembered. A request is known again when it names every parameter, as rows do. `identity` is
/// asked once, at the first request that could be remembered; where it fails, everything is run.
Execute rememberedRuns(Execute execute, std::filesystem::path folder,
                       std::function<Result<std::string>()> identity = workerIdentity);

} // namespace ridge::classroom
