// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 6.4: a collective that does not end. One of five causes is drawn; evidence comes rung by rung, cheapest first.
#include "base/lane_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"

#include <fmt/core.h>

#include <algorithm>

namespace ridge::labs {
namespace {

/// The words of the parameter `answer`, and what the metric `cause` counts from 0.
const std::vector<std::string> kCauses{"collective_order", "missing_rank", "wrong_shape", "network_down", "rank_oom"};
constexpr std::uint64_t kRungs = 5;

/// What a rank did last. The picture and every clue are read off these.
struct RankState {
    bool alive = true;
    std::uint32_t started = 0; ///< collectives that it has entered
    std::string operation;     ///< of the newest one
    std::uint64_t count = 0;   ///< elements of it
    double entered = 0;        ///< s, when it entered it
    bool portUp = true;
    std::uint32_t retries = 0; ///< of its network card
    bool outOfMemory = false;
};

struct Hang {
    std::size_t cause = 0;
    std::uint32_t culprit = 0; ///< a rank; of network_down one of the node
    std::uint32_t ranksOfNode = 8;
    double now = 0; ///< s
    std::vector<RankState> ranks;
};

Hang drawn(std::uint32_t ranks, std::uint64_t number, std::uint64_t seed)
{
    Rng rng(seed ^ number * 0x9e3779b97f4a7c15ull);
    Hang h;
    h.cause = static_cast<std::size_t>(rng.next() % kCauses.size());
    h.culprit = rng.nextU32() % ranks;
    h.ranksOfNode = ranks > 8 ? 8 : std::max(1u, ranks / 2);
    h.now = 600 + static_cast<double>(rng.nextU32() % 1200);
    const std::uint32_t step = 40 + rng.nextU32() % 4000;
    const std::uint64_t count = std::uint64_t{1} << (16 + rng.nextU32() % 10);
    const double entered = 5 + 5 * rng.uniform();
    for (std::uint32_t r = 0; r < ranks; ++r) {
        RankState state;
        state.started = step;
        state.operation = "AllReduce";
        state.count = count;
        state.entered = entered + 0.02 * rng.uniform();
        state.retries = rng.nextU32() % 4; // every card has a few: no clue
        h.ranks.push_back(state);
    }
    RankState& bad = h.ranks[h.culprit];
    switch (h.cause) {
    case 0:
        bad.operation = "AllGather";
        break;
    case 1:
        bad.started = step - 1;
        bad.entered = entered - 0.6;
        break;
    case 2:
        bad.count = count - count / 8;
        break;
    case 3:
        for (std::uint32_t r = 0; r < ranks; ++r)
            if (r / h.ranksOfNode == h.culprit / h.ranksOfNode) {
                h.ranks[r].portUp = r != h.culprit;
                h.ranks[r].retries = r == h.culprit ? 7000 + rng.nextU32() % 900 : h.ranks[r].retries;
            }
        break;
    default:
        bad.alive = false;
        bad.outOfMemory = true;
        bad.started = step - 1;
        bad.entered = entered - 0.3;
    }
    return h;
}

/// One line a rank, in our own words, as a log with NCCL_DEBUG=INFO tells it.
void tellEvidence(const Hang& h, std::uint64_t rungs, RunContext& context)
{
    const auto node = [&](std::size_t r) { return fmt::format("node{} rank {}", r / h.ranksOfNode, r); };
    context.log(fmt::format("the job prints nothing for {:.0f} s; all GPUs show 100 % utilisation", h.now));
    for (std::size_t r = 0; r < h.ranks.size(); ++r) {
        const RankState& s = h.ranks[r];
        if (rungs >= 1)
            context.log(fmt::format("[processes] {}: {}", node(r), s.alive ? "running" : "there is no such process"));
        if (rungs >= 2 && s.alive)
            context.log(fmt::format("[log] {}: entered collective {} at {:.2f} s", node(r), s.started, s.entered));
        if (rungs >= 3 && s.alive)
            context.log(fmt::format("[log] {}: collective {} is {} of {} elements of bfloat16", node(r), s.started,
                                    s.operation, s.count));
        if (rungs >= 4)
            context.log(
                fmt::format("[network] {}: port {}, {} retries", node(r), s.portUp ? "active" : "down", s.retries));
        if (rungs >= 5)
            context.log(fmt::format("[kernel] {}: {}", node(r),
                                    s.outOfMemory ? "the out-of-memory killer ended a process of this job"
                                                  : "nothing about this job"));
    }
}

std::string picture(const Hang& h, bool told)
{
    LaneTraceBuilder lanes("Where each rank is", "s");
    const auto works = lanes.state("computes", TraceColor::Series3, "c");
    const auto waits = lanes.state("waits in a collective", TraceColor::Warn, "w");
    const auto gone = lanes.state("not there", TraceColor::Bad, "x");
    const double end = 20;
    for (std::size_t r = 0; r < h.ranks.size(); ++r) {
        const RankState& s = h.ranks[r];
        const auto lane = lanes.lane(fmt::format("rank {}", r), fmt::format("node {}", r / h.ranksOfNode));
        lanes.span(lane, 0, s.entered, works, "backward");
        const bool stuck = s.alive && !(told && h.cause == 1 && r == h.culprit);
        lanes.span(lane, s.entered, end, s.alive ? (stuck ? waits : works) : gone,
                   s.alive ? fmt::format("collective {}", s.started) : std::string("gone"));
    }
    return encodeLaneTrace(lanes.take());
}

class HangDiagnosis : public Experiment {
public:
    HangDiagnosis()
    {
        m_info.id = "hang_diagnosis";
        m_info.title = "A collective that hangs";
        m_info.module = 6;
        m_info.summary = "Draws why a collective does not end, shows evidence rung by rung, and judges the diagnosis.";
        std::vector<std::string> answers = kCauses;
        answers.insert(answers.begin(), "none");
        m_info.parameters = {
            integerParam("game", "Game", "", 1, 1000, 1, ParamScale::Linear,
                         "Each has a cause of its own, drawn by the seed."),
            integerParam("ranks", "Ranks", "", 2, 64, 16, ParamScale::Log2, "Of the job, eight a node."),
            integerParam(
                "rungs", "Rungs climbed", "", 0, 5, 1, ParamScale::Linear,
                "Evidence asked for: 1 processes, 2 last collective of each rank, 3 its operation and count, 4 "
                "ports and retries, 5 the kernel's messages."),
            choiceParam("answer", "Diagnosis", answers, "none",
                        "What hangs the job. none: only look. The verdict comes with an answer.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"solved", "Solved", "1", "1: the answer is the cause. Given with an answer alone."},
            {"score", "Score", "1", "6 less the rungs that were climbed, over 6; 0 for a wrong answer."},
            {"cause", "Cause", "1",
             "Given with an answer: 0 order, 1 missing rank, 2 shape, 3 network, 4 out of memory."},
            {"rungs_needed", "Rungs that suffice", "rungs",
             "Given with an answer: the lowest rung that shows the cause."},
            {"alive", "Processes alive", "processes", "From rung 1 on."},
            {"collective_min", "Collective of the last rank", "1",
             "From rung 2 on: the least number that a live rank entered."},
            {"collective_max", "Collective of the first rank", "1",
             "From rung 2 on: the largest number that a rank entered."},
            {"operations", "Different operations", "1", "From rung 3 on: of the newest collective, over live ranks."},
            {"counts", "Different counts", "1",
             "From rung 3 on: of elements of the newest collective, over live ranks."},
            {"ports_down", "Ports down", "ports", "From rung 4 on."},
            {"retries_max", "Most retries", "1", "From rung 4 on: of one network card."},
            {"oom_events", "Out of memory", "events", "From rung 5 on: that the kernels of the nodes report."}};
        m_info.limits = {
            {"score", "the right answer at these rungs", "upper", "(6 - rungs) / 6", "the rule of the game"}};
        m_info.charts = {{"score_over_game", "Score over games", "game", "score", ParamScale::Linear}};
        m_info.scene = "lanes";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const Hang h =
            drawn(static_cast<std::uint32_t>(integer(params, "ranks")), integer(params, "game"), context.rng().next());
        const std::uint64_t rungs = std::min(integer(params, "rungs"), kRungs);
        const std::string& answer = choice(params, "answer");
        tellEvidence(h, rungs, context);
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        std::uint32_t alive = 0, least = ~0u, most = 0, down = 0, retries = 0, killed = 0;
        std::vector<std::string> operations;
        std::vector<std::uint64_t> counts;
        for (const RankState& s : h.ranks) {
            alive += s.alive;
            if (s.alive)
                least = std::min(least, s.started);
            most = std::max(most, s.started);
            down += !s.portUp;
            retries = std::max(retries, s.retries);
            killed += s.outOfMemory;
        }
        for (const RankState& s : h.ranks)
            if (s.alive && s.started == most) {
                operations.push_back(s.operation);
                counts.push_back(s.count);
            }
        const auto distinct = [](auto values) {
            std::sort(values.begin(), values.end());
            return static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
        };
        if (rungs >= 1)
            tell("alive", alive);
        if (rungs >= 2) {
            tell("collective_min", least);
            tell("collective_max", most);
        }
        if (rungs >= 3) {
            tell("operations", distinct(operations));
            tell("counts", distinct(counts));
        }
        if (rungs >= 4) {
            tell("ports_down", down);
            tell("retries_max", retries);
        }
        if (rungs >= 5)
            tell("oom_events", killed);
        if (answer != "none") {
            constexpr double needed[] = {3, 2, 3, 4, 5}; // out of memory: rung 1 shows that a process is gone, not why
            const bool solved = answer == kCauses[h.cause];
            tell("solved", solved ? 1 : 0);
            const double full = static_cast<double>(kRungs + 1 - rungs) / (kRungs + 1);
            tell("score", solved ? full : 0);
            context.limit("score", full);
            tell("cause", static_cast<double>(h.cause));
            tell("rungs_needed", needed[h.cause]);
            context.log(fmt::format("it was {}, {} {}", kCauses[h.cause],
                                    h.cause == 3 ? "at the port of rank" : "at rank", h.culprit));
        }
        if (context.wantsTrace() && (rungs >= 2 || answer != "none"))
            context.trace(LaneTrace::kKind, picture(h, answer != "none"));
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeHangDiagnosis()
{
    return std::make_unique<HangDiagnosis>();
}

} // namespace ridge::labs
