// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge progress`
#include "cli/commands.h"

#include "base/paths.h"
#include "base/units.h"
#include "classroom/feedback_policy.h"
#include "evidence/progress.h"
#include "record/clock.h"

#include <cstdio>

namespace ridge::cli {

namespace {

std::string word(bool value)
{
    return value ? "yes" : "-";
}

void print(const app::Progress& progress)
{
    std::vector<std::vector<std::string>> rows;
    for (const app::LessonStanding& one : progress.lessons)
        rows.push_back({one.id, one.levelHeld.empty() ? app::masteryText(one.level) : "later", word(one.predicted),
                        word(one.ran), one.passedHeld.empty() ? word(one.passed) : "later", word(one.shipped),
                        one.explainedHeld.empty() ? word(one.explained) : "later", one.title});
    std::printf(
        "%s", table({"LESSON", "KNOWN", "PREDICTED", "RAN", "PASSED", "SHIPPED", "EXPLAINED", "TITLE"}, rows).c_str());
    const app::Calibration& calibration = progress.calibration;
    if (calibration.predictions > 0)
        std::printf("\n%d predictions: half within a factor of %s, %d of the 80 %% intervals held the result\n",
                    calibration.predictions, formatNumber(calibration.medianFactor).c_str(), calibration.held);
    std::printf("%zu due to be predicted again\n", progress.reviewsDue);
    for (const std::string& held : progress.held)
        std::printf("not counted: some predictions. %s\n", held.c_str());
    std::set<std::string> reasons;
    for (const app::LessonStanding& one : progress.lessons)
        for (const std::string& why : {one.passedHeld, one.explainedHeld, one.levelHeld})
            if (!why.empty() && reasons.insert(why).second)
                std::printf("later: %s\n", why.c_str());
}

} // namespace

int progressCommand(const std::string& format)
{
    const auto data = dataFolder();
    if (!data)
        return report(data.error());
    const auto loaded = lessons::loadCurriculum(*data / "curriculum");
    const auto store = record::Store::openReadOnly(homeFolder());
    if (!store)
        return report(store.error());
    const std::string now = record::timeStamp().toStdString();
    const auto progress = app::progressOf(**store, loaded.curriculum, now,
                                          classroom::FeedbackPolicy::ofHome(homeFolder()).discretion(now));
    if (!progress)
        return report(progress.error());
    if (format == "json")
        printJson(app::progressJson(*progress));
    else if (format == "csv")
        std::printf("%s", app::progressCsv(*progress).c_str());
    else
        print(*progress);
    return Done;
}

} // namespace ridge::cli
