// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "matmul".
#include "labs/4-kernel-optimization/matmul_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/simulated_time.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"naive", "a thread an element, neighbours down a column", "matmul/01_naive.cu"},
    {"coalesced", "neighbours along a row", "matmul/02_coalesced.cu"},
    {"shared_tile", "tiles in shared memory", "matmul/03_shared_tile.cu"},
    {"column_tile", "eight results a thread in registers", "matmul/04_column_tile.cu"},
    {"square_tile", "8 × 8 results a thread", "matmul/05_square_tile.cu"},
    {"vector", "16 bytes a load", "matmul/06_vector.cu"},
    {"padded", "padding against bank conflicts, a rung that fails", "matmul/07_padded.cu"},
    {"tiles", "tile sizes of one's choice, without bank conflicts", "matmul/08_tiles.cu"},
    {"double_buffer", "the next tile on its way while one is in use", "matmul/09_double_buffer.cu"},
};

/// Of the rungs whose tile is fixed; of a rung without one, what a thread does.
constexpr MatmulTile kFixed[] = {{1, 1, 1, 1, 1},     {1, 1, 1, 1, 1},     {32, 32, 32, 1, 1},  {64, 64, 8, 8, 1},
                                 {128, 128, 8, 8, 8}, {128, 128, 8, 8, 8}, {128, 128, 8, 8, 8}, {},
                                 {128, 128, 8, 8, 8}};

constexpr MatmulTile kTiles[] = {
    // 256 threads
    {32, 32, 8, 2, 2},
    {32, 64, 8, 2, 4},
    {32, 128, 8, 2, 8},
    {32, 256, 8, 2, 16},
    {64, 32, 8, 4, 2},
    {64, 64, 8, 4, 4},
    {64, 128, 8, 4, 8},
    {64, 256, 8, 4, 16},
    {128, 32, 8, 8, 2},
    {128, 64, 8, 8, 4},
    {128, 128, 8, 8, 8},
    {128, 256, 8, 8, 16},
    {256, 32, 8, 16, 2},
    {256, 64, 8, 16, 4},
    {256, 128, 8, 16, 8},
    {256, 256, 8, 16, 16},
    // other numbers of threads
    {64, 64, 8, 2, 2},
    {64, 64, 8, 8, 8},
    {128, 128, 8, 4, 4},
    {128, 128, 8, 8, 4},
    {128, 128, 8, 16, 8},
    // longer steps along k
    {64, 64, 16, 4, 4},
    {64, 64, 32, 4, 4},
    {128, 128, 16, 8, 8},
    {128, 128, 32, 8, 8},
};
constexpr std::uint64_t kSharedBytes = 48 * 1024; ///< that a kernel may declare
constexpr std::uint32_t kThreadsDown = 16;        ///< and across, where nobody says how much a thread computes

ParamSpec listed(const char* name, const char* title, const char* unit, std::vector<std::int64_t> values,
                 std::int64_t byDefault, std::string help)
{
    ParamSpec spec = integerParam(name, title, unit, static_cast<double>(values.front()),
                                  static_cast<double>(values.back()), byDefault, ParamScale::List, std::move(help));
    spec.choices.assign(values.begin(), values.end());
    return spec;
}

