// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ratio_credit.h"
#include "classroom/record/school.h"
#include "lessons/lesson_evidence.h"

namespace ridge::classroom {

/// The five steps of a lesson, in the order in which a learner takes them.
struct LessonSteps {
    bool predicted = false; ///< every predict block has a prediction
    bool ran = false;       ///< every run and sweep block has a finished run that may count
    bool passed = false;    ///< every check but that of the artifact
    bool shipped = false;   ///< an artifact
    bool explained = false; ///< a reason for a prediction, or words in the artifact
    bool operator==(const LessonSteps&) const = default;
};

struct CheckCredit {
    std::string check, title;
    lessons::CheckState state = lessons::CheckState::Missing;
    std::string detail; ///< what was found, or what is still to be done
    double credit = 0;  ///< 0 to 1
};

/// What a learner believed at one block.
struct Finding {
    std::string kind; ///< "prediction", "answer" or "explanation"
    std::string block, metric, unit;
    double point = 0, low = 0, high = 0;      ///< of a prediction: the first that was committed
    std::optional<double> result = {};        ///< of the first run at its point that came after it
    std::string target = {}, provenance = {}; ///< of that run
    std::string hardware = {};                ///< what it ran on, in words; empty in grades of before and of models
    std::string misconception = {};           ///< id in the lesson, or "choice-2"; empty: none that the authors foresaw
    bool right = false;                       ///< a prediction within a factor of two, an answer that is right
    std::string text = {}, rating = {};       ///< of an explanation: the newest in own words, and "no", "partly", "yes"
};

struct LessonGrade {
    std::string lesson;
    double points = 0; ///< 0 to 100: the mean credit of the lesson's checks
    LessonSteps steps;
    std::vector<CheckCredit> checks;
    std::vector<Finding> findings;
};

/// What re-execution found out about a learner's runs.
struct RunJudgement {
    std::set<std::string> refused;                                     ///< run ids that do not count
    std::map<std::string, std::map<std::string, MetricValue>> metrics; ///< by run id: what counts instead
    std::map<std::string, std::map<std::string, MetricValue>> hidden;  ///< by run id: of the hidden case
    /// A run as it came out at a hidden setting of a check.
    struct Varied {
        ParamSet params;
        std::map<std::string, MetricValue> metrics;
    };
    std::map<std::string, std::map<std::string, Varied>> varied; ///< by check id and run id
};

/// Grades one lesson by the instructor's own copy of it: what the learner's copy says has no part in it. A check that
/// is passed is worth 1. A check with a bound that measured runs miss is worth less in proportion to how far they miss
/// it (CK7 of the product, after Stanford CS149): 1 within a factor of 1.2, 1.2 / factor down to 10, then nothing; so
/// machines differ without grades doing so. Simulated runs give the same bits everywhere and pass or fail. Where
/// `judged` has hidden cases, a check has to be passed with them as well, and at the hidden settings that it declares.
/// Nothing asks for a GPU.
LessonGrade gradeLesson(const lessons::Lesson& lesson, const record::LearnerRows& rows,
                        const RunJudgement& judged = {});

/// Whether the outcome of a check can depend on this run: it is of its experiment, has its metric, and stands at one of
/// the settings that the check names.
bool looksAt(const lessons::CheckSpec& check, const record::RunRow& run);

using ridge::ratioCredit;

/// What the runs ran on, in words, each once: the processor or chip with "(simulated)" where it was.
std::vector<std::string> hardwareOf(const std::vector<record::RunRow>& runs);
std::string hardwareOf(const record::RunRow& run);

record::GradeRow toRow(const LessonGrade& grade);
LessonGrade gradeOf(const record::GradeRow& row);

} // namespace ridge::classroom
