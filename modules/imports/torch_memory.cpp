// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/lines.h"
#include "imports/pickle.h"
#include "imports/readers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Make it with torch.cuda.memory._dump_snapshot(\"memory.pickle\")";

/// What the caching allocator of one device holds. Bytes.
struct Pool {
    double reserved = 0, allocated = 0, active = 0, requested = 0;
    double cached = 0, largestCached = 0; ///< free inside reserved segments
    std::size_t segments = 0, blocks = 0;
};

/// Highest allocation that the recorded history reaches. The history is a ring that forgets its beginning, so it is
/// walked back from what is allocated at its end.
struct History {
    double peak = 0;
    std::size_t events = 0, outOfMemory = 0;
};

Result<void> addSegment(const Pickle& pickle, Pickle::Id segment, const std::string& name, std::map<int, Pool>& pools)
{
    const Pickle::Id size = pickle.at(segment, "total_size");
    if (size == Pickle::none())
        return badImport(name, 0, "A segment has no total_size", kHow);
    Pool& pool = pools[static_cast<int>(pickle.number(pickle.at(segment, "device")))];
    pool.reserved += pickle.number(size);
    pool.allocated += pickle.number(pickle.at(segment, "allocated_size"));
    pool.active += pickle.number(pickle.at(segment, "active_size"));
    ++pool.segments;
    for (const Pickle::Id block : pickle.items(pickle.at(segment, "blocks"))) {
        const double bytes = pickle.number(pickle.at(block, "size"));
        const std::string_view state = pickle.text(pickle.at(block, "state"));
        ++pool.blocks;
        if (state == "inactive") {
            pool.cached += bytes;
            pool.largestCached = std::max(pool.largestCached, bytes);
        } else if (state == "active_allocated") {
            const Pickle::Id asked = pickle.at(block, "requested_size");
            pool.requested += asked == Pickle::none() ? bytes : pickle.number(asked);
        }
    }
    return {};
}

History historyOf(const Pickle& pickle, Pickle::Id events, double allocatedAtEnd)
{
    History history;
    double level = allocatedAtEnd;
    history.peak = level;
    const auto& items = pickle.items(events);
    history.events = items.size();
    for (auto event = items.rbegin(); event != items.rend(); ++event) {
        const std::string_view action = pickle.text(pickle.at(*event, "action"));
        const double bytes = pickle.number(pickle.at(*event, "size"));
        if (action == "alloc")
            level -= bytes;
        else if (action == "free_requested")
            level += bytes;
        else if (action == "oom")
            ++history.outOfMemory;
        history.peak = std::max(history.peak, level);
    }
    return history;
}

void addFigures(FigureList& figures, int device, const Pool& pool)
{
    const std::string of = "device " + std::to_string(device);
    figures.add("reserved", pool.reserved, "B", of, 0);
    figures.add("allocated", pool.allocated, "B", of, 0);
    figures.add("active", pool.active, "B", of, 0);
    figures.add("lost to rounding", std::max(0.0, pool.allocated - pool.requested), "B", of, 0);
    figures.add("cached and free", pool.cached, "B", of, 0);
    figures.add("largest free block", pool.largestCached, "B", of, 0);
    if (pool.cached > 0)
        figures.add("fragmentation, 1 - largest free block / free", 100 * (1 - pool.largestCached / pool.cached), "%",
                    of, 0);
    figures.add("segments", static_cast<double>(pool.segments), "1", of, 0);
    figures.add("blocks", static_cast<double>(pool.blocks), "1", of, 0);
}

} // namespace

bool looksLikeTorchMemory(std::string_view bytes)
{
    return bytes.size() > 2 && bytes[0] == '\x80' && static_cast<unsigned char>(bytes[1]) <= 5 &&
           bytes.find("segments") != std::string_view::npos;
}

Result<Imported> readTorchMemory(std::string_view bytes, const std::string& name)
{
    auto pickle = Pickle::parse(bytes, name);
    if (!pickle)
        return pickle.error();
    const Pickle::Id segments = pickle->at(pickle->root(), "segments");
    if (pickle->kind(segments) != Pickle::Kind::List)
        return badImport(name, 0, "The pickle has no list \"segments\"", kHow);
    std::map<int, Pool> pools;
    for (const Pickle::Id segment : pickle->items(segments))
        if (auto added = addSegment(*pickle, segment, name, pools); !added)
            return added.error();
    Imported imported;
    imported.kind = "profile";
    {
        FigureList figures(imported);
        for (const auto& [device, pool] : pools)
            addFigures(figures, device, pool);
        const auto& traces = pickle->items(pickle->at(pickle->root(), "device_traces"));
        for (std::size_t device = 0; device < traces.size(); ++device) {
            const auto pool = pools.find(static_cast<int>(device));
            const History history =
                historyOf(*pickle, traces[device], pool == pools.end() ? 0 : pool->second.allocated);
            if (history.events == 0)
                continue;
            const std::string of = "device " + std::to_string(device);
            figures.add("peak allocated in the recorded history", history.peak, "B", of, 0);
            figures.add("events in the history", static_cast<double>(history.events), "1", of, 0);
            figures.add("out of memory", static_cast<double>(history.outOfMemory), "1", of, 0);
        }
    }
    if (imported.figures.empty())
        return badImport(name, 0, "The snapshot has no segment and no history",
                         "Take it while the process holds memory on the GPU");
    imported.title = "Memory of " + counted(std::max<std::size_t>(pools.size(), 1), "device") + " as PyTorch saw it";
    return imported;
}

} // namespace ridge::imports
