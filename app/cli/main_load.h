// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/commands.h"

namespace CLI {
class App;
}

/// `ridge load …` as CLI11 sees it. `options` has to live until the line is parsed.
CLI::App* addLoad(CLI::App& app, ridge::cli::LoadOptions& options);
