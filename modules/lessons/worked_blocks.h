// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

#include <optional>
#include <string>
#include <vector>

namespace ridge::lessons {

/// A reason in the reader's own words. The model answer shows once it is kept; then the reader rates the own one.
struct ExplainBlock {
    std::string question;
    std::string model;
};

/// A curve over one axis that the reader pulls before it is measured.
struct DrawBlock {
    std::string question;
    std::string experiment;
    std::string metric;
    std::string unit;
    ParamSet set;
    std::string sweep;           ///< one axis, "stride=1..33"
    double min = 0, max = 0;     ///< range of the y axis
    bool logScale = true;        ///< how the y axis is drawn and how distances are averaged
    std::string mechanism;       ///< shown beside the two curves
    std::vector<ParamSet> again; ///< settings laid over `set` for a further curve
};

/// A row of a worksheet that is filled in. Exactly one of `value` and `from` is set.
struct WorksheetGiven {
    std::string name; ///< in formulas
    std::string label;
    std::string unit;
    std::optional<double> value;
    std::string from; ///< "claim:h100.bf16", "run:sweep-a.time@n=4096"
};

/// A row that the reader fills.
struct WorksheetCell {
    std::string name;
    std::string label;
    std::string unit;
    std::string formula;     ///< over given rows, `vars` and the cells above
    double tolerance = 0.01; ///< relative
    std::string hint;        ///< for who was wrong
};

struct WorksheetBlock {
    std::string title;
    std::vector<ParamSet> vars; ///< instances: values that formulas and texts name; empty: one, without any
    std::vector<WorksheetGiven> given;
    std::vector<WorksheetCell> cells;
    std::string caption;
};

/// One point on a simulator, on recorded GPUs and on the reader's own target.
struct CompareBlock {
    std::string experiment;
    std::string after;
    std::string metric;
    ParamSet at;
    std::string simulator;             ///< "sim:h100-sxm"; empty: the lesson's own, else the default one
    std::vector<std::string> recorded; ///< ids of baselines; empty: all with this very point
    std::string caption;
};

} // namespace ridge::lessons
