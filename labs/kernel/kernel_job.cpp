// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/kernel_job.h"

#include "gpu/compile/sass.h"
#include "labs/kernel/hardware_counters.h"
#include "labs/kernel/kernel_buffers.h"
#include "labs/kernel/kernel_document.h"
#include "labs/kernel/program_symbols.h"
#include "silicon/fingerprint.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace ridge::labs {
namespace {

constexpr std::size_t kMostPtxBytes = std::size_t{6} << 20; ///< an event is one line of at most 8 MiB

/// Whether launches are timed in part, by the environment: a worker is started for a run, as with RIDGE_INCLUDE.
Result<gpu::TimingOptions> timingOptions(const std::vector<PassedArgument>& arguments)
{
    gpu::TimingOptions options;
    const char* given = std::getenv("RIDGE_ESTIMATE");
    const std::string word = given == nullptr || *given == '\0' ? "auto" : given;
    if (word != "auto" && word != "never" && word != "always" && word != "time")
        return Error{"bad-argument", "'" + word + "' is no way to time a launch", "RIDGE_ESTIMATE",
                     "give auto, never, always or time"};
    options.estimate = word == "never"  ? gpu::Estimate::Never
                       : word == "auto" ? gpu::Estimate::Auto
                                        : gpu::Estimate::Always;
    options.timeOnly = word == "time";
    const auto written = std::find_if(arguments.begin(), arguments.end(),
                                      [](const PassedArgument& argument) { return !argument.value.outFile.empty(); });
    if (options.timeOnly && written != arguments.end())
        return Error{"bad-argument", "a run for the time alone has no results to write", written->value.text,
                     "leave out >" + written->value.outFile + ", or let the launch be executed (--estimate always)"};
    return options;
}

Json nullOr(const std::string& text)
{
    return text.empty() ? Json() : Json(text);
}

Json describe(const gpu::Program& program, bool exact)
{
    Json json{{"by", program.compiler},
              {"version", nullOr(program.compilerVersion)},
              {"arch", nullOr(program.arch)},
              {"exact", exact},
              {"source_sha256", program.sourceSha256}};
    if (!program.cubin.empty())
        json["machine_code"] = program.cubinArch;
    return json;
}

StartedEvent started(const std::string& what, const std::string& target, Provenance provenance, Json device)
{
    Json fingerprint = silicon::machineFingerprint();
    fingerprint["target"] = std::move(device);
    return {what, 1, target, provenance, std::move(fingerprint), 0};
}

/// The launch breaks a limit of chip or kernel: what a GPU calls it stands before the first colon of the message.
gpu::Report launchReport(const Error& error, const std::string& kernel)
{
    gpu::Report report;
    report.code = "launch-limits";
    report.fatal = true;
    report.kernel = kernel;
    report.message = error.message;
    report.lookFor = error.fix;
    const auto colon = error.message.find(": ");
    if (error.message.starts_with("cudaError") && colon != std::string::npos) {
        report.cuda = error.message.substr(0, colon);
        report.message = error.message.substr(colon + 2);
    }
    // What the timing model finds out once it has counted registers.
    else if (error.message.find("register") != std::string::npos)
        report.cuda = "cudaErrorLaunchOutOfResources";
    return report;
}

class KernelRun {
public:
    KernelRun(const KernelRunRequest& request, const EventSink& sink, const gpu::StopRequested& stop, const GoOn& goOn)
        : m_request(request), m_sink(sink), m_stop(stop), m_goOn(goOn)
    {
    }

