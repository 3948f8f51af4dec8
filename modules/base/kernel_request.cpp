// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/kernel_request.h"

#include "base/json_read.h"
#include "base/limit_rules.h"
#include "base/target_choice.h"
#include "base/target_kind.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ridge {
namespace {

constexpr const char* kCode = "bad-protocol";
constexpr const char* kRun = "kernel";
constexpr const char* kCompile = "kernel-compile";
constexpr const char* kGrade = "kernel-grade";
constexpr std::int64_t kMostRounds = 100;

Json toJson(const KernelText& source)
{
    return Json{{"path", source.path}, {"text", source.text}, {"ptx", source.isPtx}};
}

Json toJson(const RunLimits& limits)
{
    return Json{{"seconds", limits.seconds}, {"memory_mib", limits.memoryMiB}};
}

KernelText readSource(JsonReader& in)
{
    const Json* json = in.object("source");
    if (!json)
        return {};
    JsonReader s(*json, "request.source", kCode);
    KernelText source{s.text("path"), s.text("text"), s.boolean("ptx")};
    if (s.error())
        in.fail(s.error()->message);
    return source;
}

RunLimits readLimits(JsonReader& in)
{
    const Json* json = in.object("limits", false);
    if (!json)
        return {};
    JsonReader l(*json, "request.limits", kCode);
    const RunLimits limits{l.number("seconds", false), l.integer("memory_mib", false)};
    if (l.error())
        in.fail(l.error()->message);
    else if (const std::string problem = limitsProblem(limits); !problem.empty())
        in.fail(problem);
    return limits;
}

std::array<std::uint64_t, 3> readDimensions(JsonReader& in, const char* key)
{
    std::array<std::uint64_t, 3> out{1, 1, 1};
    const Json* json = in.array(key);
    if (!json)
        return out;
    if (json->size() != 3) {
        in.fail(std::string(key) + " must have three numbers");
        return out;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (json->at(axis).is_number_unsigned())
            out[axis] = json->at(axis).get<std::uint64_t>();
        else
            in.fail(std::string(key) + " must hold whole numbers");
    }
    return out;
}

KernelGradeRequest readGrade(JsonReader& in)
{
    KernelGradeRequest grade;
    grade.source = readSource(in);
    grade.task = in.text("task");
    grade.target = in.text("target");
    grade.secret = in.text("secret");
    const std::int64_t rounds = in.integer("rounds");
    if (rounds < 1 || rounds > kMostRounds)
        in.fail("rounds are 1 to 100");
    grade.rounds = static_cast<int>(rounds);
    grade.limits = readLimits(in);
    const Json* cases = in.array("cases");
    for (const Json& item : cases ? *cases : Json::array()) {
        JsonReader c(item, "request.cases", kCode);
        const Json* sizes = c.object("sizes");
        const auto set = sizes ? paramSetFromJson(*sizes, "sizes") : Result<ParamSet>(ParamSet{});
        grade.cases.push_back({set ? *set : ParamSet{}, c.boolean("hidden", false), c.boolean("timed", false)});
        if (!set || c.error())
            in.fail(set ? c.error()->message : set.error().message);
    }
    return grade;
}

std::optional<std::uint64_t> wholeNumber(std::string_view text)
{
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace

bool isKernelRequest(const Json& json)
{
    const auto kind = json.is_object() ? json.find("kind") : json.end();
    return json.is_object() && kind != json.end() && kind->is_string() &&
           (*kind == kRun || *kind == kCompile || *kind == kGrade);
}

Json toJson(const KernelRequest& request)
{
    if (const auto* compile = std::get_if<KernelCompileRequest>(&request))
        return Json{{"protocol", kProtocolVersion}, {"kind", kCompile},        {"source", toJson(compile->source)},
                    {"arch", compile->arch},        {"exact", compile->exact}, {"limits", toJson(compile->limits)}};
    if (const auto* grade = std::get_if<KernelGradeRequest>(&request)) {
        Json cases = Json::array();
        for (const GradeCase& c : grade->cases)
            cases.push_back(Json{{"sizes", toJson(c.sizes)}, {"hidden", c.hidden}, {"timed", c.timed}});
        return Json{{"protocol", kProtocolVersion}, {"kind", kGrade},          {"source", toJson(grade->source)},
                    {"task", grade->task},          {"target", grade->target}, {"secret", grade->secret},
                    {"cases", std::move(cases)},    {"rounds", grade->rounds}, {"limits", toJson(grade->limits)}};
    }
    const auto& run = std::get<KernelRunRequest>(request);
    return Json{{"protocol", kProtocolVersion},
                {"kind", kRun},
                {"source", toJson(run.source)},
                {"kernel", run.kernel},
                {"grid", run.grid},
                {"block", run.block},
                {"cluster", run.cluster},
                {"non_portable_cluster", run.nonPortableCluster},
                {"dynamic_shared_bytes", run.dynamicSharedBytes},
                {"args", run.args},
                {"target", run.target},
                {"exact", run.exact},
                {"functional", run.functional},
                {"check", run.check},
                {"check_global", run.checkGlobal},
                {"counters", run.counters},
                {"steps", run.steps},
                {"steps_block", run.stepsBlock},
                {"limits", toJson(run.limits)},
                {"most_instructions", run.mostInstructions},
                {"most_cycles", run.mostCycles},
                {"pausable", run.pausable}};
}

Result<KernelRequest> kernelRequestFromJson(const Json& json)
{
    JsonReader in(json, "request", kCode);
    const auto protocol = in.integer("protocol");
    if (!in.error() && protocol != kProtocolVersion)
        return Error{kCode, "this worker speaks protocol 1, the request protocol " + std::to_string(protocol),
                     "request", "use a ridge and a ridge-worker of the same version"};
    const std::string kind = in.text("kind");
    KernelRequest request;
    if (kind == kCompile) {
        request = KernelCompileRequest{readSource(in), in.text("arch"), in.boolean("exact", false), readLimits(in)};
    } else if (kind == kRun) {
        KernelRunRequest run;
        run.source = readSource(in);
        run.kernel = in.text("kernel", false);
        run.grid = readDimensions(in, "grid");
        run.block = readDimensions(in, "block");
        if (json.contains("cluster"))
            run.cluster = readDimensions(in, "cluster");
        run.nonPortableCluster = in.boolean("non_portable_cluster", false);
        const std::int64_t shared = in.integer("dynamic_shared_bytes", false);
        if (shared < 0)
            in.fail("dynamic_shared_bytes cannot be negative");
        run.dynamicSharedBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(shared, 0));
        run.args = in.texts("args");
        run.target = in.text("target");
        run.exact = in.boolean("exact", false);
        run.functional = in.boolean("functional", false);
        run.check = in.boolean("check", false);
        run.checkGlobal = in.boolean("check_global", false);
        run.counters = in.boolean("counters", false);
        run.steps = static_cast<std::uint64_t>(std::max<std::int64_t>(0, in.integer("steps", false)));
        run.stepsBlock = static_cast<std::uint64_t>(std::max<std::int64_t>(0, in.integer("steps_block", false)));
        run.limits = readLimits(in);
        const auto budget = [&](const char* key) {
            const std::int64_t most = in.integer(key, false);
            if (most < 0)
                in.fail(std::string(key) + " cannot be negative");
            return static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0));
        };
        run.mostInstructions = budget("most_instructions");
        run.mostCycles = budget("most_cycles");
        run.pausable = in.boolean("pausable", false);
        request = std::move(run);
    } else if (kind == kGrade) {
        request = readGrade(in);
    } else {
        in.fail("unknown kind \"" + kind + "\"");
    }
    if (in.error())
        return *in.error();
    return request;
}

