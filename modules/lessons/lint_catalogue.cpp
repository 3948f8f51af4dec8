// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/curriculum_read.h"
#include "lessons/explore_models.h"
#include "lessons/formula_names.h"
#include "lessons/inline_scan.h"
#include "lessons/placeholders.h"
#include "lessons/text.h"

#include <set>

namespace ridge::lessons {
namespace {

class CatalogueCheck {
public:
    CatalogueCheck(const LintContext& context, const Lesson& lesson) : m_context(context), m_lesson(lesson) {}

    void run()
    {
        for (const Block* block : m_lesson.blocks()) {
            m_at = block->at;
            m_name = block->kind + " '" + block->id + "': ";
            std::visit([&](const auto& body) { check(body); }, block->body);
        }
        for (const CheckSpec& spec : m_lesson.checks) {
            m_at = spec.span;
            m_name = "check '" + spec.id + "': ";
            checkSpec(spec);
        }
    }

private:
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
            if (wrong.value < body.min || wrong.value > body.max)
                problem("misconception '" + wrong.id + "' leads to a value outside 'min' and 'max'; widen the slider");
    }

    void check(const RunBlock& body)
    {
        if (const ExperimentInfo* info = experiment(body.experiment)) {
            params(info->parameters, "set", body.set);
            controls(info->parameters, body.controls);
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

    void check(const KernelBlock& body)
    {
        std::vector<std::string> known;
        for (const ExperimentInfo& info : m_context.experiments)
            known.insert(known.end(), info.kernels.begin(), info.kernels.end());
        if (!body.file.empty() && std::find(known.begin(), known.end(), body.file) == known.end())
            problem("no experiment runs the kernel '" + body.file + "'" + didYouMean(body.file, known));
    }

    void check(const ChallengeBlock& body)
    {
        if (const ExperimentInfo* info = experiment(body.experiment)) {
            params(info->parameters, "set", body.set);
            for (const ParamSet& set : body.solution)
                params(info->parameters, "solution", set);
            controls(info->parameters, body.controls);
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
        if (along && along->type == ParamType::Choice)
            problem("'along' names '" + spec.along + "', which is a choice; a curve runs along a number");
        if (spec.where.contains(spec.along))
            problem("'where' fixes '" + spec.along + "', along which the curve runs; drop it there");
    }

    void checkFormulaOf(const ExperimentInfo& info, const CheckSpec& spec)
    {
        const Result<ParamSet> defaults = completeParams(info.parameters, spec.where, "sim");
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
    std::string m_name;
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
    const std::map<std::string, int> lines = claimLines(context.curriculum.root);
    for (const auto& [key, claim] : context.curriculum.claims) {
        if (claim.experiment.empty())
            continue;
        const auto line = lines.find(key);
        const SourceSpan at{"claims.yaml", line == lines.end() ? 1 : line->second};
        const Result<ExperimentInfo> info = findExperiment(context.experiments, claim.experiment);
        if (!info.ok()) {
            context.problem(at, "claim '" + key + "': " + info.error().message + "; " + info.error().fix);
            continue;
        }
        if (const Result<ParamSet> set = completeParams(info.value().parameters, claim.at, "sim"); !set.ok())
            context.problem(at, "claim '" + key + "': " + toText(set.error()));
    }
}

} // namespace ridge::lessons
