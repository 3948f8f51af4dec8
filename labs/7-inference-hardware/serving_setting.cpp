// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/7-inference-hardware/serving_setting.h"

#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/model_params.h"
#include "silicon/machines.h"
#include "workload/gpu_choice.h"
#include "workload/model_config.h"

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace serving;

constexpr const char* kOfTheMachine = "machine";
const std::vector<std::string> kSchedulers{"static", "dynamic", "orca", "vllm", "sarathi", "disaggregated"};
const std::vector<std::string> kRouters{"round_robin", "least_loaded", "prefix_aware", "shared"};
const std::vector<std::string> kScales{"none", "queue", "ttft", "utilization"};
const std::vector<std::string> kArrivals{"poisson", "constant", "gamma"};
const std::vector<std::string> kLengths{"auto", "fixed", "exponential", "uniform", "conversation"};
const std::vector<std::string> kScenarios{"none", "offline", "server", "single_stream"};

// A batch of prompts and a prompt of the data set of MLPerf's Llama 2 70B are some 290 tokens: 290.3 a sample are
// written (MLPerf Inference v4.1, closed, 8 H100, offline); as many are taken for what is read.
constexpr double kMlperfPrompt = 290, kMlperfOutput = 290.3;
// Mixtral's is OpenOrca, GSM8K and MBXP, 5,000 samples each; 145.9 tokens a sample are written. How long its prompts
// are is not, so that those of the other set are taken.
constexpr std::string_view kMlperfMixed = "mixtral-8x7b";
constexpr double kMlperfMixedOutput = 145.9;
constexpr double kMlperfMost = 1024; // tokens of a prompt or an answer: --seqlen_limit of processorca.py
constexpr double kMlperfTtft = 2, kMlperfTpot = 0.2; ///< s, 99th percentiles, of scenario server
constexpr double kPrompt = 1024, kOutput = 128;
constexpr double kLoadSpread = 0.8; ///< of public closed-loop generators: from so much of the length to all of it
constexpr std::size_t kRequests = 1000, kRequestsAClient = 10;
constexpr std::uint32_t kBatch = 256, kMostBatch = 65536;
constexpr double kIdleShare = 0.2; ///< of the board's power; assumed, as data sheets do not say it

template<class T>
T named(const std::vector<std::string>& names, const std::string& name)
{
    return static_cast<T>(std::find(names.begin(), names.end(), name) - names.begin());
}

double real(const ParamSet& params, const char* name)
{
    return std::get<double>(params.at(name));
}

Error bad(const std::string& message, const char* place, const std::string& fix)
{
    return {"bad-serving", message, place, fix};
}

/// One more choice: what the machine is, and on a machine the default.
ParamSpec orOfTheMachine(ParamSpec spec)
{
    spec.choices.insert(spec.choices.begin(), std::string(kOfTheMachine));
    if (!spec.choiceTitles.empty())
        spec.choiceTitles.insert(spec.choiceTitles.begin(), "that of the machine");
    spec.defaultFor = {{"machine", std::string(kOfTheMachine)}};
    return spec;
}

Result<std::string> chosenOr(const ParamSet& params, const char* name, const silicon::Machine* machine)
{
    if (choice(params, name) != kOfTheMachine)
        return choice(params, name);
    if (!machine)
        return bad(std::string("there is no machine whose ") + name + " could be taken", name,
                   "name one, or run on a target machine:…");
    return machine->text(name);
}

Result<workload::ModelShape> shapeOf(const ParamSet& params)
{
    if (!given(params, "config"))
        return modelOf(params);
    const auto text = readInput(params, "config");
    if (!text)
        return text.error();
    auto model = workload::modelFromConfigText(*text);
    if (!model)
        return model.error();
    model->shape.title = "the model of config";
    return model->shape;
}

struct Gpus {
    double tensor = 1, pipeline = 1;
    std::uint32_t replicas = 1;
};

