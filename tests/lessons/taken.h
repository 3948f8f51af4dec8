// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson of the curriculum ($RIDGE_CASE) taken by `ridge lesson check`, as its two kinds of tests want it.
#pragma once
#include "lesson_support.h"

#include "tests/support/process.h"

namespace ridge::lessons::test {

inline const std::string& fileOfCase()
{
    static const std::string file = qgetenv("RIDGE_CASE").toStdString();
    return file;
}

inline lessons::Lesson parsedCase()
{
    const lessons::ParsedLesson parsed =
        lessons::parseLesson(read(sourceRoot() / "curriculum" / fileOfCase()), fileOfCase());
    if (!parsed.lesson)
        qFatal("%s is no lesson: %s", fileOfCase().c_str(), shown(parsed.problems).c_str());
    return *parsed.lesson;
}

struct Taken {
    int exitCode = -1;
    Json report;
    std::string errors;
};

/// `learner` as `ridge lesson check` names it; an empty target is the lesson's own, else the default simulator.
inline Taken take(const char* learner, const std::string& wanted = {})
{
    const lessons::Lesson lesson = parsedCase();
    const std::string target = !wanted.empty() ? wanted : lesson.target.empty() ? "sim:h100-sxm" : lesson.target;
    const auto outcome =
        ridge::test::runProgram(QStringLiteral("ridge"),
                                {QStringLiteral("lesson"), QStringLiteral("check"), QString::fromStdString(lesson.id),
                                 QStringLiteral("--target"), QString::fromStdString(target),
                                 QStringLiteral("--learner"), QString::fromLatin1(learner), QStringLiteral("--json")},
                                {}, {}, 1190000);
    const Result<Json> json = parseJson(outcome.out.toStdString(), "standard output");
    return {outcome.exitCode, json ? *json : Json(), outcome.err.toStdString()};
}

/// What did not pass, short: a test's message is cut off after some thousand characters.
inline std::string told(const Taken& taken)
{
    std::string text = "exit status " + std::to_string(taken.exitCode) + " " + taken.errors;
    if (!taken.report.is_object())
        return text;
    for (const Json& failure : taken.report.value("failures", Json::array()))
        text += "\nlesson: " + failure.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (const Json& step : taken.report.value("steps", Json::array()))
        if (!step.at("failed_checks").empty() || step.at("validity") != "valid")
            text += "\nstep: " + step.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (const Json& check : taken.report.value("checks", Json::array()))
        if (check.at("state") != "passed")
            text += "\ncheck: " + check.value("id", std::string()) + " " + check.at("state").get<std::string>() + ": " +
                    check.at("detail").get<std::string>();
    return text;
}

} // namespace ridge::lessons::test