    Result<void> run()
    {
        if (auto opened = open(); !opened)
            return opened;
        m_sink(ProgressEvent{0.05, "compiling"});
        if (auto compiled = compile(); !compiled)
            return compiled;
        m_sink(ProgressEvent{0.2, "filling buffers"});
        auto buffers = KernelBuffers::make(*m_device, m_arguments);
        if (!buffers)
            return buffers.error();
        const auto before = buffers->contents();
        if (!before)
            return before.error();
        m_sink(ProgressEvent{0.3, "running " + m_kernel.plain});
        if (auto walked = writeDownSteps(*buffers); !walked)
            return walked;
        if (auto ran = launch(*buffers); !ran)
            return ran;
        tellUnfilled();
        m_sink(ProgressEvent{0.95, "writing results"});
        Json document = describeRun();
        if (m_request.counters && !m_stopped && m_device->info().provenance == Provenance::Measured)
            if (auto added = addHardwareCounters(document); !added)
                return added;
        document["files"] = Json::array();
        // What a kernel that was stopped half-way left behind is no result.
        document["buffers"] = Json::array();
        const bool leftOut = m_report.timing && m_report.timing->extrapolation.resultsLeftOut;
        if (!m_stopped && !leftOut) {
            auto changes = buffers->changesSince(*before);
            if (!changes)
                return changes.error();
            document["buffers"] = std::move(*changes);
            const auto written = buffers->writeFiles();
            if (!written)
                return written.error();
            for (const auto& file : *written)
                document["files"].push_back(Json{{"path", file.file}, {"bytes", file.bytes}});
        }
        if (m_steps)
            document["variables"] = variablesToJson(m_program->program());
        m_sink(KernelEvent{std::move(document)});
        if (m_steps)
            m_sink(TraceEvent{0, "steps", encodeStepTrace(*m_steps)});
        return {};
    }

private:
    Result<void> open()
    {
        // A launch may take half of what the run may, so that time is left to say what was wrong with it.
        RunLimits limits = m_request.limits;
        limits.seconds *= 0.5;
        // Nobody is asked while it is looked for what was wrong.
        GoOn goOn;
        if (m_request.pausable && m_goOn)
            goOn = [this](const Error& why) { return !m_searchUntil && m_goOn(why); };
        auto device = openTarget(
            m_request.target, limits, [this] { return stopRequested(); }, Regime::Quick, false, goOn);
        if (!device)
            return device.error();
        m_device = std::move(*device);
        const gpu::DeviceInfo& info = m_device->info();
        m_sink(started("kernel", m_request.target, info.provenance, *info.fingerprint));
        return {};
    }

    Result<void> compile()
    {
        const gpu::DeviceInfo& info = m_device->info();
        auto program = programOf(m_request.source, info, m_request.exact, m_stop);
        if (!program)
            return program.error();
        auto kernel = kernelOf(*program, m_request.kernel, m_request.source.path);
        if (!kernel) {
            const Error asked = withTemplateAdvice(kernel.error(), m_request.kernel, m_request.source.text);
            const auto instance = withInstance(m_request.source, m_request.kernel);
            if (kernel.error().code != "kernel-not-found" || !instance)
                return asked;
            auto made = programOf(*instance, info, m_request.exact, m_stop);
            if (!made && made.error().code == "cancelled")
                return made.error();
            kernel = made ? kernelOf(*made, m_request.kernel, m_request.source.path) : made.error();
            if (!kernel)
                return Error{asked.code,
                             asked.message + ", and none can be made of that name: " +
                                 kernel.error().message.substr(0, kernel.error().message.find('\n')),
                             asked.place, asked.fix};
            program = std::move(made);
        }
        m_kernel = std::move(*kernel);
        std::vector<std::string> specs = m_request.args;
        auto symbols = takeSymbols(specs, *program);
        if (!symbols)
            return symbols.error();
        m_symbols = std::move(*symbols);
        auto arguments = readArguments(specs, m_kernel);
        if (!arguments)
            return arguments.error();
        m_arguments = std::move(*arguments);
        auto loaded = m_device->load(*program);
        if (!loaded)
            return loaded.error();
        m_program = std::move(*loaded);
        if (auto filled = fillSymbols(*m_device, *m_program, m_symbols); !filled)
            return filled;
        const auto facts = factsOf(*program, info.computeMajor * 10 + info.computeMinor);
        if (const auto found = facts.find(m_kernel.name); found != facts.end() && found->second)
            m_facts = *found->second;
        return {};
    }

