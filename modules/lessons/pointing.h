// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::lessons {

/// What a reader can point at in a scene: the kinds of things by their name, each followed by so many numbers, as
/// `cell.2.3`; a number of 0 stands for one word (`level.l2`). Empty for a scene that takes no answer.
struct PointedKind {
    std::string_view name;
    int numbers = 1;
};
std::vector<PointedKind> pointedKinds(std::string_view scene);

/// Whether `id` is the name of a thing of that scene, as "bank.3".
bool isPointable(std::string_view scene, std::string_view id);

/// "bank 3", "cell 2, 3", for people.
std::string pointedText(std::string_view id);

} // namespace ridge::lessons
