// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/generate.h"

#include "base/csv.h"
#include "base/json.h"
#include "classroom/class_folder.h"
#include "classroom/generated_learner.h"
#include "classroom/submission.h"

#include <QDateTime>
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBegan = "2026-03-02T09:00:00.000Z"; ///< of every generated class, so that bytes stay the same
constexpr const char* kDeadline = "2026-03-02T15:00:00.000Z";
constexpr const char* kVersion = "generated";

constexpr std::array kGiven = {"Amara", "Björn", "Chen",  "Dilnoza", "Elif",  "Farid",  "Grace", "Hana",    "Ibrahim",
                               "Jules", "Kofi",  "Lucía", "Mateo",   "Ngozi", "Olga",   "Priya", "Quentin", "Rosa",
                               "Sami",  "Tariq", "Uma",   "Viktor",  "Wen",   "Ximena", "Yara",  "Zoltán"};
constexpr std::array kFamily = {"Abara",    "Bergström", "Castro",    "Dubois", "Eriksen",   "Fofana",    "García",
                                "Hoffmann", "Ivanova",   "Jovanović", "Kaya",   "Lindqvist", "Mbeki",     "Nakamura",
                                "O’Brien",  "Petrov",    "Qureshi",   "Rahman", "Santos",    "Takahashi", "Usman",
                                "Vasquez",  "Weber",     "Yılmaz",    "Zhang"};

std::int64_t msOf(const std::string& time)
{
    return QDateTime::fromString(QString::fromStdString(time), Qt::ISODateWithMs).toMSecsSinceEpoch();
}

std::string timeOf(std::int64_t ms)
{
    return QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC).toString(Qt::ISODateWithMs).toStdString();
}

/// Different names as long as there are some; then with a number.
std::string nameOf(int number)
{
    const auto n = static_cast<std::size_t>(number);
    std::string name =
        std::string(kGiven[n % kGiven.size()]) + ' ' + kFamily[(n * 7 + n / kGiven.size()) % kFamily.size()];
    if (n >= kGiven.size() * kFamily.size())
        name += ' ' + std::to_string(n / (kGiven.size() * kFamily.size()) + 1);
    return name;
}

std::string rosterLine(int number, const std::string& learner)
{
    return csvLine({nameOf(number), fmt::format("student{:05d}@example.org", number + 1),
                    fmt::format("{:07d}", 2600001 + number), fmt::format("s{:05d}", number + 1),
                    number % 2 == 0 ? "A" : "B", learner});
}

/// What happens to files on the way: cut short, or a byte changed.
void damage(std::string& bytes, int number)
{
    if (number % 2 == 0)
        bytes.resize(bytes.size() / 2);
    else
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x40);
}

} // namespace

Result<WrittenAssignment> generatedAssignment(const lessons::Curriculum& curriculum,
                                              const std::vector<std::string>& lessons, std::uint64_t seed)
{
    GeneratedLearner teacher(seed, -1, msOf(kBegan)); // for its random numbers
    const auto keys = classKeysFromSeed(teacher.randomBytes());
    if (!keys)
        return keys.error();
    Assignment assignment;
    assignment.id = teacher.origin();
    assignment.title = "Generated class " + std::to_string(seed);
    assignment.createdAt = kBegan;
    assignment.deadline = kDeadline;
    assignment.teacher = "Generated";
    auto assigned = assignedLessons(curriculum, lessons);
    if (!assigned)
        return assigned.error();
    assignment.lessons = std::move(*assigned);
    return createAssignment(std::move(assignment), *keys, false);
}

Result<GeneratedClass> generateLearners(const Assignment& assignment, const lessons::Curriculum& curriculum,
                                        const std::vector<ExperimentInfo>& catalogue, const Execute& execute,
                                        const GenerateOptions& options, const fs::path& folder)
{
    std::error_code ec;
    fs::create_directories(folder, ec);
    if (ec)
        return Error{"cannot-write", "The folder cannot be made (" + ec.message() + ")", folder.string(),
                     "Choose a folder that you may write to"};
    const auto lessons = ownLessons(curriculum, assignment);
    if (!lessons)
        return lessons.error();
    // Nobody works after a deadline that is still to come.
    const bool over = !assignment.deadline.empty() &&
                      (assignment.deadline == kDeadline || assignment.deadline <= assignment.createdAt);
    std::int64_t began = msOf(kBegan);
    if (over)
        began = std::min(began, msOf(assignment.deadline) - 6 * 3600 * 1000);
    SharedRuns runs(execute, catalogue);
    GeneratedClass made;
    std::string roster = csvLine({"Name", "Email", "Student number", "Login", "Section", "Learner"});
    for (int number = 0; number < options.learners; ++number) {
        GeneratedLearner learner(options.seed, number, began);
        for (const lessons::Lesson& lesson : *lessons)
            if (auto taken = learner.take(curriculum, lesson, runs); !taken)
                return taken.error();
        std::int64_t handedIn = learner.nowMs() + 60'000;
        if (over && learner.random().uniform() < 0.07) {
            handedIn = std::max(handedIn, msOf(assignment.deadline)) + 40 * 60'000;
            ++made.late;
        }
        SubmissionOptions how;
        how.appVersion = kVersion;
        how.createdAt = timeOf(handedIn);
        how.sealSeed = learner.randomBytes();
        auto written = writeSubmission(assignment, learner.identity(),
                                       {learner.rows(), {learner.origin()}, learner.files(), {}}, how);
        if (!written)
            return written.error();
        if (number < options.odd) {
            damage(written->bytes, number);
            ++made.damaged;
        }
        if (auto stored = writeFile(folder / written->fileName, written->bytes); !stored)
            return stored.error();
        made.rows += learner.rowCount();
        ++made.files;
        roster += rosterLine(number, learner.identity().learner);
        if (options.progress && !options.progress(number + 1, options.learners))
            return Error{"cancelled", "Generating was stopped", folder.string(), ""};
    }
    made.absent = std::max(1, options.learners / 15);
    for (int number = options.learners; number < options.learners + made.absent; ++number)
        roster += rosterLine(number, {});
    made.roster = folder / "roster.csv";
    if (auto stored = writeFile(made.roster, roster); !stored)
        return stored.error();
    made.executed = runs.executed();
    return made;
}

} // namespace ridge::classroom