Result<Gpus> gpusOf(const ParamSet& params, const silicon::Machine* machine)
{
    double all = static_cast<double>(integer(params, "gpus"));
    if (all == 0 && machine) {
        const auto count = machine->count("gpus", "GPUs");
        if (!count)
            return count.error();
        all = static_cast<double>(*count);
    }
    Gpus out;
    out.pipeline = static_cast<double>(std::max<std::int64_t>(1, integer(params, "pp")));
    out.tensor = static_cast<double>(integer(params, "tp"));
    const double replicas = static_cast<double>(integer(params, "replicas"));
    if (out.tensor == 0) // those of a replica
        out.tensor = all == 0 ? 1 : std::floor(all / (out.pipeline * std::max(1.0, replicas)));
    if (out.tensor < 1)
        return bad("there are fewer GPUs than pipeline stages", "pp", "take more GPUs or fewer stages");
    const double each = out.tensor * out.pipeline;
    double count = replicas;
    if (count == 0)
        count = all == 0 ? 1 : std::max(1.0, std::floor(all / each));
    out.replicas = static_cast<std::uint32_t>(count);
    if (all != 0 && all != each && all != each * count)
        return bad(std::to_string(static_cast<long long>(all)) + " GPUs are neither one replica of " +
                       std::to_string(static_cast<long long>(each)) + " nor all " +
                       std::to_string(static_cast<long long>(count)) + " of them",
                   "gpus", "give tp, pp and replicas whose product it is, or leave gpus at 0");
    return out;
}

Result<std::vector<Request>> requestsOf(const ParamSet& params, Rng& rng, ServingSetting& s)
{
    const std::string& scenario = choice(params, "scenario");
    const auto clients = static_cast<std::uint32_t>(scenario == "single_stream" ? 1 : integer(params, "concurrency"));
    const std::size_t asked = integer(params, "requests");
    const double scale = real(params, "time_scale");
    s.cluster.clients = clients;
    const auto groups = static_cast<std::uint32_t>(integer(params, "prefix_groups"));
    if (given(params, "trace")) {
        const auto text = readInput(params, "trace");
        if (!text)
            return text.error();
        auto requests = parseTrace(*text, std::get<std::string>(params.at("trace")));
        if (!requests)
            return requests;
        if (asked > 0 && asked < requests->size())
            requests->resize(asked);
        for (Request& r : *requests) {
            r.arrival *= scale;
            if (groups > 0)
                r.group = static_cast<std::uint32_t>(rng.next() % groups);
        }
        return requests;
    }
    Workload w;
    const bool mlperf = scenario != "none";
    w.requests = asked > 0 ? asked : clients > 0 ? kRequestsAClient * clients : kRequests;
    if (mlperf && asked == 0)
        w.requests = scenario == "single_stream" ? 200 : kMlperfSamples;
    w.rate = scenario == "offline" || clients > 0 ? 0 : real(params, "rate") / scale;
    if (w.rate <= 0 && scenario != "offline" && clients == 0)
        return bad("no request ever comes at a rate of 0", "rate",
                   "give a rate above 0, a trace, or a concurrency for clients that wait for their answers");
    w.arrivals = named<Arrivals>(kArrivals, choice(params, "arrivals"));
    w.cv = real(params, "cv");
    const std::string& lengths = choice(params, "lengths");
    w.lengths = lengths != "auto" ? static_cast<Lengths>(named<int>(kLengths, lengths) - 1)
                : mlperf          ? Lengths::Exponential
                : clients > 0     ? Lengths::Uniform
                                  : Lengths::Fixed;
    w.spread = lengths == "auto" ? kLoadSpread : real(params, "spread");
    w.most = mlperf ? kMlperfMost : 0;
    w.prompt = real(params, "prompt");
    w.output = real(params, "output");
    if (w.lengths != Lengths::Conversation || mlperf) {
        if (w.prompt <= 0)
            w.prompt = mlperf ? kMlperfPrompt : kPrompt;
        const std::string& of = choice(params, "model");
        if (w.output <= 0)
            w.output = !mlperf ? kOutput : of == kMlperfMixed ? kMlperfMixedOutput : kMlperfOutput;
    }
    w.groups = groups;
    s.rate = w.rate;
    s.singleQueue = w.rate > 0 && w.arrivals == Arrivals::Poisson && w.lengths == Lengths::Fixed &&
                    s.cluster.replica.maxBatch == 1 && s.cluster.replicas == 1 && s.cluster.failAt < 0;
    return makeRequests(w, rng);
}

} // namespace

bool triesSettings(const std::string& scenario)
{
    return scenario == "offline" || scenario == "server";
}

