// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/evidence.h"
#include "evidence/demonstration.h"
#include "evidence/design_files.h"

#include "base/json.h"
#include "base/paths.h"
#include "lessons/drawn_curve.h"
#include "lessons/instances.h"
#include "lessons/placeholders.h"
#include "lessons/worksheet.h"

#include "record/graded_kernel.h"

#include <QDateTime>
#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ridge::app {
namespace {

/// The runs that belong into the artifact: the newest complete request of each block and experiment that started any. A
/// block with a design runs a testbench and the tools of an FPGA.
std::vector<record::RunRow> runsOfArtifact(const std::vector<record::RunRow>& runs)
{
    std::map<std::pair<std::string, std::string>, std::string> newestSweep;
    std::vector<record::RunRow> chosen;
    for (const record::RunRow& row : runs) {
        if (row.status != "finished" || row.block.empty() || isDemonstration(row))
            continue;
        const auto [it, first] = newestSweep.emplace(std::pair{row.block, row.experiment}, row.sweepId);
        if (it->second == row.sweepId)
            chosen.push_back(row);
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
}

/// Of a sweep that was not run the chart would show another's runs, and the same picture would stand there twice.
Json chartsOf(const lessons::Lesson& lesson, const std::vector<record::RunRow>& runs)
{
    Json charts = Json::array();
    for (const lessons::Block* block : lesson.blocks()) {
        const bool ran = std::ranges::find(runs, block->id, &record::RunRow::block) != runs.end();
        if (const auto* sweep = std::get_if<lessons::SweepBlock>(&block->body); ran && sweep && !sweep->chart.empty())
            charts.push_back(Json{{"block", block->id},
                                  {"experiment", sweep->experiment},
                                  {"chart", sweep->chart},
                                  {"caption", sweep->caption}});
    }
    return charts;
}

/// A processor that other programs use, or a machine on battery, gives rough times. They count, so that a lesson can
/// be taken on a laptop and beside other work; the runs keep their verdict wherever they are shown. What a GPU's clocks
/// and samples say against a run does not count.
const std::vector<std::string> kCounting{"valid", "contended", "on battery"};

bool countsAsEvidence(const record::RunRow& row)
{
    return row.status == "finished" && !isDemonstration(row) &&
           std::find(kCounting.begin(), kCounting.end(), row.validity) != kCounting.end();
}

/// Since 1970; 0 where it is no time.
std::int64_t secondsOf(const std::string& iso)
{
    const QDateTime time = QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs);
    return time.isValid() ? time.toSecsSinceEpoch() : 0;
}

/// Of runs that say the same to every check, those that can make a difference: the newest, and the first after each
/// prediction.
class DistinctRuns {
public:
    DistinctRuns(lessons::RunsRead read, const std::vector<lessons::EvidencePrediction>& predictions)
        : m_read(std::move(read))
    {
        for (const lessons::EvidencePrediction& prediction : predictions)
            m_bounds.push_back(prediction.seq);
        std::sort(m_bounds.begin(), m_bounds.end());
    }

    /// In the order of Store::runs().
    Result<void> add(record::RunFact&& fact)
    {
        auto group = groupOf(fact);
        if (!group)
            return group.error();
        const auto bucket =
            static_cast<std::size_t>(std::lower_bound(m_bounds.begin(), m_bounds.end(), fact.seq) - m_bounds.begin());
        Kept run{std::move(fact.id), std::move(fact.sweepId), fact.seq, m_count++};
        // Of equal numbers the first one is the first after a prediction, and the last one the newest of its point.
        const auto [first, isNew] = (*group)->firsts.try_emplace(bucket, run);
        if (!isNew && run.seq < first->second.seq)
            first->second = run;
        if ((*group)->newest.order < 0 || run.seq >= (*group)->newest.seq)
            (*group)->newest = std::move(run);
        return {};
    }

    std::vector<lessons::EvidenceRun> take()
    {
        std::map<std::int64_t, lessons::EvidenceRun> inOrder;
        for (const auto& [key, group] : m_groups) {
            const auto keep = [&, made = &group.like](const Kept& run) {
                lessons::EvidenceRun& kept = inOrder[run.order];
                kept = *made;
                kept.id = run.id;
                kept.sweep = run.sweep;
                kept.seq = run.seq;
            };
            keep(group.newest);
            for (const auto& [bucket, run] : group.firsts)
                if (bucket != 0) // no prediction came before the others
                    keep(run);
        }
        std::vector<lessons::EvidenceRun> runs;
        for (auto& [order, run] : inOrder)
            runs.push_back(std::move(run));
        return runs;
    }

private:
    struct Kept {
        std::string id, sweep;
        std::int64_t seq = 0, order = -1;
    };
    struct Group {
        lessons::EvidenceRun like; ///< but for id, sweep and seq
        Kept newest;
        std::map<std::size_t, Kept> firsts; ///< by the number of predictions that came before
    };

