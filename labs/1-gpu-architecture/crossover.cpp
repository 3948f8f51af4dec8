// SPDX-License-Identifier: GPL-3.0-or-later
// The same work on a processor and on a GPU. Inputs are multiples of a power of two that are so small that every sum is
// exact: whoever computes them, and in whatever order, must get the same bits.
#include "host/machine.h"
#include "host/measure.h"
#include "host/products.h"
#include "labs/1-gpu-architecture/crossover_info.h"
#include "labs/catalogue.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/host_time.h"
#include "labs/harness/ladder.h"
#include "labs/harness/pipe_rates.h"
#include "labs/harness/run_schedule.h"
#include "labs/harness/simulated_time.h"
#include "labs/harness/work.h"

#include <cstring>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr float kFactor = 1.5f;
constexpr std::uint64_t kBlockThreads = 256, kTile = 64;
constexpr std::uint64_t kProbes = 4096; // elements of C that are computed anew
constexpr int kRepeats = 20;
constexpr double kCpuSeconds = 0.12; // of sampling, for one core and for all
constexpr double kCpuSample = 0.001; // short, so that some of them have the processor to themselves

struct Setting {
    bool sgemm = false;
    std::uint64_t n = 0;
    std::uint32_t salt = 0;

    std::uint64_t elements() const { return sgemm ? n * n : n; } ///< of each array
    std::uint64_t bytes() const { return 4 * elements(); }
    double flop() const { return 2.0 * static_cast<double>(n) * (sgemm ? static_cast<double>(n * n) : 1); }
    /// Of a (saxpy: x) or b (saxpy: y): multiples of 1/16 of sgemm, of 1/2048 of saxpy, in [-1, 1).
    float input(std::uint64_t index, bool second) const
    {
        const auto word = static_cast<std::int32_t>(mixed(index, salt + (second ? 0x51ED270Bu : 0)) >> 16);
        return sgemm ? static_cast<float>(word % 32 - 16) / 16 : static_cast<float>(word % 4096 - 2048) / 2048;
    }
    float saxpyResult(std::uint64_t index) const { return kFactor * input(index, false) + input(index, true); }
};

Result<Setting> settingOf(const ParamSet& params, RunContext& context)
{
    Setting setting{choice(params, "work") == "sgemm", integer(params, "n"), context.rng().nextU32()};
    if (setting.sgemm && (setting.n % kTile != 0 || setting.n > kLargestOrder))
        return Error{"bad-value", fmt::format("the matrices of sgemm cannot be of order {}", setting.n), "crossover: n",
                     fmt::format("set n to a multiple of 64, at most {}", kLargestOrder)};
    return setting;
}

/// Checks a result that lies in host memory element by element (saxpy), or at places spread over it (sgemm).
void checkResult(RunContext& context, const Setting& setting, const char* who, std::span<const float> got)
{
    std::uint64_t wrong = 0, seen = 0;
    const auto see = [&](float value, float wanted) {
        ++seen;
        wrong += !(value == wanted); // NaN is wrong
    };
    if (!setting.sgemm)
        for (std::uint64_t i = 0; i < setting.n; ++i)
            see(got[i], setting.saxpyResult(i));
    const std::uint64_t probes = setting.sgemm ? std::min(kProbes, setting.elements()) : 0;
    for (std::uint64_t probe = 0; probe < probes; ++probe) {
        const std::uint64_t at =
            setting.elements() <= kProbes ? probe : mixed(probe, setting.salt) % setting.elements();
        double sum = 0;
        for (std::uint64_t k = 0; k < setting.n; ++k)
            sum += double{setting.input(at / setting.n * setting.n + k, false)} *
                   double{setting.input(k * setting.n + at % setting.n, true)};
        see(got[at], static_cast<float>(sum));
    }
    context.check(fmt::format("{}_matches_reference", who), wrong == 0,
                  fmt::format("{} of {} elements are what exact arithmetic gives", seen - wrong, seen));
}

/// The processor's side: what it computed, and its best time.
struct CpuSide {
    host::Pages result;
    double bestSeconds = 0;
    std::string validity = "valid";
};

