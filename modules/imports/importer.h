// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge::imports {

/// One number of the file, in base units (s, B, B/s, Hz, tokens/s …; names and shares as the tool has them).
struct Figure {
    std::string name; ///< "dram__throughput.avg.pct_of_peak_sustained_elapsed", "busbw, out of place"
    double value = 0;
    std::string unit; ///< "s", "%", "1" for a count
    std::string of;   ///< what it belongs to: "saxpy, launch 0", "64 MiB"; empty: the whole file
    int line = 0;     ///< of the file, from 1; 0 where the format has no lines
};

/// What a file made elsewhere says. All of it is RECORDED: measured by another program, under conditions this one has
/// not seen.
struct Imported {
    std::string format; ///< id, see formats()
    std::string kind;   ///< of the artifact it becomes: "profile", "benchmark report", "timing report", "log import"
    std::string title;  ///< "2 kernels profiled with Nsight Compute"
    std::vector<Figure> figures;
    std::vector<std::pair<std::string, std::string>> machine; ///< what the file tells: {"gpu", "NVIDIA A100"}
    std::vector<std::string> notes;                           ///< sentences: what was left out, what to mind
};

struct FormatInfo {
    std::string id;    ///< "ncu", "nsys", "nccl-tests", "llama-bench", "fpga-timing", "torch-memory", "nvbench" …
    std::string title; ///< "Nsight Compute"
    std::string how;   ///< the command that makes such a file
};
const std::vector<FormatInfo>& formats();

/// The longest file that is read, and how many figures one may bring; beyond that the rest is left out with a note.
inline constexpr std::size_t kLongestImport = std::size_t(512) << 20;
inline constexpr std::size_t kMostFigures = 20000;

/// Finds out which of the formats it is (or takes `format`) and reads it. `name` is for messages. Nothing in the file
/// is executed. Errors: "unknown-format" (lists what is known and how to make it), "bad-import" (name:line and what was
/// expected there), "too-large".
Result<Imported> importFile(std::string_view bytes, const std::string& name, std::string_view format = {});

} // namespace ridge::imports
