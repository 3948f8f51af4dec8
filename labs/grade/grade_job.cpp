// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/grade_job.h"

#include "base/kernel_verdict.h"
#include "labs/grade/graded_program.h"
#include "labs/grade/task_reference.h"
#include "labs/kernel/kernel_source.h"
#include "silicon/fingerprint.h"
#include "silicon/roofline.h"

#include <algorithm>

namespace ridge::labs {
namespace {

/// Of the seconds that a request may take, so that one endless launch leaves time to say what it was.
constexpr double kLaunchShare = 0.1;
/// Results that agree with an earlier launch's in so many places are taken for a copy of them.
constexpr double kRepeatedShare = 0.9;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20; ///< of each output, to recognise it by

/// What launches are given, and what must come of it.
struct Given {
    TaskData data;
    std::map<std::string, Expected> expected;
    std::uint64_t roundings = 0;
};

/// One launch of a program and what came of it.
struct Outcome {
    LaunchFacts facts;
    std::map<std::string, std::vector<std::byte>> outputs;
};

bool fatal(const std::vector<gpu::Report>& reports)
{
    return std::any_of(reports.begin(), reports.end(), [](const gpu::Report& report) { return report.fatal; });
}

/// The published roof of a chip. FP32 results may also come from three TF32 products on tensor cores.
GradeRoof publishedRoof(const gpu::DeviceInfo& device)
{
    GradeRoof roof{device.memoryBytesPerSecond, 0, static_cast<double>(device.l2Bytes),
                   "the published roof of " + device.name};
    const auto catalogue = silicon::shippedCatalogue();
    const auto chip = catalogue ? catalogue->find(device.chip) : Result<silicon::Chip>(catalogue.error());
    if (!chip)
        return roof;
    for (const auto& [precision, products] :
         {std::pair(silicon::Precision::Fp32, 1.0), std::pair(silicon::Precision::Tf32, 3.0)})
        if (const auto lines = silicon::roofline(*catalogue, *chip, precision))
            roof.flopsPerSecond = std::max(roof.flopsPerSecond, lines->flopsPerSecond / products);
    return roof;
}

class GradeRun {
public:
    GradeRun(const KernelGradeRequest& request, const EventSink& sink, const gpu::StopRequested& stop)
        : m_request(request), m_sink(sink), m_stop(stop)
    {
    }

    Result<void> run()
    {
        if (auto opened = open(); !opened)
            return opened;
        for (std::size_t at = 0; at < m_request.cases.size() && goesOn(); ++at)
            if (auto watched = watch(at); !watched)
                return watched;
        for (std::size_t at = 0; at < m_request.cases.size(); ++at)
            if (m_request.cases[at].timed && goesOn())
                if (auto warm = warmUp(at); !warm)
                    return warm;
        for (std::size_t at = 0; at < m_request.cases.size(); ++at)
            for (int round = 0; m_request.cases[at].timed && round < m_request.rounds && goesOn(); ++round)
                if (auto timed = time(at, round); !timed)
                    return timed;
        if (auto probed = probe(); !probed)
            return probed;
        if (m_stop && m_stop()) // what was cut short is no grading
            return Error{"cancelled", "the grading was stopped", m_request.target, ""};
        m_sink(KernelEvent{toJson(m_facts)});
        return {};
    }

private:
    Result<void> open()
    {
        auto task = shippedTask(m_request.task);
        if (!task)
            return task.error();
        m_task = std::move(*task);
        RunLimits limits = m_request.limits;
        limits.seconds *= kLaunchShare;
        auto device = openTarget(m_request.target, limits, m_stop);
        if (!device)
            return device.error();
        m_device = std::move(*device);
        const gpu::DeviceInfo& info = m_device->info();
        Json fingerprint = silicon::machineFingerprint();
        fingerprint["target"] = *info.fingerprint;
        m_facts.fingerprint = fingerprint;
        m_sink(StartedEvent{"kernel-grade", 1, m_request.target, info.provenance, std::move(fingerprint), 0});
        m_facts.task = m_task.id;
        m_facts.target = m_request.target;
        m_facts.device = info.name;
        m_facts.provenance = info.provenance;
        m_facts.cases = m_request.cases;
        m_facts.roof = publishedRoof(info);
        m_sink(ProgressEvent{0.02, "compiling"});
        auto learners = GradedProgram::make(*m_device, m_task, m_request.source);
        if (!learners)
            return learners.error();
        m_learners.emplace(std::move(*learners));
        m_facts.compiler = compilerText(m_learners->program());
        m_facts.readsClock = m_learners->readsClock();
        const auto path = m_task.folder / "solution.cu";
        auto solution = readFile(path);
        if (!solution)
            return solution.error();
        auto reference = GradedProgram::make(*m_device, m_task, {path.string(), std::move(*solution), false});
        if (!reference)
            return reference.error();
        m_reference.emplace(std::move(*reference));
        return {};
    }

