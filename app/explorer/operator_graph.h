// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene.h"
#include "app/explorer/workload_words.h"

namespace ridge::app {

/// Operators and what reads whose results, ready to be drawn.
struct OperatorGraph {
    struct Box {
        QString name, note; ///< "gate and up", "× 32 · memory"
        QString told;
        double share = 0; ///< of the step
        workload::Bound bound = workload::Bound::Memory;
        int level = 0, place = 0, abreast = 1; ///< of the boxes in its level
    };
    QString title;
    std::vector<Box> boxes; ///< one a row
    std::vector<std::pair<int, int>> flow;
    int levels = 0, widest = 1;
};

OperatorGraph operatorGraph(const ExploredStep& what);

/// Boxes level by level, each below those whose results it reads; levels go on in the next column where the picture is
/// too low. The colour of a bar under a box says what bounds it, its length its share of the step.
std::unique_ptr<Scene> makeOperatorGraphScene();

} // namespace ridge::app
