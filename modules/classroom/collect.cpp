// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/collect.h"

#include "base/json.h"
#include "classroom/handed_in_runs.h"
#include "classroom/kernel_likeness.h"
#include "classroom/kernel_work.h"
#include "classroom/refusal.h"
#include "classroom/roster.h"
#include "classroom/submission.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <algorithm>
#include <span>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

/// Mail programs and browsers add to names: "x.ridgesubmission.zip", "x.ridgesubmission (1)"; old media write capitals.
bool isSubmission(const fs::path& file)
{
    return QString::fromStdString(file.filename().string())
        .contains(QLatin1String(".ridgesubmission"), Qt::CaseInsensitive);
}

Result<std::vector<fs::path>> submissionsBelow(const fs::path& folder)
{
    std::error_code ec;
    std::vector<fs::path> files;
    if (fs::is_regular_file(folder, ec))
        return std::vector<fs::path>{fs::canonical(folder, ec)}; // a link that somebody names is meant
    auto it = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, ec);
    if (ec)
        return Error{"cannot-read", "The folder cannot be read (" + ec.message() + ")", folder.string(),
                     "Name the folder with the submissions"};
    for (; it != fs::recursive_directory_iterator(); it.increment(ec)) {
        if (ec)
            break;
        if (isSubmission(it->path()) && (it->is_symlink(ec) || !it->is_directory(ec)))
            files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// The bytes of a plain file: a link may lead to anything that this account can read, and a pipe has no end.
Result<std::string> plainFile(const fs::path& file)
{
    std::error_code ec;
    if (fs::symlink_status(file, ec).type() == fs::file_type::regular)
        return readBundle(file);
    return Error{"not-a-file", "It is a link or a device and no file", file.string(),
                 "Put the file itself into the folder; nothing was read"};
}

/// Letters alone, so that "Lovelace, Ada" and "lovelaceada" are one; beyond ASCII as Unicode folds them.
QString letters(const std::string& text)
{
    QString out;
    for (QChar c : QString::fromStdString(text).normalized(QString::NormalizationForm_C))
        if (c.isLetterOrNumber())
            out += c.toCaseFolded();
    return out;
}

QString lastFirst(const std::string& name)
{
    const auto blank = name.find_last_of(' ');
    return blank == std::string::npos ? letters(name) : letters(name.substr(blank + 1) + name.substr(0, blank));
}

record::SubmissionRow rowOf(const Submission& submission, const Assignment& assignment, const fs::path& file)
{
    record::SubmissionRow row;
    row.assignmentId = submission.assignment;
    row.learner = submission.learner;
    row.publicKey = submission.publicKey;
    row.digest = submission.digest;
    row.fileName = fileNameOf(file);
    row.submittedAt = submission.createdAt;
    row.appVersion = submission.appVersion;
    row.name = submission.name;
    // Both are ISO 8601 UTC with milliseconds, which sort as text.
    row.late = !assignment.deadline.empty() && submission.createdAt > assignment.deadline;
    row.rows = static_cast<int>(submission.rows.size());
    Json notices = Json::array();
    for (const Error& notice : submission.notices)
        notices.push_back(Json{{"code", notice.code}, {"message", notice.message}});
    row.notices = std::move(notices);
    return row;
}

/// Works through the files of one collection.
class Collector {
public:
    Collector(OpenClass& open, const lessons::Curriculum& curriculum, std::string now)
        : m_open(open), m_curriculum(curriculum), m_now(std::move(now))
    {
    }

    Result<void> begin()
    {
        auto members = m_open.school->members();
        if (!members)
            return members.error();
        m_members = std::move(*members);
        auto refusals = m_open.school->refusals();
        if (!refusals)
            return refusals.error();
        m_refusals = RefusalBook(std::move(*refusals));
        for (const Assignment& assignment : m_open.assignments) {
            auto own = ownLessons(m_curriculum, assignment);
            if (!own)
                return own.error();
            m_lessons[assignment.id] = std::move(*own);
        }
        return {};
    }

    /// An error is one that ends the whole; what is wrong with a file goes into the report.
    Result<void> take(const fs::path& file, CollectReport& report)
    {
        const auto reasonOf = [](const Error& error) {
            return error.message + (error.fix.empty() ? "" : ". " + error.fix);
        };
        const auto bytes = plainFile(file);
        const auto refuse = [&](const Error& error, const std::string& learner = {}) {
            report.odd.push_back({fileNameOf(file), reasonOf(error)});
            m_refusals.refused(file, bytes ? &*bytes : nullptr, reasonOf(error), learner, m_members);
        };
        if (!bytes) {
            refuse(bytes.error());
            return {};
        }
        auto submission = readSubmission(*bytes, fileNameOf(file), m_open.keys, m_open.assignments, m_now, &m_reader);
        if (!submission) {
            refuse(submission.error());
            return {};
        }
        const auto assignment = std::find_if(m_open.assignments.begin(), m_open.assignments.end(),
                                             [&](const Assignment& one) { return one.id == submission->assignment; });
        record::SubmissionImport wanted;
        wanted.submission = rowOf(*submission, *assignment, file);
        wanted.submission.hardware = hardwareIn(submission->rows);
        wanted.rows = std::move(submission->rows);
        for (const SubmittedFile& content : submission->files)
            wanted.files.emplace_back(content.sha256, content.size);
        wanted.contents = std::move(submission->contents);
        wanted.origins = submission->origins;
        const auto imported = m_open.school->import(wanted);
        if (!imported) {
            const std::string& code = imported.error().code;
            if (code != "bad-row" && !code.starts_with("submission-"))
                return imported.error();
            refuse(imported.error(), wanted.submission.learner);
            return {};
        }
        for (const Error& notice : submission->notices)
            report.odd.push_back({fileNameOf(file), reasonOf(notice)});
        ++(imported->known ? report.duplicates : report.merged);
        report.rows += imported->rows;
        match(wanted.submission, file);
        if (!imported->known) // one that was here before was no answer to what was refused since
            m_refusals.taken(file, *bytes, wanted.submission.learner, m_members);
        return {};
    }

    /// Members whose submission told who they are, and what became of refused files. What a collection that was cut
    /// short did not store, the next one finds again.
    Result<void> storeNotes()
    {
        if (!m_matched.empty())
            if (auto stored = m_open.school->append(std::exchange(m_matched, {})); !stored)
                return stored;
        auto refusals = m_refusals.take();
        return refusals.empty() ? Result<void>() : m_open.school->append(std::move(refusals));
    }

    /// Grades whoever's newest submission has no grade yet: what was just taken in, and what an earlier collection that
    /// was cut short left behind.
    Result<void> gradeAll()
    {
        for (const Assignment& assignment : m_open.assignments) {
            const auto submissions = m_open.school->submissions(assignment.id);
            const auto grades = m_open.school->grades(assignment.id);
            if (!submissions || !grades)
                return !submissions ? submissions.error() : grades.error();
            std::set<std::string> graded;
            for (const record::GradeRow& grade : *grades)
                graded.insert(grade.submissionId);
            std::vector<record::SubmissionRow> open;
            for (const record::SubmissionRow& submission : *submissions)
                if (!graded.contains(submission.id))
                    open.push_back(submission);
            if (open.empty())
                continue;
            auto rows = gradesOf(*m_open.school, open, m_lessons[assignment.id],
                                 record::contentFiles(m_open.place.store.folder));
            if (!rows)
                return rows.error();
            if (auto stored = m_open.school->append(std::move(*rows)); !stored)
                return stored;
        }
        return {};
    }

    Result<void> tellWho(CollectReport& report)
    {
        report.classTitle = m_open.place.title;
        const auto newest = m_open.assignment({});
        if (!newest)
            return newest.error();
        report.assignment = (*newest)->title;
        const auto submissions = m_open.school->submissions((*newest)->id);
        const auto members = m_open.school->members();
        if (!submissions || !members)
            return !submissions ? submissions.error() : members.error();
        std::map<std::string, std::string> names;
        for (const record::MemberRow& member : *members)
            names[member.learner] = member.name;
        std::set<std::string> there;
        for (const record::SubmissionRow& submission : *submissions) {
            there.insert(submission.learner);
            if (submission.late)
                report.late.push_back({submission.learner,
                                       names.contains(submission.learner) ? names[submission.learner] : std::string()});
        }
        for (const record::MemberRow& member : *members)
            if (member.learner.empty() || !there.contains(member.learner))
                report.missing.push_back({member.learner, member.name});
        return {};
    }

private:
    static std::vector<std::string> hardwareIn(const std::vector<record::RowLine>& rows)
    {
        std::set<std::pair<QString, QString>> machines; // most runs of a learner have the same
        for (const record::RowLine& row : rows) {
            if (row.kind != QLatin1String("run"))
                continue;
            std::pair<QString, QString> machine;
            for (const record::Column& column : row.columns) {
                if (std::string_view(column.name) == "target")
                    machine.first = column.value.toString();
                if (std::string_view(column.name) == "fingerprint")
                    machine.second = column.value.toString();
            }
            machines.insert(std::move(machine));
        }
        std::vector<record::RunRow> runs;
        for (const auto& [target, fingerprint] : machines) {
            runs.emplace_back().target = target.toStdString();
            runs.back().fingerprint = Json::parse(fingerprint.toStdString(), nullptr, false);
        }
        return hardwareOf(runs);
    }

    void match(const record::SubmissionRow& submission, const fs::path& file)
    {
        if (memberOf(m_members, submission.learner, {}) != nullptr)
            return;
        const record::MemberRow* found = memberByName(m_members, submission.name, file);
        if (found == nullptr)
            return;
        record::MemberRow& member = m_members[static_cast<std::size_t>(found - m_members.data())];
        member.learner = submission.learner;
        m_matched.push_back(member);
    }

    OpenClass& m_open;
    const lessons::Curriculum& m_curriculum;
    std::string m_now;
    std::vector<record::MemberRow> m_members, m_matched;
    RefusalBook m_refusals{{}};
    record::RowLineReader m_reader;
    std::map<std::string, std::vector<lessons::Lesson>> m_lessons; ///< by assignment
};

} // namespace