    bool goesOn() const { return m_facts.stopped.empty() && !(m_stop && m_stop()); }

    void progress(double fraction, const std::string& what) { m_sink(ProgressEvent{fraction, what}); }

    std::uint64_t seedOf(std::size_t at, bool timed, int round) const
    {
        return secretNumber(m_request.secret,
                            "data " + std::to_string(at) + (timed ? " timed " : " watched ") + std::to_string(round));
    }

    static gpu::LaunchOptions options(bool timed)
    {
        gpu::LaunchOptions options;
        options.timeAlone = timed;
        options.check = options.checkGlobalRaces = !timed;
        return options;
    }

    Result<Given> given(Result<TaskData>&& data) const
    {
        if (!data)
            return data.error();
        auto expected = expectedResults(m_task, *data);
        if (!expected)
            return expected.error();
        const auto roundings = wholeAt(m_task.roundings, data->sizes);
        if (!roundings)
            return roundings.error();
        return Given{std::move(*data), std::move(*expected), *roundings};
    }

    /// One launch on buffers of its own, read back and compared.
    Result<Outcome> launch(GradedProgram& program, std::size_t at, const Given& given, bool timed, const char* kind)
    {
        auto buffers = TaskBuffers::make(*m_device, m_task, given.data);
        if (!buffers)
            return buffers.error();
        const auto report = program.launch(m_task, given.data, *buffers, options(timed));
        if (!report)
            return report.error();
        Outcome outcome;
        outcome.facts.at = at;
        outcome.facts.timed = timed;
        outcome.facts.data = kind;
        outcome.facts.printed = report->printed;
        for (const gpu::Report& found : report->reports)
            outcome.facts.reports.emplace_back(gpu::toJson(found));
        if (report->alone) {
            outcome.facts.seconds = report->alone->seconds;
            outcome.facts.wallSeconds = report->alone->wallSeconds;
        }
        if (report->counters)
            outcome.facts.instructions = report->counters->instExecuted;
        if (fatal(report->reports)) {
            m_facts.stopped = "the kernel was stopped: " + report->reports.back().code;
            return outcome;
        }
        auto found = buffers->read();
        if (!found)
            return found.error();
        outcome.facts.inputsChanged = found->inputsChanged;
        outcome.facts.pastEnd = found->pastEnd;
        for (std::size_t i = 0; i < m_task.parameters.size(); ++i) {
            const TaskParameter& parameter = m_task.parameters[i];
            if (parameter.role != TaskParameter::Role::Out)
                continue;
            const Compared compared = compare(parameter, given.roundings, given.expected.at(parameter.name),
                                              given.data.values[i], found->outputs.at(parameter.name));
            outcome.facts.elements += compared.elements;
            outcome.facts.wrong += compared.wrong;
            outcome.facts.unwritten += compared.unwritten;
            outcome.facts.worstRelative = std::max(outcome.facts.worstRelative, compared.worstRelative);
            if (outcome.facts.example.empty())
                outcome.facts.example = compared.example;
        }
        outcome.outputs = std::move(found->outputs);
        return outcome;
    }

