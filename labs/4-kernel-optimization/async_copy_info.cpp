// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "async_copy".
#include "labs/4-kernel-optimization/async_copy_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <fmt/core.h>

namespace ridge::labs {

namespace {

constexpr std::uint64_t kRegisterBytes = 128 * 8 * 16; ///< threads × loads under way × bytes of the first rung

struct Rung {
    const char* kernel;
    const char* file;
    int sm;
    const char* chip; ///< a target that runs it
};
constexpr std::array<Rung, 4> kRungs{{{"registers", "async_copy/01_registers.cu", 0, "sim:t4"},
                                      {"cp_async", "async_copy/02_cp_async.cu", 80, "sim:a100-sxm-80"},
                                      {"bulk", "async_copy/03_bulk.cu", 90, "sim:h100-sxm"},
                                      {"tensor", "async_copy/04_tensor.cu", 90, "sim:h100-sxm"}}};

const Rung& rungOf(const std::string& kernel)
{
    return *std::ranges::find(kRungs, kernel, [](const Rung& rung) { return std::string(rung.kernel); });
}

std::vector<ParamSpec> parameters()
{
    std::vector<std::string> names;
    for (const Rung& rung : kRungs)
        names.emplace_back(rung.kernel);
    auto kernel = choiceParam("kernel", "Kernel", names, names.front(),
                              "registers: loads and stores; cp_async: 16 bytes a lane into shared memory (compute "
                              "capability 8.0); bulk: whole rows by the copy engine (9.0); tensor: whole tiles by a "
                              "tensor map, in and out (9.0).");
    auto stages = integerParam("stages", "Stages", "tiles", 1, 8, 4, ParamScale::Linear,
                               "Tiles of a block that shared memory has room for; the first kernel has none.");
    auto tile = integerParam("tile_bytes", "Tile", "bytes", 1024, 32768, 8192, ParamScale::List,
                             "Size of a tile: rows of 256 elements of 4 bytes.");
    for (std::int64_t bytes = 1024; bytes <= 32768; bytes *= 2)
        tile.choices.emplace_back(bytes);
    auto blocks = integerParam("blocks_per_sm", "Blocks per SM", "blocks", 1, 2, 1, ParamScale::Linear,
                               "Blocks that share an SM; each walks over its own tiles.");
    auto bytes = integerParam("bytes", "Matrix", "bytes", 4096, 4294967296.0, 8388608, ParamScale::Log2,
                              "Size of the matrix, about: its rows are whole.");
    bytes.defaultFor = {{"gpu", std::int64_t{1073741824}}};
    auto columns = integerParam("columns", "Columns", "elements", 4, 65536, 4096, ParamScale::Log2,
                                "Elements of a row of the matrix, a multiple of 4. Where 256 does not divide them, the "
                                "last tile of a row is filled up with zeros.");
    return {kernel, stages, tile, blocks, bytes, columns};
}

std::vector<MetricSpec> metrics()
{
    std::vector<MetricSpec> all{
        {"bytes_moved", "Bytes moved", "B", "The matrix read once and its tiles, filled up with zeros, written once."},
        {"bytes_in_flight", "Bytes under way per SM", "B",
         "Of loads, at most: stages × tile × blocks; with a store from the stage before, one stage less; 16 KiB a "
         "block "
         "through registers. Bandwidth × latency says how many are needed."},
        {"tiles", "Tiles", "tiles", "Of the whole matrix, those at its edges among them."},
        {"load_instructions", "Load instructions per tile", "instructions",
         "Warp instructions that ask for one whole tile: 512 bytes each, a row each, or one."},
        {"instructions_per_kib", "Instructions per KiB", "instructions/KiB",
         "Warp instructions executed over bytes moved; only where the target counts."},
        {"bulk_copies", "Bulk copies", "copies",
         "Instructions to the copy engine, both ways; only where it is counted."},
        {"registers", "Registers per thread", "registers", "As the simulator's compiler assigns them."}};
    for (MetricSpec& spec : timeMetrics("packing the whole matrix"))
        all.push_back(std::move(spec));
    all.push_back({"bandwidth", "Bandwidth", "GB/s", "Bytes moved, reads and writes, over the time."});
    all.push_back({"of_limit", "Share of the limit", "%", "Shortest time that memory allows over the time."});
    for (MetricSpec& spec : simulatedMetrics())
        all.push_back(std::move(spec));
    return all;
}

std::vector<ChartSpec> charts()
{
    return {{"bandwidth_over_stages", "Bandwidth over stages", "stages", "bandwidth", ParamScale::Linear,
             ParamScale::Linear},
            {"bandwidth_over_tile", "Bandwidth over tile size", "tile_bytes", "bandwidth", ParamScale::Log2,
             ParamScale::Linear},
            {"in_flight_over_stages", "Bytes under way over stages", "stages", "bytes_in_flight", ParamScale::Linear,
             ParamScale::Linear},
            {"instructions_over_tile", "Instructions per KiB over tile size", "tile_bytes", "instructions_per_kib",
             ParamScale::Log2, ParamScale::Linear}};
}

std::vector<LimitSpec> limits()
{
    const std::string pins =
        "each byte of matrix and tiles crosses the pins once, but for tiles that one launch leaves in "
        "a write-back L2; pin bandwidth from the chip table or the driver";
    const std::string formula = "(matrix + tiles − at most the L2 of one launch's tiles) ÷ pin bandwidth";
    return {{"bandwidth", "memory pins never idle", "upper", "(matrix + tiles) ÷ shortest time", pins},
            {"time", "copy at pin bandwidth", "lower", formula, pins},
            {"of_limit", "memory pins never idle", "upper", "100 %", pins}};
}

} // namespace

std::uint32_t PackShape::blocks(std::uint32_t sms) const
{
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{std::max(1u, sms)} * blocksPerSm, tiles()));
}

