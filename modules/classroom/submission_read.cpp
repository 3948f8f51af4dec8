// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "bundle/signed.h"
#include "classroom/bundle_fields.h"
#include "classroom/submission.h"
#include "classroom/submission_format.h"

#include <QDateTime>
#include <algorithm>
#include <set>

namespace ridge::classroom {

namespace {

constexpr const char* kBad = "bad-submission";
constexpr const char* kNewer = "submission-newer";
const char* const kAsWritten = "Ask for the file again, as Ridgepoint wrote it";
constexpr int kClockSlackSeconds = 300; ///< two honest clocks differ by less

std::string manifestPlace(const std::string& file)
{
    return file + ", entry " + kManifest;
}

const Assignment* assignmentOf(const std::vector<Assignment>& assignments, const std::string& id)
{
    const auto found = std::ranges::find(assignments, id, &Assignment::id);
    return found == assignments.end() ? nullptr : &*found;
}

Error otherAssignment(const std::string& id, const std::vector<Assignment>& assignments, const std::string& place)
{
    std::string known;
    for (const Assignment& assignment : assignments)
        known += (known.empty() ? "" : ", ") + assignment.id;
    return {"submission-other-assignment", "It answers the assignment " + id + ", which is not one of this class",
            place,
            known.empty() ? "Make the assignment first"
                          : "Collect it with the class that gave this assignment; this class has " + known};
}

bool isSealed(const std::vector<bundle::Entry>& entries)
{
    return bundle::findEntry(entries, format::kSealed) != nullptr;
}

/// The entries inside the seal.
Result<std::vector<bundle::Entry>> openSeal(const std::vector<bundle::Entry>& outer, const std::string& file,
                                            const ClassKeys& keys, const std::vector<Assignment>& assignments,
                                            std::string& assignment)
{
    auto manifest = readManifest(outer, format::kSealedName, format::kVersion, kBad, kNewer, file);
    if (!manifest)
        return manifest.error();
    ManifestReader in(*manifest, kBad, manifestPlace(file));
    assignment = in.uuid("assignment");
    if (in.error())
        return *in.error();
    if (outer.size() != 2)
        return Error{kBad, "A sealed submission has two entries, this has " + std::to_string(outer.size()), file,
                     kAsWritten};
    if (!assignmentOf(assignments, assignment))
        return otherAssignment(assignment, assignments, manifestPlace(file));
    auto plain = bundle::unseal(bundle::findEntry(outer, format::kSealed)->bytes, keys.seal);
    if (!plain) {
        Error error = plain.error();
        error.place = file + ", entry " + format::kSealed;
        return error;
    }
    return bundle::readArchive(*plain, {}, file + ", inside the seal");
}

Result<Submission> fromManifest(const Json& json, const std::string& place)
{
    constexpr std::size_t kMostFiles = 2000, kMostOrigins = 20, kLongestName = 200, kMostLessons = 200;
    ManifestReader in(json, kBad, place);
    Submission submission;
    submission.assignment = in.uuid("assignment");
    submission.learner = in.text("learner", 12);
    submission.publicKey = in.hex("public_key");
    submission.name = in.text("name", kLongestName, false);
    submission.createdAt = in.time("created_at");
    submission.appVersion = in.text("app_version", 40, false);
    submission.origins = in.texts("origins", 36, kMostOrigins);
    for (const std::string& origin : submission.origins)
        if (!isUuid(origin))
            in.fail("origins", "are not UUIDs");
    for (const Json& lesson : in.array("lessons", kMostLessons)) {
        ManifestReader part = in.part(lesson, "lessons[]");
        submission.lessons.push_back(part.text("id", 24));
        in.join(part);
    }
    ManifestReader consent = in.part(in.object("consent"), "consent");
    const bool named = consent.flag("name");
    submission.consent.reasons = consent.flag("reasons");
    submission.consent.artifacts = consent.flag("artifacts");
    submission.consent.journal = consent.flag("journal");
    submission.consent.notes = consent.flag("notes");
    submission.consent.traces = consent.flag("traces");
    in.join(consent);
    if (named == submission.name.empty())
        in.fail("name", "does not fit what consent says about it");
    submission.consent.name = submission.name;
    for (const Json& file : in.array("files", kMostFiles)) {
        ManifestReader part = in.part(file, "files[]");
        submission.files.push_back({part.hex("sha256"), part.size("bytes"), part.flag("included")});
        in.join(part);
    }
    if (in.error())
        return *in.error();
    if (learnerOf(submission.publicKey) != submission.learner)
        return Error{kBad, "The pseudonym " + submission.learner + " does not belong to the key in the manifest", place,
                     kAsWritten};
    return submission;
}

/// The files that the manifest names, no more and no fewer, each with its own hash.
Result<void> takeFiles(Submission& submission, const std::vector<bundle::Entry>& entries, const std::string& file)
{
    std::set<std::string> expected{kManifest, bundle::kSignatureEntry, format::kRows};
    std::set<std::string> named;
    for (const SubmittedFile& each : submission.files) {
        const std::string name = format::kFiles + each.sha256;
        const std::string place = file + ", entry " + name;
        if (!named.insert(each.sha256).second)
            return Error{kBad, "The manifest names the file twice", place, kAsWritten};
        if (!each.included)
            continue;
        expected.insert(name);
        const bundle::Entry* entry = bundle::findEntry(entries, name);
        if (!entry)
            return Error{kBad, "The file is missing", place, kAsWritten};
        if (sha256Hex(entry->bytes) != each.sha256 || entry->bytes.size() != each.size)
            return Error{kBad, "The file is not the one that its name says: its SHA-256 or its size is another", place,
                         kAsWritten};
        submission.contents[each.sha256] = entry->bytes;
    }
    for (const bundle::Entry& entry : entries)
        if (!expected.contains(entry.name))
            return Error{kBad, "The manifest does not name this entry", file + ", entry " + entry.name, kAsWritten};
    for (const std::string& sha256 : record::filesOf(submission.rows))
        if (!named.contains(sha256))
            return Error{kBad, "A row names the file " + sha256 + ", which the manifest does not", manifestPlace(file),
                         kAsWritten};
    return {};
}

/// What is odd about times. A clock that was set wrong is no reason to refuse work, and its rows cannot be mended.
void noticeTimes(Submission& submission, const std::string& file, const std::string& now)
{
    const QDateTime time = QDateTime::fromString(QString::fromStdString(now), Qt::ISODateWithMs);
    const std::string latest = time.addSecs(kClockSlackSeconds).toUTC().toString(Qt::ISODateWithMs).toStdString();
    const std::string place = file + ", entry " + format::kRows;
    const char* const advice = "Ask the learner to set the computer's clock; when it was handed in, your side knows";
    std::size_t future = 0, after = 0;
    for (const record::RowLine& row : submission.rows) {
        future += row.stamp.createdAt.toStdString() > latest;
        after += row.stamp.createdAt.toStdString() > submission.createdAt;
    }
    if (future > 0)
        submission.notices.push_back(
            {"rows-future", std::to_string(future) + " rows are dated later than now", place, advice});
    if (submission.createdAt > latest)
        submission.notices.push_back({"submission-future",
                                      "It says it was made at " + submission.createdAt + ", later than now",
                                      manifestPlace(file), advice});
    if (after > 0)
        submission.notices.push_back(
            {"rows-after-submission",
             std::to_string(after) + " rows are dated later than the submission that carries them", place, advice});
}

} // namespace

Result<Submission> readSubmission(std::string_view bytes, const std::string& file, const ClassKeys& keys,
                                  const std::vector<Assignment>& assignments, const std::string& now,
                                  record::RowLineReader* reader)
{
    auto entries = bundle::readArchive(bytes, {}, file);
    if (!entries)
        return entries.error();
    const bool sealed = isSealed(*entries);
    std::string outside;
    if (sealed) {
        entries = openSeal(*entries, file, keys, assignments, outside);
        if (!entries)
            return entries.error();
    }
    auto manifest = readManifest(*entries, format::kName, format::kVersion, kBad, kNewer, file);
    if (!manifest)
        return manifest.error();
    auto submission = fromManifest(*manifest, manifestPlace(file));
    if (!submission)
        return submission;
    submission->sealed = sealed;
    const auto signedList = bundle::checkSignature(*entries, format::kPurpose, submission->publicKey, file);
    if (!signedList)
        return signedList.error();
    submission->digest = sha256Hex(*signedList);