std::vector<ParamSpec> parameters()
{
    const auto side = [](const char* name, const char* title, std::int64_t onSim, const char* help) {
        auto spec = integerParam(name, title, "elements", 1, 16384, onSim, ParamScale::Log2, help);
        spec.defaultFor = {{"gpu", std::int64_t{4096}}};
        return spec;
    };
    return {
        rungParam(kRungs, "vector"),
        side("m", "M", 1024, "Rows of A and C; need not be a multiple of a tile."),
        side("n", "N", 768, "Columns of B and C; need not be a multiple of a tile."),
        side("k", "K", 256, "Columns of A and rows of B."),
        listed("bm", "BM", "elements", {32, 64, 128, 256}, 128, "Rows of a block's tile; of the rung tiles alone."),
        listed("bn", "BN", "elements", {32, 64, 128, 256}, 128, "Columns of a block's tile; of the rung tiles alone."),
        listed("bk", "BK", "elements", {8, 16, 32}, 8,
               "Columns of A that a block takes at a time; of the rung tiles alone."),
        listed("tm", "TM", "elements", {0, 2, 4, 8, 16}, 0,
               "Rows that a thread computes; 0: BM ÷ 16, so that 256 threads share a tile."),
        listed("tn", "TN", "elements", {0, 2, 4, 8, 16}, 0, "Columns that a thread computes; 0: BN ÷ 16."),
        choiceParam("data", "Data", {"uniform", "integers"}, "uniform",
                    "uniform in [-1, 1); integers from -2 to 2, whose sums have no rounding at all.")};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> all{
        {"rate", "Rate", "TFLOP/s", "2 × M × N × K operations over the time."},
        {"share_of_limit", "Share of the limit", "%",
         "Shortest time that FP32 lanes and memory pins allow over the time of the rung; 100 cannot be exceeded."},
        {"loaded_bytes", "Bytes loaded by blocks, model", "B",
         "4 K (M ⌈N/BN⌉ + N ⌈M/BM⌉): what the tile sizes alone say; BM = BN = 1 without tiles."},
        {"load_bytes", "Bytes loaded by lanes", "B",
         "That the lanes of all loads from global memory asked for; equal to the model where nothing is loaded twice."},
        {"l2_bytes", "Bytes from L2", "B", "Sectors that the first caches asked L2 for, 32 bytes each; simulated."},
        {"intensity", "Operations per byte loaded", "FLOP/B", "2 M N K over the model's bytes."},
        {"sectors_per_fma", "Sectors per multiply-add", "sectors/FMA",
         "32-byte sectors of global memory that loads touched for each multiply-add of a whole warp."},
        {"passes_per_fma", "Passes through shared memory per multiply-add", "passes/FMA",
         "Wavefronts of loads from shared memory for each multiply-add of a whole warp."},
        {"bank_conflicts", "Bank conflicts", "wavefronts",
         "Passes through shared memory beyond the fewest possible, loads and stores."},
        {"registers", "Registers per thread", "registers", "As the simulator's compiler assigns them; at most 255."},
        {"local_instructions", "Local loads and stores in the code", "instructions",
         "Machine instructions that move values between registers and local memory, as the simulator's compiler places "
         "them. Its clock charges their issue and not their way through the caches."},
        {"occupancy", "Occupancy", "%", "Warps that fit on an SM at once over its slots; simulated."},
        {"sums", "Sums of a thread", "elements", "Elements of C that a thread keeps in registers, TM × TN."},
        {"max_error", "Largest error", "1",
         "Of the elements that were looked at, against FP64, over the sum of the products' magnitudes; a rounding of "
         "FP32 is at most 2^-24."}};
    for (const auto& list : {timeMetrics("the product"), simulatedMetrics()})
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

std::vector<ChartSpec> charts()
{
    const auto byRung = [](const char* id, const char* title, const char* y) {
        return ChartSpec{id, title, "rung", y, ParamScale::List, ParamScale::Linear, "ladder"};
    };
    return {byRung("rate_by_rung", "Rate by rung", "rate"),
            byRung("share_by_rung", "Share of the limit by rung", "share_of_limit"),
            byRung("sectors_by_rung", "Sectors per multiply-add by rung", "sectors_per_fma"),
            byRung("passes_by_rung", "Passes through shared memory per multiply-add by rung", "passes_per_fma"),
            {"time_over_bn", "Time over the tile", "bn", "time", ParamScale::Log2, ParamScale::Log2},
            {"rate_over_bn", "Rate over the tile", "bn", "rate", ParamScale::Log2, ParamScale::Linear},
            {"bytes_over_bn", "Bytes loaded over the tile, model", "bn", "loaded_bytes", ParamScale::Log2,
             ParamScale::Log2},
            {"occupancy_over_bn", "Occupancy over the tile", "bn", "occupancy", ParamScale::Log2, ParamScale::Linear},
            {"registers_over_bn", "Registers over the tile", "bn", "registers", ParamScale::Log2, ParamScale::Linear},
            {"rate_over_bm", "Rate over the rows of a tile", "bm", "rate", ParamScale::Log2, ParamScale::Linear},
            {"rate_over_bk", "Rate over BK", "bk", "rate", ParamScale::Log2, ParamScale::Linear},
            {"rate_over_k", "Rate over K", "k", "rate", ParamScale::Log2, ParamScale::Linear}};
}

std::vector<LimitSpec> limits()
{
    const std::string source = "FP32 lanes: " + pipeRateSource() + "; pin bandwidth: the chip catalogue or the driver";
    const std::string formula = "max(2 M N K ÷ peak at the clock, (M K + K N + M N) × 4 B ÷ pin bandwidth); of a cold "
                                "simulated launch without the written bytes that fit into L2";
    return {
        {"time", "roofline", "lower", formula, source},
        {"rate", "roofline", "upper", "2 M N K ÷ shortest time", source},
        {"share_of_limit", "roofline", "upper", "100", source},
        {"load_bytes", "each matrix once", "lower", "(M K + K N) × 4 B", "nothing is known of what was never read"}};
}

Error badTile(const std::string& message, std::string place, std::string fix)
{
    return {"bad-tile", message, "matmul: " + std::move(place), std::move(fix)};
}

Result<MatmulTile> chosenTile(const ParamSet& params)
{
    const auto value = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    MatmulTile tile{value("bm"), value("bn"), value("bk"), value("tm"), value("tn")};
    if (tile.threadRows == 0)
        tile.threadRows = tile.rows / kThreadsDown;
    if (tile.threadColumns == 0)
        tile.threadColumns = tile.columns / kThreadsDown;
    const std::uint32_t threads = tile.threads();
    if (threads > 1024 || threads % 32 != 0)
        return badTile(fmt::format("a tile of {} × {} with {} × {} elements a thread has {} threads; a block has whole "
                                   "warps of 32, and 1024 threads at most",
                                   tile.rows, tile.columns, tile.threadRows, tile.threadColumns, threads),
                       "tm, tn", "set tm=0 and tn=0: 256 threads whatever the tile");
    if (tile.sharedBytes() > kSharedBytes)
        return badTile(fmt::format("a tile of {} × {} in steps of {} takes {} bytes of shared memory; a kernel may "
                                   "declare {}",
                                   tile.rows, tile.columns, tile.depth, tile.sharedBytes(), kSharedBytes),
                       "bk", "set bk=8");
    if (std::ranges::find(kTiles, tile) != std::end(kTiles))
        return tile;
    std::string others;
    for (const MatmulTile& each : kTiles)
        if (each.rows == tile.rows && each.columns == tile.columns)
            others += fmt::format("{}bk={} tm={} tn={}", others.empty() ? "" : ", ", each.depth, each.threadRows,
                                  each.threadColumns);
    return badTile(fmt::format("no kernel was made for bk={} tm={} tn={} with a tile of {} × {}", tile.depth,
                               tile.threadRows, tile.threadColumns, tile.rows, tile.columns),
                   "bk, tm, tn", "choose one of: " + others);
}

} // namespace

