// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/5-memory-systems/allocator_snapshot.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ridge::labs {
namespace {

using imports::TorchBlock;
using imports::TorchEvent;
using imports::TorchSegment;
using imports::TorchSnapshot;
using memory::AllocatorBlock;
using memory::AllocatorEvent;
using memory::AllocatorSegment;
using memory::kMiB;
using Action = TorchEvent::Action;

constexpr std::uint64_t kSmallSegment = 2 * kMiB, kLargePiece = 20 * kMiB;

/// What a program holds at some moment.
struct Held {
    std::uint64_t requested = 0, size = 0; ///< size 0: not known
    bool pending = false;
    std::uint32_t what = 0;
};

class Undo {
public:
    Undo(const TorchSnapshot& snapshot, std::uint32_t device) : m_snapshot(snapshot)
    {
        for (const TorchSegment& segment : snapshot.segments) {
            if (segment.device != device)
                continue;
            m_segments[segment.address] = segment;
            for (const TorchBlock& block : segment.blocks)
                if (block.state != TorchBlock::State::Inactive)
                    m_held[block.address] = {block.requested ? block.requested : block.size, block.size,
                                             block.state == TorchBlock::State::PendingFree, block.what};
        }
    }

    void event(const TorchEvent& event)
    {
        const std::uint64_t end = event.address + event.size;
        switch (event.action) {
        case Action::Alloc:
            m_held.erase(event.address);
            break;
        case Action::FreeCompleted:
            m_held[event.address] = {event.size, 0, true, event.what};
            break;
        case Action::FreeRequested:
            if (const auto found = m_held.find(event.address); found != m_held.end())
                found->second.pending = false;
            else
                m_held[event.address] = {event.size, 0, false, event.what};
            break;
        case Action::SegmentAlloc:
            m_segments.erase(event.address);
            break;
        case Action::SegmentFree: {
            TorchSegment segment;
            segment.address = event.address;
            segment.size = event.size;
            segment.stream = event.stream;
            segment.small = event.size <= kSmallSegment;
            m_segments[event.address] = segment;
            break;
        }
        case Action::SegmentMap: { // what was mapped is not there before; it may be a part of a longer range
            auto found = m_segments.upper_bound(event.address);
            if (found == m_segments.begin())
                break;
            --found;
            const TorchSegment whole = found->second;
            if (event.address >= whole.address + whole.size)
                break;
            m_segments.erase(found);
            if (whole.address < event.address)
                keep(whole, whole.address, event.address);
            if (end < whole.address + whole.size)
                keep(whole, end, whole.address + whole.size);
            break;
        }
        case Action::SegmentUnmap: {
            TorchSegment segment;
            segment.stream = event.stream;
            segment.small = event.size % kLargePiece != 0;
            segment.expandable = true;
            keep(segment, event.address, end);
            break;
        }
        case Action::OutOfMemory:
            break;
        }
    }

    std::uint64_t reserved() const
    {
        std::uint64_t sum = 0;
        for (const auto& [address, segment] : m_segments)
            sum += segment.size;
        return sum;
    }

