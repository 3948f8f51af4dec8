// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/experiment.h"

/// Every experiment of the lab, one line each, in curriculum order; what is not here does not exist. GPU: one that
/// executes kernels (labs/gpu_experiment.h); ANY: all others. Each source ends with its std::unique_ptr<…> makeName().
// clang-format off
#define RIDGE_EXPERIMENTS(GPU, ANY) \
    GPU(Crossover) \
    GPU(Latency) \
    GPU(LevelBandwidth) \
    GPU(Stream) \
    GPU(Throughput) \
    GPU(TensorCores) \
    GPU(Occupancy) \
    GPU(Roofline) \
    GPU(Transfers) \
    GPU(Probe) \
    ANY(Managed) \
    ANY(Speedup) \
    ANY(GpuChoice) \
    GPU(Coalescing) \
    GPU(BankConflicts) \
    GPU(Divergence) \
    GPU(Waves) \
    GPU(Launch) \
    GPU(Streams) \
    GPU(Reduction) \
    GPU(Scan) \
    GPU(Histogram) \
    GPU(TopK) \
    GPU(Matmul) \
    GPU(Transpose) \
    GPU(Norm) \
    GPU(Fusion) \
    GPU(Softmax) \
    GPU(Attention) \
    ANY(OnlineSoftmax) \
    GPU(AsyncCopy) \
    GPU(TensorMatmul) \
    GPU(HopperMatmul) \
    GPU(BlockProgram) \
    GPU(Power) \
    GPU(KernelChain) \
    ANY(GraphCompile) \
    GPU(GraphRun) \
    GPU(KvCacheGrowth) \
    ANY(Cache) \
    ANY(KvAlloc) \
    ANY(Allocator) \
    ANY(Workload) \
    ANY(GemmTime) \
    ANY(AttentionTime) \
    ANY(Capacity) \
    ANY(NumberFormat) \
    ANY(Quantize) \
    ANY(SmallModelQuality) \
    ANY(Dram) \
    ANY(SpeculativeReal) \
    ANY(Plan) \
    ANY(PlanSearch) \
    ANY(Overlap) \
    ANY(Failures) \
    ANY(Interruptions) \
    ANY(TokenCost) \
    ANY(Tco) \
    ANY(Porting) \
    ANY(Speculative) \
    ANY(Edge) \
    ANY(LongContext) \
    ANY(Systolic) \
    ANY(Accelerator) \
    ANY(Mapping) \
    ANY(Trainium) \
    ANY(StaticSchedule) \
    ANY(Wafer) \
    ANY(EngineOverlap) \
    ANY(Hls) \
    ANY(RtlArray) \
    ANY(Rtl) \
    ANY(RtlCells) \
    ANY(RtlTiming) \
    ANY(RtlProof) \
    ANY(RtlLong) \
    ANY(Unified) \
    ANY(MachineChoice) \
    ANY(Codesign) \
    ANY(Topology) \
    ANY(Collective) \
    ANY(HangDiagnosis) \
    ANY(Serving)
// clang-format on

namespace ridge::labs {

#define RIDGE_GPU(name) std::unique_ptr<GpuExperiment> make##name();
#define RIDGE_ANY(name) std::unique_ptr<Experiment> make##name();
RIDGE_EXPERIMENTS(RIDGE_GPU, RIDGE_ANY)
#undef RIDGE_GPU
#undef RIDGE_ANY

std::vector<std::unique_ptr<Experiment>> makeCatalogue();

} // namespace ridge::labs
