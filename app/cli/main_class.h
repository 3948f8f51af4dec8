// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/class_commands.h"

namespace CLI {
class App;
}

/// `ridge class …` and `ridge generate …` as CLI11 sees them. `options` has to live until the line is parsed.
CLI::App* addClass(CLI::App& app, ridge::cli::ClassOptions& options);
CLI::App* addGenerate(CLI::App& app, ridge::cli::GenerateLearnersOptions& options);
