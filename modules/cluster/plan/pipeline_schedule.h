// SPDX-License-Identifier: GPL-3.0-or-later
// Pipeline schedules: in which order each stage works on which micro-batch, and when.
//
// Every stage has a fixed list of operations. An operation begins when its stage is free and what it waits for has
// arrived, so that times follow from the lists alone. Closed forms of the bubble stand beside it.
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ridge::cluster {

/// GPipe (arXiv 1811.06965): all forwards, then all backwards. OneForwardOneBackward (arXiv 2104.04473): a backward as
/// soon as it can be. Interleaved (same): each stage holds `chunks` pieces of the model. ZeroBubble and ZeroBubble2
/// (ZB-H1 and ZB-H2 of arXiv 2401.10241): gradients of weights are an operation of their own, which fills gaps.
enum class PipelineSchedule { GPipe, OneForwardOneBackward, Interleaved, ZeroBubble, ZeroBubble2 };
std::span<const std::string> scheduleNames(); ///< gpipe 1f1b interleaved zero_bubble zero_bubble_2
bool splitsBackward(PipelineSchedule schedule);

enum class StageWork : std::uint8_t { Forward, Backward, Weights };

struct StageOp {
    std::uint32_t stage = 0, microBatch = 0, chunk = 0;
    StageWork work = StageWork::Forward;
    double begin = 0, end = 0; ///< s
};

/// What one piece of the model takes for one micro-batch, in s. `backward` of schedules that do not split it has
/// `weights` in it too.
struct PieceTime {
    double forward = 0;
    double backward = 0; ///< gradients of inputs
    double weights = 0;  ///< gradients of weights
    double all() const { return forward + backward + weights; }
};

struct PipelineSetting {
    PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
    std::uint32_t stages = 1, microBatches = 1, chunks = 1;
    std::vector<PieceTime> pieces; ///< stages x chunks of them; piece i lies on stage i mod stages
    double send = 0;               ///< s from the end of an operation to the begin of what needs it on another stage
};

/// Of operations of one schedule; more are refused.
inline constexpr std::uint64_t kMostStageOps = 1u << 24;

struct PipelineRun {
    double makespan = 0; ///< s, from the first operation to the last
    /// Longest time from the first to the last operation of one stage. It is the period of steps in a row where a
    /// stage may begin the next step before others have ended this one, as ZeroBubble2 does.
    double period = 0;
    double busy = 0;                     ///< of the stage that works longest
    double bubble = 0;                   ///< share of `period` in which that stage waits
    std::vector<std::uint32_t> inFlight; ///< most micro-batches that wait for their backward pass, a stage, x chunks
    std::vector<StageOp> ops;            ///< by stage and time, if they were asked for
};

/// Errors: "bad-schedule" (no stages or micro-batches, pieces that do not match, micro-batches that interleaving cannot
/// share evenly), "too-large".
Result<PipelineRun> runPipeline(const PipelineSetting& setting, bool keepOps = true);

/// Share of the step that a stage waits, for pieces that all take the same: of gpipe and 1f1b (p - 1) / (m + p - 1), of
/// interleaved (p - 1) / (v m + p - 1), of zero bubble (p - 1)(f + b - w) over m (f + b + w) and that, of the second
/// (p - 1)(f + b - 2 w) in its place. `time` is of one stage. `microBatches` of at least `stages` (2 stages - 1 of the
/// last) are taken.
double bubbleClosedForm(PipelineSchedule schedule, double stages, double microBatches, double chunks,
                        const PieceTime& time);

/// Micro-batches whose activations stage 0 holds at most: m of gpipe, p of 1f1b and zero bubble, (1 + (p - 1) / (p v))
/// p of interleaved, 2 p - 1 of the second zero bubble; none more than m.
double inFlightClosedForm(PipelineSchedule schedule, double stages, double microBatches, double chunks);

} // namespace ridge::cluster