const record::MemberRow* memberByName(const std::vector<record::MemberRow>& members, const std::string& given,
                                      const fs::path& file)
{
    const record::MemberRow* found = memberNamed(members, given, file);
    return found != nullptr && found->learner.empty() ? found : nullptr;
}

const record::MemberRow* memberNamed(const std::vector<record::MemberRow>& members, const std::string& given,
                                     const fs::path& file)
{
    std::set<QString> wanted;
    if (!letters(given).isEmpty())
        wanted.insert(letters(given));
    for (const fs::path& part : {file.filename(), file.parent_path().filename()})
        if (const std::string text = part.string(); text.find('_') != std::string::npos)
            wanted.insert(letters(text.substr(0, text.find('_'))));
    const record::MemberRow* found = nullptr;
    for (const record::MemberRow& member : members) {
        if (!wanted.contains(letters(member.name)) && !wanted.contains(lastFirst(member.name)))
            continue;
        if (found != nullptr)
            return nullptr; // two of one name
        found = &member;
    }
    return found;
}

Result<std::vector<record::GradeRow>> gradesOf(record::School& school,
                                               const std::vector<record::SubmissionRow>& submissions,
                                               const std::vector<lessons::Lesson>& lessons,
                                               const record::ContentFiles& files)
{
    constexpr std::size_t kAtOnce = 32; // learners whose rows are in memory
    std::vector<std::string> ids;
    for (const lessons::Lesson& lesson : lessons)
        ids.push_back(lesson.id);
    std::vector<record::GradeRow> rows;
    for (std::size_t from = 0; from < submissions.size(); from += kAtOnce) {
        const std::span part = std::span(submissions).subspan(from, std::min(kAtOnce, submissions.size() - from));
        std::vector<std::string> learners;
        for (const record::SubmissionRow& submission : part)
            learners.push_back(submission.learner);
        const auto own = school.rowsOf(learners, ids);
        if (!own)
            return own.error();
        for (const record::SubmissionRow& submission : part)
            for (const lessons::Lesson& lesson : lessons) {
                const record::LearnerRows& handedIn = own->at({submission.learner, lesson.id});
                // What nobody's program wrote does not wait for being run again.
                RunJudgement judged;
                for (const record::RunRow& run : handedIn.runs)
                    if (!contradictionOf(run).empty())
                        judged.refused.insert(run.id);
                record::GradeRow row = toRow(isKernelLesson(lesson.id) ? gradeKernelWork(lesson.id, handedIn)
                                                                       : gradeLesson(lesson, handedIn, judged));
                if (isKernelLesson(lesson.id))
                    row.execution = Json{{kKernelShape, shapeOfHandedIn(lesson.id, handedIn, files)}};
                row.assignmentId = submission.assignmentId;
                row.submissionId = submission.id;
                row.learner = submission.learner;
                row.how = "checks";
                rows.push_back(std::move(row));
            }
    }
    return rows;
}

