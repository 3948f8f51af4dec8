// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/graph_compile_info.h"

#include "base/target_choice.h"
#include "gpu/host_model.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/model_params.h"
#include "workload/operators.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::labs {
namespace {

const char* kDefaultGraph = "norm_swiglu";

ParamSpec graphParam()
{
    std::vector<std::string> ids;
    std::string help = "An operator graph that comes with the program:";
    if (const auto all = graphs::shippedGraphs())
        for (const auto& file : *all) {
            ids.push_back(file.id);
            help += fmt::format(" {}: {}.", file.id, file.title);
        }
    if (ids.empty())
        ids.push_back(kDefaultGraph);
    return choiceParam("graph", "Graph", ids, kDefaultGraph, help);
}

ParamSpec sizeParam(std::string help)
{
    return integerParam("tokens", "First size", "", 0, 1 << 20, 0, ParamScale::Linear, std::move(help));
}

/// Which graph, and how it is fused.
std::vector<ParamSpec> graphParameters()
{
    return {
        graphParam(),
        fileParam("file", "Graph, own", "Graphs (*.json)",
                  "A graph of yours in place of one of the list; modules/workload/compile/graph_file.h says how it is "
                  "written."),
        choiceParam("mode", "Mode", {"compiled", "eager"}, "compiled",
                    "eager: each operator is a kernel that the host calls by itself. compiled: fused kernels."),
        switchParam("fusion", "Fusion", true, "0: the compiled graph keeps a kernel for each operator."),
        switchParam("row_rule", "Row rule", true,
                    "1: what needs only its own row's reduction stays in the reduction's kernel. 0: a reduction ends "
                    "its kernel."),
        switchParam("branch", "Host reads", true,
                    "1: prints and branches read a value on the host, which breaks the graph. 0: nothing is printed, "
                    "and both arms of a branch are computed and chosen between on the GPU (torch.where).")};
}

std::vector<ParamSpec> parameters()
{
    auto all = graphParameters();
    all.insert(
        all.end(),
        {choiceParam("sizes", "Sizes", {"full", "small"}, "full", "Those of a real model, or small ones."),
         sizeParam("The size of the graph that changes: tokens or rows. 0: as the graph says."),
         integerParam(
             "shapes", "Shapes", "", 1, 64, 1, ParamScale::Log2,
             "Different values of the first size, each one larger than the last, that the steps take in turn."),
         choiceParam("shape_mode", "Compiled for", {"automatic", "static", "marked"}, "automatic",
                     "static: each shape by itself, eight at most. automatic: the second shape makes the size a "
                     "variable. marked: it is one from the start."),
         integerParam("steps", "Steps", "", 1, 1e9, 1000, ParamScale::Log2, "Steps of the whole run."),
         chipParam("chip", "GPU", "h100-sxm", "The GPU that runs it, in fp32."),
         amountParam("product_gain", "Gain of the products", "1", 100, 1,
                     "How many times its rate in fp32 a product computes at, as on tensor cores: give what two runs of "
                     "tensor_matmul gave. Its bytes and its launch stay. The eager step beside it has none."),
         amountParam("compile_s", "Compilation", "s", 1e5, 9.6,
                     "Of one piece of the graph, once: give what your own first call took. The default is that of a "
                     "repeated block of Flux-1-Dev on an H100 (PyTorch devlog, torch.compile and Diffusers, "
                     "2026-05-11)."),
         amountParam("entry_us", "Entry", "us", 1e6, 18,
                     "Host time to enter a compiled piece: guards are checked, arguments handed over. The default is "
                     "measured: a small module in torch 2.15.0 (docs/validation.md, Graph compiler)."),
         amountParam("eager_us", "Eager call", "us", 1e6, workload::kEagerLaunch * 1e6,
                     "Host time of one operator in eager mode: PyTorch issues a kernel in 2.5 to 5 us."),
         amountParam("call_us", "Launch", "us", 1e6, gpu::kCallSeconds.value * 1e6,
                     std::string("Host time of one launch from compiled code: ") + gpu::kCallSeconds.source + "."),
         amountParam("read_us", "Host read", "us", 1e6, gpu::kCopySeconds.value * 1e6,
                     std::string("To bring one value to the host: ") + gpu::kCopySeconds.source + "."),
         switchParam("show", "Show the code", false,
                     "1: the generated CUDA C++, for the small sizes, is in the log.")});
    return all;
}

std::vector<MetricSpec> metrics()
{
    return {{"kernels", "Kernels", "1", "Of one step."},
            {"launches", "Calls", "1", "Of one step: launches, and a copy for each value that the host reads."},
            {"bytes", "Traffic", "B", "Of one step: each kernel reads what it needs once and writes what it stores."},
            {"flops", "Work", "FLOP", "Of one step; no fusion changes it."},
            {"graph_breaks", "Graph breaks", "1", "Host reads at which compiled code ends and begins again."},
            {"pieces", "Pieces", "1", "Of the graph that are compiled by themselves; none in eager mode."},
            {"guards", "Size guards", "1", "Sizes of inputs that a call must meet for the code to be used again."},
            {"compiles", "Compilations", "1", "Of all pieces, in the whole run."},
            {"recompiles", "Recompilations", "1", "Those after the first of each piece."},
            {"compile_time", "Compile time", "s", "Of all of them."},
            {"kernel_time", "Kernel time", "s", "Of one step: the GPU's work."},
            {"product_time", "Time in products", "s",
             "Of one step: kernels of a matrix product, with what follows in them."},
            {"host_time", "Host time", "s", "Of one step: calls and entries, without waiting."},
            {"wait_time", "Host waits", "s", "Of one step: for values that it reads."},
            {"time", "Step", "s", "Until host and GPU are done; the mean over the shapes."},
            {"eager_time", "Eager step", "s", "The same graph with each operator a kernel, in fp32."},
            {"speedup", "Speed-up", "1", "Eager step over this one."},
            {"run_time", "Run", "s", "All steps and all compilations."},
            {"eager_run_time", "Eager run", "s", "All steps, eager."},
            {"run_speedup", "Speed-up of the run", "1", "Eager run over this one."},
            {"break_even_steps", "Break-even", "steps",
             "Steps after which compiling has paid for itself; none where a compiled step is no faster."},
            {"bound_time", "Least time", "s", "Of one step: max(FLOP / peak, bytes / pins) of each kernel."},
            {"max_error", "Largest error", "1",
             "Of the kernels against each operator by itself in double precision, over the output's largest "
             "magnitude, at the small sizes."}};
}

} // namespace