    /// A run of its own, functional and on fresh buffers: what it sees is not what takes the time.
    Result<void> writeDownSteps(KernelBuffers& buffers)
    {
        if (m_request.steps == 0)
            return {};
        if (m_device->info().provenance == Provenance::Measured)
            return Error{"unsupported-target", "a GPU does not show its instructions one by one",
                         "target " + m_request.target, "take the steps on a simulated chip: ridge targets lists them"};
        makeLaunch(buffers);
        const std::uint64_t blocks = std::uint64_t{m_launch.grid.x} * m_launch.grid.y * m_launch.grid.z;
        if (m_request.stepsBlock >= blocks)
            return Error{"bad-argument",
                         "the launch has " + std::to_string(blocks) + " blocks, counted from 0; there is no block " +
                             std::to_string(m_request.stepsBlock),
                         "steps_block", "name a block of the grid"};
        gpu::LaunchOptions options;
        options.faultsAsReports = true;
        options.traceSteps = static_cast<std::size_t>(m_request.steps);
        options.stepsBlock = static_cast<std::uint32_t>(m_request.stepsBlock);
        if (auto ran = launchOnce(options); !ran)
            return ran;
        m_steps = std::move(m_report.steps);
        m_report = {};
        m_stopped = false;
        return startAfresh(buffers);
    }

    /// As before the first launch: buffers filled again, and the program's own variables at their initial values.
    Result<void> startAfresh(KernelBuffers& buffers)
    {
        auto loaded = m_device->load(gpu::Program(m_program->program()));
        if (!loaded)
            return loaded.error();
        m_program = std::move(*loaded);
        if (auto filled = fillSymbols(*m_device, *m_program, m_symbols); !filled)
            return filled;
        return buffers.refill();
    }

    void makeLaunch(const KernelBuffers& buffers)
    {
        const auto dim = [](const std::array<std::uint64_t, 3>& d) {
            return gpu::Dim3{static_cast<std::uint32_t>(d[0]), static_cast<std::uint32_t>(d[1]),
                             static_cast<std::uint32_t>(d[2])};
        };
        m_launch = {m_kernel.name, dim(m_request.grid), dim(m_request.block),
                    static_cast<std::uint32_t>(m_request.dynamicSharedBytes), buffers.values()};
        m_launch.cluster = dim(m_request.cluster);
        m_launch.nonPortableCluster = m_request.nonPortableCluster;
    }

    Result<void> launch(KernelBuffers& buffers)
    {
        makeLaunch(buffers);
        const bool isGpu = m_device->info().provenance == Provenance::Measured;
        gpu::LaunchOptions options;
        options.faultsAsReports = true;
        options.check = m_request.check || m_request.checkGlobal;
        options.checkGlobalRaces = m_request.checkGlobal;
        // Watching is functional; time is taken in a second run on fresh buffers.
        options.timing = !m_request.functional && !options.check;
        const auto timingOptions = labs::timingOptions(m_arguments);
        if (!timingOptions)
            return timingOptions.error();
        options.timingOptions = *timingOptions;
        if (auto ran = launchOnce(options); !ran)
            return ran;
        if ((options.timing || options.check) && m_stopped && m_report.reports.back().code == "time-limit")
            return nameTheCause(buffers);
        if (m_stopped || m_request.functional || (!isGpu && !options.check))
            return {};
        if (isGpu)
            return measure();
        if (auto fresh = startAfresh(buffers); !fresh)
            return fresh;
        gpu::LaunchOptions timed;
        timed.faultsAsReports = timed.timing = true;
        timed.timingOptions = options.timingOptions;
        m_sink(ProgressEvent{0.6, "running " + m_kernel.plain + " with the clock"});
        std::vector<gpu::Report> found = std::move(m_report.reports);
        if (auto ran = launchOnce(timed); !ran)
            return ran;
        m_report.reports.insert(m_report.reports.begin(), found.begin(), found.end());
        return {};
    }

    bool stopRequested() const
    {
        return (m_stop && m_stop()) || (m_searchUntil && std::chrono::steady_clock::now() > *m_searchUntil);
    }

