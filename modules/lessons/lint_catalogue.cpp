// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "base/sweep_points.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "lessons/controls.h"
#include "lessons/curriculum_read.h"
#include "lessons/explore_models.h"
#include "lessons/formula_names.h"
#include "lessons/inline_scan.h"
#include "lessons/learner.h"
#include "lessons/placeholders.h"
#include "lessons/pointing.h"
#include "lessons/text.h"
#include "lessons/worksheet.h"

#include <set>

namespace ridge::lessons {
namespace {

/// The kind of target that a learner without a GPU runs it on, whose defaults count.
std::string usualKind(const ExperimentInfo& info)
{
    return kindOfTarget(targetFor(info, kDefaultSimulator));
}

class CatalogueCheck {
public:
    CatalogueCheck(const LintContext& context, const Lesson& lesson) : m_context(context), m_lesson(lesson) {}

    void run()
    {
        if (const std::string machine = machineOfTarget(m_lesson.target); !machine.empty())
            checkMachine(machine);
        for (const Block* block : m_lesson.blocks()) {
            m_at = block->at;
            m_kind = block->kind;
            m_name = block->kind + " '" + block->id + "': ";
            m_body = &block->body;
            std::visit([&](const auto& body) { check(body); }, block->body);
        }
        for (const CheckSpec& spec : m_lesson.checks) {
            m_at = spec.span;
            m_name = "check '" + spec.id + "': ";
            checkSpec(spec);
        }
    }

private:
    void checkMachine(const std::string& id)
    {
        std::vector<std::string> known;
        for (const ExperimentInfo& info : m_context.experiments)
            known.insert(known.end(), info.machines.begin(), info.machines.end());
        m_at = m_lesson.at;
        if (std::ranges::find(known, id) == known.end())
            problem("no experiment runs on the machine '" + id + "', which 'target' names" + didYouMean(id, known));
    }

    void problem(const std::string& message) { m_context.problem(m_at, m_name + message); }

    void problem(const Error& error)
    {
        problem((error.place.empty() ? "" : error.place + ": ") + error.message +
                (error.fix.empty() ? "" : "; " + error.fix));
    }

    const ExperimentInfo* experiment(const std::string& id)
    {
        if (id.empty())
            return nullptr;
        for (const ExperimentInfo& info : m_context.experiments)
            if (info.id == id)
                return &info;
        std::vector<std::string> known;
        for (const ExperimentInfo& info : m_context.experiments)
            known.push_back(info.id);
        problem("unknown experiment '" + id + "'" + didYouMean(id, known));
        return nullptr;
    }

    static std::vector<std::string> namesOf(std::span<const ParamSpec> specs)
    {
        std::vector<std::string> names;
        for (const ParamSpec& spec : specs)
            names.push_back(spec.name);
        return names;
    }

    const ParamSpec* parameter(std::span<const ParamSpec> specs, const std::string& key, const std::string& name)
    {
        for (const ParamSpec& spec : specs)
            if (spec.name == name)
                return &spec;
        problem("'" + key + "' names unknown parameter '" + name + "'" + didYouMean(name, namesOf(specs)));
        return nullptr;
    }

    void params(std::span<const ParamSpec> specs, const std::string& key, const ParamSet& set)
    {
        for (const auto& [name, value] : set)
            if (const ParamSpec* spec = parameter(specs, key, name))
                if (const Result<ParamValue> checked = checkValue(*spec, value); !checked.ok())
                    problem(checked.error());
    }

    void controls(std::span<const ParamSpec> specs, const std::vector<std::string>& names)
    {
        for (const std::string& name : names)
            parameter(specs, "controls", name);
    }

    const MetricSpec* metric(const ExperimentInfo& info, const std::string& name)
    {
        if (const MetricSpec* found = info.metric(name))
            return found;
        std::vector<std::string> known;
        for (const MetricSpec& spec : info.metrics)
            known.push_back(spec.name);
        if (!name.empty())
            problem("'" + info.id + "' has no metric '" + name + "'" + didYouMean(name, known));
        return nullptr;
    }

