// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace ridge::labs {

/// `ridge-worker follow`: a run whose reader may go away and come back (docs/protocol.md, "A run that outlives its
/// link"). Reads the request and then commands on standard input, writes frames on standard output. The run itself is a
/// detached process with a folder of its own; it ends by itself when no reader gave a sign of life for `orphanSeconds`.
/// Returns the exit status: 0 everything was said, 2 not a request, 3 the reader is gone.
int follow(const std::string& id, std::uint64_t offset, double orphanSeconds);

} // namespace ridge::labs
