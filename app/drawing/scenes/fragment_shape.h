// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/mma_fragments.h"
#include "app/drawing/scenes/scene.h"

#include <optional>

namespace ridge::app {

/// The shape that a frame is about: an MmaShape payload, else the first tensor instruction of its launch; none:
/// neither.
std::optional<MmaShape> shapeOf(const SceneFrame& frame);

} // namespace ridge::app