    void chart(const ExperimentInfo& info, const std::string& id)
    {
        std::vector<std::string> known;
        for (const ChartSpec& spec : info.charts)
            known.push_back(spec.id);
        if (!id.empty() && std::find(known.begin(), known.end(), id) == known.end())
            problem("'" + info.id + "' has no chart '" + id + "'" + didYouMean(id, known));
    }

    void check(const PredictBlock& body)
    {
        const ExperimentInfo* info = experiment(body.experiment);
        if (!info)
            return;
        params(info->parameters, "at", body.at);
        const MetricSpec* spec = metric(*info, body.metric);
        if (spec && spec->unit != body.unit)
            problem("'unit' is '" + body.unit + "', but " + body.metric + " is in '" + spec->unit + "'; write that");
        if (body.misconceptions.size() < 3 || body.misconceptions.size() > 5)
            problem(std::to_string(body.misconceptions.size()) +
                    " misconceptions; offer three to five assumptions to pick from");
        for (const Misconception& wrong : body.misconceptions)
            if (wrong.formula.empty() && (wrong.value < body.min || wrong.value > body.max))
                problem("misconception '" + wrong.id + "' leads to a value outside 'min' and 'max'; widen the slider");
        checkUnseen(body, *info);
    }

    void check(const RunBlock& body)
    {
        if (const ExperimentInfo* info = experiment(body.experiment)) {
            params(info->parameters, "set", body.set);
            controls(info->parameters, body.controls);
            checkSameSetting(*info, body.set, {}, body.caption);
        }
    }

    /// What a block leaves open takes its default, and some defaults of a GPU are not those of the simulator: then two
    /// readers see two experiments. The block sets the value, or its caption says that it differs. What is "none" on
    /// the simulator is not there, as a vendor's library, and changes no setting.
    void checkSameSetting(const ExperimentInfo& info, const ParamSet& set, const std::vector<SweepAxis>& axes,
                          const std::string& caption)
    {
        const auto runsOn = [&](const char* kind) {
            return std::ranges::find(info.targets, kind) != info.targets.end();
        };
        if (!runsOn("gpu") || !runsOn("sim"))
            return;
        for (const ParamSpec& spec : info.parameters) {
            const auto other = spec.defaultFor.find("gpu"), simulated = spec.defaultFor.find("sim");
            const ParamValue& gpu = other == spec.defaultFor.end() ? spec.defaultValue : other->second;
            const ParamValue& sim = simulated == spec.defaultFor.end() ? spec.defaultValue : simulated->second;
            if (toText(gpu) == toText(sim) || toText(sim) == "none" || set.contains(spec.name) ||
                std::ranges::find(axes, spec.name, &SweepAxis::name) != axes.end())
                continue;
            const std::string said = lowered(caption);
            if (said.find(lowered(spec.title)) == std::string::npos &&
                said.find(lowered(spec.name)) == std::string::npos)
                problem("'" + spec.name + "' is " + toText(sim) + " on the simulator and " + toText(gpu) +
                        " on a GPU; set it, or say in 'caption' that it differs");
        }
    }

    void check(const SweepBlock& body)
    {
        const ExperimentInfo* info = experiment(body.experiment);
        if (!info)
            return;
        params(info->parameters, "set", body.set);
        controls(info->parameters, body.controls);
        chart(*info, body.chart);
        std::vector<SweepAxis> axes;
        for (const std::string& text : body.sweep) {
            Result<SweepAxis> axis = parseSweep(info->parameters, text);
            if (!axis.ok())
                problem(axis.error());
            else
                axes.push_back(std::move(*axis));
        }
        if (const auto points = expandSweep(body.set, axes); !points.ok())
            problem(points.error());
        checkSameSetting(*info, body.set, axes, body.caption);
    }

