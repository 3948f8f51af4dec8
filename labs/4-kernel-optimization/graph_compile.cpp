// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 4.8: an operator graph becomes kernels, and kernels become time.
#include "base/hash.h"
#include "base/lane_trace.h"
#include "labs/4-kernel-optimization/graph_compile_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/ladder.h"
#include "labs/harness/model_params.h"
#include "labs/harness/work.h"
#include "workload/compile/graph_cuda.h"
#include "workload/compile/graph_values.h"

#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <numeric>

namespace ridge::labs {
namespace {

using graphs::Graph;
using graphs::Kernel;
using graphs::Schedule;

/// FLOP that the processor or a simulator computes one by one for a comparison.
constexpr double kMostChecked = 1e8;

/// The graph at some sizes, with the arms of its branches that the data choose at the small ones.
Result<Graph> bound(const GraphQuestion& asked, bool small, std::int64_t varying, std::vector<bool>& arms)
{
    graphs::BindOptions options{small, varying, asked.breaks, arms};
    if (asked.breaks && arms.empty() && asked.file.branches > 0) {
        graphs::BindOptions look{true, 0, true, {}};
        for (int branch = 0; branch < asked.file.branches; ++branch) { // each arm may lead to another later one
            const auto graph = graphs::bindGraph(asked.file, look);
            if (!graph)
                return graph.error();
            look.arms = graphs::evaluateGraph(*graph).arms;
        }
        arms = options.arms = look.arms;
    }
    return graphs::bindGraph(asked.file, options);
}

double longestSum(const Graph& graph)
{
    double longest = 1;
    for (const graphs::Node& node : graph.nodes) {
        if (node.of.empty())
            continue;
        const graphs::Shape& from = graph.nodes[static_cast<std::size_t>(node.of[0])].shape;
        if (graphs::classOf(node) == graphs::OpClass::Reduction)
            longest = std::max(longest, double(from[static_cast<std::size_t>(node.axis)]));
        if (graphs::classOf(node) == graphs::OpClass::Matmul)
            longest = std::max(longest, double(from.back()));
    }
    return longest;
}

void checkError(RunContext& context, const Graph& graph, double error, Provenance by)
{
    // Roundings of the longest sum, and of a few operators behind it, each to 2^-24.
    const double allowed = (2 * longestSum(graph) + 64) * 0x1p-24;
    if (std::isfinite(error))
        context.metric("max_error", error, by);
    context.check("as operator by operator", error <= allowed,
                  fmt::format("largest error {:.3g} of the largest output, allowed {:.3g}", error, allowed));
}

std::string namesOf(const Graph& graph, const std::vector<int>& nodes)
{
    std::vector<std::string> names;
    for (const int n : nodes)
        names.push_back(graph.nodes[static_cast<std::size_t>(n)].name);
    return fmt::format("{}", fmt::join(names, " + "));
}

void logKernels(RunContext& context, const Graph& graph, const Schedule& schedule, std::span<const double> seconds)
{
    for (std::size_t k = 0; k < schedule.kernels.size(); ++k) {
        const Kernel& kernel = schedule.kernels[k];
        context.log(fmt::format("kernel {}{}: {}; reads {:.4g} B, writes {:.4g} B, {:.4g} FLOP{}", k + 1,
                                graph.stops.empty() ? "" : fmt::format(" of piece {}", kernel.segment + 1),
                                namesOf(graph, kernel.nodes), kernel.bytesRead, kernel.bytesWritten, kernel.flops,
                                k < seconds.size() ? fmt::format(", {:.3g} us", seconds[k] * 1e6) : ""));
    }
}

void draw(RunContext& context, const Graph& graph, const Schedule& schedule, const graphs::StepTimes& step,
          const std::string& title)
{
    if (!context.wantsTrace())
        return;
    LaneTraceBuilder lanes(title, "us");
    const auto call = lanes.state("call", TraceColor::Series2, "c");
    const auto enter = lanes.state("enter", TraceColor::Series4, "g");
    const auto wait = lanes.state("wait and read", TraceColor::Series6, "w");
    const auto work = lanes.state("kernel", TraceColor::Series1, "k");
    const auto host = lanes.lane("host"), gpu = lanes.lane("GPU");
    std::map<int, std::uint32_t> called;
    for (const graphs::StepSpan& span : step.spans) {
        const double begin = span.begin * 1e6, end = span.end * 1e6;
        const auto id = static_cast<std::uint64_t>(span.kernel + 1);
        if (span.stop >= 0)
            lanes.span(
                host, begin, end, wait,
                "reads " +
                    graph.nodes[static_cast<std::size_t>(graph.stops[static_cast<std::size_t>(span.stop)].node)].name);
        else if (span.kernel < 0)
            lanes.span(host, begin, end, enter, "guards");
        else if (span.host)
            called[span.kernel] = lanes.span(host, begin, end, call, fmt::format("{}", span.kernel + 1), id);
        else {
            const auto ran =
                lanes.span(gpu, begin, end, work,
                           namesOf(graph, schedule.kernels[static_cast<std::size_t>(span.kernel)].nodes), id);
            if (const auto from = called.find(span.kernel); from != called.end())
                lanes.arrow(from->second, ran);
        }
    }
    context.trace(LaneTrace::kKind, encodeLaneTrace(lanes.take()));
}

/// Steps and run of one question, from the times of the kernels of each shape.
class Account {
public:
    Account(const GraphQuestion& asked, RunContext& context) : m_asked(asked), m_context(context)
    {
        m_made = asked.compiled ? graphs::compilationsOf(asked.shapeMode, asked.shapes) : graphs::Compilations{};
    }

