// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/grade_job.h"
#include "gpu/open_choices.h"
#include "gpu/targets/target_list.h"

#include "base/kernel_verdict.h"
#include "base/target_kind.h"
#include "labs/grade/earlier_outputs.h"
#include "labs/grade/graded_chip.h"
#include "labs/grade/graded_program.h"
#include "labs/grade/task_inputs.h"
#include "labs/grade/told_values.h"
#include "labs/kernel/kernel_source.h"
#include "silicon/chip_catalogue.h"
#include "silicon/fingerprint.h"

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

/// Of the seconds that a request may take, so that one endless launch leaves time to say what it was.
constexpr double kLaunchShare = 0.1;
/// Launches on data of which a part was altered: a kernel that knows data again by one number in a hundred is caught by
/// one of them.
constexpr int kAltered = 3;

/// How a launch is run.
enum class How : std::uint8_t {
    Watched,
    Backwards, ///< watched, the last warp and the last block first
    Counted,
    Timed
};

bool isWatched(How how)
{
    return how == How::Watched || how == How::Backwards;
}

/// What launches are given, and what must come of it.
struct Given {
    TaskData data;
    std::map<std::string, Expected> expected;
    std::uint64_t roundings = 0;
};

/// One launch of a program and what came of it.
struct Outcome {
    LaunchFacts facts;
    How how = How::Watched;
    Outputs outputs;
};

bool fatal(const std::vector<gpu::Report>& reports)
{
    return std::any_of(reports.begin(), reports.end(), [](const gpu::Report& report) { return report.fatal; });
}

/// The first launch whose results were wrong, in the usual order where there is one.
struct Wrong {
    std::size_t at = 0;
    How how = How::Watched;
    bool aPast = false;
    Given given;

    bool timed() const { return how == How::Timed; }
};

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
            if (m_request.cases[at].timed && goesOn() && blameless())
                if (auto replayed = replay(at); !replayed)
                    return replayed;
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
        Json document = toJson(m_facts);
        document["values"] = std::move(m_values);
        m_sink(KernelEvent{std::move(document)});
        return {};
    }

