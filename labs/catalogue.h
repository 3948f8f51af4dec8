// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/experiment.h"

namespace ridge::labs {

std::unique_ptr<Experiment> makeCrossover();
std::unique_ptr<Experiment> makeLatency();
std::unique_ptr<Experiment> makeLevelBandwidth();
std::unique_ptr<Experiment> makeStream();
std::unique_ptr<Experiment> makeThroughput();
std::unique_ptr<Experiment> makeTensorCores();
std::unique_ptr<Experiment> makeOccupancy();
std::unique_ptr<Experiment> makeRoofline();
std::unique_ptr<Experiment> makeTransfers();
std::unique_ptr<Experiment> makeProbe();
std::unique_ptr<Experiment> makeSpeedup();
std::unique_ptr<Experiment> makeGpuChoice();
std::unique_ptr<Experiment> makeCoalescing();
std::unique_ptr<Experiment> makeBankConflicts();
std::unique_ptr<Experiment> makeDivergence();
std::unique_ptr<Experiment> makeLaunch();
std::unique_ptr<Experiment> makeStreams();
std::unique_ptr<Experiment> makeReduction();
std::unique_ptr<Experiment> makeScan();
std::unique_ptr<Experiment> makeHistogram();
std::unique_ptr<Experiment> makeTopK();
std::unique_ptr<Experiment> makeTranspose();
std::unique_ptr<Experiment> makeNorm();
std::unique_ptr<Experiment> makeAsyncCopy();
std::unique_ptr<Experiment> makePower();
std::unique_ptr<Experiment> makeKvCacheGrowth();

/// Every experiment of the lab, in curriculum order. An explicit list: what is not here does not exist.
std::vector<std::unique_ptr<Experiment>> makeCatalogue();

} // namespace ridge::labs
