// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/execute.h"

#include "base/seedless.h"
#include "base/target_choice.h"
#include "gpu/targets/target_list.h"
#include "host/machine.h"
#include "labs/harness/input.h"
#include "labs/worker/point_context.h"
#include "labs/worker/point_counters.h"
#include "silicon/fingerprint.h"
#include "silicon/machines.h"

#include <chrono>
#include <new>

namespace ridge::labs {
namespace {

/// What all points together say: each named check passed where every point passed it.
class Summary {
public:
    void add(const SampleEvent& sample)
    {
        ++m_points;
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
    void addFailed() { ++m_failed; }
    /// A point that failed says nothing about the others.
    std::string validity() const { return m_points == 0 && m_failed > 0 ? "failed" : m_validity; }

private:
    struct Tally {
        std::string name;
        std::size_t seen = 0, passed = 0;
        std::string firstFailure;
    };
    std::vector<Tally> m_checks;
    std::string m_validity = "valid";
    std::size_t m_points = 0, m_failed = 0;
};

struct Prepared {
    const Experiment* experiment = nullptr;
    Target target;
    std::vector<ParamSet> points;            ///< complete; as given where they are refused
    std::map<std::size_t, Error> refused;    ///< points that do not run, where the others may go on
    std::vector<Json> inputs;                ///< of each point: parameter -> SHA-256 of its file
    std::unique_ptr<gpu::Device> device;     ///< null on targets without one
    std::optional<silicon::Machine> machine; ///< of targets that name one
};

Result<void> requireTarget(const ExperimentInfo& info, const std::string& target, const Target& parsed)
{
    if (std::find(info.targets.begin(), info.targets.end(), parsed.kind->id) != info.targets.end())
        return {};
    std::string known;
    for (const std::string& each : info.targets)
        known += (known.empty() ? "" : ", ") + each;
    return Error{"unsupported-target", info.id + " does not run on " + std::string(parsed.kind->id) + " targets",
                 "target " + target, "it runs on: " + known};
}

Result<const Experiment*> find(std::span<const std::unique_ptr<Experiment>> catalogue, const std::string& id)
{
    std::vector<ExperimentInfo> infos;
    for (const auto& experiment : catalogue)
        if (experiment->info().id == id)
            return experiment.get();
    for (const auto& experiment : catalogue)
        infos.push_back(experiment->info());
    return findExperiment(infos, id).error();
}

Result<silicon::Machine> openMachine(const ExperimentInfo& info, const std::string& id)
{
    const auto machines = silicon::shippedMachines();
    if (!machines)
        return Error{"target-unavailable", machines.error().message, machines.error().place, machines.error().fix};
    return silicon::findMachine(*machines, id, info.engine);
}

/// What each point reads. Files are hashed once a path, before the first point runs.
Result<void> findInputs(Prepared& prepared, const ExperimentInfo& info, bool keepGoing)
{
    std::map<std::string, Result<std::string>> digests; // by path
    for (std::size_t i = 0; i < prepared.points.size(); ++i) {
        Json inputs = Json::object();
        if (!prepared.refused.contains(i))
            for (const auto& [name, path] : filesOf(info.parameters, prepared.points[i])) {
                auto known = digests.find(path);
                if (known == digests.end())
                    known = digests.emplace(path, inputDigest(name, path)).first;
                if (known->second) {
                    inputs[name] = *known->second;
                    continue;
                }
                if (!keepGoing)
                    return known->second.error();
                prepared.refused.emplace(i, known->second.error());
            }
        prepared.inputs.push_back(std::move(inputs));
    }
    return {};
}

Result<Prepared> prepare(std::span<const std::unique_ptr<Experiment>> catalogue, const RunRequest& request,
                         const gpu::StopRequested& stop)
{
    const auto found = find(catalogue, request.experiment);
    if (!found)
        return found.error();
    Prepared prepared;
    prepared.experiment = *found;
    const ExperimentInfo& info = prepared.experiment->info();
    for (const ParamSet& point : request.points) {
        auto complete = completeParams(info.parameters, point, kindOfTarget(request.target));
        if (!complete && !request.keepGoing)
            return complete.error();
        if (!complete)
            prepared.refused.emplace(prepared.points.size(), complete.error());
        prepared.points.push_back(complete ? std::move(*complete) : point);
    }
    // Without a device there is nothing to open that could say that the target does not exist.
    if (runsKernels(request.target) || kindOf(request.target) == nullptr) {
        auto device = openTarget(request.target, request.limits, stop, request.regime, request.countOnly);
        if (!device)
            return device.error();
        prepared.device = std::move(*device);
    }
    auto target = parseTarget(request.target);
    if (!target)
        return target.error();
    prepared.target = std::move(*target);
    if (auto may = requireTarget(info, request.target, prepared.target); !may)
        return may.error();
    if (prepared.target.kind->name == TargetName::Machine) {
        auto machine = openMachine(info, prepared.target.name);
        if (!machine)
            return machine.error();
        prepared.machine = std::move(*machine);
    }
    if (auto read = findInputs(prepared, info, request.keepGoing); !read)
        return read.error();
    return prepared;
}

Json fingerprintOf(const Prepared& prepared, const PointContext::Common& common, Regime regime, const Json& inputs)
{
    const ExperimentInfo& info = prepared.experiment->info();
    const gpu::Device* const device = prepared.device.get();
    Json json = silicon::machineFingerprint();
    if (device != nullptr)
        json["target"] = *device->info().fingerprint;
    else if (const auto& machine = prepared.machine)
        json["target"] = Json{{"simulator", machine->engine},
                              {"engine_version", info.engineVersion},
                              {"version", silicon::appVersion()},
                              {"build", gpu::simulatorBuild()},
                              {"machine", machine->id},
                              {"title", machine->title},
                              {"machine_sha256", machine->digest},
                              {"assumptions", machine->assumed()}};
    else if (prepared.target.kind->onHardware)
        json["target"] = host::describe(host::machine());
    else // nothing of this machine enters
        json["target"] = Json{{"model", "closed form"}, {"version", silicon::appVersion()}};
    json["kernels"] = common.kernels.describe();
    if (info.drawsNothing)
        json["data"] = kSameForEverySeed;
    if (device && device->info().provenance == Provenance::Measured)
        json["regime"] = toText(regime);
    if (!inputs.empty())
        json["inputs"] = inputs;
    return json;
}

Error outOfMemory(const RunRequest& request)
{
    return {"out-of-memory", "the worker ran out of memory", request.experiment + " on " + request.target,
            "take smaller parameters or raise the memory limit"};
}

Error brokenContract(const RunRequest& request, const std::exception& error)
{
    return {"internal", std::string("the experiment broke its contract: ") + error.what(),
            request.experiment + " on " + request.target, "this is a fault of Ridgepoint, please report it"};
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
    const GpuExperiment* const onDevices = experiment.onDevices();
    if (!device || !onDevices)
        return {};
    const auto makeOne = [&](const auto& kernel) -> Result<void> {
        if (auto made = kernels.compile(kernel, device->info()); !made)
            return made;
        if (device->info().provenance == Provenance::Simulated)
            return {};
        auto loaded = kernels.load(kernel, *device);
        return loaded ? Result<void>() : loaded.error();
    };
    for (const std::string& name : onDevices->kernels(point, device->info()))
        if (auto made = makeOne(name); !made)
            return made;
    for (const gpu::KernelSource& source : onDevices->sources(point, device->info()))
        if (auto made = makeOne(source); !made)
            return made;
    return {};
}

/// Errors of one point, as its sample or as the end of the request.
Error ofPoint(Error error, const ExperimentInfo& info, const ParamSet& point, const ParamSet& given)
{
    if (error.place.empty())
        error.place = info.id + " at " + pointText(info, point, given);
    return error;
}

/// The experiment at one point. What it throws ends the request, unless the others are to go on.
Result<void> runPoint(const Experiment& experiment, const ParamSet& point, PointContext& context,
                      const RunRequest& request)
{
    if (!request.keepGoing)
        return experiment.run(point, context);
    try {
        return experiment.run(point, context);
    } catch (const std::bad_alloc&) {
        return outOfMemory(request);
    } catch (const std::exception& error) {
        return brokenContract(request, error);
    }
}

Result<void> runPoints(Prepared& prepared, const RunRequest& request, const EventSink& sink,
                       const gpu::StopRequested& stop, const std::function<Error()>& stopReason, Summary& summary)
{
    const ExperimentInfo& info = prepared.experiment->info();
    const Provenance by = prepared.device ? prepared.device->info().provenance : prepared.target.kind->provenance;
    PointContext::Common common; // its kernels go before the device that holds them
    common.target = prepared.target;
    common.machine = prepared.machine ? &*prepared.machine : nullptr;
    PointCounters counters(info, request, prepared.device.get(), sink, stop);
    for (std::size_t i = 0; i < prepared.points.size(); ++i) {
        if (prepared.refused.contains(i))
            continue;
        auto made = makeKernels(*prepared.experiment, prepared.points[i], prepared.device.get(), common.kernels);
        if (!made && !request.keepGoing)
            return made.error();
        if (!made)
            prepared.refused.emplace(i, made.error());
    }
    std::optional<Json> told; // inputs of the last start: points that read other files have another fingerprint
    const auto start = [&](const Json& inputs) {
        if (told && *told == inputs)
            return;
        told = inputs;
        sink(StartedEvent{info.id, info.version, request.target, by,
                          fingerprintOf(prepared, common, request.regime, inputs), prepared.points.size()});
    };
    for (std::size_t i = 0; i < prepared.points.size(); ++i) {
        if (stop && stop())
            return stopReason();
        const auto failPoint = [&](Error error) {
            if (!told)
                start(Json::object());
            SampleEvent sample{.index = i, .params = prepared.points[i], .validity = "failed"};
            sample.error = ofPoint(std::move(error), info, prepared.points[i], request.points[i]);
            summary.addFailed();
            sink(sample);
        };
        if (const auto refused = prepared.refused.find(i); refused != prepared.refused.end()) {
            failPoint(refused->second);
            continue;
        }
        start(prepared.inputs[i]);
        // Addresses decide over cache slices and banks, and variables keep their values: on a device of its own, a
        // point gives the same bits alone and at any place of a sweep. On a real GPU earlier points leave caches warm
        // in any case, so its device is kept.
        if (i > 0 && prepared.target.kind->simulatesKernels()) {
            common.kernels.unload();
            auto fresh = openTarget(request.target, request.limits, stop, request.regime);
            if (!fresh)
                return fresh.error();
            prepared.device = std::move(*fresh);
        }
        gpu::Device* const device = prepared.device.get();
        PointContext context(info, device, common, request, i, sink, stop);
        context.progress(0, pointText(info, prepared.points[i], request.points[i]));
        const auto ran = runPoint(*prepared.experiment, prepared.points[i], context, request);
        if (!ran) {
            if (stop && stop())
                return stopReason();
            if (!request.keepGoing)
                return ofPoint(ran.error(), info, prepared.points[i], request.points[i]);
            failPoint(ran.error());
            continue;
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
        return failed(outOfMemory(request));
    } catch (const std::exception& error) {
        return failed(brokenContract(request, error));
    }
    for (CheckResult& check : summary.checks())
        sink(CheckEvent{std::move(check)});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    sink(FinishedEvent{summary.validity(), seconds.count()});
    return true;
}

} // namespace ridge::labs
