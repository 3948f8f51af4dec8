// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/feedback.h"

#include "base/json.h"
#include "base/markup.h"
#include "base/units.h"
#include "classroom/asked_steps.h"
#include "classroom/roster.h"

#include <algorithm>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

std::string tag(const char* name, const std::string& content)
{
    return std::string("<") + name + ">" + content + "</" + name + ">\n";
}

std::string explanationOf(const lessons::PredictBlock& predict, const std::string& id)
{
    for (const lessons::Misconception& one : predict.misconceptions)
        if (one.id == id)
            return one.explains;
    return {};
}

std::string whenText(const Assignment& assignment, const std::string& step)
{
    static const std::map<std::string, std::string> kWords{{"predicted", "What you predicted"},
                                                           {"ran", "What your runs gave"},
                                                           {"passed", "Points and checks"},
                                                           {"shipped", "Your artifacts"},
                                                           {"explained", "Your explanations"}};
    const auto words = kWords.find(step);
    const auto when = assignment.feedback.find(step);
    return (words == kWords.end() ? step : words->second) +
           (when != assignment.feedback.end() && when->second == FeedbackWhen::Never ? ": not told"
                                                                                     : ": told after the deadline");
}

LearnerFeedback::LessonPart partOf(const lessons::Lesson& lesson, const LessonGrade& grade,
                                   const std::set<std::string>& shown)
{
    LearnerFeedback::LessonPart part;
    part.id = lesson.id;
    part.title = lesson.title;
    part.steps = grade.steps;
    if (shown.contains("passed")) {
        part.points = grade.points;
        part.checks = grade.checks;
    }
    for (const Finding& finding : grade.findings) {
        const lessons::Block* block = lesson.block(finding.block);
        const auto* explain = block ? std::get_if<lessons::ExplainBlock>(&block->body) : nullptr;
        if (explain != nullptr && finding.kind == "explanation" && shown.contains("explained"))
            part.explanations.push_back({explain->question, finding.text, finding.rating, explain->model});
    }
    if (!shown.contains("predicted") || !shown.contains("ran"))
        return part;
    for (const Finding& finding : grade.findings) {
        const lessons::Block* block = lesson.block(finding.block);
        const auto* predict = block ? std::get_if<lessons::PredictBlock>(&block->body) : nullptr;
        if (predict == nullptr || finding.kind != "prediction")
            continue;
        part.predictions.push_back(
            {predict->question, finding.right ? std::string() : explanationOf(*predict, finding.misconception),
             finding.point, finding.low, finding.high, finding.result, finding.unit, finding.provenance});
    }
    return part;
}

/// Colours are here and not in a theme: the page leaves the program and follows its reader's system.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; }
html { background: Canvas; color: CanvasText; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
       overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1.5rem; overflow-wrap: break-word; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem 0.3rem 0; border-bottom: 1px solid GrayText; }
td.number { white-space: nowrap; }
.quiet { opacity: 0.8; }
blockquote { border-left: 3px solid; margin-left: 0; padding-left: 1rem; }
@media print {
body { margin: 0; max-width: none; }
h2, h3 { break-after: avoid; }
tr { break-inside: avoid; }
.wide { overflow: visible; }
table { overflow-wrap: anywhere; }
th { overflow-wrap: normal; }
td.result { min-width: 9em; }
}
)";

std::string stepsLine(const LearnerFeedback::LessonPart& part, const std::set<std::string>& shown)
{
    std::string line;
    for (const auto& [name, done] : {std::pair("predicted", part.steps.predicted), std::pair("ran", part.steps.ran),
                                     std::pair("passed", part.steps.passed), std::pair("shipped", part.steps.shipped),
                                     std::pair("explained", part.steps.explained)})
        if (shown.contains(name) && hasStep(part.id, name)) {
            // Some of several predictions stand below with their runs: that is not nothing.
            const bool some =
                name == std::string_view("predicted") ? !part.predictions.empty()
                : name == std::string_view("ran")
                    ? std::ranges::any_of(part.predictions, [](const auto& one) { return one.result.has_value(); })
                    : name == std::string_view("explained") && !part.explanations.empty();
            line += (line.empty() ? "" : ", ") + std::string(done || some ? "" : "not ") + name +
                    (!done && some ? " in part" : "");
        }
    return line;
}

