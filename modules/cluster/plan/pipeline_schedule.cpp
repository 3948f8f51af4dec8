// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/pipeline_schedule.h"

#include <algorithm>
#include <cmath>

namespace ridge::cluster {
namespace {

const std::array<std::string, 5> kNames{"gpipe", "1f1b", "interleaved", "zero_bubble", "zero_bubble_2"};

struct Todo {
    std::uint32_t microBatch, chunk;
    StageWork work;
};

using List = std::vector<Todo>;

/// `warm` forwards, then backward and forward in turn, then the rest of the backwards.
List warmUp(std::uint32_t count, std::uint32_t warm, std::uint32_t delay, bool split)
{
    List list;
    warm = std::min(warm, count);
    for (std::uint32_t i = 0; i < warm; ++i)
        list.push_back({i, 0, StageWork::Forward});
    std::uint32_t weights = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        list.push_back({i, 0, StageWork::Backward});
        if (split && i >= delay)
            list.push_back({weights++, 0, StageWork::Weights});
        if (warm + i < count)
            list.push_back({warm + i, 0, StageWork::Forward});
    }
    if (split)
        while (weights < count)
            list.push_back({weights++, 0, StageWork::Weights});
    return list;
}

/// Megatron-LM's order: `stages` micro-batches through one chunk, then through the next.
List interleavedOrder(const PipelineSetting& s, std::uint32_t stage)
{
    const std::uint32_t p = s.stages, v = s.chunks, all = s.microBatches * v;
    const auto place = [&](std::uint32_t k, StageWork work) {
        const std::uint32_t chunk = k % (p * v) / p, turn = k / (p * v);
        return Todo{turn * p + k % p, work == StageWork::Forward ? chunk : v - 1 - chunk, work};
    };
    const std::uint32_t warm = std::min(all, (p - stage - 1) * 2 + (v - 1) * p);
    List list;
    for (std::uint32_t k = 0; k < warm; ++k)
        list.push_back(place(k, StageWork::Forward));
    for (std::uint32_t k = 0; k < all; ++k) {
        if (warm + k < all)
            list.push_back(place(warm + k, StageWork::Forward));
        list.push_back(place(k, StageWork::Backward));
    }
    return list;
}

List orderOf(const PipelineSetting& s, std::uint32_t stage)
{
    const std::uint32_t p = s.stages, m = s.microBatches, behind = p - stage - 1;
    switch (s.schedule) {
    case PipelineSchedule::GPipe: {
        List list;
        for (std::uint32_t i = 0; i < m; ++i)
            list.push_back({i, 0, StageWork::Forward});
        for (std::uint32_t i = m; i-- > 0;)
            list.push_back({i, 0, StageWork::Backward});
        return list;
    }
    case PipelineSchedule::OneForwardOneBackward:
        return warmUp(m, behind + 1, 0, false);
    case PipelineSchedule::Interleaved:
        return s.chunks > 1 ? interleavedOrder(s, stage) : warmUp(m, behind + 1, 0, false);
    case PipelineSchedule::ZeroBubble:
        return warmUp(m, behind + 1, stage, true);
    case PipelineSchedule::ZeroBubble2:
        return warmUp(m, 2 * behind + 1, 2 * stage, true);
    }
    return {};
}

Result<void> checkSetting(const PipelineSetting& s)
{
    const auto bad = [](const std::string& message, const char* place, const std::string& fix) {
        return Error{"bad-schedule", message, place, fix};
    };
    if (s.stages < 1 || s.microBatches < 1 || s.chunks < 1)
        return bad("a pipeline has at least one stage, micro-batch and chunk", "pipeline", "give 1 or more of each");
    if (s.chunks > 1 && s.schedule != PipelineSchedule::Interleaved)
        return bad("only the interleaved schedule has several pieces of the model on a stage", "interleave",
                   "take schedule interleaved, or interleave 1");
    if (s.schedule == PipelineSchedule::Interleaved && s.chunks > 1 && s.microBatches % s.stages != 0)
        return bad("interleaving passes micro-batches on in groups of " + std::to_string(s.stages) + ", and " +
                       std::to_string(s.microBatches) + " of them do not make whole groups",
                   "micro-batches", "take a batch with a multiple of " + std::to_string(s.stages) + " micro-batches");
    if (s.pieces.size() != std::uint64_t(s.stages) * s.chunks)
        return bad("there is not one time a piece of the model", "pieces", "give stages x chunks of them");
    const std::uint64_t ops =
        std::uint64_t(s.stages) * s.microBatches * s.chunks * (splitsBackward(s.schedule) ? 3 : 2);
    if (ops > kMostStageOps)
        return Error{"too-large", "the schedule has " + std::to_string(ops) + " operations", "pipeline",
                     "take fewer micro-batches or stages; at most " + std::to_string(kMostStageOps) +
                         " operations are timed"};
    return {};
}

} // namespace

std::span<const std::string> scheduleNames()
{
    return kNames;
}

bool splitsBackward(PipelineSchedule schedule)
{
    return schedule == PipelineSchedule::ZeroBubble || schedule == PipelineSchedule::ZeroBubble2;
}

