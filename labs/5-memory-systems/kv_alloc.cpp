// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.5: what a manager of the KV cache holds and wastes, and how many requests run together.
#include "base/grid_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/model_params.h"
#include "memory/kv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace memory;

constexpr std::size_t kDrawnSteps = 2000;
constexpr std::uint32_t kDrawnUnits = 4096, kDrawnColumns = 64;
const std::vector<std::string> kPolicies{"contiguous", "buddy", "paged"}; // as KvPolicy
const std::vector<std::string> kReserves{"longest", "pow2", "exact"};     // as KvReserve
const std::vector<std::string> kPreemptions{"recompute", "swap"};         // as KvPreemption

template<class T>
T chosen(const std::vector<std::string>& names, const std::string& name)
{
    return static_cast<T>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::vector<ParamSpec> parameters()
{
    const auto dtypes = workload::dtypeNames();
    const auto tokens = [](const char* name, const char* title, double least, double most, std::int64_t usual,
                           const char* help) {
        return integerParam(name, title, "tokens", least, most, usual, ParamScale::Log2, help);
    };
    const auto count = [](const char* name, const char* title, const char* unit, double least, double most,
                          std::int64_t usual, const char* help) {
        return integerParam(name, title, unit, least, most, usual, ParamScale::Log2, help);
    };
    return {
        modelParam("opt-13b", "Whose keys and values are kept."),
        configParam(),
        choiceParam("policy", "Manager", kPolicies, "paged",
                    "contiguous: a range a request, first fit. buddy: a range of a power of two. paged: blocks as they "
                    "are needed."),
        tokens("block", "Block", 1, 4096, 16, "Tokens of a block; of contiguous and buddy the unit of the picture."),
        fileParam("trace", "Trace", "Traces (*.csv)",
                  "Requests in place of generated ones: CSV with a line arrival,prompt,output (seconds, tokens), and "
                  "group,shared where prompts begin alike."),
        amountParam("kv_memory", "Cache memory", "bytes", 1e15, 12884901888.0, "For keys and values."),
        count("blocks", "Blocks", "blocks", 0, KvBlockPool::kMostBlocks, 0,
              "Of paged, in place of kv_memory. 0: that."),
        choiceParam("kv_dtype", "Cache format", {dtypes.begin(), dtypes.end()}, "fp16", "Of a key or a value."),
        choiceParam("reserve", "Reserved", kReserves, "longest",
                    "What contiguous and buddy keep free for a request. longest: max_len. pow2: its prompt and its "
                    "output rounded up to a power of two. exact: what it will store."),
        tokens("max_len", "Longest request", 1, 1 << 24, 2048, "Prompt and output; longer ones are refused."),
        count("max_batch", "Most together", "requests", 1, 65536, 256, "Requests that run at a time."),
        count("requests", "Requests", "requests", 1, 1000000, 200, "That are generated."),
        tokens("prompt", "Prompt", 1, 1 << 20, 161, "Mean of generated ones; ShareGPT's in the PagedAttention paper."),
        tokens("output", "Output", 1, 1 << 20, 338, "Mean of generated ones; ShareGPT's in the PagedAttention paper."),
        amountParam("rate", "Arrivals", "requests/s", 1e6, 0, "Of generated ones, at random. 0: all at once."),
        amountParam("step_time", "Decode step", "s", 1000, 0.025, "How long each takes, to place arrivals."),
        tokens("shared", "Common prompt", 0, 1 << 20, 0, "Tokens in front of every generated prompt that are equal."),
        count("samples", "Outputs", "outputs", 1, 64, 1, "Of each request, from one prompt."),
        switchParam("prefix_caching", "Prefix caching", false, "1: paged finds full blocks that it has seen before."),
        choiceParam("preemption", "Preemption", kPreemptions, "recompute",
                    "What becomes of the request that has to make room: computed again, or kept in swap_memory."),
        amountParam("swap_memory", "Swap memory", "bytes", 1e15, 4294967296.0, "On the host."),
        amountParam("watermark", "Watermark", "", 0.5, 0, "Share of the blocks that stays free at admission."),
        switchParam("hybrid", "Groups of layers", true,
                    "1: layers with a window have blocks of their own, which are freed behind it. 0: all layers keep "
                    "all tokens."),
        switchParam("null_block", "Null block", true, "1: the first block is set aside, as vLLM does.")};
}

std::vector<MetricSpec> metrics()
{
    return {
        {"bytes", "Held", "bytes", "At the step that holds most; of several the one that stores most."},
        {"waste", "Waste", "1", "Share of what is held in that step that has no key and value in it."},
        {"admitted", "Admitted together", "requests", "Most requests that held memory in one step."},
        {"stored_bytes", "Stored", "bytes", "Keys and values in that step; common blocks count once."},
        {"waste_mean", "Mean waste", "1", "Share of what is held, over all steps with a request."},
        {"utilization", "Utilization", "1", "Mean share of the memory that keys and values take."},
        {"reserved_share", "Reserved", "1", "Mean share of the memory that its holder will fill later."},
        {"internal_share", "Internal waste", "1", "Mean share that is held and never filled."},
        {"external_share", "External waste", "1", "Mean share that is free, would do, and lies in pieces too small."},
        {"admitted_mean", "Running on average", "requests", "Over all steps with a request."},
        {"finished", "Finished", "requests", "All but those that are refused."},
        {"refused", "Refused", "requests", "Longer than max_len, or than all of the memory."},
        {"preemptions", "Preemptions", "requests", "Requests that had to make room."},
        {"recomputed", "Computed again", "tokens", "Of preempted requests."},
        {"swapped_bytes", "Swapped out", "bytes", "And as many back in."},
        {"copies", "Copied blocks", "blocks", "A sequence wrote into a block that others hold (copy-on-write)."},
        {"hit_rate", "Prompt found", "1", "Share of prompt tokens whose blocks were there."},
        {"table_bytes", "Block tables", "bytes", "4 bytes a block of every sequence, at the fullest step."},
        {"bytes_per_token", "Cache of a token", "bytes", "In all layers."},
        {"slots", "Slots", "tokens", "That the memory holds: whole blocks, or whole tokens."},
        {"concurrency", "Longest requests", "requests", "Of max_len tokens that fit together."},
        {"steps", "Steps", "steps", "Decode steps until all had finished."}};
}

/// Blocks in rows of 64, step by step.
class BlockMap {
public:
    BlockMap(std::uint64_t units, std::uint32_t block, const std::string& policy)
        : m_drawn(static_cast<std::uint32_t>(std::min<std::uint64_t>(units, kDrawnUnits))),
          m_columns(std::min(kDrawnColumns, m_drawn)),
          m_grid(fmt::format("{}: {} of {} blocks of {} tokens", policy, m_drawn, units, block),
                 (m_drawn + m_columns - 1) / m_columns, m_columns),
          m_now(m_drawn, ~std::uint64_t{0})
    {
        m_grid.axes("64 blocks", "block").stepUnit("step");
        m_grid.state("free", TraceColor::Idle);
        m_cached = m_grid.state("kept for its prefix", TraceColor::Muted, "c");
        m_shared = m_grid.state("shared", TraceColor::Accent, "s");
        m_reserved = m_grid.state("reserved", TraceColor::Warn, "r");
        for (int i = 0; i < 8; ++i)
            m_owner[i] = m_grid.state(fmt::format("request {} of 8", i + 1),
                                      static_cast<TraceColor>(static_cast<int>(TraceColor::Series1) + i),
                                      std::string(1, static_cast<char>('1' + i)));
    }
    bool add(const KvMoment& moment)
    {
        m_grid.step(moment.event, fmt::format("step {}", moment.step), moment.step);
        for (std::uint32_t unit = 0; unit < m_drawn && unit < moment.units.size(); ++unit)
            if (m_now[unit] != moment.units[unit]) {
                m_now[unit] = moment.units[unit];
                set(unit, moment.units[unit]);
            }
        return ++m_steps < kDrawnSteps && !m_grid.full();
    }
    std::string bytes() { return encodeGridTrace(m_grid.take()); }

private:
    void set(std::uint32_t unit, std::uint64_t what)
    {
        GridTraceBuilder::Cell cell;
        std::string text;
        if (what == KvMoment::kCached) {
            cell.state = m_cached;
        } else if (what == KvMoment::kShared) {
            cell.state = m_shared;
        } else if (what >= KvMoment::kStored) {
            const auto request = static_cast<std::uint32_t>(what);
            cell.state = what >= KvMoment::kReserved ? m_reserved : m_owner[request % 8];
            text = std::to_string(request);
        }
        cell.text = text;
        m_grid.set(unit / m_columns, unit % m_columns, cell);
    }

    std::uint32_t m_drawn, m_columns;
    GridTraceBuilder m_grid;
    std::vector<std::uint64_t> m_now;
    std::uint8_t m_cached = 0, m_shared = 0, m_reserved = 0, m_owner[8] = {};
    std::size_t m_steps = 0;
};

class KvAlloc : public Experiment {
public:
    KvAlloc()
    {
        m_info.id = "kv_alloc";
        m_info.title = "Managers of the KV cache";
        m_info.module = 5;
        m_info.summary = "Runs requests on a memory manager of the KV cache, step by step, and adds up what it wastes.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.charts = {{"waste_over_block", "Waste over block size", "block", "waste_mean", ParamScale::Log2},
                         {"admitted_over_policy", "Requests together", "policy", "admitted_mean", ParamScale::List},
                         {"utilization_over_reserve", "Utilization", "reserve", "utilization", ParamScale::List},
                         {"admitted_over_memory", "Requests over memory", "kv_memory", "admitted_mean"}};
        m_info.limits = {{"bytes", "cache memory", "upper", "kv_memory", "no manager holds more than there is"}};
        m_info.scene = "grid";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<std::vector<KvRequest>> requestsOf(const ParamSet& params, RunContext& context)
{
    if (given(params, "trace")) {
        const auto text = readInput(params, "trace");
        if (!text)
            return text.error();
        return parseRequests(*text, std::get<std::string>(params.at("trace")));
    }
    RequestMix mix;
    mix.count = static_cast<std::uint32_t>(integer(params, "requests"));
    mix.rate = std::get<double>(params.at("rate"));
    mix.prompt = static_cast<double>(integer(params, "prompt"));
    mix.output = static_cast<double>(integer(params, "output"));
    mix.shared = static_cast<std::uint32_t>(integer(params, "shared"));
    mix.longest = static_cast<std::uint32_t>(integer(params, "max_len"));
    return makeRequests(mix, context.rng());
}

Result<void> KvAlloc::run(const ParamSet& params, RunContext& context) const
{
    const auto model = modelOf(params);
    if (!model)
        return model.error();
    const double kvBytes = workload::weightBytes(workload::dtypeNamed(choice(params, "kv_dtype")));
    const double perToken = workload::kvBytesPerToken(*model, kvBytes);
    if (perToken <= 0)
        return Error{"bad-plan", model->title + " keeps no keys and values", "model", "take a decoder"};
    const auto number = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    const auto amount = [&](const char* name) { return std::get<double>(params.at(name)); };

    KvPlan plan;
    plan.policy = chosen<KvPolicy>(kPolicies, choice(params, "policy"));
    plan.reserve = chosen<KvReserve>(kReserves, choice(params, "reserve"));
    plan.preemption = chosen<KvPreemption>(kPreemptions, choice(params, "preemption"));
    plan.block = number("block");
    plan.longest = number("max_len");
    plan.maxBatch = number("max_batch");
    plan.samples = number("samples");
    plan.stepSeconds = amount("step_time");
    plan.caching = integer(params, "prefix_caching") != 0;
    plan.nullBlock = integer(params, "null_block") != 0;
    const bool paged = plan.policy == KvPolicy::Paged;
    const bool hybrid = paged && integer(params, "hybrid") != 0;
    plan.groups = kvGroups(model->layers, hybrid ? model->windowLayers : 0, hybrid ? model->window : 0);
    const double tokenOfGroup = perToken / model->layers * plan.groups.size;
    const double blockBytes = tokenOfGroup * plan.block;
    double memory = amount("kv_memory");
    double units = std::floor(memory / (paged ? blockBytes : perToken));
    if (paged && integer(params, "blocks") > 0) {
        units = static_cast<double>(integer(params, "blocks"));
        memory = units * blockBytes;
    }
    const double most = paged ? KvBlockPool::kMostBlocks : 1u << 31;
    if (units > most)
        return Error{"bad-plan", fmt::format("{:.0f} {} are too many to follow", units, paged ? "blocks" : "tokens"),
                     "kv_memory", paged ? "take larger blocks or less memory" : "take less memory"};
    (paged ? plan.blocks : plan.slots) = static_cast<std::uint32_t>(units);
    plan.watermark = static_cast<std::uint32_t>(amount("watermark") * units);
    plan.swapBlocks = static_cast<std::uint64_t>(amount("swap_memory") / blockBytes);

    const auto requests = requestsOf(params, context);
    if (!requests)
        return requests.error();
    std::optional<BlockMap> map;
    KvWatch watch;
    watch.units = kDrawnUnits;
    watch.going = [&](double share) {
        context.progress(share, "running requests");
        return !context.cancelled();
    };
    if (context.wantsTrace() && units >= 1) {
        const double drawn = paged ? units : std::ceil(units / plan.block);
        map.emplace(static_cast<std::uint64_t>(drawn), plan.block, choice(params, "policy"));
        watch.see = [&](const KvMoment& moment) { return map->add(moment); };
    }
    const auto result = runRequests(plan, *requests, watch);
    if (!result)
        return result.error();

    const auto tell = [&](const char* name, auto value) {
        context.metric(name, static_cast<double>(value), Provenance::Modelled);
    };
    const double unitBytes = paged ? tokenOfGroup : perToken;
    const KvShares& fullest = result->fullest;
    const KvShares& mean = result->mean;
    const double all = mean.held() + mean.external + mean.free;
    const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
    tell("bytes", fullest.held() * unitBytes);
    tell("waste", share(fullest.held() - fullest.stored, fullest.held()));
    tell("admitted", result->mostRunning);
    tell("stored_bytes", fullest.stored * unitBytes);
    tell("waste_mean", share(mean.held() - mean.stored, mean.held()));
    tell("utilization", share(mean.stored, all));
    tell("reserved_share", share(mean.reserved, all));
    tell("internal_share", share(mean.internal, all));
    tell("external_share", share(mean.external, all));
    tell("admitted_mean", result->meanRunning);
    tell("finished", result->finished);
    tell("refused", result->refused);
    tell("preemptions", result->preemptions);
    tell("recomputed", result->recomputed);
    tell("swapped_bytes", static_cast<double>(result->swapped) * blockBytes);
    tell("copies", result->copies);
    tell("hit_rate", share(static_cast<double>(result->hits), static_cast<double>(result->asked)));
    tell("table_bytes", 4 * result->entries);
    tell("bytes_per_token", perToken);
    const double usable = paged ? units - plan.nullBlock : units;
    tell("slots", paged ? usable * plan.block : usable);
    const double ofLongest =
        paged ? kvBlocksOfSequence(plan.groups, plan.block, plan.longest, plan.longest) : plan.longest;
    tell("concurrency", usable / ofLongest);
    tell("steps", result->steps);
    context.limit("bytes", memory);
    context.check("all memory is free again", result->empty, fmt::format("after {} steps", result->steps));
    context.check("all requests end", result->finished + result->refused == requests->size(),
                  fmt::format("{} finished, {} refused of {}", result->finished, result->refused, requests->size()));
    if (paged)
        context.check("less than a block a sequence", result->worstSequence < plan.block,
                      fmt::format("at most {} tokens of a sequence's last block were empty", result->worstSequence));
    if (plan.groups.padded > 0)
        context.log(fmt::format("{} groups of {} layers have room for {} layers that the model has not",
                                plan.groups.count(), plan.groups.size, plan.groups.padded));
    if (map)
        context.trace(GridTrace::kKind, map->bytes());
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeKvAlloc()
{
    return std::make_unique<KvAlloc>();
}

} // namespace ridge::labs
