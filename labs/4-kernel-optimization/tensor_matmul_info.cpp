// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "tensor_matmul".
#include "labs/4-kernel-optimization/tensor_matmul_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"cuda_cores", "16-bit factors on the CUDA cores", "tensor_matmul/01_cuda_cores.cu"},
    {"global", "mma.sync from global memory", "tensor_matmul/02_global.cu"},
    {"shared", "tiles in shared memory", "tensor_matmul/03_shared.cu"},
    {"ldmatrix", "XOR swizzle and ldmatrix", "tensor_matmul/04_ldmatrix.cu"},
    {"async", "cp.async and two tiles in turns", "tensor_matmul/05_async.cu"},
    {"large_tile", "a tile of 128 x 128, three in turns", "tensor_matmul/06_large_tile.cu"},
};
constexpr std::size_t kCudaCores = 0, kGlobal = 1, kLargeTile = 5;
constexpr std::uint64_t kSmallDepth = 16, kDepth = 32; ///< elements of k in a step of rung "global", of the others

std::vector<ParamSpec> parameters()
{
    const auto size = [](const char* name, const char* title, const char* help) {
        auto spec = integerParam(name, title, "elements", 1, 16384, 512, ParamScale::Log2, help);
        spec.defaultFor = {{"gpu", std::int64_t{4096}}};
        spec.sweepFor = {{"sim", "64..512:log2"}, {"gpu", "64..8192:log2"}};
        return spec;
    };
    auto reference =
        referenceParam("cublas", "cublas: hold the rung against cuBLAS, which takes B column by column (layout=nk) "
                                 "alone; where it is missing, the run says so and goes on. Simulated chips have none.");
    return {
        rungParam(kRungs, "ldmatrix"),
        choiceParam("precision", "Precision", {"fp16", "bf16"}, "fp16",
                    "Format of the factors; sums and results are FP32."),
        size("m", "Rows m", "Rows of A and C; need not be a multiple of a tile."),
        size("n", "Columns n", "Columns of B and C. With layout=kn also the length of B's rows in memory."),
        size("k", "Depth k", "Columns of A, rows of B: the length of A's rows in memory, with layout=nk of B's too."),
        choiceParam("layout", "Layout of B", {"nk", "kn"}, "nk",
                    "nk: column by column, n x k, as the weights of a linear layer; kn: row by row, k x n."),
        choiceParam("data", "Factors", {"uniform", "integers"}, "uniform",
                    "uniform in [-1, 1), rounded to the format; integers: -2 to 2, so that every sum is exact and "
                    "the result is compared bit for bit."),
        reference};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"rate", "Rate", "TFLOP/s", "2 m n k operations over the time of the launch."},
        {"peak_share", "Share of the peak", "%", "Rate over the dense 16-bit peak of the tensor cores, as published."},
        {"mma_peak", "Peak by mma.sync", "TFLOP/s",
         "What mma.sync can reach of the dense peak: all of it, on compute capability 9.0 62.9 %. Not known of 10.0 "
         "and "
         "11.0."},
        {"mma_share", "Share of the peak by mma.sync", "%", "Rate over what mma.sync can reach."},
        {"mma_instructions", "mma instructions", "instructions",
         "mma.m16n8k16 of all warps, with those on zeros beyond the edges; each is 4096 operations."},
        {"tensor_share", "Instructions for the tensor cores", "%",
         "Warp instructions issued to the tensor pipe over all issued; simulated. 0: the tensor cores do not work "
         "(on a GPU Nsight Compute's sm__pipe_tensor_cycles_active is 0)."},
        {"tile_use", "Use of the tiles", "%", "Operations that count over those that the mma instructions do."},
        {"copy_bytes", "Bytes of a copy", "bytes",
         "The widest piece of a row that a thread may copy at once, of the narrower of A and B: 16 where rows are "
         "multiples of 8 elements, else 8, 4 or 2."},
        {"load_requests", "Global loads", "requests",
         "Warp instructions that load or copy from global memory, cp.async included."},
        {"bank_conflicts", "Bank conflicts", "wavefronts",
         "Passes through shared memory beyond the fewest possible, loads (ldmatrix too) and stores."},
        {"conflict_degree", "Conflict degree", "ways",
         "Passes through shared memory over the fewest possible; 1 is free of conflicts."},
        {"error_share", "Error of its bound", "%",
         "Largest error of a compared element over the bound, 10^-6 of the sum of the magnitudes of its products; 0 "
         "with "
         "data=integers."},
        {"flop", "Floating-point operations", "FLOP", "2 m n k: a multiply-add is two."},
        {"cublas_share", "Share of cuBLAS", "%",
         "Time of cuBLAS over the time of the rung, both timed in turn; only on a GPU where the library is found."}};
    auto all = ladderMetrics(own, "Bytes of A and B, read once, and of C, written once,", "the product");
    addPairMetrics(all, "cublas_share", "Share of cuBLAS");
    return all;
}

