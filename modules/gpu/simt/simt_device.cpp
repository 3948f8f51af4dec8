// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/simt_device.h"

#include "gpu/schedule.h"
#include "gpu/simt/check/checker.h"
#include "gpu/simt/image/tensor_map.h"
#include "gpu/simt/launch_check.h"
#include "gpu/simt/simt_program.h"
#include "gpu/simt/steps/step_recorder.h"
#include "gpu/simt/timing/engine.h"
#include "gpu/simt/timing/launch_part.h"
#include "gpu/swizzled_tiles.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kDefaultMemory = std::uint64_t{8} << 30;

/// Host memory of a simulator is all alike to it; managed memory is an allocation that both sides see.
class SimtHostMemory final : public HostMemory {
public:
    SimtHostMemory(HostKind kind, std::string_view label, std::uint64_t bytes)
        : HostMemory(kind, std::string(label)), m_held(static_cast<std::byte*>(std::calloc(bytes, 1)))
    {
        m_bytes = std::span(m_held.get(), m_held ? bytes : 0);
    }
    SimtHostMemory(std::string_view label, std::shared_ptr<GlobalMemory> memory, std::uint64_t address,
                   std::span<std::byte> bytes)
        : HostMemory(HostKind::Managed, std::string(label)), m_memory(std::move(memory))
    {
        m_bytes = bytes;
        m_device = DevicePtr{address};
    }
    ~SimtHostMemory() override
    {
        if (m_memory)
            (void)m_memory->free(m_device.address);
    }
    SimtHostMemory(const SimtHostMemory&) = delete;
    SimtHostMemory& operator=(const SimtHostMemory&) = delete;

private:
    std::unique_ptr<std::byte, Allocation::Release> m_held;
    std::shared_ptr<GlobalMemory> m_memory;
};

class SimtDevice : public Device, public SwizzledTiles, public ChoosingDevice {
public:
    SimtDevice(DeviceInfo info, ChipLimits limits, DeviceOptions options, std::optional<ChipTiming> timing)
        : m_info(std::move(info)), m_limits(limits), m_options(std::move(options)), m_timing(std::move(timing)),
          m_memory(std::make_shared<GlobalMemory>(capacity()))
    {
    }

    const DeviceInfo& info() const override { return m_info; }
    void choose(const OpenChoices& choices) override
    {
        m_choices = choices;
        m_defined.keep(choices.inputs);
    }

    Result<std::unique_ptr<LoadedProgram>> load(const Program& program) override
    {
        auto loaded = SimtProgram::load(program, m_memory, m_info.computeMajor * 10 + m_info.computeMinor);
        if (!loaded)
            return loaded.error();
        return std::unique_ptr<LoadedProgram>(std::move(*loaded));
    }

    Result<DevicePtr> allocate(std::uint64_t bytes, std::string_view label) override
    {
        auto address = m_memory->allocate(bytes, label);
        if (!address)
            return address.error();
        m_defined.allocated(*address, bytes);
        return DevicePtr{*address};
    }

    Result<void> free(DevicePtr ptr) override
    {
        auto freed = m_memory->free(ptr.address);
        if (freed)
            m_defined.freed(ptr.address);
        return freed;
    }

    Result<void> copyToDevice(DevicePtr to, std::span<const std::byte> from) override
    {
        if (from.empty())
            return {};
        auto host = m_memory->range(to.address, from.size());
        if (!host)
            return host.error();
        std::memcpy(*host, from.data(), from.size());
        m_defined.define(to.address, from.size());
        return {};
    }

    Result<void> copyToHost(std::span<std::byte> to, DevicePtr from) override
    {
        if (to.empty())
            return {};
        auto host = m_memory->range(from.address, to.size());
        if (!host)
            return host.error();
        std::memcpy(to.data(), *host, to.size());
        return {};
    }

