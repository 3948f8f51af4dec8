// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/artifact_export.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/artifact_documents.h"

#include <algorithm>

namespace ridge::record {
namespace {

/// Rows may come from a stranger's store: a name that would leave the folder, or that is no name, gives way to another.
std::string insideName(const std::string& name, const std::string& otherwise)
{
    const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
    bool inside = path.is_relative() && path.has_filename() && name.find('\0') == std::string::npos &&
                  name.find('\\') == std::string::npos;
    for (const auto& part : path)
        inside = inside && part != ".." && part != ".";
    return inside ? path.generic_string() : otherwise;
}

/// Letters and digits of a text in lower case, with a hyphen for whatever stands between them; dots stay where `dots`.
std::string slugOf(const std::string& text, bool dots)
{
    std::string slug;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) || (dots && c == '.' && !slug.empty()))
            slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    while (!slug.empty() && slug.back() == '-')
        slug.pop_back();
    return slug;
}

/// Those rows whose key is asked for, in the order of the asking.
template<class Row>
std::vector<Row> chosen(std::vector<Row> rows, const std::vector<std::string>& keys, std::string Row::*key)
{
    std::vector<Row> found;
    for (const std::string& wanted : keys) {
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.*key == wanted; });
        if (at != rows.end())
            found.push_back(*at);
    }
    return found;
}

Error cannotWrite(const std::filesystem::path& path, const std::string& why)
{
    return {"cannot-write", why, path.string(), "name a new folder in a place where you may write"};
}

} // namespace

std::string exportFolderName(const ArtifactRow& artifact)
{
    const std::string lesson = slugOf(artifact.lesson, true);
    // The end of a UUIDv7 is its random part: two artifacts of one title stay apart.
    return lesson + (lesson.empty() ? "" : "-") + slugOf(artifact.title, false).substr(0, 48) + "-" +
           slugOf(artifact.id.substr(artifact.id.size() - std::min<std::size_t>(6, artifact.id.size())), false);
}

Result<ArtifactContents> artifactContents(const Store& store, const std::string& artifactId)
{
    const auto found = store.artifact(artifactId);
    if (!found)
        return found.error();
    ArtifactContents contents{*found, {}, {}, {}, {}, {}};
    if (!found->runIds.empty()) {
        RunFilter filter;
        filter.ids = found->runIds;
        auto runs = store.runs(filter);
        if (!runs)
            return runs.error();
        contents.runs = std::move(*runs);
        std::sort(contents.runs.begin(), contents.runs.end(),
                  [](const RunRow& a, const RunRow& b) { return a.id < b.id; });
    }
    auto predictions = store.predictions(found->lesson);
    if (!predictions)
        return predictions.error();
    contents.predictions = chosen(std::move(*predictions), found->predictionIds, &PredictionRow::id);
    auto journal = store.journal();
    if (!journal)
        return journal.error();
    contents.journal = chosen(std::move(*journal), found->journalIds, &JournalRow::entryId);
    // Without a lesson there is no margin to have notes in: asking for "" would give those of all lessons.
    if (!found->lesson.empty()) {
        auto notes = store.notes(found->lesson);
        if (!notes)
            return notes.error();
        contents.notes = std::move(*notes);
    }
    return contents;
}

Result<std::filesystem::path> exportArtifact(const Store& store, const std::string& artifactId,
                                             const std::filesystem::path& folder, const ExportExtras& extras)
{
    auto contents = artifactContents(store, artifactId);
    if (!contents)
        return contents.error();
    std::vector<ReproductionRow> none; // a folder has no word of them
    contents->held = withhold(extras.held, contents->artifact, contents->runs, none);
    const ArtifactRow& artifact = contents->artifact;
    std::vector<ExtraFile> files = {{"README.md", readmeText(*contents, extras)},
                                    {"artifact.json", artifactJson(*contents).dump(2) + "\n"},
                                    {"runs.csv", runsCsv(contents->runs)}};
    if (artifact.figures->is_array() && !artifact.figures->empty())
        files.push_back({"figures.csv", figuresCsv(*artifact.figures)});
    for (const auto& [list, below] : {std::pair(&artifact.code, "code/"), std::pair(&artifact.files, "files/")}) {
        for (const ArtifactCode& file : *list) {
            auto bytes = store.file(file.sha256);
            if (!bytes)
                return bytes.error();
            files.push_back({below + insideName(file.name, file.sha256), std::move(*bytes)});
        }
    }
    for (const RunRow& run : contents->runs) {
        if (run.traceSha256.empty())
            continue;
        auto bytes = store.file(run.traceSha256);
        if (!bytes)
            return bytes.error();
        files.push_back({"traces/" + insideName(run.id, run.traceSha256) + ".rtrc", std::move(*bytes)});
    }
    files.insert(files.end(), extras.files.begin(), extras.files.end());

    std::error_code ec;
    if (std::filesystem::exists(folder, ec) && !std::filesystem::is_empty(folder, ec))
        return cannotWrite(folder, "exists and is not an empty folder");
    std::string sums;
    for (const ExtraFile& file : files) {
        const auto path = folder / file.name;
        std::filesystem::create_directories(path.parent_path(), ec);
        if (ec)
            return cannotWrite(path.parent_path(), "cannot be made: " + ec.message());
        if (auto written = writeFile(path, file.bytes); !written)
            return written.error();
        sums += sha256Hex(file.bytes) + "  " + file.name + "\n";
    }
    if (auto written = writeFile(folder / "SHA256SUMS", sums); !written)
        return written.error();
    return folder;
}

} // namespace ridge::record