std::uint64_t PackShape::bytesInFlight() const
{
    if (kernel == "registers")
        return std::min(tileBytes, kRegisterBytes) * blocksPerSm;
    const std::uint32_t loading = kernel == "tensor" && stages > 1 ? stages - 1 : stages;
    return loading * tileBytes * blocksPerSm;
}

std::uint64_t PackShape::loadInstructionsPerTile() const
{
    return kernel == "tensor" ? 1 : kernel == "bulk" ? tileRows() : tileBytes / 512;
}

const char* packKernelFile(const std::string& kernel)
{
    return rungOf(kernel).file;
}

Result<void> packKernelRuns(const std::string& kernel, const gpu::DeviceInfo& info)
{
    const Rung& rung = rungOf(kernel);
    if (info.computeMajor * 10 + info.computeMinor >= rung.sm)
        return {};
    return Error{
        "needs-newer-chip",
        fmt::format("the kernel \"{}\" needs compute capability {}.{}; {} has {}.{}", kernel, rung.sm / 10,
                    rung.sm % 10, info.name, info.computeMajor, info.computeMinor),
        "async_copy: kernel",
        fmt::format("choose kernel={}, or run it on {}", info.computeMajor >= 8 ? "cp_async" : "registers", rung.chip)};
}

Result<PackShape> packShapeOf(const ParamSet& params)
{
    PackShape shape;
    shape.kernel = choice(params, "kernel");
    shape.stages = static_cast<std::uint32_t>(integer(params, "stages"));
    shape.tileBytes = integer(params, "tile_bytes");
    shape.blocksPerSm = static_cast<std::uint32_t>(integer(params, "blocks_per_sm"));
    shape.columns = integer(params, "columns");
    shape.rows = std::max<std::uint64_t>(1, integer(params, "bytes") / (4 * shape.columns));
    if (shape.columns % 4 != 0)
        return Error{
            "bad-parameters",
            fmt::format("rows of {} elements are {} bytes long; bulk copies and tensor maps move multiples of 16",
                        shape.columns, 4 * shape.columns),
            "async_copy: columns", fmt::format("set columns={}", (shape.columns + 3) / 4 * 4)};
    return shape;
}

ExperimentInfo asyncCopyInfo()
{
    ExperimentInfo made;
    made.id = "async_copy";
    made.version = 1;
    made.title = "Asynchronous copies";
    made.module = 4;
    made.summary =
        "Packs a matrix into tiles through registers, cp.async, bulk copies and TMA, with more or fewer bytes "
        "under way.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim"};
    made.metrics = metrics();
    made.charts = charts();
    made.limits = limits();
    for (const Rung& rung : kRungs)
        made.kernels.emplace_back(rung.file);
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
