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
};
constexpr std::size_t kTma = 0, kRing = 1, kPersistent = 3, kMulticast = 4, kStores = 5;

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
                                 "multiples of 8) alone; where it is missing, the run says so and goes on. Simulated "
                                 "chips have none.");
    return {rungParam(kRungs, "stores"),
            choiceParam("precision", "Precision", {"fp16", "bf16"}, "bf16",
                        "Format of factors and result; sums are FP32, rounded once."),
            size("m", "Rows m", "Rows of A and C; need not be a multiple of a tile."),
            size("n", "Columns n", "Rows of B, columns of C."),
            size("k", "Depth k", "Columns of A and of B. Rows are padded in memory to a multiple of 8 elements."),
            choiceParam("data", "Factors", {"uniform", "integers"}, "uniform",
                        "uniform in [-1, 1), rounded to the format; integers: -2 to 2, so that every sum is exact and "
                        "the rounded result is compared bit for bit."),
            reference};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"rate", "Rate", "TFLOP/s", "2 m n k operations over the time of the launch."},
        {"peak_share", "Share of the peak", "%", "Rate over the dense 16-bit peak of the tensor cores, as published."},
        {"tiles", "Tiles", "tiles", "Tiles of C, with those that only fill up a pair of blocks."},
        {"wgmma_instructions", "wgmma instructions", "instructions",
         "Of four warps each, with those on zeros beyond the edges: m64n128k16 (tma, ring) or m64n256k16."},
        {"tile_use", "Use of the tiles", "%", "Operations that count over those that the wgmma instructions do."},
        {"copied_bytes", "Bytes copied in", "B",
         "What TMA read from global memory, L2 included, without what lies outside the matrices; a multicast counts "
         "once."},
        {"bulk_copies", "TMA copies", "copies", "Boxes of A, B and, in rung stores, of C."},
        {"error_share", "Error of its bound", "%",
         "Largest error of a compared element over the bound: half a unit of the rounding and 10^-6 of the sum of the "
         "magnitudes of its products; 0 with data=integers."},
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
    return {{"rate", "the dense peak", "upper", "FLOP a clock and SM × SMs × clock", source},
            {"peak_share", "the dense peak", "upper", "100 %", source},
            {"time", "operations at the peak, or bytes at pin bandwidth", "lower",
             "the longer of 2 m n k ÷ peak and (m k + n k + m n) × 2 B ÷ pin bandwidth", source},
            {"bandwidth", "useful bytes at pin bandwidth", "upper", "(m k + n k + m n) × 2 B ÷ shortest time",
             "pin bandwidth of the chip: the chip catalogue (assets/chips), or the driver on a GPU"},
            {"share_of_limit", "useful bytes at pin bandwidth", "upper", "100", "as bandwidth"}};
}

} // namespace

UsefulBytes HopperMatmulShape::bytes() const
{
    return {2.0 * static_cast<double>(m * k + n * k), 2.0 * static_cast<double>(m * n)};
}

std::uint64_t HopperMatmulShape::cluster() const
{
    return rung >= kMulticast ? 2 : 1;
}

bool HopperMatmulShape::persistent() const
{
    return rung >= kPersistent;
}

bool HopperMatmulShape::storesByMap() const
{
    return rung == kStores;
}

std::uint64_t HopperMatmulShape::tileColumns() const
{
    return rung == kTma || rung == kRing ? 128 : 256;
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
    const std::uint64_t sums = rung == kStores ? 2 * kTileRows * tileColumns() : 0;
    const std::uint64_t barriers = 16 * stages; // one for full, one for empty; the first two rungs need half of it
    return static_cast<std::uint32_t>(stages * 2 * kDepth * (kTileRows + tileColumns()) + sums + barriers);
}

double HopperMatmulShape::products() const
{
    return static_cast<double>(tiles() * ceilDiv(k, kDepth) * (kDepth / 16) * (kTileRows / 64));
}

std::string HopperMatmulShape::kernel() const
{
    return fmt::format("{}_{}", kRungs[rung].name, bf16 ? "bf16" : "fp16");
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
    shape.integers = choice(params, "data") == "integers";
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
    made.summary = "Multiplies 16-bit matrices on Hopper with six kernels, from one tile at a time to clusters that "
                   "share what they read, at sizes that fit and at sizes that do not.";
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
