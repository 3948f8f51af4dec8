// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's caching allocator for one GPU, event by event: which segments it takes from the driver, which blocks it
// cuts from them, and when it runs out of memory. Rules and constants: c10/cuda/CUDACachingAllocator.cpp of
// PyTorch 2.x.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ridge::memory {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// What PYTORCH_CUDA_ALLOC_CONF sets, and the GPU's memory. Not modelled: garbage_collection_threshold, private pools
/// of CUDA graphs, per-process fractions.
struct AllocatorSettings {
    static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
    std::uint64_t maxSplit = kNoLimit;         ///< max_split_size_mb, in bytes: larger blocks are not cut
    bool expandable = false;                   ///< expandable_segments
    unsigned divisions = 0;                    ///< roundup_power2_divisions; 0 or 1: none
    std::uint64_t capacity = 80 * 1024 * kMiB; ///< bytes that the driver has for it
};
/// Errors: "bad-settings" with the setting and the fix.
Result<void> checkSettings(const AllocatorSettings& settings);

/// A size as the allocator rounds it: to 512 bytes, or to a division of the power of two below it.
std::uint64_t roundedSize(std::uint64_t bytes, unsigned divisions = 0);
/// Bytes of the segment that is taken from the driver for a rounded size: 2 MiB up to 1 MiB, 20 MiB below 10 MiB, else
/// the next multiple of 2 MiB.
std::uint64_t segmentSize(std::uint64_t rounded);

/// What could not be had, in the terms of PyTorch's message.
struct OutOfMemory {
    std::uint64_t tried = 0;       ///< bytes asked for
    std::uint64_t deviceFree = 0;  ///< that the driver has left
    std::uint64_t allocated = 0;   ///< by PyTorch
    std::uint64_t unallocated = 0; ///< reserved by PyTorch and unallocated
    std::uint64_t largest = 0;     ///< largest unallocated block that is mapped, of any pool
};
std::string toText(const OutOfMemory& error, std::uint64_t capacity);

/// A part of a segment.
struct AllocatorBlock {
    enum class State : std::uint8_t { Free, Allocated, PendingFree, Unmapped };
    std::uint64_t address = 0, bytes = 0, requested = 0, id = 0;
    State state = State::Free;
    std::uint32_t category = 0;
};
struct AllocatorSegment {
    std::uint64_t address = 0, bytes = 0;
    std::uint32_t stream = 0;
    bool small = false, expandable = false;
    std::vector<AllocatorBlock> blocks; ///< by address, without a gap
    std::uint64_t mapped() const;
};

class CachingAllocator {
public:
    explicit CachingAllocator(const AllocatorSettings& settings);
    CachingAllocator(CachingAllocator&&) noexcept;
    CachingAllocator& operator=(CachingAllocator&&) noexcept;
    ~CachingAllocator();

    /// Memory for `bytes` under a name that nothing allocated has; 0 bytes are no block. Nothing: it is there.
    std::optional<OutOfMemory> allocate(std::uint64_t id, std::uint64_t bytes, std::uint32_t stream = 0,
                                        std::uint32_t category = 0);
    /// Two halves of freeing: asked for by the program, and done when other streams are done with it. Unknown names are
    /// passed over; false then.
    bool requestFree(std::uint64_t id);
    bool completeFree(std::uint64_t id);
    bool free(std::uint64_t id) { return requestFree(id) && completeFree(id); }
    /// torch.cuda.empty_cache(): segments without an allocated block go back to the driver.
    void emptyCache();

    /// A segment as it was found, for a history that begins in the middle. Errors: "bad-segment" (overlaps, blocks that
    /// do not fill it, more than the capacity).
    Result<void> place(const AllocatorSegment& segment);
    /// Where the next segments lie, in the order in which the driver will be asked: a recorded history knows.
    void expectSegment(std::uint64_t address, std::uint64_t bytes);

    std::uint64_t allocated() const { return m_allocated; } ///< bytes of blocks that the program holds
    std::uint64_t active() const { return m_active; }       ///< with those that wait to be freed
    std::uint64_t requested() const { return m_requested; } ///< as the program asked, without rounding
    std::uint64_t reserved() const { return m_reserved; }   ///< taken from the driver
    std::uint64_t largestFree() const;
    std::uint64_t driverCalls() const { return m_driverCalls; } ///< cudaMalloc or cuMemMap
    std::uint64_t flushes() const { return m_flushes; }         ///< cached segments were given back to make room
    std::optional<std::uint64_t> addressOf(std::uint64_t id) const;
    std::vector<AllocatorSegment> segments() const; ///< by address

private:
    struct Pool;
    struct Block;
    struct Request;
    struct BySize {
        bool operator()(const Block* a, const Block* b) const;
    };
    struct ByAddress {
        bool operator()(const Block* a, const Block* b) const;
    };

