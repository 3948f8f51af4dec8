// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/forget.h"

#include "base/hash.h"
#include "base/json.h"
#include "classroom/record/school_forget.h"
#include "record/clock.h"
#include "record/files/content_files.h"

#include <algorithm>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

/// Pages of feedback that name the person, in their name or their text.
std::vector<fs::path> pagesOf(const fs::path& folder, const std::vector<std::string>& words)
{
    std::vector<fs::path> pages;
    std::error_code ec;
    for (fs::recursive_directory_iterator at(folder / "feedback", ec), end; !ec && at != end; at.increment(ec)) {
        if (!at->is_regular_file(ec))
            continue;
        const auto text = readFile(at->path());
        if (record::mentions(at->path().stem().string(), words) || (text && record::mentions(*text, words)))
            pages.push_back(at->path());
    }
    std::sort(pages.begin(), pages.end());
    return pages;
}

/// Pages hold texts with what is special to HTML escaped.
std::vector<std::string> asOnPages(std::vector<std::string> words)
{
    const std::size_t plain = words.size();
    for (std::size_t i = 0; i < plain; ++i)
        words.push_back(QString::fromStdString(words[i]).toHtmlEscaped().toStdString());
    return words;
}

constexpr const char* kReadme =
    "All that a Ridgepoint class holds about one learner.\n"
    "\n"
    "learner.json  rows by table. member: lines of the roster; submission: what was handed in and when; grade, "
    "decision,\n"
    "              feedback: what came of it and the instructor's words; refusal: files that could not be taken in; "
    "all other\n"
    "              tables: rows of the learner's own record, with their digests, as they were handed in. A column "
    "that\n"
    "              holds JSON is a text here.\n"
    "files/        what these rows name, each under its SHA-256: code of artifacts, timelines of runs\n"
    "feedback/     pages that the class's folder holds\n"
    "SHA256SUMS    check with: sha256sum -c SHA256SUMS\n";

} // namespace

Result<HeldOf> heldOf(OpenClass& open, const std::string& whom)
{
    HeldOf held;
    auto person = open.school->person(whom);
    if (!person)
        return person.error();
    held.person = std::move(*person);
    const auto all = open.school->everythingOf(held.person);
    if (!all)
        return all.error();
    for (const auto& [table, rows] : (**all).items()) {
        if (table == "files")
            held.files = static_cast<int>(rows.size());
        else if (!rows.empty())
            held.rows[table] = static_cast<int>(rows.size());
    }
    held.pages = pagesOf(open.place.store.folder, asOnPages(held.person.words));
    return held;
}

Result<record::Forgotten> forget(OpenClass& open, const HeldOf& held)
{
    std::error_code ec;
    // Before the rows: without those nobody could say any more whose these were.
    for (const fs::path& page : held.pages)
        if (!fs::remove(page, ec) && ec)
            return record::fileError(ec, page, "The page cannot be removed");
    fs::remove_all(runMemoryOf(open.place), ec);
    if (ec)
        return record::fileError(ec, runMemoryOf(open.place), "What re-checks have run cannot be removed");
    return open.school->forget(held.person);
}

Result<int> exportLearner(OpenClass& open, const HeldOf& held, const fs::path& folder)
{
    std::error_code ec;
    if (fs::exists(folder, ec) && !fs::is_empty(folder, ec))
        return Error{"cannot-write", "There is something in this folder already", folder.string(),
                     "Name a new or an empty one"};
    const auto all = open.school->everythingOf(held.person);
    if (!all)
        return all.error();
    Json document{{"format", "ridgepoint-class-learner"},
                  {"version", 1},
                  {"class", open.place.title},
                  {"learner", held.person.learner},
                  {"name", held.person.name},
                  {"exported_at", record::timeStamp().toStdString()},
                  {"tables", **all}};
    document["tables"].erase("files");
    std::map<std::string, std::string> files{{"README.txt", kReadme}, {"learner.json", document.dump(1) + '\n'}};
    const record::ContentFiles contents = record::contentFiles(open.place.store.folder);
    for (const Json& sha256 : (**all)["files"])
        if (auto bytes = contents.get(sha256.get<std::string>()); bytes)
            files["files/" + sha256.get<std::string>()] = std::move(*bytes);
        else if (bytes.error().code != "file-missing") // the learner may have kept its bytes
            return bytes.error();
    for (const fs::path& page : held.pages)
        if (auto text = readFile(page))
            files["feedback/" + page.parent_path().filename().string() + "/" + page.filename().string()] =
                std::move(*text);
    std::string sums;
    for (const auto& [name, bytes] : files)
        sums += sha256Hex(bytes) + "  " + name + '\n';
    files["SHA256SUMS"] = sums;
    for (const auto& [name, bytes] : files) {
        const fs::path file = folder / name;
        if (auto made = record::makeFolder(file.parent_path()); !made)
            return made.error();
        if (auto written = writeFile(file, bytes); !written)
            return written.error();
    }
    return static_cast<int>(files.size());
}

} // namespace ridge::classroom
