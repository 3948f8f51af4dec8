// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "hopper_matmul".
#include "labs/4-kernel-optimization/hopper_matmul_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"tma", "wgmma on tiles that TMA brings, by turns", "hopper_matmul/01_tma.cu"},
    {"ring", "four pairs of tiles, copies under products", "hopper_matmul/02_ring.cu"},
    {"specialised", "a warp that copies, two warpgroups that multiply", "hopper_matmul/03_specialised.cu"},
    {"persistent", "a block an SM, tile after tile", "hopper_matmul/04_persistent.cu"},
    {"multicast", "clusters of two blocks that share B", "hopper_matmul/05_multicast.cu"},
    {"stores", "sums stored by TMA", "hopper_matmul/06_stores.cu"},
    {"fp8", "factors of eight bits, summed in two levels", "hopper_matmul/07_fp8.cu"},
};
constexpr std::size_t kTma = 0, kRing = 1, kPersistent = 3, kMulticast = 4, kStores = 5, kFp8 = 6;

std::vector<ParamSpec> parameters()
{
    const auto size = [](const char* name, const char* title, const char* help) {
        auto spec = integerParam(name, title, "elements", 1, 16384, 256, ParamScale::Log2, help);
        spec.defaultFor = {{"gpu", std::int64_t{4096}}};
        spec.sweepFor = {{"sim", "64..256:log2"}, {"gpu", "64..8192:log2"}};
        return spec;
    };
    auto reference =
        referenceParam("cublas", "cublas: hold the rung against cuBLAS, which takes rows without padding (n and k "
                                 "multiples of 8, in rung fp8 k of 16) and no scales alone; where it is missing, the "
                                 "run says so and goes on. Simulated chips have none.");
    return {
        rungParam(kRungs, "stores"),
        choiceParam("precision", "Precision", {"fp16", "bf16"}, "bf16",
                    "Format of factors and result; sums are FP32, rounded once. In rung fp8 of the result alone: its "
                    "factors are e4m3."),
        choiceParam("accumulate", "Sums of rung fp8", {"two_level", "tensor"}, "two_level",
                    "two_level: the tensor cores sum 128 of k, the CUDA cores add these sums in FP32; tensor: the "
                    "tensor cores sum all of k, with 13 fraction bits. The other rungs do not ask."),
        choiceParam(
            "scales", "Scales of rung fp8", {"none", "tensor", "block"}, "none",
            "What factors are divided by before they are rounded, so that the largest becomes 448. none: 1; "
            "tensor: one number for A, one for B; block: one for each 128 of k of a row of A, and for each 128 x "
            "128 of B, which asks for accumulate=two_level. With data=integers the power of two above. The other "
            "rungs do not ask."),
        size("m", "Rows m", "Rows of A and C; need not be a multiple of a tile."),
        size("n", "Columns n", "Rows of B, columns of C."),
        size("k", "Depth k", "Columns of A and of B. Rows are padded in memory to a multiple of 16 bytes."),
        choiceParam("data", "Factors", {"uniform", "positive", "outliers", "integers"}, "uniform",
                    "uniform in [-1, 1), rounded to the format; positive: in [0, 1), so that sums grow with k; "
                    "outliers: A in [-1/16, 1/16) but for one column, which is 4096 or -4096 in every 16th row; "
                    "integers: -2 to 2, so that every sum is exact and the rounded result is compared bit for bit "
                    "(with scales=block times 1, 2 or 4, block by block)."),
        reference};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"rate", "Rate", "TFLOP/s", "2 m n k operations over the time of the launch."},
        {"peak_share", "Share of the peak", "%",
         "Rate over the dense peak of the tensor cores for the factors, as published."},
        {"tiles", "Tiles", "tiles", "Tiles of C, with those that only fill up a pair of blocks."},
        {"wgmma_instructions", "wgmma instructions", "instructions",
         "Of four warps each, with those on zeros beyond the edges: m64n128k16 (tma, ring), m64n256k16, or m64n128k32 "
         "of e4m3 "
         "(fp8)."},
        {"tile_use", "Use of the tiles", "%", "Operations that count over those that the wgmma instructions do."},
        {"copied_bytes", "Bytes copied in", "B",
         "What TMA read from global memory, L2 included, without what lies outside the matrices; a multicast counts "
         "once."},
        {"bulk_copies", "TMA copies", "copies", "Boxes of A, B and, from rung stores on, of C."},
        {"error_share", "Error of its bound", "%",
         "Largest error of a compared element over the bound: half a unit of the rounding and 10^-6 of the sum of the "
         "magnitudes of its products (positive: and 2^-22 for every 16 of k), in rung fp8 also what 13 fraction bits "
         "cut "
         "off; 0 with data=integers."},
        {"error_rms", "Error, root mean square", "%",
         "Against FP64 on the same factors, the rounding of the result included, over the root mean square of the "
         "result."},
        {"error_largest", "Error, largest", "%", "The same for the compared element that is furthest off."},
        {"error_drawn", "Error with that of the factors", "%",
         "Rung fp8: against FP64 on the factors before scales and e4m3. Root mean square of a row over that of its "
         "result, then over the compared rows."},
        {"scale_bytes", "Bytes of the scales", "B", "Rung fp8: 4 for each scale of A and B."},
        {"scale_traffic", "Bytes read for scales", "B",
         "Rung fp8: 32 for each sector that a warp reads, caches included; each tile reads those of its rows again."},
        {"flop", "Floating-point operations", "FLOP", "2 m n k: a multiply-add is two."},
        {"cublas_share", "Share of cuBLAS", "%",
         "Time of cuBLAS over the time of the rung, both timed in turn; only on a GPU where the library is found."}};
    auto all = ladderMetrics(own, "Bytes of A and B, read once, and of C, written once,", "the product");
    addPairMetrics(all, "cublas_share", "Share of cuBLAS");
    return all;
}

