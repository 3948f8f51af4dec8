// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/class_folder.h"

#include "base/hash.h"
#include "base/json.h"
#include "classroom/kernel_work.h"
#include "classroom/roster.h"

#include <QDateTime>
#include <algorithm>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

constexpr const char* kClassFile = "class.json";

fs::path classesFolder(const fs::path& home)
{
    return home / "classes";
}

std::string schemaOf(const std::string& slug)
{
    std::string schema = "class_" + slug;
    std::replace(schema.begin(), schema.end(), '-', '_');
    return schema.substr(0, 63); // PostgreSQL's limit of a name
}

Result<ClassPlace> readClass(const fs::path& folder)
{
    const auto text = readFile(folder / kClassFile);
    if (!text)
        return text.error();
    const auto json = parseJson(*text, (folder / kClassFile).string());
    if (!json)
        return json.error();
    ClassPlace place;
    place.slug = folder.filename().string();
    place.title = json->is_object() ? json->value("title", place.slug) : place.slug;
    place.store.folder = folder;
    if (json->is_object())
        place.store.database = json->value("database", "");
    if (!place.store.database.empty())
        place.store.schema = schemaOf(place.slug);
    return place;
}

/// Makes the folder of a class that is not there yet.
Result<ClassPlace> makeClass(const fs::path& home, const NewAssignment& wanted, const std::string& slug)
{
    const fs::path folder = classesFolder(home) / slug;
    std::error_code ec;
    fs::create_directories(folder / "assignments", ec);
    if (ec)
        return Error{"store-readonly", "The class's folder cannot be made (" + ec.message() + ")", folder.string(),
                     "Make the folder writable, or choose another with RIDGE_HOME"};
    Json json{{"title", wanted.name}};
    if (!wanted.database.empty())
        json["database"] = wanted.database;
    if (!fs::exists(folder / kClassFile, ec))
        if (auto written = writeFile(folder / kClassFile, json.dump(2) + '\n'); !written)
            return written.error();
    return readClass(folder);
}

Result<std::string> deadlineOf(const std::string& text)
{
    if (text.empty())
        return std::string();
    QDateTime time = QDateTime::fromString(QString::fromStdString(text), Qt::ISODate);
    if (!time.isValid())
        return Error{"bad-deadline", "'" + text + "' is not an ISO 8601 time", "--deadline",
                     "Write it as 2027-03-08T18:00Z, or without Z for this computer's own time"};
    return time.toUTC().toString(Qt::ISODateWithMs).toStdString();
}

Result<Assignment> assignmentFor(const lessons::Curriculum& curriculum, const NewAssignment& wanted)
{
    Assignment assignment;
    assignment.title = wanted.title.empty() ? wanted.name : wanted.title;
    assignment.teacher = wanted.teacher;
    assignment.feedback = wanted.feedback;
    const auto deadline = deadlineOf(wanted.deadline);
    if (!deadline)
        return deadline.error();
    assignment.deadline = *deadline;
    std::vector<std::string> ids; // one that is named twice is assigned once
    for (const std::string& id : wanted.lessons)
        if (std::ranges::find(ids, id) == ids.end())
            ids.push_back(id);
    auto lessons = assignedLessons(curriculum, ids);
    if (!lessons)
        return lessons.error();
    assignment.lessons = std::move(*lessons);
    // Tried with keys that nobody has, so that a title that is too long leaves no half class.
    const auto keys = classKeysFromSeed(std::string(32, 'k'));
    if (!keys)
        return keys.error();
    if (const auto tried = createAssignment(assignment, *keys, wanted.sealed); !tried) {
        Error error = tried.error();
        error.fix = "Change it and make the assignment again"; // it is nobody's file yet
        return error;
    }
    return assignment;
}

bool samePerson(const record::MemberRow& a, const record::MemberRow& b)
{
    const auto same = [](const std::string& x, const std::string& y) {
        return !x.empty() && QString::fromStdString(x).compare(QString::fromStdString(y), Qt::CaseInsensitive) == 0;
    };
    if (same(a.learner, b.learner) || same(a.email, b.email) || same(a.studentNumber, b.studentNumber) ||
        same(a.login, b.login) || same(a.canvasId, b.canvasId))
        return true;
    // A roster of names alone has nothing else to go by.
    return a.name == b.name && a.email.empty() && a.studentNumber.empty() && a.login.empty() && a.canvasId.empty();
}

/// Case and blanks make no other name.
bool sameName(const std::string& a, const std::string& b)
{
    const auto folded = [](const std::string& name) {
        return QString::fromStdString(name).normalized(QString::NormalizationForm_C).simplified().toCaseFolded();
    };
    return folded(a) == folded(b);
}

} // namespace

