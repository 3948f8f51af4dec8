// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"
#include "app/drawing/scenes/scene.h"
#include "base/parameters.h"
#include "base/provenance.h"

namespace ridge::app {

/// A pure function that an explore block drives: parameters in, a picture out, which is a scene or a plot. Its
/// parameters are lessons::exploreModels(), the ones that the linter knows.
struct ExploreModel {
    Provenance provenance = Provenance::Modelled;
    QString scene;                                            ///< id of the scene that draws `frame`; empty: a plot
    SceneFrame (*frame)(const ParamSet&) = nullptr;           ///< given a scene
    std::shared_ptr<Plot> (*plot)(const ParamSet&) = nullptr; ///< given none
    double height = 380;                                      ///< px at 100 % text size
    std::string dragged{}; ///< the parameter that a place along the plot's x axis is a value of; empty: none
    std::vector<ParamSpec> parameters{};
};

/// Null for an unknown name.
const ExploreModel* exploreModel(const std::string& name);

/// What a scene model draws for these parameters; those that are missing or not legal take their defaults.
SceneFrame explore(const std::string& model, const ParamSet& params);
/// The same of a plot model; null where the model draws a scene.
std::shared_ptr<Plot> explorePlot(const std::string& model, const ParamSet& params);

} // namespace ridge::app
