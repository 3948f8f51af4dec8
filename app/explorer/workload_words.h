// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/cost_bar.h"
#include "app/drawing/charts/roofline_plot.h"
#include "workload/explorer.h"

namespace ridge::app {

/// A model, a step of it and a chip, and what was found of them: what every part of the explorer shows.
struct ExploredStep {
    const workload::Subject* subject = nullptr;
    workload::Step step;
    workload::Device device;
    QString chip;   ///< "H100 SXM5 80GB"
    QString format; ///< "bf16"
    workload::Exploration found;
};

/// Columns of the table of operators.
enum class OperatorColumn { Name, Launches, Shapes, Work, Traffic, Intensity, Bound, Time, Share, Fusion };
inline constexpr int kOperatorColumns = 10;

QString operatorName(const workload::Exploration& found, int row); ///< "backward of gate and up"
QString boundText(workload::Bound bound);
QString operatorTitle(OperatorColumn column);
/// What a cell says; "–" where there is nothing.
QString operatorText(const ExploredStep& what, const std::vector<int>& groups, int row, OperatorColumn column);
/// What is behind it, to be sorted by; texts sort as they are.
double operatorNumber(const workload::Explored& row, OperatorColumn column);

/// Every number of the page as rows: table twin and files.
ChartTable operatorTable(const ExploredStep& what);
QString stepSentence(const ExploredStep& what); ///< "Prefill of Llama 3 8B, 4 × 1,024 tokens, bf16, on H100 …"
/// The operator in words: what bounds it, at the least, as modelled, where its bytes go.
QString operatorSentence(const ExploredStep& what, int row);

/// The kernels that have a dot, as rows; those that compute nothing or are the backward pass of another have none.
std::vector<int> rowsWithDots(const workload::Exploration& found);
RooflineData operatorRoofline(const ExploredStep& what);
CostData operatorCosts(const ExploredStep& what);

} // namespace ridge::app
