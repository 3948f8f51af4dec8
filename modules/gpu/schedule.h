// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "gpu/host_model.h"

namespace ridge::gpu {

std::string_view toText(HostKind kind); ///< "pageable", "pinned", "write-combined", "managed"
/// Errors: "bad-value" with the legal ones.
Result<HostKind> hostKindFromText(std::string_view text);

/// Memory of the host, given back with its handle, which must not outlive the device. Managed memory is one address
/// for both sides; the CPU may touch it while no schedule runs.
class HostMemory {
public:
    virtual ~HostMemory() = default;
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    HostKind kind() const { return m_kind; }
    const std::string& label() const { return m_label; }
    std::span<std::byte> bytes() const { return m_bytes; }
    /// Managed memory as kernels see it; address 0 for the other kinds.
    DevicePtr device() const { return m_device; }

protected:
    HostMemory(HostKind kind, std::string label) : m_kind(kind), m_label(std::move(label)) {}
    HostKind m_kind;
    std::string m_label;
    std::span<std::byte> m_bytes;
    DevicePtr m_device;
};

/// A place in host memory.
struct HostPlace {
    const HostMemory* memory = nullptr;
    std::uint64_t offset = 0;
};

struct CopyIn {
    DevicePtr to;
    HostPlace from;
    std::uint64_t bytes = 0;
};
struct CopyOut {
    HostPlace to;
    DevicePtr from;
    std::uint64_t bytes = 0;
};
struct CopyWithin {
    DevicePtr to;
    DevicePtr from;
    std::uint64_t bytes = 0;
    const PeerMemory* peer = nullptr; ///< not null: `to` lies in it, on another GPU
};
/// Moves pages of managed memory to one side ahead of their use (cuMemPrefetchAsync).
struct Migrate {
    HostPlace what;
    std::uint64_t bytes = 0;
    bool toDevice = true;
};
struct RecordEvent {
    std::uint32_t event = 0;
};
struct WaitEvent {
    std::uint32_t event = 0;
};

/// One entry of a schedule. What shares a stream runs in order; streams order each other by events alone.
struct Operation {
    std::uint32_t stream = 0;
    std::variant<CopyIn, CopyOut, CopyWithin, Migrate, Step, RecordEvent, WaitEvent> what;
    std::string label; ///< in pictures: "in 3"
};
using Schedule = std::vector<Operation>;

inline constexpr std::uint32_t kMostStreams = 64;

struct ScheduleOptions {
    bool asGraph = false; ///< captured once, launched as one graph
    int repeats = 1;      ///< times are those of the middle one by device time; a simulator needs one
    int warmUps = 1;      ///< executions before, on a device whose time is measured
    bool timeline = true; ///< times of each operation; on a GPU each then has two events of its own
    /// The device begins only when everything has been handed over, so that the CPU's rate does not enter. Not with
    /// pageable memory, whose copies would wait for ever, and for at most kMostGated operations.
    bool gated = false;
    HostModel model; ///< what a simulator takes for the host; a GPU does not look at it
    /// Of a launch like those of the schedule, which must all be alike, with its timing: a simulator then does not time
    /// them again, which takes far longer than to execute them. A GPU does not look at it.
    const LaunchReport* timedBefore = nullptr;
};

/// Well below the thousand or so entries after which a driver blocks the CPU until the stream moves.
inline constexpr std::size_t kMostGated = 500;

/// Seconds. Device times count from the begin of the first operation, CPU times from the first call.
struct OperationTime {
    double begin = 0, end = 0;       ///< on the device
    double called = 0, returned = 0; ///< by the CPU; both 0 in a graph
};

struct ScheduleReport {
    bool timed = false;                           ///< false: executed on a target that has no clock for its kernels
    std::vector<OperationTime> operations;        ///< one each; empty without a timeline
    double deviceSeconds = 0;                     ///< from the first begin to the last end
    double wallSeconds = 0;                       ///< from the first call until the CPU knows that all is done
    double enqueueSeconds = 0;                    ///< of the CPU: from the first call to the return of the last
    std::vector<double> samples;                  ///< device seconds of every repeat
    int executions = 0;                           ///< how often everything ran, warm-ups included
    Provenance provenance = Provenance::Modelled; ///< of the times
    std::vector<std::string> assumptions;         ///< of modelled times
};

/// Errors: "bad-schedule" (names the operation): a stream or event out of range, an event that is waited for before it
/// is recorded, a copy that leaves its host memory, pages that are not managed, a step without program, a gate that
/// cannot be.
Result<void> checkSchedule(const Schedule& schedule, const ScheduleOptions& options, const std::string& place);

/// "operation 7 (copy out of 4096 B)"
std::string describeOperation(const Schedule& schedule, std::size_t index);

/// Executes a schedule on a simulator in the order of its list, which is a legal one, and tells its time by the host
/// model; `hasClock` says whether launches can be timed. Errors: those of the device.
Result<ScheduleReport> simulateSchedule(Device& device, const Schedule& schedule, const ScheduleOptions& options,
                                        bool hasClock);

} // namespace ridge::gpu
