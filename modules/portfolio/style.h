// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "portfolio/picture.h"

#include <filesystem>
#include <map>

namespace ridge::folio {

/// Colours and stylesheets of a portfolio, from assets/themes and assets/portfolio: the colours on paper are those of
/// the program.
struct Style {
    std::map<std::string, std::string> light, dark; ///< role -> "#rrggbb"
    std::string page;                               ///< portfolio.css as it is written
    std::string chart;                              ///< what a picture that stands alone brings along
};

/// Errors: "cannot-read" and "bad-theme" with the file.
Result<Style> loadStyle(const std::filesystem::path& data);

/// Role of the theme that an ink has.
std::string roleOf(Ink ink);

/// The picture as a file of its own: XML head, the light theme's colours on every shape, so that programs that know no
/// stylesheet draw it too, and a stylesheet that a browser follows into the dark.
std::string toSvgFile(const Picture& picture, const Style& style);

} // namespace ridge::folio