    /// A block above that runs the point of a question takes it away: another point is asked, and misconceptions with a
    /// fixed value are not told.
    void checkUnseen(const PredictBlock& body, const ExperimentInfo& info)
    {
        for (const Block* block : m_lesson.blocks()) {
            if (&block->body == m_body)
                return;
            for (const ParamSet& set : runBy(*block, info)) {
                const auto full = completeParams(info.parameters, set, usualKind(info));
                if (full.ok() && matches(full.value(), body.at))
                    return problem("'at' is a point that '" + block->id +
                                   "' above runs, so it is never asked; choose one that no block before it runs");
            }
        }
    }

    /// The points of an experiment that a block runs as it is written.
    static std::vector<ParamSet> runBy(const Block& block, const ExperimentInfo& info)
    {
        if (const auto* predict = std::get_if<PredictBlock>(&block.body); predict && predict->experiment == info.id)
            return {predict->at};
        if (const auto* run = std::get_if<RunBlock>(&block.body); run && run->experiment == info.id)
            return {run->set};
        if (const auto* sweep = std::get_if<SweepBlock>(&block.body); sweep && sweep->experiment == info.id)
            if (auto points = sweepPoints(info.parameters, sweep->set, sweep->sweep); points.ok())
                return std::move(*points);
        if (const auto* challenge = std::get_if<ChallengeBlock>(&block.body);
            challenge && challenge->experiment == info.id)
            return attemptsAt(*challenge, Learner::Ideal);
        return {};
    }

    void check(const ChartBlock& body)
    {
        if (const ExperimentInfo* info = experiment(body.experiment))
            chart(*info, body.chart);
    }

    void check(const SceneBlock& body)
    {
        std::set<std::string> known;
        for (const ExperimentInfo& info : m_context.experiments)
            for (const std::string& scene : info.allScenes())
                known.insert(scene);
        const std::vector<std::string> names(known.begin(), known.end());
        if (!known.contains(body.scene))
            return problem("unknown scene '" + body.scene + "'" + didYouMean(body.scene, names));
        for (const std::string& thing : body.answer)
            if (!isPointable(body.scene, thing))
                problem("'answer' names '" + thing + "', which nobody can point at in " + body.scene + "; " +
                        thingsOf(body.scene));
        const Block* of = m_lesson.block(body.of);
        const std::string id = of ? experimentOf(*of) : std::string();
        for (const ExperimentInfo& info : m_context.experiments)
            if (const auto all = info.allScenes();
                info.id == id && std::find(all.begin(), all.end(), body.scene) == all.end())
                problem("'" + body.of + "' runs '" + id + "', whose trace is for the scene '" + info.scene + "'");
    }

    void check(const ExploreBlock& body)
    {
        const Result<ChipIds> chips = chipIds(m_context.dataRoot);
        std::vector<std::string> known;
        for (const ExploreModelInfo& model : exploreModels(chips.ok() ? *chips : ChipIds{})) {
            known.push_back(model.name);
            if (model.name != body.model)
                continue;
            if (!chips.ok() && model.namesChips())
                return problem(chips.error());
            params(model.parameters, "set", body.set);
            return controls(model.parameters, body.controls);
        }
        problem("unknown model '" + body.model + "'" + didYouMean(body.model, known));
    }

    /// A design runs in the experiment that has its planted bugs.
    void checkRtl(const KernelBlock& body)
    {
        const ExperimentInfo* info = experiment("rtl_array");
        const ParamSpec* bugs = info ? info->parameter("bug") : nullptr;
        if (!bugs || body.task.empty())
            return;
        std::vector<std::string> known;
        for (const ParamValue& bug : bugs->choices)
            known.push_back(std::get<std::string>(bug));
        if (std::find(known.begin(), known.end(), body.task) == known.end())
            problem("'bug' is '" + body.task + "', which is none that is planted" + didYouMean(body.task, known));
    }