    Result<TensorMapArg> tensorMap(const TensorTile& tile) override { return mapOf(tile, TensorSwizzle::None); }
    Result<TensorMapArg> swizzledMap(const TensorTile& tile) override { return mapOf(tile, TensorSwizzle::Bytes128); }
    Result<TensorMapArg> mapOf(const TensorTile& tile, TensorSwizzle swizzle)
    {
        if (m_info.computeMajor < 9)
            return Device::tensorMap(tile);
        TensorMap map;
        map.address = tile.matrix.address;
        map.rank = 2;
        map.elementBytes = static_cast<std::uint8_t>(tile.elementBytes);
        map.swizzle = swizzle;
        map.size = {static_cast<std::uint32_t>(tile.columns), static_cast<std::uint32_t>(tile.rows), 1, 1, 1};
        map.stride = {tile.rowBytes, 0, 0, 0};
        map.box = {static_cast<std::uint16_t>(tile.tileColumns), static_cast<std::uint16_t>(tile.tileRows), 1, 1, 1};
        auto bytes = encodeTensorMap(map);
        if (!bytes)
            return bytes.error();
        return TensorMapArg{*bytes};
    }
    Result<LaunchReport> launch(const LoadedProgram& program, const Launch& launch,
                                const LaunchOptions& options) override
    {
        if (options.timeAlone) { // every simulated launch begins with empty caches and ends when all of it has ended
            LaunchOptions timed = options;
            timed.timing = true;
            timed.timeAlone = false;
            auto report = this->launch(program, launch, timed);
            if (report && report->timing)
                report->alone = LaunchTime{report->timing->seconds};
            return report;
        }
        const auto* own = dynamic_cast<const SimtProgram*>(&program);
        if (own == nullptr)
            return Error{"launch-failed", "the program was loaded on another kind of device", m_info.target,
                         "Load it on this device."};
        const bool byStep = options.traceSteps > 0 && !options.timing;
        auto kernel = byStep ? own->kernelAsWritten(launch.kernel) : own->kernel(launch.kernel);
        if (!kernel)
            return kernel.error();
        const Launch counted = inBlocks(**kernel, launch);
        if (auto fits = checkLaunch(**kernel, counted, m_limits); !fits)
            return fits.error();
        auto params = packArguments(**kernel, counted);
        if (!params)
            return params.error();
        return execute(*own, **kernel, counted, options, *params);
    }

    Result<std::vector<Timing>> timeArms(std::span<const Arm> arms, const TimingRequest&) override
    {
        std::vector<Timing> timings;
        if (!m_timing || !m_options.simulateTime)
            return timings;
        for (const Arm& arm : arms) {
            auto timing = timeArm(arm);
            if (!timing)
                return timing.error();
            timings.push_back(std::move(*timing));
        }
        return timings;
    }

    Result<std::unique_ptr<HostMemory>> allocateHost(std::uint64_t bytes, HostKind kind,
                                                     std::string_view label) override
    {
        if (bytes == 0)
            return Error{"bad-allocation", "host memory of 0 bytes was asked for", std::string(label),
                         "Ask for at least one byte."};
        if (kind != HostKind::Managed) {
            std::unique_ptr<HostMemory> made = std::make_unique<SimtHostMemory>(kind, label, bytes);
            if (made->bytes().empty())
                return Error{"out-of-memory", "this computer has no " + std::to_string(bytes) + " bytes left",
                             std::string(label), "Use a smaller size."};
            return made;
        }
        auto address = m_memory->allocate(bytes, label);
        if (!address)
            return address.error();
        auto host = m_memory->range(*address, bytes);
        if (!host)
            return host.error();
        m_defined.allocated(*address, bytes);
        m_defined.define(*address, bytes); // the CPU may write it unseen
        return std::unique_ptr<HostMemory>(
            std::make_unique<SimtHostMemory>(label, m_memory, *address, std::span(*host, bytes)));
    }