    const Assignment* assignment = assignmentOf(assignments, submission->assignment);
    if (!assignment)
        return otherAssignment(submission->assignment, assignments, manifestPlace(file));
    if (sealed && outside != submission->assignment)
        return Error{"submission-other-assignment",
                     "Outside the seal it answers the assignment " + outside + ", inside " + submission->assignment,
                     manifestPlace(file), kAsWritten};
    const bundle::Entry* rows = bundle::findEntry(*entries, format::kRows);
    if (!rows)
        return Error{kBad, "The rows are missing", file + ", entry " + format::kRows, kAsWritten};
    const std::string place = file + ", entry " + format::kRows;
    auto parsed = reader ? reader->parse(rows->bytes, {}, place) : record::parseRowLines(rows->bytes, {}, place);
    if (!parsed)
        return parsed.error();
    submission->rows = std::move(*parsed);
    for (const record::RowLine& row : submission->rows)
        if (std::ranges::find(submission->origins, row.stamp.origin.toStdString()) == submission->origins.end())
            return Error{"submission-foreign-row",
                         "The " + row.kind.toStdString() + " comes from the record " + row.stamp.origin.toStdString() +
                             ", which the manifest does not name as the learner's",
                         file + ", entry " + format::kRows + ":" + std::to_string(row.line), kAsWritten};
    if (auto taken = takeFiles(*submission, *entries, file); !taken)
        return taken.error();
    noticeTimes(*submission, file, now);
    if (!sealed && !assignment->sealKey.empty())
        submission->notices.push_back({"submission-unsealed",
                                       "It is not sealed, though the assignment has a key to seal it to", file,
                                       "Ask the learner to hand in from Ridgepoint, which seals"});
    return submission;
}

} // namespace ridge::classroom
