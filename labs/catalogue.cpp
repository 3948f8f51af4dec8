// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/catalogue.h"

namespace ridge::labs {

std::vector<std::unique_ptr<Experiment>> makeCatalogue()
{
    std::vector<std::unique_ptr<Experiment>> catalogue;
    catalogue.push_back(makeCrossover());
    catalogue.push_back(makeLatency());
    catalogue.push_back(makeLevelBandwidth());
    catalogue.push_back(makeStream());
    catalogue.push_back(makeThroughput());
    catalogue.push_back(makeTensorCores());
    catalogue.push_back(makeOccupancy());
    catalogue.push_back(makeRoofline());
    catalogue.push_back(makeTransfers());
    catalogue.push_back(makeProbe());
    catalogue.push_back(makeSpeedup());
    catalogue.push_back(makeGpuChoice());
    catalogue.push_back(makeCoalescing());
    catalogue.push_back(makeBankConflicts());
    catalogue.push_back(makeDivergence());
    catalogue.push_back(makeLaunch());
    catalogue.push_back(makeStreams());
    catalogue.push_back(makeReduction());
    catalogue.push_back(makeScan());
    catalogue.push_back(makeHistogram());
    catalogue.push_back(makeTopK());
    catalogue.push_back(makeTranspose());
    catalogue.push_back(makeNorm());
    catalogue.push_back(makeAsyncCopy());
    catalogue.push_back(makePower());
    catalogue.push_back(makeKvCacheGrowth());
    return catalogue;
}

} // namespace ridge::labs
