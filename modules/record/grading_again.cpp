// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/grading_again.h"

#include "base/json.h"
#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace ridge::record {
namespace {

constexpr const char* kExperiment = "kernel-grade";
/// Figures are doubles that went through a file as text and back.
constexpr double kSameFigure = 1e-9;

/// A grading with its verdict.
struct Judged {
    KeptGrading grading;
    GradeVerdict verdict;
};

Result<Judged> judged(const KeptGrading& grading)
{
    const auto task = shippedTask(grading.facts.task);
    if (!task)
        return task.error();
    return Judged{grading, judge(*task, grading.facts)};
}

std::optional<double> figureOf(const ArtifactRow& artifact, const std::string& name)
{
    if (artifact.figures->is_array())
        for (const Json& figure : *artifact.figures)
            if (figure.is_object() && figure.value("name", Json()) == name && figure.value("value", Json()).is_number())
                return figure["value"].get<double>();
    return std::nullopt;
}

std::string reasonsOf(const GradeVerdict& verdict)
{
    std::set<std::string> ids;
    for (const GradeReason& reason : verdict.reasons)
        ids.insert(reason.id);
    std::string text;
    for (const std::string& id : ids)
        text += (text.empty() ? "" : ", ") + id;
    return text.empty() ? "accepted" : text;
}

/// A grading in the form of a run, so that hardware, versions and noise are told as they are for runs.
RunRow asRun(const char* cases, const std::string& target, Provenance provenance, const JsonValue& fingerprint)
{
    RunRow run;
    run.id = cases;
    run.experiment = kExperiment;
    run.version = 1;
    run.target = target;
    run.provenance = provenance;
    run.validity = "valid";
    run.status = "finished";
    run.fingerprint = fingerprint;
    return run;
}

void put(RunRow& run, const char* name, const std::optional<double>& value, const char* unit)
{
    if (value)
        run.metrics[name] = {*value, unit, run.provenance};
}

void putVerdict(RunRow& run, const GradeVerdict& verdict)
{
    put(run, "accepted", verdict.accepted ? 1 : 0, "1");
    put(run, "points", verdict.points, "points");
    put(run, "instruction_ratio", verdict.instructionRatio, "1");
    put(run, "time_ratio", verdict.timeRatio, "1");
}

double quantile(const std::vector<double>& sorted, double share)
{
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void putLaunches(RunRow& run, const GradeFacts& facts)
{
    double wrong = 0, instructions = 0;
    bool counted = false;
    std::vector<double> seconds;
    for (const LaunchFacts& launch : facts.launches) {
        wrong += static_cast<double>(launch.wrong);
        if (launch.instructions) {
            instructions += static_cast<double>(*launch.instructions);
            counted = true;
        }
        if (launch.timed && launch.seconds && std::isfinite(*launch.seconds))
            seconds.push_back(*launch.seconds);
    }
    put(run, "wrong_results", wrong, "1");
    if (counted)
        put(run, "instructions", instructions, "1");
    if (seconds.empty())
        return;
    std::sort(seconds.begin(), seconds.end());
    put(run, "time", quantile(seconds, 0.5), "s");
    if (facts.provenance == Provenance::Measured)
        put(run, "time_iqr", quantile(seconds, 0.75) - quantile(seconds, 0.25), "s");
}

/// What a measured grading is held to; races give another number of wrong results each time.
const Headline& headline()
{
    static const Headline all{{kExperiment, {"accepted", "instruction_ratio", "time_ratio", "time"}}};
    return all;
}

RunRow runOf(const char* cases, const Judged& grading, const JsonValue& fingerprint)
{
    const GradeFacts& facts = grading.grading.facts;
    RunRow run = asRun(cases, facts.target, facts.provenance, fingerprint);
    putVerdict(run, grading.verdict);
    putLaunches(run, facts);
    return run;
}

std::string gradedOn(const ArtifactRow& artifact)
{
    const Json& machine = *artifact.fingerprint;
    const Json on = machine.is_object() ? machine.value(kGradedOn, Json()) : Json();
    return on.is_string() ? on.get<std::string>() : std::string();
}

/// Of a kernel without a kept grading: its figures. Another version, since other cases had other data.
RunRow figuresAsRun(const ArtifactRow& artifact)
{
    RunRow run = asRun(kOtherCases, gradedOn(artifact), artifact.provenance, artifact.fingerprint);
    run.version = 0;
    for (const char* name : {"points", "instruction_ratio", "time_ratio"})
        put(run, name, figureOf(artifact, name), std::string_view(name) == "points" ? "points" : "1");
    put(run, "accepted", figureOf(artifact, "points").value_or(0) > 0 ? 1 : 0, "1");
    return run;
}

class Comparing {
public:
    explicit Comparing(const ArtifactRow& artifact) : m_artifact(artifact) {}

    void sameCases(const Judged& before, const Judged& now, const JsonValue& fingerprint)
    {
        add(runOf(kSameCases, before, m_artifact.fingerprint), runOf(kSameCases, now, fingerprint));
        const std::string then = reasonsOf(before.verdict), today = reasonsOf(now.verdict);
        if (then != today) {
            note("graded then: " + then + "; now: " + today);
            worsen(m_sameHardware || before.verdict.accepted != now.verdict.accepted ? "not reproduced"
                                                                                     : "different hardware");
        }
    }
    /// Of other cases, whether they are accepted as well.
    void otherCases(const Judged& before, const Judged& now, const JsonValue& fingerprint)
    {
        RunRow then =
                   asRun(kOtherCases, now.grading.facts.target, now.grading.facts.provenance, m_artifact.fingerprint),
               today = then;
        today.fingerprint = fingerprint;
        put(then, "accepted", before.verdict.accepted ? 1 : 0, "1");
        put(today, "accepted", now.verdict.accepted ? 1 : 0, "1");
        add(then, today);
        if (before.verdict.accepted != now.verdict.accepted)
            note("on cases drawn anew: " + reasonsOf(now.verdict));
    }
    void figures(const Judged& now, const JsonValue& fingerprint)
    {
        note("no grading was kept with it, so its figures are compared with those of other cases");
        RunRow then = figuresAsRun(m_artifact), today = runOf(kOtherCases, now, fingerprint);
        today.target = then.target.empty() ? today.target : then.target;
        add(then, today);
    }
    void refuse(const std::string& why)
    {
        note(why);
        worsen("not reproduced");
    }
    Comparison take() { return std::move(m_all); }

private:
    void add(const RunRow& before, const RunRow& now)
    {
        const RepeatedRun run{before, now};
        Comparison one = compareRuns({&run, 1}, headline());
        m_sameHardware = sameHardware(before, now);
        for (ReproductionPair& pair : one.pairs) {
            pair.newRun.clear();
            // What a kernel computes is right or wrong on every machine.
            if (pair.metric == "accepted" && pair.before != pair.now)
                pair.verdict = "not reproduced";
            worsen(pair.verdict);
            m_all.pairs.push_back(std::move(pair));
        }
        for (std::string& text : one.notes)
            if (!text.starts_with("version of the experiment"))
                note(std::move(text));
    }
    void worsen(const std::string& verdict)
    {
        static const std::vector<std::string> order{"reproduced", "within noise", "different hardware",
                                                    "not reproduced"};
        const auto rank = [](const std::string& one) { return std::find(order.begin(), order.end(), one); };
        if (m_all.verdict.empty() || rank(verdict) > rank(m_all.verdict))
            m_all.verdict = verdict;
    }
    void note(std::string text)
    {
        if (std::find(m_all.notes.begin(), m_all.notes.end(), text) == m_all.notes.end())
            m_all.notes.push_back(std::move(text));
    }

    const ArtifactRow& m_artifact;
    Comparison m_all;
    bool m_sameHardware = true;
};

std::string differentText(const ArtifactRow& artifact, const std::string& sha256)
{
    return artifact.code.empty() || artifact.code.front().sha256 != sha256
               ? "the code that stands there is not the text that was graded"
               : std::string();
}

} // namespace

Json toJson(const GradedAgain& again)
{
    return Json{{"fingerprint", *again.fingerprint},
                {"same", again.same ? toJson(*again.same) : Json()},
                {"other", toJson(again.other)}};
}

Result<GradedAgain> gradedAgainFromJson(const Json& json)
{
    if (!json.is_object() || !json.contains("other") || !json.contains("same") || !json.contains("fingerprint"))
        return Error{"bad-row", "is no kernel that was graded again", "reproduction.grading", ""};
    GradedAgain again;
    again.fingerprint = json["fingerprint"];
    if (!json["same"].is_null()) {
        auto same = keptGradingFromJson(json["same"]);
        if (!same)
            return same.error();
        again.same = std::move(*same);
    }
    auto other = keptGradingFromJson(json["other"]);
    if (!other)
        return other.error();
    again.other = std::move(*other);
    return again;
}

std::optional<std::string> whyNotItsGrading(const ArtifactRow& artifact)
{
    if (artifact.grading->is_null())
        return std::string();
    const auto kept = keptGradingFromJson(*artifact.grading);
    const auto own = kept ? judged(*kept) : Result<Judged>(kept.error());
    if (!own)
        return "the grading that was kept cannot be read: " + own.error().message;
    if (std::string why = differentText(artifact, kept->sourceSha256); !why.empty())
        return why;
    if (kGradedKernelPrefix + kept->facts.task != artifact.lesson)
        return "the grading that was kept is of the task " + kept->facts.task;
    const GradeVerdict& verdict = own->verdict;
    const std::pair<const char*, std::optional<double>> figures[] = {{"points", verdict.points},
                                                                     {kPointsOf, pointsOf(verdict)},
                                                                     {"instruction_ratio", verdict.instructionRatio},
                                                                     {"time_ratio", verdict.timeRatio}};
    for (const auto& [name, value] : figures) {
        const auto told = figureOf(artifact, name);
        if (told.has_value() != value.has_value() ||
            (told && std::abs(*told - *value) > kSameFigure * std::max(1.0, std::abs(*value))))
            return std::string(name) + " stands there as " + (told ? formatNumber(*told) : "nothing") +
                   ", the grading that was kept gives " + (value ? formatNumber(*value) : "nothing");
    }
    return std::nullopt;
}

Result<Comparison> compareGradings(const ArtifactRow& artifact, const GradedAgain& again)
{
    const auto other = judged(again.other);
    if (!other)
        return other.error();
    Comparing all(artifact);
    for (const KeptGrading* each : {again.same ? &*again.same : nullptr, &again.other})
        if (each != nullptr)
            if (const std::string why = differentText(artifact, each->sourceSha256); !why.empty())
                all.refuse(why);
    const auto kept =
        artifact.grading->is_null() ? Result<KeptGrading>(Error{}) : keptGradingFromJson(*artifact.grading);
    if (!kept || !again.same) {
        all.figures(*other, again.fingerprint);
        return all.take();
    }
    const auto before = judged(*kept), now = judged(*again.same);
    if (!before || !now)
        return !before ? before.error() : now.error();
    all.sameCases(*before, *now, again.fingerprint);
    all.otherCases(*before, *other, again.fingerprint);
    if (const auto why = whyNotItsGrading(artifact))
        all.refuse(*why);
    return all.take();
}

std::optional<bool> sameGradedRatio(const ArtifactRow& artifact, const GradedAgain& again)
{
    const auto now = judged(again.same ? *again.same : again.other);
    const auto then = figureOf(artifact, "time_ratio");
    if (!now || !now->verdict.timeRatio || !then)
        return std::nullopt;
    if (artifact.provenance != Provenance::Measured || now->grading.facts.provenance != Provenance::Measured)
        return false;
    // The reference is the first run that the ratio is set against.
    RunRow reference = asRun(kSameCases, "", Provenance::Measured, {}), own = reference, ownNow = reference;
    put(reference, "time", 1, "1");
    put(own, "time", *then, "1");
    put(ownNow, "time", *now->verdict.timeRatio, "1");
    const std::vector<RepeatedRun> runs{{reference, reference}, {own, ownNow}};
    return sameRatios(runs, {});
}

} // namespace ridge::record

#include "moc_grading_again.cpp"
