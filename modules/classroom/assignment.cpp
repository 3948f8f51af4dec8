// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/assignment.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/plain_file.h"
#include "bundle/archive.h"
#include "bundle/signed.h"
#include "classroom/bundle_fields.h"
#include "record/files/content_files.h"

#include <QSet>
#include <algorithm>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "ridgepoint-assignment";
constexpr const char* kPurpose = "ridgepoint-assignment 1";
constexpr int kVersion = 1;
constexpr const char* kBad = "bad-assignment";
constexpr const char* kEnding = ".ridgeclass";
constexpr std::size_t kLongestTitle = 300, kMostLessons = 200, kLongestLesson = 2u << 20;

struct WhenName {
    FeedbackWhen when;
    const char* name;
};
constexpr WhenName kWhen[] = {
    {FeedbackWhen::Now, "now"}, {FeedbackWhen::Deadline, "deadline"}, {FeedbackWhen::Never, "never"}};

bool isLessonId(const std::string& id)
{
    return !id.empty() && id.size() <= 24 && std::ranges::all_of(id, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
    }) && !bundle::badName(id + ".md");
}

std::string entryOf(const std::string& lessonId)
{
    return "lessons/" + lessonId + ".md";
}

Json manifestOf(const Assignment& assignment)
{
    Json lessons = Json::array();
    for (const AssignedLesson& lesson : assignment.lessons)
        lessons.push_back({{"id", lesson.id}, {"title", lesson.title}, {"digest", lesson.digest}});
    Json feedback = Json::object();
    for (const auto& [step, when] : assignment.feedback)
        for (const WhenName& name : kWhen)
            if (name.when == when)
                feedback[step] = name.name;
    Json manifest{{"format", kFormat},
                  {"version", kVersion},
                  {"id", assignment.id},
                  {"title", assignment.title},
                  {"created_at", assignment.createdAt}};
    if (!assignment.deadline.empty())
        manifest["deadline"] = assignment.deadline;
    manifest["lessons"] = lessons;
    manifest["policy"] = Json{{"feedback", feedback}};
    manifest["teacher"] = Json{{"name", assignment.teacher}, {"sign_key", assignment.signKey}};
    if (!assignment.sealKey.empty())
        manifest["teacher"]["seal_key"] = assignment.sealKey;
    return manifest;
}

Result<Assignment> fromManifest(const Json& json, const std::string& place)
{
    ManifestReader in(json, kBad, place);
    Assignment assignment;
    assignment.id = in.uuid("id");
    assignment.title = in.text("title", kLongestTitle);
    assignment.createdAt = in.time("created_at");
    assignment.deadline = in.time("deadline", false);
    const Json& lessons = in.array("lessons", kMostLessons);
    if (lessons.empty())
        in.fail("lessons", "are none");
    QSet<QString> ids;
    for (std::size_t i = 0; i < lessons.size(); ++i) {
        ManifestReader part = in.part(lessons[i], "lessons[" + std::to_string(i) + "]");
        AssignedLesson lesson;
        lesson.id = part.text("id", 24);
        if (!lesson.id.empty() && !isLessonId(lesson.id))
            part.fail("id", "is not that of a lesson");
        // Compared as a file system without upper and lower case would.
        const QString name = QString::fromStdString(lesson.id).toLower();
        if (ids.contains(name))
            part.fail("id", "is there twice");
        ids.insert(name);
        lesson.title = part.text("title", kLongestTitle, false);
        lesson.digest = part.hex("digest");
        in.join(part);
        assignment.lessons.push_back(std::move(lesson));
    }
    ManifestReader policy = in.part(in.object("policy", false), "policy");
    for (const auto& item : policy.object("feedback", false).items()) {
        const std::string& step = item.key();
        const std::string when = item.value().is_string() ? item.value().get<std::string>() : std::string();
        const auto found = std::ranges::find_if(kWhen, [&](const WhenName& each) { return when == each.name; });
        if (std::ranges::find(steps(), step) == steps().end())
            policy.fail("feedback", "names a step that there is not");
        else if (found == std::end(kWhen))
            policy.fail("feedback." + step, "is not now, deadline or never");
        else if (found->when == FeedbackWhen::Deadline && assignment.deadline.empty())
            policy.fail("feedback." + step, "waits for a deadline, and there is none");
        else
            assignment.feedback[step] = found->when;
    }
    in.join(policy);
    ManifestReader teacher = in.part(in.object("teacher"), "teacher");
    assignment.teacher = teacher.text("name", kLongestTitle, false);
    assignment.signKey = teacher.hex("sign_key");
    assignment.sealKey = teacher.hex("seal_key", false);
    in.join(teacher);
    if (in.error())
        return *in.error();
    return assignment;
}

} // namespace