    bool repeats(const Outcome& outcome) const
    {
        for (const auto& earlier : m_earlier)
            for (const auto& [name, bytes] : outcome.outputs) {
                const auto& before = earlier.at(name);
                const unsigned size = sizeOf(m_task.find(name)->type);
                const std::size_t count = std::min(before.size(), bytes.size()) / size;
                std::size_t same = 0;
                for (std::size_t i = 0; i < count; ++i)
                    same += std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                                       bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                                       before.begin() + static_cast<std::ptrdiff_t>(i * size))
                                ? 1
                                : 0;
                if (count > 0 && static_cast<double>(same) >= kRepeatedShare * static_cast<double>(count))
                    return true;
            }
        return false;
    }

    void keep(Outcome outcome, const Given& of)
    {
        if (!outcome.outputs.empty() && !outcome.facts.right()) {
            outcome.facts.repeatsEarlier = repeats(outcome);
            if (!m_firstWrong)
                m_firstWrong = Wrong{outcome.facts.at, outcome.facts.timed, of};
        }
        if (!outcome.outputs.empty()) {
            for (auto& [name, bytes] : outcome.outputs)
                bytes.resize(std::min(bytes.size(), kKeptBytes));
            m_earlier.push_back(std::move(outcome.outputs));
        }
        m_facts.launches.push_back(std::move(outcome.facts));
    }

    Result<void> watch(std::size_t at)
    {
        constexpr std::array kinds{DataKind::Plain, DataKind::Biased, DataKind::Wide};
        const DataKind kind = kinds[at % kinds.size()];
        progress(0.1 + 0.5 * static_cast<double>(at) / static_cast<double>(m_request.cases.size()), "checking results");
        const auto prepared = given(drawData(m_task, m_request.cases[at].sizes, kind, seedOf(at, false, 0)));
        if (!prepared)
            return prepared.error();
        auto outcome = launch(*m_learners, at, *prepared, false, toText(kind).data());
        if (!outcome)
            return outcome.error();
        keep(std::move(*outcome), *prepared);
        return {};
    }

    /// A driver loads a kernel when it is launched first: the learner's was when it was watched, the reference's is
    /// now.
    Result<void> warmUp(std::size_t at)
    {
        const auto prepared = given(drawData(m_task, m_request.cases[at].sizes, DataKind::Wide, seedOf(at, false, 2)));
        if (!prepared)
            return prepared.error();
        const auto outcome = launch(*m_reference, at, *prepared, false, toText(DataKind::Wide).data());
        if (!outcome)
            return outcome.error();
        return outcome->facts.right() && outcome->facts.reports.empty() ? Result<void>() : wrongReference(*outcome);
    }

    Error wrongReference(const Outcome& outcome) const
    {
        return {"reference-wrong", "the solution of task " + m_task.id + " fails: " + outcome.facts.example,
                m_request.target, "this is a fault of the task, please report it"};
    }

