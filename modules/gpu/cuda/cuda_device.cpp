// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/cuda_device.h"

#include "base/target_kind.h"
#include "gpu/cuda/cuda_schedule.h"
#include "gpu/cuda/cuda_timing.h"
#include "gpu/cuda/driver_errors.h"
#include "gpu/cuda/host_memory.h"
#include "gpu/cuda/peer.h"
#include "gpu/cuda/vendor_reference.h"
#include "gpu/swizzled_tiles.h"
#include "silicon/fingerprint.h"

namespace ridge::gpu::cuda {

namespace {

/// Process ids in `after` that are not in `before`: those of our own context, whatever they are called outside a
/// container.
std::vector<std::uint32_t> appeared(const GpuState& before, const GpuState& after)
{
    std::vector<std::uint32_t> out;
    for (const std::uint32_t pid : after.computeProcesses)
        if (std::find(before.computeProcesses.begin(), before.computeProcesses.end(), pid) ==
            before.computeProcesses.end())
            out.push_back(pid);
    return out;
}

constexpr int kNoSwizzle = 0, kSwizzle128 = 3; // CUtensorMapSwizzle

class CudaDevice final : public Device, public SwizzledTiles {
public:
    CudaDevice(std::shared_ptr<Session> session, std::unique_ptr<Nvml> nvml, DeviceInfo info,
               std::optional<GpuState> before, const DeviceOptions& options)
        : m_session(std::move(session)), m_nvml(std::move(nvml)), m_info(std::move(info)), m_before(std::move(before)),
          m_regime(options.regime)
    {
        if (m_nvml && m_before)
            m_ours = appeared(*m_before, m_nvml->sample());
    }
    ~CudaDevice() override;
    CudaDevice(const CudaDevice&) = delete;
    CudaDevice& operator=(const CudaDevice&) = delete;

    const DeviceInfo& info() const override { return m_info; }
    Result<std::unique_ptr<LoadedProgram>> load(const Program& program) override;
    Result<DevicePtr> allocate(std::uint64_t bytes, std::string_view label) override;
    Result<void> free(DevicePtr ptr) override;
    Result<void> copyToDevice(DevicePtr to, std::span<const std::byte> from) override;
    Result<void> copyToHost(std::span<std::byte> to, DevicePtr from) override;
    Result<TensorMapArg> tensorMap(const TensorTile& tile) override { return mapOf(tile, kNoSwizzle); }
    Result<TensorMapArg> swizzledMap(const TensorTile& tile) override { return mapOf(tile, kSwizzle128); }
    Result<LaunchReport> launch(const LoadedProgram& program, const Launch& launch,
                                const LaunchOptions& options) override;
    Result<std::vector<Timing>> timeArms(std::span<const Arm> arms, const TimingRequest& request) override;
    Result<std::unique_ptr<LoadedProgram>> reference(const ReferenceWork& work) override;
    Result<std::unique_ptr<PeerMemory>> allocatePeer(std::uint64_t bytes, std::string_view label) override
    {
        return CudaPeerMemory::allocate(m_session, bytes, label);
    }
    Result<std::unique_ptr<HostMemory>> allocateHost(std::uint64_t bytes, HostKind kind,
                                                     std::string_view label) override;
    Result<ScheduleReport> runSchedule(const std::vector<Operation>& schedule, const ScheduleOptions& options) override;

private:
    struct Buffer {
        std::uint64_t bytes = 0;
        std::string label;
    };

    /// Twice the L2 cache, so that lines of any policy of replacement go; 256 MiB where its size is not known.
    std::uint64_t flushBytes() const { return m_info.l2Bytes > 0 ? 2 * m_info.l2Bytes : std::uint64_t{256} << 20; }
    Result<DevicePtr> flushBuffer();
    Result<TensorMapArg> mapOf(const TensorTile& tile, int swizzle);
    Result<void> within(DevicePtr ptr, std::uint64_t bytes) const;
    Result<void> withinPeer(const CopyWithin& copy) const;
    Result<const CudaWork*> ours(const LoadedProgram& program) const;
    Result<void> ours(const Operation& operation) const;

