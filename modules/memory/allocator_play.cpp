// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/allocator.h"

#include <algorithm>

namespace ridge::memory {
namespace {

constexpr std::uint64_t kMostSamples = 20000;

/// Bytes of each category that the program holds.
class Tally {
public:
    explicit Tally(std::size_t categories) : m_bytes(std::max<std::size_t>(1, categories)) {}
    void add(std::uint64_t id, std::uint32_t category, std::uint64_t bytes)
    {
        const std::uint32_t known = category < m_bytes.size() ? category : 0;
        if (m_of.emplace(id, std::pair(known, bytes)).second)
            m_bytes[known] += bytes;
    }
    void remove(std::uint64_t id)
    {
        const auto found = m_of.find(id);
        if (found == m_of.end())
            return;
        m_bytes[found->second.first] -= found->second.second;
        m_of.erase(found);
    }
    const std::vector<std::uint64_t>& bytes() const { return m_bytes; }

private:
    std::vector<std::uint64_t> m_bytes;
    std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> m_of;
};

} // namespace

Result<AllocatorRun> play(const AllocatorHistory& history, const AllocatorSettings& settings, std::uint64_t until,
                          std::optional<CachingAllocator>* last)
{
    if (auto good = checkSettings(settings); !good)
        return good.error();
    CachingAllocator allocator(settings);
    Tally tally(history.categories.size());
    for (const AllocatorSegment& segment : history.begin) {
        if (auto placed = allocator.place(segment); !placed)
            return placed.error();
        for (const AllocatorBlock& block : segment.blocks)
            if (block.state == AllocatorBlock::State::Allocated)
                tally.add(block.id, block.category, block.bytes);
    }
    for (const auto& [address, bytes] : history.segments)
        allocator.expectSegment(address, bytes);

    AllocatorRun run;
    const std::uint64_t count = std::min<std::uint64_t>(
        history.events.size(), until < history.events.size() ? until + 1 : history.events.size());
    const std::uint64_t every = std::max<std::uint64_t>(1, (history.events.size() + kMostSamples - 1) / kMostSamples);
    std::optional<AllocatorSample> best; // of the events since the last sample that was kept
    const auto see = [&](std::uint64_t event) {
        run.reserved = std::max(run.reserved, allocator.reserved());
        if (allocator.allocated() > run.peak) {
            run.peak = allocator.allocated();
            run.peakRequested = allocator.requested();
            run.peakEvent = event;
            run.reservedAtPeak = allocator.reserved();
            run.peakByCategory = tally.bytes();
        }
        if (!best || allocator.allocated() > best->allocated)
            best = AllocatorSample{event, allocator.allocated(), allocator.reserved(), tally.bytes()};
        if ((event + 1) % every == 0 || event + 1 >= count) {
            run.samples.push_back(std::move(*best));
            best.reset();
        }
    };
    run.peakByCategory = tally.bytes();
    run.peak = allocator.allocated();
    run.peakRequested = allocator.requested();
    run.reserved = run.reservedAtPeak = allocator.reserved();
    using Kind = AllocatorEvent::Kind;
    for (std::uint64_t i = 0; i < count; ++i) {
        const AllocatorEvent& event = history.events[i];
        bool over = false;
        if (event.kind == Kind::Allocate || event.kind == Kind::Fail) {
            const std::uint64_t before = allocator.allocated();
            auto failed = allocator.allocate(event.id, event.bytes, event.stream, event.category);
            if (failed) {
                ++run.failures;
                if (!run.failure) {
                    run.failure = *failed;
                    run.failureEvent = i;
                }
                over = event.kind == Kind::Allocate;
            } else if (event.kind == Kind::Fail) {
                ++run.cured;
                allocator.free(event.id); // what the program would have done next is not in the history
            } else {
                tally.add(event.id, event.category, allocator.allocated() - before);
                if (event.recordedAddress != 0) {
                    ++run.compared;
                    run.sameAddress += allocator.addressOf(event.id) == event.recordedAddress;
                }
            }
        } else if (event.kind == Kind::RequestFree) {
            if (!allocator.requestFree(event.id))
                ++run.unknownFrees;
            tally.remove(event.id);
        } else if (event.kind == Kind::CompleteFree) {
            allocator.completeFree(event.id);
        } else {
            allocator.emptyCache();
        }
        if (event.recordedReserved != AllocatorEvent::kUnknown) {
            ++run.comparedReserved;
            run.sameReserved += allocator.reserved() == event.recordedReserved;
        }
        ++run.events;
        see(i);
        if (over)
            break; // the program ends here
    }
    if (best)
        run.samples.push_back(std::move(*best));
    run.driverCalls = allocator.driverCalls();
    run.flushes = allocator.flushes();
    if (last)
        *last = std::move(allocator);
    return run;
}

} // namespace ridge::memory
