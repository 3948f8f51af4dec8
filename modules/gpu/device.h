// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/protocol.h"
#include "base/regime.h"
#include "base/step_trace.h"
#include "base/trace.h"
#include "gpu/program.h"
#include "gpu/report.h"
#include "gpu/timing_report.h"

#include <functional>
#include <memory>
#include <span>

namespace ridge::gpu {

struct Dim3 {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    bool operator==(const Dim3&) const = default;
};

/// A device address as kernels see it.
struct DevicePtr {
    std::uint64_t address = 0;
};

/// A matrix in device memory and the tile of it that one bulk tensor copy moves.
struct TensorTile {
    DevicePtr matrix;               ///< aligned to 16 bytes
    std::uint32_t elementBytes = 4; ///< 1, 2, 4 or 8
    std::uint64_t columns = 0, rows = 0;
    std::uint64_t rowBytes = 0;                  ///< from one row to the next, a multiple of 16
    std::uint32_t tileColumns = 0, tileRows = 0; ///< at most 256 each; a row of the tile is a multiple of 16 bytes
};

/// What a kernel takes as its __grid_constant__ CUtensorMap: opaque, and of use on the device alone that made it.
struct TensorMapArg {
    std::array<std::byte, 128> bytes{};
};

/// fp16 and bf16 values are passed as the 16 bits they have.
using KernelArg = std::variant<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, DevicePtr,
                               std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, TensorMapArg>;

struct Launch {
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    std::uint32_t dynamicSharedBytes = 0;
    std::vector<KernelArg> args;
    Dim3 cluster{0, 0, 0};           ///< blocks of a cluster; 0: what the kernel says, else one
    bool nonPortableCluster = false; ///< more than 8 blocks, as cudaFuncAttributeNonPortableClusterSizeAllowed
};

/// Event counts of one launch, exact, with the names and meanings of docs/counters.md.
struct Counters {
    std::uint64_t instExecuted = 0;       ///< warp instructions
    std::uint64_t threadInstExecuted = 0; ///< thread instructions (active lanes)
    std::uint64_t globalLoadRequests = 0; ///< warp-level global load instructions with an active lane
    std::uint64_t globalLoadSectors = 0;  ///< distinct 32 B sectors, summed over requests
    std::uint64_t globalLoadLines = 0;    ///< distinct 128 B lines, summed over requests
    std::uint64_t globalLoadBytes = 0;    ///< bytes that lanes asked for
    std::uint64_t globalStoreRequests = 0;
    std::uint64_t globalStoreSectors = 0;
    std::uint64_t globalStoreLines = 0;
    std::uint64_t globalStoreBytes = 0;
    std::uint64_t sharedLoadRequests = 0;
    std::uint64_t sharedLoadWavefronts = 0;
    std::uint64_t sharedLoadMinimumWavefronts = 0; ///< had no two lanes met in a bank
    std::uint64_t sharedStoreRequests = 0;
    std::uint64_t sharedStoreWavefronts = 0;
    std::uint64_t sharedStoreMinimumWavefronts = 0;
    std::uint64_t divergentBranches = 0; ///< branches that split a warp
    std::uint64_t barriers = 0;          ///< warp-level barrier instructions
    std::uint64_t clusterRequests = 0;   ///< accesses to the shared memory of another block of the cluster
    std::uint64_t clusterBytes = 0;      ///< bytes that their lanes asked for, and bulk copies between blocks moved
    std::uint64_t bulkCopies = 0;        ///< cp.async.bulk with and without tensors, once a thread that issues it
    std::uint64_t bulkLoadBytes = 0;     ///< that they read from global memory; a multicast counts once
    std::uint64_t bulkStoreBytes = 0;    ///< that they wrote to global memory
    std::uint64_t wgmmaSharedBytes = 0;  ///< operands that wgmma read in shared memory; B once for four warps
};

/// Every counter, to add reports up.
inline constexpr std::uint64_t Counters::*kCounters[] = {&Counters::instExecuted,
                                                         &Counters::threadInstExecuted,
                                                         &Counters::globalLoadRequests,
                                                         &Counters::globalLoadSectors,
                                                         &Counters::globalLoadLines,
                                                         &Counters::globalLoadBytes,
                                                         &Counters::globalStoreRequests,
                                                         &Counters::globalStoreSectors,
                                                         &Counters::globalStoreLines,
                                                         &Counters::globalStoreBytes,
                                                         &Counters::sharedLoadRequests,
                                                         &Counters::sharedLoadWavefronts,
                                                         &Counters::sharedLoadMinimumWavefronts,
                                                         &Counters::sharedStoreRequests,
                                                         &Counters::sharedStoreWavefronts,
                                                         &Counters::sharedStoreMinimumWavefronts,
                                                         &Counters::divergentBranches,
                                                         &Counters::barriers,
                                                         &Counters::clusterRequests,
                                                         &Counters::clusterBytes,
                                                         &Counters::bulkCopies,
                                                         &Counters::bulkLoadBytes,
                                                         &Counters::bulkStoreBytes,
                                                         &Counters::wgmmaSharedBytes};

/// Time of an arm over that of the first one, sample by sample: the arms take turns, so that what drifts in a pair is
/// in both of its times.
struct PairedRatio {
    double median = 0; ///< of the pairs' ratios, not the ratio of the medians
    double iqr = 0;
    int pairs = 0;
};

/// Statistics of a timed series of launches.
struct Timing {
    double medianSeconds = 0;
    double iqrSeconds = 0;
    double minSeconds = 0;
    int samples = 0;
    std::string validity; ///< "valid", "too few samples", "throttled", "contended" …
    double p95Seconds = 0;
    std::optional<double> smClockHz; ///< median of what NVML saw while timing
    std::optional<double> watts;     ///< likewise, or where `joules` were counted the mean over that time
    /// Of one sequence, board and memory, idle parts included, from the GPU's own counter over the time that
    /// TimingRequest::budgetSeconds asked for; only where that was kEnergySeconds or more and the GPU has a counter.
    std::optional<double> joules{};
    std::optional<PairedRatio> toFirst{}; ///< of every arm but the first of a comparison
};

/// The counter of energy moves in steps of some 0.1 s: over less time it says nothing.
inline constexpr double kEnergySeconds = 2;

/// Whether a simulator times a representative part of a launch in place of all of it.
enum class Estimate : std::uint8_t {
    Never,  ///< all of it, but for the waves that TimingOptions::budget leaves out
    Auto,   ///< a part, where all of it is much work and one block does what the other does
    Always, ///< a part; "not-estimable" where blocks differ
};

/// How a simulator with a clock runs a launch.
struct TimingOptions {
    unsigned threads = 0; ///< of the host; 0: RIDGE_SIM_THREADS, else one for each processor. Never changes a result
    /// Machine instructions after which whole waves are extrapolated (0: never). The rest still runs functionally.
    std::uint64_t budget = 10'000'000;
    Estimate estimate = Estimate::Never;
    /// Results are not asked for: where a part is timed, the rest is not executed, and memory stays as it was.
    bool timeOnly = false;
    std::uint64_t firstEventCycle = 0; ///< window of events …
    std::uint64_t endEventCycle = ~std::uint64_t{0};
    std::size_t eventCapacity = 0; ///< … of which the last this many are kept, 16 bytes each; 0: none
    /// Not 0: events of SMs 0 … n − 1 alone, kept from the start of the window until the capacity is used up, with
    /// every warp state (else those that follow from an issue are left out), and a finer timeline.
    std::uint32_t watchSms = 0;
};

struct LaunchOptions {
    std::size_t traceRequests = 0; ///< keep the first n global and shared requests of the launch (0: none)
    bool traceShared = true;       ///< keep requests to shared memory
    bool traceGlobal = true;       ///< keep requests to global memory
    bool timing = false;           ///< simulate time as well, where the target has a chip file; functional only if not
    TimingOptions timingOptions{};
    /// What stops the kernel comes back as a fatal Report beside the counters so far, instead of as an Error.
    bool faultsAsReports = false;
    /// Watches for reads of what nobody wrote, races in shared memory and divergent barriers; about ten times slower.
    /// Targets that cannot watch ignore it, and so do launches with timing.
    bool check = false;
    bool checkGlobalRaces = false; ///< with check: races between blocks, too
    /// Keep what every instruction of one block did, at most so many steps (0: none). A simulator's functional launches
    /// alone, and not beside `check`.
    std::size_t traceSteps = 0;
    std::uint32_t stepsBlock = 0; ///< linear index
    /// Time this launch, alone and cold: caches are flushed, nothing is kept in L2 for it, the whole device has come to
    /// rest before and after. On a simulator with a chip file as `timing`. LaunchReport::alone has the result.
    bool timeAlone = false;
    /// Keep requests of this block (linear index) alone. With timing the blocks of a launch take turns.
    std::optional<std::uint32_t> traceBlock{};
    /// Warp instructions and, with timing, simulated cycles after which a simulator ends the launch, soon after at the
    /// latest ("instruction-limit", "cycle-limit"); 0: any number.
    std::uint64_t mostInstructions = 0;
    std::uint64_t mostCycles = 0;
};

/// The time of one launch (LaunchOptions::timeAlone).
struct LaunchTime {
    double seconds = 0;                  ///< by the device's clock
    std::optional<double> wallSeconds{}; ///< by the host's, until the whole device was at rest; where it can differ
};

/// What one launch told. A target fills in what it can know: a simulator counts, a GPU times.
struct LaunchReport {
    std::optional<Counters> counters;
    std::optional<MemoryTrace> trace;
    std::optional<StepTrace> steps;
    /// What detectors found, at most 64 different ones (code and instruction). A fatal one is the last.
    std::vector<Report> reports;
    std::optional<TimingReport> timing;    ///< only where LaunchOptions::timing asked for it
    std::optional<LaunchTime> alone;       ///< only where LaunchOptions::timeAlone asked for it
    std::uint32_t registersPerThread = 0;  ///< as the driver compiled the kernel; 0: not known
    std::uint32_t residentBlocksPerSm = 0; ///< of this launch, as the driver counts them; 0: not known
    std::string printed;     ///< by printf in the kernel, in the order of execution; at most 1 MiB on a simulator
    bool printedCut = false; ///< there was more
};

struct DeviceInfo {
    std::string target; ///< "gpu:0", "sim:h100-sxm"
    std::string name;   ///< "NVIDIA H200", "H100 SXM5 80GB (simulated)"
    std::string chip;   ///< id in the chip catalogue, empty when unknown
    int computeMajor = 0;
    int computeMinor = 0;
    std::uint32_t smCount = 0;
    std::uint64_t globalBytes = 0;
    std::uint64_t l2Bytes = 0;         ///< 0: unknown
    double memoryBytesPerSecond = 0;   ///< pin bandwidth, 0: unknown
    double boostClockHz = 0;           ///< 0: unknown
    double hostLinkBytesPerSecond = 0; ///< nominal, one direction; 0: unknown
    bool checksBounds = false;         ///< an access outside a buffer is an error here, not a silent one
    bool countsOnly = false;           ///< a profiler counts each launch: launch the work itself and nothing beside it
    Provenance provenance = Provenance::Simulated;
    JsonValue fingerprint; ///< object, machine-readable, no personal data
};

/// gpu::compile() for this device: on a GPU with machine code, where the compiler can make it.
inline Result<Program> compile(const KernelSource& source, const DeviceInfo& device, CompileOptions options)
{
    options.machineCode = device.provenance == Provenance::Measured;
    return compile(source, device.computeMajor, device.computeMinor, options);
}

/// Called now and then from long work, at least every 50 ms of it; true asks it to stop.
using StopRequested = std::function<bool()>;

/// A loaded program on a device.
class LoadedProgram {
public:
    virtual ~LoadedProgram() = default;
    virtual const Program& program() const = 0;
};

/// A launch of a loaded program, and launches that together do a piece of work once, in order.
struct Step {
    const LoadedProgram* program = nullptr;
    Launch launch;
};
using Sequence = std::vector<Step>;

/// One of the things that a timing compares.
struct Arm {
    std::string name;
    std::vector<Sequence> sets; ///< the same work on different buffers, taken in turn so that no cache holds them
};

struct TimingRequest {
    double budgetSeconds = 0; ///< of sampling, for each arm; 0: what the regime of the device says
};

/// Device memory of another GPU that this one reaches without the host; given back with its handle.
class PeerMemory {
public:
    virtual ~PeerMemory() = default;
    PeerMemory() = default;
    PeerMemory(const PeerMemory&) = delete;
    PeerMemory& operator=(const PeerMemory&) = delete;
    virtual const std::string& owner() const = 0; ///< "gpu:1, NVIDIA H200"
    virtual DevicePtr address() const = 0;
    virtual std::uint64_t bytes() const = 0;
    virtual Result<void> write(std::span<const std::byte> from, std::uint64_t offset) = 0;
    virtual Result<void> read(std::span<std::byte> to, std::uint64_t offset) const = 0;
};

// Host memory, streams and graphs: gpu/schedule.h. Work of a vendor's libraries: gpu/reference.h.
enum class HostKind : int { Pageable, Pinned, WriteCombined, Managed };
class HostMemory;
struct Operation;
struct ScheduleOptions;
struct ScheduleReport;
struct ReferenceWork;

/// One executing target. Single-threaded use. Errors carry codes: "out-of-memory", "launch-failed",
/// "out-of-bounds", "misaligned", "cancelled", "time-limit", "instruction-limit", "cycle-limit",
/// "unsupported-instruction", "kernel-not-found", "bad-launch" (limits: names the resource and the legal value),
/// "barrier-deadlock", "never-resident" and "no-progress" (blocks that wait for each other for ever), "no-timing",
/// "bad-schedule", "no-schedule".
class Device {
public:
    virtual ~Device() = default;
    virtual const DeviceInfo& info() const = 0;