Result<CpuSide> runCpu(const Setting& setting, RunContext& context)
{
    CpuSide side;
    auto first = host::Pages::allocate(setting.bytes());
    auto second = host::Pages::allocate(setting.sgemm ? setting.bytes() : 0);
    auto result = host::Pages::allocate(setting.bytes());
    for (const auto* pages : {&first, &second, &result})
        if (!*pages)
            return pages->error();
    const std::vector<int> processors = host::machine().processors;
    host::Team one({processors.front()}), all(processors);
    all.run([&](unsigned thread) {
        const host::Part part = host::partOf(setting.elements(), thread, all.size());
        for (std::uint64_t i = part.begin; i < part.end && !(i % 65536 == 0 && context.cancelled()); ++i) {
            first->floats()[i] = setting.input(i, false);
            (setting.sgemm ? *second : *result).floats()[i] = setting.input(i, true);
        }
    });
    host::Sampling how = samplingOf(context);
    how.budgetSeconds = kCpuSeconds;
    how.sampleSeconds = kCpuSample;
    const auto timed = [&](host::Team& team) {
        return setting.sgemm
                   ? host::timeSgemm(
                         team, {setting.n, first->floats().data(), second->floats().data(), result->floats().data()},
                         how)
                   : host::timeAxpy(team, kFactor, first->floats(), result->floats(), how);
    };
    const auto times = [&](host::Team& team, const char* who) -> Result<host::Timing> {
        if (setting.sgemm)
            std::memset(result->bytes(), 0xff, setting.bytes());
        auto timing = timed(team);
        if (timing && setting.sgemm)
            checkResult(context, setting, who, result->floats());
        return timing;
    };
    if (!setting.sgemm) {
        host::axpy(all, kFactor, first->floats(), result->floats());
        checkResult(context, setting, "cpu", result->floats());
    }
    const auto alone = times(one, "cpu_one");
    if (!alone)
        return alone.error();
    const auto together = times(all, "cpu_all");
    if (!together)
        return together.error();
    const double rate = setting.flop() / alone->minSeconds;
    context.metric("cpu_one_time", alone->minSeconds, Provenance::Measured);
    context.metric("cpu_all_time", together->minSeconds, Provenance::Measured);
    context.metric("cpu_threads", all.size(), Provenance::Measured);
    context.metric("cpu_rate", rate / 1e9, Provenance::Measured);
    context.metric("flop", setting.flop(), Provenance::Modelled);
    if (setting.sgemm) {
        const auto peak = host::timeFma(one, host::HostPrecision::Fp32, how);
        if (!peak)
            return peak.error();
        context.metric("cpu_peak_share", 100 * rate * peak->timing.minSeconds / peak->flops, Provenance::Measured);
        context.limit("cpu_peak_share", 100);
    }
    side.bestSeconds = std::min(alone->minSeconds, together->minSeconds);
    for (const auto& timing : {*alone, *together})
        if (timing.validity != "valid")
            side.validity = timing.validity;
    side.result = std::move(*result);
    return side;
}

// ---- the GPU's side -------------------------------------------------------------------------------------------------

/// Arrays of one execution on the device; saxpy works on the second in place.
struct Arrays {
    gpu::DevicePtr first, second, result;
};

Result<Arrays> allocate(Buffers& buffers, const Setting& setting)
{
    Arrays arrays;
    for (auto* array : {&arrays.first, &arrays.second, &arrays.result}) {
        if (array == &arrays.result && !setting.sgemm)
            break;
        const auto buffer = buffers.allocate(setting.bytes(), "matrix or vector");
        if (!buffer)
            return buffer.error();
        *array = *buffer;
    }
    if (!setting.sgemm)
        arrays.result = arrays.second;
    return arrays;
}

gpu::Step stepOf(const Setting& setting, const gpu::LoadedProgram* program, const Arrays& arrays)
{
    const auto n = static_cast<std::uint32_t>(setting.n);
    if (!setting.sgemm)
        return step(program, "saxpy", ceilDiv(setting.n, kBlockThreads), kBlockThreads,
                    {n, kFactor, arrays.first, arrays.second});
    gpu::Step made =
        step(program, "sgemm", setting.n / kTile, kBlockThreads, {n, arrays.first, arrays.second, arrays.result});
    made.launch.grid.y = made.launch.grid.x;
    return made;
}

/// The arrays as the host has them.
struct HostArrays {
    std::unique_ptr<gpu::HostMemory> first, second, result;
};

Result<HostArrays> hostArrays(GpuContext& context, const Setting& setting, gpu::HostKind kind)
{
    HostArrays arrays;
    for (auto* array : {&arrays.first, &arrays.second, &arrays.result}) {
        auto memory = context.device().allocateHost(setting.bytes(), kind, "matrix or vector");
        if (!memory)
            return memory.error();
        *array = std::move(*memory);
    }
    auto* const first = reinterpret_cast<float*>(arrays.first->bytes().data());
    auto* const second = reinterpret_cast<float*>(arrays.second->bytes().data());
    for (std::uint64_t i = 0; i < setting.elements(); ++i) {
        if (i % (1 << 20) == 0 && context.cancelled())
            return Error{"cancelled", "the run was cancelled", "filling arrays", ""};
        first[i] = setting.input(i, false);
        second[i] = setting.input(i, true);
    }
    std::memset(arrays.result->bytes().data(), 0xff, setting.bytes());
    return arrays;
}

gpu::ScheduleOptions asTheCpuSees(const Execution& done)
{
    gpu::ScheduleOptions options;
    options.timedBefore = &done.heaviest();
    options.repeats = kRepeats;
    options.warmUps = 3;
    options.timeline = false; // events between the operations would take time of their own
    return options;
}

/// Seconds from the first call until the CPU knows that all is done; 0 where the target has no clock.
struct GpuTimes {
    double resident = 0, withCopies = 0;
    Provenance provenance = Provenance::Modelled;
};

