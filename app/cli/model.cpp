// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge model`: what a model costs, from its config.json, its layers or its ONNX graph; the explorer without a window.
#include "cli/commands.h"

#include "base/json.h"
#include "base/units.h"
#include "workload/explorer.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace ridge::cli {
namespace {

using namespace workload;

Result<Subject> subjectOf(const std::string& name)
{
    std::error_code failed;
    if (std::filesystem::is_regular_file(name, failed))
        return subjectFromFile(name);
    const auto shipped = shippedSubjects();
    if (!shipped)
        return shipped.error();
    auto found = findSubject(*shipped, name);
    if (!found)
        found = Error{found.error().code, found.error().message + ", and no such file", found.error().place,
                      found.error().fix.starts_with("did you mean") ? found.error().fix
                                                                    : "give a config.json, a .yaml or an .onnx"};
    return found;
}

constexpr std::array<std::pair<std::string_view, Phase>, 3> kPhases{
    {{"decode", Phase::Decode}, {"prefill", Phase::Prefill}, {"training", Phase::Training}}};

Result<Step> stepOf(const ModelOptions& options)
{
    Step step;
    const auto asked =
        std::ranges::find(kPhases, std::string_view(options.phase), [](const auto& p) { return p.first; });
    step.phase = asked != kPhases.end() ? asked->second : Phase::Decode;
    step.batch = static_cast<double>(options.batch);
    if (options.context != 0)
        step.context = static_cast<double>(options.context);
    step.source = static_cast<double>(options.source);
    step.fused = !options.eager;
    const auto names = dtypeNames();
    if (std::ranges::find(names, options.dtype) == names.end()) {
        std::string all;
        for (const std::string& each : names)
            all += (all.empty() ? "" : ", ") + each;
        return Error{"bad-value", "there is no precision \"" + options.dtype + "\"", "--dtype", "take one of " + all};
    }
    step.dtype = dtypeNamed(options.dtype);
    return step;
}

std::string whole(double value)
{
    return std::to_string(static_cast<long long>(value + 0.5));
}

} // namespace

int modelCommand(const ModelOptions& options)
{
    auto step = stepOf(options);
    if (!step)
        return report(step.error());
    const auto subject = subjectOf(options.model);
    if (!subject)
        return report(subject.error());
    if (const double most = mostTokens(*subject); options.context == 0 && most > 0)
        step->context = std::min(step->context, most);
    if (options.phase.empty() && !checkStep(*subject, *step))
        step->phase = Phase::Prefill; // a model that keeps nothing has no decode
    if (const auto good = checkStep(*subject, *step); !good)
        return report(good.error());
    std::vector<Operator> list;
    listOperators(*subject, *step, list);
    const Totals totals = totalsOf(list);
    const double all = parameters(*subject), active = activeParameters(*subject);
    const double cache = kvBytesPerToken(*subject, step->kvBytes);
    const double cross = crossKvBytesPerToken(*subject, step->kvBytes);
    const double state = stateBytesPerSequence(*subject, step->kvBytes);
    const double source = cross > 0 ? sourceTokens(*subject->shape(), *step) : 0;
    const auto* named = std::ranges::find(kPhases, step->phase, [](const auto& p) { return p.second; });
    const std::string phase(named->first);
    if (options.json) {
        Json operators = Json::array();
        for (const Operator& op : list)
            operators.push_back({{"name", op.name},
                                 {"kind", toText(op.kind)},
                                 {"count", op.count},
                                 {"shapes", shapesOf(op, *step)},
                                 {"flops", op.flops},
                                 {"bytes", op.bytes()}});
        Json out = {{"model", subject->title},
                    {"provenance", "MODELLED"},
                    {"parameters", all},
                    {"active_parameters", active},
                    {"weight_bytes", all * weightBytes(step->dtype)},
                    {"kv_bytes_per_token", cache},
                    {"assumed", subject->assumed},
                    {"phase", phase},
                    {"batch", step->batch},
                    {"context", step->context},
                    {"dtype", options.dtype},
                    {"flops", totals.flops},
                    {"bytes", totals.bytes()},
                    {"launches", totals.launches},
                    {"operators", operators}};
        if (cross > 0) {
            out["source"] = source;
            out["cross_kv_bytes_per_source_token"] = cross;
        }
        if (state > 0)
            out["state_bytes_per_sequence"] = state;
        printJson(out);
        return Done;
    }
    std::printf("%s (MODELLED)\n", plain(subject->title).c_str());
    std::printf("  parameters: %s%s\n", whole(all).c_str(),
                active != all ? (", a token uses " + whole(active)).c_str() : "");
    std::printf("  weights: %s in %s\n", formatQuantity(all * weightBytes(step->dtype), "bytes").c_str(),
                options.dtype.c_str());
    if (cache > 0)
        std::printf("  cache: %s bytes a token at %s bytes a value\n", whole(cache).c_str(),
                    formatNumber(step->kvBytes).c_str());
    if (cross > 0)
        std::printf("  cache of the encoder's output: %s bytes a token of its input, %s a sequence\n",
                    whole(cross).c_str(), formatQuantity(cross * source, "bytes").c_str());
    if (state > 0)
        std::printf("  state: %s bytes a sequence of any length at %s bytes a value, and no cache\n",
                    whole(state).c_str(), formatNumber(step->kvBytes).c_str());
    for (const std::string& each : subject->assumed)
        std::printf("  taken: %s\n", plain(each).c_str());
    std::printf("\n%s, batch %s, %s tokens%s:\n", phase.c_str(), whole(step->batch).c_str(),
                whole(step->context).c_str(),
                source > 0 ? (" over " + whole(source) + " of the encoder's input").c_str() : "");
    std::vector<std::vector<std::string>> rows;
    for (const Operator& op : list)
        rows.push_back({plain(op.name), std::string(toText(op.kind)), formatNumber(op.count),
                        plain(shapesOf(op, *step)), formatQuantity(op.count * op.flops, "FLOP"),
                        formatQuantity(op.count * op.bytes(), "B")});
    rows.push_back({"all", "", formatNumber(totals.launches), "", formatQuantity(totals.flops, "FLOP"),
                    formatQuantity(totals.bytes(), "B")});
    std::printf("%s\n", table({"OPERATOR", "KIND", "LAUNCHES", "SHAPES", "FLOPS", "BYTES"}, rows).c_str());
    return Done;
}

} // namespace ridge::cli