    std::shared_ptr<Session> m_session;
    std::unique_ptr<Nvml> m_nvml;
    DeviceInfo m_info;
    std::optional<GpuState> m_before;
    Regime m_regime;
    std::vector<std::uint32_t> m_ours;
    std::map<std::uint64_t, Buffer> m_buffers;
    std::optional<DevicePtr> m_flush;
};

CudaDevice::~CudaDevice()
{
    if (!m_session->usable().ok())
        return;
    for (const auto& [address, buffer] : m_buffers)
        m_session->driver().memoryFree(address);
}

Result<std::unique_ptr<LoadedProgram>> CudaDevice::load(const Program& program)
{
    Result<std::unique_ptr<CudaProgram>> loaded = CudaProgram::load(m_session, program);
    if (!loaded.ok())
        return loaded.error();
    return std::unique_ptr<LoadedProgram>(std::move(*loaded));
}

Result<DevicePtr> CudaDevice::allocate(std::uint64_t bytes, std::string_view label)
{
    if (const Result<void> usable = m_session->usable(); !usable.ok())
        return usable.error();
    CuPointer address = 0;
    const CuResult code = m_session->driver().memoryAllocate(&address, std::max<std::uint64_t>(bytes, 1));
    if (code != kCuSuccess) {
        std::size_t freeBytes = 0;
        std::size_t totalBytes = 0;
        Error error = m_session->failed(code, "buffer '" + std::string(label) + "' of " + std::to_string(bytes) +
                                                  " B cannot be allocated");
        if (error.code == "out-of-memory" && m_session->driver().memoryInfo(&freeBytes, &totalBytes) == kCuSuccess)
            error.message += " (" + std::to_string(freeBytes) + " B are free)";
        return error;
    }
    m_buffers[address] = Buffer{bytes, std::string(label)};
    return DevicePtr{address};
}

Result<void> CudaDevice::free(DevicePtr ptr)
{
    if (const Result<void> usable = m_session->usable(); !usable.ok())
        return usable;
    if (m_buffers.erase(ptr.address) == 0)
        return Error{"bad-pointer", "an address that was not allocated here cannot be freed", m_session->place(),
                     "free each buffer once, by the pointer that allocate() gave"};
    if (const CuResult code = m_session->driver().memoryFree(ptr.address); code != kCuSuccess)
        return m_session->failed(code, "a buffer cannot be freed");
    return {};
}

Result<void> CudaDevice::within(DevicePtr ptr, std::uint64_t bytes) const
{
    if (const Result<void> usable = m_session->usable(); !usable.ok())
        return usable;
    auto it = m_buffers.upper_bound(ptr.address);
    if (it == m_buffers.begin())
        return Error{"out-of-bounds", "a copy starts outside every buffer", m_session->place(), "check the pointer"};
    --it;
    const std::uint64_t offset = ptr.address - it->first;
    const Buffer& buffer = it->second;
    if (offset > buffer.bytes || bytes > buffer.bytes - offset)
        return Error{"out-of-bounds",
                     "a copy of " + std::to_string(bytes) + " B at offset " + std::to_string(offset) +
                         " leaves buffer '" + buffer.label + "' of " + std::to_string(buffer.bytes) + " B",
                     m_session->place(), "copy no more than the buffer holds"};
    return {};
}

Result<void> CudaDevice::withinPeer(const CopyWithin& copy) const
{
    const auto* peer = dynamic_cast<const CudaPeerMemory*>(copy.peer);
    const std::uint64_t offset = peer != nullptr ? copy.to.address - peer->address().address : 0;
    if (peer != nullptr && peer->session() == m_session.get() && offset <= peer->bytes() &&
        copy.bytes <= peer->bytes() - offset)
        return {};
    return Error{"out-of-bounds", "a copy of " + std::to_string(copy.bytes) + " B leaves the memory of the other GPU",
                 m_session->place(), "copy no more than the buffer holds, to memory that this device allocated"};
}

Result<void> CudaDevice::copyToDevice(DevicePtr to, std::span<const std::byte> from)
{
    if (const Result<void> inside = within(to, from.size()); !inside.ok())
        return inside;
    if (const CuResult code = cuda::copyToDevice(m_session->driver(), to.address, from.data(), from.size());
        code != kCuSuccess)
        return m_session->failed(code, "data cannot be copied to the GPU");
    return {};
}

Result<void> CudaDevice::copyToHost(std::span<std::byte> to, DevicePtr from)
{
    if (const Result<void> inside = within(from, to.size()); !inside.ok())
        return inside;
    if (const CuResult code = m_session->driver().copyToHost(to.data(), from.address, to.size()); code != kCuSuccess)
        return m_session->failed(code, "data cannot be copied from the GPU");
    return {};
}

Result<TensorMapArg> CudaDevice::mapOf(const TensorTile& tile, int swizzle)
{
    if (m_info.computeMajor < 9)
        return Device::tensorMap(tile);
    if (const Result<void> inside = within(tile.matrix, tile.rows * tile.rowBytes); !inside.ok())
        return inside.error();
    const Driver& driver = m_session->driver();
    if (driver.tensorMapEncodeTiled == nullptr)
        return Error{"driver-too-old", "the NVIDIA driver cannot make tensor maps", driver.path,
                     "install driver 525 or newer"};
    const std::map<std::uint32_t, TensorMapType> types{
        {1, TensorMapType::Bytes1}, {2, TensorMapType::Bytes2}, {4, TensorMapType::Bytes4}, {8, TensorMapType::Bytes8}};
    const auto type = types.find(tile.elementBytes);
    if (type == types.end())
        return Error{"bad-tensor-map", "an element has " + std::to_string(tile.elementBytes) + " bytes",
                     m_session->place(), "use elements of 1, 2, 4 or 8 bytes"};
    alignas(64) TensorMapArg map; // the driver asks for this alignment
    const std::array<std::uint64_t, 2> sizes{tile.columns, tile.rows};
    const std::array<std::uint32_t, 2> box{tile.tileColumns, tile.tileRows}, steps{1, 1};
    const CuResult code =
        driver.tensorMapEncodeTiled(map.bytes.data(), type->second, 2, reinterpret_cast<void*>(tile.matrix.address),
                                    sizes.data(), &tile.rowBytes, box.data(), steps.data(), 0, swizzle, 0, 0);
    if (code != kCuSuccess)
        return Error{
            "bad-tensor-map",
            "the driver refuses a map of " + std::to_string(tile.rows) + " x " + std::to_string(tile.columns) +
                " elements with tiles of " + std::to_string(tile.tileRows) + " x " + std::to_string(tile.tileColumns) +
                ": " + codeText(driver, code),
            m_session->place(),
            std::string("rows and tile rows are multiples of 16 bytes, a tile has at most 256 elements a side") +
                (swizzle == kNoSwizzle ? "" : " and rows of at most 128 bytes")};
    return map;
}

Result<const CudaWork*> CudaDevice::ours(const LoadedProgram& program) const
{
    if (const Result<void> usable = m_session->usable(); !usable.ok())
        return usable.error();
    const auto* loaded = dynamic_cast<const CudaWork*>(&program);
    if (loaded == nullptr || loaded->session() != m_session.get())
        return Error{"bad-launch", "'" + program.program().name + "' was loaded on another device", m_info.target,
                     "load it on the device that launches it"};
    return loaded;
}

Result<DevicePtr> CudaDevice::flushBuffer()
{
    if (!m_flush) {
        auto made = allocate(flushBytes(), "what empties the L2 cache");
        if (!made)
            return made.error();
        m_flush = *made;
    }
    return *m_flush;
}

Result<LaunchReport> CudaDevice::launch(const LoadedProgram& program, const Launch& launch,
                                        const LaunchOptions& options)
{
    const Result<const CudaWork*> loaded = ours(program);
    if (!loaded.ok())
        return loaded.error();
    if (m_session->stopRequested())
        return Error{"cancelled", "stopped before kernel '" + launch.kernel + "'", m_info.target, ""};
    if (options.timeAlone) {
        const auto flush = flushBuffer();
        if (!flush)
            return flush.error();
        // A driver loads a kernel late, when it is asked for its attributes: not between the two clocks.
        LaunchReport report;
        report.registersPerThread = (*loaded)->registers(launch.kernel);
        const auto time = timeAlone(*m_session, {*loaded, &launch}, flush->address, flushBytes());
        if (!time)
            return time.error();
        report.alone = *time;
        return report;
    }
    if (const Result<void> queued = (*loaded)->enqueue(launch); !queued.ok())
        return queued.error();
    const CuResult code = m_session->driver().eventRecord(m_session->endEvent(), m_session->stream());
    if (code != kCuSuccess)
        return m_session->kernelFailed(code, launch.kernel);
    if (const Result<void> done = m_session->waitForEnd(launch.kernel); !done.ok())
        return done.error();
    LaunchReport report;
    report.registersPerThread = (*loaded)->registers(launch.kernel);
    report.residentBlocksPerSm = (*loaded)->residentBlocks(launch);
    return report;
}

Result<std::vector<Timing>> CudaDevice::timeArms(std::span<const Arm> arms, const TimingRequest& request)
{
    if (m_info.countsOnly)
        return std::vector<Timing>();
    std::vector<CudaArm> own;
    for (const Arm& arm : arms) {
        CudaArm& added = own.emplace_back(CudaArm{arm.name, {}});
        for (const Sequence& sequence : arm.sets) {
            added.sets.emplace_back();
            for (const Step& step : sequence) {
                const Result<const CudaWork*> loaded = ours(*step.program);
                if (!loaded.ok())
                    return loaded.error();
                added.sets.back().push_back({*loaded, &step.launch});
            }
        }
    }
    TimingFacts facts;
    facts.boostClockHz = m_info.boostClockHz;
    facts.onBattery = silicon::powerSource() == "battery";
    facts.ourProcesses = m_ours;
    if (m_nvml)
        facts.before = m_nvml->sample();
    return cuda::timeArms(*m_session, own, planFor(m_regime, request.budgetSeconds), m_nvml.get(), facts);
}

Result<std::unique_ptr<LoadedProgram>> CudaDevice::reference(const ReferenceWork& work)
{
    if (const Result<void> usable = m_session->usable(); !usable.ok())
        return usable.error();
    if (m_info.countsOnly)
        return Error{"no-reference", "nothing is timed while a profiler counts", m_info.target, ""};
    if (const auto* product = std::get_if<MatrixProduct>(&work))
        return vendorProduct(m_session, *product);
    if (const auto* norm = std::get_if<RowNorm>(&work))
        return vendorNorm(m_session, *norm);
    if (const auto* attention = std::get_if<Attention>(&work))
        return vendorAttention(m_session, *attention);
    if (const auto* peer = std::get_if<PeerCopy>(&work))
        return peerCopy(m_session, *peer);
    if (const auto* sum = std::get_if<PeerSum>(&work))
        return peerSum(m_session, *sum);
    return driverCopy(m_session, std::get<DeviceCopy>(work));
}

Result<std::unique_ptr<HostMemory>> CudaDevice::allocateHost(std::uint64_t bytes, HostKind kind, std::string_view label)
{
    return allocateHostMemory(m_session, bytes, kind, label);
}

Result<void> CudaDevice::ours(const Operation& operation) const
{
    if (const auto* in = std::get_if<CopyIn>(&operation.what))
        return within(in->to, in->bytes);
    if (const auto* out = std::get_if<CopyOut>(&operation.what))
        return within(out->from, out->bytes);
    if (const auto* copy = std::get_if<CopyWithin>(&operation.what)) {
        const Result<void> from = within(copy->from, copy->bytes);
        return !from.ok() ? from : copy->peer != nullptr ? withinPeer(*copy) : within(copy->to, copy->bytes);
    }
    if (const auto* step = std::get_if<Step>(&operation.what); step != nullptr && step->program != nullptr) {
        const Result<const CudaWork*> loaded = ours(*step->program);
        if (!loaded.ok())
            return loaded.error();
        if (dynamic_cast<const CudaProgram*>(*loaded) == nullptr)
            return Error{"bad-schedule", "'" + step->program->program().name + "' is a reference, not a kernel",
                         m_info.target, "time references as arms"};
    }
    return {};
}

Result<ScheduleReport> CudaDevice::runSchedule(const std::vector<Operation>& schedule, const ScheduleOptions& options)
{
    if (m_info.countsOnly)
        return Error{"no-counters", "this experiment is made of timed schedules: there is no launch to count",
                     m_info.target, "count an experiment about one kernel, for example coalescing"};
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (const Result<void> own = ours(schedule[i]); !own.ok()) {
            Error error = own.error();
            error.message = describeOperation(schedule, i) + ": " + error.message;
            return error;
        }
    return cuda::runSchedule(*m_session, schedule, options);
}

} // namespace

Result<std::unique_ptr<Device>> openCudaDevice(int index, const DeviceOptions& options)
{
    const Result<std::shared_ptr<const Driver>> driver = initialisedDriver();
    if (!driver.ok())
        return driver.error();
    int count = 0;
    if (const CuResult code = (*driver)->deviceCount(&count); code != kCuSuccess)
        return initError(**driver, code);
    if (count == 0)
        return initError(**driver, 100);
    if (index < 0 || index >= count)
        return Error{"target-unavailable", "there is no GPU " + std::to_string(index), gpuTarget(index),
                     "gpu:0 to gpu:" + std::to_string(count - 1) + " are there"};
    const Result<DeviceFacts> facts = readDeviceFacts(**driver, index);
    if (!facts.ok())
        return facts.error();
    if (const std::optional<Error> why = obstacle(*facts))
        return *why;
    std::unique_ptr<Nvml> nvml = openNvml(facts->pciBusId);
    std::optional<GpuState> before;
    if (nvml)
        before = nvml->sample();
    Result<std::shared_ptr<Session>> session = Session::open(*driver, *facts, options);
    if (!session.ok())
        return session.error();
    const Result<silicon::Catalogue> catalogue = silicon::shippedCatalogue();
    const silicon::Chip* chip = catalogue.ok() ? catalogue->findByDriverName(facts->name) : nullptr;
    DeviceInfo info = describeDevice(*facts, chip, nvml.get());
    info.countsOnly = options.countOnly;
    return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(*session), std::move(nvml), std::move(info),
                                                                std::move(before), options));
}

} // namespace ridge::gpu::cuda
