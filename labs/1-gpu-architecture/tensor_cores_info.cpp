// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "tensor_cores".
#include "labs/1-gpu-architecture/tensor_cores_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

namespace ridge::labs {

namespace {

std::vector<ParamSpec> parameters()
{
    auto precision =
        choiceParam("precision", "Precision", {"fp32", "tf32", "fp16", "bf16", "fp8"}, "fp16",
                    "Format of the factors: fp32 on the CUDA cores, the others on the tensor cores (fp8 is e4m3). Sums "
                    "are in FP32; fp16 and bf16 are stored in 16 bits again.");
    auto n = integerParam("n", "Order n", "", 64, 16384, 256, ParamScale::Log2,
                          "Order of the square matrices, a multiple of 64.");
    n.defaultFor = {{"gpu", std::int64_t{4096}}};
    n.sweepFor = {{"sim", "64..512:log2"}, {"gpu", "64..8192:log2"}};
    auto data =
        choiceParam("data", "Inputs", {"uniform", "large", "cancel"}, "uniform",
                    "uniform: numbers from 0 to 1. large: all inputs are `value`, so that every result is n "
                    "value^2. cancel: pairs of products that differ by 2^-10, so that every result is n / 2048.");
    ParamSpec value;
    value.name = "value";
    value.title = "Value of large inputs";
    value.type = ParamType::Real;
    value.min = 0.001;
    value.max = 1024;
    value.scale = ParamScale::Log2;
    value.defaultValue = 16.0;
    value.help = "What all inputs are with data=large; it has no effect otherwise.";
    value.sweepFor = {{"sim", "1,2,4,8,15,16,32,64"}, {"gpu", "1,2,4,8,15,16,32,64"}};
    return {precision, n, data, value};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> list{
        {"rate", "Rate", "TFLOP/s", "2 n^3 operations over the time of the launch."},
        {"peak", "Peak of the chip", "TFLOP/s",
         "Dense, as published, else operations a clock times clock; with 2:4 sparsity datasheets print twice as much."},
        {"peak_share", "Share of the peak", "%", "Rate over the dense peak of this precision."},
        {"reference_rate", "Rate of the vendor's library", "TFLOP/s",
         "The fastest of cuBLAS's own choice and every algorithm that cuBLASLt's heuristic names, on the same buffers "
         "and "
         "in turns with the kernel; only on a GPU where a library is found."},
        {"reference_share", "Share of the vendor's rate", "%", "Rate over that of the vendor's library."},
        {"max_rel_error", "Largest relative error", "1",
         "Against the same product in FP64 from inputs that nobody rounded; over the finite results that were "
         "compared."},
        {"mean_rel_error", "Mean relative error", "1", "The same on average."},
        {"max_output", "Largest result", "1", "Largest magnitude of the finite results; none where all are infinite."},
        {"infinities", "Infinite results", "results", "Results that are infinite because the format ends before them."},
        {"emulation_share", "Equal to the emulation", "%",
         "Results with the very bits that the CPU gets when it rounds inputs, sums and outputs as published "
         "measurements say tensor cores do; of at most 4096 of them."},
        {"flop", "Floating-point operations", "FLOP", "2 n^3: a multiply-add is two."}};
    for (MetricSpec& spec : timeMetrics("one launch"))
        list.push_back(std::move(spec));
    for (MetricSpec& spec : simulatedMetrics())
        list.push_back(std::move(spec));
    addPairMetrics(list, "reference_share", "Share of the vendor's rate");
    return list;
}

} // namespace

ExperimentInfo tensorCoresInfo()
{
    ExperimentInfo made;
    made.id = "tensor_cores";
    made.version = 1;
    made.title = "Tensor cores and precision";
    made.module = 1;
    made.summary = "Multiplies matrices in five precisions and sets the rate against the error.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    made.charts = {
        {"rate_over_precision", "Rate over precision", "precision", "rate", ParamScale::List, ParamScale::Log2},
        {"error_over_precision", "Largest error over precision", "precision", "max_rel_error", ParamScale::List,
         ParamScale::Log2},
        {"error_over_n", "Largest error over order", "n", "max_rel_error", ParamScale::Log2, ParamScale::Log2},
        {"rate_over_n", "Rate over order", "n", "rate", ParamScale::Log2, ParamScale::Log2},
        {"infinities_over_value", "Infinite results over value", "value", "infinities", ParamScale::Log2,
         ParamScale::Linear}};
    const std::string source = "chip table: published dense peaks, else FLOP a clock and SM × SMs × clock";
    made.limits = {{"rate", "dense peak of the precision", "upper", "published dense peak", source},
                   {"peak_share", "dense peak of the precision", "upper", "100 %", source},
                   {"time", "operations at the dense peak", "lower", "2 n^3 ÷ dense peak", source}};
    made.kernels = {kCudaCoresKernel, kMmaSyncKernel, kMmaFp8Kernel, kWgmmaKernel};
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
