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
        m_both = take("both");
        QVERIFY2(m_both.report.is_object() && m_both.report.contains("ideal") && m_both.report.contains("wrong"),
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

    /// One passed, one did not, and the lesson has no fault: it is as it should be.
    void theLessonIsInOrder() { QCOMPARE(m_both.exitCode, 0); }

private:
    static std::vector<std::string> explanations(const Json& given)
    {
        std::vector<std::string> texts;
        if (given.contains("explains"))
            texts.push_back(given.at("explains"));
        for (const Json& wrong : given.value("wrong", Json::array()))
            texts.push_back(wrong.at("explains"));
        return texts;
    }

    Taken m_both;
};

QTEST_GUILESS_MAIN(LessonTakenTest)
#include "tst_lesson_taken.moc"
