// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/calibration.h"

#include "base/json_read.h"
#include "base/paths.h"
#include "base/target_choice.h"
#include "base/units.h"

#include <fstream>
#include <set>

namespace ridge {

namespace {

constexpr const char* kCode = "bad-calibration";

Result<CalibrationStep> stepFromJson(const Json& json, const std::string& place)
{
    JsonReader in(json, place, kCode);
    CalibrationStep step{in.text("quantity"), in.text("title"), in.text("roof", false), in.text("experiment"), {},
                         in.text("metric")};
    const Json* set = in.object("set", false);
    if (in.error())
        return *in.error();
    if (set != nullptr) {
        auto params = paramSetFromJson(*set, place + ".set");
        if (!params)
            return Error{kCode, params.error().message, params.error().place, params.error().fix};
        step.set = std::move(*params);
    }
    return step;
}

} // namespace

Result<CalibrationPlan> CalibrationPlan::fromJson(const Json& json)
{
    JsonReader in(json, "calibration", kCode);
    const Json* classes = in.object("steps");
    if (in.error())
        return *in.error();
    CalibrationPlan plan;
    for (const auto& [name, list] : classes->items()) {
        const std::string place = "steps." + name;
        if (!list.is_array())
            return Error{kCode, "the steps of a target class must be a list", place, ""};
        std::set<std::string> seen;
        for (const Json& item : list) {
            auto step = stepFromJson(item, place + "[" + std::to_string(seen.size()) + "]");
            if (!step)
                return step.error();
            if (!seen.insert(step->quantity).second)
                return Error{kCode, "quantity '" + step->quantity + "' is there twice", place,
                             "give each figure a name of its own"};
            plan.m_steps[name].push_back(std::move(*step));
        }
    }
    return plan;
}

Result<CalibrationPlan> CalibrationPlan::shipped()
{
    const auto folder = dataFolder();
    if (!folder)
        return folder.error();
    const auto path = *folder / "assets" / "calibration.json";
    std::ifstream file(path);
    if (!file)
        return Error{kCode, "the plan of calibration cannot be read", path.string(), "restore it"};
    const Json json = Json::parse(file, nullptr, false);
    if (json.is_discarded())
        return Error{kCode, "the plan of calibration is not JSON", path.string(), "restore it"};
    return fromJson(json);
}

const std::vector<CalibrationStep>& CalibrationPlan::steps(const std::string& target) const
{
    static const std::vector<CalibrationStep> none;
    const auto found = m_steps.find(targetClassOf(target));
    return found == m_steps.end() ? none : found->second;
}

std::vector<RunRequest> CalibrationPlan::requests(const std::string& target) const
{
    std::vector<RunRequest> all;
    for (const CalibrationStep& step : steps(target)) {
        RunRequest request;
        request.experiment = step.experiment;
        request.target = target;
        request.points = {step.set};
        request.trace = false;
        const bool known = std::any_of(all.begin(), all.end(), [&](const RunRequest& other) {
            return other.experiment == request.experiment && other.points == request.points;
        });
        if (!known)
            all.push_back(std::move(request));
    }
    return all;
}

bool isRunOf(const CalibrationStep& step, const std::string& experiment, const ParamSet& params)
{
    return step.experiment == experiment && std::all_of(step.set.begin(), step.set.end(), [&](const auto& fixed) {
               const auto found = params.find(fixed.first);
               return found != params.end() && found->second == fixed.second;
           });
}

std::string targetClassOf(const std::string& target)
{
    return kindOfTarget(target);
}

std::string figureText(const CalibrationFigure& figure)
{
    const bool flops = figure.value.unit == "Gop/s" && !figure.step.roof.empty();
    return formatQuantity(figure.value.value, flops ? "GFLOP/s" : figure.value.unit);
}

const CalibrationFigure* MachineCalibration::find(std::string_view quantity) const
{
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const CalibrationFigure& figure) { return figure.step.quantity == quantity; });
    return found == figures.end() ? nullptr : &*found;
}

Json toJson(const MachineCalibration& calibration)
{
    Json json{{"target", calibration.target}, {"fingerprint", *calibration.fingerprint}, {"figures", Json::array()}};
    for (const CalibrationFigure& figure : calibration.figures)
        json["figures"].push_back(Json{{"quantity", figure.step.quantity},
                                       {"title", figure.step.title},
                                       {"value", figure.value.value},
                                       {"unit", figure.value.unit},
                                       {"provenance", toText(figure.value.provenance)},
                                       {"validity", figure.validity},
                                       {"run", figure.run},
                                       {"created_at", figure.createdAt}});
    return json;
}

} // namespace ridge
