// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_bench.h"

#include "base/json.h"
#include "base/plain_file.h"
#include "classroom/decide.h"
#include "classroom/feedback.h"
#include "classroom/join.h"
#include "classroom/roster.h"
#include "classroom/run_memory.h"
#include "classroom/sample.h"
#include "record/clock.h"

#include <algorithm>

namespace ridge::app {

namespace fs = std::filesystem;
using namespace classroom;

namespace {

Error readOnly()
{
    return {"read-only", "The sample class cannot be changed", "", "Make a class of your own: New assignment"};
}

std::string now()
{
    return record::timeStamp().toStdString();
}

std::string noticesOf(const record::SubmissionRow& row)
{
    std::string text;
    if (row.notices->is_array())
        for (const Json& notice : *row.notices)
            if (notice.is_object())
                text += (text.empty() ? "" : "; ") + notice.value("message", "");
    return text;
}

} // namespace

ClassBench::ClassBench(fs::path home, fs::path samples, lessons::Curriculum curriculum)
    : m_home(std::move(home)), m_samples(std::move(samples)), m_curriculum(std::move(curriculum))
{
}

ClassBench::~ClassBench() = default;

Result<OpenClass*> ClassBench::open(const ClassRequest& request, bool anew)
{
    const bool same = m_open && m_sample == request.sample && (m_sample || m_slug == request.slug);
    if (same && (!anew || m_sample))
        return &*m_open;
    m_open.reset();
    if (request.sample) {
        auto sample = openSample(m_samples, m_scratch.path().toStdString(), m_curriculum);
        if (!sample)
            return sample.error();
        m_open = std::move(*sample);
    } else {
        const auto place = findClass(m_home, request.slug);
        if (!place)
            return place.error();
        auto open = openClass(*place);
        if (!open)
            return open.error();
        m_open = std::move(*open);
    }
    m_sample = request.sample;
    m_slug = request.slug;
    return &*m_open;
}

Result<std::vector<ClassHead>> ClassBench::heads()
{
    std::vector<ClassHead> all;
    for (const ClassPlace& place : classes(m_home)) {
        ClassHead head;
        head.slug = place.slug;
        head.title = place.title;
        const auto look = [&]() -> Result<void> {
            const auto open = openClass(place, true);
            if (!open)
                return open.error();
            const auto members = open->school->members();
            if (!members)
                return members.error();
            head.people = static_cast<int>(members->size());
            head.assignments = static_cast<int>(open->assignments.size());
            if (open->assignments.empty())
                return {};
            head.newest = open->assignments.back().title;
            head.deadline = open->assignments.back().deadline;
            const auto submissions = open->school->submissions(open->assignments.back().id);
            if (!submissions)
                return submissions.error();
            head.handedIn = static_cast<int>(submissions->size());
            return {};
        };
        if (auto looked = look(); !looked)
            head.trouble = looked.error();
        all.push_back(std::move(head));
    }
    return all;
}

Result<std::vector<HandIn>> ClassBench::handIns(OpenClass& open, const ClassReport& report)
{
    const auto submissions = open.school->submissions(report.assignmentId);
    if (!submissions)
        return submissions.error();
    std::map<std::string, const record::SubmissionRow*> byLearner;
    for (const record::SubmissionRow& row : *submissions)
        byLearner[row.learner] = &row;
    std::vector<HandIn> all;
    for (const LearnerLine& line : report.learners) {
        HandIn one;
        one.state = line.late ? HandIn::State::Late : HandIn::State::InTime;
        one.who = line.who;
        one.submittedAt = line.submittedAt;
        one.hardware = line.hardware;
        one.checkedAgain = line.reexecuted;
        if (const auto row = byLearner.find(line.who.learner); row != byLearner.end()) {
            one.file = row->second->fileName;
            one.note = noticesOf(*row->second);
        }
        all.push_back(std::move(one));
    }
    for (const Person& person : report.missing) {
        HandIn one;
        one.who = person;
        all.push_back(std::move(one));
    }
    std::stable_sort(all.begin(), all.end(), [](const HandIn& a, const HandIn& b) {
        return QString::localeAwareCompare(shownName(a.who), shownName(b.who)) < 0;
    });
    for (const Refused& refused : report.refused) {
        HandIn one;
        one.state = HandIn::State::Odd;
        one.who = refused.who;
        one.file = refused.file;
        one.note = refused.reason;
        one.digest = refused.digest;
        all.push_back(std::move(one));
    }
    return all;
}

Result<ClassState> ClassBench::state(const ClassRequest& request)
{
    const auto opened = open(request, true);
    if (!opened)
        return opened.error();
    OpenClass& open = **opened;
    ClassState state;
    state.of = request;
    state.title = open.place.title;
    for (const Assignment& assignment : open.assignments) {
        AssignmentHead head{assignment.id, assignment.title, assignment.deadline, assignment.signKey, {}};
        for (const AssignedLesson& lesson : assignment.lessons)
            head.lessons.emplace_back(lesson.id, lesson.title);
        state.assignments.push_back(std::move(head));
    }
    auto members = open.school->members();
    if (!members)
        return members.error();
    state.members = std::move(*members);
    auto told = report(open, m_curriculum, {request.assignment, false});
    if (!told)
        return told.error();
    state.report = std::move(*told);
    state.of.assignment = state.report.assignmentId;
    auto files = handIns(open, state.report);
    if (!files)
        return files.error();
    state.handIns = std::move(*files);
    return state;
}

Result<ClassReport> ClassBench::nameless(const ClassRequest& request)
{
    const auto opened = open(request);
    if (!opened)
        return opened.error();
    return report(**opened, m_curriculum, {request.assignment, true});
}

Result<MadeAssignment> ClassBench::make(const NewAssignment& wanted, const fs::path& out)
{
    if (auto place = canWrite(out); !place)
        return place.error();
    m_open.reset();
    auto made = makeAssignment(m_home, m_curriculum, wanted);
    if (!made)
        return made;
    if (auto written = writeFile(out, made->bytes); !written)
        return written.error();
    return made;
}

Result<Collected> ClassBench::collect(const ClassRequest& request, const std::vector<fs::path>& places,
                                      const JobHooks& hooks)
{
    if (request.sample)
        return readOnly();
    const auto opened = open(request, true);
    if (!opened)
        return opened.error();
    Collected all;
    for (std::size_t i = 0; i < places.size() && !all.stopped; ++i) {
        CollectOptions how;
        how.progress = [&](int done, int files) {
            // Of several places each has the same part; what is in the next ones nobody knows yet.
            const int part = files > 0 ? 1000 * done / files : 0;
            hooks.progress((static_cast<int>(i) * 1000 + part) / static_cast<int>(places.size()), 1000);
            return !hooks.stopped();
        };
        auto one = classroom::collect(**opened, m_curriculum, places[i], how);
        if (!one)
            return one.error();
        all.report.classTitle = one->classTitle;
        all.report.assignment = one->assignment;
        all.report.files += one->files;
        all.report.merged += one->merged;
        all.report.duplicates += one->duplicates;
        all.report.rows += one->rows;
        all.report.seconds += one->seconds;
        all.report.late = std::move(one->late);
        all.report.missing = std::move(one->missing);
        std::move(one->odd.begin(), one->odd.end(), std::back_inserter(all.report.odd));
        all.stopped = hooks.stopped();
    }
    return all;
}

Result<int> ClassBench::dismiss(const ClassRequest& request, const std::vector<std::string>& files)
{
    if (request.sample)
        return readOnly();
    const auto opened = open(request, true);
    if (!opened)
        return opened.error();
    int count = 0;
    for (const std::string& file : files) {
        const auto dismissed = dismissRefused(**opened, file);
        if (!dismissed)
            return dismissed.error();
        count += *dismissed;
    }
    return count;
}

Result<int> ClassBench::decide(const ClassRequest& request, const std::vector<OpenChoice>& choices)
{
    if (request.sample)
        return readOnly();
    const auto opened = open(request, true);
    if (!opened)
        return opened.error();
    const auto assignment = (*opened)->assignment(request.assignment);
    if (!assignment)
        return assignment.error();
    // Without a name in the assignment it is whoever sits at the class's own page.
    const std::string by = (*assignment)->teacher.empty() ? "the teacher" : (*assignment)->teacher;
    for (const OpenChoice& choice : choices) {
        const auto decided =
            classroom::decide(**opened, {request.assignment, choice.learner, choice.lesson, choice.accept, by});
        if (!decided)
            return decided.error();
    }
    return static_cast<int>(choices.size());
}

Result<Person> ClassBench::join(const ClassRequest& request, const std::string& learner, const std::string& whom)
{
    if (request.sample)
        return readOnly();
    const auto opened = open(request, true);
    if (!opened)
        return opened.error();
    return joinLearner(**opened, learner, whom);
}

Result<RegradeReport> ClassBench::regrade(const ClassRequest& request, const JobHooks& hooks)
{
    if (request.sample)
        return readOnly();
    const auto opened = open(request);
    if (!opened)
        return opened.error();
    RegradeOptions how;
    how.assignment = request.assignment;
    how.progress = [&](int done, int all) {
        hooks.progress(done, all);
        return !hooks.stopped();
    };
    return classroom::regrade(**opened, m_curriculum,
                              rememberedRuns(workerExecutor(hooks.stopped), runMemoryOf((*opened)->place)), how);
}

Result<void> ClassBench::writeGrades(const ClassRequest& request, const std::string& format, const fs::path& file)
{
    const auto opened = open(request);
    if (!opened)
        return opened.error();
    const auto text = gradesFile(**opened, m_curriculum, request.assignment, format, now());
    if (!text)
        return text.error();
    return writeFile(file, *text);
}

Result<LiveClass> ClassBench::live(const ClassRequest& request)
{
    const auto opened = open(request);
    if (!opened)
        return opened.error();
    return liveClassOf(**opened, request.assignment);
}

Result<FeedbackPages> ClassBench::writeFeedback(const ClassRequest& request)
{
    const auto opened = open(request);
    if (!opened)
        return opened.error();
    const auto all = feedback(**opened, m_curriculum, request.assignment, now());
    if (!all)
        return all.error();
    const auto assignment = (*opened)->assignment(request.assignment);
    if (!assignment)
        return assignment.error();
    const std::string slug = slugOf((*assignment)->title);
    const fs::path folder = (*opened)->place.store.folder / "feedback" / (slug.empty() ? (*assignment)->id : slug);
    const auto files = classroom::writeFeedback(*all, folder);
    if (!files)
        return files.error();
    return FeedbackPages{static_cast<int>(files->size()), folder};
}

Result<RosterText> ClassBench::readRoster(const fs::path& file)
{
    auto text = readFile(file);
    if (!text)
        return text.error();
    const auto roster = parseRoster(*text, file.filename().string());
    if (!roster)
        return roster.error();
    return RosterText{std::move(*text), file.filename().string(), static_cast<int>(roster->members.size()),
                      roster->notes};
}

Result<RosterText> ClassBench::takeRoster(const ClassRequest& request, const fs::path& file)
{
    if (request.sample)
        return readOnly();
    auto roster = readRoster(file);
    if (!roster)
        return roster;
    const auto opened = open(request);
    if (!opened)
        return opened.error();
    if (const auto taken = classroom::takeRoster(*(*opened)->school, roster->text, roster->place); !taken)
        return taken.error();
    return roster;
}

Result<void> ClassBench::writeAssignment(const ClassRequest& request, const fs::path& file)
{
    const auto opened = open(request);
    if (!opened)
        return opened.error();
    const auto assignment = (*opened)->assignment(request.assignment);
    if (!assignment)
        return assignment.error();
    const auto bytes = readFile((*opened)->place.store.folder / "assignments" / ((*assignment)->id + ".ridgeclass"));
    if (!bytes)
        return bytes.error();
    return writeFile(file, *bytes);
}

} // namespace ridge::app