std::vector<LimitSpec> limits()
{
    const std::string source = "chip table: FLOP a clock and SM × SMs × the clock of the run";
    return {
        {"rate", "the dense peak", "upper", "FLOP a clock and SM × SMs × clock", source},
        {"peak_share", "the dense peak", "upper", "100 %", source},
        {"time", "operations at the peak, or bytes at pin bandwidth", "lower",
         "the longer of 2 m n k ÷ peak and ((m k + n k) × 2 B (fp8: 1 B, and scale_bytes) + m n × 2 B) ÷ pin bandwidth",
         source},
        {"bandwidth", "useful bytes at pin bandwidth", "upper",
         "((m k + n k) × 2 B (fp8: 1 B, and scale_bytes) + m n × 2 B) ÷ shortest time",
         "pin bandwidth of the chip: the chip catalogue (assets/chips), or the driver on a GPU"},
        {"share_of_limit", "useful bytes at pin bandwidth", "upper", "100", "as bandwidth"}};
}

} // namespace

UsefulBytes HopperMatmulShape::bytes() const
{
    return {static_cast<double>(factorBytes() * (m * k + n * k) + scaleBytes()), 2.0 * static_cast<double>(m * n)};
}

std::uint64_t HopperMatmulShape::scalesHeld(bool ofB) const
{
    return scales == HopperScales::None     ? 0
           : scales == HopperScales::Tensor ? 1
                                            : ceilDiv(k, kBlock) * pitchOfScales(ofB);
}

std::uint64_t HopperMatmulShape::scaleBytes() const
{
    const std::uint64_t blocks = ceilDiv(k, kBlock) * (m + ceilDiv(n, kBlock));
    return scales == HopperScales::None ? 0 : scales == HopperScales::Tensor ? 8 : 4 * blocks;
}

std::uint64_t HopperMatmulShape::heldBytes() const
{
    return factorBytes() * (m + n) * pitchOfFactors() + 2 * m * pitchOfResult() +
           4 * (scalesHeld(false) + scalesHeld(true));
}

std::uint64_t HopperMatmulShape::cluster() const
{
    return rung >= kMulticast ? 2 : 1;
}

bool HopperMatmulShape::fp8() const
{
    return rung == kFp8;
}