/// It scrolls by itself where the window is narrow, with the keyboard too.
std::string wideTable(const char* name, const std::string& rows)
{
    return std::string("<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"") + name + "\"><table>\n" +
           rows + "</table></div>\n";
}

std::string checksTable(const LearnerFeedback::LessonPart& part)
{
    std::string rows = "<tr><th scope=\"col\">Check</th><th scope=\"col\">Credit</th><th scope=\"col\">What was "
                       "found</th></tr>\n";
    for (const CheckCredit& check : part.checks)
        rows += "<tr><td>" + escaped(check.title) + "</td><td class=\"number\">" + gradeText(100 * check.credit) +
                " %</td><td>" + escaped(check.detail) + "</td></tr>\n";
    return wideTable("Checks", rows);
}

std::string predictionsTable(const LearnerFeedback::LessonPart& part)
{
    std::string rows = "<tr><th scope=\"col\">You predicted</th><th scope=\"col\">Your run gave</th>"
                       "<th scope=\"col\">Why</th></tr>\n";
    for (const auto& one : part.predictions)
        rows += "<tr><td>" + escaped(one.question) + "<br>" + escaped(formatQuantity(one.point, one.unit)) + " (" +
                escaped(formatNumber(one.low)) + " to " + escaped(formatNumber(one.high)) +
                ")</td><td class=\"result\">" +
                (one.result ? escaped(formatQuantity(*one.result, one.unit)) + " <span class=\"quiet\">" +
                                  escaped(one.provenance) + "</span>"
                            : std::string("no run followed")) +
                "</td><td>" + escaped(one.misconception) + "</td></tr>\n";
    return wideTable("Predictions", rows);
}

std::string explanationsTable(const LearnerFeedback::LessonPart& part)
{
    std::string rows = "<tr><th scope=\"col\">You wrote</th><th scope=\"col\">A model answer</th>"
                       "<th scope=\"col\">You rated it</th></tr>\n";
    for (const auto& one : part.explanations)
        rows += "<tr><td>" + escaped(one.question) + "<br>" + escaped(one.text) + "</td><td>" + escaped(one.model) +
                "</td><td>" + escaped(one.rating.empty() ? "not rated" : one.rating) + "</td></tr>\n";
    return wideTable("Explanations", rows);
}

std::string quote(const std::string& words, bool earlier)
{
    if (words.empty())
        return {};
    std::string lines;
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t end = std::min(words.find('\n', at), words.size());
        if (end > at)
            lines += tag("p", escaped(words.substr(at, end - at)));
        at = end + 1;
    }
    if (earlier)
        lines += "<p class=\"quiet\">Said about what you handed in before.</p>\n";
    return tag("blockquote", lines);
}

/// What became of work that could not be run again, for its learner.
std::string openText(const OpenWork& work)
{
    const std::string points = gradeText(work.points) + (gradeText(work.points) == "1" ? " point" : " points");
    const bool one = gradeText(work.points) == "1";
    const std::string begin =
        points + (one ? " is" : " are") + " for work that could not be run again (" + reasonsText(work) + "). ";
    switch (work.decision) {
    case OpenWork::Decision::Accepted:
        return begin + work.decidedBy + " accepted it as it was handed in.";
    case OpenWork::Decision::Left:
        return begin + work.decidedBy + " decided that it does not count.";
    case OpenWork::Decision::None:
        break;
    }
    return begin + "It counts nothing unless your teacher accepts it.";
}

std::string onOneLine(std::string words)
{
    std::ranges::replace_if(
        words, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return words;
}

} // namespace

