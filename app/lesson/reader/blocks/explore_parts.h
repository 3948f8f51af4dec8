// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/chart_table.h"
#include "app/lesson/reader/blocks/explore_model.h"
#include "silicon/chip_catalogue.h"

namespace ridge::app {

// What the families of explore models share. Every function that makes a picture is given complete parameters.

std::map<std::string, ExploreModel> accessModels(); ///< explore_access.cpp
std::map<std::string, ExploreModel> chipModels();   ///< explore_chips.cpp
std::map<std::string, ExploreModel> timeModels();   ///< explore_time.cpp
std::map<std::string, ExploreModel> choiceModels(); ///< explore_choice.cpp

std::int64_t integerOf(const ParamSet& params, const char* name);
double realOf(const ParamSet& params, const char* name);
std::string textOf(const ParamSet& params, const char* name);

/// The table that ships, read once.
const Result<silicon::Catalogue>& chipTable();
/// Errors: of the table, and "unknown-chip".
Result<silicon::Chip> chipOf(const ParamSet& params, const char* name);

/// "BF16"
QString precisionName(silicon::Precision precision);
/// "Figures of H100 SXM5 80GB and L40S from TechPowerUp …; …": the sources of the figures, each once.
QString sourcesText(const QString& what, const std::vector<const std::vector<std::string>*>& keys);
/// "256 KiB": a size in binary prefixes, three digits.
QString binarySize(double bytes);
/// "2¹⁶"
QString powerOfTwo(int exponent);
/// Ticks of a logarithmic axis at powers of two, every `step` octaves between the exponents; of sizes in bytes with
/// their binary prefixes, else as powers.
std::vector<Tick> binaryTicks(int from, int to, int step, bool bytes);
/// A table of texts and numbers with these columns.
ChartTable exploreTable(const QString& kind, std::vector<ChartColumn> columns,
                        std::vector<std::vector<ChartCell>> rows);
/// A plot that only says why there is no picture.
std::shared_ptr<Plot> refusal(const QString& title, const Error& error);

} // namespace ridge::app
