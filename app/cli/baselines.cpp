// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge baselines`: what other machines gave, with all that is known of them.
#include "cli/commands.h"

#include "base/json.h"
#include "base/paths.h"
#include "base/units.h"
#include "record/baselines.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace ridge::cli {
namespace {

using record::Baseline;
using record::BaselinePoint;

Json pointJson(const BaselinePoint& point)
{
    Json json = {{"experiment", point.run.experiment},
                 {"version", point.run.version},
                 {"provenance", toText(Provenance::Recorded)},
                 {"params", ridge::toJson(point.run.params)},
                 {"metrics", metricsToJson(point.run.metrics)},
                 {"limits", limitsToJson(point.run.limits)},
                 {"validity", point.run.validity}};
    if (!point.note.empty())
        json["note"] = point.note;
    return json;
}

std::string joined(const std::vector<std::string>& parts, const char* between)
{
    std::string all;
    for (const std::string& part : parts)
        all += (all.empty() ? "" : between) + part;
    return all;
}

/// "bandwidth 4010 GB/s (84 % of own roofline)"
std::string metricWords(const BaselinePoint& point, const std::string& name, const MetricValue& metric)
{
    std::string words = name + ' ' + formatQuantity(metric.value, metric.unit);
    if (const auto limit = point.run.limits.find(name); limit != point.run.limits.end() && metric.value > 0) {
        const bool lower = limit->second.kind == "lower";
        const double share = lower ? limit->second.value / metric.value : metric.value / limit->second.value;
        words += " (" + formatNumber(100 * share) + " % of own roofline)";
    }
    return words;
}

void printOne(const Baseline& baseline)
{
    std::printf("%s: %s (RECORDED)\n", plain(baseline.id).c_str(), plain(baseline.machine).c_str());
    std::printf("  source: %s%s\n", baseline.published ? "published by others: " : "", plain(baseline.source).c_str());
    if (!baseline.where.empty())
        std::printf("  where: %s\n", plain(baseline.where).c_str());
    std::printf("  date: %s\n", plain(baseline.date).c_str());
    std::printf("  machine: %s\n", plain(baseline.fingerprint->dump()).c_str());
    if (!baseline.unknown.empty())
        std::printf("  not known: %s\n", plain(joined(baseline.unknown, "; ")).c_str());
    for (const BaselinePoint& point : baseline.points) {
        std::vector<std::string> params, metrics;
        for (const auto& [name, value] : point.run.params)
            params.push_back(name + '=' + toText(value));
        for (const auto& [name, metric] : point.run.metrics)
            metrics.push_back(metricWords(point, name, metric));
        std::printf("  %s %s: %s\n", plain(point.run.experiment).c_str(), plain(joined(params, " ")).c_str(),
                    plain(joined(metrics, ", ")).c_str());
        if (!point.note.empty())
            std::printf("    %s\n", plain(point.note).c_str());
    }
}

void printAll(const record::BaselineLibrary& library)
{
    std::vector<std::vector<std::string>> rows;
    for (const Baseline& baseline : library.baselines) {
        std::map<std::string, int> count;
        for (const BaselinePoint& point : baseline.points)
            ++count[point.run.experiment];
        std::vector<std::string> parts;
        for (const auto& [experiment, points] : count)
            parts.push_back(experiment + ' ' + std::to_string(points));
        rows.push_back({plain(baseline.id), plain(baseline.machine), baseline.published ? "published" : "run",
                        plain(baseline.date), plain(joined(parts, ", "))});
    }
    if (rows.empty())
        std::printf("There are no recorded baselines.\n");
    else
        std::printf("%s", table({"id", "machine", "source", "date", "points"}, rows).c_str());
}

} // namespace

int baselinesCommand(const std::string& id, bool json)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    record::BaselineLibrary library = record::readBaselines(*data / "assets" / "baselines");
    if (const auto experiments = loadCatalogue())
        for (const Baseline& baseline : library.baselines)
            for (Error& misfit : record::baselineMisfits(baseline, *experiments))
                library.problems.push_back(std::move(misfit));
    if (!id.empty()) {
        std::vector<std::string> known;
        for (const Baseline& baseline : library.baselines)
            known.push_back(baseline.id);
        std::erase_if(library.baselines, [&](const Baseline& baseline) { return baseline.id != id; });
        if (library.baselines.empty())
            return report({"unknown-baseline", "There is no recorded baseline of this name.", id,
                           "There are " + joined(known, ", ") + "."});
    }
    if (json) {
        Json document = {{"baselines", Json::array()}, {"problems", Json::array()}};
        for (const Baseline& baseline : library.baselines) {
            Json one = record::baselineCard(baseline);
            one["points"] = Json::array();
            for (const BaselinePoint& point : baseline.points)
                one["points"].push_back(pointJson(point));
            document["baselines"].push_back(std::move(one));
        }
        for (const Error& problem : library.problems)
            document["problems"].push_back(toJson(problem));
        printJson(document);
    } else if (!id.empty()) {
        printOne(library.baselines.front());
    } else {
        printAll(library);
    }
    if (!json)
        for (const Error& problem : library.problems)
            tell(toText(problem));
    return library.problems.empty() ? Done : Failed;
}

} // namespace ridge::cli
