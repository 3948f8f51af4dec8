// SPDX-License-Identifier: GPL-3.0-or-later
// One lesson of the curriculum ($RIDGE_CASE) on the simulator: who understands passes, who believes what people wrongly
// believe does not, and is told why. What the simulator computes is computed once for both.
#include "taken.h"

using namespace ridge;
using namespace ridge::lessons::test;

class LessonTakenTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_both = take("all");
        QVERIFY2(m_both.report.is_object() && m_both.report.contains("ideal") && m_both.report.contains("wrong") &&
                     m_both.report.contains("cheat"),
                 told(m_both).c_str());
    }

    void theIdealLearnerPasses()
    {
        const Taken taken{m_both.exitCode, m_both.report.at("ideal"), m_both.errors};
        QVERIFY2(taken.report.at("passed").get<bool>(), told(taken).c_str());
        for (const Json& step : taken.report.at("steps"))
            QVERIFY2(step.at("failed_checks").empty() && step.at("points").get<int>() > 0, step.dump().c_str());
        QVERIFY(taken.report.at("artifact").is_object());
    }

    void theWrongLearnerIsToldWhy()
    {
        const Taken taken{m_both.exitCode, m_both.report.at("wrong"), m_both.errors};
        QVERIFY2(!taken.report.at("passed").get<bool>(), told(taken).c_str());
        // The lesson itself is in order: it is the learner who fails it.
        QVERIFY2(taken.report.at("failures").empty(), told(taken).c_str());
        // Each failed check says what was wrong, and where an author foresaw the mistake, in the author's words.
        const lessons::Lesson lesson = parsedCase();
        std::map<std::string, std::vector<std::string>> newest; // of a block, what its last instance foresees
        for (const Json& answer : taken.report.at("answers"))
            if (isQuiz(lesson, answer) && !answer.at("explains").get<std::string>().empty())
                newest[answer.at("block")] = {answer.at("explains")};
        for (const Json& prediction : taken.report.at("predictions")) {
            std::vector<std::string>& texts = newest[prediction.at("block")];
            texts.clear();
            for (const Json& wrong : prediction.at("wrong"))
                texts.push_back(wrong.at("explains"));
        }
        int failed = 0;
        for (const Json& check : taken.report.at("checks")) {
            if (check.at("state") != "failed")
                continue;
            ++failed;
            const std::string id = check.at("id"), detail = check.at("detail");
            QVERIFY2(detail.size() > 20, check.dump().c_str());
            const auto spec = std::ranges::find(lesson.checks, id, &lessons::CheckSpec::id);
            QVERIFY2(spec != lesson.checks.end(), id.c_str());
            if (spec->kind != "answered" && spec->kind != "estimated")
                continue;
            const std::vector<std::string>& texts = newest[spec->block];
            const auto tells = [&](const std::string& text) { return detail.find(text) != std::string::npos; };
            QVERIFY2(texts.empty() || std::ranges::any_of(texts, tells), check.dump().c_str());
        }
        QVERIFY2(failed > 0, told(taken).c_str());
        for (const Json& answer : taken.report.at("answers")) {
            QVERIFY2(answer.at("correct").is_null() || !answer.at("correct").get<bool>(), answer.dump().c_str());
            QVERIFY2(!isQuiz(lesson, answer) || !answer.at("explains").get<std::string>().empty(),
                     answer.dump().c_str());
        }
    }

    /// Who understands nothing and looks for ways round: two clicks, the run before the prediction, the same answer
    /// again.
    void theCheatDoesNotPass()
    {
        const Taken taken{m_both.exitCode, m_both.report.at("cheat"), m_both.errors};
        QVERIFY2(!taken.report.at("passed").get<bool>(), told(taken).c_str());
        QVERIFY2(taken.report.at("failures").empty(), told(taken).c_str());
        bool open = false;
        for (const Json& check : taken.report.at("checks"))
            open = open || check.at("state") != "passed";
        QVERIFY2(open, told(taken).c_str());
    }

    /// One passed, two did not, and the lesson has no fault: it is as it should be.
    void theLessonIsInOrder() { QCOMPARE(m_both.exitCode, 0); }

private:
    /// What a quiz explains belongs to the answer; a scene that asks explains the solution, and only once it is found.
    static bool isQuiz(const lessons::Lesson& lesson, const Json& answer)
    {
        const lessons::Block* block = lesson.block(answer.at("block").get<std::string>());
        return block && block->kind == "quiz";
    }

    Taken m_both;
};

QTEST_GUILESS_MAIN(LessonTakenTest)
#include "tst_lesson_taken.moc"
