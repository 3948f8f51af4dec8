// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/buffers.h"
#include "labs/harness/ladder.h"
#include "labs/harness/work.h"

namespace ridge::labs {

/// One point of a ladder: what its kernels work on and how their result is judged. LadderExperiment calls these in the
/// order in which they are declared.
class LadderPoint {
public:
    explicit LadderPoint(GpuContext& given) : context(given) {}
    virtual ~LadderPoint() = default;
    LadderPoint(const LadderPoint&) = delete;
    LadderPoint& operator=(const LadderPoint&) = delete;

    /// Fills a set of buffers and gives the launches that work on it. The first set is the one that is checked; further
    /// ones take turns with it, so that no cache holds the data.
    virtual Result<gpu::Sequence> makeSet(Buffers& buffers) = 0;
    /// Once, on the first set, before the rung runs so that the rung's trace is kept: what the result is compared with,
    /// and the references that take turns with the rung.
    virtual Result<void> prepare(Buffers&) { return {}; }
    /// Compares the result on the first set with the CPU's.
    virtual Result<void> check() = 0;
    /// What the rung counted.
    virtual void report(const Execution& done) = 0;
    virtual UsefulBytes bytes() const = 0;
    /// Bytes of one set: those that the work touches, and those that it holds.
    virtual std::uint64_t touchedBytes() const = 0;
    virtual std::uint64_t heldBytes() const { return touchedBytes(); }
    /// The arms that are timed in turns with the rung; as many sets each as the rung has.
    virtual std::vector<gpu::Arm> references() { return {}; }
    /// Time, rate and share of the rung with their limits, for `sets` of buffers that took turns: those of the useful
    /// bytes, where a point knows no other limit.
    virtual void reportOwnTime(const Measured& own, std::size_t sets) { reportBandwidth(context, own, bytes(), sets); }
    /// What follows from the times: that of the rung, then those of references(). reportOwnTime() has been called.
    virtual void reportTimes(const std::vector<Measured>&) {}

    std::string arm;           ///< name of the rung among the arms
    double checkedShare = 0.5; ///< of the point's work that is done once the result was compared

protected:
    GpuContext& context;
};

/// An experiment of which each point runs one rung: once to compare the result and to count, then for its time.
class LadderExperiment : public GpuExperiment {
public:
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const final;

protected:
    /// Refuses what the device cannot run, draws the data and loads the kernels, in this order.
    virtual Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const = 0;
};

} // namespace ridge::labs
