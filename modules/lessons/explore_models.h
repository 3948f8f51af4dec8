// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

#include <filesystem>

namespace ridge::lessons {

/// A live figure that an `explore` block may show: its name and what the reader can change. The linter checks lessons
/// against these, app/lesson/reader/blocks draws them.
struct ExploreModelInfo {
    std::string name;
    std::vector<ParamSpec> parameters;

    const ParamSpec* parameter(std::string_view parameterName) const; ///< null for any other name
    bool namesChips() const;                                          ///< a parameter offers chips of the table
};

/// Ids of the chips in assets/chips/gpus.json below `dataRoot`, in the order of the file.
struct ChipIds {
    std::vector<std::string> all;
    std::vector<std::string> withLimits; ///< those whose SM limits the table has
};
/// Errors: "cannot-read", and those of a file that is no chip table.
Result<ChipIds> chipIds(const std::filesystem::path& dataRoot);

/// All models. Parameters that name a chip offer what `chips` has.
std::vector<ExploreModelInfo> exploreModels(const ChipIds& chips);

} // namespace ridge::lessons
