// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/run/progress_watch.h"
#include "gpu/simt/run/spare_runs.h"
#include "gpu/simt/run/store_log.h"
#include "gpu/simt/run/thread_team.h"
#include "gpu/simt/run/unwritten.h"

namespace ridge::gpu::simt {

/// Blocks of a functional launch that run ahead side by side, on as many threads as there are, each as if it were
/// alone: none sees what others of its wave store. Then they take effect one after the other, in their order, and what
/// could not be done beside others (atomics, fences, looks at memory that others write, printf) is left to do. How many
/// run ahead and how far follows from the kernel alone: threads change no bit.
class Wave {
public:
    /// Whether a launch can run so: no clusters, nobody who watches every step, no budget of instructions.
    static bool suits(const LaunchState& state, const LaunchShape& shape);

    Wave(LaunchState& state, const LaunchShape& shape, LaunchControl& control, SpareRuns& spare);

    /// Once the last wave has done all that was left to do in order: whether further blocks should run ahead. Not where
    /// most of the work had to wait for its order, nor while the accesses of the first blocks are kept.
    bool pays();
    /// Lets blocks from `next` on run ahead and moves `next` past them. Errors: "out-of-memory" (of the host). Where
    /// the launch is to be ended blocks stop early.
    Result<void> run(std::uint64_t& next);

    bool empty() const { return m_taken == m_count; }
    std::uint64_t next() const { return m_parts[m_taken].block; } ///< the block that take() gives
    /// The next block takes effect. Null: it has ended; otherwise it goes on with the launch's own state. Errors: what
    /// stopped it.
    Result<std::unique_ptr<ClusterRun>> take();

private:
    enum class Standing : std::uint8_t {
        Runs,    ///< it has more to do
        Full,    ///< its stores have to be written first
        Stuck,   ///< it goes round without end
        InOrder, ///< it has something to do that needs its place in the order
        Ended,
        Failed,
    };
    struct alignas(128) Part { // threads do not write into each other's lines
        std::uint64_t block = 0;
        Standing standing = Standing::Runs;
        std::unique_ptr<ClusterRun> run;
        StoreLog log;
        Counters counters;
        std::vector<MemoryRequest> trace;
        ProgressWatch watch;
        std::optional<Error> error;
        std::optional<StopSite> stop;
    };
    struct alignas(128) Worker {
        LaunchState state;
        LaunchControl control;
        std::int64_t untilPoll = 0;       ///< micro-ops before it looks whether the launch is to be ended
        std::unique_ptr<ClusterRun> kept; ///< of the block that ended last: its registers are in this thread's cache
    };

    std::size_t count(Standing standing) const;
    void runSlice(std::int64_t budget, std::uint64_t left);
    void work(unsigned number, Part& part, std::int64_t budget);
    bool begin(Worker& worker, Part& part);
    Standing advance(Worker& worker, Part& part, std::int64_t budget);
    void settle();
    bool allApart() const;
    void shareOut(const std::function<void(unsigned, Part&)>& work);

    LaunchState& m_state;
    const LaunchShape& m_shape;
    LaunchControl& m_control;
    SpareRuns& m_spare;
    unsigned m_threads;
    std::optional<ThreadTeam> m_team; ///< once there is enough to do
    std::vector<Worker> m_workers;
    std::vector<Part> m_parts;
    std::size_t m_count = 0; ///< of them in this wave
    std::size_t m_taken = 0;
    std::size_t m_size;
    bool m_pays = true;
    bool m_isFirst = true;
    std::uint64_t m_before = 0; ///< instructions of the launch when the wave began …
    std::uint64_t m_ahead = 0;  ///< … and those of the wave that ran ahead
    std::size_t m_logged = 0;   ///< bytes that it stored
    Claims m_unclaimed;
    std::atomic<bool> m_ended{false};     ///< the launch is to be ended
    std::atomic<bool> m_hasNoRoom{false}; ///< of the host's memory
};

} // namespace ridge::gpu::simt
