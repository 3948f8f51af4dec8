// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/protocol.h"

#include "base/json_read.h"
#include "base/limit_rules.h"

namespace ridge {
namespace {

constexpr const char* kCode = "bad-protocol";

template<class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template<class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

Json eventToJson(const Event& event)
{
    return std::visit(
        Overloaded{
            [](const StartedEvent& e) {
                return Json{{"event", "started"},
                            {"protocol", kProtocolVersion},
                            {"experiment", e.experiment},
                            {"version", e.version},
                            {"target", e.target},
                            {"provenance", toText(e.provenance)},
                            {"fingerprint", e.fingerprint->is_null() ? Json::object() : *e.fingerprint},
                            {"points", e.points}};
            },
            [](const ProgressEvent& e) {
                return Json{{"event", "progress"}, {"fraction", e.fraction}, {"message", e.message}};
            },
            [](const SampleEvent& e) {
                Json json{{"event", "sample"},
                          {"index", e.index},
                          {"params", toJson(e.params)},
                          {"metrics", metricsToJson(e.metrics)},
                          {"limits", limitsToJson(e.limits)},
                          {"checks", checksToJson(e.checks)},
                          {"validity", e.validity}};
                json.update(countersToJson(e));
                if (e.error)
                    json["error"] = toJson(*e.error);
                return json;
            },
            [](const TraceEvent& e) {
                Json json{{"event", "trace"}, {"index", e.index}, {"kind", e.kind}, {"bytes", e.bytes.size()}};
                if (e.more)
                    json["more"] = true;
                return json;
            },
            [](const KernelEvent& e) {
                return Json{{"event", "kernel"}, {"document", *e.document}};
            },
            [](const LogEvent& e) {
                return Json{{"event", "log"}, {"message", e.message}};
            },
            [](const CheckEvent& e) {
                Json json{{"event", "check"}};
                json.update(toJson(e.check));
                return json;
            },
            [](const PausedEvent& e) {
                return Json{{"event", "paused"}, {"error", toJson(e.why)}};
            },
            [](const FinishedEvent& e) {
                return Json{{"event", "finished"}, {"validity", e.validity}, {"seconds", e.seconds}};
            },
            [](const FailedEvent& e) {
                return Json{{"event", "failed"}, {"error", toJson(e.error)}};
            },
        },
        event);
}

} // namespace

Json toJson(const MetricValue& value)
{
    return Json{{"value", value.value}, {"unit", value.unit}, {"provenance", toText(value.provenance)}};
}

Result<MetricValue> metricValueFromJson(const Json& json)
{
    JsonReader in(json, "metric", kCode);
    MetricValue value;
    value.value = in.number("value");
    value.unit = in.text("unit");
    const std::string provenance = in.text("provenance");
    if (const auto known = provenanceFromText(provenance))
        value.provenance = *known;
    else
        in.fail("unknown provenance \"" + provenance + "\"");
    if (in.error())
        return *in.error();
    return value;
}

Json metricsToJson(const std::map<std::string, MetricValue>& metrics)
{
    Json json = Json::object();
    for (const auto& [name, value] : metrics)
        json[name] = toJson(value);
    return json;
}

Result<std::map<std::string, MetricValue>> metricsFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{kCode, "metrics must be an object", "metrics", ""};
    std::map<std::string, MetricValue> metrics;
    for (const auto& [name, item] : json.items()) {
        auto value = metricValueFromJson(item);
        if (!value)
            return value.error();
        metrics.emplace(name, std::move(*value));
    }
    return metrics;
}

Json toJson(const LimitValue& value)
{
    return Json{{"value", value.value}, {"kind", value.kind}};
}

Json limitsToJson(const std::map<std::string, LimitValue>& limits)
{
    Json json = Json::object();
    for (const auto& [name, value] : limits)
        json[name] = toJson(value);
    return json;
}

Result<std::map<std::string, LimitValue>> limitsFromJson(const Json& json)
{
    if (!json.is_object())
        return Error{kCode, "limits must be an object", "limits", ""};
    std::map<std::string, LimitValue> limits;
    for (const auto& [name, item] : json.items()) {
        JsonReader in(item, "limit " + name, kCode);
        limits.emplace(name, LimitValue{in.number("value"), in.text("kind")});
        if (in.error())
            return *in.error();
    }
    return limits;
}