    Result<Group*> groupOf(const record::RunFact& fact)
    {
        const std::string sweep = m_read.bySweep.contains(fact.experiment) ? fact.sweepId : std::string();
        std::string about;
        for (const std::string* part : {&fact.experiment, &fact.target, &fact.block, &fact.validity, &sweep})
            about += *part + '\0';
        about += fact.params;
        const std::hash<std::string> hash;
        const Text text{hash(about), hash(fact.metrics), fact.metrics.size()};
        if (const auto known = m_byText.find(text); known != m_byText.end())
            return known->second;
        const std::string place = "row " + fact.id;
        const auto params = parseJson(fact.params, place), metrics = parseJson(fact.metrics, place);
        if (!params || !metrics)
            return !params ? params.error() : metrics.error();
        auto point = paramSetFromJson(*params, place);
        auto values = metricsFromJson(*metrics);
        if (!point || !values)
            return !point ? point.error() : values.error();
        std::erase_if(*values, [&](const auto& metric) { return !m_read.metrics.contains(metric.first); });
        Json read = Json::object();
        for (const auto& [name, metric] : *values)
            read[name] = Json::array({metric.value, metric.unit, toText(metric.provenance)});
        Group& group = m_groups[about + read.dump()];
        if (group.newest.order < 0)
            group.like = {
                {}, fact.experiment, fact.target, fact.block, std::move(*point), std::move(*values), fact.validity, 0,
                {}};
        m_byText.emplace(text, &group);
        return &group;
    }

    lessons::RunsRead m_read;
    std::vector<std::int64_t> m_bounds; ///< of the predictions, ascending
    std::int64_t m_count = 0;
    std::map<std::string, Group> m_groups;
    /// As stored, so that equal texts are taken apart once. Two that differ and agree in both hashes: 1 in 10^9 stores
    /// of 100,000 runs.
    using Text = std::tuple<std::size_t, std::size_t, std::size_t>;
    std::map<Text, Group*> m_byText;
};

/// Numbers of a list of pairs, [[1, 4], [2, 8]]; what is none is left out.
std::vector<std::pair<double, double>> pairsFromJson(const Json& list)
{
    std::vector<std::pair<double, double>> pairs;
    for (const Json& pair : list)
        if (pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_number())
            pairs.emplace_back(pair[0].get<double>(), pair[1].get<double>());
    return pairs;
}

std::string textIn(const Json& json, const char* key)
{
    const auto text = json.find(key);
    return text != json.end() && text->is_string() ? text->get<std::string>() : std::string();
}

} // namespace

Result<std::vector<KernelSource>> kernelSources(std::span<const std::string> experiments,
                                                const std::vector<ExperimentInfo>& catalogue)
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    std::vector<KernelSource> sources;
    for (const std::string& id : experiments) {
        const auto info = findExperiment(catalogue, id);
        if (!info)
            return info.error();
        for (const std::string& kernel : info->kernels) {
            auto text = readFile(*data / "kernels" / kernel);
            if (!text)
                return text.error();
            sources.push_back({kernel, std::move(*text)});
        }
    }
    return sources;
}

Result<std::vector<record::ArtifactCode>> storeKernels(record::Store& store, std::span<const std::string> experiments,
                                                       const std::vector<ExperimentInfo>& catalogue)
{
    auto sources = kernelSources(experiments, catalogue);
    if (!sources)
        return sources.error();
    std::vector<record::ArtifactCode> code;
    for (KernelSource& source : *sources) {
        auto stored = store.putFile(std::move(source.text));
        stored.waitForFinished();
        if (!stored.result())
            return stored.result().error();
        code.push_back({source.name, *stored.result()});
    }
    return code;
}

