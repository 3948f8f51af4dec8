// SPDX-License-Identifier: GPL-3.0-or-later
// Managers of a KV cache under a stream of requests: what they hold, what they waste, how many requests run together.
#pragma once

#include "base/seed.h"
#include "memory/kv_blocks.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ridge::memory {

/// Layers by what they keep. vLLM 0.33 (KV cache groups): a block belongs to one group of `size` layers of one kind;
/// the size is the count of the rarer kind, or of the larger one where that has less than 1.5 times as many.
struct KvGroups {
    std::uint32_t full = 1;     ///< groups whose layers see all tokens
    std::uint32_t windowed = 0; ///< groups whose layers see the last `window` tokens
    std::uint32_t window = 0;   ///< tokens
    std::uint32_t size = 1;     ///< layers of a group
    std::uint32_t padded = 0;   ///< layers that the groups have and the model has not
    std::uint32_t count() const { return full + windowed; }
};
KvGroups kvGroups(std::uint32_t layers, std::uint32_t windowedLayers, std::uint32_t window);

/// Blocks of all groups that one sequence takes at most, and so the bound on how many run together: a window group
/// holds what the window and the tokens of two batches span, and one block more.
double kvBlocksOfSequence(const KvGroups& groups, std::uint32_t block, std::uint64_t tokens,
                          std::uint64_t tokensOfABatch);

/// Sequences in a pool of blocks, each with a table a group.
class PagedKv {
public:
    /// `block`: tokens of a block, at least 1. `caching`: full blocks are found again by their prefix; for one group of
    /// full layers alone.
    PagedKv(std::uint32_t blocks, std::uint32_t block, const KvGroups& groups, bool caching, bool nullBlock);

    using Sequence = std::uint32_t;
    Sequence add();
    /// A further holder of all blocks of `from` up to `tokens`, rounded up to blocks.
    Sequence fork(Sequence from, std::uint64_t tokens);
    /// Blocks whose prefixes are known, from the first on and without a gap; the sequence must be empty. `names`: of
    /// the blocks that may be found. Gives the tokens found.
    std::uint64_t findPrefix(Sequence sequence, std::span<const std::uint64_t> names);
    /// How many of them there are, and how many of those nobody holds.
    struct Known {
        std::uint64_t blocks = 0, unheld = 0;
    };
    Known known(std::span<const std::uint64_t> names) const;
    /// Makes the sequence hold `tokens`: takes blocks, copies a last one that others hold too, lets go of blocks that
    /// the window has left behind. False, and no block is taken, where too few are free.
    bool grow(Sequence sequence, std::uint64_t tokens);
    /// Names the full blocks up to so many tokens.
    void name(Sequence sequence, std::span<const std::uint64_t> names);
    void release(Sequence sequence);

    std::uint64_t tokens(Sequence sequence) const { return m_sequences[sequence].tokens; }
    std::span<const std::uint32_t> table(Sequence sequence, std::size_t group = 0) const
    {
        return m_sequences[sequence].tables[group];
    }
    const KvBlockPool& pool() const { return m_pool; }
    std::uint64_t stored() const { return m_stored; }  ///< tokens in used blocks, each block counted once
    std::uint64_t copies() const { return m_copies; }  ///< blocks copied because others held them
    static constexpr std::uint32_t kLeft = 0xfffffffe; ///< in a table: the window has left it behind

private:
    struct Row {
        std::uint64_t tokens = 0;
        std::vector<std::vector<std::uint32_t>> tables;
        std::vector<std::uint64_t> begin; ///< first block of each table that is still held
        std::uint64_t named = 0;          ///< full blocks that have been named
    };
    std::uint32_t takeBlock();
    void giveBlock(std::uint32_t block);
    void setFill(std::uint32_t block, std::uint32_t tokens);

    KvBlockPool m_pool;
    std::uint32_t m_block;
    KvGroups m_groups;
    bool m_caching;
    std::vector<std::uint32_t> m_fill; ///< tokens in each used block
    std::vector<Row> m_sequences;
    std::vector<Sequence> m_unused;
    std::uint64_t m_stored = 0, m_copies = 0;
};

/// A request of a trace. `group` and `shared`: its first tokens are those of all requests of the group.
struct KvRequest {
    double arrival = 0; ///< s
    std::uint32_t prompt = 1, output = 1;
    std::uint32_t group = 0, shared = 0;
};