    virtual Result<std::unique_ptr<LoadedProgram>> load(const Program& program) = 0;
    /// Zero-filled on the simulator, undefined content on a GPU. `label` names the buffer in reports and traces.
    virtual Result<DevicePtr> allocate(std::uint64_t bytes, std::string_view label) = 0;
    virtual Result<void> free(DevicePtr ptr) = 0;
    virtual Result<void> copyToDevice(DevicePtr to, std::span<const std::byte> from) = 0;
    virtual Result<void> copyToHost(std::span<std::byte> to, DevicePtr from) = 0;
    /// The map of a tile for bulk tensor copies; elements outside the matrix are read as zeros. Errors:
    /// "bad-tensor-map" (what of the tile is not legal), "unsupported-instruction" (the device has no such copies),
    /// "driver-too-old".
    virtual Result<TensorMapArg> tensorMap(const TensorTile&)
    {
        return Error{"unsupported-instruction", info().name + " has no bulk tensor copies", info().target,
                     "use a GPU of compute capability 9.0 or newer, or sim:h100-sxm"};
    }
    /// Runs to completion. The stop callback given to the device's factory is polled.
    virtual Result<LaunchReport> launch(const LoadedProgram& program, const Launch& launch,
                                        const LaunchOptions& options) = 0;
    /// Times sequences by the measuring contract of docs/architecture.md, the arms alternating sample by sample; one
    /// result an arm, in order. Empty where the target has no clock.
    virtual Result<std::vector<Timing>> timeArms(std::span<const Arm> arms, const TimingRequest& request) = 0;
    /// The vendor's own way, as a program whose launches take the arguments that the work names; grid and block mean
    /// nothing to it. Its name says which library, version and algorithm it is. Null where the target has no vendor
    /// (simulators). Errors: "no-reference" (with what is missing and the fix), those of launches.
    virtual Result<std::unique_ptr<LoadedProgram>> reference(const ReferenceWork&)
    {
        return std::unique_ptr<LoadedProgram>();
    }
    /// Memory of the next GPU. Errors: "no-peer" (there is one GPU, or no way between the two), "out-of-memory".
    virtual Result<std::unique_ptr<PeerMemory>> allocatePeer(std::uint64_t, std::string_view)
    {
        return Error{"no-peer", info().name + " has no second GPU beside it", info().target,
                     "take another direction, or a machine with two GPUs"};
    }
    /// Pageable, pinned, write-combined or managed memory. Errors: "out-of-memory", "driver-too-old", "no-schedule".
    virtual Result<std::unique_ptr<HostMemory>> allocateHost(std::uint64_t bytes, HostKind kind,
                                                             std::string_view label);
    /// Carries out a schedule of copies, launches and events on streams, or as a graph. Errors: those of copies and
    /// launches, "bad-schedule", "driver-too-old"; "no-schedule" where the target has no streams.
    virtual Result<ScheduleReport> runSchedule(const std::vector<Operation>& schedule, const ScheduleOptions& options);
    /// One arm of single launches. No value where the target has no clock.
    Result<std::optional<Timing>> time(const LoadedProgram& program, std::span<const Launch> launches)
    {
        Arm arm;
        for (const Launch& launch : launches)
            arm.sets.push_back({Step{&program, launch}});
        auto timings = timeArms(std::span(&arm, 1), {});
        if (!timings)
            return timings.error();
        return timings->empty() ? std::optional<Timing>() : std::optional<Timing>(timings->front());
    }
};

struct DeviceOptions {
    StopRequested stop;        ///< may be empty
    double launchSeconds = 60; ///< one launch may take: by the clock on a GPU, on a simulator what WorkClock counts
    /// Asked by a simulator where a launch has spent its time or what LaunchOptions allows it, with the error that
    /// would end it. True: it goes on where it stands, with as much again. Time does not run meanwhile. May be empty.
    std::function<bool(const Error&)> goOn;
    Regime regime = Regime::Quick; ///< in which it times
    /// A GPU launches and times nothing: what a profiler counts is each launch once. Then there are no references, and
    /// schedules are refused ("no-counters"). DeviceInfo::countsOnly says so to the experiment.
    bool countOnly = false;
    bool simulateTime = false;     ///< a simulator with a chip file answers time() with simulated seconds
    std::uint64_t memoryBytes = 0; ///< device memory cap on a simulator; 0: the chip's, bounded by 8 GiB
};

/// One row of `ridge targets`.
struct TargetInfo {
    std::string id;
    std::string title;
    Provenance provenance = Provenance::Simulated;
    bool available = false;
    std::string reason; ///< why not, empty when available
    std::string fix;    ///< what to do about it
    std::string chip;
};

} // namespace ridge::gpu
