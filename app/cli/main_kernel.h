// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/commands.h"

namespace CLI {
class App;
}

struct KernelLine {
    ridge::cli::KernelRunOptions run;
    ridge::cli::KernelCompileOptions compile;
    ridge::cli::KernelGradeOptions grade;
    std::string seed; ///< of grade, as it was typed
    std::string task, out;
    int hints = 0; ///< of task show
    bool anyway = false;
    bool json = false;
};

/// `ridge kernel …` as CLI11 sees it. `line` has to live until the line is parsed.
CLI::App* addKernel(CLI::App& app, KernelLine& line);
/// What was parsed; its exit code.
int runKernel(const CLI::App& kernel, KernelLine& line);
