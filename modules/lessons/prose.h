// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::lessons {

/// Fences that stand in the first column become boxes of their own; this cuts prose at them.
struct ProsePiece {
    bool code = false;
    std::string text;
    std::string language;
};
std::vector<ProsePiece> splitFences(const std::string& markdown);

/// "why-it-matters".
std::string sectionSlug(std::string_view title);

/// Name of the piece of prose or code that is number `index`, from 0, in its section: "why-it-matters:2". A colon is
/// no part of a block's id, so that the two never meet.
std::string pieceAnchor(std::string_view sectionTitle, int index);

} // namespace ridge::lessons
