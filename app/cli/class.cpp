// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge class …`: the instructor's side and the learner's.
#include "cli/class_commands.h"

#include "base/formula.h"
#include "base/json.h"
#include "base/number_text.h"
#include "base/paths.h"
#include "base/plain_file.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "base/units.h"
#include "classroom/decide.h"
#include "classroom/feedback.h"
#include "classroom/regrade.h"
#include "classroom/remark.h"
#include "classroom/roster.h"
#include "classroom/run_memory.h"
#include "classroom/submission.h"
#include "cli/commands.h"

#include <QDateTime>
#include <cstdio>

namespace ridge::cli {
namespace {

using namespace classroom;
namespace fs = std::filesystem;

std::string nowText()
{
    return QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString();
}

Result<lessons::Curriculum> ownCurriculum()
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    return lessons::loadCurriculum(*data / "curriculum").curriculum;
}

/// The class that the options name, with the lessons that it is graded by.
struct Desk {
    OpenClass open;
    lessons::Curriculum curriculum;
};

Result<Desk> openDesk(const ClassOptions& options, bool readOnly)
{
    const auto place = findClass(homeFolder(), options.className, options.database);
    if (!place)
        return place.error();
    auto open = openClass(*place, readOnly);
    if (!open)
        return open.error();
    auto curriculum = ownCurriculum();
    if (!curriculum)
        return curriculum.error();
    return Desk{std::move(*open), std::move(*curriculum)};
}

Result<std::map<std::string, FeedbackWhen>> policyOf(const std::vector<std::string>& texts)
{
    static const std::map<std::string, FeedbackWhen> whens = {
        {"now", FeedbackWhen::Now}, {"deadline", FeedbackWhen::Deadline}, {"never", FeedbackWhen::Never}};
    std::map<std::string, FeedbackWhen> policy;
    for (const std::string& text : texts) {
        const auto equals = text.find('=');
        const std::string step = text.substr(0, equals);
        const auto when = equals == std::string::npos ? whens.end() : whens.find(text.substr(equals + 1));
        if (when == whens.end() || std::find(steps().begin(), steps().end(), step) == steps().end())
            return Error{"bad-argument", "'" + text + "' is no feedback policy", "--feedback",
                         "Write predicted, ran, passed, shipped or explained, then =now, =deadline or =never"};
        policy[step] = when->second;
    }
    return policy;
}

int classNew(const ClassOptions& options)
{
    NewAssignment wanted;
    wanted.name = options.name;
    wanted.title = options.title;
    wanted.lessons = options.lessons;
    wanted.deadline = options.deadline;
    wanted.teacher = options.teacher;
    wanted.database = options.database;
    wanted.sealed = !options.unsealed;
    const auto policy = policyOf(options.feedback);
    if (!policy)
        return report(policy.error());
    wanted.feedback = *policy;
    if (!options.roster.empty()) {
        auto roster = readFile(options.roster);
        if (!roster)
            return report(roster.error());
        if (roster->empty()) // which in NewAssignment says that there is none
            return report(parseRoster(*roster, options.roster).error());
        wanted.roster = std::move(*roster);
        wanted.rosterPlace = options.roster;
    }
    const bool writes = options.from.empty() || !options.out.empty();
    const std::string title = options.title.empty() ? options.name : options.title;
    // Before anything is made: a class that is there without its file only looks like a failure.
    if (writes)
        if (auto place = canWrite(options.out.empty() ? slugOf(title) + ".ridgeclass" : options.out); !place)
            return report(place.error());
    Result<MadeAssignment> made = Error{};
    if (!options.from.empty()) {
        const auto bytes = readBundle(options.from);
        if (!bytes)
            return report(bytes.error());
        made = adoptAssignment(homeFolder(), wanted, *bytes, options.from);
    } else {
        const auto curriculum = ownCurriculum();
        if (!curriculum)
            return report(curriculum.error());
        made = makeAssignment(homeFolder(), *curriculum, wanted);
    }
    if (!made)
        return report(made.error());
    const std::string out = options.out.empty() ? slugOf(made->assignment.title) + ".ridgeclass" : options.out;
    if (writes)
        if (auto written = writeFile(out, made->bytes); !written) {
            Error error = written.error();
            error.fix += "; the class is made, and the file for your learners lies in " + made->kept.string();
            return report(error);
        }
    if (options.json)
        printJson(Json{{"class", made->place.slug},
                       {"title", made->place.title},
                       {"assignment", made->assignment.title},
                       {"assignment_id", made->assignment.id},
                       {"file", options.from.empty() ? out : made->kept.string()},
                       {"notes", made->notes}});
    else {
        for (const std::string& note : made->notes)
            std::printf("%s: %s\n", options.roster.c_str(), plain(note).c_str());
        std::printf("class %s, assignment \"%s\": %s\n", made->place.slug.c_str(),
                    plain(made->assignment.title).c_str(),
                    options.from.empty() ? ("give " + out + " to your learners").c_str() : made->kept.c_str());
    }
    return Done;
}

int classRoster(const ClassOptions& options)
{
    const auto desk = openDesk(options, false);
    if (!desk)
        return report(desk.error());
    const auto text = readFile(options.path);
    if (!text)
        return report(text.error());
    const auto notes = takeRoster(*desk->open.school, *text, options.path);
    if (!notes)
        return report(notes.error());
    for (const std::string& note : *notes)
        std::printf("%s: %s\n", options.path.c_str(), plain(note).c_str());
    const auto members = desk->open.school->members();
    if (!members)
        return report(members.error());
    std::printf("%s in class %s\n", counted(members->size(), "person", "people").c_str(),
                desk->open.place.slug.c_str());
    return Done;
}

int classAccept(const ClassOptions& options)
{
    const auto bytes = readBundle(options.path);
    if (!bytes)
        return report(bytes.error());
    const auto assignment = acceptAssignment(homeFolder(), *bytes, options.path);
    if (!assignment)
        return report(assignment.error());
    const auto identity = ownIdentity(homeFolder());
    if (!identity)
        return report(identity.error());
    std::printf("accepted \"%s\"%s%s\n", plain(assignment->title).c_str(), assignment->teacher.empty() ? "" : " by ",
                plain(assignment->teacher).c_str());
    for (const AssignedLesson& lesson : assignment->lessons)
        std::printf("  %s  %s\n", lesson.id.c_str(), plain(lesson.title).c_str());
    if (!assignment->deadline.empty())
        std::printf("deadline %s\n", assignment->deadline.c_str());
    for (const auto& [step, when] : assignment->feedback)
        if (when != FeedbackWhen::Now)
            std::printf("%s: shown %s\n", step.c_str(), when == FeedbackWhen::Never ? "never" : "after the deadline");
    std::printf("your teacher sees you as %s; your name is in no file unless you put it there\n",
                identity->learner.c_str());
    return Done;
}

int classSubmit(const ClassOptions& options)
{
    const auto assignment = acceptedAssignment(homeFolder(), options.assignment);
    if (!assignment)
        return report(assignment.error());
    const auto identity = ownIdentity(homeFolder());
    if (!identity)
        return report(identity.error());
    const auto store = record::Store::openReadOnly(homeFolder());
    if (!store)
        return report(store.error());
    SubmissionOptions how;
    how.appVersion = RIDGE_VERSION;
    how.consent.name = options.learnerName;
    how.consent.reasons = !options.withoutReasons;
    how.consent.artifacts = !options.withoutArtifacts;
    how.consent.journal = options.withJournal;
    how.consent.notes = options.withNotes;
    how.consent.traces = options.withTraces;
    const auto written = createSubmission(**store, *assignment, *identity, how);
    if (!written)
        return report(written.error());
    const fs::path file = fs::path(options.out.empty() ? "." : options.out) / written->fileName;
    if (!options.out.empty()) {
        std::error_code ec;
        fs::create_directories(options.out, ec);
    }
    if (auto stored = writeFile(file, written->bytes); !stored)
        return report(stored.error());
    if (options.json) {
        printJson(Json{{"file", file.string()},
                       {"learner", identity->learner},
                       {"rows", written->rows},
                       {"files", written->files},
                       {"contains", written->contains}});
        return Done;
    }
    for (const std::string& line : written->contains)
        std::printf("  %s\n", line.c_str());
    std::printf("hand in %s\n", file.c_str());
    return Done;
}

std::string shown(const Person& person)
{
    return plain(person.name.empty() ? person.learner : person.name);
}

int classCollect(const ClassOptions& options)
{
    auto desk = openDesk(options, false);
    if (!desk)
        return report(desk.error());
    ProgressBar bar(!options.json);
    CollectOptions how;
    how.progress = [&](int done, int all) {
        bar.show(static_cast<double>(done) / all, "collecting");
        return true;
    };
    const auto collected = collect(desk->open, desk->curriculum, options.path, how);
    bar.clear();
    if (!collected)
        return report(collected.error());
    if (options.json) {
        printJson(toJson(*collected));
        return Done;
    }
    std::printf("%s: %d merged, %d were here already, %d rows added in %s s\n",
                counted(static_cast<std::size_t>(collected->files), "submission", "submissions").c_str(),
                collected->merged, collected->duplicates, collected->rows, fixedText(collected->seconds, 1).c_str());
    for (const OddFile& odd : collected->odd)
        std::printf("odd      %s: %s\n", plain(odd.file).c_str(), plain(odd.reason).c_str());
    for (const Person& person : collected->late)
        std::printf("late     %s\n", shown(person).c_str());
    for (const Person& person : collected->missing)
        std::printf("missing  %s\n", shown(person).c_str());
    return Done;
}

/// A slip of the pen is found before a whole class is graded on nothing.
Result<void> requireKernelTarget(const std::string& target)
{
    if (target.empty())
        return {};
    const auto document = queryTargets();
    if (!document)
        return document.error();
    std::vector<std::string> known;
    for (const Json& row : document->at("targets"))
        if (runsKernels(row.value("id", ""))) {
            known.push_back(row.value("id", ""));
            if (known.back() == target && row.value("available", false))
                return {};
        }
    return Error{"unknown-target", "kernels cannot be graded on '" + target + "' here" + didYouMean(target, known),
                 "--kernels-on", "ridge targets lists the GPUs and simulated chips that are ready"};
}

/// Work that could not be run again, with what is decided about it.
void printOpen(const std::vector<OpenLine>& lines)
{
    bool undecided = false;
    for (const OpenLine& line : lines) {
        if (line.work.points <= 0)
            continue;
        const char* state = line.work.decision == OpenWork::Decision::Accepted ? "accepted"
                            : line.work.decision == OpenWork::Decision::Left   ? "left"
                                                                               : "open";
        const std::string by = line.work.decidedBy.empty() ? std::string() : " (" + line.work.decidedBy + ")";
        std::printf("%-8s %s, lesson %s, %s of 100 points%s: %s\n", state, shown(line.who).c_str(), line.lesson.c_str(),
                    formatNumber(line.work.points).c_str(), plain(by).c_str(), plain(reasonsText(line.work)).c_str());
        undecided = undecided || line.work.isUndecided();
    }
    if (undecided)
        std::printf("What could not be run again counts nothing until you decide: ridge class decide WHO --accept, or "
                    "--leave\n");
}

int classRegrade(const ClassOptions& options)
{
    if (auto there = requireKernelTarget(options.kernelTarget); !there)
        return report(there.error());
    auto desk = openDesk(options, false);
    if (!desk)
        return report(desk.error());
    ProgressBar bar(!options.json);
    RegradeOptions how;
    how.assignment = options.assignment;
    how.gpu = options.gpu;
    how.kernelTarget = options.kernelTarget;
    how.roof = [](const GradeFacts& facts) { return calibratedRoof(homeFolder(), facts); };
    how.progress = [&](int done, int all) {
        bar.show(static_cast<double>(done) / std::max(1, all), "running again");
        return true;
    };
    const auto graded =
        regrade(desk->open, desk->curriculum, rememberedRuns(workerExecutor(), runMemoryOf(desk->open.place)), how);
    bar.clear();
    if (!graded)
        return report(graded.error());
    if (options.json) {
        printJson(toJson(*graded));
        return graded->isUndecided() ? Failed : Done;
    }
    std::printf("%s: %d of %d runs gave the same bits, %d were built otherwise and count as they came out here, "
                "%d measured; %d hidden cases, %d checks failed with them; %s s\n",
                counted(static_cast<std::size_t>(graded->learners), "learner", "learners").c_str(), graded->same,
                graded->runs, graded->rebuilt, graded->measured, graded->hidden, graded->hiddenFailed,
                fixedText(graded->seconds, 1).c_str());
    if (graded->kernels > 0)
        std::printf("%s of tasks graded again, %d rejected\n",
                    counted(static_cast<std::size_t>(graded->kernels), "kernel", "kernels").c_str(),
                    graded->kernelsRejected);
    if (graded->remembered > 0)
        std::printf("%d points were run here at an earlier re-check and are remembered\n", graded->remembered);
    for (const DifferentRun& run : graded->different)
        if (run.refused)
            std::printf("refused  %s, lesson %s, %s: %s handed in %s, here %s\n", shown(run.who).c_str(),
                        run.lesson.c_str(), run.block.c_str(), run.metric.c_str(), shortText(run.handedIn).c_str(),
                        shortText(run.again).c_str());
    for (const std::string& trouble : graded->trouble)
        std::printf("not run  %s\n", plain(trouble).c_str());
    printOpen(graded->open);
    return graded->isUndecided() ? Failed : Done;
}

int classReport(const ClassOptions& options)
{
    auto desk = openDesk(options, true);
    if (!desk)
        return report(desk.error());
    const auto told = classroom::report(desk->open, desk->curriculum, {options.assignment, options.hideNames});
    if (!told)
        return report(told.error());
    if (options.json) {
        printJson(toJson(*told));
        return Done;
    }
    std::vector<std::vector<std::string>> rows;
    for (const LearnerLine& line : told->learners) {
        std::vector<std::string> row{shown(line.who)};
        for (const std::string& lesson : told->lessons) {
            const auto found = line.steps.find(lesson);
            const LessonSteps done = found == line.steps.end() ? LessonSteps{} : found->second;
            std::string marks;
            for (const auto& [mark, is] :
                 {std::pair('P', done.predicted), std::pair('R', done.ran), std::pair('C', done.passed),
                  std::pair('S', done.shipped), std::pair('E', done.explained)})
                marks += is ? mark : '-';
            row.push_back(marks);
        }
        row.push_back(fixedText(line.grade, 1));
        row.push_back(line.late ? "late" : "");
        rows.push_back(std::move(row));
    }
    std::vector<std::string> header{"LEARNER"};
    header.insert(header.end(), told->lessons.begin(), told->lessons.end());
    header.insert(header.end(), {"POINTS", ""});
    std::printf("%s, %s: predicted, ran, checks passed, shipped, explained\n\n%s", plain(told->classTitle).c_str(),
                plain(told->assignment).c_str(), table(header, rows).c_str());
    for (std::size_t i = 0; i < std::min<std::size_t>(3, told->misconceptions.size()); ++i)
        std::printf("\n%s, %s %s: %s",
                    counted(static_cast<std::size_t>(told->misconceptions[i].learners), "learner", "learners").c_str(),
                    told->misconceptions[i].lesson.c_str(), told->misconceptions[i].block.c_str(),
                    told->misconceptions[i].says.c_str());
    std::printf("\n%zu handed in nothing, %s stuck\n", told->missing.size(),
                counted(told->stuck.size(), "is", "are").c_str());
    for (const AlikeKernels& alike : told->alike) {
        std::string who;
        for (const Person& person : alike.who)
            who += (who.empty() ? "" : "; ") + shown(person);
        const std::string near = alike.nearness < 1 ? " (nearness " + formatNumber(alike.nearness) + ")" : "";
        std::printf("alike    %s: %s. %s%s, %d words of their own%s\n", alike.lesson.c_str(), who.c_str(),
                    inWords(alike.how), near.c_str(), alike.ownWords,
                    alike.ownWords < kFewWords ? ", few enough to come to alone" : "");
    }
    if (!told->alike.empty())
        std::printf("Likeness of kernels is for you to look at; no grade depends on it.\n");
    printOpen(told->open);
    for (const Refused& refused : told->refused)
        std::printf("refused  %s: %s\n", plain(refused.file).c_str(), plain(refused.reason).c_str());
    return Done;
}

int classDecide(const ClassOptions& options)
{
    auto desk = openDesk(options, false);
    if (!desk)
        return report(desk.error());
    const auto decided =
        decide(desk->open, {options.assignment, options.whom, options.lesson, options.accept, options.teacher});
    if (!decided)
        return report(decided.error());
    std::printf("%s, lesson %s: %s of 100 points (%s)\n", shown(decided->who).c_str(), decided->lesson.c_str(),
                formatNumber(decided->points).c_str(), plain(decided->by).c_str());
    return Done;
}

int classDismiss(const ClassOptions& options)
{
    auto desk = openDesk(options, false);
    if (!desk)
        return report(desk.error());
    const auto count = dismissRefused(desk->open, options.path);
    if (!count)
        return report(count.error());
    std::printf("%d %s off the list of refused files\n", *count, *count == 1 ? "file is" : "files are");
    return Done;
}

int classGrades(const ClassOptions& options)
{
    auto desk = openDesk(options, true);
    if (!desk)
        return report(desk.error());
    const auto file = gradesFile(desk->open, desk->curriculum, options.assignment, options.format, nowText());
    if (!file)
        return report(file.error());
    if (options.out.empty()) {
        std::printf("%s", file->c_str());
        return Done;
    }
    if (auto written = writeFile(options.out, *file); !written)
        return report(written.error());
    return Done;
}

int classRemark(const ClassOptions& options)
{
    Remark remark{options.assignment, options.whom, options.lesson, options.text};
    if (!options.path.empty()) {
        auto text = readFile(options.path);
        if (!text)
            return report(text.error());
        remark.text = std::move(*text);
    }
    auto desk = openDesk(options, false);
    if (!desk)
        return report(desk.error());
    const auto who = say(desk->open, remark);
    if (!who)
        return report(who.error());
    std::printf(remark.text.empty() ? "nothing is said to %s any more\n" : "%s reads it with the feedback\n",
                shown(*who).c_str());
    return Done;
}

int classFeedback(const ClassOptions& options)
{
    auto desk = openDesk(options, true);
    if (!desk)
        return report(desk.error());
    const auto all = feedback(desk->open, desk->curriculum, options.assignment, nowText());
    if (!all)
        return report(all.error());
    const auto files = writeFeedback(*all, options.out);
    if (!files)
        return report(files.error());
    std::printf("%zu pages in %s\n", files->size(), options.out.c_str());
    return Done;
}

} // namespace

int classCommand(const ClassOptions& options)
{
    static const std::map<std::string, int (*)(const ClassOptions&)> verbs = {
        {"new", classNew},           {"roster", classRoster},   {"accept", classAccept},   {"submit", classSubmit},
        {"collect", classCollect},   {"regrade", classRegrade}, {"report", classReport},   {"grades", classGrades},
        {"feedback", classFeedback}, {"remark", classRemark},   {"dismiss", classDismiss}, {"decide", classDecide},
        {"forget", classForget},     {"export", classExport},   {"join", classJoin}};
    return verbs.at(options.verb)(options);
}

} // namespace ridge::cli
