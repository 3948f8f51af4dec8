// SPDX-License-Identifier: GPL-3.0-or-later
// The programs that read RTL: found in PATH, started without a shell in a folder of their own, ended at limits.
#pragma once

#include "base/result.h"
#include "gpu/compile/temporary_folder.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridge::rtl {

/// What a design may take before it is ended.
struct Limits {
    double seconds = 60;                ///< of each program
    std::uint64_t memory = 2ull << 30;  ///< bytes
    std::uint64_t files = 256ull << 20; ///< bytes of each file that it writes
    std::size_t words = 16u << 20;      ///< bytes that it prints
    std::function<bool()> stop{};       ///< polled; true ends it
};

/// "iverilog", "vvp", "yosys", "nextpnr-ice40" or "verilator" in PATH. Errors: "no-…" of its name with
/// the package to install.
Result<std::filesystem::path> findTool(const std::string& name);

struct ToolRun {
    int exitCode = 0; ///< 128 + signal when a signal ended it
    std::string out, err;
};

/// Errors: as findTool; "rtl-time", "rtl-output" (it reached a limit; what it was doing is `doing`, as "the design's
/// simulation"), "cancelled", "cannot-start".
Result<ToolRun> runTool(const std::string& name, const std::vector<std::string>& args,
                        const std::filesystem::path& folder, const Limits& limits, const std::string& doing);

/// The same for a program that one of them made. Errors: as runTool's, but for a missing tool.
Result<ToolRun> runProgram(const std::filesystem::path& program, const std::vector<std::string>& args,
                           const std::filesystem::path& folder, const Limits& limits, const std::string& doing);

/// A folder that is removed with all in it. Where RIDGE_RTL_KEEP names a folder, what is in this one is copied there
/// first: sources, stimuli and wave.vcd, for GTKWave.
class Scratch {
public:
    /// Errors: "cannot-write".
    static Result<Scratch> make();
    Scratch(Scratch&&) = default;
    Scratch& operator=(Scratch&&) = delete;
    ~Scratch();
    const std::filesystem::path& path() const { return m_folder.path(); }
    /// Errors: "cannot-write".
    Result<void> write(const std::string& name, const std::string& text) const;
    /// "" where there is none; at most `most` bytes.
    std::string read(const std::string& name, std::uint64_t most) const;

private:
    explicit Scratch(gpu::TemporaryFolder folder) : m_folder(std::move(folder)) {}
    gpu::TemporaryFolder m_folder;
};

/// Up to `most` bytes of what a program said, the scratch folder's path taken out, for an error.
std::string said(const std::string& text, const std::filesystem::path& folder, std::size_t most = 600);

} // namespace ridge::rtl
