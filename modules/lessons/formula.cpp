// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/formula.h"

#include "lessons/formula_names.h"
#include "lessons/lesson_evidence.h"

namespace ridge::lessons {

Result<double> evaluateFormula(std::string_view formula, const ParamSet& params)
{
    return ridge::evaluateFormula(formula, params);
}

Result<std::vector<std::string>> formulaNames(std::string_view formula)
{
    return ridge::formulaNames(formula);
}

} // namespace ridge::lessons