std::vector<ParamSpec> servingParameters()
{
    const auto count = [](const char* name, const char* title, const char* unit, double least, double most,
                          std::int64_t value, const char* help) {
        return integerParam(name, title, unit, least, most, value, ParamScale::Log2, help);
    };
    std::vector<std::string> ids, titles;
    for (const Framework& f : frameworks()) {
        ids.push_back(f.id);
        titles.push_back(f.title);
    }
    auto framework = choiceParam("framework", "Framework", ids, "vllm",
                                 "Whose measured overheads a step has, and who admits how: trtllm keeps room for the "
                                 "whole output. none: kernels alone.");
    framework.choiceTitles = titles;
    return {
        modelParam("llama-3-8b", "The model that is served."),
        fileParam("config", "Model's config", "Models (config.json *.json)",
                  "A Hugging Face config.json in place of the model."),
        orOfTheMachine(chipParam("chip", "GPU", "h100-sxm", "The GPU that serves.")),
        count("gpus", "GPUs", "GPUs", 0, 65536, 0,
              "Of one replica, or of all where tp is given. 0: tp x pp a replica; on a machine as many as it has."),
        count("tp", "Tensor parallel", "GPUs", 0, 1024, 0,
              "GPUs that share every layer. 0: gpus over pp and replicas; of scenario offline and server the best."),
        count("pp", "Pipeline stages", "", 0, 1024, 0,
              "GPUs in a row, each with its layers. 0: 1; of scenario offline and server the best."),
        count("replicas", "Replicas", "", 0, 4096, 0, "Copies of the model. 0: as many as gpus hold."),
        dtypeParam("Of weights and products. int4 is of weights alone."),
        choiceParam("kv_dtype", "Cache format", {"auto", "bf16", "fp8", "fp32"}, "auto",
                    "Of cached keys and values. auto: fp8 where weights have 8 bits or fewer, else bf16."),
        orOfTheMachine(std::move(framework)),
        choiceParam("scheduler", "Scheduler", kSchedulers, "sarathi",
                    "static: the next batch begins when the last of a batch is done. dynamic: and waits for a full "
                    "one up to window. orca: requests join and leave at every step, with blocks for all their tokens. "
                    "vllm: blocks on demand, prompts before tokens. sarathi: tokens first, prompts in parts of chunk. "
                    "disaggregated: replicas for prompts and others for tokens."),
        count("block", "Block", "tokens", 1, 4096, 16, "Tokens of a block of the cache."),
        count("blocks", "Blocks", "blocks", 0, 1e12, 0,
              "Of a replica. 0: those of kv_memory, or what the framework's share of memory leaves beside weights."),
        amountParam("kv_memory", "Cache memory", "bytes", 1e15, 0, "Of a replica, in place of blocks."),
        count("max_batch", "Largest batch", "requests", 0, 65536, 0,
              "Requests of a replica that hold blocks. 0: 256; of scenario offline and server as many as blocks hold."),
        count("max_tokens", "Tokens of a step", "tokens", 1, 1 << 24, 16384,
              "vllm: prompts of a step times the longest of them at most."),
        count(
            "chunk", "Chunk", "tokens", 0, 1 << 24, 0,
            "sarathi: tokens of a step at most, prompts and outputs together. 0: the framework's default; of scenario "
            "server the best."),
        amountParam("watermark", "Watermark", "1", 1, 0.01,
                    "Share of blocks that stays free when a request is admitted, rounded down to whole blocks."),
        amountParam("window", "Window", "s", 3600, 0.05, "dynamic: how long the first of a batch waits at most."),
        count("reserve", "Reserved length", "tokens", 0, 1 << 24, 0,
              "static, dynamic, orca: tokens that blocks are kept for. 0: as many as the request will have."),
        count("prefill_replicas", "Replicas for prompts", "", 0, 4096, 0,
              "disaggregated: of all replicas. 0: half of them."),
        choiceParam("router", "Router", kRouters, "least_loaded",
                    "Which replica gets a request. prefix_aware: the one that has its prefix, unless it has 8 "
                    "requests more than another. shared: one queue for all."),
        count("prefix", "Shared prefix", "tokens", 0, 1 << 22, 0,
              "Tokens with which all requests of a group begin. 0: no prefix cache."),
        count("prefix_groups", "Groups", "", 0, 1 << 20, 0, "Groups that requests are drawn from evenly."),
        choiceParam("autoscale", "Autoscaler", kScales, "none",
                    "What a replica more or fewer is decided by: requests that wait a replica, mean TTFT, or the "
                    "share of time in which a step runs."),
        amountParam("scale_target", "Autoscaler's target", "1", 1e6, 2,
                    "Above it a replica starts, below half of it one stops: requests, s, or a share."),
        amountParam("scale_every", "Between looks", "s", 86400, 10, "Of the autoscaler."),
        amountParam("scale_startup", "Startup", "s", 86400, 60, "Until a new replica takes requests."),
        count("max_replicas", "Most replicas", "", 1, 4096, 8, "That the autoscaler may have."),
        amountParam("fail_at", "Replica lost at", "s", 1e9, 0, "When the first replica loses everything. 0: never."),
        amountParam("repair", "Repair", "s", 1e9, 120, "Until it is back."),
        fileParam("trace", "Trace", "Traces (*.csv *.txt)",
                  "A line a request: seconds, tokens of the prompt, tokens of the output; or Azure's columns."),
        amountParam("time_scale", "Scale of time", "1", 1e6, 1, "Of arrivals: 0.5 has them come twice as fast."),
        amountParam("rate", "Rate", "requests/s", 1e9, 2, "Requests of users who do not wait for each other."),
        count("requests", "Requests", "", 0, double(kMostRequests), 0,
              "How many. 0: all of a trace, 10 a client of a closed loop, else 1000; of scenario offline and server "
              "24,576 "
              "or those of ten minutes."),
        choiceParam("arrivals", "Arrivals", kArrivals, "poisson", "gamma: with a coefficient of variation of cv."),
        amountParam("cv", "Burstiness", "1", 100, 2, "gamma: standard deviation of intervals over their mean."),
        choiceParam("lengths", "Lengths", kLengths, "auto",
                    "auto: fixed; of a closed loop uniform from 80 % to all, as public load generators draw them; of "
                    "an MLPerf scenario exponential. conversation: quantiles of Azure's trace of 2023."),
        amountParam("spread", "Least length", "1", 1, 0.8, "uniform: share of prompt and output."),
        amountParam("prompt", "Prompt", "tokens", double(kMostTokens), 0,
                    "Mean. 0: 1024; of conversation the trace's; of an MLPerf scenario 290."),
        amountParam("output", "Output", "tokens", double(kMostTokens), 0,
                    "Mean. 0: 128; of conversation the trace's; of an MLPerf scenario 290.3, and 145.9 of Mixtral."),
        count("concurrency", "Concurrency", "clients", 0, 1 << 20, 0,
              "Clients that each wait for their answer before they ask again. 0: none; requests come at the rate."),
        count("stream_interval", "Tokens sent together", "tokens", 1, 4096, 1,
              "Of an answer; TensorRT-LLM's option of this name. A client's TTFT is that of so many tokens."),
        choiceParam("scenario", "MLPerf scenario", kScenarios, "none",
                    "offline: all requests at once. server: the highest rate that keeps TTFT of 2 s and TPOT of 0.2 s "
                    "for 99 %. single_stream: one after the other."),
        choiceParam("cost", "Time of a step", {"model", "oracle"}, "model",
                    "oracle: 8 ms + 40 us a token + 80 ns a cached token of decodes + 1 ns x tokens of a prompt's part "
                    "x tokens up to its end; the framework adds nothing, and a request that loses its blocks goes on "
                    "with what it had as its prompt."),
        amountParam("slo_ttft", "TTFT objective", "s", 1e6, 2, "That a good request keeps."),
        amountParam("slo_tpot", "TPOT objective", "s", 1e6, 0.2, "That a good request keeps too."),
        amountParam("price", "Price", "currency/hour", 1e6, 1, "Of a GPU and hour: yours, with its date."),
        amountParam("power_busy", "Power in a step", "W", 1e5, 0, "Of a GPU. 0: its board power, which is the most."),
        amountParam("power_idle", "Power between steps", "W", 1e5, 0, "Of a GPU. 0: a fifth of the board power."),
    };
}