    Result<ScheduleReport> runSchedule(const std::vector<Operation>& schedule, const ScheduleOptions& options) override
    {
        return simulateSchedule(*this, schedule, options, m_timing.has_value());
    }

private:
    /// A simulation repeats exactly: one sample of each set says all there is to say.
    Result<Timing> timeArm(const Arm& arm)
    {
        if (arm.sets.empty())
            return Error{"bad-launch", "there is nothing to time", arm.name, "give at least one launch"};
        std::vector<double> samples;
        LaunchOptions options;
        options.timing = true;
        for (const Sequence& sequence : arm.sets) {
            double seconds = 0;
            for (const gpu::Step& step : sequence) {
                auto report = launch(*step.program, step.launch, options);
                if (!report)
                    return report.error();
                seconds += report->timing->seconds;
            }
            samples.push_back(seconds);
        }
        std::sort(samples.begin(), samples.end());
        Timing timing;
        timing.medianSeconds = samples[samples.size() / 2];
        timing.iqrSeconds = samples[samples.size() * 3 / 4] - samples[samples.size() / 4];
        timing.minSeconds = samples.front();
        timing.p95Seconds = samples[(samples.size() * 95 + 99) / 100 - 1];
        timing.samples = static_cast<int>(samples.size());
        timing.validity = "valid";
        return timing;
    }

    std::uint64_t capacity() const
    {
        if (m_options.memoryBytes != 0)
            return m_options.memoryBytes;
        return m_info.globalBytes == 0 ? kDefaultMemory : std::min(m_info.globalBytes, kDefaultMemory);
    }

    Result<LaunchReport> execute(const SimtProgram& program, const KernelImage& kernel, const Launch& launch,
                                 const LaunchOptions& options, std::vector<std::byte>& params)
    {
        LaunchState state;
        state.image = &kernel;
        state.memory = m_memory.get();
        state.params = params.data();
        state.paramBytes = params.size();
        state.options = options;
        state.tensor = tensorRules(m_info.computeMajor * 10 + m_info.computeMinor);
        LaunchShape shape;
        shape.grid = launch.grid;
        shape.block = launch.block;
        shape.dynamicSharedBytes = launch.dynamicSharedBytes;
        shape.sharedBytes = launch.dynamicSharedBytes != 0 ? kernel.dynamicSharedBase + launch.dynamicSharedBytes
                                                           : kernel.staticSharedBytes;
        shape.smCount = m_info.smCount;
        shape.residentBlocks = blocksPerSm(kernel, launch, m_limits) * std::max(m_info.smCount, 1u);
        shape.cluster = clusterOf(kernel, launch);
        shape.explicitCluster = launch.cluster.x != 0 || kernel.requiredCluster[0] != 0;
        shape.choices = m_choices;
        shape.choices.backwards = m_choices.backwards && !options.timing;
        LaunchControl control = controlFor(m_options.stop, m_options.launchSeconds);
        control.goOn = m_options.goOn;
        control.moreInstructions = options.mostInstructions;
        control.moreCycles = options.mostCycles;
        std::optional<Checker> checker;
        if (options.check && !options.timing) {
            checker.emplace(kernel, state, launch.block, shape.sharedBytes, m_defined, options.checkGlobalRaces);
            state.check = &*checker;
            state.image = &checker->image();
        } else {
            m_defined.defineAll();
        }
        std::optional<StepRecorder> steps;
        if (options.traceSteps > 0 && !options.timing && !checker) {
            steps.emplace(kernel, state, program.program().ptx, launch.block, shape.sharedBytes, options.stepsBlock,
                          options.traceSteps);
            state.steps = &*steps;
            state.image = &steps->image();
        }
        LaunchReport report;
        std::optional<Error> error;
        if (options.timing) {
            auto timed = simulate(program, state, shape, control);
            if (timed)
                report.timing = std::move(*timed);
            else
                error = timed.error();
        } else if (auto done = runBlocks(state, shape, control, 0); !done) {
            error = done.error();
        }
        if (error && !(options.faultsAsReports && isKernelsOwn(*error, state)))
            return *error;
        report.counters = state.counters;
        report.printed = std::move(state.printed);
        report.printedCut = state.printedCut;
        if (steps)
            report.steps = stepsOf(*steps, launch, options);
        if (checker)
            report.reports = checker->take();
        if (error)
            report.reports.push_back(fatalReport(*error, state, launch.block));
        if (options.traceRequests > 0)
            report.trace = traceOf(kernel, std::move(state.trace));
        return report;
    }

