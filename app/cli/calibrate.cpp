// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge calibrate`: what this machine, or a simulated chip, reaches: its own roofline.
#include "cli/commands.h"

#include "base/paths.h"
#include "cli/job.h"
#include "record/calibrator.h"

#include <cstdio>

namespace ridge::cli {
namespace {

std::string known(const CalibrationPlan& plan)
{
    std::string classes;
    for (const auto& [name, steps] : plan.byClass())
        classes += (classes.empty() ? "" : ", ") + name;
    return classes;
}

void print(const MachineCalibration& calibration, const CalibrationPlan& plan)
{
    std::vector<std::vector<std::string>> rows;
    for (const CalibrationStep& step : plan.steps(calibration.target)) {
        const CalibrationFigure* figure = calibration.find(step.quantity);
        rows.push_back({step.title, figure ? figureText(*figure) : "not known",
                        figure ? std::string(toText(figure->value.provenance)) : "", figure ? figure->validity : ""});
    }
    std::printf("Calibration of %s\n\n%s\n", calibration.target.c_str(),
                table({"", "figure", "provenance", "validity"}, rows).c_str());
}

} // namespace

int calibrateCommand(const CalibrateOptions& options)
{
    const auto plan = CalibrationPlan::shipped();
    if (!plan)
        return report(plan.error());
    const auto target = chooseTarget(options.target);
    if (!target)
        return report(target.error());
    if (plan->steps(*target).empty())
        return report({"unknown-target", "there is no calibration for " + *target, "--target",
                       "targets of these classes can be calibrated: " + known(*plan)});
    auto store = record::Store::open(homeFolder());
    if (!store)
        return report(store.error());
    int code = Done;
    if (!options.show)
        for (const RunRequest& request : plan->requests(*target)) {
            if (!options.json)
                std::printf("%s …\n", request.experiment.c_str());
            const auto result = runJob(request, store->get(), {}, true);
            if (result)
                continue;
            // What one experiment cannot tell, the others still can.
            code = report(result.error());
            if (code == Cancelled || code == Unavailable || code == StoreTrouble)
                return code;
        }
    const auto calibration = record::storedCalibration(**store, *plan, *target);
    if (!calibration)
        return report(calibration.error());
    if (options.json)
        printJson(toJson(*calibration));
    else
        print(*calibration, *plan);
    return code;
}

} // namespace ridge::cli