ExperimentInfo graphCompileInfo()
{
    ExperimentInfo made;
    made.id = "graph_compile";
    made.version = 1;
    made.title = "Graph compiler";
    made.module = 4;
    made.summary = "Fuses an operator graph into kernels and adds up a step on host and GPU.";
    made.parameters = parameters();
    made.targets = {kModelTarget};
    made.metrics = metrics();
    made.charts = {
        {"kernels_over_graph", "Kernels over graph", "graph", "kernels", ParamScale::List},
        {"bytes_over_graph", "Traffic over graph", "graph", "bytes", ParamScale::List, ParamScale::Log2},
        {"kernels_over_mode", "Kernels over mode", "mode", "kernels", ParamScale::List},
        {"time_over_mode", "Step over mode", "mode", "time", ParamScale::List},
        {"time_over_branch", "Step over host reads", "branch", "time", ParamScale::List},
        {"speedup_over_branch", "Speed-up over host reads", "branch", "speedup", ParamScale::List},
        {"break_even_over_shape_mode", "Break-even over what it is compiled for", "shape_mode", "break_even_steps",
         ParamScale::List},
        {"time_over_tokens", "Step over the first size", "tokens", "time", ParamScale::Log2, ParamScale::Log2},
        {"speedup_over_tokens", "Speed-up over the first size", "tokens", "speedup", ParamScale::Log2},
        {"step_over_gain", "Step over the gain of the products", "product_gain", "time", ParamScale::Log2},
        {"parts_over_tokens",
         "Step, its kernels and its products over the first size",
         "tokens",
         "time",
         ParamScale::Log2,
         ParamScale::Log2,
         "series",
         {"kernel_time", "product_time"}},
        {"speedup_over_steps", "Speed-up of the run over steps", "steps", "run_speedup", ParamScale::Log2,
         ParamScale::Log2},
        {"run_over_steps",
         "Run over steps",
         "steps",
         "run_time",
         ParamScale::Log2,
         ParamScale::Log2,
         "series",
         {"eager_run_time"}},
        {"recompiles_over_shapes", "Recompilations over shapes", "shapes", "recompiles", ParamScale::Log2},
        {"break_even_over_shapes", "Break-even over shapes", "shapes", "break_even_steps", ParamScale::Log2,
         ParamScale::Log2}};
    made.limits = {{"time", "roofline of every kernel", "lower", "sum of max(FLOP / peak, bytes / bandwidth)",
                    "dense fp32 peak and pin bandwidth of the chip table"}};
    made.scene = "lanes";
    made.drawsNothing = true;
    return made;
}

