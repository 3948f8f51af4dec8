// SPDX-License-Identifier: GPL-3.0-or-later
// One lesson of the curriculum ($RIDGE_CASE) on the simulator: who understands passes, who believes what people wrongly
// believe does not, and is told why.
#include "support.h"

#include "tests/support/process.h"

using namespace ridge;
using namespace ridge::lessons::test;

namespace {

const std::string& fileOfCase()
{
    static const std::string file = qgetenv("RIDGE_CASE").toStdString();
    return file;
}

lessons::Lesson parsedCase()
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

Taken take(const char* learner, const std::string& wanted = {})
{
    const lessons::Lesson lesson = parsedCase();
    const std::string target = !wanted.empty() ? wanted : lesson.target.empty() ? "sim:h100-sxm" : lesson.target;
    const auto outcome =
        ridge::test::runProgram(QStringLiteral("ridge"),
                                {QStringLiteral("lesson"), QStringLiteral("check"), QString::fromStdString(lesson.id),
                                 QStringLiteral("--target"), QString::fromStdString(target),
                                 QStringLiteral("--learner"), QString::fromLatin1(learner), QStringLiteral("--json")},
                                {}, {}, 590000);
    const Result<Json> json = parseJson(outcome.out.toStdString(), "standard output");
    return {outcome.exitCode, json ? *json : Json(), outcome.err.toStdString()};
}

std::string told(const Taken& taken)
{
    return taken.errors + taken.report.dump(1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

class LessonTakenTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theIdealLearnerPasses()
    {
        const Taken taken = take("ideal");
        QVERIFY2(taken.exitCode == 0, told(taken).c_str());
        QVERIFY(taken.report.at("passed").get<bool>());
        for (const Json& step : taken.report.at("steps"))
            QVERIFY2(step.at("failed_checks").empty() && step.at("points").get<int>() > 0, step.dump().c_str());
        QVERIFY(taken.report.at("artifact").is_object());
    }

    /// Where experiments of the lesson run on the processor they are really measured: others may be busy beside us, so
    /// a learner may try again, as a person would.
    void theIdealLearnerPassesOnTheProcessor()
    {
        if (!runsOnTheProcessor())
            QSKIP("no experiment of this lesson runs on the processor");
        Taken taken;
        for (int attempt = 0; attempt < 3 && taken.exitCode != 0; ++attempt)
            taken = take("ideal", "cpu");
        QVERIFY2(taken.exitCode == 0, told(taken).c_str());
        const auto& steps = taken.report.at("steps");
        QVERIFY(std::any_of(steps.begin(), steps.end(), [](const Json& step) { return step.at("target") == "cpu"; }));
    }

    void theWrongLearnerIsToldWhy()
    {
        const Taken taken = take("wrong");
        QVERIFY2(taken.exitCode == 1, told(taken).c_str());
        // The lesson itself is in order: it is the learner who fails it.
        QVERIFY2(taken.report.at("failures").empty(), told(taken).c_str());
        const lessons::Lesson lesson = parsedCase();
        int explained = 0;
        for (const Json& check : taken.report.at("checks")) {
            const std::string kind = check.at("kind"), detail = check.at("detail");
            if (check.at("state") != "failed" || (kind != "answered" && kind != "estimated"))
                continue;
            for (const char* list : {"answers", "predictions"})
                for (const Json& given : taken.report.at(list))
                    for (const std::string& text : explanations(given))
                        explained += !text.empty() && detail.find(text) != std::string::npos ? 1 : 0;
        }
        QVERIFY2(explained > 0, ("no failed check explains itself: " + told(taken)).c_str());
        for (const Json& answer : taken.report.at("answers"))
            QVERIFY2(!answer.at("correct").get<bool>() && !answer.at("explains").get<std::string>().empty(),
                     answer.dump().c_str());
    }

private:
    static bool runsOnTheProcessor()
    {
        const auto described = ridge::test::runProgram(
            QStringLiteral("ridge"), {QStringLiteral("describe"), QStringLiteral("--json")}, {}, {}, 60000);
        const Result<Json> json = parseJson(described.out.toStdString(), "standard output");
        const std::vector<std::string> mine = parsedCase().experiments();
        for (const Json& experiment : json ? json->at("experiments") : Json::array())
            if (std::find(mine.begin(), mine.end(), experiment.at("id").get<std::string>()) != mine.end())
                for (const Json& target : experiment.at("targets"))
                    if (target == "cpu")
                        return true;
        return false;
    }

    static std::vector<std::string> explanations(const Json& given)
    {
        std::vector<std::string> texts;
        if (given.contains("explains"))
            texts.push_back(given.at("explains"));
        for (const Json& wrong : given.value("wrong", Json::array()))
            texts.push_back(wrong.at("explains"));
        return texts;
    }
};

QTEST_GUILESS_MAIN(LessonTakenTest)
#include "tst_lesson_taken.moc"
