// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/site.h"

namespace ridge::folio {

/// manifest.json: what the portfolio says, for programs, and every file with its SHA-256. Not among those files are the
/// manifest itself, SHA256SUMS, and portfolio.pdf, which carries the manifest; SHA256SUMS has the last.
Json manifestOf(const PortfolioDocument& document, const Style& style, const std::vector<OutFile>& files);
/// What it says of one artifact.
Json artifactOf(const ArtifactPart& part);
/// A SHA-256 over everything that words and looks of pages and charts follow from, besides the rows: the program's
/// version, the experiments and the stylesheets. Pages of the same maker can be made again and compared.
std::string makerOf(const std::string& catalogue, const Style& style);

inline constexpr const char* kManifestFormat = "ridgepoint-portfolio";
inline constexpr int kManifestVersion = 1;
inline constexpr const char* kSchemaFile = "portfolio.schema.json"; ///< in assets/schemas and in every portfolio

} // namespace ridge::folio
