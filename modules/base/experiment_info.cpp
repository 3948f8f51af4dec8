// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/experiment_info.h"

#include "base/json_read.h"
#include "base/protocol.h"

namespace ridge {
namespace {

std::string_view scaleName(ParamScale scale)
{
    return scale == ParamScale::Log2 ? "log2" : "linear";
}

ParamScale scaleFromName(const std::string& name)
{
    return name == "log2" ? ParamScale::Log2 : ParamScale::Linear;
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

const ParamSpec* ExperimentInfo::parameter(std::string_view name) const
{
    const auto it = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
    return it == parameters.end() ? nullptr : &*it;
}

const MetricSpec* ExperimentInfo::metric(std::string_view name) const
{
    const auto it = std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.name == name; });
    return it == metrics.end() ? nullptr : &*it;
}

std::vector<std::string> ExperimentInfo::allScenes() const
{
    std::vector<std::string> all = scenes;
    if (!scene.empty())
        all.insert(all.begin(), scene);
    return all;
}

Json toJson(const ExperimentInfo& info)
{
    Json json{{"id", info.id},
              {"version", info.version},
              {"title", info.title},
              {"module", info.module},
              {"summary", info.summary}};
    json["parameters"] = Json::array();
    for (const ParamSpec& spec : info.parameters)
        json["parameters"].push_back(toJson(spec));
    json["targets"] = info.targets;
    json["metrics"] = Json::array();
    for (const MetricSpec& metric : info.metrics)
        json["metrics"].push_back(
            Json{{"name", metric.name}, {"title", metric.title}, {"unit", metric.unit}, {"help", metric.help}});
    json["charts"] = Json::array();
    for (const ChartSpec& chart : info.charts) {
        json["charts"].push_back(Json{{"id", chart.id},
                                      {"title", chart.title},
                                      {"x", chart.x},
                                      {"y", chart.y},
                                      {"x_scale", scaleName(chart.xScale)},
                                      {"y_scale", scaleName(chart.yScale)}});
        Json& made = json["charts"].back();
        if (chart.kind != "curve")
            made["kind"] = chart.kind;
        if (!chart.parts.empty())
            made["parts"] = chart.parts;
        if (!chart.leastX)
            made["x_best"] = "max";
        if (!chart.leastY)
            made["y_best"] = "max";
    }
    json["limits"] = Json::array();
    for (const LimitSpec& limit : info.limits)
        json["limits"].push_back(Json{{"metric", limit.metric},
                                      {"title", limit.title},
                                      {"kind", limit.kind},
                                      {"formula", limit.formula},
                                      {"source", limit.source}});
    json["kernels"] = info.kernels;
    json["scene"] = info.scene;
    json["scenes"] = info.scenes;
    if (info.drawsNothing)
        json["draws_nothing"] = true;
    if (!info.engine.empty()) {
        json["engine"] = info.engine;
        json["engine_version"] = info.engineVersion;
        json["machines"] = info.machines;
    }
    if (!info.defaultTarget.empty())
        json["default_target"] = info.defaultTarget;
    return json;
}

Result<ExperimentInfo> experimentInfoFromJson(const Json& json)
{
    JsonReader in(json, "experiment");
    ExperimentInfo info;
    info.id = in.text("id");
    info.version = static_cast<int>(in.integer("version"));
    info.title = in.text("title");
    info.module = static_cast<int>(in.integer("module"));
    info.summary = in.text("summary", false);
    if (const Json* list = in.array("parameters")) {
        for (const Json& item : *list) {
            auto spec = paramSpecFromJson(item);
            if (!spec)
                return spec.error();
            info.parameters.push_back(std::move(*spec));
        }
    }
    info.targets = in.texts("targets");
    if (const Json* list = in.array("metrics")) {
        for (const Json& item : *list) {
            JsonReader m(item, "metric of " + info.id);
            info.metrics.push_back({m.text("name"), m.text("title"), m.text("unit"), m.text("help", false)});
            if (m.error())
                return *m.error();
        }
    }
    if (const Json* list = in.array("charts")) {
        for (const Json& item : *list) {
            JsonReader c(item, "chart of " + info.id);
            ChartSpec spec{c.text("id"),
                           c.text("title"),
                           c.text("x"),
                           c.text("y"),
                           scaleFromName(c.text("x_scale")),
                           scaleFromName(c.text("y_scale"))};
            if (const std::string kind = c.text("kind", false); !kind.empty())
                spec.kind = kind;
            spec.parts = c.texts("parts", false);
            spec.leastX = c.text("x_best", false) != "max";
            spec.leastY = c.text("y_best", false) != "max";
            if (c.error())
                return *c.error();
            info.charts.push_back(std::move(spec));
        }
    }
    if (const Json* list = in.array("limits")) {
        for (const Json& item : *list) {
            JsonReader l(item, "limit of " + info.id);
            info.limits.push_back(
                {l.text("metric"), l.text("title"), l.text("kind"), l.text("formula", false), l.text("source", false)});
            if (l.error())
                return *l.error();
        }
    }
    info.kernels = in.texts("kernels", false);
    info.scene = in.text("scene", false);
    info.scenes = in.texts("scenes", false);
    info.drawsNothing = in.boolean("draws_nothing", false);
    info.engine = in.text("engine", false);
    info.engineVersion = static_cast<int>(in.integer("engine_version", false));
    info.machines = in.texts("machines", false);
    info.defaultTarget = in.text("default_target", false);
    if (in.error())
        return *in.error();
    return info;
}

Json catalogueToJson(std::span<const ExperimentInfo> experiments)
{
    Json json{{"protocol", kProtocolVersion}, {"experiments", Json::array()}};
    for (const ExperimentInfo& info : experiments)
        json["experiments"].push_back(toJson(info));
    return json;
}

Result<std::vector<ExperimentInfo>> catalogueFromJson(const Json& json)
{
    JsonReader in(json, "catalogue");
    std::vector<ExperimentInfo> experiments;
    if (const Json* list = in.array("experiments")) {
        for (const Json& item : *list) {
            auto info = experimentInfoFromJson(item);
            if (!info)
                return info.error();
            experiments.push_back(std::move(*info));
        }
    }
    if (in.error())
        return *in.error();
    return experiments;
}

Result<ExperimentInfo> findExperiment(std::span<const ExperimentInfo> experiments, std::string_view id)
{
    std::vector<std::string> known;
    for (const ExperimentInfo& info : experiments) {
        if (info.id == id)
            return info;
        known.push_back(info.id);
    }
    std::string list;
    for (const std::string& name : known)
        list += (list.empty() ? "" : ", ") + name;
    const auto near = nearestNames(id, known);
    return Error{"unknown-experiment", "there is no experiment \"" + std::string(id) + "\"", "experiment",
                 (near.empty() ? std::string() : "did you mean " + near.front() + "? ") + "Known: " + list};
}

std::vector<std::string> nearestNames(std::string_view given, std::span<const std::string> known)
{
    std::vector<std::pair<std::size_t, std::string>> scored;
    for (const std::string& name : known) {
        std::size_t distance = editDistance(given, name);
        if (given.size() >= 3 && name.find(given) != std::string::npos)
            distance = std::min<std::size_t>(distance, 1);
        // Of four letters two others are another word, unless they only changed places: "nope" is no "topk", "smi" is
        // "sim".
        const bool isShort = given.size() <= 4 && !std::ranges::is_permutation(given, name);
        if (distance <= (isShort ? 1 : std::max<std::size_t>(2, name.size() / 3)))
            scored.emplace_back(distance, name);
    }
    std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> out;
    for (std::size_t i = 0; i < scored.size() && i < 3; ++i)
        out.push_back(scored[i].second);
    return out;
}

} // namespace ridge