std::vector<MetricSpec> servingMetrics()
{
    std::vector<MetricSpec> metrics{
        {"makespan", "Makespan", "s", "From 0 to the end of the last step."},
        {"batches", "Steps", "1", "Batches of all replicas."},
        {"tokens", "Tokens of steps", "tokens", "Prompt and output tokens that steps worked on, again after restarts."},
        {"restarts", "Restarts", "1", "Times that a request lost its blocks and was computed again."},
        {"throughput", "Throughput", "tokens/s", "Output tokens over makespan."},
        {"request_rate", "Request rate", "requests/s", "Answers over makespan; of scenario server the rate it found."},
        {"goodput", "Goodput", "requests/s", "Answers that keep both objectives over makespan."},
        {"slo_share", "Within objectives", "1", "Share of answers that keep both objectives."},
        {"utilization", "Busy", "1", "Share of replicas' time in which a step runs: what a GPU's utilization shows."},
        {"kv_mean", "Cache in use", "1", "Mean share of blocks in use during steps."},
        {"kv_peak", "Most cache in use", "1", "Largest share of a replica's blocks in use."},
        {"kv_blocks", "Blocks", "blocks", "Of a replica."},
        {"batch_peak", "Largest batch", "requests", "Most requests of a step."},
        {"cached_share", "From the prefix cache", "1", "Share of prompt tokens that nobody had to compute."},
        {"replicas_peak", "Most replicas", "1", "That took requests at once."},
        {"tensor_parallel", "Tensor parallel", "GPUs", "GPUs that share a layer: the best of those tried."},
        {"pipeline_stages", "Pipeline stages", "1", "GPUs in a row: the best of those tried."},
        {"step_tokens", "Most tokens of a step", "tokens", "sarathi: of those tried the best."},
        {"energy", "Energy", "J", "Of all GPUs, from their power in and between steps."},
        {"energy_per_token", "Energy of a token", "J", "Over output tokens."},
        {"gpu_hours", "GPU hours", "h", "Of all replicas that were paid for."},
        {"cost", "Cost", "currency", "GPU hours at the price."},
        {"cost_per_million", "Cost of a million tokens", "currency", "Of output."},
        {"wait_mean", "Mean wait", "s", "One request at a time, equal requests: mean time before the first step."},
        {"wait_theory", "M/D/1 wait", "s", "The closed form of the same queue: u S / (2 (1 - u))."}};
    const std::pair<const char*, const char*> kinds[] = {{"ttft", "Time to first token"},
                                                         {"tpot", "Time per output token"},
                                                         {"itl", "Inter-token latency"},
                                                         {"e2e", "End-to-end latency"}};
    const char* about[] = {"From arrival to the first token.",
                           "Of a request: time after the first token over the rest.",
                           "Between two tokens of a request.", "From arrival to the last token."};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::string name = kinds[i].first, title = kinds[i].second;
        metrics.push_back({name + "_mean", title + ", mean", "s", about[i]});
        for (const char* p : {"50", "90", "95", "99"})
            metrics.push_back({name + "_p" + p, title + ", p" + p, "s",
                               std::string(about[i]) + " Percentile, between ranks by a straight line."});
    }
    return metrics;
}