ExperimentInfo graphRunInfo()
{
    ExperimentInfo made;
    made.id = "graph_run";
    made.version = 1;
    made.title = "Generated kernels";
    made.module = 4;
    made.summary = "Writes the kernels of an operator graph as CUDA C++, compiles and runs them at small sizes.";
    made.parameters = graphParameters();
    made.parameters.push_back(
        sizeParam("The size of the graph that changes, where the small one is not wanted. 0: the small one."));
    made.parameters.push_back(switchParam("show", "Show the code", false, "1: the generated CUDA C++ is in the log."));
    made.targets = {"sim", "gpu"};
    made.metrics = {
        {"kernels", "Kernels", "1", "That were launched."},
        {"bytes", "Traffic", "B", "That they must move: each reads what it needs once and writes what it stores."},
        {"flops", "Work", "FLOP", "Of the graph."},
        {"kernel_time", "Kernel time", "s", "Of the kernels one by one; a simulated one starts cold."},
        {"eager_kernel_time", "Eager kernel time", "s", "The same of a kernel for each operator."},
        {"kernel_speedup", "Speed-up of the kernels", "1", "Eager kernel time over kernel time, without the host."},
        {"max_error", "Largest error", "1",
         "Against each operator by itself in double precision, over the output's largest magnitude."}};
    made.charts = {{"kernel_time_over_graph", "Kernel time over graph", "graph", "kernel_time", ParamScale::List},
                   {"kernel_time_over_mode", "Kernel time over mode", "mode", "kernel_time", ParamScale::List},
                   {"kernels_over_mode", "Kernels over mode", "mode", "kernels", ParamScale::List},
                   {"speedup_over_tokens", "Speed-up of the kernels over the first size", "tokens", "kernel_speedup",
                    ParamScale::Log2}};
    made.limits = {{"kernel_time", "memory pins", "lower", "bytes from memory and back / bandwidth",
                    "pin bandwidth of the chip table; what is written may stay in L2"}};
    made.drawsNothing = true;
    return made;
}

Result<GraphQuestion> graphQuestion(const ParamSet& params)
{
    GraphQuestion asked;
    if (given(params, "file")) {
        const auto text = readInput(params, "file", 4u << 20);
        if (!text)
            return text.error();
        const auto path = std::get<std::string>(params.at("file"));
        auto file = graphs::parseGraph(*text, path.substr(path.find_last_of('/') + 1));
        if (!file)
            return file.error();
        asked.file = std::move(*file);
    } else {
        const auto all = graphs::shippedGraphs();
        if (!all)
            return all.error();
        const auto found = std::ranges::find(*all, choice(params, "graph"), &graphs::GraphFile::id);
        if (found == all->end())
            return Error{"unknown-graph", "there is no graph \"" + choice(params, "graph") + "\"", "graph",
                         "take one of the list, or give a file"};
        asked.file = *found;
    }
    asked.compiled = choice(params, "mode") == "compiled";
    asked.breaks = integer(params, "branch") != 0;
    asked.rules = {integer(params, "fusion") != 0, integer(params, "row_rule") != 0};
    asked.varying = static_cast<std::int64_t>(integer(params, "tokens"));
    if (asked.varying > 0 && asked.file.sizes.empty())
        return Error{"bad-size", "the graph has no sizes, so none can change", "tokens",
                     "write \"sizes\" into the graph, or take tokens=0"};
    if (!params.contains("shapes")) { // of graph_run
        asked.small = true;
        return asked;
    }
    asked.small = choice(params, "sizes") == "small";
    asked.shapes = static_cast<int>(integer(params, "shapes"));
    const std::string& mode = choice(params, "shape_mode");
    asked.shapeMode = mode == "static"   ? graphs::ShapeMode::Static
                      : mode == "marked" ? graphs::ShapeMode::Marked
                                         : graphs::ShapeMode::Automatic;
    asked.steps = static_cast<double>(integer(params, "steps"));
    if (asked.steps < asked.shapes)
        return Error{"bad-steps", fmt::format("{} steps do not meet {} shapes", asked.steps, asked.shapes), "steps",
                     "take at least as many steps as shapes"};
    if (asked.shapes > 1 && asked.file.sizes.empty())
        return Error{"bad-size", "the graph has no sizes, so none can change", "shapes",
                     "write \"sizes\" into the graph, or take shapes=1"};
    const auto us = [&](const char* name) { return std::get<double>(params.at(name)) * 1e-6; };
    asked.productGain = std::get<double>(params.at("product_gain"));
    if (asked.productGain < 1)
        return Error{"bad-gain", fmt::format("a gain of {} would make products slower than in fp32", asked.productGain),
                     "product_gain", "take 1 or more"};
    asked.compileSeconds = std::get<double>(params.at("compile_s"));
    asked.eager = {us("eager_us"), 0, us("read_us")};
    asked.graph = {us("call_us"), us("entry_us"), us("read_us")};
    return asked;
}

} // namespace ridge::labs
