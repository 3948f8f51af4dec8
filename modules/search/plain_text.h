// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "lessons/formula_index.h"

namespace ridge::app {

/// What an author's Markdown says, without its marks: emphasis, code spans, headings, lists, tables and links as their
/// words, claims as the number prose shows, formulas as they are spoken and as their TeX.
std::string plainText(const std::string& markdown, const lessons::Curriculum& curriculum,
                      const std::map<std::string, lessons::FormulaAsset>& formulas);

} // namespace ridge::app
