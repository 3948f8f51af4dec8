// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/scenes/scene.h"
#include "base/parameters.h"

namespace ridge::app {

/// A pure function that an explore block drives: its parameters (the linter knows the same ones), the scene that draws
/// it, and what it counts.
struct ExploreModel {
    QString scene;
    std::vector<ParamSpec> parameters;
};

/// "warp_access", "bank_access" and "mma_fragments"; null for any other name.
const ExploreModel* exploreModel(const std::string& name);

/// One warp-wide access with these parameters as a trace of one request. Built with the rules of gpu/access.h, which
/// also count for the simulator, so a slider and a run of the same access agree.
SceneFrame explore(const std::string& model, const ParamSet& params);

} // namespace ridge::app
