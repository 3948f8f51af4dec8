// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

#include <filesystem>
#include <map>

namespace ridge::lessons {

/// A formula rendered when the lesson was written (tools/render-formulas). Its SVG draws in one fill, #000000, so that
/// a theme can give it the colour of the text. Lengths in em of the surrounding text.
struct FormulaAsset {
    std::string tex;
    std::string spoken; ///< what a screen reader says
    double width = 0, height = 0;
    double baseline = 0; ///< how far below the text's baseline the lower edge lies
};

/// assets/formulas/index.json below `dataRoot`, by file name. A folder without index has no formulas.
/// Errors: "cannot-read", "bad-json", "bad-formula-index" (names the entry).
Result<std::map<std::string, FormulaAsset>> loadFormulaIndex(const std::filesystem::path& dataRoot);

} // namespace ridge::lessons