    /// Whether the kernel has done wrong, rather than the launch, the machine or the person who cancelled it.
    static bool isKernelsOwn(const Error& error, const LaunchState& state)
    {
        constexpr std::array<std::string_view, 7> codes{"time-limit",       "instruction-limit", "cycle-limit",
                                                        "barrier-deadlock", "never-resident",    "no-progress",
                                                        "endless-loop"};
        return state.stop.has_value() || std::find(codes.begin(), codes.end(), error.code) != codes.end();
    }

    Result<TimingReport> simulate(const SimtProgram& program, LaunchState& state, const LaunchShape& shape,
                                  LaunchControl& control) const
    {
        if (!m_timing)
            return Error{"no-timing", m_info.name + " gives counts only: no timing file is known for it", m_info.target,
                         "Run for counts, or choose a chip that gives times (ridge targets says which do)."};
        auto machine =
            program.machine(*state.image, m_info.computeMajor * 10 + m_info.computeMinor, scheduleLatencies(*m_timing));
        if (!machine)
            return machine.error();
        TimingOptions whole = state.options.timingOptions;
        if (whole.estimate != Estimate::Never) {
            auto part = timePart({state, shape, **machine, *m_timing, control});
            if (!part)
                return part.error();
            if (*part)
                return estimated(std::move(**part), state, shape, control);
        }
        whole.timeOnly = false;
        return TimingEngine(state, shape, **machine, *m_timing, whole, control).run();
    }

    /// Executes the launch for its results and counters where they are asked for.
    static Result<TimingReport> estimated(PartTimed part, LaunchState& state, const LaunchShape& shape,
                                          LaunchControl& control)
    {
        if (state.options.timingOptions.timeOnly) {
            part.timing.extrapolation.resultsLeftOut = true;
            state.counters = part.counters;
            return std::move(part.timing);
        }
        if (auto done = runBlocks(state, shape, control, 0); !done)
            return done.error();
        return std::move(part.timing);
    }

    static StepTrace stepsOf(StepRecorder& recorder, const Launch& launch, const LaunchOptions& options)
    {
        StepTrace trace = recorder.take();
        trace.block = {options.stepsBlock % launch.grid.x, options.stepsBlock / launch.grid.x % launch.grid.y,
                       options.stepsBlock / launch.grid.x / launch.grid.y};
        trace.gridDim = {launch.grid.x, launch.grid.y, launch.grid.z};
        return trace;
    }

    MemoryTrace traceOf(const KernelImage& kernel, std::vector<MemoryRequest> requests) const
    {
        MemoryTrace trace;
        trace.kernel = kernel.name;
        for (const Allocation& allocation : m_memory->allocations()) {
            if (!allocation.freed)
                trace.buffers.push_back({allocation.label, allocation.begin, allocation.bytes});
        }
        trace.requests = std::move(requests);
        return trace;
    }

    DeviceInfo m_info;
    ChipLimits m_limits;
    DeviceOptions m_options;
    OpenChoices m_choices;
    std::optional<ChipTiming> m_timing;
    std::shared_ptr<GlobalMemory> m_memory;
    DefinedBytes m_defined;
};

} // namespace

Result<std::unique_ptr<Device>> openSimtDevice(DeviceInfo info, ChipLimits limits, DeviceOptions options,
                                               std::optional<ChipTiming> timing)
{
    if (limits.maxThreadsPerBlock < static_cast<std::uint32_t>(kWarpSize) || limits.warpsPerSm == 0)
        return Error{"bad-device",
                     "the chip table gives " + std::to_string(limits.maxThreadsPerBlock) + " threads per block and " +
                         std::to_string(limits.warpsPerSm) + " warps per SM",
                     info.target, "Correct the chip's entry."};
    limits.computeMajor = info.computeMajor;
    if (timing)
        limits.smsPerCluster = largestGpc(*timing);
    return std::unique_ptr<Device>(
        std::make_unique<SimtDevice>(std::move(info), limits, std::move(options), std::move(timing)));
}

} // namespace ridge::gpu::simt