Result<std::vector<LearnerFeedback>> feedback(OpenClass& open, const lessons::Curriculum& curriculum,
                                              const std::string& name, const std::string& now)
{
    const auto assignment = open.assignment(name);
    if (!assignment)
        return assignment.error();
    const auto lessons = ownLessons(curriculum, **assignment);
    if (!lessons)
        return lessons.error();
    const auto submissions = open.school->submissions((*assignment)->id);
    const auto grades = open.school->grades((*assignment)->id);
    const auto members = open.school->members();
    const auto words = open.school->feedback((*assignment)->id);
    if (!submissions || !grades || !members || !words)
        return !submissions ? submissions.error()
               : !grades    ? grades.error()
               : !members   ? members.error()
                            : words.error();

    std::set<std::string> shown;
    std::vector<std::string> withheld;
    for (const std::string& step : steps()) {
        if (mayShow(**assignment, step, now))
            shown.insert(step);
        else
            withheld.push_back(whenText(**assignment, step));
    }
    std::map<std::pair<std::string, std::string>, LessonGrade> byLearner;
    std::map<std::pair<std::string, std::string>, OpenWork> openOf;
    for (const record::GradeRow& row : *grades) {
        byLearner[{row.learner, row.lesson}] = gradeOf(row);
        if (auto work = openWorkOf(row))
            openOf[{row.learner, row.lesson}] = std::move(*work);
    }
    std::map<std::pair<std::string, std::string>, const record::FeedbackRow*> said;
    for (const record::FeedbackRow& row : *words)
        said[{row.learner, row.lesson}] = &row;
    const auto say = [&said](const record::SubmissionRow& submission, const std::string& lesson, auto& part) {
        const auto found = said.find({submission.learner, lesson});
        if (found == said.end())
            return;
        part.words = found->second->text;
        part.wordsAreEarlier = !found->second->submissionId.empty() && found->second->submissionId != submission.id;
    };
    std::map<std::string, std::string> names;
    for (const record::MemberRow& member : *members)
        names[member.learner] = member.name;

    std::vector<LearnerFeedback> all;
    for (const record::SubmissionRow& submission : *submissions) {
        LearnerFeedback one;
        one.who = {submission.learner, names.contains(submission.learner) ? names[submission.learner] : ""};
        one.classTitle = open.place.title;
        one.assignment = (*assignment)->title;
        one.teacher = (*assignment)->teacher;
        one.submittedAt = submission.submittedAt;
        one.late = submission.late;
        one.withheld = withheld;
        one.shownSteps.assign(shown.begin(), shown.end());
        say(submission, "", one);
        double sum = 0;
        for (const lessons::Lesson& lesson : *lessons) {
            const LessonGrade& grade = byLearner[{submission.learner, lesson.id}];
            one.lessons.push_back(partOf(lesson, grade, shown));
            if (const auto work = openOf.find({submission.learner, lesson.id});
                work != openOf.end() && shown.contains("passed"))
                one.lessons.back().open = work->second;
            say(submission, lesson.id, one.lessons.back());
            sum += grade.points / static_cast<double>(lessons->size());
        }
        if (shown.contains("passed"))
            one.grade = sum;
        all.push_back(std::move(one));
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return std::pair(a.who.name, a.who.learner) < std::pair(b.who.name, b.who.learner);
    });
    return all;
}

std::string feedbackPage(const LearnerFeedback& feedback)
{
    const std::set<std::string> shown(feedback.shownSteps.begin(), feedback.shownSteps.end());
    const std::string who = feedback.who.name.empty() ? feedback.who.learner : feedback.who.name;
    std::string body = tag("h1", escaped(feedback.assignment)) +
                       tag("p", escaped(who) + " · " + escaped(feedback.classTitle) +
                                    (feedback.teacher.empty() ? "" : " · " + escaped(feedback.teacher)));
    body += tag("p", "Handed in " + escaped(feedback.submittedAt.substr(0, 10)) + " at " +
                         escaped(feedback.submittedAt.size() > 16 ? feedback.submittedAt.substr(11, 5) : "") + " UTC" +
                         (feedback.late ? ", after the deadline" : "") + ".");
    if (feedback.grade)
        body += tag("p", "<strong>" + gradeText(*feedback.grade) + " of 100 points.</strong>");
    for (const std::string& step : feedback.withheld)
        body += "<p class=\"quiet\">" + escaped(step) + "</p>\n";
    body += quote(feedback.words, feedback.wordsAreEarlier);
    for (const LearnerFeedback::LessonPart& part : feedback.lessons) {
        body += tag("h2", escaped(isKernelLesson(part.id) ? "Kernel: " + part.title : part.id + "  " + part.title));
        if (part.points)
            body += tag("p", gradeText(*part.points) + " of 100 points.");
        if (part.open && part.open->points > 0)
            body += tag("p", escaped(openText(*part.open)));
        body += tag("p", "Steps: " + escaped(stepsLine(part, shown)) + ".");
        body += quote(part.words, part.wordsAreEarlier);
        if (!part.checks.empty())
            body += tag("h3", "Checks") + checksTable(part);
        if (!part.predictions.empty())
            body += tag("h3", "Predictions") + predictionsTable(part);
        if (!part.explanations.empty())
            body += tag("h3", "Explanations") + explanationsTable(part);
    }
    body += "<p class=\"quiet\">Points come from the checks of each lesson, evaluated on the rows that were handed in. "
            "Runs "
            "on the simulator count as much as runs on a GPU.</p>\n";
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
           "content=\"width=device-width, initial-scale=1\">\n" +
           tag("title", escaped(feedback.assignment + ": " + who)) + "<style>" + kStyle +
           "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
}