Result<int> smFromText(std::string_view text)
{
    std::string_view rest = text;
    for (const std::string_view prefix : {"sm_", "compute_"})
        if (rest.starts_with(prefix))
            rest.remove_prefix(prefix.size());
    std::string digits;
    for (const char c : rest)
        if (c != '.')
            digits += c;
    if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f'))
        digits.pop_back();
    const auto value = wholeNumber(digits);
    static constexpr std::array kKnown{50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                       87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    if (!value || std::find(kKnown.begin(), kKnown.end(), static_cast<int>(*value)) == kKnown.end()) {
        std::string all;
        for (const int known : kKnown)
            all += (all.empty() ? "sm_" : ", ") + std::to_string(known);
        return Error{"bad-argument", "'" + std::string(text) + "' is not an architecture", "--arch",
                     "write it like sm_80; there are " + all};
    }
    return static_cast<int>(*value);
}

Result<std::array<std::uint64_t, 3>> dimensionsFromText(std::string_view text, const std::string& name)
{
    const auto fail = [&](const std::string& what) {
        return Error{"bad-argument", what, name, "write " + name + " X, X,Y or X,Y,Z with whole numbers from 1"};
    };
    std::array<std::uint64_t, 3> out{1, 1, 1};
    std::string_view rest = text;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto comma = rest.find(',');
        const auto value = wholeNumber(rest.substr(0, comma));
        if (!value || *value == 0)
            return fail("'" + std::string(rest.substr(0, comma)) + "' in '" + std::string(text) +
                        "' is not a whole number from 1");
        if (*value > 0xffffffffu)
            return fail("'" + std::string(rest.substr(0, comma)) + "' is more than any GPU takes");
        out[axis] = *value;
        if (comma == std::string_view::npos)
            return out;
        rest.remove_prefix(comma + 1);
    }
    return fail("'" + std::string(text) + "' has more than three numbers");
}

KernelGradeRequest gradeRequest(const KernelTask& task, KernelText source, std::string target, std::string secret)
{
    constexpr double kSeconds = 120; // for a grading; one launch may take a tenth
    KernelGradeRequest request;
    request.source = std::move(source);
    request.task = task.id;
    request.target = std::move(target);
    request.secret = std::move(secret);
    const std::string kind = kindOfTarget(request.target);
    request.cases = gradeCases(task, kind, request.secret);
    // On a GPU clocks wander and launches are short, so many; a simulation repeats exactly, two are for two sets of
    // data.
    request.rounds = measuresKernels(request.target) ? 10 : 2;
    request.limits.seconds = kSeconds;
    return request;
}

} // namespace ridge
