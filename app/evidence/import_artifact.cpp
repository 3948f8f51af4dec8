// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/evidence/import_artifact.h"

#include "base/json.h"

namespace ridge::app {

namespace {

std::string formatTitle(const std::string& id)
{
    for (const imports::FormatInfo& format : imports::formats())
        if (format.id == id)
            return format.title;
    return id;
}

std::string method(const imports::Imported& imported, const std::string& name)
{
    std::string text = "Read from " + name + " (" + formatTitle(imported.format) +
                       "), measured elsewhere: this program has not seen the run.";
    for (const std::string& note : imported.notes)
        text += " " + note;
    return text;
}

Json figuresOf(const imports::Imported& imported, const std::string& name)
{
    Json list = Json::array();
    for (const imports::Figure& figure : imported.figures) {
        Json one{{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}, {"source", name}};
        if (!figure.of.empty())
            one["of"] = figure.of;
        if (figure.line > 0)
            one["line"] = figure.line;
        list.push_back(std::move(one));
    }
    return list;
}

} // namespace

Result<record::ArtifactRow> importedArtifact(record::Store& store, const imports::Imported& imported, std::string bytes,
                                             const std::string& name, const ImportOptions& options)
{
    const auto file = store.putFile(std::move(bytes)).result();
    if (!file)
        return file.error();
    record::ArtifactRow row;
    row.lesson = options.lesson;
    row.kind = imported.kind;
    row.title = options.title.empty() ? imported.title : options.title;
    row.question = options.question;
    row.level = 1;
    row.provenance = Provenance::Recorded;
    row.trust = "T0";
    row.sections["method"] = method(imported, name);
    *row.figures = figuresOf(imported, name);
    row.files.push_back({name, *file});
    Json machine = Json::object();
    for (const auto& [key, value] : imported.machine)
        machine[key] = machine.contains(key) ? machine[key].get<std::string>() + ", " + value : value;
    *row.fingerprint = Json{{"imported", machine}};
    return row;
}

Result<record::ArtifactRow> importArtifact(record::Store& store, const std::filesystem::path& file,
                                           const ImportOptions& options)
{
    auto bytes = readFile(file);
    if (!bytes)
        return bytes.error();
    const std::string name = file.filename().string();
    const auto imported = imports::importFile(*bytes, name, options.format);
    if (!imported)
        return imported.error();
    auto row = importedArtifact(store, *imported, std::move(*bytes), name, options);
    if (!row)
        return row;
    const auto id = store.append(*row).result();
    if (!id)
        return id.error();
    row->id = row->artifactId = *id;
    return row;
}

} // namespace ridge::app
