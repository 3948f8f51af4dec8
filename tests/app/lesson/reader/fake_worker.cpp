// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for ridge-worker in the tests of the lesson page: true counts from the access rules, at once and without a
// simulator. RIDGE_FAKE chooses what goes wrong: "die" (killed after the second point), "slow" (each further point
// waits for SIGTERM), "no-catalogue" (describe fails), "no-target" (nothing can run), "fail" (an error of its own),
// "machines" (there are some, and an experiment on two of them), "counts-only" (its chip has no clock, many others have
// one, and the lesson asks for a rate), "no-metric" (runs lack what the lesson asks for), "rtl" (it puts designs under
// a testbench and reads them for words alone), "no-iverilog" (it would, but for the tool).
#include "base/experiment_info.h"
#include "base/json.h"
#include "base/protocol.h"
#include "gpu/access.h"
#include "tests/support/small_launch.h"

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <unistd.h>

using namespace ridge;

namespace {

volatile std::sig_atomic_t g_stop = 0;

bool mode(const char* wanted)
{
    const char* given = std::getenv("RIDGE_FAKE");
    return given && std::string_view(given) == wanted;
}

void put(const Event& event)
{
    std::cout << encodeEvent(event) << std::flush;
}

std::vector<ExperimentInfo> catalogue()
{
    const char* source = std::getenv("RIDGE_SOURCE");
    const auto text = readFile(std::filesystem::path(source ? source : ".") / "tests/lessons/catalogue.json");
    const auto json = text ? parseJson(*text, "catalogue.json") : Result<Json>(text.error());
    auto known = json ? catalogueFromJson(*json) : Result<std::vector<ExperimentInfo>>(json.error());
    if (!known) {
        std::cerr << toText(known.error()) << '\n';
        std::exit(3);
    }
    if (mode("counts-only"))
        for (ExperimentInfo& info : *known)
            for (MetricSpec& metric : info.metrics)
                if (metric.name == "sectors_per_request")
                    metric.unit = "GB/s";
    if (mode("machines")) {
        ExperimentInfo cache = known->front();
        cache.id = "cache";
        cache.targets = {"machine"};
        cache.engine = "cache";
        cache.machines = {"big", "small"};
        cache.defaultTarget = "machine:small";
        known->push_back(std::move(cache));
    }
    if (mode("rtl") || mode("no-iverilog")) {
        const auto integers = [](std::initializer_list<const char*> names) {
            std::vector<ParamSpec> specs;
            for (const char* name : names) {
                ParamSpec spec;
                spec.name = spec.title = name;
                spec.min = 0;
                spec.max = 64;
                spec.defaultValue = std::int64_t{8};
                specs.push_back(spec);
            }
            return specs;
        };
        ExperimentInfo bench = known->front();
        bench.id = "rtl_array";
        bench.metrics = {{"cycles", "Cycles", "cycles", "Counted."}, {"matches", "Matches", "1", "1: all."}};
        bench.charts.clear();
        bench.limits.clear();
        ExperimentInfo engine = bench;
        engine.id = "systolic";
        bench.parameters = integers({"n", "pressure"});
        ParamSpec design;
        design.name = design.title = "design";
        design.type = ParamType::Text;
        design.defaultValue = std::string();
        bench.parameters.push_back(design);
        engine.parameters = integers({"rows", "cols", "m", "n", "k"});
        ParamSpec dataflow = design;
        dataflow.name = "dataflow";
        engine.parameters.push_back(dataflow);
        ExperimentInfo timing = bench;
        timing.id = "rtl_timing";
        timing.metrics = {{"fmax", "Clock", "Hz", "Of the slowest path."}};
        timing.parameters = integers({"n"});
        timing.parameters.push_back(design);
        known->push_back(std::move(bench));
        known->push_back(std::move(engine));
        known->push_back(std::move(timing));
    }
    return *known;
}

/// What the testbench would say of a design: sums with 16 bits are wrong, "w_oad" is no name.
std::optional<Error> bench(const ParamSet& params, SampleEvent& sample)
{
    if (mode("no-iverilog"))
        return Error{"no-iverilog", "there is no iverilog", "iverilog", "sudo apt install iverilog"};
    const auto file = params.find("design");
    const std::string path = file == params.end() ? std::string() : std::get<std::string>(file->second);
    const std::string text = path.empty() ? std::string() : *readFile(path);
    if (text.find("w_oad") != std::string::npos)
        return Error{"rtl-compile", "the design does not compile: array.sv:29: syntax error\narray.sv:29: error: oh",
                     "array.sv", "mend it"};
    const bool right = text.find("16'(") == std::string::npos;
    sample.metrics.clear();
    sample.limits.clear();
    const std::initializer_list<std::pair<const char*, double>> all = {
        {"matches", right}, {"results", 1536}, {"wrong", right ? 0 : 40}, {"cycles", 456}, {"cycles_expected", 456}};
    for (const auto& [name, value] : all)
        sample.metrics[name] = {value, "1", Provenance::Simulated};
    sample.checks = {{"product", right, right ? "all" : "tile 1, row 0, column 2: 7, the engine has 65543"}};
    return std::nullopt;
}

/// What the tools of an FPGA would say of it.
std::optional<Error> place(SampleEvent& sample)
{
    if (mode("no-iverilog"))
        return Error{"no-yosys", "there is no yosys", "yosys", "sudo apt install yosys"};
    sample.metrics.clear();
    sample.limits.clear();
    const std::initializer_list<std::pair<const char*, double>> all = {
        {"fmax", 68.8e6}, {"logic_cells", 3732}, {"path", 14.53e-9}, {"path_routing", 7.265e-9}};
    for (const auto& [name, value] : all)
        sample.metrics[name] = {value, "1", Provenance::Simulated};
    sample.metrics["fmax"].unit = "Hz";
    sample.checks = {{"path", true, "the path to sum takes 14.53 ns"}};
    return std::nullopt;
}

std::int64_t number(const ParamSet& params, const char* name, std::int64_t fallback)
{
    const auto found = params.find(name);
    return found == params.end() ? fallback : std::int64_t(asNumber(found->second).value_or(0));
}

MemoryTrace traceOf(const RunRequest& request, const ParamSet& params)
{
    const bool shared = request.experiment == "bank_conflicts";
    const auto bytes = number(params, shared ? "word_bytes" : "element_bytes", 4);
    MemoryTrace trace;
    trace.kernel = "fake";
    trace.buffers = {{"in", 0, 1u << 20}};
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
        MemoryRequest access;
        access.space = shared ? MemorySpace::Shared : MemorySpace::Global;
        access.accessBytes = std::uint8_t(bytes);
        access.activeMask = 0xffffffffu;
        access.warp = warp;
        for (int lane = 0; lane < kWarpSize; ++lane)
            access.addresses[std::size_t(lane)] =
                std::uint64_t((lane * number(params, "stride", 1) + number(params, "offset", 0)) * bytes);
        trace.requests.push_back(access);
    }
    return trace;
}