    /// Shape i: the steps of both modes.
    void see(int shape, const graphs::StepTimes& own, const graphs::StepTimes& eager)
    {
        const bool late = m_asked.compiled && shape >= m_asked.shapes - m_made.eagerShapes;
        const graphs::StepTimes& step = late ? eager : own;
        const double share = 1.0 / m_asked.shapes;
        m_step += share * step.seconds;
        m_kernels += share * step.kernelSeconds;
        m_host += share * step.hostSeconds;
        m_wait += share * step.waitSeconds;
        m_eager += share * eager.seconds;
    }

    void tell(const Graph& graph, const Schedule& schedule, Provenance kernels)
    {
        const auto modelled = [&](const char* name, double value) {
            m_context.metric(name, value, Provenance::Modelled);
        };
        const double stops = double(graph.stops.size());
        double pieces = 0, guards = 0;
        if (m_asked.compiled) {
            int last = -1;
            for (const Kernel& kernel : schedule.kernels) {
                pieces += kernel.segment != last;
                last = kernel.segment;
            }
            guards = sizeGuards();
        }
        modelled("kernels", double(schedule.kernels.size()));
        modelled("launches", double(schedule.kernels.size()) + stops);
        modelled("bytes", schedule.bytes());
        modelled("flops", schedule.flops());
        modelled("graph_breaks", m_asked.compiled ? stops : 0);
        modelled("pieces", pieces);
        modelled("guards", guards);
        modelled("compiles", pieces * m_made.compiles);
        modelled("recompiles", pieces * m_made.recompiles);
        const double compiling = pieces * m_made.compiles * m_asked.compileSeconds;
        modelled("compile_time", compiling);
        m_context.metric("kernel_time", m_kernels, kernels);
        modelled("host_time", m_host);
        modelled("wait_time", m_wait);
        modelled("time", m_step);
        modelled("eager_time", m_eager);
        modelled("speedup", m_eager / m_step);
        const double run = compiling + m_asked.steps * m_step, eagerRun = m_asked.steps * m_eager;
        modelled("run_time", run);
        modelled("eager_run_time", eagerRun);
        modelled("run_speedup", eagerRun / run);
        if (!m_asked.compiled)
            return;
        if (const auto steps = graphs::breakEvenSteps(compiling, m_eager, m_step))
            modelled("break_even_steps", *steps);
        else
            m_context.log("A compiled step is no faster than an eager one: compiling never pays for itself.");
        if (m_made.eagerShapes > 0)
            m_context.log(fmt::format("{} of {} shapes came after the limit of {} compilations and run eager.",
                                      m_made.eagerShapes, m_asked.shapes, graphs::kRecompileLimit));
    }

private:
    /// Sizes of inputs that are compiled in: all of them, but the one that is a variable.
    double sizeGuards() const
    {
        double all = 0, variable = 0;
        const bool dynamic = m_asked.shapeMode == graphs::ShapeMode::Marked ||
                             (m_asked.shapeMode == graphs::ShapeMode::Automatic && m_asked.shapes > 1);
        const std::string& name = m_asked.file.sizes.empty() ? std::string() : m_asked.file.sizes[0].name;
        for (const graphs::GraphItem& input : m_asked.file.inputs) {
            all += double(input.shape.size());
            variable += double(std::ranges::count(input.shape, name));
        }
        return dynamic ? all - variable : all;
    }