    /// The reference and the learner's kernel in turn, on equal data in buffers of their own, either of them first.
    /// Where there are detectors the learner's is watched on the same data, too, before or after as the secret says.
    Result<void> time(std::size_t at, int round)
    {
        const DataKind kind = round % 2 == 0 ? DataKind::Plain : DataKind::Biased;
        progress(0.6 + 0.3 * round / m_request.rounds, "timing");
        const auto prepared = given(drawData(m_task, m_request.cases[at].sizes, kind, seedOf(at, true, round)));
        if (!prepared)
            return prepared.error();
        // Whoever tells a timed launch by its size, its data or its place in the order would leave out a barrier there.
        const bool watchable = m_facts.provenance != Provenance::Measured;
        const bool watchFirst =
            secretNumber(m_request.secret, "watch " + std::to_string(at) + " " + std::to_string(round)) % 2 == 0;
        const auto watched = [&]() -> Result<void> {
            auto outcome = launch(*m_learners, at, *prepared, false, toText(kind).data());
            if (!outcome)
                return outcome.error();
            keep(std::move(*outcome), *prepared);
            return {};
        };
        if (watchable && watchFirst)
            if (auto done = watched(); !done || !goesOn())
                return done;
        std::optional<Outcome> own, reference;
        for (const bool learners : {round % 2 == 1, round % 2 == 0}) {
            auto outcome = launch(learners ? *m_learners : *m_reference, at, *prepared, true, toText(kind).data());
            if (!outcome)
                return outcome.error();
            (learners ? own : reference) = std::move(*outcome);
            if (!m_facts.stopped.empty())
                break;
        }
        if (reference && !reference->facts.right())
            return wrongReference(*reference);
        if (!own)
            return {};
        if (reference) {
            own->facts.referenceSeconds = reference->facts.seconds;
            own->facts.referenceInstructions = reference->facts.instructions;
        }
        keep(std::move(*own), *prepared);
        return watchable && !watchFirst && goesOn() ? watched() : Result<void>();
    }

    /// Whether a program without a past gets this right.
    Result<bool> rightAfresh(std::size_t at, const Given& of, bool timed)
    {
        if (auto loaded = m_learners->reload(); !loaded)
            return loaded.error();
        const auto outcome = launch(*m_learners, at, of, timed, "probe");
        if (!outcome)
            return outcome.error();
        return outcome->facts.right();
    }

    /// Something came out wrong: what would have been right tells why.
    Result<void> probe()
    {
        if (!m_firstWrong || !goesOn())
            return {};
        progress(0.92, "looking for the cause");
        const Wrong& wrong = *m_firstWrong;
        const auto put = [](std::optional<bool>& to, Result<bool>&& from) -> Result<void> {
            if (!from)
                return from.error();
            to = *from;
            return {};
        };
        GradeProbes& probes = m_facts.probes;
        if (auto done = put(probes.alone, rightAfresh(wrong.at, wrong.given, wrong.timed)); !done || !goesOn())
            return done;
        if (*probes.alone)
            return {};
        if (wrong.timed)
            if (auto done = put(probes.untimed, rightAfresh(wrong.at, wrong.given, false)); !done || !goesOn())
                return done;
        if (auto done = put(probes.constantData, rightAtVisible([&](const ParamSet& sizes) {
                                return drawData(m_task, sizes, DataKind::Constant, seedOf(wrong.at, false, 1));
                            }));
            !done || !goesOn())
            return done;
        return put(probes.publicData, rightAtVisible([&](const ParamSet& sizes) { return publicData(m_task, sizes); }));
    }

    Result<bool> rightAtVisible(const std::function<Result<TaskData>(const ParamSet&)>& dataAt)
    {
        for (std::size_t at = 0; at < m_task.visible.size() && goesOn(); ++at) {
            const auto prepared = given(dataAt(m_task.visible[at]));
            if (!prepared)
                return prepared.error();
            const auto right = rightAfresh(at, *prepared, false);
            if (!right || !*right)
                return right;
        }
        return goesOn();
    }

    struct Wrong {
        std::size_t at = 0;
        bool timed = false;
        Given given;
    };

    const KernelGradeRequest& m_request;
    const EventSink& m_sink;
    const gpu::StopRequested& m_stop;
    KernelTask m_task;
    std::unique_ptr<gpu::Device> m_device;
    std::optional<GradedProgram> m_learners, m_reference;
    GradeFacts m_facts;
    std::vector<std::map<std::string, std::vector<std::byte>>> m_earlier;
    std::optional<Wrong> m_firstWrong;
};

} // namespace

Result<void> gradeKernel(const KernelGradeRequest& request, const EventSink& sink, const gpu::StopRequested& stop)
{
    return GradeRun(request, sink, stop).run();
}

} // namespace ridge::labs
