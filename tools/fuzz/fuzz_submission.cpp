// SPDX-License-Identifier: GPL-3.0-or-later
// Submissions, assignments and rows from strangers. The first byte says what the rest is: 'z' a whole file, 'r' rows,
// 'd' rows that get the digests which fit them, 'm' the manifest of a submission and 'a' that of an assignment, both
// signed by the right key, 's' what lies inside a seal, 'w' manifest and rows of a whole submission, one document a
// line, with digests, chain and signature made to fit, and 'W' the same sealed. So the fuzzer gets behind hashes and
// signatures; submission_mutator.cpp keeps lines JSON.
#include "base/hash.h"
#include "base/json_guard.h"
#include "bundle/signed.h"
#include "classroom/submission.h"

#include <QCoreApplication>
#include <cstdlib>
#include <limits>

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::record;

namespace {

const char* const kNow = "2026-06-01T12:00:00.000Z";

void require(bool holds)
{
    if (!holds)
        std::abort();
}

struct Class {
    ClassKeys keys = classKeysFromSeed(std::string(32, 'k')).value();
    Identity learner = identityFromSeed(std::string(32, 'l')).value();
    Assignment open, sealed;

    Class()
    {
        Assignment draft;
        draft.id = "0190c0de-0000-7000-8000-00000000000a";
        draft.createdAt = kNow;
        draft.title = "Fuzz";
        draft.lessons = {{"2.4", "Coalescing", "# Coalescing", {}}};
        open = createAssignment(draft, keys, false)->assignment;
        draft.id = "0190c0de-0000-7000-8000-00000000000b";
        sealed = createAssignment(draft, keys)->assignment;
    }
};

RowLineReader& reader()
{
    // As long as the application that its database needs: never given back.
    static auto* const one = new RowLineReader;
    return *one;
}

void readRows(const std::string& text)
{
    const auto rows = reader().parse(text, {.totalBytes = 1u << 20, .rows = 2000}, "rows.jsonl");
    if (!rows) {
        require(rows.error().place.starts_with("rows.jsonl") && !rows.error().fix.empty());
        return;
    }
    std::string again;
    for (const RowLine& row : *rows)
        again += toLine(row);
    const auto same = reader().parse(again);
    require(same.ok() && same->size() == rows->size());
    (void)filesOf(*rows);
}

/// Every line that has the form of a row with the digest of what it says; `chained` also with that of the row before
/// it in its origin.
std::string redigested(const std::string& text, bool chained = false)
{
    std::string all;
    std::map<std::pair<QString, std::int64_t>, QString> digests;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        auto json = parseUntrustedJson(line, 32, {});
        const auto string = [&](const char* key) {
            const auto found = json->find(key);
            return found != json->end() && found->is_string() ? QString::fromStdString(found->get<std::string>())
                                                              : QString();
        };
        if (json && json->is_object() && json->contains("columns") && (*json)["columns"].is_object() &&
            json->contains("seq") && (*json)["seq"].is_number_integer() && rowKinds().contains(string("kind"))) {
            Stamp stamp{string("id"), string("created_at"), string("origin"), (*json)["seq"].get<std::int64_t>(),
                        string("previous")};
            const bool first = stamp.seq == std::numeric_limits<std::int64_t>::min(); // nothing can come before it
            const auto before = chained && !first ? digests.find({stamp.origin, stamp.seq - 1}) : digests.end();
            if (before != digests.end()) {
                stamp.previous = before->second;
                (*json)["previous"] = stamp.previous.toStdString();
            }
            std::vector<QByteArray> names;
            Columns columns;
            names.reserve(64);
            for (const QString& name : contentColumns(string("kind"))) {
                names.push_back(name.toLatin1());
                const Json value = (*json)["columns"].value(name.toStdString(), Json());
                QVariant held;
                if (value.is_string())
                    held = QString::fromStdString(value.get<std::string>());
                else if (value.is_number_integer())
                    held = static_cast<qlonglong>(value.get<std::int64_t>());
                else if (value.is_number())
                    held = value.get<double>();
                columns.push_back({names.back().constData(), held});
            }
            const QString digest = rowDigest(string("kind"), stamp, columns);
            digests[{stamp.origin, stamp.seq}] = digest;
            (*json)["digest"] = digest.toStdString();
            all += json->dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        } else {
            all += line + "\n";
        }
    }
    return all;
}

void readWhole(const Class& in, const std::string& bytes)
{
    const auto submission = readSubmission(bytes, "fuzz.zip", in.keys, {in.open, in.sealed}, kNow, &reader());
    require(submission.ok() || (submission.error().place.starts_with("fuzz.zip") && !submission.error().fix.empty()));
    const auto assignment = readAssignment(bytes, "fuzz.zip");
    require(assignment.ok() || (assignment.error().place.starts_with("fuzz.zip") && !assignment.error().fix.empty()));
}

std::string signedZip(std::vector<bundle::Entry> entries, const char* purpose, const bundle::SignKey& key)
{
    return bundle::writeArchive(bundle::withSignature(std::move(entries), purpose, key)).value();
}

std::string sealedZip(const Class& in, const std::string& inside)
{
    const std::string outer =
        R"({"format":"ridgepoint-sealed-submission","version":1,"assignment":")" + in.sealed.id + R"("})";
    const std::string box = bundle::sealWithSeed(inside, in.keys.seal.publicKey, std::string(32, 's')).value();
    return bundle::writeArchive({{"manifest.json", outer}, {"sealed.bin", box}}).value();
}

/// The first line is the manifest; files that it includes hold what their names say, as far as that can be.
std::string wholeZip(const Class& in, const std::string& text)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string rows = end < text.size() ? redigested(text.substr(end + 1), true) : std::string();
    std::vector<bundle::Entry> entries{{"manifest.json", text.substr(0, end)}, {"rows.jsonl", rows}};
    // The one file of the corpus's rows.
    const std::string bytes = "trace";
    if (text.find(sha256Hex(bytes)) != std::string::npos)
        entries.push_back({"files/" + sha256Hex(bytes), bytes});
    return signedZip(std::move(entries), "ridgepoint-submission 1", in.learner.key);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // Qt finds its SQLite driver through an application; it lives as long as the process.
    static int argc = 1;
    static char name[] = "fuzz_submission";
    static char* argv[] = {name, nullptr};
    static const auto* const application = new QCoreApplication(argc, argv);
    (void)application;
    static const Class in;
    if (size == 0)
        return 0;
    const std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
    switch (data[0]) {
    case 'z':
        readWhole(in, rest);
        break;
    case 'r':
        readRows(rest);
        break;
    case 'd':
        readRows(redigested(rest));
        break;
    case 'm':
        readWhole(in,
                  signedZip({{"manifest.json", rest}, {"rows.jsonl", ""}}, "ridgepoint-submission 1", in.learner.key));
        break;
    case 'a':
        readWhole(in, signedZip({{"manifest.json", rest}, {"lessons/2.4.md", "# Coalescing"}},
                                "ridgepoint-assignment 1", in.keys.sign));
        break;
    case 's':
        readWhole(in, sealedZip(in, rest));
        break;
    case 'w':
        readWhole(in, wholeZip(in, rest));
        break;
    case 'W':
        readWhole(in, sealedZip(in, wholeZip(in, rest)));
        break;
    default:
        break;
    }
    return 0;
}