    /// The segments as they were. Each held block gets its name from `names`.
    void place(RecordedHistory& out, std::map<std::uint64_t, std::uint64_t>& names, std::uint64_t& lastName)
    {
        std::map<std::pair<std::uint32_t, bool>, AllocatorSegment> ranges; // expandable ones, by stream and pool
        std::size_t placed = 0;
        for (const auto& [address, segment] : m_segments) {
            AllocatorSegment made;
            made.address = address;
            made.bytes = segment.size;
            made.stream = segment.stream;
            made.small = segment.small;
            made.expandable = segment.expandable;
            placed += fill(made, names, lastName);
            if (!segment.expandable) {
                out.history.begin.push_back(std::move(made));
                continue;
            }
            AllocatorSegment& range = ranges[{segment.stream, segment.small}];
            if (range.blocks.empty()) {
                range = std::move(made);
                continue;
            }
            const std::uint64_t end = range.address + range.bytes;
            if (end < address)
                range.blocks.push_back({end, address - end, 0, 0, AllocatorBlock::State::Unmapped, 0});
            for (const AllocatorBlock& block : made.blocks)
                range.blocks.push_back(block);
            range.bytes = address + segment.size - range.address;
        }
        for (auto& [key, range] : ranges) { // room to grow: more than any GPU has
            constexpr std::uint64_t kRoom = std::uint64_t{1} << 40;
            const std::uint64_t end = range.address + range.bytes;
            const std::uint64_t room = kRoom / kLargePiece * kLargePiece;
            range.blocks.push_back({end, room, 0, 0, AllocatorBlock::State::Unmapped, 0});
            range.bytes += room;
            out.history.begin.push_back(std::move(range));
        }
        out.unplaced = m_held.size() - placed;
        out.whole = m_held.empty() && m_segments.empty();
    }

private:
    void keep(const TorchSegment& like, std::uint64_t begin, std::uint64_t end)
    {
        TorchSegment part = like;
        part.address = begin;
        part.size = end - begin;
        part.blocks.clear();
        if (part.size > 0)
            m_segments[begin] = std::move(part);
    }

    /// Blocks of a segment in order: what is held, and the free ones between. A rest that the allocator would not have
    /// cut off belongs to the block before it.
    std::size_t fill(AllocatorSegment& segment, std::map<std::uint64_t, std::uint64_t>& names, std::uint64_t& lastName)
    {
        const std::uint64_t end = segment.address + segment.bytes;
        std::uint64_t at = segment.address;
        std::size_t placed = 0;
        const auto free = [&](std::uint64_t until) {
            if (until <= at)
                return;
            const std::uint64_t least = segment.small || segment.expandable ? 512 : kMiB + 1;
            if (!segment.blocks.empty() && until - at < least)
                segment.blocks.back().bytes += until - at;
            else
                segment.blocks.push_back({at, until - at, 0, 0, AllocatorBlock::State::Free, 0});
            at = until;
        };
        for (auto held = m_held.lower_bound(segment.address); held != m_held.end() && held->first < end; ++held) {
            const auto& [address, what] = *held;
            const std::uint64_t size =
                what.size ? what.size : memory::roundedSize(what.requested, m_snapshot.divisions);
            if (address < at || size > end - address)
                continue; // lies within another: the snapshot contradicts itself there
            free(address);
            segment.blocks.push_back(
                {address, size, what.requested, ++lastName,
                 what.pending ? AllocatorBlock::State::PendingFree : AllocatorBlock::State::Allocated, what.what});
            names[address] = lastName;
            at = address + size;
            ++placed;
        }
        free(end);
        return placed;
    }

    const TorchSnapshot& m_snapshot;
    std::map<std::uint64_t, TorchSegment> m_segments;
    std::map<std::uint64_t, Held> m_held;
};

} // namespace