bool HopperMatmulShape::persistent() const
{
    return rung >= kPersistent;
}

bool HopperMatmulShape::storesByMap() const
{
    return rung >= kStores;
}

std::uint64_t HopperMatmulShape::tileColumns() const
{
    return rung == kTma || rung == kRing || rung == kFp8 ? 128 : 256;
}

std::uint32_t HopperMatmulShape::boxRowsOfB() const
{
    return static_cast<std::uint32_t>(tileColumns() / cluster());
}

gpu::Dim3 HopperMatmulShape::grid(std::uint32_t sms) const
{
    if (!persistent())
        return {static_cast<std::uint32_t>(tilesAcross()), static_cast<std::uint32_t>(tileRows()), 1};
    const std::uint64_t clusters = std::max<std::uint64_t>(1, sms / cluster());
    return {static_cast<std::uint32_t>(std::min(clusters, tiles() / cluster()) * cluster()), 1, 1};
}

std::uint32_t HopperMatmulShape::threads() const
{
    return rung == kTma || rung == kRing ? 128 : 384;
}

std::uint32_t HopperMatmulShape::sharedBytes() const
{
    const std::uint64_t stages = rung == kTma ? 1 : rung == kStores ? 3 : 4;
    const std::uint64_t sums = storesByMap() ? 2 * kTileRows * tileColumns() : 0;
    const std::uint64_t barriers = 16 * stages; // one for full, one for empty; the first two rungs need half of it
    return static_cast<std::uint32_t>(stages * 128 * (kTileRows + tileColumns()) + sums + barriers);
}

double HopperMatmulShape::products() const
{
    return static_cast<double>(tiles() * ceilDiv(k, depth()) * (depth() / depthOfProduct()) * (kTileRows / 64));
}

std::string HopperMatmulShape::kernel() const
{
    const char* name = !fp8() ? kRungs[rung].name : twoLevel ? "two_level" : "tensor";
    const char* scaled = scales == HopperScales::None     ? ""
                         : scales == HopperScales::Tensor ? "_one_scale"
                                                          : "_block_scales";
    return fmt::format("{}{}_{}", name, scaled, bf16 ? "bf16" : "fp16");
}

std::span<const Rung> hopperMatmulRungs()
{
    return kRungs;
}

HopperMatmulShape hopperMatmulShapeOf(const ParamSet& params)
{
    HopperMatmulShape shape;
    shape.rung = rungOf(kRungs, params);
    shape.bf16 = choice(params, "precision") == "bf16";
    shape.twoLevel = choice(params, "accumulate") == "two_level";
    const std::string scales = shape.fp8() ? choice(params, "scales") : "none";
    shape.scales = scales == "block"    ? HopperScales::Block
                   : scales == "tensor" ? HopperScales::Tensor
                                        : HopperScales::None;
    const std::string data = choice(params, "data");
    shape.data = data == "integers"   ? HopperData::Integers
                 : data == "positive" ? HopperData::Positive
                 : data == "outliers" ? HopperData::Outliers
                                      : HopperData::Uniform;
    shape.m = integer(params, "m");
    shape.n = integer(params, "n");
    shape.k = integer(params, "k");
    return shape;
}

ExperimentInfo hopperMatmulInfo()
{
    ExperimentInfo made;
    made.id = "hopper_matmul";
    made.version = 1;
    made.title = "Matrix product by wgmma and TMA";
    made.module = 4;
    made.summary = "Multiplies matrices of 16 and 8 bits on Hopper with seven kernels, from one tile at a time to "
                   "clusters that share what they read, at sizes that fit and at sizes that do not.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    for (const char* x : {"m", "n", "k"})
        made.charts.push_back({fmt::format("rate_over_{}", x), fmt::format("Rate over {}", x), x, "rate",
                               ParamScale::Log2, ParamScale::Linear});
    made.charts.push_back(
        {"rate_by_rung", "Rate by rung", "rung", "rate", ParamScale::List, ParamScale::Linear, "ladder"});
    made.limits = limits();
    made.kernels = filesOf(kRungs);
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
