// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/figure.h"
#include "portfolio/scale.h"

#include <set>

namespace ridge::folio {

/// What the files about figures share; nobody else needs it.

/// "Time" as it reads inside a sentence; "L2 size" and "SM count" keep their capitals.
std::string firstLower(std::string text);
std::string lowered(Provenance provenance);
std::string withUnit(const std::string& title, const std::string& unit);

/// Where a value stands on the axis of a parameter: itself, or the number of its name.
class FigureAxis {
public:
    FigureAxis(const ExperimentInfo& info, const std::string& name) : m_spec(info.parameter(name)) {}
    bool named() const { return m_spec && m_spec->type == ParamType::Choice; }
    std::vector<std::string> names() const;
    std::optional<double> place(const ParamValue& value) const;
    /// "8 KiB", "stride 4"'s "4", a choice by its title.
    std::string words(const ParamValue& value) const;

private:
    const ParamSpec* m_spec;
};

/// "sim:t4 · simulated · 8 runs · valid"
std::string originOf(const std::vector<const record::RunRow*>& runs, const std::string& metric);

/// Names that no run has leave the axis.
void dropUnused(SweepFigure& figure);

/// The figure of a chart whose kind is no curve; no value where no run has its metrics.
std::optional<SweepFigure> figureOfKind(std::span<const record::RunRow> runs, const ExperimentInfo& info,
                                        const ChartSpec& chart);

// Shapes of all figures.
inline constexpr double kTick = 12, kLabel = 13, kTitle = 15;
inline constexpr double kDot = 8, kDiamond = 13;

Shape words(Ink ink, double x, double y, std::string text, double size, Shape::Anchor anchor = Shape::Start,
            bool strong = false);
Shape line(Ink ink, std::vector<Spot> spots, double width, std::vector<double> dash = {});
Shape area(Ink ink, std::vector<Spot> spots);

/// Cost bars and ladders.
Picture drawBars(const SweepFigure& figure, double width);

} // namespace ridge::folio