std::string slugOf(const std::string& name)
{
    constexpr std::size_t kLongest = 50, kMark = 8;
    std::string slug;
    bool lost = false; // letters that ASCII has nothing for
    for (QChar c : QString::fromStdString(name).normalized(QString::NormalizationForm_KD)) {
        if (c.isMark())
            continue; // "é" is an e with one
        const char16_t letter = c.toLower().unicode();
        if ((letter >= u'a' && letter <= u'z') || (letter >= u'0' && letter <= u'9')) {
            slug += static_cast<char>(letter);
            continue;
        }
        lost = lost || c.isLetterOrNumber() || c.isSurrogate();
        if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    slug = slug.substr(0, lost ? kLongest - kMark - 1 : kLongest);
    while (slug.ends_with('-'))
        slug.pop_back();
    // 日本語 has a folder as well, and another one than 中文.
    if (lost)
        slug += (slug.empty() ? "" : "-") + sha256Hex(name).substr(0, kMark);
    return slug;
}

fs::path runMemoryOf(const ClassPlace& place)
{
    return place.store.folder / "runs";
}

std::vector<ClassPlace> classes(const fs::path& home)
{
    std::vector<ClassPlace> all;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(classesFolder(home), ec))
        if (auto place = readClass(entry.path()); place)
            all.push_back(std::move(*place));
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.slug < b.slug; });
    return all;
}

bool classExists(const fs::path& home, const std::string& slug)
{
    std::error_code ec;
    return !slug.empty() && fs::exists(classesFolder(home) / slug / kClassFile, ec);
}

Result<ClassPlace> findClass(const fs::path& home, const std::string& slug, const std::string& database)
{
    const auto all = classes(home);
    std::string known;
    for (const ClassPlace& place : all)
        known += (known.empty() ? "" : ", ") + place.slug;
    const std::string wanted = slugOf(slug);
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& place) { return place.slug == wanted; });
    if (all.empty() || (slug.empty() && all.size() > 1) || (!slug.empty() && found == all.end()))
        return Error{"unknown-class",
                     all.empty()    ? "There is no class yet"
                     : slug.empty() ? "There is more than one class"
                                    : "There is no class '" + slug + "'",
                     classesFolder(home).string(),
                     all.empty() ? "Make one: ridge class new NAME --lessons 2.4" : "Name one with --class: " + known};
    ClassPlace place = slug.empty() ? all.front() : *found;
    if (!database.empty())
        place.store.database = database;
    if (!place.store.database.empty())
        place.store.schema = schemaOf(place.slug);
    return place;
}

Result<const Assignment*> OpenClass::assignment(const std::string& name) const
{
    if (name.empty() && !assignments.empty())
        return &assignments.back();
    std::string known;
    const Assignment* found = nullptr;
    for (const Assignment& one : assignments) {
        known += (known.empty() ? "" : ", ") + one.title;
        if (one.title == name || (name.size() >= 8 && one.id.starts_with(name)))
            found = &one;
    }
    if (found)
        return found;
    return Error{"unknown-assignment",
                 assignments.empty() ? "The class has no assignment" : "There is no assignment '" + name + "'",
                 place.slug, assignments.empty() ? "Make one: ridge class new" : "There are: " + known};
}

Result<OpenClass> openClass(const ClassPlace& place, bool readOnly)
{
    OpenClass open;
    open.place = place;
    auto school = record::School::open(place.store, readOnly);
    if (!school)
        return school.error();
    open.school = std::move(*school);
    std::error_code ec;
    if (!readOnly || fs::exists(place.store.folder / "keys", ec)) {
        auto keys = classKeys(place.store.folder);
        if (!keys)
            return keys.error();
        open.keys = std::move(*keys);
    }
    const auto rows = open.school->assignments();
    if (!rows)
        return rows.error();
    for (const record::AssignmentRow& row : *rows) {
        const fs::path file = place.store.folder / "assignments" / (row.assignmentId + ".ridgeclass");
        const auto bytes = readFile(file);
        if (!bytes)
            return bytes.error();
        auto assignment = readAssignment(*bytes, file.string());
        if (!assignment)
            return assignment.error();
        open.assignments.push_back(std::move(*assignment));
    }
    return open;
}

Result<std::vector<std::string>> takeRoster(record::School& school, std::string_view text, const std::string& place)
{
    auto roster = parseRoster(text, place);
    if (!roster)
        return roster.error();
    const auto known = school.members();
    if (!known)
        return known.error();
    std::vector<record::MemberRow> changed;
    for (record::MemberRow& member : roster->members) {
        const auto same = std::find_if(known->begin(), known->end(),
                                       [&](const record::MemberRow& other) { return samePerson(member, other); });
        if (same != known->end()) {
            member.memberId = same->memberId;
            if (member.learner.empty())
                member.learner = same->learner;
            if (member.canvasId.empty())
                member.canvasId = same->canvasId;
            if (member.name == same->name && member.email == same->email && member.login == same->login &&
                member.studentNumber == same->studentNumber && member.section == same->section &&
                member.learner == same->learner && member.familyName == same->familyName &&
                member.canvasId == same->canvasId)
                continue;
        }
        changed.push_back(std::move(member));
    }
    if (auto stored = school.append(std::move(changed)); !stored)
        return stored.error();
    return roster->notes;
}

