// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/submission.h"

#include "base/hash.h"
#include "bundle/signed.h"
#include "classroom/bundle_fields.h"
#include "classroom/kernel_lesson.h"
#include "classroom/submission_format.h"
#include "classroom/traces_of_person.h"

#include <QDateTime>
#include <algorithm>

namespace ridge::classroom {

namespace {

/// What a mail or a learning platform still takes; the reader's limit is higher.
constexpr std::uint64_t kMostFileBytes = 48u << 20;

Error foreignRow(const record::RowLine& row, const std::string& place)
{
    return {"submission-foreign-row",
            "The " + row.kind.toStdString() + " " + row.stamp.id.toStdString() + " comes from another record (origin " +
                row.stamp.origin.toStdString() + ")",
            place, "If it is yours, from another computer, name that origin in the submission; if not, leave it out"};
}

std::string count(std::size_t number, const std::string& one)
{
    return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

bool isKernelRow(const record::RowLine& row)
{
    return row.kind == QLatin1String("artifact") && std::ranges::any_of(row.columns, [](const record::Column& column) {
               return std::string_view(column.name) == "lesson" &&
                      isKernelLesson(column.value.toString().toStdString());
           });
}

std::vector<std::string> preview(const SubmissionOptions& options, const SubmissionContent& content,
                                 const std::vector<record::RowLine>& rows, const Identity& identity,
                                 const Assignment& assignment)
{
    std::map<std::string, std::size_t> numbers;
    for (const record::RowLine& row : rows)
        ++numbers[row.kind.toStdString()];
    const std::string name = options.consent.name;
    std::vector<std::string> all{
        name.empty() ? "Your name is not in it; your teacher sees the pseudonym " + identity.learner + "."
                     : "Your name is in it: " + name + ".",
        "What is graded: " + count(numbers["prediction"], "prediction") + ", " + count(numbers["run"], "run") + ", " +
            count(numbers["answer"], "answer") + ".",
        "Each run says what machine it ran on: model of processor and GPU, memory, system and driver version."};
    std::string more;
    for (const auto& [kind, word] :
         {std::pair("outcome", "outcome"), {"review", "review"}, {"tag", "tag"}, {"reproduction", "reproduction"}})
        if (const std::size_t number = numbers[kind]; number > 0)
            more += (more.empty() ? "" : ", ") + count(number, word);
    if (!more.empty())
        all.push_back("Beside them: " + more + ".");
    all.push_back("Each row says when you made it. Pseudonym and number of your record are the same in every class.");
    for (std::string& sentence : traceSentences(tellsHere(), content.rows, content.files))
        all.push_back(std::move(sentence));
    const auto tell = [&](bool given, const std::string& kind, const std::string& one, const std::string& many,
                          const std::string& what) {
        const std::size_t number = numbers[kind];
        all.push_back(given ? std::to_string(number) + " " + (number == 1 ? one : many) + "." : what + " stay here.");
    };
    tell(options.consent.reasons, "reason", "reason of a prediction", "reasons of predictions",
         "Reasons of predictions");
    tell(options.consent.artifacts, "artifact", "artifact", "artifacts", "Artifacts");
    tell(options.consent.journal, "journal", "entry of your journal (failures and decisions)",
         "entries of your journal (failures and decisions)", "Failures and decisions of your journal");
    tell(options.consent.notes, "note", "margin note", "margin notes", "Margin notes");
    const auto kernels = static_cast<std::size_t>(std::ranges::count_if(rows, isKernelRow));
    if (kernels > 0)
        all.push_back(count(kernels, "kernel") + " that you wrote for a task, with its code: that is graded.");
    all.push_back(count(content.files.size(), "file") + " with code, imports" +
                  (options.consent.traces ? " and timelines." : "; timelines stay here."));
    all.push_back(assignment.sealKey.empty() ? "It is not sealed: whoever gets the file can read it."
                                             : "It is sealed: only the holder of the class's key can read it.");
    return all;
}

/// Bytes of the files that go along, sizes of those that do not.
Result<void> takeFiles(const record::Store& store, const std::vector<record::RowLine>& rows, const Consent& consent,
                       SubmissionContent& content)
{
    std::vector<record::RowLine> open;
    for (const record::RowLine& row : rows)
        if (row.kind != QLatin1String("run") || consent.traces)
            open.push_back(row);
    const auto given = record::filesOf(open);
    std::uint64_t total = 0;
    for (const std::string& sha256 : record::filesOf(rows)) {
        auto bytes = store.file(sha256);
        // A file that the store has lost does not keep its rows from being handed in.
        if (!bytes || !std::ranges::binary_search(given, sha256)) {
            content.withheld[sha256] = bytes ? bytes->size() : 0;
            continue;
        }
        total += bytes->size();
        if (total > kMostFileBytes)
            return Error{"submission-large",
                         "Code, imports and timelines have more than " + std::to_string(kMostFileBytes >> 20) + " MiB",
                         store.folder().string(),
                         consent.traces ? "Leave the timelines out" : "Leave the artifacts with the largest files out"};
        content.files[sha256] = std::move(*bytes);
    }
    return {};
}

} // namespace

Result<WrittenSubmission> createSubmission(const record::Store& store, const Assignment& assignment,
                                           const Identity& identity, const SubmissionOptions& options)
{
    const Consent& consent = options.consent;
    record::RowSelection selection;
    selection.kinds = {"prediction", "run", "answer", "outcome", "review"};
    if (consent.reasons)
        selection.kinds.push_back("reason");
    if (consent.artifacts)
        selection.kinds.insert(selection.kinds.end(), {"artifact", "tag", "reproduction"});
    if (consent.journal)
        selection.kinds.push_back("journal");
    if (consent.notes)
        selection.kinds.push_back("note");
    for (const AssignedLesson& lesson : assignment.lessons)
        selection.lessons.push_back(lesson.id);
    selection.origins = consent.otherOrigins;
    selection.origins.push_back(store.origin());
    selection.newest = true;

    SubmissionContent content;
    auto text = record::rowLines(store, selection);
    if (!text)
        return text.error();
    content.rows = std::move(*text);
    // A kernel of a task is what is graded, and no text of the learner's that may stay here.
    if (record::RowSelection kernels = selection; !consent.artifacts) {
        kernels.kinds = {"artifact"};
        std::erase_if(kernels.lessons, [](const std::string& lesson) { return !isKernelLesson(lesson); });
        if (!kernels.lessons.empty()) {
            const auto more = record::rowLines(store, kernels);
            if (!more)
                return more.error();
            content.rows += *more;
        }
    }
    content.origins = selection.origins;
    auto rows = record::parseRowLines(content.rows, {}, "rows.jsonl");
    if (!rows)
        return rows.error();
    if (rows->empty())
        return Error{"submission-empty", "You have done nothing yet in the lessons of this assignment",
                     assignment.title, "Open one of its lessons, predict and run, then hand in"};
    for (const record::RowLine& row : *rows)
        if (std::ranges::find(content.origins, row.stamp.origin.toStdString()) == content.origins.end())
            return foreignRow(row, store.folder().string());
    if (auto taken = takeFiles(store, *rows, consent, content); !taken)
        return taken.error();
    auto written = writeSubmission(assignment, identity, content, options);
    if (!written)
        return written;
    written->contains = preview(options, content, *rows, identity, assignment);
    return written;
}

Result<WrittenSubmission> writeSubmission(const Assignment& assignment, const Identity& identity,
                                          const SubmissionContent& content, const SubmissionOptions& options)
{
    const Consent& consent = options.consent;
    Json lessons = Json::array(), files = Json::array();
    for (const AssignedLesson& lesson : assignment.lessons)
        lessons.push_back({{"id", lesson.id}, {"digest", lesson.digest}});
    std::vector<bundle::Entry> entries{{format::kRows, content.rows}};
    for (const auto& [sha256, bytes] : content.files) {
        files.push_back({{"sha256", sha256}, {"bytes", bytes.size()}, {"included", true}});
        entries.push_back({format::kFiles + sha256, bytes});
    }
    for (const auto& [sha256, size] : content.withheld)
        files.push_back({{"sha256", sha256}, {"bytes", size}, {"included", false}});
    Json manifest{{"format", format::kName},
                  {"version", format::kVersion},
                  {"assignment", assignment.id},
                  {"learner", identity.learner},
                  {"public_key", identity.key.publicKey},
                  {"created_at", options.createdAt.empty() ? timeNow() : options.createdAt},
                  {"app_version", options.appVersion},
                  {"lessons", lessons},
                  {"origins", content.origins},
                  {"consent",
                   {{"name", !consent.name.empty()},
                    {"reasons", consent.reasons},
                    {"artifacts", consent.artifacts},
                    {"journal", consent.journal},
                    {"notes", consent.notes},
                    {"traces", consent.traces}}},
                  {"files", files}};
    if (!consent.name.empty())
        manifest["name"] = consent.name;
    try {
        entries.push_back({kManifest, manifest.dump(1) + "\n"});
    } catch (const Json::exception&) {
        return Error{"bad-submission", "The name is not UTF-8", "consent.name", "Give it as UTF-8"};
    }
    auto bytes = bundle::writeArchive(bundle::withSignature(std::move(entries), format::kPurpose, identity.key));
    if (!bytes)
        return bytes.error();
    WrittenSubmission written;
    // An id begins with the time it was made: two assignments of one minute would share that, and their files a name.
    written.fileName = identity.learner + "-" + assignment.id.substr(assignment.id.size() - 8) + ".ridgesubmission";
    written.rows = static_cast<std::size_t>(std::ranges::count(content.rows, '\n'));
    written.files = content.files.size();
    written.bytes = std::move(*bytes);
    if (assignment.sealKey.empty())
        return written;
    auto sealed = options.sealSeed.empty() ? bundle::seal(written.bytes, assignment.sealKey)
                                           : bundle::sealWithSeed(written.bytes, assignment.sealKey, options.sealSeed);
    if (!sealed)
        return sealed.error();
    const Json outer{{"format", format::kSealedName}, {"version", format::kVersion}, {"assignment", assignment.id}};
    auto outside = bundle::writeArchive({{kManifest, outer.dump(1) + "\n"}, {format::kSealed, std::move(*sealed)}});
    if (!outside)
        return outside.error();
    written.bytes = std::move(*outside);
    return written;
}

} // namespace ridge::classroom
