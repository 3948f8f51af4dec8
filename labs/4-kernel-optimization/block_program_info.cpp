// SPDX-License-Identifier: GPL-3.0-or-later
// What forms, charts and checks need to know about the experiment "block_program".
#include "labs/4-kernel-optimization/block_program_info.h"

#include "labs/harness/declare.h"
#include "labs/harness/ladder.h"
#include "labs/harness/simulated_time.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr ShippedTile kTiles[] = {
    {"copy", "n = rows × columns numbers", kTileCopy},
    {"softmax", "softmax, a row in one block", "row_softmax/01_registers.cu", true},
    {"softmax_online", "softmax, a block that walks along the row", "row_softmax/01_registers.cu", true},
    {"layernorm", "LayerNorm in bf16, a row in one block", "norm/06_vector.cu", true},
    {"matmul", "rows × depth times depth × columns, in tiles of block × block", "crossover/02_tiled_sgemm.cu"},
    {"attention", "one head of 64, rows queries over columns keys", ""},
};

std::vector<ParamSpec> parameters()
{
    std::vector<std::string> names;
    std::string help = "Which program runs:";
    for (const ShippedTile& tile : kTiles) {
        help += fmt::format("{} {} ({})", names.empty() ? "" : ",", tile.name, tile.phrase);
        names.emplace_back(tile.name);
    }
    names.emplace_back("file");
    auto block =
        integerParam("block", "BLOCK", "elements", 1, 16384, 1024, ParamScale::Log2,
                     "What the constant BLOCK is; a power of two. matmul and attention have blocks of two axes: "
                     "take 16, 32 or 64 there.");
    block.sweepFor = {{"sim", "128..8192:log2"}, {"cpu", "128..8192:log2"}};
    auto rows = integerParam("rows", "Rows", "rows", 1, 65536, 4096, ParamScale::Log2, "The int rows of a program.");
    rows.defaultFor = {{"gpu", std::int64_t{16384}}};
    return {
        choiceParam("program", "Program", names, "softmax", help + ", or a file of your own."),
        fileParam("file", "File", "Block programs (*.tile)",
                  "Your program, where program is file. It gets rows, columns, depth and n = rows × columns as ints."),
        block,
        integerParam("warps", "Warps", "warps", 1, 32, 4, ParamScale::Log2,
                     "Warps of an instance's thread block; a power of two."),
        rows,
        integerParam("columns", "Columns", "elements", 1, 16384, 1000, ParamScale::Log2,
                     "The int columns of a program; need not be a power of two."),
        integerParam("depth", "Depth", "elements", 1, 4096, 64, ParamScale::Log2,
                     "The int depth of a program: what matmul sums over."),
        choiceParam("show", "Show", {"none", "cuda"}, "none",
                    "cuda: the run's log has the CUDA C that the program became.")};
}

std::vector<MetricSpec> metrics()
{
    const MetricSpec own[] = {
        {"share_of_copy", "Share of the copy", "%",
         "Time of a copy of as many bytes over the time of the program; 100 is as fast as a copy."},
        {"share_of_hand", "Share of the kernel by hand", "%",
         "Time of the kernel by hand on the same data over the time of the program; above 100 the program is faster."},
        {"masked_share", "Masked lanes", "%",
         "Lanes of block loads and stores that a mask switched off; work that nobody needs."},
        {"lines", "Lines", "lines", "Lines of the program, without comments and blank lines."},
        {"hand_lines", "Lines by hand", "lines",
         "Lines of the kernel by hand that does the same, counted in the same way; of the whole file."},
        {"instances", "Instances", "instances", "Program instances of the grid, one thread block each."},
        {"elements_per_thread", "Elements per thread", "elements",
         "Elements of the largest block that one thread holds."},
        {"max_error", "Largest error", "1",
         "Largest difference between the compiled program (on the target cpu: the interpreter) and double precision."},
        {"different", "Elements that differ", "elements",
         "Results in which the compiled program and the interpreter differ in any bit; 0 is right."},
        {"instructions_per_element", "Instructions per element", "instructions",
         "PTX instructions that lanes executed, for each result."},
        {"barrier_waits", "Barriers", "instructions", "Block-wide barriers that warps arrived at."},
        {"interpreter_time", "Time of the interpreter", "s",
         "What the interpreter took on this machine's processor, with all that it watches for; no time of a GPU."}};
    auto all = ladderMetrics(own, "Bytes of the program's buffers, each loaded once and stored once,",
                             "carrying out the block program");
    addPairMetrics(all, "share_of_copy", "Share of the copy");
    addPairMetrics(all, "share_of_hand", "Share of the kernel by hand");
    return all;
}

} // namespace

std::span<const ShippedTile> shippedTiles()
{
    return kTiles;
}

const ShippedTile* findShippedTile(const std::string& name)
{
    const auto found = std::ranges::find(kTiles, name, [](const ShippedTile& tile) { return std::string(tile.name); });
    return found == std::end(kTiles) ? nullptr : &*found;
}

ExperimentInfo blockProgramInfo()
{
    ExperimentInfo made;
    made.id = "block_program";
    made.version = 1;
    made.title = "Block programs";
    made.module = 4;
    made.summary =
        "Interprets a block program on the CPU, compiles it for a GPU, and compares the two bit for bit, and "
        "its time with a copy and a kernel by hand.";
    made.parameters = parameters();
    made.targets = {"gpu", "sim", "cpu"};
    made.metrics = metrics();
    const auto curve = [&](const char* id, const char* title, const char* x, const char* y) {
        made.charts.push_back({id, title, x, y, ParamScale::Log2, ParamScale::Linear});
    };
    curve("time_over_block", "Time over BLOCK", "block", "time");
    curve("share_over_block", "Share of the copy over BLOCK", "block", "share_of_copy");
    curve("bandwidth_over_block", "Bandwidth over BLOCK", "block", "bandwidth");
    curve("masked_over_block", "Masked lanes over BLOCK", "block", "masked_share");
    curve("share_over_warps", "Share of the copy over warps", "warps", "share_of_copy");
    curve("masked_over_columns", "Masked lanes over columns", "columns", "masked_share");
    made.charts.push_back({"share_by_program", "Share of the copy by program", "program", "share_of_copy",
                           ParamScale::List, ParamScale::Linear, "ladder"});
    made.charts.push_back({"lines_by_program",
                           "Lines by program",
                           "program",
                           "lines",
                           ParamScale::List,
                           ParamScale::Linear,
                           "series",
                           {"hand_lines"}});
    made.limits = bandwidthLimits("bytes that the program loads, once, and bytes that it stores, once");
    made.kernels = {kTileCopy, "norm/06_vector.cu", "row_softmax/01_registers.cu"};
    made.scenes = launchScenes();
    return made;
}

} // namespace ridge::labs
