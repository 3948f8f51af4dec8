// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/folio/site.h"

namespace ridge::folio {

/// manifest.json: what the portfolio says, for programs, and every file with its SHA-256. Not among those files are the
/// manifest itself, SHA256SUMS, and portfolio.pdf, which carries the manifest; SHA256SUMS has the last.
Json manifestOf(const PortfolioDocument& document, const std::vector<OutFile>& files);

inline constexpr const char* kManifestFormat = "ridgepoint-portfolio";
inline constexpr int kManifestVersion = 1;
inline constexpr const char* kSchemaFile = "portfolio.schema.json"; ///< in assets/schemas and in every portfolio

} // namespace ridge::folio
