// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/execute.h"

#include "base/seedless.h"
#include "base/target_choice.h"
#include "host/machine.h"
#include "labs/worker/point_context.h"
#include "labs/worker/point_counters.h"
#include "silicon/fingerprint.h"

#include <chrono>
#include <new>

namespace ridge::labs {
namespace {

/// What all points together say: each named check passed where every point passed it.
class Summary {
public:
    void add(const SampleEvent& sample)
    {
        for (const CheckResult& check : sample.checks) {
            auto it =
                std::find_if(m_checks.begin(), m_checks.end(), [&](const Tally& t) { return t.name == check.name; });
            if (it == m_checks.end())
                it = m_checks.insert(m_checks.end(), Tally{check.name, 0, 0, {}});
            ++it->seen;
            it->passed += check.passed ? 1 : 0;
            if (!check.passed && it->firstFailure.empty())
                it->firstFailure = "; first failure at " + toJson(sample.params).dump() + ": " + check.detail;
        }
        if (sample.validity != "valid" && m_validity == "valid")
            m_validity = sample.validity;
    }
    std::vector<CheckResult> checks() const
    {
        std::vector<CheckResult> out;
        for (const Tally& tally : m_checks)
            out.push_back({tally.name, tally.passed == tally.seen,
                           std::to_string(tally.passed) + " of " + std::to_string(tally.seen) + " points passed" +
                               tally.firstFailure});
        return out;
    }
    const std::string& validity() const { return m_validity; }

private:
    struct Tally {
        std::string name;
        std::size_t seen = 0, passed = 0;
        std::string firstFailure;
    };
    std::vector<Tally> m_checks;
    std::string m_validity = "valid";
};

struct Prepared {
    const Experiment* experiment = nullptr;
    std::vector<ParamSet> points;
    std::unique_ptr<gpu::Device> device; ///< null on the targets "cpu" and "model"
};

constexpr const char* kCpuTarget = "cpu";

Result<void> requireTarget(const ExperimentInfo& info, const std::string& target, const std::string& targetClass)
{
    if (std::find(info.targets.begin(), info.targets.end(), targetClass) != info.targets.end())
        return {};
    std::string known;
    for (const std::string& each : info.targets)
        known += (known.empty() ? "" : ", ") + each;
    return Error{"unsupported-target", info.id + " does not run on " + targetClass + " targets", "target " + target,
                 "it runs on: " + known};
}

Result<Prepared> prepare(std::span<const std::unique_ptr<Experiment>> catalogue, const RunRequest& request,
                         const gpu::StopRequested& stop)
{
    std::vector<ExperimentInfo> infos;
    for (const auto& experiment : catalogue)
        infos.push_back(experiment->info());
    const auto found = findExperiment(infos, request.experiment);
    if (!found)
        return found.error();
    Prepared prepared;
    for (const auto& experiment : catalogue)
        if (experiment->info().id == request.experiment)
            prepared.experiment = experiment.get();

    const std::string targetClass = request.target.substr(0, request.target.find(':'));
    const ExperimentInfo& info = prepared.experiment->info();
    for (const ParamSet& point : request.points) {
        auto complete = completeParams(info.parameters, point, targetClass);
        if (!complete)
            return complete.error();
        prepared.points.push_back(std::move(*complete));
    }
    if (request.target == kCpuTarget || request.target == kModelTarget) {
        if (auto may = requireTarget(info, request.target, targetClass); !may)
            return may.error();
        return prepared;
    }
    auto device = openTarget(request.target, request.limits, stop, request.regime, request.countOnly);
    if (!device)
        return device.error();
    if (auto may = requireTarget(info, request.target, targetClass); !may)
        return may.error();
    prepared.device = std::move(*device);
    return prepared;
}

Json fingerprintOf(const std::string& target, const gpu::Device* device, const PointContext::Common& common,
                   Regime regime)
{
    Json json = silicon::machineFingerprint();
    if (target == kModelTarget) // nothing of this machine enters
        json["target"] = Json{{"model", "closed form"}, {"version", silicon::appVersion()}};
    else
        json["target"] = device ? *device->info().fingerprint : host::describe(host::machine());
    json["kernels"] = common.kernels.describe();
    if (!common.draws)
        json["data"] = kSameForEverySeed;
    if (device && device->info().provenance == Provenance::Measured)
        json["regime"] = toText(regime);
    return json;
}

std::string pointText(const ExperimentInfo& info, const ParamSet& point, const ParamSet& given)
{
    std::string text;
    for (const ParamSpec& spec : info.parameters)
        if (given.contains(spec.name))
            text += (text.empty() ? "" : ", ") + spec.name + " = " + toText(point.at(spec.name));
    return text.empty() ? info.title : text;
}

/// Compiles what a point needs; on a GPU it is loaded as well, so that no point pays for it. Null device: nothing.
Result<void> makeKernels(const Experiment& experiment, const ParamSet& point, gpu::Device* device, KernelSet& kernels)
{
    if (!device)
        return {};
    for (const std::string& name : experiment.kernels(point, device->info())) {
        if (auto made = kernels.compile(name, device->info()); !made)
            return made.error();
        if (device->info().provenance == Provenance::Simulated)
            continue;
        if (auto loaded = kernels.load(name, *device); !loaded)
            return loaded.error();
    }
    return {};
}

Result<void> runPoints(Prepared& prepared, const RunRequest& request, const EventSink& sink,
                       const gpu::StopRequested& stop, const std::function<Error()>& stopReason, Summary& summary)
{
    const ExperimentInfo& info = prepared.experiment->info();
    const bool model = request.target == kModelTarget;
    const Provenance by = prepared.device ? prepared.device->info().provenance
                          : model         ? Provenance::Modelled
                                          : Provenance::Measured;
    PointContext::Common common; // its kernels go before the device that holds them
    common.draws = !drawsNothing(info.id);
    PointCounters counters(info, request, prepared.device.get(), sink, stop);
    for (const ParamSet& point : prepared.points)
        if (auto made = makeKernels(*prepared.experiment, point, prepared.device.get(), common.kernels); !made)
            return made.error();
    sink(StartedEvent{info.id, info.version, request.target, by,
                      fingerprintOf(request.target, prepared.device.get(), common, request.regime),
                      prepared.points.size()});
    for (std::size_t i = 0; i < prepared.points.size(); ++i) {
        if (stop && stop())
            return stopReason();
        // Addresses decide over cache slices and banks, and variables keep their values: on a device of its own, a
        // point gives the same bits alone and at any place of a sweep. A GPU has such a past anyway.
        if (i > 0 && by == Provenance::Simulated) {
            common.kernels.unload();
            auto fresh = openTarget(request.target, request.limits, stop, request.regime);
            if (!fresh)
                return fresh.error();
            prepared.device = std::move(*fresh);
        }
        gpu::Device* const device = prepared.device.get();
        PointContext context(info, device, common, request, i, sink, stop);
        context.progress(0, pointText(info, prepared.points[i], request.points[i]));
        const auto ran = device  ? prepared.experiment->run(prepared.points[i], context)
                         : model ? prepared.experiment->runModel(prepared.points[i], context)
                                 : prepared.experiment->runOnCpu(prepared.points[i], context);
        if (!ran) {
            if (stop && stop())
                return stopReason();
            Error error = ran.error();
            if (error.place.empty())
                error.place = info.id + " at " + pointText(info, prepared.points[i], request.points[i]);
            return error;
        }
        SampleEvent sample = context.takeSample(prepared.points[i]);
        if (auto counted = counters.count(sample); !counted)
            return stopReason();
        summary.add(sample);
        sink(sample);
        for (TraceEvent& trace : context.takeTraces())
            sink(std::move(trace));
    }
    return {};
}

} // namespace

Result<std::unique_ptr<gpu::Device>> openTarget(const std::string& target, const RunLimits& limits,
                                                const gpu::StopRequested& stop, Regime regime, bool countOnly,
                                                const GoOn& goOn)
{
    if (target == kCpuTarget)
        return Error{"unsupported-target", "the processor does not execute CUDA kernels", "target cpu",
                     "choose a GPU or a simulated one: ridge targets lists them"};
    if (target == kModelTarget)
        return Error{"unsupported-target", "a model executes no kernels", "target model",
                     "choose a GPU or a simulated one: ridge targets lists them"};
    gpu::DeviceOptions options;
    options.stop = stop;
    options.goOn = goOn;
    options.regime = regime;
    options.countOnly = countOnly;
    if (limits.seconds > 0)
        options.launchSeconds = limits.seconds;
    if (limits.memoryMiB > 0)
        options.memoryBytes = static_cast<std::uint64_t>(limits.memoryMiB) << 20;
    return gpu::openDevice(target, options);
}

bool execute(std::span<const std::unique_ptr<Experiment>> catalogue, const RunRequest& request, const EventSink& sink,
             const gpu::StopRequested& stop, const std::function<Error()>& stopReason)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto failed = [&](Error error) {
        sink(FailedEvent{std::move(error)});
        return false;
    };
    Summary summary;
    try {
        auto prepared = prepare(catalogue, request, stop);
        if (!prepared)
            return failed(prepared.error());
        if (auto ran = runPoints(*prepared, request, sink, stop, stopReason, summary); !ran)
            return failed(ran.error());
    } catch (const std::bad_alloc&) {
        return failed({"out-of-memory", "the worker ran out of memory", request.experiment + " on " + request.target,
                       "take smaller parameters or raise the memory limit"});
    } catch (const std::exception& error) {
        return failed({"internal", std::string("the experiment broke its contract: ") + error.what(),
                       request.experiment + " on " + request.target,
                       "this is a fault of Ridgepoint, please report it"});
    }
    for (CheckResult& check : summary.checks())
        sink(CheckEvent{std::move(check)});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    sink(FinishedEvent{summary.validity(), seconds.count()});
    return true;
}

} // namespace ridge::labs