std::string feedbackText(const LearnerFeedback& feedback)
{
    std::string text;
    for (const LearnerFeedback::LessonPart& part : feedback.lessons) {
        std::string open;
        for (const CheckCredit& check : part.checks)
            if (check.credit < 1)
                open += (open.empty() ? " Open: " : "; ") + check.title;
        if (!part.points && open.empty() && !(part.open && part.open->points > 0) && part.words.empty())
            continue; // nothing to be said of it yet
        text += (text.empty() ? "" : " ") + part.id + (part.points ? " " + gradeText(*part.points) + "/100." : ".") +
                (open.empty() ? "" : open + ".") +
                (part.open && part.open->points > 0 ? " " + openText(*part.open) : "") +
                (part.words.empty() ? "" : " " + onOneLine(part.words));
    }
    for (const std::string& step : feedback.withheld)
        text += (text.empty() ? "(" : " (") + step + ")";
    return text + (feedback.words.empty() ? "" : " " + onOneLine(feedback.words));
}

std::string feedbackFileName(const LearnerFeedback& feedback)
{
    std::string name;
    for (QChar c : QString::fromStdString(feedback.who.name))
        if (c.isLetterOrNumber() || c == QLatin1Char(' ') || c == QLatin1Char('-'))
            name += QString(c).toStdString();
    name = name.substr(0, 80);
    if (!QString::fromStdString(name).isValidUtf16() || name.find_first_not_of(" -") == std::string::npos)
        name.clear();
    return (name.empty() ? feedback.who.learner : name) + ".html";
}

Result<std::vector<fs::path>> writeFeedback(const std::vector<LearnerFeedback>& all, const fs::path& folder)
{
    std::error_code ec;
    fs::create_directories(folder, ec);
    if (ec)
        return Error{"cannot-write", "The folder cannot be made (" + ec.message() + ")", folder.string(),
                     "Choose a folder that you may write to"};
    std::map<std::string, int> uses;
    for (const LearnerFeedback& one : all)
        ++uses[feedbackFileName(one)];
    std::vector<fs::path> files;
    for (const LearnerFeedback& one : all) {
        std::string name = feedbackFileName(one);
        if (uses[name] > 1)
            name = name.substr(0, name.size() - 5) + ' ' + one.who.learner + ".html";
        if (auto written = writeFile(folder / name, feedbackPage(one)); !written)
            return written.error();
        files.push_back(folder / name);
    }
    return files;
}

Result<std::string> gradesFile(OpenClass& open, const lessons::Curriculum& curriculum, const std::string& name,
                               const std::string& format, const std::string& now)
{
    if (format != "moodle" && format != "canvas")
        return Error{"bad-format", "'" + format + "' is no format of a grades file", "--format", "moodle or canvas"};
    const auto assignment = open.assignment(name);
    if (!assignment)
        return assignment.error();
    const auto told = feedback(open, curriculum, name, now);
    if (!told)
        return told.error();
    const auto graded = report(open, curriculum, {(*assignment)->id, false});
    if (!graded)
        return graded.error();
    const auto members = open.school->members();
    if (!members)
        return members.error();
    std::map<std::string, GradeLine> byLearner;
    for (const LearnerLine& line : graded->learners)
        byLearner[line.who.learner].grade = line.grade;
    for (const LearnerFeedback& one : *told)
        byLearner[one.who.learner].feedback = feedbackText(one);
    std::vector<GradeLine> lines;
    for (const record::MemberRow& member : *members) {
        GradeLine line;
        if (const auto found = byLearner.find(member.learner); !member.learner.empty() && found != byLearner.end()) {
            line = found->second;
            byLearner.erase(found);
        }
        line.member = member;
        lines.push_back(std::move(line));
    }
    for (auto& [learner, line] : byLearner) {
        line.member.name = learner;
        lines.push_back(std::move(line));
    }
    return format == "moodle" ? moodleGrades((*assignment)->title, lines) : canvasGrades((*assignment)->title, lines);
}

} // namespace ridge::classroom