    Pool& poolOf(std::uint64_t rounded);
    Block* makeBlock(std::uint64_t address, std::uint64_t bytes, std::uint32_t stream, Pool& pool);
    void drop(Block* block);
    bool takeCached(Request& request);
    bool takeSegment(Request& request);
    Block* expandableBlock(Request& request);
    bool map(Block*& block, std::uint64_t bytes);
    void unmap(Block* block);
    bool flushOversized(const Request& request);
    void flush();
    void flush(Pool& pool);
    void giveBack(Block* block);
    void merge(Block* into, Block* other);
    void freeBlock(Block* block);
    bool shouldSplit(const Block* block, std::uint64_t size) const;
    std::uint64_t addressFor(std::uint64_t bytes);

    AllocatorSettings m_settings;
    std::unique_ptr<Pool> m_small, m_large;
    std::unordered_map<Block*, std::unique_ptr<Block>> m_blocks;
    std::unordered_map<std::uint64_t, Block*> m_held; ///< by name
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_expected;
    std::size_t m_expectedAt = 0;
    std::uint64_t m_nextAddress, m_nextVirtual;
    std::uint64_t m_allocated = 0, m_active = 0, m_requested = 0, m_reserved = 0;
    std::uint64_t m_driverCalls = 0, m_flushes = 0;
};

/// What a program does, one thing after another.
struct AllocatorEvent {
    enum class Kind : std::uint8_t {
        Allocate,
        RequestFree,
        CompleteFree,
        EmptyCache,
        Fail ///< an allocation that ran out of memory when the history was recorded
    };
    Kind kind = Kind::Allocate;
    std::uint32_t category = 0; ///< of AllocatorHistory::categories
    std::uint32_t stream = 0;
    std::uint32_t what = 0; ///< of AllocatorHistory::texts: "layer 3, gelu"
    std::uint64_t id = 0, bytes = 0;
    std::uint64_t recordedAddress = 0;  ///< 0: not recorded
    std::uint64_t recordedReserved = 0; ///< after the event; kUnknown: not recorded
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
};

struct AllocatorHistory {
    std::vector<AllocatorSegment> begin; ///< what is there before the first event
    std::vector<AllocatorEvent> events;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> segments; ///< address and bytes, as the driver gave them
    std::vector<std::string> categories;
    std::vector<std::string> texts{std::string()};
};

/// Of a run, after each event (kept every `AllocatorRun::every`-th and at what matters).
struct AllocatorSample {
    std::uint64_t event = 0, allocated = 0, reserved = 0;
    std::vector<std::uint64_t> byCategory;
};

struct AllocatorRun {
    std::uint64_t peak = 0, peakEvent = 0, peakRequested = 0; ///< most bytes allocated
    std::vector<std::uint64_t> peakByCategory;
    std::uint64_t reserved = 0, reservedAtPeak = 0; ///< most bytes reserved
    std::uint64_t failures = 0;                     ///< the run ends at the first that was not recorded as one
    std::optional<OutOfMemory> failure;             ///< the first
    std::uint64_t failureEvent = 0;
    std::uint64_t cured = 0; ///< recorded failures that found memory here
    std::uint64_t events = 0, driverCalls = 0, flushes = 0;
    std::uint64_t unknownFrees = 0;
    std::uint64_t compared = 0, sameAddress = 0;          ///< allocations with a recorded address
    std::uint64_t comparedReserved = 0, sameReserved = 0; ///< events with a recorded reservation
    std::vector<AllocatorSample> samples;
};

/// Plays a history, up to and with event `until`. `last`: the allocator as it is then. Errors: "bad-settings",
/// "bad-segment".
Result<AllocatorRun> play(const AllocatorHistory& history, const AllocatorSettings& settings,
                          std::uint64_t until = ~std::uint64_t{0}, std::optional<CachingAllocator>* last = nullptr);

} // namespace ridge::memory