Result<ServingSetting> servingSetting(const ParamSet& params, const silicon::Machine* machine, Rng& rng)
{
    ServingSetting s;
    const bool oracle = choice(params, "cost") == "oracle";
    const auto model = shapeOf(params);
    if (!model)
        return model.error();
    const auto frameworkId = chosenOr(params, "framework", machine);
    if (!frameworkId)
        return frameworkId.error();
    const Framework* used = framework(*frameworkId);
    if (!used)
        return bad("no overheads of " + *frameworkId + " are known", "framework", "take vllm, trtllm, sglang or none");
    const auto chipId = chosenOr(params, "chip", machine);
    if (!chipId)
        return chipId.error();
    static const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto chip = catalogue->find(*chipId);
    if (!chip)
        return chip.error();
    const auto device = workload::deviceOf(*catalogue, *chip, workload::dtypeNamed(choice(params, "dtype")));
    if (!device)
        return device.error();
    const auto gpus = gpusOf(params, machine);
    if (!gpus)
        return gpus.error();
    s.gpus = gpus->tensor * gpus->pipeline;
    s.tensor = gpus->tensor;
    const std::string& kvFormat = choice(params, "kv_dtype");
    const double kvBytes = kvFormat == "auto" ? std::clamp(std::ceil(workload::weightBytes(device->dtype)), 1.0, 2.0)
                                              : workload::weightBytes(workload::dtypeNamed(kvFormat));

    ClusterConfig& c = s.cluster;
    ReplicaConfig& r = c.replica;
    const std::string& scheduler = choice(params, "scheduler");
    const bool apart = scheduler == "disaggregated";
    r.scheduler = apart ? Scheduler::Vllm : named<Scheduler>(kSchedulers, scheduler);
    r.block = static_cast<std::uint32_t>(integer(params, "block"));
    r.maxBatch = static_cast<std::uint32_t>(integer(params, "max_batch"));
    if (r.maxBatch == 0)
        r.maxBatch = triesSettings(choice(params, "scenario")) ? kMostBatch : kBatch;
    r.maxTokens = integer(params, "max_tokens");
    r.chunk = static_cast<std::uint32_t>(integer(params, "chunk"));
    if (r.chunk == 0)
        r.chunk = used->chunk;
    r.window = real(params, "window");
    r.reserve = used->reserve && !oracle;
    r.reserveTokens = static_cast<std::uint32_t>(integer(params, "reserve"));
    r.cutPrompt = oracle;
    r.prefixTokens = static_cast<std::uint32_t>(integer(params, "prefix"));
    r.groups = static_cast<std::uint32_t>(integer(params, "prefix_groups"));
    const double kvMemory = real(params, "kv_memory");
    const double token = workload::kvBytesPerToken(*model, kvBytes);
    if (const std::uint64_t blocks = integer(params, "blocks")) {
        r.blocks = blocks;
    } else if (kvMemory > 0) {
        if (!(token > 0))
            return bad(model->title + " keeps no keys and values", "model", "take a decoder");
        r.blocks = static_cast<std::uint64_t>(std::min(kvMemory / (token * r.block), 1e12));
        if (r.blocks == 0)
            return bad("the memory does not hold one block", "kv_memory",
                       "give at least " + std::to_string(static_cast<long long>(token * r.block)) + " bytes");
    } else {
        const auto fitting = blocksThatFit(*model, *device, s.gpus, used->memoryShare, kvBytes, r.block, used->ofFree);
        if (!fitting)
            return fitting.error();
        r.blocks = *fitting;
    }
    r.watermarkShare = real(params, "watermark");
    r.watermark = static_cast<std::uint64_t>(r.watermarkShare * static_cast<double>(r.blocks));

    c.replicas = gpus->replicas;
    if (apart) {
        c.replicas = std::max(2u, c.replicas);
        c.prefillReplicas = static_cast<std::uint32_t>(integer(params, "prefill_replicas"));
        if (c.prefillReplicas == 0)
            c.prefillReplicas = std::max(1u, c.replicas / 2);
        if (!oracle && device->linkBytesPerSecond > 0) // every GPU sends its share
            c.transferPerToken = token / s.gpus / device->linkBytesPerSecond;
    }
    c.router = named<Router>(kRouters, choice(params, "router"));
    if (apart && c.router == Router::Shared)
        return bad("replicas for prompts and for tokens cannot share a queue", "router", "take another router");
    c.autoscaler = {named<ScaleOn>(kScales, choice(params, "autoscale")),
                    static_cast<std::uint32_t>(integer(params, "max_replicas")), real(params, "scale_target"),
                    real(params, "scale_every"), real(params, "scale_startup")};
    if (const double at = real(params, "fail_at"); at > 0) {
        c.failAt = at;
        c.repair = real(params, "repair");
    }

    if (oracle) {
        s.cost = StepCost::oracle();
    } else {
        auto cost = StepCost::kernels(*model, *device, kvBytes, gpus->tensor, gpus->pipeline, used->overheads);
        if (!cost)
            return cost.error();
        s.cost = std::move(*cost);
        s.outside = used->request;
        s.leastTpot = workload::layerParameters(*model) * workload::activeParameters(*model) /
                      workload::parameters(*model) * workload::weightBytes(device->dtype) /
                      (gpus->tensor * device->bytesPerSecond);
    }
    const double board = chip->tdpWatts.valueOr(0);
    s.busyWatts = real(params, "power_busy") > 0 ? real(params, "power_busy") : board;
    s.idleWatts = real(params, "power_idle") > 0 ? real(params, "power_idle") : kIdleShare * board;
    s.price = real(params, "price");
    s.slo = {real(params, "slo_ttft"), real(params, "slo_tpot")};
    s.together = static_cast<std::uint32_t>(integer(params, "stream_interval"));
    if (choice(params, "scenario") == "server")
        s.slo = {kMlperfTtft, kMlperfTpot};
    auto requests = requestsOf(params, rng, s);
    if (!requests)
        return requests.error();
    s.requests = std::move(*requests);
    return s;
}

} // namespace ridge::labs
