// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/schedule.h"

#include <set>

namespace ridge::gpu {

namespace {

constexpr std::array<std::string_view, 4> kKinds{"pageable", "pinned", "write-combined", "managed"};
constexpr std::size_t kMostOperations = 1u << 17;
constexpr std::uint32_t kMostEvents = 1u << 16;

struct Checker {
    const Schedule& schedule;
    const ScheduleOptions& options;
    const std::string& place;
    std::set<std::uint32_t> recorded{};
    std::size_t index = 0;

    Error bad(const std::string& what, const std::string& fix) const
    {
        return Error{"bad-schedule", describeOperation(schedule, index) + " " + what, place, fix};
    }

    Result<void> inside(const HostPlace& host, std::uint64_t bytes) const
    {
        if (host.memory == nullptr)
            return bad("names no host memory", "allocate it with allocateHost()");
        const std::uint64_t all = host.memory->bytes().size();
        if (host.offset > all || bytes > all - host.offset)
            return bad("leaves host memory '" + host.memory->label() + "' of " + std::to_string(all) + " B at offset " +
                           std::to_string(host.offset),
                       "copy no more than it holds");
        if (options.gated && host.memory->kind() == HostKind::Pageable)
            return bad("copies pageable memory behind a gate: the call waits for a stream that waits for the call",
                       "use pinned memory, or no gate");
        return {};
    }

    Result<void> operator()(const CopyIn& copy) const { return inside(copy.from, copy.bytes); }
    Result<void> operator()(const CopyOut& copy) const { return inside(copy.to, copy.bytes); }
    Result<void> operator()(const CopyWithin&) const { return {}; }
    Result<void> operator()(const Migrate& migrate) const
    {
        if (auto held = inside(migrate.what, migrate.bytes); !held)
            return held;
        if (migrate.what.memory->kind() != HostKind::Managed)
            return bad("moves pages of memory that is not managed", "allocate it as managed memory, or copy it");
        return {};
    }
    Result<void> operator()(const Step& step) const
    {
        if (step.program == nullptr)
            return bad("has no program", "give the loaded program of its kernel");
        return {};
    }
    Result<void> operator()(const RecordEvent& record)
    {
        if (record.event >= kMostEvents)
            return bad("records event " + std::to_string(record.event),
                       "number events from 0 to " + std::to_string(kMostEvents - 1));
        recorded.insert(record.event);
        return {};
    }
    Result<void> operator()(const WaitEvent& wait) const
    {
        if (!recorded.contains(wait.event))
            return bad("waits for event " + std::to_string(wait.event) + ", which nothing before it records",
                       "record the event earlier in the list; a driver would not wait at all");
        return {};
    }
};

} // namespace

std::string_view toText(HostKind kind)
{
    return kKinds[static_cast<std::size_t>(kind)];
}

Result<HostKind> hostKindFromText(std::string_view text)
{
    for (std::size_t i = 0; i < kKinds.size(); ++i)
        if (kKinds[i] == text)
            return static_cast<HostKind>(i);
    return Error{"bad-value", "'" + std::string(text) + "' is no kind of host memory", "",
                 "use pageable, pinned, write-combined or managed"};
}

std::string describeOperation(const Schedule& schedule, std::size_t index)
{
    const Operation& operation = schedule[index];
    struct Words {
        std::string operator()(const CopyIn& copy) const { return "copy in of " + std::to_string(copy.bytes) + " B"; }
        std::string operator()(const CopyOut& copy) const { return "copy out of " + std::to_string(copy.bytes) + " B"; }
        std::string operator()(const CopyWithin& copy) const
        {
            return "copy within the device of " + std::to_string(copy.bytes) + " B";
        }
        std::string operator()(const Migrate& move) const
        {
            return "prefetch of " + std::to_string(move.bytes) + " B to the " + (move.toDevice ? "GPU" : "host");
        }
        std::string operator()(const Step& step) const { return "kernel '" + step.launch.kernel + "'"; }
        std::string operator()(const RecordEvent& record) const
        {
            return "record of event " + std::to_string(record.event);
        }
        std::string operator()(const WaitEvent& wait) const { return "wait for event " + std::to_string(wait.event); }
    };
    return "operation " + std::to_string(index) + " (" + std::visit(Words{}, operation.what) + ")";
}

Result<void> checkSchedule(const Schedule& schedule, const ScheduleOptions& options, const std::string& place)
{
    if (schedule.empty() || schedule.size() > kMostOperations)
        return Error{"bad-schedule", "a schedule has " + std::to_string(schedule.size()) + " operations", place,
                     "give 1 to " + std::to_string(kMostOperations)};
    if (options.repeats < 1 || options.warmUps < 0)
        return Error{"bad-schedule", "a schedule is to run " + std::to_string(options.repeats) + " times", place,
                     "ask for at least one repeat and no negative number of warm-ups"};
    if (options.gated && schedule.size() > kMostGated)
        return Error{"bad-schedule",
                     std::to_string(schedule.size()) +
                         " operations cannot wait behind a gate: the driver's queue would "
                         "fill up and block the CPU that is to open it",
                     place, "gate at most " + std::to_string(kMostGated) + ", or use a graph"};
    Checker checker{schedule, options, place};
    for (; checker.index < schedule.size(); ++checker.index) {
        if (schedule[checker.index].stream >= kMostStreams)
            return checker.bad("is on stream " + std::to_string(schedule[checker.index].stream),
                               "number streams from 0 to " + std::to_string(kMostStreams - 1));
        if (auto legal = std::visit(checker, schedule[checker.index].what); !legal)
            return legal;
    }
    return {};
}

Result<std::unique_ptr<HostMemory>> Device::allocateHost(std::uint64_t, HostKind, std::string_view)
{
    return Error{"no-schedule", info().name + " has no host side", info().target, "use a GPU or a simulated chip"};
}

Result<ScheduleReport> Device::runSchedule(const std::vector<Operation>&, const ScheduleOptions&)
{
    return Error{"no-schedule", info().name + " has no streams", info().target, "use a GPU or a simulated chip"};
}

} // namespace ridge::gpu