    /// Time ran out with the clock, or while the launch was watched: a functional run, which is fast, proves it where
    /// the kernel would never have ended. What the watch had found by then stays.
    Result<void> nameTheCause(KernelBuffers& buffers)
    {
        gpu::LaunchReport outOfTime = m_report;
        if (auto fresh = startAfresh(buffers); !fresh)
            return fresh;
        gpu::LaunchOptions functional;
        functional.faultsAsReports = true;
        const double seconds = std::min(5.0, m_request.limits.seconds > 0 ? 0.25 * m_request.limits.seconds : 5.0);
        m_searchUntil =
            std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
        const auto ran = launchOnce(functional);
        m_searchUntil.reset();
        if (!ran && (ran.error().code != "cancelled" || stopRequested()))
            return ran;
        if (!ran || !m_stopped)
            m_report = std::move(outOfTime);
        else
            m_report.reports.insert(m_report.reports.begin(), outOfTime.reports.begin(),
                                    std::prev(outOfTime.reports.end()));
        m_stopped = true;
        return {};
    }

    void tellUnfilled()
    {
        std::vector<gpu::Report> unfilled = unfilledVariables(m_program->program(), m_kernel, m_symbols);
        addSourceText(unfilled, m_request.source);
        m_report.reports.insert(m_report.reports.begin(), unfilled.begin(), unfilled.end());
    }

    Result<void> launchOnce(gpu::LaunchOptions options)
    {
        options.mostInstructions = m_request.mostInstructions;
        options.mostCycles = m_request.mostCycles;
        auto report = m_device->launch(*m_program, m_launch, options);
        if (!report && report.error().code == "no-timing") {
            m_untimed = report.error();
            gpu::LaunchOptions functional = options;
            functional.timing = false;
            report = m_device->launch(*m_program, m_launch, functional);
        }
        if (!report && report.error().code != "bad-launch")
            return report.error();
        m_report = report ? std::move(*report) : gpu::LaunchReport{};
        if (!report)
            m_report.reports.push_back(launchReport(report.error(), m_kernel.plain));
        for (gpu::Report& found : m_report.reports) {
            found.kernel = m_kernel.plain;
            found.message = inPlainWords(found.message, m_kernel);
        }
        addSourceText(m_report.reports, m_request.source);
        m_stopped = std::any_of(m_report.reports.begin(), m_report.reports.end(),
                                [](const gpu::Report& found) { return found.fatal; });
        return {};
    }

    /// A series of launches changes buffers that are read and written: results are those of the first one.
    Result<void> measure()
    {
        auto copies = KernelBuffers::make(*m_device, m_arguments);
        if (!copies)
            return copies.error();
        gpu::Launch timed = m_launch;
        timed.args = copies->values();
        const auto timing = m_device->time(*m_program, std::span(&timed, 1));
        if (!timing)
            return timing.error();
        m_timing = *timing;
        return {};
    }

    Json describeRun() const
    {
        const gpu::Program& program = m_program->program();
        Json json{{"kernel", m_request.kernel.empty() ? m_kernel.plain : m_request.kernel},
                  {"signature", m_kernel.plain},
                  {"entry", m_kernel.name},
                  {"file", m_request.source.path},
                  {"target", m_request.target},
                  {"device", m_device->info().name},
                  {"provenance", toText(m_device->info().provenance)},
                  {"compiler", compilerText(program)},
                  {"compilation", describe(program, m_request.exact)},
                  {"grid", m_request.grid},
                  {"block", m_request.block},
                  {"cluster", m_request.cluster[0] == 0 ? Json() : Json(m_request.cluster)},
                  {"dynamic_shared_bytes", m_request.dynamicSharedBytes},
                  {"mode", m_device->info().provenance == Provenance::Measured ? "measured" : "functional"},
                  {"checked", m_request.check || m_request.checkGlobal},
                  {"cycles", nullptr},
                  {"time_s", m_timing ? Json(m_timing->medianSeconds) : Json()},
                  {"measurement", nullptr},
                  {"timing", nullptr},
                  {"occupancy", occupancyToJson(m_device->info(), m_facts, m_launch)},
                  {"counters", m_report.counters ? countersToJson(*m_report.counters) : Json::object()},
                  {"stalls", nullptr},
                  {"per_line", nullptr},
                  {"reports", Json::array()}};
        if (m_timing)
            json["measurement"] = Json{{"median_s", m_timing->medianSeconds},
                                       {"iqr_s", m_timing->iqrSeconds},
                                       {"min_s", m_timing->minSeconds},
                                       {"samples", m_timing->samples},
                                       {"validity", m_timing->validity}};
        json["printed"] = m_report.printed;
        json["printed_cut"] = m_report.printedCut;
        json["untimed"] = m_untimed ? Json(m_untimed->message) : Json();
        if (m_report.timing)
            addTiming(json, *m_report.timing, m_request.source);
        for (const gpu::Report& report : m_report.reports)
            json["reports"].push_back(gpu::toJson(report));
        return json;
    }