const std::vector<std::string>& steps()
{
    static const std::vector<std::string> all{"predicted", "ran", "passed", "shipped", "explained"};
    return all;
}

Result<WrittenAssignment> createAssignment(Assignment assignment, const ClassKeys& keys, bool sealed)
{
    if (assignment.id.empty())
        assignment.id = newUuid7();
    if (assignment.createdAt.empty())
        assignment.createdAt = timeNow();
    if (!assignment.deadline.empty()) {
        const std::string time = normalTime(assignment.deadline);
        if (time.empty())
            return Error{kBad, "The deadline '" + assignment.deadline + "' is not a time", "deadline",
                         "Write it as 2026-12-01T23:59:00Z or with an offset, 2026-12-01T23:59:00+01:00"};
        assignment.deadline = time;
    }
    assignment.signKey = keys.sign.publicKey;
    assignment.sealKey = sealed ? keys.seal.publicKey : std::string();
    std::vector<bundle::Entry> entries;
    for (AssignedLesson& lesson : assignment.lessons) {
        if (lesson.text.size() > kLongestLesson)
            return Error{kBad, "The lesson " + lesson.id + " has " + std::to_string(lesson.text.size()) + " bytes",
                         "lessons", "A lesson is text of at most 2 MiB"};
        lesson.digest = sha256Hex(lesson.text);
        entries.push_back({entryOf(lesson.id), lesson.text});
    }
    const Json manifest = manifestOf(assignment);
    std::string text;
    try {
        text = manifest.dump(1) + "\n";
    } catch (const Json::exception&) {
        return Error{kBad, "The title, a lesson's title or the teacher's name is not UTF-8", "assignment",
                     "Give it as UTF-8"};
    }
    // What a learner would refuse is refused here, where it can be mended.
    if (auto read = fromManifest(manifest, "assignment"); !read)
        return read.error();
    entries.push_back({kManifest, std::move(text)});
    auto bytes = bundle::writeArchive(bundle::withSignature(std::move(entries), kPurpose, keys.sign));
    if (!bytes)
        return bytes.error();
    return WrittenAssignment{std::move(assignment), std::move(*bytes)};
}

Result<std::string> readBundle(const fs::path& file)
{
    return readFile(file, bundle::ArchiveLimits{}.archiveBytes);
}

Result<Assignment> readAssignment(std::string_view bytes, const std::string& file)
{
    auto entries = bundle::readArchive(bytes, {.entryBytes = kLongestLesson * 2, .totalBytes = 64u << 20}, file);
    if (!entries)
        return entries.error();
    auto manifest = readManifest(*entries, kFormat, kVersion, kBad, "assignment-newer", file);
    if (!manifest)
        return manifest.error();
    auto assignment = fromManifest(*manifest, file + ", entry " + kManifest);
    if (!assignment)
        return assignment.error();
    if (auto genuine = bundle::checkSignature(*entries, kPurpose, assignment->signKey, file); !genuine)
        return genuine.error();
    QSet<QString> expected{QString::fromLatin1(kManifest), QString::fromLatin1(bundle::kSignatureEntry)};
    for (AssignedLesson& lesson : assignment->lessons) {
        const std::string name = entryOf(lesson.id);
        expected.insert(QString::fromStdString(name));
        const bundle::Entry* entry = bundle::findEntry(*entries, name);
        if (!entry || sha256Hex(entry->bytes) != lesson.digest)
            return Error{kBad, entry ? "The lesson is not the one the manifest names" : "The lesson is missing",
                         file + ", entry " + name, "Ask for the file again, as Ridgepoint wrote it"};
        lesson.text = entry->bytes;
    }
    for (const bundle::Entry& entry : *entries)
        if (!expected.contains(QString::fromStdString(entry.name)))
            return Error{kBad, "The manifest does not name this entry", file + ", entry " + entry.name,
                         "Ask for the file again, as Ridgepoint wrote it"};
    return assignment;
}

