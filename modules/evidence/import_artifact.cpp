// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/import_artifact.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/plain_file.h"

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

record::ArtifactRow artifactOf(const imports::Imported& imported, const std::string& sha256, const std::string& name,
                               const ImportOptions& options)
{
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
    row.files.push_back({name, sha256});
    Json machine = Json::object();
    for (const auto& [key, value] : imported.machine)
        machine[key] = machine.contains(key) ? machine[key].get<std::string>() + ", " + value : value;
    *row.fingerprint = Json{{"imported", machine}, {"format", imported.format}};
    return row;
}

/// A file that grows while it is read stops at the bound like any other.
Result<std::string> readPieces(const std::filesystem::path& file, const Stopped& stopped)
{
    constexpr std::size_t kPiece = std::size_t(4) << 20;
    const auto tooLarge = [&] {
        return Error{"too-large",
                     "The file has more than the " + std::to_string(imports::kLongestImport >> 20) +
                         " MiB that are read",
                     file.filename().string(), "Export fewer kernels or a shorter time"};
    };
    auto opened = PlainFile::open(file);
    if (!opened)
        return opened.error();
    if (opened->size() > imports::kLongestImport)
        return tooLarge();
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(opened->size()));
    for (std::size_t got = kPiece; got > 0;) {
        if (stopped && stopped())
            return Error{"stopped", "Reading was stopped", file.filename().string(), ""};
        const std::size_t before = bytes.size();
        bytes.resize(before + kPiece);
        const auto read = opened->read(bytes.data() + before, kPiece);
        if (!read)
            return read.error();
        got = *read;
        bytes.resize(before + got);
        if (bytes.size() > imports::kLongestImport)
            return tooLarge();
    }
    return bytes;
}

} // namespace

Result<ReadImport> readImport(const std::filesystem::path& file, const ImportOptions& options, const Stopped& stopped)
{
    auto bytes = readPieces(file, stopped);
    if (!bytes)
        return bytes.error();
    const std::string name = file.filename().string();
    const auto imported = imports::importFile(*bytes, name, options.format);
    if (!imported)
        return imported.error();
    ReadImport read{artifactOf(*imported, sha256Hex(*bytes), name, options), {}};
    read.bytes = std::move(*bytes);
    return read;
}

Result<record::ArtifactRow> importArtifact(record::Store& store, const std::filesystem::path& file,
                                           const ImportOptions& options)
{
    auto read = readImport(file, options);
    if (!read)
        return read.error();
    if (const auto stored = store.putFile(std::move(read->bytes)).result(); !stored)
        return stored.error();
    const auto id = store.append(read->row).result();
    if (!id)
        return id.error();
    read->row.id = read->row.artifactId = *id;
    return std::move(read->row);
}

} // namespace ridge::app