Json toJson(const lessons::AnswerGiven& given)
{
    Json json = Json::object();
    if (given.number)
        json["number"] = *given.number;
    if (given.choice)
        json["choice"] = *given.choice;
    if (!given.order.empty())
        json["order"] = given.order;
    if (!given.text.empty())
        json["text"] = given.text;
    if (!given.rating.empty())
        json["rating"] = given.rating;
    if (!given.curve.empty())
        json["curve"] = given.curve;
    if (!given.held.empty())
        json["held"] = given.held;
    if (!given.cell.empty())
        json["cell"] = given.cell;
    if (!given.cells.empty())
        json["cells"] = given.cells;
    if (given.shown)
        json["shown"] = true;
    if (!given.item.empty())
        json["item"] = given.item;
    if (given.instance != 0)
        json["instance"] = given.instance;
    if (json.empty())
        json["order"] = given.order;
    if (given.hasInstance) {
        json["vars"] = ridge::toJson(given.vars);
        if (given.variant > 0)
            json["variant"] = given.variant;
    }
    return json;
}

lessons::AnswerGiven answerFromJson(const Json& json)
{
    lessons::AnswerGiven given;
    if (!json.is_object())
        return given;
    if (const auto number = json.find("number"); number != json.end() && number->is_number())
        given.number = number->get<double>();
    if (const auto choice = json.find("choice"); choice != json.end() && choice->is_number_integer())
        given.choice = choice->get<int>();
    if (const auto order = json.find("order"); order != json.end() && order->is_array())
        for (const Json& step : *order)
            if (step.is_number_integer())
                given.order.push_back(step.get<int>());
    given.text = textIn(json, "text");
    given.rating = textIn(json, "rating");
    given.cell = textIn(json, "cell");
    given.item = textIn(json, "item");
    if (const auto shown = json.find("shown"); shown != json.end() && shown->is_boolean())
        given.shown = shown->get<bool>();
    if (const auto instance = json.find("instance"); instance != json.end() && instance->is_number_integer())
        given.instance = static_cast<int>(std::clamp<std::int64_t>(instance->get<std::int64_t>(), 0, 1000));
    if (const auto curve = json.find("curve"); curve != json.end() && curve->is_array())
        given.curve = pairsFromJson(*curve);
    if (const auto held = json.find("held"); held != json.end() && held->is_array())
        for (const Json& x : *held)
            if (x.is_number())
                given.held.push_back(x.get<double>());
    if (const auto cells = json.find("cells"); cells != json.end() && cells->is_object())
        for (const auto& [name, value] : cells->items())
            if (value.is_number())
                given.cells[name] = value.get<double>();
    if (const auto vars = json.find("vars"); vars != json.end() && vars->is_object())
        if (auto values = paramSetFromJson(*vars, "answer")) {
            given.hasInstance = true;
            given.vars = std::move(*values);
        }
    if (const auto variant = json.find("variant"); variant != json.end() && variant->is_number_integer())
        given.variant = std::clamp(variant->get<int>(), 0, 1000);
    return given;
}

Result<std::vector<double>> heldOfCurve(const record::Store& store, const lessons::DrawBlock& block,
                                        const lessons::AnswerGiven& curve)
{
    const auto runs = store.runs({.experiment = block.experiment});
    if (!runs)
        return runs.error();
    const ParamSet setting = lessons::settingOf(block, curve.instance);
    const std::string axis = lessons::axisOf(block.sweep);
    std::vector<double> held;
    for (const auto& [x, y] : curve.curve) {
        ParamSet wanted = setting;
        wanted[axis] = x;
        if (std::ranges::any_of(*runs, [&](const record::RunRow& run) {
                return run.status == "finished" && run.metrics.contains(block.metric) &&
                       lessons::matches(run.params, wanted);
            }))
            held.push_back(x);
    }
    return held;
}

Result<lessons::Evidence> evidenceFromStore(const record::Store& store, const std::string& lessonId)
{
    record::RunFilter filter;
    filter.lesson = lessonId;
    const auto runs = store.runs(filter);
    if (!runs)
        return runs.error();
    const auto predictions = store.predictions(lessonId);
    if (!predictions)
        return predictions.error();
    const auto answers = store.answers(lessonId);
    if (!answers)
        return answers.error();
    const auto artifacts = store.artifacts(lessonId);
    if (!artifacts)
        return artifacts.error();
    return evidenceFromRows(*runs, *predictions, *answers, shippedArtifacts(*artifacts));
}

Result<lessons::Evidence> evidenceFromStore(const record::Store& store, const lessons::Lesson& lesson)
{
    auto evidence = evidenceFromStore(store, lesson.id);
    const auto predictions = store.predictions(lesson.id);
    if (!evidence || !predictions)
        return !evidence ? std::move(evidence) : predictions.error();
    if (const auto added = addWork(*evidence, store, lesson); !added)
        return added.error();
    if (const auto marked = markKnown(*evidence, store, *predictions, lesson); !marked)
        return marked.error();
    return evidence;
}

