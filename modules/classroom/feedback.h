// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_report.h"

namespace ridge::classroom {

/// What one learner may be told at a time, by the assignment's feedback policy.
struct LearnerFeedback {
    Person who;
    std::string classTitle, assignment, teacher;
    std::string submittedAt;
    bool late = false;
    std::optional<double> grade; ///< none while the policy keeps results back

    struct Prediction {
        std::string question, misconception; ///< what its authors say to it; may be empty
        double point = 0, low = 0, high = 0;
        std::optional<double> result;
        std::string unit, provenance;
    };
    struct LessonPart {
        std::string id, title;
        LessonSteps steps;
        std::optional<double> points;
        std::vector<CheckCredit> checks; ///< empty while the policy keeps them back
        std::vector<Prediction> predictions;
        struct Explanation {
            std::string question, text, rating, model;
        };
        std::vector<Explanation> explanations;
        std::optional<OpenWork> open; ///< could not be run again; none while the policy keeps results back
        std::string words;            ///< the instructor's own
        bool wordsAreEarlier = false;
    };
    std::vector<LessonPart> lessons;
    std::string words;                   ///< the instructor's own about the whole
    bool wordsAreEarlier = false;        ///< said about a submission before the newest
    std::vector<std::string> shownSteps; ///< what the policy lets out now
    std::vector<std::string> withheld; ///< steps of which nothing is told, each with when: "passed: after the deadline"
};

/// Of everybody who handed in, in the order of their names. `now`: ISO 8601 UTC. Errors: those of the database.
Result<std::vector<LearnerFeedback>> feedback(OpenClass& open, const lessons::Curriculum& curriculum,
                                              const std::string& assignment, const std::string& now);

/// One page that needs nothing beside it: no scripts, no requests, light and dark by the reader's system, fit to print.
/// Every text that somebody wrote is escaped.
std::string feedbackPage(const LearnerFeedback& feedback);

/// The same in a few plain sentences, for the feedback column of a grades file.
std::string feedbackText(const LearnerFeedback& feedback);

/// "Ada Lovelace.html", or the pseudonym: a name that every file system takes. Two of one name get the pseudonym too.
std::string feedbackFileName(const LearnerFeedback& feedback);

/// Writes a page a learner into a folder that is made where needed. Gives the files.
Result<std::vector<std::filesystem::path>> writeFeedback(const std::vector<LearnerFeedback>& all,
                                                         const std::filesystem::path& folder);

/// The grades of an assignment as Moodle ("moodle") or Canvas ("canvas") import them: everybody on the roster, and
/// those who handed in without being on it. The feedback column keeps to the policy. Errors: "bad-format".
Result<std::string> gradesFile(OpenClass& open, const lessons::Curriculum& curriculum, const std::string& assignment,
                               const std::string& format, const std::string& now);

} // namespace ridge::classroom
