// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "lessons/curriculum.h"

namespace ridge::app {

/// The number of a claim as a page shows it; a filled dot follows what was measured by this program.
QString shownClaim(const lessons::Claim& claim);

/// A line of an author's Markdown (code spans, bold, emphasis, claims, formulas) as the small HTML a QLabel shows. For
/// choices, reasons and steps, where a text document each would cost more than it gives.
QString inlineHtml(const std::string& markdown, const Theme& theme, const lessons::Curriculum& curriculum);
/// The same without any marks, for accessible names.
QString inlinePlain(const std::string& markdown, const lessons::Curriculum& curriculum);

/// "1" is the unit of a bare number and is not written.
QString shownUnit(const std::string& unit);

} // namespace ridge::app
