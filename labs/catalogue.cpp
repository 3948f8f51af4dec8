// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"

namespace ridge::labs {

std::vector<std::unique_ptr<Experiment>> makeCatalogue()
{
    std::vector<std::unique_ptr<Experiment>> catalogue;
#define RIDGE_MAKE(name) catalogue.push_back(make##name());
    RIDGE_EXPERIMENTS(RIDGE_MAKE, RIDGE_MAKE)
#undef RIDGE_MAKE
    return catalogue;
}

} // namespace ridge::labs
