// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/allocator.h"

#include "base/number_text.h"

#include <algorithm>
#include <bit>

namespace ridge::memory {
namespace {

// CUDACachingAllocator.cpp, "block size" constants.
constexpr std::uint64_t kMinBlock = 512;
constexpr std::uint64_t kSmallSize = kMiB;          // the largest of the small pool
constexpr std::uint64_t kSmallBuffer = 2 * kMiB;    // its segments
constexpr std::uint64_t kLargeBuffer = 20 * kMiB;   // segments of sizes below kMinLargeAlloc
constexpr std::uint64_t kMinLargeAlloc = 10 * kMiB; // from here on a segment of its own
constexpr std::uint64_t kRoundLarge = 2 * kMiB;

constexpr std::uint64_t kFirstAddress = 0x7f0000000000, kFirstVirtual = 0x300000000000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50; // of a request; more is no allocation

std::uint64_t roundedUp(std::uint64_t bytes, std::uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

} // namespace

struct CachingAllocator::Block {
    std::uint64_t address = 0, bytes = 0, requested = 0, id = 0;
    std::uint32_t stream = 0, category = 0;
    Pool* pool = nullptr;
    Block *previous = nullptr, *next = nullptr; ///< neighbours in the segment
    bool allocated = false, pending = false;
    bool mapped = true, expandable = false;

    bool idle() const { return !allocated && !pending; }
    bool whole() const { return previous == nullptr && next == nullptr; }
};

bool CachingAllocator::BySize::operator()(const Block* a, const Block* b) const
{
    return std::tuple(a->stream, a->bytes, a->address) < std::tuple(b->stream, b->bytes, b->address);
}

bool CachingAllocator::ByAddress::operator()(const Block* a, const Block* b) const
{
    return std::tuple(a->stream, a->address) < std::tuple(b->stream, b->address);
}

struct CachingAllocator::Pool {
    bool small = false;
    std::set<Block*, BySize> free;        ///< mapped
    std::set<Block*, ByAddress> unmapped; ///< of expandable segments