Result<GpuTimes> scheduleTimes(GpuContext& context, const Setting& setting, const gpu::Step& work, const Arrays& arrays,
                               const HostArrays& host, const Execution& done)
{
    const std::uint64_t bytes = setting.bytes();
    const gpu::Schedule copies{{0, gpu::CopyIn{arrays.first, {host.first.get(), 0}, bytes}, "in"},
                               {0, gpu::CopyIn{arrays.second, {host.second.get(), 0}, bytes}, "in"},
                               {0, work, "kernel"},
                               {0, gpu::CopyOut{{host.result.get(), 0}, arrays.result, bytes}, "out"}};
    const auto withCopies = runSchedule(context, copies, asTheCpuSees(done), "");
    if (!withCopies)
        return withCopies.error();
    const auto resident = runSchedule(context, {{0, work, "kernel"}}, asTheCpuSees(done), "");
    if (!resident)
        return resident.error();
    if (!withCopies->timed || !resident->timed)
        return GpuTimes{};
    return GpuTimes{resident->wallSeconds, withCopies->wallSeconds, resident->provenance};
}

/// The least time that pins and lanes allow. A single cold launch (a simulated one) may end with what it wrote in L2.
double kernelBound(const gpu::DeviceInfo& info, const Setting& setting, const Measured& time)
{
    const auto bytes = static_cast<double>(setting.bytes());
    const double rate = pinBound(info, 2 * bytes, bytes, !time.timing);
    const auto peak = peakPerSecond(info, Operation::FmaFp32, time.clockHz);
    return std::max(rate > 0 ? 3 * bytes / rate : 0, peak && *peak > 0 ? setting.flop() / *peak : 0);
}

class Crossover : public GpuExperiment {
public:
    Crossover() { m_info = crossoverInfo(); }
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        return {choice(params, "work") == "sgemm" ? kSgemmKernel : kSaxpyKernel};
    }
    Result<void> runOnDevice(const ParamSet& params, GpuContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Crossover::runOnDevice(const ParamSet& params, GpuContext& context) const
{
    gpu::Device& device = context.device();
    const auto setting = settingOf(params, context);
    if (!setting)
        return setting.error();
    const auto kind = gpu::hostKindFromText(choice(params, "memory"));
    if (!kind)
        return kind.error();
    const auto program = context.kernel(setting->sgemm ? kSgemmKernel : kSaxpyKernel);
    if (!program)
        return program.error();
    Buffers buffers(device);
    const auto arrays = allocate(buffers, *setting);
    if (!arrays)
        return arrays.error();
    const auto host = hostArrays(context, *setting, *kind);
    if (!host)
        return host.error();
    const gpu::Step work = stepOf(*setting, *program, *arrays);
    // Once for the clock alone, on whatever is in the arrays: the copies bring the inputs.
    const auto done = executeOnce(context, {work});
    if (!done)
        return done.error();
    const auto times = scheduleTimes(context, *setting, work, *arrays, *host, *done);
    if (!times)
        return times.error();
    const std::span got(reinterpret_cast<const float*>(host->result->bytes().data()), setting->elements());
    checkResult(context, *setting, "gpu", got);
    context.progress(0.4, "copied there and back");
    gpu::Arm arm{work.launch.kernel, {{work}}};
    const std::uint64_t touched = 3 * setting->bytes();
    if (auto rotated = rotate(arm, setsToRotate(device.info(), touched, touched),
                              [&]() -> Result<gpu::Sequence> {
                                  const auto more = allocate(buffers, *setting);
                                  if (!more)
                                      return more.error();
                                  return gpu::Sequence{stepOf(*setting, *program, *more)};
                              });
        !rotated)
        return rotated;
    const auto measured = measure(context, *done, std::span(&arm, 1));
    if (!measured)
        return measured.error();
    if (auto guards = buffers.checkGuards(context); !guards)
        return guards;
    reportSimulated(context, done->heaviest());
    context.progress(0.7, "measuring this machine's processor");
    const auto cpu = runCpu(*setting, context);
    if (!cpu)
        return cpu.error();
    if (setting->sgemm)
        context.check("gpu_matches_cpu", std::memcmp(cpu->result.bytes(), got.data(), setting->bytes()) == 0,
                      fmt::format("{} elements bit for bit", setting->elements()));
    if (cpu->validity != "valid")
        context.validity(cpu->validity);
    if (!measured->empty()) {
        context.metric("kernel_time", measured->front().seconds, measured->front().provenance);
        const double bound = kernelBound(device.info(), *setting, measured->front());
        if (bound > 0)
            context.limit("kernel_time", bound);
        if (const double link = device.info().hostLinkBytesPerSecond; bound > 0 && link > 0)
            context.limit("gpu_copy_time", bound + static_cast<double>(3 * setting->bytes()) / link);
    }
    if (times->resident > 0) {
        context.metric("gpu_time", times->resident, times->provenance);
        context.metric("gpu_copy_time", times->withCopies, times->provenance);
        context.metric("gain_resident", cpu->bestSeconds / times->resident, times->provenance);
        context.metric("gain_with_copies", cpu->bestSeconds / times->withCopies, times->provenance);
    }
    return {};
}

} // namespace

std::unique_ptr<GpuExperiment> makeCrossover()
{
    return std::make_unique<Crossover>();
}

} // namespace ridge::labs
