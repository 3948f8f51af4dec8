// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/class_commands.h"

namespace CLI {
class App;
}

/// What is wrong with a seed as it was typed; empty: nothing. CLI11 alone turns -1 and what is too large into other
/// numbers.
std::string seedProblem(const std::string& text);
/// The same for whole numbers and for seconds, from 0 on: CLI11's own check tells the whole range of a double.
std::string wholeProblem(const std::string& text);
/// The same from 1 on.
std::string countProblem(const std::string& text);
/// What is wrong with a text that may not be empty.
std::string presentProblem(const std::string& text);
std::string secondsProblem(const std::string& text);

/// `ridge class …` and `ridge generate …` as CLI11 sees them. `options` has to live until the line is parsed.
CLI::App* addClass(CLI::App& app, ridge::cli::ClassOptions& options);
CLI::App* addGenerate(CLI::App& app, ridge::cli::GenerateLearnersOptions& options);