    void check(const KernelBlock& body)
    {
        if (m_kind == "rtl")
            return checkRtl(body);
        std::vector<std::string> known;
        for (const ExperimentInfo& info : m_context.experiments)
            known.insert(known.end(), info.kernels.begin(), info.kernels.end());
        if (body.task.empty() && !body.file.empty() && std::find(known.begin(), known.end(), body.file) == known.end())
            problem("no experiment runs the kernel '" + body.file + "'" + didYouMean(body.file, known));
    }

    void check(const ChallengeBlock& body)
    {
        if (const ExperimentInfo* info = experiment(body.experiment)) {
            params(info->parameters, "set", body.set);
            for (const ParamSet& set : body.solution)
                params(info->parameters, "solution", set);
            controls(info->parameters, controlNames(body.controls));
            for (const std::string& control : body.controls)
                if (const auto axis =
                        takesSeveral(control) ? parseSweep(info->parameters, control) : Result<SweepAxis>(SweepAxis());
                    !axis && info->parameter(controlName(control)))
                    problem(axis.error());
        }
    }

    void check(const ArtifactBlock& body)
    {
        for (const RunReference& reference : runReferences(body.claim)) {
            const Block* block = m_lesson.block(reference.block);
            const ExperimentInfo* info = block ? experiment(experimentOf(*block)) : nullptr;
            if (!info)
                continue;
            metric(*info, reference.metric);
            params(info->parameters, "claim", reference.at);
        }
    }

    static std::string thingsOf(const std::string& scene)
    {
        std::string list;
        for (const PointedKind& kind : pointedKinds(scene))
            list += (list.empty() ? "there are " : ", ") + std::string(kind.name) +
                    (kind.numbers == 0   ? ".l2"
                     : kind.numbers == 1 ? ".3"
                                         : ".2.3");
        return list.empty() ? "that scene takes no answer" : list;
    }

    void check(const DrawBlock& body)
    {
        const ExperimentInfo* info = experiment(body.experiment);
        if (!info)
            return;
        params(info->parameters, "set", body.set);
        for (const ParamSet& set : body.again)
            params(info->parameters, "again", set);
        const MetricSpec* spec = metric(*info, body.metric);
        if (spec && spec->unit != body.unit)
            problem("'unit' is '" + body.unit + "', but " + body.metric + " is in '" + spec->unit + "'; write that");
        const Result<SweepAxis> axis = parseSweep(info->parameters, body.sweep);
        if (!axis.ok())
            return problem(axis.error());
        if (body.set.contains(axis->name))
            problem("'set' fixes '" + axis->name + "', along which the curve runs; drop it there");
        if (const ParamSpec* along = info->parameter(axis->name); along && !isNumber(along->type))
            problem("'sweep' runs along '" + axis->name + "', which is no number; a curve needs numbers");
        if (axis->values.size() < 3 || axis->values.size() > 33)
            problem("'sweep' has " + std::to_string(axis->values.size()) + " points; a hand can draw 3 to 33");
    }

    void check(const CompareBlock& body)
    {
        const ExperimentInfo* info = experiment(body.experiment);
        if (!info)
            return;
        metric(*info, body.metric);
        params(info->parameters, "at", body.at);
        const std::string simulator = simulatorOf(m_lesson, body), kind = kindOfTarget(simulator);
        if (std::ranges::find(info->targets, kind) == info->targets.end())
            problem("'" + info->id + "' does not run on " + simulator + "; name a 'simulator' on which it does");
        for (const std::string& id : body.recorded)
            if (std::error_code none;
                !std::filesystem::exists(m_context.dataRoot / "assets" / "baselines" / (id + ".json"), none))
                problem("'recorded' names '" + id +
                        "', which is no file of assets/baselines/; `ridge baselines` lists them");
    }