std::size_t shippedArtifacts(const std::vector<record::ArtifactRow>& rows)
{
    return static_cast<std::size_t>(std::ranges::count_if(rows, [](const record::ArtifactRow& row) {
        return row.provenance != Provenance::Recorded || !row.fingerprint->is_object() ||
               !row.fingerprint->contains("format");
    }));
}

void addWork(lessons::Evidence& evidence, const std::vector<record::ArtifactRow>& artifacts)
{
    const auto numberOf = [](const Json& figure) {
        const auto value = figure.is_object() ? figure.find("value") : figure.end();
        return figure.is_object() && value != figure.end() && value->is_number() ? value->get<double>() : 0;
    };
    const auto textOf = [](const Json& object, const char* key) {
        const auto found = object.is_object() ? object.find(key) : object.end();
        return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>()
                                                                                 : std::string();
    };
    for (const record::ArtifactRow& row : artifacts) {
        if (row.removed || !row.figures->is_array())
            continue;
        if (const auto standing = record::standingOf(row)) {
            evidence.grades.push_back({row.lesson.substr(std::string_view(record::kGradedKernelPrefix).size()),
                                       standing->right, standing->percent});
            continue;
        }
        const std::string format = textOf(*row.fingerprint, "format");
        if (format.empty() || row.provenance != Provenance::Recorded)
            continue;
        for (const Json& figure : *row.figures)
            evidence.figures.push_back({format, textOf(figure, "name"), textOf(figure, "unit"), numberOf(figure)});
    }
}

Result<void> addWork(lessons::Evidence& evidence, const record::Store& store, const lessons::Lesson& lesson)
{
    // Imported files bring thousands of figures: they are read only where a check looks at them.
    if (std::ranges::none_of(lesson.checks, [](const lessons::CheckSpec& check) {
            return check.kind == "graded" || check.kind == "imported";
        }))
        return {};
    const auto artifacts = store.artifacts();
    if (!artifacts)
        return artifacts.error();
    addWork(evidence, *artifacts);
    return {};
}

Result<void> markKnown(lessons::Evidence& evidence, const record::Store& store,
                       const std::vector<record::PredictionRow>& rows, const lessons::Lesson& lesson)
{
    struct Asked {
        std::size_t index;
        ParamSet point;
        std::string since;
    };
    std::map<std::string, std::vector<Asked>> byExperiment;
    for (std::size_t i = 0; i < rows.size() && i < evidence.predictions.size(); ++i) {
        const lessons::Block* block = lesson.block(rows[i].block);
        const auto* predict = block ? std::get_if<lessons::PredictBlock>(&block->body) : nullptr;
        if (!predict || predict->experiment != rows[i].experiment)
            continue;
        const QDateTime when = QDateTime::fromString(QString::fromStdString(rows[i].createdAt), Qt::ISODateWithMs);
        const QDateTime since = when.addSecs(-lessons::kCountsAgainAfter).toUTC();
        byExperiment[rows[i].experiment].push_back(
            {i, lessons::pointOf(evidence.predictions[i], *predict),
             since.isValid() ? since.toString(Qt::ISODateWithMs).toStdString() : std::string()});
    }
    for (const auto& [experiment, asked] : byExperiment) {
        std::string earliest = asked.front().since;
        for (const Asked& one : asked)
            earliest = std::min(earliest, one.since);
        std::unordered_map<std::string, std::vector<std::size_t>> atPoint; // runs repeat few points many times
        Result<void> read;
        const auto looked = store.eachRun({{}, {experiment}, {}, earliest}, [&](record::RunFact&& fact) {
            const auto [known, fresh] = atPoint.try_emplace(fact.params);
            if (fresh) {
                const auto json = parseJson(fact.params, "row " + fact.id);
                const auto point = json ? paramSetFromJson(*json, "row " + fact.id) : Result<ParamSet>(json.error());
                if (!point) {
                    read = point.error();
                    return false;
                }
                for (std::size_t i = 0; i < asked.size(); ++i)
                    if (lessons::matches(*point, asked[i].point))
                        known->second.push_back(i);
            }
            for (const std::size_t i : known->second) {
                const record::PredictionRow& row = rows[asked[i].index];
                const bool before = fact.origin == row.origin ? fact.seq < row.seq : fact.createdAt < row.createdAt;
                if (before && fact.createdAt >= asked[i].since)
                    evidence.predictions[asked[i].index].known = true;
            }
            return true;
        });
        if (!looked)
            return looked.error();
        if (!read)
            return read.error();
    }
    return {};
}