Result<PipelineRun> runPipeline(const PipelineSetting& s, bool keepOps)
{
    if (auto good = checkSetting(s); !good)
        return good.error();
    const std::uint32_t p = s.stages, last = p * s.chunks - 1;
    const bool split = splitsBackward(s.schedule);
    std::vector<List> lists(p);
    for (std::uint32_t stage = 0; stage < p; ++stage)
        lists[stage] = orderOf(s, stage);

    // When the forward and backward pass of a micro-batch through a piece ended; below 0: not yet.
    const std::size_t m = s.microBatches;
    std::vector<double> forwardEnd(std::size_t(last + 1) * m, -1), backwardEnd(forwardEnd.size(), -1);
    PipelineRun run;
    run.inFlight.assign(p, 0);
    std::vector<std::size_t> next(p, 0);
    std::vector<double> free(p, 0), first(p, 0), busy(p, 0);
    std::vector<std::uint32_t> flying(p, 0);
    std::vector<std::vector<StageOp>> kept(keepOps ? p : 0);

    bool moved = true;
    while (moved) {
        moved = false;
        for (std::uint32_t turn = 0; turn < 2 * p; ++turn) { // down the stages and up again, as the work goes
            const std::uint32_t stage = turn < p ? turn : 2 * p - 1 - turn;
            while (next[stage] < lists[stage].size()) {
                const Todo& todo = lists[stage][next[stage]];
                const std::uint32_t piece = todo.chunk * p + stage;
                const std::size_t at = piece * m + todo.microBatch;
                double ready = 0;
                if (todo.work == StageWork::Forward && piece > 0)
                    ready = forwardEnd[at - m];
                else if (todo.work == StageWork::Backward)
                    ready = piece == last                                       ? forwardEnd[at]
                            : std::min(backwardEnd[at + m], forwardEnd[at]) < 0 ? -1
                                                                                : backwardEnd[at + m];
                else if (todo.work == StageWork::Weights)
                    ready = backwardEnd[at];
                if (ready < 0)
                    break;
                const bool crosses = p > 1 && ((todo.work == StageWork::Forward && piece > 0) ||
                                               (todo.work == StageWork::Backward && piece < last));
                const PieceTime& time = s.pieces[piece];
                const double takes = todo.work == StageWork::Forward   ? time.forward
                                     : todo.work == StageWork::Weights ? time.weights
                                                                       : time.backward + (split ? 0 : time.weights);
                const double begin = std::max(free[stage], ready + (crosses ? s.send : 0)), end = begin + takes;
                if (next[stage] == 0)
                    first[stage] = begin;
                free[stage] = end;
                busy[stage] += takes;
                if (todo.work == StageWork::Forward) {
                    forwardEnd[at] = end;
                    run.inFlight[stage] = std::max(run.inFlight[stage], ++flying[stage]);
                } else if (todo.work == StageWork::Backward) {
                    backwardEnd[at] = end;
                    if (!split)
                        --flying[stage];
                } else {
                    --flying[stage];
                }
                if (keepOps)
                    kept[stage].push_back({stage, todo.microBatch, todo.chunk, todo.work, begin, end});
                ++next[stage];
                moved = true;
            }
        }
    }
    for (std::uint32_t stage = 0; stage < p; ++stage) {
        if (next[stage] < lists[stage].size())
            return Error{"bad-schedule", "the stages wait for each other for ever", "stage " + std::to_string(stage),
                         "take another schedule"};
        run.makespan = std::max(run.makespan, free[stage]);
        run.period = std::max(run.period, free[stage] - first[stage]);
        run.busy = std::max(run.busy, busy[stage]);
    }
    run.bubble = run.period > 0 ? 1 - run.busy / run.period : 0;
    for (auto& each : kept)
        run.ops.insert(run.ops.end(), each.begin(), each.end());
    return run;
}

double bubbleClosedForm(PipelineSchedule schedule, double p, double m, double v, const PieceTime& time)
{
    const double ideal = m * time.all();
    double idle = 0;
    switch (schedule) {
    case PipelineSchedule::GPipe:
    case PipelineSchedule::OneForwardOneBackward:
        idle = (p - 1) * time.all();
        break;
    case PipelineSchedule::Interleaved:
        idle = (p - 1) * time.all() / v;
        break;
    case PipelineSchedule::ZeroBubble:
        idle = (p - 1) * std::max(0.0, time.forward + time.backward - time.weights);
        break;
    case PipelineSchedule::ZeroBubble2:
        idle = (p - 1) * std::max(0.0, time.forward + time.backward - 2 * time.weights);
        break;
    }
    return ideal + idle > 0 ? idle / (ideal + idle) : 0;
}

double inFlightClosedForm(PipelineSchedule schedule, double p, double m, double v)
{
    switch (schedule) {
    case PipelineSchedule::GPipe:
        return m;
    case PipelineSchedule::OneForwardOneBackward:
    case PipelineSchedule::ZeroBubble:
        return std::min(m, p);
    case PipelineSchedule::Interleaved:
        return v > 1 ? std::min(m, p * (1 + (p - 1) / (p * v))) : std::min(m, p);
    case PipelineSchedule::ZeroBubble2:
        return std::min(m, 2 * p - 1);
    }
    return m;
}

} // namespace ridge::cluster