SampleEvent sampleOf(std::size_t index, const ParamSet& params, const MemoryTrace& trace)
{
    SampleEvent sample;
    sample.index = index;
    sample.params = params;
    const auto& access = trace.requests.front();
    const auto add = [&](const char* name, double value, const char* unit) {
        sample.metrics[name] = {value, unit, Provenance::Simulated};
    };
    if (access.space == MemorySpace::Shared) {
        const auto service = gpu::serveBanks(access);
        add("conflict_degree", double(service.wavefronts) / service.minimumWavefronts, "1");
        sample.limits["conflict_degree"] = {1, "lower"};
    } else {
        const double sectors = double(gpu::touchedGranules(access, 32).size());
        if (!mode("no-metric"))
            add("sectors_per_request", sectors, "sectors/request");
        add("load_efficiency", 100.0 * 32 * access.accessBytes / (sectors * 32), "%");
        sample.limits["sectors_per_request"] = {double(access.accessBytes), "lower"};
        sample.limits["load_efficiency"] = {100, "upper"};
    }
    sample.validity = "valid";
    return sample;
}

void waitForStop()
{
    sigset_t none;
    sigemptyset(&none);
    while (!g_stop)
        ::sigsuspend(&none);
}

int run(const RunRequest& request)
{
    const auto known = findExperiment(catalogue(), request.experiment);
    if (!known) {
        put(FailedEvent{known.error()});
        return 1;
    }
    StartedEvent started;
    started.experiment = request.experiment;
    started.target = request.target;
    started.fingerprint = Json{{"machine", "fake"}};
    started.points = request.points.size();
    put(started);
    if (mode("fail")) {
        put(FailedEvent{
            {"out-of-memory", "The chip has 80 GB, the run asks for 90 GB", "elements", "Ask for fewer elements"}});
        return 1;
    }
    for (std::size_t i = 0; i < request.points.size(); ++i) {
        const auto params = completeParams(known->parameters, request.points[i], "sim");
        if (!params) {
            put(FailedEvent{params.error()});
            return 1;
        }
        if (i >= 2 && mode("die"))
            ::kill(::getpid(), SIGKILL);
        if (i >= 1 && mode("slow"))
            waitForStop();
        if (g_stop) {
            put(FailedEvent{{"cancelled", "Cancelled", "fake", ""}});
            return 1;
        }
        put(ProgressEvent{double(i) / double(request.points.size()), "point " + std::to_string(i + 1)});
        const MemoryTrace trace = traceOf(request, *params);
        SampleEvent sample = sampleOf(i, *params, trace);
        const auto error = request.experiment == "rtl_array"    ? bench(*params, sample)
                           : request.experiment == "rtl_timing" ? place(sample)
                                                                : std::nullopt;
        if (error) {
            put(FailedEvent{*error});
            return 1;
        }
        put(sample);
        if (request.trace) {
            put(TraceEvent{i, "memory", encodeTrace(trace), true});
            put(TraceEvent{i, "launch", encodeLaunchTrace(testing::smallLaunch())});
        }
    }
    put(FinishedEvent{"valid", 0.01});
    return 0;
}

