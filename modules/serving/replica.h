// SPDX-License-Identifier: GPL-3.0-or-later
// One engine: its queue, its batches, its blocks of KV cache. It works in turns; a turn is a step of the model.
#pragma once

#include "serving/requests.h"
#include "serving/step_cost.h"

#include <cmath>
#include <limits>
#include <vector>

namespace ridge::serving {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Static: takes what waits when it is idle, and the next ones when the last of those is done. Dynamic: the same, but
/// waits for a whole batch, at most so long. Orca: joins and leaves a running batch at every step, with room for the
/// whole sequence reserved. Vllm: blocks on demand, prompts before decodes, never both in a step. Sarathi: decodes
/// first, then prompts in parts, all within `chunk` tokens a step.
enum class Scheduler { Static, Dynamic, Orca, Vllm, Sarathi };

struct ReplicaConfig {
    Scheduler scheduler = Scheduler::Vllm;
    std::uint32_t block = 16;        ///< tokens of a block
    std::uint64_t blocks = 0;        ///< of the cache
    std::uint64_t watermark = 0;     ///< blocks that stay free when a request is admitted
    double watermarkShare = 0;       ///< of all blocks, where it grows with them: told in advice alone
    std::uint32_t maxBatch = 128;    ///< sequences that hold blocks
    std::uint64_t maxTokens = 8192;  ///< Vllm: (prompts of a step) x (the longest) at most
    std::uint32_t chunk = 512;       ///< Sarathi: tokens of a step at most
    double window = 0.01;            ///< Dynamic: s that the first of a batch waits at most
    bool reserve = false;            ///< blocks for the whole output when a request is admitted; Static, Dynamic and
                                     ///< Orca always do
    std::uint32_t reserveTokens = 0; ///< and for at least so many tokens
    /// A request that loses its blocks while its prompt is half done goes on with what was done as its prompt and the
    /// rest as its output, as the oracle's rule has it; else it begins again with its whole prompt.
    bool cutPrompt = false;
    std::uint32_t prefixTokens = 0; ///< that requests of a group have in common; 0: no prefix cache
    std::uint32_t groups = 0;
};

/// Everything about one request. `processed` counts tokens whose keys and values are there, the newest one included.
struct RequestState {
    double arrival = 0;
    double ready = 0; ///< when it may be scheduled: the arrival, or the end of a transfer
    double firstToken = -1, lastToken = -1, done = -1;
    std::uint32_t prompt = 0, output = 0;
    std::uint32_t target = 0;   ///< tokens to process before the next token comes: the prompt, or more after a restart
    std::int64_t processed = 0; ///< of a decoding request less the replica's steps, so that a step touches nobody
    std::uint32_t blocks = 0;   ///< its own, when it was admitted
    std::uint32_t shared = 0;   ///< of a prefix that others use too
    std::uint32_t restarts = 0;
    std::uint32_t group = kNoGroup;
    bool prefilled = false; ///< its cache comes from another replica
    std::int64_t total() const { return std::int64_t{prompt} + output; }
};

/// First in, first out, and back to the front. Grows alone.
class Queue {
public:
    Queue() : m_items(kFront), m_head(kFront) {}
    bool empty() const { return m_head == m_items.size(); }
    std::size_t size() const { return m_items.size() - m_head; }
    std::uint32_t front() const { return m_items[m_head]; }
    std::uint32_t at(std::size_t i) const { return m_items[m_head + i]; }
    void pop();
    void pushBack(std::uint32_t item) { m_items.push_back(item); }
    void pushFront(std::uint32_t item);
    void clear();

private:
    static constexpr std::size_t kFront = 64;
    std::vector<std::uint32_t> m_items;
    std::size_t m_head;
};

/// A length of time between two tokens and how many tokens came after it.
struct Interval {
    double seconds;
    double weight;
};

/// What was done in a picture: a request in a state for a while.
enum class Doing : std::uint8_t { Queued, Prefill, Decode, Preempted, Transfer };
struct Deed {
    std::uint32_t request, replica;
    Doing doing;
    double begin, end;
};
struct Sample {
    std::uint32_t replica;
    double at;
    double blocks, running, waiting;
};

/// Shared by all replicas of a cluster.
struct Journal {
    std::vector<RequestState> requests;
    std::vector<Interval> intervals;
    std::vector<std::uint32_t> completed; ///< since the cluster last looked
    std::vector<std::uint32_t> handed;    ///< prefilled for other replicas, since the cluster last looked
    bool tellCompleted = false;           ///< a turn ends where a request does
    bool drawn = false;
    std::vector<Deed> deeds; ///< of requests below kDrawnRequests
    std::vector<Sample> samples;
    static constexpr std::uint32_t kDrawnRequests = 200;
    static constexpr std::size_t kMostDeeds = 1u << 18;
    void interval(double seconds, double weight);
};

class Replica {
public:
    Replica(std::uint32_t id, const ReplicaConfig& config, const StepCost& cost, Journal& journal, Queue& queue,
            bool sharesQueue);