void markKnown(lessons::Evidence& evidence, const std::vector<record::RunRow>& runs,
               const std::vector<record::PredictionRow>& rows, const lessons::Lesson& lesson)
{
    for (std::size_t i = 0; i < rows.size() && i < evidence.predictions.size(); ++i) {
        const record::PredictionRow& row = rows[i];
        const lessons::Block* block = lesson.block(row.block);
        const auto* predict = block ? std::get_if<lessons::PredictBlock>(&block->body) : nullptr;
        if (!predict)
            continue;
        const ParamSet point = lessons::pointOf(evidence.predictions[i], *predict);
        const std::int64_t made = secondsOf(row.createdAt);
        evidence.predictions[i].known = std::ranges::any_of(runs, [&](const record::RunRow& run) {
            const bool before = run.origin == row.origin ? run.seq < row.seq : run.createdAt < row.createdAt;
            return before && run.status == "finished" && run.experiment == predict->experiment &&
                   lessons::matches(run.params, point) && made - secondsOf(run.createdAt) < lessons::kCountsAgainAfter;
        });
    }
}

Result<bool> holdsResult(const record::Store& store, const std::string& experiment, const ParamSet& point)
{
    bool holds = false;
    std::unordered_map<std::string, bool> seen;
    const auto looked = store.eachRun({{}, {experiment}, {}, {}}, [&](record::RunFact&& fact) {
        const auto [known, fresh] = seen.try_emplace(fact.params, false);
        if (!fresh)
            return true;
        const auto json = parseJson(fact.params, "row " + fact.id);
        const auto params = json ? paramSetFromJson(*json, "row " + fact.id) : Result<ParamSet>(json.error());
        holds = params && lessons::matches(*params, point);
        return !holds;
    });
    if (!looked)
        return looked.error();
    return holds;
}

Result<bool> hasCountingRun(const record::Store& store, const std::string& lessonId)
{
    bool any = false;
    const auto looked = store.eachRun({lessonId, {}, kCounting}, [&](record::RunFact&& fact) {
        any = !isDemonstrationBlock(fact.block);
        return !any;
    });
    if (!looked)
        return looked.error();
    return any;
}

Result<std::vector<lessons::EvidenceRun>> runsForChecks(const record::Store& store, const lessons::Lesson& lesson,
                                                        const std::vector<lessons::EvidencePrediction>& predictions)
{
    lessons::RunsRead read = lessons::runsRead(lesson);
    if (read.experiments.empty())
        return std::vector<lessons::EvidenceRun>{};
    const record::RunFactFilter filter{lesson.id, {read.experiments.begin(), read.experiments.end()}, kCounting};
    DistinctRuns runs(std::move(read), predictions);
    Result<void> added;
    const auto looked = store.eachRun(filter, [&](record::RunFact&& fact) {
        if (!isDemonstrationBlock(fact.block))
            added = runs.add(std::move(fact));
        return added.ok();
    });
    if (!looked)
        return looked.error();
    if (!added)
        return added.error();
    return runs.take();
}

lessons::Evidence evidenceFromRows(const std::vector<record::RunRow>& runs,
                                   const std::vector<record::PredictionRow>& predictions,
                                   const std::vector<record::AnswerRow>& answers, std::size_t artifacts)
{
    lessons::Evidence evidence;
    for (const record::RunRow& row : runs)
        if (countsAsEvidence(row))
            evidence.runs.push_back({row.id, row.experiment, row.target, row.block, row.params, row.metrics,
                                     row.validity, row.seq, row.sweepId});
    for (const record::PredictionRow& row : predictions)
        evidence.predictions.push_back({row.block, row.point, row.low, row.high, row.seq, row.params, false});
    for (const record::AnswerRow& row : answers)
        evidence.answers.push_back(
            {row.block, row.correct, row.seq, answerFromJson(*row.answer), secondsOf(row.createdAt)});
    evidence.artifacts = static_cast<int>(artifacts);
    return evidence;
}