    /// A quarter of the run's time at most; without counters the run is as good as it was. Errors: "cancelled".
    Result<void> addHardwareCounters(Json& document) const
    {
        m_sink(ProgressEvent{0.95, "counting with Nsight Compute"});
        // Once, without timing, and without asking for counters again.
        KernelRunRequest once = m_request;
        once.counters = once.check = once.checkGlobal = false;
        once.functional = true;
        once.steps = 0;
        const double seconds = m_request.limits.seconds > 0 ? 0.25 * m_request.limits.seconds : 30;
        once.limits.seconds = 2 * seconds; // it ends even where a profiler started it out of reach
        const auto counted = countOnHardware({toJson(KernelRequest(once)), m_kernel.name, seconds, m_stop});
        if (!counted && counted.error().code == "cancelled")
            return counted.error();
        if (!counted) {
            document["counters_missing"] = countersMissing(counted.error());
            return {};
        }
        document["counters"] = Json::object();
        for (const auto& [name, counter] : counted->counters)
            document["counters"][name] = Json{{"value", counter.value}, {"unit", counter.unit}};
        document["counters_by"] = counted->by;
        return {};
    }

    const KernelRunRequest& m_request;
    const EventSink& m_sink;
    const gpu::StopRequested& m_stop;
    const GoOn& m_goOn;
    std::unique_ptr<gpu::Device> m_device;
    std::unique_ptr<gpu::LoadedProgram> m_program;
    KernelSignature m_kernel;
    std::vector<PassedArgument> m_arguments;
    std::vector<ProgramSymbol> m_symbols;
    std::optional<KernelFacts> m_facts;
    gpu::Launch m_launch;
    gpu::LaunchReport m_report;
    std::optional<StepTrace> m_steps;
    std::optional<gpu::Timing> m_timing;
    std::optional<Error> m_untimed; ///< why there is no time although it was asked for
    bool m_stopped = false;
    std::optional<std::chrono::steady_clock::time_point> m_searchUntil; ///< of nameTheCause()
};

/// How many PTX instructions each source line became, by kernel.
Json linesOf(const gpu::Program& program)
{
    Json lines = Json::array();
    for (const auto& [line, count] : instructionsPerLine(program))
        lines.push_back(Json{{"source_line", line.second == 0 ? Json() : Json(line.second)},
                             {"kernel", line.first},
                             {"ptx_instructions", count.size()},
                             {"ptx_lines", count}});
    return lines;
}

/// PTX instructions in the order of blocks, each with the machine instructions that came of it.
Json listingOf(const KernelFacts& facts)
{
    Json listing = Json::array();
    for (const gpu::simt::ListedLine& line : facts.listing)
        listing.push_back(Json{{"source_line", line.sourceLine == 0 ? Json() : Json(line.sourceLine)},
                               {"ptx_line", line.ptxLine},
                               {"block", line.block},
                               {"ptx", line.ptx},
                               {"machine", line.machine}});
    return listing;
}

/// NVIDIA's machine code of the kernels, each instruction with the line of the source that it serves.
Json sassJson(const gpu::Sass& sass, const std::string& source)
{
    const std::filesystem::path own = std::filesystem::path(source).filename();
    Json kernels = Json::array();
    for (const gpu::SassKernel& kernel : sass.kernels) {
        Json lines = Json::array();
        for (const gpu::SassLine& line : kernel.lines)
            lines.push_back(
                Json{{"address", line.address},
                     {"sass", line.text},
                     {"source_line",
                      std::filesystem::path(line.file).filename() == own && line.line > 0 ? Json(line.line) : Json()}});
        kernels.push_back(Json{{"entry", kernel.entry}, {"kernel", demangled(kernel.entry)}, {"lines", lines}});
    }
    return Json{{"arch", sass.arch},
                {"ptxas", sass.ptxas.string()},
                {"nvdisasm", sass.nvdisasm.string()},
                {"kernels", std::move(kernels)}};
}

} // namespace

