// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"

namespace ridge::labs {

std::vector<std::unique_ptr<Experiment>> makeCatalogue()
{
    std::vector<std::unique_ptr<Experiment>> catalogue;
    catalogue.push_back(makeCoalescing());
    catalogue.push_back(makeBankConflicts());
    catalogue.push_back(makeReduction());
    catalogue.push_back(makeScan());
    catalogue.push_back(makeHistogram());
    catalogue.push_back(makeTranspose());
    return catalogue;
}

} // namespace ridge::labs