/// The worksheets of the lesson that were begun, as tables in the store's files.
Result<std::vector<record::ArtifactCode>> storeWorksheets(record::Store& store, const lessons::Lesson& lesson,
                                                          const lessons::Evidence& evidence)
{
    std::vector<record::ArtifactCode> files;
    const lessons::Curriculum none; // what a claim says stands with the claim; the table names it
    const lessons::GivenLookup lookup = lessons::givenLookup(none, evidence);
    for (const lessons::Block* block : lesson.blocks()) {
        const auto* sheet = std::get_if<lessons::WorksheetBlock>(&block->body);
        if (!sheet)
            continue;
        std::vector<lessons::AnswerGiven> answers;
        for (const lessons::EvidenceAnswer& answer : evidence.answers)
            if (answer.block == block->id)
                answers.push_back(answer.given);
        if (answers.empty())
            continue;
        auto stored = store.putFile(lessons::sheetCsv(*sheet, lessons::sheetProgress(*sheet, answers), lookup));
        stored.waitForFinished();
        if (!stored.result())
            return stored.result().error();
        files.push_back({"worksheet-" + block->id + ".csv", *stored.result()});
    }
    return files;
}

std::string originText(std::span<const record::RunRow> runs)
{
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> targets;
    std::set<Provenance> provenances;
    for (const record::RunRow& run : runs) {
        if (std::ranges::find(targets, run.target) == targets.end())
            targets.push_back(run.target);
        for (const auto& [name, metric] : run.metrics)
            provenances.insert(metric.provenance);
        if (run.metrics.empty())
            provenances.insert(run.provenance);
    }
    std::string text;
    if (targets.size() > kNamed)
        text = std::to_string(targets.size()) + " targets";
    else
        for (const std::string& target : targets)
            text += (text.empty() ? "" : ", ") + target;
    for (const Provenance one : provenances)
        text += (text.empty() ? "" : ", ") + std::string(toText(one));
    return text;
}

Provenance provenanceOfAll(std::span<const record::RunRow> runs)
{
    constexpr std::array kFarthestFirst = {Provenance::Modelled, Provenance::Simulated, Provenance::Recorded};
    for (const Provenance one : kFarthestFirst)
        if (std::ranges::find(runs, one, &record::RunRow::provenance) != runs.end())
            return one;
    return Provenance::Measured;
}

Result<record::ArtifactRow> composeArtifact(record::Store& store, const lessons::Lesson& lesson,
                                            const std::vector<ExperimentInfo>& experiments,
                                            const std::string& reflection)
{
    const lessons::ArtifactBlock* block = lesson.artifact();
    if (!block)
        return Error{"artifact-incomplete", "the lesson has no artifact", "lesson " + lesson.id, ""};
    const auto evidence = evidenceFromStore(store, lesson.id);
    if (!evidence)
        return evidence.error();
    for (const std::string& needed : block->requires_) {
        const bool has = std::any_of(evidence->runs.begin(), evidence->runs.end(),
                                     [&](const lessons::EvidenceRun& run) { return run.block == needed; });
        if (!has)
            return Error{"artifact-incomplete", "the block \"" + needed + "\" has no run yet", "lesson " + lesson.id,
                         "run it, then ship"};
    }
    record::RunFilter filter;
    filter.lesson = lesson.id;
    const auto all = store.runs(filter);
    if (!all)
        return all.error();
    const auto runs = runsOfArtifact(*all);
    if (runs.empty())
        return Error{"artifact-incomplete", "there is no finished run", "lesson " + lesson.id,
                     "run a block, then ship"};
    const auto used = lesson.experiments();
    auto code = storeKernels(store, std::vector<std::string>(used.begin(), used.end()), experiments);
    if (!code)
        return code.error();
    const auto predictions = store.predictions(lesson.id);
    if (!predictions)
        return predictions.error();

    auto sheets = storeWorksheets(store, lesson, *evidence);
    if (!sheets)
        return sheets.error();

    auto designs = storeDesigns(store, runs, experiments);
    if (!designs)
        return designs.error();

    record::ArtifactRow row;
    row.files = std::move(*sheets);
    row.files.insert(row.files.end(), designs->begin(), designs->end());
    row.lesson = lesson.id;
    row.kind = block->kind;
    const std::string origin = originText(runs);
    row.title = block->title + " (" + origin + ")";
    row.question = block->question;
    row.claim = lessons::fillTemplate(block->claim, *evidence).text + " Numbers from " + origin + ".";
    row.reflection = reflection;
    row.level = block->level;
    for (const record::PredictionRow& prediction : *predictions)
        row.predictionIds.push_back(prediction.id);
    for (const record::RunRow& run : runs)
        row.runIds.push_back(run.id);
    row.charts = chartsOf(lesson, runs);
    row.code = std::move(*code);
    row.fingerprint = runs.back().fingerprint;
    row.provenance = provenanceOfAll(runs);
    return row;
}

} // namespace ridge::app