Result<void> compileKernels(const KernelCompileRequest& request, const EventSink& sink, const gpu::StopRequested& stop)
{
    sink(started("kernel-compile", request.arch, Provenance::Modelled, Json::object()));
    const auto sm = smFromText(request.arch);
    if (!sm)
        return sm.error();
    sink(ProgressEvent{0.1, "compiling"});
    const auto program = programOf(request.source, *sm, request.exact, stop);
    if (!program)
        return program.error();
    if (program->ptx.size() > kMostPtxBytes)
        return Error{"too-large", "the PTX has " + std::to_string(program->ptx.size()) + " bytes", request.source.path,
                     "split the file: at most 6 MiB of PTX are handled"};
    const auto kernels = signaturesOf(*program);
    if (!kernels)
        return kernels.error();
    const auto facts = factsOf(*program, *sm);
    Json document{{"file", request.source.path},
                  {"arch", request.arch},
                  {"compiler", compilerText(*program)},
                  {"compilation", describe(*program, request.exact)},
                  {"kernels", Json::array()},
                  {"lines", linesOf(*program)},
                  {"ptx", program->ptx}};
    for (const KernelSignature& kernel : *kernels) {
        Json item{{"kernel", kernel.plain}, {"entry", kernel.name}, {"parameters", Json::array()}};
        for (const KernelParameter& parameter : kernel.parameters)
            item["parameters"].push_back(
                Json{{"name", parameter.name}, {"type", parameter.type}, {"bytes", parameter.bytes}});
        const auto found = facts.find(kernel.name);
        const KernelFacts* known = found != facts.end() && found->second ? &*found->second : nullptr;
        item["registers"] = known ? Json(known->registers) : Json();
        item["registers_exact"] = known ? Json(known->registersExact) : Json();
        item["shared_bytes"] = known ? Json(known->sharedBytes) : Json();
        item["local_bytes"] = known ? Json(known->use.localBytes) : Json();
        item["spill_bytes"] = known ? Json(known->use.spillBytes) : Json();
        item["constant_bytes"] = known ? Json(known->use.constantBytes) : Json();
        item["uniform_registers"] = known ? Json(known->use.uniformRegisters) : Json();
        item["machine_instructions"] = known ? Json(known->use.instructions) : Json();
        item["listing"] = known ? listingOf(*known) : Json();
        if (found != facts.end() && !found->second)
            item["not_simulated"] = toJson(found->second.error());
        document["kernels"].push_back(std::move(item));
    }
    // What is known is told before two more programs are started.
    if (gpu::sassTools())
        sink(KernelEvent{document});
    const auto sass = gpu::sassOf(*program, *sm, request.exact, stop);
    if (!sass && sass.error().code == "cancelled")
        return sass.error();
    if (sass)
        document["sass"] = sassJson(*sass, request.source.path);
    else
        document["sass_missing"] = Json{{"message", sass.error().message}, {"fix", sass.error().fix}};
    sink(KernelEvent{std::move(document)});
    return {};
}

Result<void> runKernel(const KernelRunRequest& request, const EventSink& sink, const gpu::StopRequested& stop,
                       const GoOn& goOn)
{
    return KernelRun(request, sink, stop, goOn).run();
}

} // namespace ridge::labs