Result<CollectReport> collect(OpenClass& open, const lessons::Curriculum& curriculum, const fs::path& folder,
                              const CollectOptions& options)
{
    QElapsedTimer timer;
    timer.start();
    const auto files = submissionsBelow(folder);
    if (!files)
        return files.error();
    CollectReport report;
    report.files = static_cast<int>(files->size());
    Collector collector(open, curriculum,
                        options.now.empty() ? QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString()
                                            : options.now);
    if (auto begun = collector.begin(); !begun)
        return begun.error();
    int done = 0;
    for (const fs::path& file : *files) {
        if (auto taken = collector.take(file, report); !taken)
            return taken.error();
        if (options.progress && !options.progress(++done, report.files))
            break;
    }
    if (auto stored = collector.storeNotes(); !stored)
        return stored.error();
    if (auto graded = collector.gradeAll(); !graded)
        return graded.error();
    if (auto told = collector.tellWho(report); !told)
        return told.error();
    report.seconds = static_cast<double>(timer.elapsed()) / 1e3;
    return report;
}

Json toJson(const Person& person)
{
    Json json = Json::object();
    if (!person.learner.empty())
        json["learner"] = person.learner;
    if (!person.name.empty())
        json["name"] = person.name;
    return json;
}

Json toJson(const CollectReport& report)
{
    Json json{{"class", report.classTitle},
              {"assignment", report.assignment},
              {"files", report.files},
              {"merged", report.merged},
              {"duplicates", report.duplicates},
              {"late", Json::array()},
              {"missing", Json::array()},
              {"odd", Json::array()},
              {"rows", report.rows},
              {"seconds", report.seconds}};
    for (const Person& person : report.late)
        json["late"].push_back(toJson(person));
    for (const Person& person : report.missing)
        json["missing"].push_back(toJson(person));
    for (const OddFile& odd : report.odd)
        json["odd"].push_back(Json{{"file", odd.file}, {"reason", odd.reason}});
    return json;
}

} // namespace ridge::classroom