    void check(const WorksheetBlock& body)
    {
        std::set<std::string> known;
        for (const auto& [name, value] : varsOf(body, 0))
            known.insert(name);
        for (const WorksheetGiven& given : body.given) {
            known.insert(given.name);
            if (!given.from.empty())
                checkFrom(given);
        }
        bool readable = true;
        for (const WorksheetCell& cell : body.cells) {
            const Result<std::vector<std::string>> names = formulaNames(cell.formula);
            readable = readable && names.ok();
            if (!names.ok())
                problem(names.error());
            for (const std::string& name : names.ok() ? names.value() : std::vector<std::string>())
                if (!known.contains(name)) {
                    readable = false;
                    problem("the formula of '" + cell.name + "' reads '" + name + "', which no row above it has" +
                            didYouMean(name, std::vector<std::string>(known.begin(), known.end())));
                }
            known.insert(cell.name);
        }
        if (readable)
            checkSolved(body);
    }

    void checkFrom(const WorksheetGiven& given)
    {
        if (!given.from.starts_with("run:")) {
            const std::string key = given.from.starts_with("claim:") ? given.from.substr(6) : given.from;
            std::vector<std::string> known;
            for (const auto& [name, claim] : m_context.curriculum.claims)
                known.push_back(name);
            const Claim* claim = m_context.curriculum.claim(key);
            if (!claim)
                problem("'from' names the unknown number '" + key + "'" + didYouMean(key, known));
            else if (claim->unit != given.unit)
                problem("'unit' of '" + given.name + "' is '" + given.unit + "', but " + key + " is in '" +
                        claim->unit + "'; write that");
            return;
        }
        const Result<RunReference> reference = parseRunReference(given.from);
        if (!reference.ok())
            return problem("'from' is '" + given.from + "'; write run:block.metric@parameter=value");
        const Block* block = m_lesson.block(reference->block);
        if (const ExperimentInfo* info = block ? experiment(experimentOf(*block)) : nullptr) {
            metric(*info, reference->metric);
            params(info->parameters, "from", reference->at);
        }
    }

    /// Every instance comes to numbers; what runs give is taken as 1.
    void checkSolved(const WorksheetBlock& body)
    {
        const GivenLookup lookup = [&](const std::string& from) -> std::optional<double> {
            const Claim* claim = from.starts_with("run:")
                                     ? nullptr
                                     : m_context.curriculum.claim(from.starts_with("claim:") ? from.substr(6) : from);
            return claim ? claim->value : 1;
        };
        for (int instance = 0; instance < instancesOf(body); ++instance)
            if (const auto solved = solveSheet(body, instance, lookup); !solved)
                return problem(solved.error());
    }

    void check(const ExplainBlock& body)
    {
        constexpr int kLeast = 25, kMost = 80;
        if (const int words = countWords(body.model); words < kLeast || words > kMost)
            problem("the model answer has " + std::to_string(words) + " words; " + std::to_string(kLeast) + " to " +
                    std::to_string(kMost) + " are enough to be complete and short enough to be compared");
    }

    void check(const QuizBlock&) {}
    void check(const OrderBlock&) {}
    void check(const TermBlock&) {}
    void check(const FigureBlock&) {}

    void checkSpec(const CheckSpec& spec)
    {
        const ExperimentInfo* info = experiment(spec.experiment);
        if (!info)
            return;
        metric(*info, spec.metric);
        params(info->parameters, "where", spec.where);
        params(info->parameters, "at", spec.at);
        params(info->parameters, "over", spec.over);
        for (const ParamSet& set : spec.order)
            params(info->parameters, "order", set);
        for (const ParamSet& set : spec.hidden)
            checkHidden(*info, spec, set);
        for (const std::string& name : spec.by)
            parameter(info->parameters, "by", name);
        if (!spec.among.empty())
            parameter(info->parameters, "among", spec.among);
        if (!spec.along.empty())
            checkAlong(*info, spec);
        if (!spec.size.empty())
            metric(*info, spec.size);
        if (!spec.formula.empty())
            checkFormulaOf(*info, spec);
    }