    const GraphQuestion& m_asked;
    RunContext& m_context;
    graphs::Compilations m_made;
    double m_step = 0, m_kernels = 0, m_host = 0, m_wait = 0, m_eager = 0;
};

class GraphCompileExperiment : public Experiment {
public:
    GraphCompileExperiment() : m_info(graphCompileInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

class GraphRunExperiment : public GpuExperiment {
public:
    GraphRunExperiment() : m_info(graphRunInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<gpu::KernelSource> sources(const ParamSet& params, const gpu::DeviceInfo& info) const override;
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Schedule scheduleOf(const GraphQuestion& asked, const Graph& graph, bool compiled)
{
    return graphs::scheduleGraph(graph, compiled ? asked.rules : graphs::FusionRules{false, false});
}

std::int64_t shapeOf(const GraphQuestion& asked, int shape)
{
    if (asked.varying == 0 && shape == 0)
        return 0;
    const graphs::GraphSize& size = asked.file.sizes[0];
    return (asked.varying > 0 ? asked.varying : asked.small ? size.small : size.full) + shape;
}

std::string titleOf(const GraphQuestion& asked)
{
    return fmt::format("{}, {}", asked.file.title.empty() ? asked.file.id : asked.file.title,
                       asked.compiled ? "compiled" : "eager");
}

Result<void> GraphCompileExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto asked = graphQuestion(params);
    if (!asked)
        return asked.error();
    ParamSet chosen = params;
    chosen["dtype"] = std::string("fp32");
    const auto device = deviceOf(chosen);
    if (!device)
        return device.error();
    std::vector<bool> arms;
    Account account(*asked, context);
    std::optional<Graph> first;
    Schedule own;
    // What only products have of this device is their rate; kernels of another kind are bound by bytes.
    workload::Device faster = *device;
    faster.flopsPerSecond *= asked->productGain;
    double least = 0, products = 0;
    for (int shape = 0; shape < asked->shapes; ++shape) {
        auto graph = bound(*asked, asked->small, shapeOf(*asked, shape), arms);
        if (!graph)
            return graph.error();
        const auto stepOf = [&](const workload::Device& on, const Schedule& schedule, bool compiled,
                                std::vector<double>& seconds) {
            for (const Kernel& kernel : schedule.kernels)
                seconds.push_back(graphs::kernelSeconds(on, *graph, kernel));
            return graphs::stepTimes(*graph, schedule, seconds, compiled ? asked->graph : asked->eager);
        };
        std::vector<double> seconds, eagerSeconds;
        const Schedule eager = scheduleOf(*asked, *graph, false);
        const auto eagerStep = stepOf(*device, eager, false, eagerSeconds);
        Schedule schedule = scheduleOf(*asked, *graph, asked->compiled);
        const auto step = stepOf(faster, schedule, asked->compiled, seconds);
        for (std::size_t k = 0; k < seconds.size(); ++k) {
            const Kernel& kernel = schedule.kernels[k];
            const bool product = kernel.kind == graphs::KernelKind::Matmul;
            least += graphs::boundSeconds(product ? faster : *device, kernel) / asked->shapes;
            products += product ? seconds[k] / asked->shapes : 0;
        }
        account.see(shape, step, eagerStep);
        if (shape > 0)
            continue;
        logKernels(context, *graph, schedule, seconds);
        draw(context, *graph, schedule, step, titleOf(*asked));
        context.check("no work is lost", std::abs(schedule.flops() - eager.flops()) <= 1e-9 * eager.flops(),
                      fmt::format("{:.6g} FLOP, operator by operator {:.6g}", schedule.flops(), eager.flops()));
        own = std::move(schedule);
        first = std::move(*graph);
    }
    account.tell(*first, own, Provenance::Modelled);
    context.metric("product_time", products, Provenance::Modelled);
    context.metric("bound_time", least, Provenance::Modelled);
    context.limit("time", least);

    // The kernels' results, at sizes at which they can be computed here.
    const auto small = bound(*asked, true, 0, arms);
    if (!small)
        return small.error();
    const Schedule schedule = scheduleOf(*asked, *small, asked->compiled);
    if (schedule.flops() > kMostChecked)
        return Error{"too-large", fmt::format("at its small sizes the graph computes {:.3g} FLOP", schedule.flops()),
                     asked->file.id, fmt::format("give small sizes with at most {:.0g} FLOP", kMostChecked)};
    if (integer(params, "show") != 0)
        context.log(graphs::writeCuda(*small, schedule).text);
    const auto run = graphs::runSchedule(*small, schedule);
    checkError(context, *small, graphs::largestError(*small, graphs::evaluateGraph(*small), run.nodes),
               Provenance::Modelled);
    return {};
}

gpu::KernelSource sourceOf(const graphs::CudaSource& made)
{
    return {fmt::format("graph/{}.cu", sha256Hex(made.text).substr(0, 16)), made.text};
}

/// A schedule's kernels, compiled and with their data on the device.
class DeviceRun {
public:
    DeviceRun(GpuContext& context, const Graph& graph, const Schedule& schedule)
        : m_context(context), m_graph(graph), m_schedule(schedule), m_buffers(context.device())
    {
    }

    Result<void> prepare()
    {
        const auto source = graphs::writeCuda(m_graph, m_schedule);
        text = source.text;
        const auto program = m_context.written(sourceOf(source));
        if (!program)
            return program.error();
        for (const graphs::CudaKernel& kernel : source.kernels) {
            std::vector<gpu::KernelArg> arguments;
            for (const int n : kernel.arguments) {
                const auto buffer = bufferOf(n);
                if (!buffer)
                    return buffer.error();
                arguments.emplace_back(*buffer);
            }
            m_sequence.push_back(step(*program, kernel.name, static_cast<std::uint64_t>(kernel.blocks),
                                      static_cast<std::uint32_t>(kernel.threads), std::move(arguments)));
        }
        return {};
    }

    /// Once, in order: fills `seconds`, with simulated times or with measured ones.
    Result<void> run()
    {
        const auto done = executeOnce(m_context, m_sequence);
        if (!done)
            return done.error();
        if (auto guarded = m_buffers.checkGuards(m_context); !guarded)
            return guarded;
        for (std::size_t k = 0; k < m_sequence.size(); ++k) {
            if (const auto& timing = done->launches[k].timing) {
                seconds.push_back(timing->seconds);
                continue;
            }
            const auto timed = m_context.device().time(*m_sequence[k].program, std::span(&m_sequence[k].launch, 1));
            if (!timed)
                return timed.error();
            if (*timed)
                seconds.push_back((*timed)->medianSeconds);
        }
        return {};
    }

    Result<std::vector<std::vector<float>>> results()
    {
        std::vector<std::vector<float>> all(m_graph.nodes.size());
        for (const auto& [n, buffer] : m_where) {
            auto& values = all[static_cast<std::size_t>(n)];
            const auto count =
                static_cast<std::uint64_t>(graphs::countOf(m_graph.nodes[static_cast<std::size_t>(n)].shape));
            values.resize(count);
            if (auto read =
                    readBack<float>(m_context, buffer, count, [&](std::uint64_t i, float value) { values[i] = value; });
                !read)
                return read.error();
        }
        return all;
    }

    std::string text;
    std::vector<double> seconds; ///< of each kernel; empty where the target has no clock

private:
    Result<gpu::DevicePtr> bufferOf(int n)
    {
        if (const auto known = m_where.find(n); known != m_where.end())
            return known->second;
        const graphs::Node& node = m_graph.nodes[static_cast<std::size_t>(n)];
        const auto count = static_cast<std::uint64_t>(graphs::countOf(node.shape));
        const auto made = m_buffers.allocate(4 * count, node.name);
        if (!made)
            return made.error();
        m_where[n] = *made;
        if (node.op != graphs::Op::Input) {
            if (auto done = poison(m_context, *made, 4 * count); !done)
                return done.error();
            return *made;
        }
        const auto values = graphs::inputValues(node);
        if (auto done = fill<float>(m_context, *made, count, [&](std::uint64_t i) { return values[i]; }); !done)
            return done.error();
        return *made;
    }

    GpuContext& m_context;
    const Graph& m_graph;
    const Schedule& m_schedule;
    Buffers m_buffers;
    std::map<int, gpu::DevicePtr> m_where;
    gpu::Sequence m_sequence;
};

/// What is too large to be compared is written nowhere.
bool tooLarge(const Schedule& schedule)
{
    return schedule.flops() > kMostChecked;
}

std::vector<gpu::KernelSource> GraphRunExperiment::sources(const ParamSet& params, const gpu::DeviceInfo&) const
{
    const auto asked = graphQuestion(params);
    std::vector<bool> arms;
    const auto graph = asked ? bound(*asked, true, asked->varying, arms) : Result<Graph>(asked.error());
    if (!graph)
        return {};
    const Schedule own = scheduleOf(*asked, *graph, asked->compiled);
    if (tooLarge(own))
        return {};
    std::vector<gpu::KernelSource> all{sourceOf(graphs::writeCuda(*graph, own))};
    if (asked->compiled)
        all.push_back(sourceOf(graphs::writeCuda(*graph, scheduleOf(*asked, *graph, false))));
    return all;
}

Result<void> GraphRunExperiment::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    const auto asked = graphQuestion(params);
    if (!asked)
        return asked.error();
    std::vector<bool> arms;
    const auto graph = bound(*asked, true, asked->varying, arms);
    if (!graph)
        return graph.error();
    const Schedule eager = scheduleOf(*asked, *graph, false), own = scheduleOf(*asked, *graph, asked->compiled);
    if (own.flops() > kMostChecked)
        return Error{
            "too-large",
            fmt::format("the results of {:.3g} FLOP would be compared one by one on this processor", own.flops()),
            "tokens", fmt::format("take tokens that need at most {:.0g} FLOP, or 0", kMostChecked)};
    const auto wanted = graphs::evaluateGraph(*graph);
    if (wanted.arms != arms && asked->breaks)
        return Error{"other-arm", "with so many tokens a branch takes another arm than at the small size", "tokens",
                     "take tokens=0"};
    DeviceRun run(context, *graph, own);
    if (auto done = run.prepare(); !done)
        return done;
    if (integer(params, "show") != 0)
        context.log(run.text);
    if (auto done = run.run(); !done)
        return done;
    const auto results = run.results();
    if (!results)
        return results.error();
    const Provenance by = context.device().info().provenance;
    checkError(context, *graph, graphs::largestError(*graph, wanted, *results), by);
    context.metric("kernels", double(own.kernels.size()), by);
    context.metric("bytes", own.bytes(), Provenance::Modelled);
    context.metric("flops", own.flops(), Provenance::Modelled);
    logKernels(context, *graph, own, run.seconds);
    if (run.seconds.size() != own.kernels.size())
        return {}; // no clock: the results were compared, and that is all that can be told
    const double seconds = std::accumulate(run.seconds.begin(), run.seconds.end(), 0.0);
    double eagerSeconds = seconds;
    if (asked->compiled) {
        DeviceRun other(context, *graph, eager);
        if (auto done = other.prepare(); !done)
            return done;
        if (auto done = other.run(); !done)
            return done;
        eagerSeconds = std::accumulate(other.seconds.begin(), other.seconds.end(), 0.0);
    }
    context.metric("kernel_time", seconds, by);
    context.metric("eager_kernel_time", eagerSeconds, by);
    context.metric("kernel_speedup", eagerSeconds / seconds, by);
    // Each kernel is launched cold or finds its data in L2; inputs must come from memory once where it is cold.
    if (by == Provenance::Simulated && context.device().info().memoryBytesPerSecond > 0) {
        double read = 0;
        for (const Kernel& kernel : own.kernels)
            read += kernel.bytesRead;
        context.limit("kernel_time", read / context.device().info().memoryBytesPerSecond);
    }
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeGraphCompile()
{
    return std::make_unique<GraphCompileExperiment>();
}

std::unique_ptr<GpuExperiment> makeGraphRun()
{
    return std::make_unique<GraphRunExperiment>();
}

} // namespace ridge::labs