    enum class Role { Whole, Prefill, Decode };
    Role role = Role::Whole;
    bool up = true; ///< takes requests and works

    double clock() const { return m_clock; } ///< when its next turn begins; kNever: nothing to do
    std::size_t running() const { return m_decodes.size() + m_prefilling.size(); }
    std::size_t waiting() const { return m_waiting.size(); }
    std::uint64_t usedBlocks() const { return m_config.blocks - m_free; }
    bool hasPrefix(std::uint32_t group) const;

    /// A request that is there at `now`, which is no earlier than any before.
    void offer(std::uint32_t request, double now);
    /// Something is in the queue that it shares with others.
    void wake(double now);
    /// Turns that begin before `until`; only to the first completion where the journal is to tell them. Errors:
    /// "does-not-fit", a request that can never be admitted.
    Result<void> run(double until);
    /// Loses its cache. What it was working on and what waited goes to `lost`.
    void fail(double now, std::vector<std::uint32_t>& lost);
    void start(double now); ///< back, empty

    std::uint64_t batches = 0, tokens = 0, restarts = 0, cachedTokens = 0;
    double busy = 0;         ///< s in steps
    double blockSeconds = 0; ///< integral of used blocks over steps
    std::uint64_t peakBlocks = 0, peakRunning = 0;
    double end = 0; ///< of the last step

private:
    struct Part {
        std::uint32_t request;
        std::uint32_t tokens;
    };
    struct Prefix {
        bool resident = false;
        std::uint32_t users = 0;
        double lastUse = 0;
    };

    RequestState& of(std::uint32_t request) { return m_journal.requests[request]; }
    std::uint64_t blocksFor(std::int64_t held) const
    {
        return static_cast<std::uint64_t>(held + m_config.block - 1) / m_config.block;
    }
    bool reserves() const { return m_config.reserve || m_config.scheduler <= Scheduler::Orca; }
    std::uint64_t blocksToAdmit(const RequestState& r) const;
    bool admissible(std::uint32_t request);
    void admit(std::uint32_t request);
    void release(std::uint32_t request, std::uint64_t own);
    bool reclaim(std::uint64_t wanted);
    std::uint64_t heldByDecode(const RequestState& r) const;
    void evict(std::uint32_t request, bool decoding);
    void beginDecode(std::uint32_t request);
    void forgetDecode(const RequestState& r);
    void findNextFinish();
    Result<bool> turn(double until);
    Result<void> impossible();
    std::uint64_t blocksBeside(std::uint64_t whole) const;
    void admitPrompts();
    bool decodesSurelyFit() const;
    bool decodesFit();
    void decodeAlone(double until);
    void step(bool decodes);
    void endDecodes(double before);
    void finish(std::uint32_t request);
    void partDone(const Part& part);
    void note(std::uint32_t request, Doing doing, double from, double until);
    void count(double seconds, double stepTokens);

    std::uint32_t m_id;
    ReplicaConfig m_config;
    const StepCost& m_cost;
    Journal& m_journal;
    Queue& m_waiting;
    bool m_sharesQueue;

    double m_clock = kNever;
    double m_lastEnd = 0;
    bool m_sleeping = false; ///< Dynamic: until a batch is full, or its first has waited long enough
    std::uint64_t m_free = 0;
    std::vector<std::uint32_t> m_decodes;    ///< in order; the last ones are evicted first
    std::vector<std::uint32_t> m_prefilling; ///< Sarathi: prompts that are half done
    bool m_tailEvictable = false;            ///< the last of them came after the decodes
    std::vector<Part> m_parts;               ///< of prompts in the step
    std::vector<std::uint32_t> m_scratch;
    std::int64_t m_steps = 0;             ///< in which all decodes took part
    std::int64_t m_processedSum = 0;      ///< of decodes, as RequestState::processed has it
    std::int64_t m_nextFinish = 0;        ///< the step after which the next decode is done
    std::vector<std::uint32_t> m_growing; ///< decodes that need a block at steps of this remainder by block
    std::vector<std::uint32_t> m_fresh;   ///< decodes without a token since they began
    double m_lastDecode = 0;              ///< when the others had theirs
    std::vector<Prefix> m_prefixes;
    std::uint64_t m_prefixBlocks = 0, m_idlePrefixes = 0;
};

} // namespace ridge::serving