Json toJson(const CheckResult& check)
{
    return Json{{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}};
}

Json checksToJson(std::span<const CheckResult> checks)
{
    Json json = Json::array();
    for (const CheckResult& check : checks)
        json.push_back(toJson(check));
    return json;
}

Result<std::vector<CheckResult>> checksFromJson(const Json& json)
{
    if (!json.is_array())
        return Error{kCode, "checks must be a list", "checks", ""};
    std::vector<CheckResult> checks;
    for (const Json& item : json) {
        JsonReader in(item, "check", kCode);
        checks.push_back({in.text("name"), in.boolean("passed"), in.text("detail", false)});
        if (in.error())
            return *in.error();
    }
    return checks;
}

Json countersMissing(const Error& why)
{
    return Json{{"code", why.code}, {"message", why.message}, {"fix", why.fix}};
}

Json countersToJson(const SampleEvent& sample)
{
    Json json = Json::object();
    if (!sample.countersBy.empty())
        json["counters_by"] = sample.countersBy;
    if (const auto& why = sample.countersMissing)
        json["counters_missing"] = countersMissing(*why);
    return json;
}

Json toJson(const RunRequest& request)
{
    Json json{{"protocol", kProtocolVersion},
              {"experiment", request.experiment},
              {"target", request.target},
              {"seed", request.seed},
              {"points", Json::array()},
              {"trace", request.trace},
              {"limits", Json{{"seconds", request.limits.seconds}, {"memory_mib", request.limits.memoryMiB}}},
              {"regime", toText(request.regime)},
              {"counters", request.counters}};
    if (request.countOnly)
        json["count_only"] = true;
    if (request.keepGoing)
        json["keep_going"] = true;
    for (const ParamSet& point : request.points)
        json["points"].push_back(toJson(point));
    return json;
}

Result<RunRequest> runRequestFromJson(const Json& json)
{
    JsonReader in(json, "request", kCode);
    RunRequest request;
    const auto protocol = in.integer("protocol");
    if (!in.error() && protocol != kProtocolVersion)
        return Error{kCode, "this worker speaks protocol 1, the request protocol " + std::to_string(protocol),
                     "request", "use a ridge and a ridge-worker of the same version"};
    request.experiment = in.text("experiment");
    request.target = in.text("target");
    request.seed = static_cast<std::uint64_t>(in.integer("seed", false, 1));
    request.trace = in.boolean("trace", false, true);
    request.counters = in.boolean("counters", false);
    request.countOnly = in.boolean("count_only", false);
    request.keepGoing = in.boolean("keep_going", false);
    const std::string given = in.text("regime", false);
    const std::string regime = given.empty() ? "quick" : given;
    if (const auto known = regimeFromText(regime))
        request.regime = *known;
    else
        in.fail("regime is '" + regime + "' and not one of quick, burst, settled");
    if (const Json* points = in.array("points")) {
        for (const Json& item : *points) {
            auto set = paramSetFromJson(item, "points[" + std::to_string(request.points.size()) + "]");
            if (!set)
                return Error{kCode, set.error().message, set.error().place, set.error().fix};
            request.points.push_back(std::move(*set));
        }
        if (request.points.empty())
            in.fail("the request has no points");
    }
    if (const Json* limits = in.object("limits", false)) {
        JsonReader l(*limits, "request.limits", kCode);
        request.limits.seconds = l.number("seconds", false);
        request.limits.memoryMiB = l.integer("memory_mib", false);
        if (const std::string problem = limitsProblem(request.limits); !l.error() && !problem.empty())
            l.fail(problem);
        if (l.error())
            return *l.error();
    }
    if (in.error())
        return *in.error();
    return request;
}

std::string encodeEvent(const Event& event)
{
    // A learner's kernel name or a compiler's text may hold bytes that are not UTF-8; they must not end the run.
    std::string line = eventToJson(event).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    if (const auto* trace = std::get_if<TraceEvent>(&event))
        line += trace->bytes;
    return line;
}

} // namespace ridge