std::string MatmulTile::name() const
{
    return fmt::format("{}_{}_{}_{}_{}", rows, columns, depth, threadRows, threadColumns);
}

double MatmulShape::flop() const
{
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

UsefulBytes MatmulShape::bytes() const
{
    return {4.0 * static_cast<double>(m * k + k * n), 4.0 * static_cast<double>(m * n)};
}

double MatmulShape::loadedBytes() const
{
    return 4.0 * static_cast<double>(k) *
           (static_cast<double>(m) * static_cast<double>(ceilDiv(n, tile.columns)) +
            static_cast<double>(n) * static_cast<double>(ceilDiv(m, tile.rows)));
}

std::string MatmulShape::kernel() const
{
    return rung == kMatmulTiles ? "matmul_tiles_" + tile.name() : fmt::format("matmul_{}", kRungs[rung].name);
}

std::uint32_t MatmulShape::launchThreads() const
{
    return rung <= kMatmulCoalesced ? 1024 : tile.threads();
}

gpu::Dim3 MatmulShape::launchBlocks() const
{
    const std::uint64_t high = rung <= kMatmulCoalesced ? 32 : tile.rows;
    const std::uint64_t wide = rung <= kMatmulCoalesced ? 32 : tile.columns;
    return {static_cast<std::uint32_t>(ceilDiv(n, wide)), static_cast<std::uint32_t>(ceilDiv(m, high)), 1};
}

std::span<const Rung> matmulRungs()
{
    return kRungs;
}

std::span<const MatmulTile> matmulTiles()
{
    return kTiles;
}

Result<MatmulShape> matmulShapeOf(const ParamSet& params)
{
    MatmulShape shape;
    shape.rung = rungOf(kRungs, params);
    shape.m = integer(params, "m");
    shape.n = integer(params, "n");
    shape.k = integer(params, "k");
    shape.tile = kFixed[shape.rung];
    if (shape.rung != kMatmulTiles)
        return shape;
    const auto tile = chosenTile(params);
    if (!tile)
        return tile.error();
    shape.tile = *tile;
    return shape;
}

ExperimentInfo matmulInfo()
{
    ExperimentInfo made;
    made.id = "matmul";
    made.version = 1;
    made.title = "Matrix product";
    made.module = 4;
    made.summary = "Multiplies FP32 matrices with nine kernels, each with one change, and with tiles of many sizes.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    made.charts = charts();
    made.limits = limits();
    made.kernels = filesOf(kRungs);
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