Result<RecordedHistory> historyOf(const TorchSnapshot& snapshot, std::uint32_t device)
{
    static const std::vector<TorchEvent> none;
    const std::vector<TorchEvent>& events = device < snapshot.traces.size() ? snapshot.traces[device] : none;
    const bool segments = std::any_of(snapshot.segments.begin(), snapshot.segments.end(),
                                      [&](const TorchSegment& each) { return each.device == device; });
    if (events.empty() && !segments)
        return Error{"bad-value", "the snapshot has nothing of device " + std::to_string(device), "parameter device",
                     "name a GPU that the program used, from 0 on"};
    RecordedHistory out;
    Undo undo(snapshot, device);
    for (auto event = events.rbegin(); event != events.rend(); ++event)
        undo.event(*event);
    std::uint64_t lastName = 0, reserved = undo.reserved();
    std::map<std::uint64_t, std::uint64_t> names; // of what is held, by address
    undo.place(out, names, lastName);

    // A frame is a text; what it says of the place is a category.
    const std::vector<std::string> places{"other", "forward", "backward", "optimizer"};
    out.history.categories = places;
    std::vector<std::uint32_t> category(snapshot.frames.size());
    out.history.texts.clear();
    for (std::size_t i = 0; i < snapshot.frames.size(); ++i) {
        out.history.texts.push_back(snapshot.frames[i].text);
        const auto found = std::find(places.begin(), places.end(), snapshot.frames[i].place);
        category[i] = found == places.end() ? 0 : static_cast<std::uint32_t>(found - places.begin());
    }
    for (AllocatorSegment& segment : out.history.begin)
        for (AllocatorBlock& block : segment.blocks)
            block.category = category[block.category];

    using Kind = AllocatorEvent::Kind;
    bool given = false; // segments went back to the driver, and nothing was asked for since
    const auto add = [&](Kind kind, std::uint64_t id, const TorchEvent& from) {
        AllocatorEvent event;
        event.kind = kind;
        event.id = id;
        event.bytes = from.size;
        event.stream = from.stream;
        event.what = from.what;
        event.category = category[from.what];
        event.recordedReserved = reserved;
        event.recordedAddress = kind == Kind::Allocate && !snapshot.expandable ? from.address : 0;
        out.history.events.push_back(event);
    };
    bool newSegment = false;
    // A flush says that one more segment would have been too much; the most that was reserved says what was not.
    // Segments that went back though there was room were not flushed: the program emptied its cache and then asked for
    // more.
    std::uint64_t most = reserved;
    for (std::uint64_t now = reserved; const TorchEvent& event : events) {
        if (event.action == Action::SegmentAlloc || event.action == Action::SegmentMap)
            most = std::max(most, now += event.size);
        else if (event.action == Action::SegmentFree || event.action == Action::SegmentUnmap)
            now -= std::min(now, event.size);
    }
    std::uint64_t before = 0, tooMuch = 0;
    std::optional<std::uint64_t> emptied; // what was reserved then
    for (const TorchEvent& event : events) {
        switch (event.action) {
        case Action::SegmentFree:
        case Action::SegmentUnmap:
            before = given ? before : reserved;
            given = true;
            reserved -= std::min(reserved, event.size);
            continue;
        case Action::SegmentAlloc:
            out.history.segments.emplace_back(event.address, event.size);
            [[fallthrough]];
        case Action::SegmentMap:
            if (given && !newSegment && before + event.size <= most)
                emptied = reserved;
            else if (given && !newSegment)
                tooMuch = tooMuch == 0 ? before + event.size : std::min(tooMuch, before + event.size);
            newSegment = true;
            reserved += event.size;
            continue;
        default:
            break;
        }
        if (given && (!newSegment || emptied) && event.action != Action::OutOfMemory) { // nobody was short
            const std::uint64_t now = reserved;
            reserved = emptied.value_or(now);
            add(Kind::EmptyCache, 0, {});
            reserved = now;
        }
        given = newSegment = false;
        emptied.reset();
        switch (event.action) {
        case Action::Alloc:
            names[event.address] = ++lastName;
            add(Kind::Allocate, lastName, event);
            break;
        case Action::FreeRequested:
        case Action::FreeCompleted: {
            const auto found = names.find(event.address);
            if (found == names.end())
                break;
            add(event.action == Action::FreeRequested ? Kind::RequestFree : Kind::CompleteFree, found->second, event);
            if (event.action == Action::FreeCompleted)
                names.erase(found);
            break;
        }
        default:
            add(Kind::Fail, ++lastName, event);
            if (event.address > 0)
                out.capacity = std::max(out.capacity, reserved + event.address);
            break;
        }
    }
    if (out.capacity == 0 && tooMuch > 0)
        out.capacity = std::max(most, tooMuch - 1);
    return out;
}

} // namespace ridge::labs
