// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace ridge::record {

/// What `ridge-worker version` says of a worker.
struct WorkerVersion {
    std::string program, digest, arch, executable, data;
    int protocol = 0;
    std::vector<std::string> files; ///< below `data`
    /// Errors: "bad-protocol".
    static Result<WorkerVersion> from(const Json& json, const std::string& place);
};

/// One file of a tar archive (POSIX.1-1988, "ustar"): owned by nobody, of no time. Names of up to 255 bytes.
std::string tarFile(const std::string& name, std::string_view bytes, bool executable);
std::string tarFolder(const std::string& name);
std::string tarEnd();

/// The worker with everything it reads, laid out as an installation: bin/ridge-worker and share/ridgepoint/… .
/// Reads some 15 MB. Errors: "cannot-read", "no-data".
Result<std::string> packWorker(const WorkerVersion& worker);

} // namespace ridge::record