std::vector<LimitSpec> limits()
{
    const std::string source = "chip table: FLOP a clock and SM × SMs × the clock of the run; mma.sync on 9.0: Luo et "
                               "al. 2024, 62.9 % of the dense peak";
    return {{"rate", "what the rung's instruction can reach", "upper",
             "FLOP a clock and SM of mma.sync (cuda_cores: of FP32) × SMs × clock", source},
            {"peak_share", "the dense peak", "upper", "100 %", source},
            {"mma_share", "what mma.sync can reach", "upper", "100 %", source},
            {"time", "operations at the rung's peak, or bytes at pin bandwidth", "lower",
             "the longer of 2 m n k ÷ peak and (m k + k n) × 2 B + m n × 4 B ÷ pin bandwidth", source},
            {"bandwidth", "useful bytes at pin bandwidth", "upper", "(m k + k n) × 2 B + m n × 4 B ÷ shortest time",
             "pin bandwidth of the chip: the chip catalogue (assets/chips), or the driver on a GPU"},
            {"share_of_limit", "useful bytes at pin bandwidth", "upper", "100", "as bandwidth"},
            {"conflict_degree", "no two lanes in one bank", "lower", "1", "a bank for each lane"}};
}

} // namespace

UsefulBytes TensorMatmulShape::bytes() const
{
    return {2.0 * static_cast<double>(m * k + k * n), 4.0 * static_cast<double>(m * n)};
}

std::uint64_t TensorMatmulShape::tileRows() const
{
    return rung == kLargeTile ? 128 : 64;
}

std::uint64_t TensorMatmulShape::tileColumns() const
{
    return rung == kLargeTile ? 128 : rung == kGlobal ? 32 : 64;
}

std::uint32_t TensorMatmulShape::threads() const
{
    return rung == kCudaCores || rung == kLargeTile ? 256 : 128;
}

double TensorMatmulShape::products() const
{
    if (!tensor())
        return 0;
    const std::uint64_t tiles = blockRows() * tileRows() / 16 * blockColumns() * tileColumns() / 8;
    const std::uint64_t depth = rung == kGlobal ? kSmallDepth : kDepth;
    return static_cast<double>(tiles) * static_cast<double>(ceilDiv(k, depth) * depth / 16);
}

std::string TensorMatmulShape::kernel() const
{
    return fmt::format("{}_{}_{}", kRungs[rung].name, bf16 ? "bf16" : "fp16", byK ? "kn" : "nk");
}

std::uint32_t copyWidth(std::uint64_t rowElements)
{
    return rowElements % 8 == 0 ? 16 : rowElements % 4 == 0 ? 8 : rowElements % 2 == 0 ? 4 : 2;
}

std::span<const Rung> tensorMatmulRungs()
{
    return kRungs;
}

TensorMatmulShape tensorMatmulShapeOf(const ParamSet& params)
{
    TensorMatmulShape shape;
    shape.rung = rungOf(kRungs, params);
    shape.bf16 = choice(params, "precision") == "bf16";
    shape.byK = choice(params, "layout") == "kn";
    shape.integers = choice(params, "data") == "integers";
    shape.m = integer(params, "m");
    shape.n = integer(params, "n");
    shape.k = integer(params, "k");
    return shape;
}

ExperimentInfo tensorMatmulInfo()
{
    ExperimentInfo made;
    made.id = "tensor_matmul";
    made.version = 1;
    made.title = "Matrix product on tensor cores";
    made.module = 4;
    made.summary = "Multiplies matrices of 16-bit factors with six kernels, five of them on the tensor cores, at sizes "
                   "that fit and at sizes that do not.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    for (const char* x : {"m", "n", "k"}) {
        made.charts.push_back({fmt::format("rate_over_{}", x), fmt::format("Rate over {}", x), x, "rate",
                               ParamScale::Log2, ParamScale::Linear});
        made.charts.push_back({fmt::format("requests_over_{}", x), fmt::format("Global loads over {}", x), x,
                               "load_requests", ParamScale::Log2, ParamScale::Log2});
    }
    made.charts.push_back(
        {"rate_by_rung", "Rate by rung", "rung", "rate", ParamScale::List, ParamScale::Linear, "ladder"});
    made.charts.push_back({"share_by_rung", "Share of the peak by mma.sync, by rung", "rung", "mma_share",
                           ParamScale::List, ParamScale::Linear, "ladder"});
    made.limits = limits();
    made.kernels = filesOf(kRungs);
    made.kernels.emplace_back(kFragmentsKernel);
    made.scene = "grid";
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
