// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge targets` and `ridge describe`, and what other commands ask of the worker.
#include "cli/commands.h"

#include "base/target_kind.h"
#include "base/units.h"
#include "cli/lesson_steps.h"
#include "record/worker/worker_run.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace ridge::cli {
namespace {

record::WorkerOptions workerOptions()
{
    return {record::defaultWorkerProgram(), {}};
}

std::string rangeText(const ParamSpec& spec)
{
    if (spec.type == ParamType::Text)
        return spec.file ? "a file" : "a text";
    if (spec.choices.empty())
        return formatNumber(spec.min) + " … " + formatNumber(spec.max) +
               (spec.scale == ParamScale::Log2 ? " (log2)" : "");
    std::string text;
    for (const ParamValue& choice : spec.choices)
        text += (text.empty() ? "" : ", ") + toText(choice);
    return text;
}

void printExperiment(const ExperimentInfo& info)
{
    std::printf("%s  %s (version %d, module %d)\n%s\n\n", info.id.c_str(), info.title.c_str(), info.version,
                info.module, info.summary.c_str());
    std::vector<std::vector<std::string>> rows;
    for (const ParamSpec& spec : info.parameters)
        rows.push_back({spec.name, rangeText(spec), toText(spec.defaultValue), spec.unit, spec.help});
    std::printf("%s\n", table({"PARAMETER", "RANGE", "DEFAULT", "UNIT", "MEANING"}, rows).c_str());
    rows.clear();
    const std::string* before = nullptr; // a dozen stalls have one sentence
    for (const MetricSpec& metric : info.metrics) {
        rows.push_back({metric.name, metric.unit, before && *before == metric.help ? "as above" : metric.help});
        before = &metric.help;
    }
    std::printf("%s\n", table({"METRIC", "UNIT", "MEANING"}, rows).c_str());
    rows.clear();
    for (const LimitSpec& limit : info.limits)
        rows.push_back({limit.metric, limit.kind, limit.formula, limit.source});
    std::printf("%s\n", table({"LIMIT OF", "KIND", "FORMULA", "SOURCE"}, rows).c_str());
}

} // namespace

Result<std::vector<ExperimentInfo>> loadCatalogue()
{
    const auto document = record::queryWorker(workerOptions(), QStringLiteral("describe"));
    if (!document)
        return document.error();
    return catalogueFromJson(*document);
}

Result<Json> queryTargets()
{
    return record::queryWorker(workerOptions(), QStringLiteral("targets"));
}

namespace {

/// The first target that is there and `fits`, else the default simulator.
template<class Fits>
Result<std::string> firstTarget(const std::string& wanted, const Fits& fits)
{
    if (!wanted.empty())
        return wanted;
    const auto document = queryTargets();
    if (!document)
        return document.error();
    for (const Json& target : document->at("targets"))
        if (target.value("available", false) && fits(target))
            return target.at("id").get<std::string>();
    return std::string(kDefaultSimulator);
}

} // namespace

Result<std::string> chooseTarget(const std::string& wanted)
{
    return firstTarget(
        wanted, [](const Json& target) { return target.value("provenance", "") == toText(Provenance::Measured); });
}

Result<std::string> chooseKernelTarget(const std::string& wanted)
{
    return firstTarget(wanted, [](const Json& target) { return measuresKernels(target.value("id", "")); });
}

namespace {

/// Classes of chips in the order of the list, as the worker calls them and as people do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGroups{
    {{"datacenter", "data centre"}, {"desktop", "desktop"}, {"laptop", "laptop"}, {"edge", "embedded"}}};

std::string groupOf(const Json& target)
{
    const std::string group = target.value("group", "");
    if (group.empty())
        return machineOfTarget(target.value("id", "")).empty() ? "yours" : "machine";
    const auto known = std::ranges::find(kGroups, group, &std::pair<std::string_view, std::string_view>::first);
    return known == kGroups.end() ? group : std::string(known->second);
}

/// Chips by class, each class in the order of the catalogue; what is of this machine stays before them.
std::vector<Json> byGroup(const Json& targets)
{
    std::vector<Json> rows(targets.begin(), targets.end());
    std::ranges::stable_sort(rows, {}, [](const Json& target) {
        const std::string group = groupOf(target);
        if (group == "yours")
            return 0;
        const auto known = std::ranges::find(kGroups, group, &std::pair<std::string_view, std::string_view>::second);
        return 1 + static_cast<int>(known - kGroups.begin()); // machines last
    });
    return rows;
}

} // namespace

int targetsCommand(bool json)
{
    const auto document = queryTargets();
    if (!document)
        return report(document.error());
    if (json) {
        printJson(*document);
        return Done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const Json& target : byGroup(document->at("targets"))) {
        const bool available = target.value("available", false);
        rows.push_back(
            {target.value("id", ""), groupOf(target), target.value("provenance", ""), available ? "yes" : "no",
             target.value("gives", ""),
             available ? target.value("title", "") : target.value("reason", "") + " " + target.value("fix", "")});
    }
    std::printf("%s\n", table({"TARGET", "GROUP", "PROVENANCE", "READY", "GIVES", "WHAT IT IS"}, rows).c_str());
    rows.clear();
    for (const Json& compiler : document->at("compilers"))
        rows.push_back({compiler.value("id", ""), compiler.value("available", false) ? "yes" : "no",
                        compiler.value("version", ""), compiler.value("detail", "")});
    std::printf("%s", table({"COMPILER", "READY", "VERSION", "WHERE"}, rows).c_str());
    return Done;
}

Result<ParamSet> readSettings(const ExperimentInfo& info, const std::vector<std::string>& assignments)
{
    ParamSet set;
    for (const std::string& assignment : assignments) {
        const auto parts = splitAssignment(assignment);
        if (!parts)
            return parts.error();
        const ParamSpec* spec = info.parameter(parts->first);
        if (!spec) {
            // Let the base name the neighbours.
            const auto completed = completeParams(info.parameters, {{parts->first, std::string()}}, "");
            return completed.error();
        }
        const auto value = parseValue(*spec, parts->second);
        if (!value)
            return value.error();
        set[parts->first] = *value;
    }
    return set;
}

int describeCommand(const std::string& experiment, bool json)
{
    auto catalogue = loadCatalogue();
    if (!catalogue)
        return report(catalogue.error());
    if (!experiment.empty()) {
        auto info = findExperiment(*catalogue, experiment);
        if (!info)
            return report(info.error());
        *catalogue = {std::move(*info)};
    }
    if (json) {
        printJson(catalogueToJson(*catalogue));
        return Done;
    }
    if (!experiment.empty()) {
        printExperiment(catalogue->front());
        return Done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const ExperimentInfo& info : *catalogue) {
        std::string targets;
        for (const std::string& target : info.targets)
            targets += (targets.empty() ? "" : ", ") + target;
        rows.push_back({info.id, std::to_string(info.module), targets, info.title, info.summary});
    }
    std::printf("%s", table({"EXPERIMENT", "MODULE", "TARGETS", "TITLE", "WHAT IT SHOWS"}, rows).c_str());
    return Done;
}

} // namespace ridge::cli