Result<Assignment> acceptAssignment(const fs::path& home, std::string_view bytes, const std::string& file)
{
    auto assignment = readAssignment(bytes, file);
    if (!assignment)
        return assignment;
    const fs::path folder = home / "assignments";
    const fs::path target = folder / (assignment->id + kEnding);
    std::error_code ignored;
    if (fs::exists(target, ignored)) {
        // A damaged copy says nothing about who made it, so it may be replaced.
        const auto held = readFile(target);
        const auto known = held ? readAssignment(*held, target.string()) : Result<Assignment>(held.error());
        if (known && known->signKey != assignment->signKey)
            return Error{"assignment-other-teacher",
                         "You accepted this assignment from another teacher's key (" + known->signKey.substr(0, 16) +
                             "…, this file is signed by " + assignment->signKey.substr(0, 16) + "…)",
                         file, "Ask your teacher which file is right, then delete " + target.string()};
        if (known && known->createdAt > assignment->createdAt)
            return Error{"assignment-older", "You have a later edition of this assignment already", file,
                         "Keep the one you have"};
    }
    if (auto made = record::makeFolder(folder); !made)
        return made.error();
    if (auto written = record::writeDurably(target, bytes); !written)
        return written.error();
    return assignment;
}

AcceptedAssignments acceptedAssignments(const fs::path& home)
{
    AcceptedAssignments all;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(home / "assignments", ignored)) {
        if (entry.path().extension() != kEnding)
            continue;
        auto bytes = readFile(entry.path());
        auto assignment = bytes ? readAssignment(*bytes, entry.path().string()) : Result<Assignment>(bytes.error());
        if (assignment)
            all.assignments.push_back(std::move(*assignment));
        else
            all.problems.push_back(assignment.error());
    }
    std::ranges::sort(all.assignments, [](const Assignment& a, const Assignment& b) {
        return std::tie(b.createdAt, b.id) < std::tie(a.createdAt, a.id);
    });
    return all;
}

Result<Assignment> acceptedAssignment(const fs::path& home, const std::string& id)
{
    AcceptedAssignments all = acceptedAssignments(home);
    std::string known;
    for (Assignment& assignment : all.assignments) {
        if (assignment.id == id || (id.empty() && all.assignments.size() == 1))
            return std::move(assignment);
        known += (known.empty() ? "" : ", ") + assignment.id + " (" + assignment.title + ")";
    }
    if (!all.problems.empty())
        return all.problems.front();
    return Error{"unknown-assignment",
                 all.assignments.empty() ? "No assignment was accepted here"
                 : id.empty()            ? "There is more than one assignment: " + known
                                         : "There is no assignment " + id + "; there are: " + known,
                 (home / "assignments").string(),
                 all.assignments.empty() ? "Accept your teacher's .ridgeclass file first" : "Name one of them"};
}

bool mayShow(const Assignment& assignment, const std::string& step, const std::string& now)
{
    const auto found = assignment.feedback.find(step);
    if (found == assignment.feedback.end() || found->second == FeedbackWhen::Now)
        return true;
    return found->second == FeedbackWhen::Deadline && normalTime(now) >= assignment.deadline;
}

bool mayShow(const std::vector<Assignment>& assignments, const std::string& lesson, const std::string& step,
             const std::string& now)
{
    return std::ranges::all_of(assignments, [&](const Assignment& assignment) {
        return std::ranges::find(assignment.lessons, lesson, &AssignedLesson::id) == assignment.lessons.end() ||
               mayShow(assignment, step, now);
    });
}

} // namespace ridge::classroom