private:
    Result<void> open()
    {
        auto task = shippedTask(m_request.task);
        if (!task)
            return task.error();
        m_task = std::move(*task);
        auto opened = openDevice();
        if (!opened)
            return opened.error();
        m_device = std::move(*opened);
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
        m_unwritten = 0x7fc0'7e00u | (static_cast<std::uint32_t>(seedOf(0, "unwritten", 0)) & 0x003f'01ffu);
        m_facts.roof = publishedRoof(info);
        if (isSimulated())
            if (const auto catalogue = silicon::shippedCatalogue())
                if (std::string clocked = gpu::nearestClockedTarget(*catalogue, info.chip);
                    clocked != simulatorTarget(info.chip))
                    m_facts.clockTarget = std::move(clocked);
        m_sink(ProgressEvent{0.02, "compiling"});
        auto learners = GradedProgram::make(m_device, m_task, m_request.source);
        if (!learners)
            return learners.error();
        m_learners.emplace(std::move(*learners));
        m_facts.compiler = compilerText(m_learners->program());
        m_facts.readsClock = m_learners->readsClock();
        const auto path = m_task.folder / "solution.cu";
        auto solution = readFile(path);
        if (!solution)
            return solution.error();
        auto reference = GradedProgram::make(m_device, m_task, {path.string(), std::move(*solution), false});
        if (!reference)
            return reference.error();
        m_reference.emplace(std::move(*reference));
        return {};
    }

    Result<std::shared_ptr<gpu::Device>> openDevice() const
    {
        RunLimits limits = m_request.limits;
        limits.seconds *= kLaunchShare;
        auto device = openTarget(m_request.target, limits, m_stop);
        if (!device)
            return device.error();
        return std::shared_ptr<gpu::Device>(std::move(*device));
    }

    bool isSimulated() const { return m_facts.provenance != Provenance::Measured; }

    /// Gives a program a life without a past: all of its variables as they were compiled, and on a simulated chip a
    /// device of its own, so that neither an address nor what was allocated in a kernel tells how many launches there
    /// were. A GPU there is only one of: what a kernel finds there is of launches on other data.
    Result<void> afresh(GradedProgram& program) const
    {
        if (!isSimulated())
            return program.reload(m_device);
        auto device = openDevice();
        if (!device)
            return device.error();
        return program.reload(std::move(*device));
    }

    /// Whether there is nothing yet that it would be rejected for.
    bool blameless() const
    {
        return std::all_of(m_facts.launches.begin(), m_facts.launches.end(), [](const LaunchFacts& launch) {
            return launch.right() && launch.reports.empty() && launch.inputsChanged.empty() && !launch.pastEnd;
        });
    }

    bool goesOn() const { return m_facts.stopped.empty() && !(m_stop && m_stop()); }

    void progress(double fraction, const std::string& what) { m_sink(ProgressEvent{fraction, what}); }

    std::uint64_t seedOf(std::size_t at, const char* what, int round) const
    {
        return secretNumber(m_request.secret, "data " + std::to_string(at) + " " + what + " " + std::to_string(round));
    }

    static gpu::LaunchOptions options(How how)
    {
        gpu::LaunchOptions options;
        options.timeAlone = how == How::Timed;
        options.check = options.checkGlobalRaces = isWatched(how);
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
    Result<Outcome> launch(GradedProgram& program, std::size_t at, const Given& given, How how, std::string_view kind)
    {
        auto buffers = TaskBuffers::make(program.device(), m_task, given.data);
        if (!buffers)
            return buffers.error();
        gpu::choose(program.device(), {how == How::Backwards, m_unwritten, buffers->inputs()});
        const auto report = program.launch(m_task, given.data, *buffers, options(how));
        if (!report)
            return report.error();
        Outcome outcome;
        outcome.how = how;
        outcome.facts.at = at;
        outcome.facts.timed = how == How::Timed;
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

    /// Whether the results are right for other data of the same sizes.
    bool fits(const Outcome& outcome, const Given& other) const
    {
        for (std::size_t i = 0; i < m_task.parameters.size(); ++i) {
            const TaskParameter& parameter = m_task.parameters[i];
            if (parameter.role == TaskParameter::Role::Out &&
                compare(parameter, other.roundings, other.expected.at(parameter.name), other.data.values[i],
                        outcome.outputs.at(parameter.name))
                        .wrong > 0)
                return false;
        }
        return true;
    }

    /// `aPast`: launches before it may have left something; `before`: the data of the one directly before it.
    void keep(Outcome outcome, const Given& of, bool aPast, const Given* before = nullptr)
    {
        if (!outcome.outputs.empty() && !outcome.facts.right()) {
            outcome.facts.repeatsEarlier =
                aPast && (m_earlier.repeatedIn(outcome.outputs) || (before != nullptr && fits(outcome, *before)));
            if (!m_firstWrong)
                m_values = toldValues(m_task, of.data, of.expected, of.roundings, outcome.outputs);
            // One that is wrong in the usual order says more: the other may be so by a race alone.
            if (!m_firstWrong || (m_firstWrong->how == How::Backwards && outcome.how != How::Backwards))
                m_firstWrong = Wrong{outcome.facts.at, outcome.how, aPast, of};
        } else if (!outcome.outputs.empty() && m_values.is_null()) {
            m_values = toldValues(m_task, of.data, of.expected, of.roundings, outcome.outputs);
        }
        m_earlier.add(std::move(outcome.outputs));
        m_facts.launches.push_back(std::move(outcome.facts));
    }

    /// In turn forwards and backwards: a result that only one of them gives is a race, though every access is an atomic
    /// one, and no detector speaks.
    static How watchedAt(std::size_t turn) { return turn % 2 == 0 ? How::Watched : How::Backwards; }

    Result<void> watch(std::size_t at)
    {
        constexpr std::array kinds{DataKind::Plain, DataKind::Biased, DataKind::Wide};
        // The timed size sees the others when times are taken.
        const DataKind kind = m_request.cases[at].timed ? DataKind::Wide : kinds[at % kinds.size()];
        progress(0.1 + 0.5 * static_cast<double>(at) / static_cast<double>(m_request.cases.size()), "checking results");
        const auto prepared = given(drawData(m_task, m_request.cases[at].sizes, kind, seedOf(at, "watched", 0)));
        if (!prepared)
            return prepared.error();
        auto outcome = launch(*m_learners, at, *prepared, watchedAt(at), toText(kind));
        if (!outcome)
            return outcome.error();
        keep(std::move(*outcome), *prepared, true);
        return {};
    }

    /// Whether the kernel hands out what it kept (ReplayFacts). Positive data, so that numbers with the other sign
    /// change every sum they are in by more than roundings do.
    Result<void> replay(std::size_t at)
    {
        progress(0.6, "looking for what it keeps");
        const auto drawn = [&](int round) {
            return given(drawData(m_task, m_request.cases[at].sizes, DataKind::Biased, seedOf(at, "new", round)));
        };
        auto prepared = drawn(0);
        if (!prepared)
            return prepared.error();
        std::vector<std::optional<std::uint64_t>> counts;
        for (const char* kind : {"new", "again"}) {
            auto outcome = launch(*m_learners, at, *prepared, How::Counted, kind);
            if (!outcome)
                return outcome.error();
            counts.push_back(outcome->facts.instructions);
            keep(std::move(*outcome), *prepared, true);
            if (!goesOn())
                return {};
        }
        for (int round = 0; round < kAltered; ++round) {
            auto other = given(altered(m_task, prepared->data, seedOf(at, "altered", round)));
            if (!other)
                return other.error();
            auto outcome = launch(*m_learners, at, *other, How::Counted, "altered");
            if (!outcome)
                return outcome.error();
            keep(std::move(*outcome), *other, true, &*prepared);
            if (!goesOn())
                return {};
            prepared = std::move(other);
        }
        if (!counts[0] || !counts[1])
            return {};
        m_facts.replay = ReplayFacts{*counts[0], *counts[1]};
        if (static_cast<double>(*counts[1]) >= kReplayShare * static_cast<double>(*counts[0]))
            return {};
        // A launch may also be shorter because of how many there were before it. Then the next one is, whatever its
        // data.
        const auto data = drawn(1);
        if (!data)
            return data.error();
        auto outcome = launch(*m_learners, at, *data, How::Counted, "new");
        if (!outcome)
            return outcome.error();
        m_facts.replay->fresh = std::min(*counts[0], outcome->facts.instructions.value_or(0));
        keep(std::move(*outcome), *data, true, &*prepared);
        return {};
    }

    /// What a GPU and its driver do at the first launch of all they have done when times are taken.
    Result<void> warmUp(std::size_t at)
    {
        if (isSimulated())
            return {};
        const auto prepared = given(drawData(m_task, m_request.cases[at].sizes, DataKind::Wide, seedOf(at, "warm", 0)));
        if (!prepared)
            return prepared.error();
        const auto outcome = launch(*m_reference, at, *prepared, How::Counted, toText(DataKind::Wide));
        if (!outcome)
            return outcome.error();
        return outcome->facts.right() && outcome->facts.reports.empty() ? Result<void>() : wrongReference(*outcome);
    }

    Error wrongReference(const Outcome& outcome) const
    {
        return {"reference-wrong", "the solution of task " + m_task.id + " fails: " + outcome.facts.example,
                m_request.target, "this is a fault of the task, please report it"};
    }

    /// The reference and the learner's kernel in turn, either of them first, each loaded anew and on data that no other
    /// timed launch has: nobody can know more than what there is to be computed. Where there are detectors the
    /// learner's is then watched in the very same position, on the same data.
    Result<void> time(std::size_t at, int round)
    {
        const DataKind kind = round % 2 == 0 ? DataKind::Plain : DataKind::Biased;
        progress(0.6 + 0.3 * round / m_request.rounds, "timing");
        const auto drawn = [&](const char* whose) {
            return given(drawData(m_task, m_request.cases[at].sizes, kind, seedOf(at, whose, round)));
        };
        const auto prepared = drawn("timed"), references = drawn("reference");
        if (!prepared || !references)
            return !prepared ? prepared.error() : references.error();
        const auto run = [&](GradedProgram& program, const Given& data, How how) -> Result<Outcome> {
            if (auto loaded = afresh(program); !loaded)
                return loaded.error();
            return launch(program, at, data, how, toText(kind));
        };
        std::optional<Outcome> own, reference;
        for (const bool learners : {round % 2 == 1, round % 2 == 0}) {
            auto outcome =
                learners ? run(*m_learners, *prepared, How::Timed) : run(*m_reference, *references, How::Timed);
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
        keep(std::move(*own), *prepared, false);
        if (!isSimulated() || !goesOn())
            return {};
        // Whoever tells a timed launch by its size or its data would leave out a barrier there.
        auto watched = run(*m_learners, *prepared, watchedAt(static_cast<std::size_t>(round)));
        if (!watched)
            return watched.error();
        keep(std::move(*watched), *prepared, false);
        return {};
    }

    /// Whether a program without a past gets this right.
    Result<bool> rightAfresh(std::size_t at, const Given& of, How how) { return rightAfresh(*m_learners, at, of, how); }
    Result<bool> rightAfresh(GradedProgram& program, std::size_t at, const Given& of, How how)
    {
        if (auto loaded = afresh(program); !loaded)
            return loaded.error();
        const auto outcome = launch(program, at, of, how, "probe");
        if (!outcome)
            return outcome.error();
        return outcome->facts.right();
    }

    /// What no detector saw, told as one would, of all wrong launches.
    void accuse(const char* code, std::string message, std::string lookFor)
    {
        gpu::Report report;
        report.code = code;
        report.message = std::move(message);
        report.lookFor = std::move(lookFor);
        accuse(std::move(report));
    }
    void accuse(gpu::Report report)
    {
        report.kernel = m_task.kernel;
        for (LaunchFacts& launch : m_facts.launches)
            if (!launch.right() && launch.reports.empty())
                launch.reports.emplace_back(gpu::toJson(report));
    }

    /// Whether it is right where memory that nobody wrote is zero.
    Result<bool> countsOnZeros(const Wrong& wrong)
    {
        const std::uint32_t unwritten = std::exchange(m_unwritten, 0);
        const auto right = rightAfresh(wrong.at, wrong.given, wrong.how);
        m_unwritten = unwritten;
        if (!right || !*right || !goesOn())
            return right;
        const auto again = rightAfresh(wrong.at, wrong.given, wrong.how);
        if (!again)
            return again.error();
        if (!*again)
            accuse("uninitialised-read",
                   "the results are right only where shared memory is zero before anybody writes there",
                   "A counter or a sum in shared memory that no thread sets to zero.");
        return !*again;
    }

    /// Whether two orders of warps and blocks, both of them legal, give different results.
    Result<bool> dependsOnOrder(const Wrong& wrong)
    {
        std::vector<Outcome> outcomes;
        for (const How how : {How::Watched, How::Backwards}) {
            if (auto loaded = afresh(*m_learners); !loaded)
                return loaded.error();
            auto outcome = launch(*m_learners, wrong.at, wrong.given, how, "probe");
            if (!outcome)
                return outcome.error();
            if (!goesOn() || outcome->outputs.empty())
                return false;
            outcomes.push_back(std::move(*outcome));
        }
        const bool differ = outcomes[0].facts.right() != outcomes[1].facts.right() ||
                            (!outcomes[0].facts.right() && !agree(wrong.given, outcomes[0], outcomes[1]));
        if (differ)
            accuse("global-race",
                   "the results depend on the order in which warps and blocks run; nothing makes the one that reads "
                   "wait for those that write",
                   "A missing __syncthreads() between warps, or a block that counts on others being done without a "
                   "ticket or a flag that it waits for.");
        return differ;
    }

    /// Whether two launches gave the same, but for roundings. What is no number in both is the same.
    bool agree(const Given& given, const Outcome& one, const Outcome& other) const
    {
        for (std::size_t i = 0; i < m_task.parameters.size(); ++i) {
            const TaskParameter& parameter = m_task.parameters[i];
            if (parameter.role != TaskParameter::Role::Out)
                continue;
            const auto &first = one.outputs.at(parameter.name), &second = other.outputs.at(parameter.name);
            Expected expected = given.expected.at(parameter.name);
            const double allowed = allowedError(parameter.type, given.roundings);
            for (std::size_t at = 0; at < expected.values.size(); ++at) {
                expected.values[at] = valueAt(parameter.type, first, at);
                const double found = valueAt(parameter.type, second, at);
                if ((std::isfinite(found) || std::isfinite(expected.values[at])) &&
                    !isRight(found, expected, at, allowed))
                    return false;
            }
        }
        return true;
    }

    /// Something came out wrong: what would have been right tells why.
    Result<void> probe()
    {
        if (!m_firstWrong || !goesOn())
            return {};
        progress(0.92, "looking for the cause");
        if (const auto unfilled = m_learners->unfilled(); !unfilled.empty()) {
            accuse(unfilled.front());
            return {};
        }
        const Wrong& wrong = *m_firstWrong;
        const auto put = [](std::optional<bool>& to, Result<bool>&& from) -> Result<void> {
            if (!from)
                return from.error();
            to = *from;
            return {};
        };
        GradeProbes& probes = m_facts.probes;
        const auto alone = [&]() -> Result<void> {
            return wrong.aPast && !probes.alone ? put(probes.alone, rightAfresh(wrong.at, wrong.given, wrong.how))
                                                : Result<void>();
        };
        if (wrong.how == How::Watched)
            if (auto done = alone(); !done || !goesOn() || probes.alone == true)
                return done;
        if (isSimulated() && isWatched(wrong.how)) {
            for (const auto& question : {&GradeRun::countsOnZeros, &GradeRun::dependsOnOrder}) {
                const auto known = (this->*question)(wrong);
                if (!known)
                    return known.error();
                if (*known || !goesOn())
                    return {};
            }
        }
        if (auto done = alone(); !done || !goesOn() || probes.alone == true)
            return done;
        if (wrong.timed())
            if (auto done = put(probes.untimed, rightAfresh(wrong.at, wrong.given, How::Watched)); !done || !goesOn())
                return done;
        const auto drawn = [&](DataKind kind) {
            return [&, kind](const ParamSet& sizes) {
                return drawData(m_task, sizes, kind, seedOf(wrong.at, "probe", static_cast<int>(kind)));
            };
        };
        const auto exact = exactWithFewBits(wrong, drawn(DataKind::FewBits));
        if (!exact)
            return exact.error();
        if (*exact && goesOn())
            if (auto done = put(probes.fewBits, rightWithFewBits(wrong, drawn(DataKind::FewBits))); !done)
                return done;
        if (!goesOn())
            return {};
        if (auto done = put(probes.constantData, rightAtVisible(drawn(DataKind::Constant))); !done || !goesOn())
            return done;
        if (auto done = put(probes.secretData, rightAtVisible(drawn(DataKind::Plain))); !done || !goesOn())
            return done;
        return put(probes.publicData, rightAtVisible([&](const ParamSet& sizes) { return publicData(m_task, sizes); }));
    }

    using DataAt = std::function<Result<TaskData>(const ParamSet&)>;

    /// Whether our own solution has no rounding where numbers have few bits: where it has, as every root and every
    /// exponential, such numbers tell nothing.
    Result<bool> exactWithFewBits(const Wrong& wrong, const DataAt& dataAt)
    {
        auto prepared = given(dataAt(m_request.cases[wrong.at].sizes));
        if (!prepared)
            return prepared.error();
        prepared->roundings = 0;
        return rightAfresh(*m_reference, wrong.at, *prepared, How::Counted);
    }

    /// Numbers of which no format loses a bit leave no room for roundings.
    Result<bool> rightWithFewBits(const Wrong& wrong, const DataAt& dataAt)
    {
        auto prepared = given(dataAt(m_request.cases[wrong.at].sizes));
        if (!prepared)
            return prepared.error();
        prepared->roundings = 0;
        const auto right = rightAfresh(wrong.at, *prepared, wrong.how);
        if (!right || !*right)
            return right;
        return rightAtVisible(dataAt, true);
    }

    Result<bool> rightAtVisible(const DataAt& dataAt, bool exactly = false)
    {
        for (std::size_t at = 0; at < m_task.visible.size() && goesOn(); ++at) {
            auto prepared = given(dataAt(m_task.visible[at]));
            if (!prepared)
                return prepared.error();
            if (exactly)
                prepared->roundings = 0;
            const auto right = rightAfresh(at, *prepared, How::Watched);
            if (!right || !*right)
                return right;
        }
        return goesOn();
    }

    const KernelGradeRequest& m_request;
    const EventSink& m_sink;
    const gpu::StopRequested& m_stop;
    KernelTask m_task;
    std::shared_ptr<gpu::Device> m_device;
    std::optional<GradedProgram> m_learners, m_reference;
    GradeFacts m_facts;
    EarlierOutputs m_earlier;
    std::optional<Wrong> m_firstWrong;
    std::uint32_t m_unwritten = 0; ///< what shared memory holds before somebody writes it: no number, and a secret
    Json m_values;                 ///< toldValues() of the first launch, or of the first whose results were wrong
};

} // namespace

Result<void> gradeKernel(const KernelGradeRequest& request, const EventSink& sink, const gpu::StopRequested& stop)
{
    return GradeRun(request, sink, stop).run();
}

} // namespace ridge::labs