    /// A hidden setting is laid over every point of a request, so it may touch nothing by which the check tells them
    /// apart.
    void checkHidden(const ExperimentInfo& info, const CheckSpec& spec, const ParamSet& set)
    {
        params(info.parameters, "hidden", set);
        std::set<std::string> pinned;
        for (const ParamSet* one : {&spec.where, &spec.at, &spec.over})
            for (const auto& [name, value] : *one)
                pinned.insert(name);
        for (const ParamSet& one : spec.order)
            for (const auto& [name, value] : one)
                pinned.insert(name);
        if (spec.points > 1)
            if (const auto names = formulaNames(spec.formula); names.ok())
                pinned.insert(names.value().begin(), names.value().end());
        for (const auto& [name, value] : set)
            if (pinned.contains(name))
                problem("'hidden' sets '" + name + "', by which the check tells its points apart; drop it there");
    }

    void checkAlong(const ExperimentInfo& info, const CheckSpec& spec)
    {
        if (spec.kind == "knee" && info.metric(spec.along))
            return;
        const ParamSpec* along = parameter(info.parameters, "along", spec.along);
        if (along && !isNumber(along->type))
            problem("'along' names '" + spec.along + "', which is a " +
                    (along->type == ParamType::Choice ? "choice" : "text") + "; a curve runs along a number");
        if (spec.where.contains(spec.along))
            problem("'where' fixes '" + spec.along + "', along which the curve runs; drop it there");
    }

    void checkFormulaOf(const ExperimentInfo& info, const CheckSpec& spec)
    {
        const Result<ParamSet> defaults = completeParams(info.parameters, spec.where, usualKind(info));
        if (!defaults.ok())
            return; // told by params()
        ParamSet known = defaults.value();
        bool readsMetrics = false;
        const Result<std::vector<std::string>> names = formulaNames(spec.formula);
        for (const std::string& name : names.ok() ? names.value() : std::vector<std::string>())
            readsMetrics = readsMetrics || (!info.parameter(name) && info.metric(name));
        for (const MetricSpec& metric : info.metrics)
            known.emplace(metric.name, 1.0);
        const Result<double> value = evaluateFormula(spec.formula, known);
        // Metrics have no values yet: what such a formula gives for these says nothing, but its names must be known.
        if (!value.ok() && (!readsMetrics || value.error().code == "unknown-name"))
            problem(value.error());
    }

    static std::string experimentOf(const Block& block)
    {
        if (const auto* run = std::get_if<RunBlock>(&block.body))
            return run->experiment;
        if (const auto* sweep = std::get_if<SweepBlock>(&block.body))
            return sweep->experiment;
        return {};
    }

    const LintContext& m_context;
    const Lesson& m_lesson;
    SourceSpan m_at;
    std::string m_name, m_kind;
    const void* m_body = nullptr; ///< of the block that is looked at
};

} // namespace

void lintCatalogue(const LintContext& context, const Lesson& lesson)
{
    CatalogueCheck(context, lesson).run();
}

void lintClaims(const LintContext& context)
{
    if (std::all_of(context.curriculum.claims.begin(), context.curriculum.claims.end(),
                    [](const auto& entry) { return entry.second.experiment.empty(); }))
        return;
    const std::map<std::string, SourceSpan> places = claimPlaces(context.curriculum.root);
    for (const auto& [key, claim] : context.curriculum.claims) {
        if (claim.experiment.empty())
            continue;
        const auto place = places.find(key);
        const SourceSpan at = place == places.end() ? SourceSpan{"claims.yaml", 1} : place->second;
        const Result<ExperimentInfo> info = findExperiment(context.experiments, claim.experiment);
        if (!info.ok()) {
            context.problem(at, "claim '" + key + "': " + info.error().message + "; " + info.error().fix);
            continue;
        }
        if (const Result<ParamSet> set = completeParams(info.value().parameters, claim.at, usualKind(*info)); !set.ok())
            context.problem(at, "claim '" + key + "': " + toText(set.error()));
    }
}

} // namespace ridge::lessons