Result<std::vector<AssignedLesson>> assignedLessons(const lessons::Curriculum& curriculum,
                                                    const std::vector<std::string>& ids)
{
    std::vector<AssignedLesson> assigned;
    for (const std::string& id : ids) {
        if (isKernelLesson(id)) {
            auto kernel = assignedKernel(id);
            if (!kernel)
                return kernel.error();
            assigned.push_back(std::move(*kernel));
            continue;
        }
        const auto lesson = lessons::loadLesson(curriculum, id);
        if (!lesson)
            return lesson.error();
        auto text = readFile(curriculum.root / lesson->at.file);
        if (!text)
            return text.error();
        assigned.push_back({lesson->id, lesson->title, std::move(*text), {}});
    }
    return assigned;
}

Result<std::vector<lessons::Lesson>> ownLessons(const lessons::Curriculum& curriculum, const Assignment& assignment)
{
    std::vector<lessons::Lesson> all;
    for (const AssignedLesson& assigned : assignment.lessons) {
        auto lesson =
            isKernelLesson(assigned.id) ? ownKernelLesson(assigned.id) : lessons::loadLesson(curriculum, assigned.id);
        if (!lesson)
            return lesson.error();
        all.push_back(std::move(*lesson));
    }
    return all;
}

namespace {

/// The class, made where there is none of that name, with its roster read in.
struct PreparedClass {
    MadeAssignment made;
    ClassKeys keys;
    std::unique_ptr<record::School> school;
};

Result<PreparedClass> prepareClass(const fs::path& home, const NewAssignment& wanted)
{
    const std::string slug = slugOf(wanted.name);
    if (slug.empty())
        return Error{"bad-name", "'" + wanted.name + "' has no letter or digit", "class name", "Call it “Spring 2027”"};
    // The window calls its own places class/new and class/sample.
    if (slug == "new" || slug == "sample")
        return Error{"bad-name", "No class can be called '" + wanted.name + "'", "class name",
                     "Add a word: “" + wanted.name + " 2027”"};
    // "C++" and "C#" leave the same letters: a class is never taken for another one.
    if (const auto there = readClass(classesFolder(home) / slug);
        there && !sameName(there->title, wanted.name) && wanted.name != slug)
        return Error{"bad-name",
                     "The class '" + there->title + "' has the folder that '" + wanted.name + "' would have",
                     "class name", "Add a word: “" + wanted.name + " 2027”"};
    // Read before anything is made, so that a bad roster leaves no half class.
    if (!wanted.roster.empty())
        if (const auto roster = parseRoster(wanted.roster, wanted.rosterPlace); !roster)
            return roster.error();
    auto place = makeClass(home, wanted, slug);
    if (!place)
        return place.error();
    auto keys = classKeys(place->store.folder);
    if (!keys)
        return keys.error();
    auto school = record::School::open(place->store);
    if (!school)
        return school.error();
    PreparedClass prepared;
    prepared.made.place = *place;
    if (!wanted.roster.empty()) {
        auto notes = takeRoster(**school, wanted.roster, wanted.rosterPlace);
        if (!notes)
            return notes.error();
        prepared.made.notes = std::move(*notes);
    }
    prepared.keys = std::move(*keys);
    prepared.school = std::move(*school);
    return prepared;
}

Result<MadeAssignment> keepAssignment(PreparedClass prepared, WrittenAssignment written)
{
    MadeAssignment& made = prepared.made;
    made.assignment = std::move(written.assignment);
    made.bytes = std::move(written.bytes);
    made.kept = made.place.store.folder / "assignments" / (made.assignment.id + ".ridgeclass");
    if (auto kept = writeFile(made.kept, made.bytes); !kept)
        return kept.error();
    record::AssignmentRow row;
    row.assignmentId = made.assignment.id;
    row.title = made.assignment.title;
    row.deadline = made.assignment.deadline;
    for (const AssignedLesson& lesson : made.assignment.lessons)
        row.lessons.push_back(lesson.id);
    row.fileSha256 = sha256Hex(made.bytes);
    if (auto stored = prepared.school->append(row); !stored)
        return stored.error();
    return made;
}

} // namespace

Result<MadeAssignment> makeAssignment(const fs::path& home, const lessons::Curriculum& curriculum,
                                      const NewAssignment& wanted)
{
    if (wanted.lessons.empty())
        return Error{"unknown-lesson", "No lesson is assigned", "--lessons", "Name some: --lessons 2.4"};
    auto assignment = assignmentFor(curriculum, wanted);
    if (!assignment)
        return assignment.error();
    auto prepared = prepareClass(home, wanted);
    if (!prepared)
        return prepared.error();
    auto written = createAssignment(std::move(*assignment), prepared->keys, wanted.sealed);
    if (!written)
        return written.error();
    return keepAssignment(std::move(*prepared), std::move(*written));
}

Result<MadeAssignment> adoptAssignment(const fs::path& home, const NewAssignment& wanted, std::string_view bytes,
                                       const std::string& file)
{
    auto assignment = readAssignment(bytes, file);
    if (!assignment)
        return assignment.error();
    auto prepared = prepareClass(home, wanted);
    if (!prepared)
        return prepared.error();
    return keepAssignment(std::move(*prepared), {std::move(*assignment), std::string(bytes)});
}

} // namespace ridge::classroom
