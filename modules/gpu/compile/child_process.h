// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridge::gpu {

/// A program started without a shell, with nothing on standard input.
struct ChildSpec {
    std::filesystem::path program;
    std::vector<std::string> args; ///< without the program itself
    std::filesystem::path folder;  ///< working folder, and the one for its temporary files; empty: ours
    double seconds = 60;           ///< wall time until it is killed, with all it started
    std::function<bool()> stop{};  ///< polled while waiting; true kills it, with all it started. May be empty
    std::uint64_t memory = 0;      ///< bytes of its address space; 0: as much as we may have
    std::uint64_t fileBytes = 0;   ///< of each file that it writes; 0: no limit
    std::size_t outputBytes = 0;   ///< printed on either output before it is killed; 0: the rest is dropped
};

struct ChildResult {
    int exitCode = -1; ///< 128 + signal when a signal ended it
    std::string out;   ///< at most kMaxChildOutput bytes; the rest is read and dropped
    std::string err;   ///< likewise
};

inline constexpr std::size_t kMaxChildOutput = 16u << 20;

/// Waits for the end of the program. Errors: "cannot-start" (names the program and why), "time-limit", "output-limit",
/// "cancelled" (`stop` said so). In every case the program is gone and reaped when this returns, and what it started
/// and left in its process group is killed; likewise when the calling thread ends, however it ends. A limit on our own
/// memory that can be raised is not the program's.
Result<ChildResult> runChild(const ChildSpec& spec);

} // namespace ridge::gpu
