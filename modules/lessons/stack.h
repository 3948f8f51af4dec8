// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

namespace ridge::lessons {

/// A layer of the stack from the model to the package.
struct StackLayer {
    std::string id, title, about;                           ///< "L2"
    bool hosted = false;                                    ///< lessons here work on it
    std::vector<std::pair<std::string, std::string>> parts; ///< {"L2c", "Kernel engineering"}
};

/// What a path makes one good at.
struct PathFit {
    std::string path;
    std::string primary, adjacent; ///< sub-layers, "L2c"
    std::string hardware;          ///< what helps, and what stands in for it
    SourceSpan at = {};
};

/// A role that people are hired for, and the path that leads closest to it.
struct TargetRole {
    std::string title;
    std::vector<std::string> layers;
    std::string path;
    std::string lacks; ///< what this program does not teach of it; may be empty
    SourceSpan at = {};
};

struct Stack {
    std::vector<StackLayer> layers;
    std::vector<PathFit> fits;
    std::vector<TargetRole> roles;
    std::vector<std::string> audiences; ///< what `roles` in the head of a lesson may name; empty: anything

    const StackLayer* layer(std::string_view id) const; ///< a layer, or that of a sub-layer
    bool hasPart(std::string_view id) const;
    std::string partTitle(std::string_view id) const; ///< the id where there is none
    const PathFit* fit(std::string_view path) const;
};

/// stack.yaml; empty and without problems where a curriculum has none.
struct LoadedStack {
    Stack stack;
    std::vector<Problem> problems;
};
LoadedStack loadStack(const Curriculum& curriculum);

} // namespace ridge::lessons
