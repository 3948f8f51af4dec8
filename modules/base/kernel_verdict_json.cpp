// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_read.h"
#include "base/kernel_verdict.h"

#include <cmath>
#include <limits>

namespace ridge {
namespace {

constexpr const char* kCode = "bad-protocol";

template<class T>
Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json();
}

std::optional<double> numberOrNothing(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<std::uint64_t> countOrNothing(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                                              : std::nullopt;
}

std::optional<bool> flagOrNothing(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
}

Json toJson(const GradeRoof& roof)
{
    return Json{{"bytes_per_second", roof.bytesPerSecond},
                {"flops_per_second", roof.flopsPerSecond},
                {"l2_bytes", roof.l2Bytes},
                {"source", roof.source}};
}

GradeRoof roofFromJson(const Json* json, JsonReader& outer)
{
    if (!json)
        return {};
    JsonReader in(*json, "roof", kCode);
    GradeRoof roof{in.number("bytes_per_second"), in.number("flops_per_second"), in.number("l2_bytes"),
                   in.text("source")};
    if (in.error())
        outer.fail("roof: " + in.error()->message);
    return roof;
}

Json toJson(const LaunchFacts& launch)
{
    Json reports = Json::array();
    for (const JsonValue& report : launch.reports)
        reports.push_back(*report);
    return Json{{"case", launch.at},
                {"timed", launch.timed},
                {"data", launch.data},
                {"elements", launch.elements},
                {"wrong", launch.wrong},
                {"unwritten", launch.unwritten},
                // JSON has no infinity.
                {"worst_relative", std::isfinite(launch.worstRelative) ? Json(launch.worstRelative) : Json()},
                {"example", launch.example},
                {"repeats_earlier", launch.repeatsEarlier},
                {"inputs_changed", launch.inputsChanged},
                {"past_end", launch.pastEnd},
                {"reports", std::move(reports)},
                {"printed", launch.printed},
                {"time_s", orNull(launch.seconds)},
                {"wall_s", orNull(launch.wallSeconds)},
                {"reference_time_s", orNull(launch.referenceSeconds)},
                {"instructions", orNull(launch.instructions)},
                {"reference_instructions", orNull(launch.referenceInstructions)}};
}

LaunchFacts launchFromJson(const Json& json, JsonReader& outer)
{
    JsonReader in(json, "launch", kCode);
    LaunchFacts launch;
    launch.at = static_cast<std::size_t>(std::max<std::int64_t>(0, in.integer("case")));
    launch.timed = in.boolean("timed");
    launch.data = in.text("data");
    launch.elements = countOrNothing(json, "elements").value_or(0);
    launch.wrong = countOrNothing(json, "wrong").value_or(0);
    launch.unwritten = countOrNothing(json, "unwritten").value_or(0);
    launch.worstRelative = numberOrNothing(json, "worst_relative").value_or(std::numeric_limits<double>::infinity());
    launch.example = in.text("example");
    launch.repeatsEarlier = in.boolean("repeats_earlier");
    launch.inputsChanged = in.texts("inputs_changed");
    launch.pastEnd = in.boolean("past_end");
    if (const Json* reports = in.array("reports"))
        for (const Json& report : *reports) {
            if (!report.is_object())
                in.fail("a report must be an object");
            launch.reports.emplace_back(report);
        }
    launch.printed = in.text("printed");
    launch.seconds = numberOrNothing(json, "time_s");
    launch.wallSeconds = numberOrNothing(json, "wall_s");
    launch.referenceSeconds = numberOrNothing(json, "reference_time_s");
    launch.instructions = countOrNothing(json, "instructions");
    launch.referenceInstructions = countOrNothing(json, "reference_instructions");
    if (in.error())
        outer.fail("launch: " + in.error()->message);
    return launch;
}

} // namespace

Json toJson(const GradeFacts& facts)
{
    Json json{{"task", facts.task},
              {"target", facts.target},
              {"device", facts.device},
              {"provenance", toText(facts.provenance)},
              {"compiler", facts.compiler},
              {"cases", Json::array()},
              {"launches", Json::array()},
              {"probes", Json{{"alone", orNull(facts.probes.alone)},
                              {"untimed", orNull(facts.probes.untimed)},
                              {"public_data", orNull(facts.probes.publicData)},
                              {"secret_data", orNull(facts.probes.secretData)},
                              {"constant_data", orNull(facts.probes.constantData)},
                              {"few_bits", orNull(facts.probes.fewBits)}}},
              {"replay", facts.replay ? Json{{"fresh", facts.replay->fresh}, {"again", facts.replay->again}} : Json()},
              {"clock_target", facts.clockTarget},
              {"reads_clock", facts.readsClock},
              {"roof", toJson(facts.roof)},
              {"stopped", facts.stopped},
              {"fingerprint", *facts.fingerprint}};
    for (const GradeCase& c : facts.cases)
        json["cases"].push_back(Json{{"sizes", toJson(c.sizes)}, {"hidden", c.hidden}, {"timed", c.timed}});
    for (const LaunchFacts& launch : facts.launches)
        json["launches"].push_back(toJson(launch));
    return json;
}

Result<GradeFacts> gradeFactsFromJson(const Json& json)
{
    JsonReader in(json, "grade", kCode);
    GradeFacts facts;
    facts.task = in.text("task");
    facts.target = in.text("target");
    facts.device = in.text("device");
    facts.compiler = in.text("compiler");
    facts.provenance = provenanceFromText(in.text("provenance")).value_or(Provenance::Simulated);
    if (const Json* cases = in.array("cases"))
        for (const Json& item : *cases) {
            JsonReader c(item, "case", kCode);
            const Json* sizes = c.object("sizes");
            auto set = sizes ? paramSetFromJson(*sizes, "sizes") : Result<ParamSet>(ParamSet{});
            if (!set)
                return Error{kCode, set.error().message, set.error().place, ""};
            facts.cases.push_back({std::move(*set), c.boolean("hidden"), c.boolean("timed")});
            if (c.error())
                return *c.error();
        }
    if (const Json* launches = in.array("launches"))
        for (const Json& launch : *launches)
            facts.launches.push_back(launchFromJson(launch, in));
    if (const Json* probes = in.object("probes"))
        facts.probes = {flagOrNothing(*probes, "alone"),         flagOrNothing(*probes, "untimed"),
                        flagOrNothing(*probes, "public_data"),   flagOrNothing(*probes, "secret_data"),
                        flagOrNothing(*probes, "constant_data"), flagOrNothing(*probes, "few_bits")};
    if (const auto replay = json.find("replay"); replay != json.end() && replay->is_object()) {
        const auto fresh = countOrNothing(*replay, "fresh"), again = countOrNothing(*replay, "again");
        if (fresh && again)
            facts.replay = ReplayFacts{*fresh, *again};
    }
    facts.clockTarget = in.text("clock_target", false);
    facts.roof = roofFromJson(in.object("roof"), in);
    facts.stopped = in.text("stopped");
    facts.readsClock = in.boolean("reads_clock");
    if (const auto fingerprint = json.find("fingerprint"); fingerprint != json.end() && fingerprint->is_object())
        facts.fingerprint = *fingerprint;
    if (in.error())
        return *in.error();
    return facts;
}

Result<GradeFacts> gradeAnswer(const Json& json, const std::string& task, const std::vector<GradeCase>& cases)
{
    auto facts = gradeFactsFromJson(json);
    if (facts && (facts->task != task || facts->cases != cases))
        return Error{kCode, "the worker graded another task or other cases than it was asked for", "worker output",
                     "use a ridge and a ridge-worker of the same version"};
    return facts;
}

Json toJson(const GradeVerdict& verdict)
{
    Json json{{"accepted", verdict.accepted},
              {"reasons", Json::array()},
              {"points", verdict.points},
              {"out_of", verdict.outOf},
              {"time_not_graded", verdict.timeNotGraded.empty() ? Json() : Json(verdict.timeNotGraded)},
              {"instruction_ratio", orNull(verdict.instructionRatio)},
              {"time_ratio", orNull(verdict.timeRatio)},
              {"floor_s", verdict.floorSeconds > 0 ? Json(verdict.floorSeconds) : Json()},
              {"roof", toJson(verdict.roof)},
              {"notes", verdict.notes}};
    for (const GradeReason& reason : verdict.reasons)
        json["reasons"].push_back(Json{{"id", reason.id},
                                       {"text", reason.text},
                                       {"advice", reason.advice},
                                       {"line", reason.line > 0 ? Json(reason.line) : Json()}});
    return json;
}

Result<GradeVerdict> gradeVerdictFromJson(const Json& json)
{
    JsonReader in(json, "verdict", kCode);
    GradeVerdict verdict;
    verdict.accepted = in.boolean("accepted");
    if (const Json* reasons = in.array("reasons"))
        for (const Json& item : *reasons) {
            JsonReader r(item, "reason", kCode);
            verdict.reasons.push_back(
                {r.text("id"), r.text("text"), r.text("advice", false),
                 static_cast<int>(std::clamp(numberOrNothing(item, "line").value_or(0), 0.0, 1e9))});
            if (r.error())
                return *r.error();
        }
    verdict.points = in.number("points");
    verdict.outOf = numberOrNothing(json, "out_of").value_or(100);
    if (const auto why = json.find("time_not_graded"); why != json.end() && why->is_string())
        verdict.timeNotGraded = why->get<std::string>();
    verdict.instructionRatio = numberOrNothing(json, "instruction_ratio");
    verdict.timeRatio = numberOrNothing(json, "time_ratio");
    verdict.floorSeconds = numberOrNothing(json, "floor_s").value_or(0);
    verdict.roof = roofFromJson(in.object("roof"), in);
    verdict.notes = in.texts("notes");
    if (in.error())
        return *in.error();
    return verdict;
}

} // namespace ridge