/// Reads CSV with a first line that names columns: arrival (s), prompt, output (tokens), and group, shared where there
/// are prefixes in common. Any order of columns; others are passed over. Errors: "bad-trace" with file, line and fix
/// (no column, no number, arrivals that run backwards, a prompt of 0, over a million requests), those of parseCsv.
Result<std::vector<KvRequest>> parseRequests(std::string_view text, const std::string& place);

/// Requests with exponential gaps, prompts and outputs around their means, at least 1 token and at most `longest`
/// together. `rate` 0: all at once.
struct RequestMix {
    std::uint32_t count = 200;
    double rate = 0; ///< requests a second
    double prompt = 161, output = 338;
    std::uint32_t shared = 0, groups = 1; ///< tokens in front of every prompt that its group has in common
    std::uint32_t longest = 2048;
};
std::vector<KvRequest> makeRequests(const RequestMix& mix, Rng& rng);

enum class KvPolicy { Contiguous, Buddy, Paged };
enum class KvReserve { Longest, Pow2, Exact }; ///< of Contiguous and Buddy: tokens that a request reserves
enum class KvPreemption { Recompute, Swap };

struct KvPlan {
    KvPolicy policy = KvPolicy::Paged;
    KvReserve reserve = KvReserve::Longest;
    KvPreemption preemption = KvPreemption::Recompute;
    KvGroups groups;
    std::uint32_t slots = 0;  ///< Contiguous, Buddy: tokens that fit
    std::uint32_t blocks = 0; ///< Paged: blocks that fit, of all groups
    std::uint32_t block = 16; ///< tokens
    std::uint32_t longest = 2048;
    std::uint32_t maxBatch = 256;
    std::uint32_t samples = 1;   ///< outputs of each request, which share its prompt where the policy can
    std::uint32_t watermark = 0; ///< Paged: blocks that stay free when a request is admitted
    std::uint64_t swapBlocks = 0;
    double stepSeconds = 0.025;
    bool caching = false;
    bool nullBlock = true;
};

/// Parts of the memory, in tokens of a group (Paged) or of the model.
struct KvShares {
    double stored = 0;   ///< a key and a value are there
    double reserved = 0; ///< will be filled by the request that holds it
    double internal = 0; ///< held and never filled
    double external = 0; ///< free, enough for the next request, and in pieces too small for it
    double free = 0;
    double held() const { return stored + reserved + internal; }
};

struct KvResult {
    KvShares fullest; ///< of the step that holds most; of several the one that stores most
    KvShares mean;    ///< over the steps in which something is held
    std::uint64_t steps = 0;
    std::uint64_t mostRunning = 0;
    double meanRunning = 0;
    std::uint64_t finished = 0, refused = 0; ///< refused: longer than allowed or than the whole memory
    std::uint64_t preemptions = 0, recomputed = 0, swapped = 0; ///< requests, tokens, blocks out
    std::uint64_t hits = 0, asked = 0;                          ///< prompt tokens found, and all of them
    std::uint64_t copies = 0;
    std::uint64_t operations = 0;    ///< tokens stored and blocks taken or given
    std::uint64_t entries = 0;       ///< of block tables when most are held
    std::uint32_t worstSequence = 0; ///< most tokens of a group that one sequence held unfilled (Paged)
    bool empty = false;              ///< all memory was free again at the end
};

/// What a picture is made of: of each unit of `block` tokens who holds it.
struct KvMoment {
    std::uint64_t step = 0;
    std::string event; ///< "requests 4 and 5 admitted, request 2 preempted"
    /// By unit: 0 free, kCached (free and findable), kShared, kReserved + request or kStored + request.
    std::vector<std::uint64_t> units;
    static constexpr std::uint64_t kFree = 0, kCached = 1, kShared = 2;
    static constexpr std::uint64_t kStored = std::uint64_t{1} << 32, kReserved = std::uint64_t{2} << 32;
};

struct KvWatch {
    std::function<bool(double share)> going;  ///< false ends the run; may be empty
    std::function<bool(const KvMoment&)> see; ///< a step; false: none any more. May be empty
    std::uint32_t units = 4096;               ///< of a moment, at most
};

/// Runs the requests, first come first served, one decode step after another: who runs stores a token more; then those
/// who wait are admitted while there is room, unless somebody was preempted in this step. An admitted request stores
/// its whole prompt in that step. The last token of an output is never stored: nobody attends to it. A sequence that
/// finds no block preempts the request that was admitted last (vLLM). Errors: "bad-plan", "cancelled".
Result<KvResult> runRequests(const KvPlan& plan, std::span<const KvRequest> requests, const KvWatch& watch = {});

} // namespace ridge::memory
