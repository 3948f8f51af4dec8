// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge import`
#include "cli/commands.h"

#include "base/paths.h"
#include "base/units.h"
#include "evidence/import_artifact.h"

#include <cstdio>

namespace ridge::cli {

namespace {

constexpr std::size_t kShownFigures = 12;

void print(const record::ArtifactRow& row)
{
    std::printf("%s\n", plain(row.title).c_str());
    std::vector<std::vector<std::string>> lines;
    for (const Json& figure : *row.figures) {
        if (lines.size() == kShownFigures)
            break;
        lines.push_back({figure.value("of", ""), figure["name"],
                         formatQuantity(figure["value"], std::string(figure["unit"])),
                         figure.contains("line") ? "line " + std::to_string(figure["line"].get<int>()) : ""});
    }
    std::printf("%s", table({"OF", "FIGURE", "RECORDED", "READ FROM"}, lines).c_str());
    if (row.figures->size() > lines.size())
        std::printf("… %zu figures in all\n", row.figures->size());
    std::printf("%s\nartifact %s, with the file in the record\n", plain(row.sections.at("method")).c_str(),
                row.id.c_str());
}

Json toJson(const record::ArtifactRow& row)
{
    return Json{{"id", row.id},
                {"kind", row.kind},
                {"title", row.title},
                {"level", row.level},
                {"provenance", toText(row.provenance)},
                {"figures", *row.figures},
                {"machine", (*row.fingerprint)["imported"]},
                {"file", {{"name", row.files.front().name}, {"sha256", row.files.front().sha256}}}};
}

/// "assets:…" is a file that comes with the program, as for file parameters.
Result<std::filesystem::path> fileOf(const std::string& name)
{
    constexpr std::string_view shipped = "assets:";
    if (!name.starts_with(shipped))
        return std::filesystem::path(name);
    const auto data = dataFolder();
    if (!data)
        return data.error();
    return *data / "assets" / name.substr(shipped.size());
}

} // namespace

int importCommand(const ImportFileOptions& options)
{
    const auto store = record::Store::open(homeFolder());
    if (!store)
        return report(store.error());
    const auto file = fileOf(options.file);
    if (!file)
        return report(file.error());
    const auto row =
        app::importArtifact(**store, *file, {options.format, options.title, options.question, options.lesson});
    if (!row)
        return report(row.error());
    if (options.json)
        printJson(toJson(*row));
    else
        print(*row);
    return Done;
}

} // namespace ridge::cli
