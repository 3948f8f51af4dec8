// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

namespace ridge::lessons {

/// A piece of a line of prose after claims and formulas are cut out.
struct InlineText {
    std::string markdown;
};
struct InlineClaim {
    std::string key;
};
struct InlineFormula {
    std::string tex;
    std::string asset; ///< file name below assets/formulas/: first 16 hex digits of the SHA-256 of tex, ".svg"
};
using Inline = std::variant<InlineText, InlineClaim, InlineFormula>;

/// Cuts `{{claim:key}}` (also of a table: "chip:h100-sxm.bf16") and `$tex$` out of Markdown; code spans and fences are
/// left alone.
std::vector<Inline> splitInline(std::string_view markdown);

std::string formulaAsset(std::string_view tex);

} // namespace ridge::lessons