    std::uint64_t granularity() const { return small ? kSmallBuffer : kLargeBuffer; }
};

struct CachingAllocator::Request {
    Pool& pool;
    std::uint64_t size; ///< rounded
    std::uint32_t stream;
    Block* block = nullptr; ///< what was found
};

Result<void> checkSettings(const AllocatorSettings& settings)
{
    const auto bad = [](std::string message, const char* place, std::string fix) {
        return Error{"bad-settings", std::move(message), place, std::move(fix)};
    };
    if (settings.maxSplit <= kLargeBuffer)
        return bad("blocks of 20 MiB and less are always cut", "max_split", "take more than 20 MiB, or no limit");
    if (settings.divisions > 64 || (settings.divisions != 0 && !std::has_single_bit(settings.divisions)))
        return bad(std::to_string(settings.divisions) + " divisions of a power of two are not possible", "divisions",
                   "take 0, 1, 2, 4, 8, 16, 32 or 64");
    if (settings.capacity > kMostBytes)
        return bad("no GPU has so much memory", "memory", "give at most 1 PiB");
    return {};
}

std::uint64_t roundedSize(std::uint64_t bytes, unsigned divisions)
{
    if (bytes < kMinBlock)
        return kMinBlock;
    if (divisions > 1 && bytes > kMinBlock * divisions) {
        if (std::has_single_bit(bytes))
            return bytes;
        const std::uint64_t division = std::bit_floor(bytes) / divisions;
        return roundedUp(bytes, division);
    }
    return roundedUp(bytes, kMinBlock);
}

std::uint64_t segmentSize(std::uint64_t rounded)
{
    if (rounded <= kSmallSize)
        return kSmallBuffer;
    return rounded < kMinLargeAlloc ? kLargeBuffer : roundedUp(rounded, kRoundLarge);
}

std::string toText(const OutOfMemory& error, std::uint64_t capacity)
{
    const auto size = [](std::uint64_t bytes) {
        const double mib = static_cast<double>(bytes) / static_cast<double>(kMiB);
        return mib >= 1024 ? fixedText(mib / 1024, 2) + " GiB" : fixedText(mib, 2) + " MiB";
    };
    return "Tried to allocate " + size(error.tried) + ". Total capacity " + size(capacity) + ", of which " +
           size(error.deviceFree) + " is free. " + size(error.allocated) + " is allocated by PyTorch, " +
           size(error.unallocated) + " is reserved by PyTorch but unallocated; its largest block has " +
           size(error.largest) + ".";
}

std::uint64_t AllocatorSegment::mapped() const
{
    std::uint64_t sum = 0;
    for (const AllocatorBlock& block : blocks)
        sum += block.state == AllocatorBlock::State::Unmapped ? 0 : block.bytes;
    return sum;
}

CachingAllocator::CachingAllocator(const AllocatorSettings& settings)
    : m_settings(settings), m_small(std::make_unique<Pool>()), m_large(std::make_unique<Pool>()),
      m_nextAddress(kFirstAddress), m_nextVirtual(kFirstVirtual)
{
    m_small->small = true;
}

CachingAllocator::CachingAllocator(CachingAllocator&&) noexcept = default;
CachingAllocator& CachingAllocator::operator=(CachingAllocator&&) noexcept = default;
CachingAllocator::~CachingAllocator() = default;

CachingAllocator::Pool& CachingAllocator::poolOf(std::uint64_t rounded)
{
    return rounded <= kSmallSize ? *m_small : *m_large;
}

CachingAllocator::Block* CachingAllocator::makeBlock(std::uint64_t address, std::uint64_t bytes, std::uint32_t stream,
                                                     Pool& pool)
{
    auto made = std::make_unique<Block>();
    Block* block = made.get();
    block->address = address;
    block->bytes = bytes;
    block->stream = stream;
    block->pool = &pool;
    m_blocks.emplace(block, std::move(made));
    return block;
}

void CachingAllocator::drop(Block* block)
{
    if (block->previous)
        block->previous->next = block->next;
    if (block->next)
        block->next->previous = block->previous;
    m_blocks.erase(block);
}

bool CachingAllocator::shouldSplit(const Block* block, std::uint64_t size) const
{
    const std::uint64_t rest = block->bytes - size;
    if (block->pool->small || m_settings.expandable)
        return rest >= kMinBlock;
    return size < m_settings.maxSplit && rest > kSmallSize;
}

/// Best fit: the smallest free block of the stream that is large enough, the lowest of equal ones.
bool CachingAllocator::takeCached(Request& request)
{
    Block key;
    key.stream = request.stream;
    key.bytes = request.size;
    auto& free = request.pool.free;
    auto found = free.lower_bound(&key);
    const auto fits = [&](auto it) { return it != free.end() && (*it)->stream == request.stream; };
    if (!fits(found))
        return false;
    if ((*found)->expandable) {
        if (m_settings.expandable) {
            // An expandable block counts as large as it can become.
            const auto reach = [](const Block* block) {
                return block->bytes + (block->next && !block->next->mapped ? block->next->bytes : 0);
            };
            for (auto next = std::next(found); (*found)->expandable && fits(next) && reach(*next) < reach(*found);
                 ++next)
                found = next;
        } else {
            while (fits(found) && (*found)->expandable)
                ++found;
            if (!fits(found))
                return false;
        }
    }
    if (request.size < m_settings.maxSplit && (*found)->bytes >= m_settings.maxSplit)
        return false; // an oversized block is kept for oversized requests
    if (request.size >= m_settings.maxSplit && (*found)->bytes >= request.size + kLargeBuffer)
        return false;
    request.block = *found;
    free.erase(found);
    return true;
}

std::uint64_t CachingAllocator::addressFor(std::uint64_t bytes)
{
    if (m_expectedAt < m_expected.size() && m_expected[m_expectedAt].second == bytes)
        return m_expected[m_expectedAt++].first;
    const std::uint64_t address = m_nextAddress;
    m_nextAddress += roundedUp(bytes, kRoundLarge);
    return address;
}

bool CachingAllocator::takeSegment(Request& request)
{
    if (m_settings.expandable) {
        request.block = expandableBlock(request);
        return request.block != nullptr;
    }
    const std::uint64_t bytes = segmentSize(request.size);
    if (bytes > m_settings.capacity - m_reserved)
        return false;
    ++m_driverCalls;
    m_reserved += bytes;
    request.block = makeBlock(addressFor(bytes), bytes, request.stream, request.pool);
    return true;
}

CachingAllocator::Block* CachingAllocator::expandableBlock(Request& request)
{
    Pool& pool = request.pool;
    Block key;
    key.stream = request.stream;
    Block* candidate = nullptr;
    for (auto it = pool.unmapped.lower_bound(&key); it != pool.unmapped.end() && (*it)->stream == request.stream;
         ++it) {
        Block* first = *it;
        if (first->previous && first->previous->idle())
            first = first->previous; // free memory right before it counts as well
        std::uint64_t bytes = 0;
        for (const Block* each = first; bytes < request.size && each && each->idle(); each = each->next)
            bytes += each->bytes;
        if (bytes >= request.size) {
            candidate = first;
            break;
        }
    }
    if (!candidate) { // a new range of addresses, an eighth larger than the GPU
        const std::uint64_t bytes =
            roundedUp(std::max(m_settings.capacity + m_settings.capacity / 8, request.size), pool.granularity());
        candidate = makeBlock(m_nextVirtual, bytes, request.stream, pool);
        m_nextVirtual += roundedUp(bytes, kLargeBuffer) + kLargeBuffer;
        candidate->mapped = false;
        candidate->expandable = true;
        pool.unmapped.insert(candidate);
    }
    if (!candidate->mapped && !map(candidate, std::min(candidate->bytes, request.size)))
        return nullptr;
    while (candidate->bytes < request.size) {
        Block* next = candidate->next;
        if (!map(next, std::min(request.size - candidate->bytes, next->bytes)))
            return nullptr;
        candidate = next;
    }
    pool.free.erase(candidate);
    return candidate;
}

/// Maps so much of an unmapped block, in whole pieces, and joins it with free neighbours; `block` is then the result.
bool CachingAllocator::map(Block*& block, std::uint64_t bytes)
{
    Pool& pool = *block->pool;
    const std::uint64_t mapped = std::min(block->bytes, roundedUp(bytes, pool.granularity()));
    if (mapped > m_settings.capacity - m_reserved)
        return false;
    ++m_driverCalls;
    m_reserved += mapped;
    pool.unmapped.erase(block);
    block->mapped = true;
    if (mapped < block->bytes) {
        Block* rest = makeBlock(block->address + mapped, block->bytes - mapped, block->stream, pool);
        rest->expandable = true;
        rest->mapped = false;
        rest->previous = block;
        rest->next = block->next;
        if (rest->next)
            rest->next->previous = rest;
        block->next = rest;
        block->bytes = mapped;
        pool.unmapped.insert(rest);
    }
    merge(block, block->previous);
    merge(block, block->next);
    pool.free.insert(block);
    return true;
}

/// Takes a free neighbour in, which leaves its set.
void CachingAllocator::merge(Block* into, Block* other)
{
    if (!other || !other->idle() || other->mapped != into->mapped)
        return;
    into->address = std::min(into->address, other->address);
    into->bytes += other->bytes;
    if (other->mapped)
        other->pool->free.erase(other);
    else
        other->pool->unmapped.erase(other);
    drop(other);
}

/// Gives the whole pieces inside of a free block of an expandable segment back to the driver.
void CachingAllocator::unmap(Block* block)
{
    Pool& pool = *block->pool;
    Block* first = block;
    while (first->previous)
        first = first->previous;
    const std::uint64_t unit = pool.granularity(), base = first->address;
    const std::uint64_t begin = base + roundedUp(block->address - base, unit);
    const std::uint64_t end = base + (block->address + block->bytes - base) / unit * unit;
    if (begin >= end)
        return;
    pool.free.erase(block);
    const auto cut = [&](std::uint64_t address, std::uint64_t bytes, Block* before, Block* after) {
        Block* piece = makeBlock(address, bytes, block->stream, pool);
        piece->expandable = true;
        piece->previous = before;
        piece->next = after;
        if (before)
            before->next = piece;
        if (after)
            after->previous = piece;
        pool.free.insert(piece);
    };
    const std::uint64_t past = block->address + block->bytes;
    if (begin > block->address)
        cut(block->address, begin - block->address, block->previous, block);
    if (past > end)
        cut(end, past - end, block, block->next);
    block->address = begin;
    block->bytes = end - begin;
    block->mapped = false;
    m_reserved -= block->bytes;
    merge(block, block->previous);
    merge(block, block->next);
    pool.unmapped.insert(block);
}

void CachingAllocator::giveBack(Block* block)
{
    block->pool->free.erase(block);
    m_reserved -= block->bytes;
    m_blocks.erase(block);
}

/// With a limit on splits: the oversized blocks that are as large as the request, or several smaller ones.
bool CachingAllocator::flushOversized(const Request& request)
{
    if (m_settings.maxSplit == AllocatorSettings::kNoLimit)
        return false;
    auto& free = request.pool.free;
    Block key;
    key.stream = request.stream;
    key.bytes = std::max(request.size, m_settings.maxSplit);
    auto found = free.lower_bound(&key);
    if (found != free.end() && (*found)->stream == request.stream) {
        if (!(*found)->whole())
            return false;
        giveBack(*found);
        return true;
    }
    std::uint64_t given = 0;
    while (given < key.bytes && found != free.begin()) {
        --found;
        Block* block = *found;
        if (block->bytes < m_settings.maxSplit || block->stream != request.stream)
            break;
        if (!block->whole())
            continue;
        given += block->bytes;
        found = std::next(found);
        giveBack(block);
    }
    return given >= key.bytes;
}

void CachingAllocator::flush(Pool& pool)
{
    const std::vector<Block*> all(pool.free.begin(), pool.free.end());
    for (Block* block : all) {
        if (!block->expandable && block->whole())
            giveBack(block);
        if (!m_blocks.contains(block))
            continue;
        if (block->expandable)
            unmap(block);
        if (block->expandable && !block->mapped && block->whole()) {
            pool.unmapped.erase(block);
            m_blocks.erase(block);
        }
    }
}

void CachingAllocator::flush()
{
    flush(*m_large);
    flush(*m_small);
    ++m_flushes;
}

void CachingAllocator::emptyCache()
{
    flush(*m_large);
    flush(*m_small);
}

std::optional<OutOfMemory> CachingAllocator::allocate(std::uint64_t id, std::uint64_t bytes, std::uint32_t stream,
                                                      std::uint32_t category)
{
    if (bytes == 0 || m_held.contains(id))
        return std::nullopt;
    const std::uint64_t size = roundedSize(std::min(bytes, kMostBytes), m_settings.divisions);
    Request request{poolOf(size), size, stream};
    const bool there = takeCached(request) || takeSegment(request) ||
                       (flushOversized(request) && takeSegment(request)) || (flush(), takeSegment(request));
    if (!there)
        return OutOfMemory{bytes, m_settings.capacity - m_reserved, m_allocated, m_reserved - m_allocated,
                           largestFree()};
    Block* block = request.block;
    if (shouldSplit(block, size)) {
        Block* rest = makeBlock(block->address + size, block->bytes - size, stream, request.pool);
        rest->expandable = block->expandable;
        rest->previous = block;
        rest->next = block->next;
        if (rest->next)
            rest->next->previous = rest;
        block->next = rest;
        block->bytes = size;
        request.pool.free.insert(rest);
    }
    block->allocated = true;
    block->id = id;
    block->requested = bytes;
    block->category = category;
    m_held.emplace(id, block);
    m_allocated += block->bytes;
    m_active += block->bytes;
    m_requested += bytes;
    return std::nullopt;
}

bool CachingAllocator::requestFree(std::uint64_t id)
{
    const auto found = m_held.find(id);
    if (found == m_held.end() || !found->second->allocated)
        return false;
    Block* block = found->second;
    block->allocated = false;
    block->pending = true;
    m_allocated -= block->bytes;
    m_requested -= block->requested;
    return true;
}

bool CachingAllocator::completeFree(std::uint64_t id)
{
    const auto found = m_held.find(id);
    if (found == m_held.end() || !found->second->pending)
        return false;
    Block* block = found->second;
    m_held.erase(found);
    m_active -= block->bytes;
    block->pending = false;
    block->id = block->requested = 0;
    freeBlock(block);
    return true;
}

void CachingAllocator::freeBlock(Block* block)
{
    merge(block, block->previous);
    merge(block, block->next);
    block->pool->free.insert(block);
}

std::uint64_t CachingAllocator::largestFree() const
{
    std::uint64_t most = 0;
    for (const Pool* pool : {m_small.get(), m_large.get()})
        for (const Block* block : pool->free)
            most = std::max(most, block->bytes);
    return most;
}

std::optional<std::uint64_t> CachingAllocator::addressOf(std::uint64_t id) const
{
    const auto found = m_held.find(id);
    return found == m_held.end() ? std::nullopt : std::optional(found->second->address);
}

std::vector<AllocatorSegment> CachingAllocator::segments() const
{
    std::vector<AllocatorSegment> all;
    for (const auto& [block, owner] : m_blocks) {
        if (block->previous)
            continue;
        AllocatorSegment segment;
        segment.address = block->address;
        segment.stream = block->stream;
        segment.small = block->pool->small;
        segment.expandable = block->expandable;
        for (const Block* each = block; each; each = each->next) {
            using State = AllocatorBlock::State;
            const State state = !each->mapped     ? State::Unmapped
                                : each->allocated ? State::Allocated
                                : each->pending   ? State::PendingFree
                                                  : State::Free;
            segment.blocks.push_back({each->address, each->bytes, each->requested, each->id, state, each->category});
            segment.bytes += each->bytes;
        }
        all.push_back(std::move(segment));
    }
    std::sort(all.begin(), all.end(),
              [](const AllocatorSegment& a, const AllocatorSegment& b) { return a.address < b.address; });
    return all;
}

void CachingAllocator::expectSegment(std::uint64_t address, std::uint64_t bytes)
{
    m_expected.emplace_back(address, bytes);
}

Result<void> CachingAllocator::place(const AllocatorSegment& segment)
{
    const auto bad = [&](std::string message) {
        return Error{"bad-segment", std::move(message), "segment of " + std::to_string(segment.bytes) + " bytes",
                     "record the history from the start of the program"};
    };
    std::uint64_t at = segment.address;
    for (const AllocatorBlock& block : segment.blocks) {
        if (block.address != at || block.bytes == 0 || block.bytes > kMostBytes)
            return bad("its blocks do not lie one behind the other");
        at += block.bytes;
        if ((block.state == AllocatorBlock::State::Allocated || block.state == AllocatorBlock::State::PendingFree) &&
            m_held.contains(block.id))
            return bad("two blocks have the same name");
    }
    if (segment.blocks.empty() || at != segment.address + segment.bytes)
        return bad("its blocks do not fill it");
    if (segment.mapped() > m_settings.capacity - m_reserved)
        return bad("it is more than the GPU has left");
    Pool& pool = segment.small ? *m_small : *m_large;
    Block* previous = nullptr;
    for (const AllocatorBlock& each : segment.blocks) {
        Block* block = makeBlock(each.address, each.bytes, segment.stream, pool);
        block->expandable = segment.expandable;
        block->previous = previous;
        if (previous)
            previous->next = block;
        previous = block;
        block->mapped = each.state != AllocatorBlock::State::Unmapped;
        if (!block->mapped) {
            pool.unmapped.insert(block);
            continue;
        }
        m_reserved += each.bytes;
        if (each.state == AllocatorBlock::State::Free) {
            pool.free.insert(block);
            continue;
        }
        block->id = each.id;
        block->requested = each.requested;
        block->category = each.category;
        block->allocated = each.state == AllocatorBlock::State::Allocated;
        block->pending = !block->allocated;
        m_held.emplace(each.id, block);
        m_active += each.bytes;
        if (block->allocated) {
            m_allocated += each.bytes;
            m_requested += each.requested;
        }
    }
    return {};
}

} // namespace ridge::memory