int targets()
{
    const bool available = !mode("no-target");
    Json sim{{"id", "sim:h100-sxm"},
             {"title", "H100 SXM5 80GB (simulated)"},
             {"provenance", "SIMULATED"},
             {"available", available},
             {"reason", available ? "" : "the shipped PTX is missing."},
             {"fix", available ? "" : "Reinstall Ridgepoint."},
             {"chip", "h100-sxm"}};
    Json gpu{{"id", "gpu:0"},      {"title", "GPU 0"},      {"provenance", "MEASURED"},
             {"available", false}, {"reason", "no driver"}, {"fix", "Install one"},
             {"chip", ""}};
    Json all = Json::array({gpu, sim});
    if (mode("machines"))
        for (const char* id : {"machine:big", "machine:hbm3", "machine:small"}) {
            all.push_back(sim);
            all.back()["id"] = all.back()["title"] = id;
        }
    if (mode("counts-only")) {
        all[1]["group"] = "datacenter";
        all[1]["gives"] = "counts only";
        all[1]["nearest"] = "sim:t4";
        const auto chip = [&](const std::string& id, const char* group) {
            Json row = sim;
            row["id"] = "sim:" + id;
            row["title"] = id + " (simulated)";
            row["chip"] = id;
            row["group"] = group;
            row["gives"] = "times and counts";
            all.push_back(row);
        };
        chip("rtx3050-laptop", "laptop");
        all.back()["derived_from"] = "a40";
        chip("t4", "datacenter");
        for (int i = 0; i < 12; ++i)
            chip("desk" + std::to_string(i), "desktop");
    }
    std::cout << Json{{"targets", all}, {"compilers", Json::array()}}.dump() << '\n';
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    struct sigaction action {};
    action.sa_handler = [](int) { g_stop = 1; };
    ::sigaction(SIGTERM, &action, nullptr);
    // Delivered only where it is waited for: no signal can slip in between the question and the wait.
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &stop, nullptr);
    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (verb == "describe") {
        if (mode("no-catalogue")) {
            std::cerr << "broken\n";
            return 4;
        }
        std::cout << catalogueToJson(catalogue()).dump() << '\n';
        return 0;
    }
    if (verb == "targets")
        return targets();
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const auto json = parseJson(text, "stdin");
    const auto request = json ? runRequestFromJson(*json) : Result<RunRequest>(json.error());
    return request ? run(*request) : 2;
}
