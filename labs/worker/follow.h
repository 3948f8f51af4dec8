// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace ridge::labs {

/// `ridge-worker follow`: a run whose reader may go away and come back (docs/protocol.md, "A run that outlives its
/// link"). Reads the request and then commands on standard input, writes frames on standard output. The run itself is a
/// detached process with a folder of its own; it ends by itself when no reader gave a sign of life for `orphanSeconds`.
/// `offset` and `orphanSeconds` are numbers as they came on the command line; what is none of them, and a length of the
/// request that is none, is answered with a "refused" frame.
/// Returns the exit status: 0 everything was said, 2 not a request, 3 the reader is gone.
int follow(const std::string& id, const std::string& offset, const std::string& orphanSeconds);

} // namespace ridge::labs
