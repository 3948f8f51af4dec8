// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/evidence/import_artifact.h"

#include "base/hash.h"
#include "base/json.h"

#include <cerrno>
#include <cstring>
#include <fstream>

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
    *row.fingerprint = Json{{"imported", machine}};
    return row;
}

/// A file that grows while it is read, or that has no end, stops at the bound like any other.
Result<std::string> readPieces(const std::filesystem::path& file, const Stopped& stopped)
{
    constexpr std::size_t kPiece = std::size_t(4) << 20;
    const auto tooLarge = [&] {
        return Error{"too-large",
                     "The file has more than the " + std::to_string(imports::kLongestImport >> 20) +
                         " MiB that are read",
                     file.filename().string(), "Export fewer kernels or a shorter time"};
    };
    std::error_code ec;
    if (std::filesystem::is_directory(file, ec))
        return Error{"cannot-read", "is a folder, not a file", file.string(), "name a file"};
    const auto size = std::filesystem::file_size(file, ec);
    if (!ec && size > imports::kLongestImport)
        return tooLarge();
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return Error{"cannot-read", std::string("cannot be read: ") + std::strerror(errno), file.string(),
                     "check that the file is there and that you may read it"};
    std::string bytes;
    bytes.reserve(ec ? 0 : size);
    while (in) {
        if (stopped && stopped())
            return Error{"stopped", "Reading was stopped", file.filename().string(), ""};
        const std::size_t before = bytes.size();
        bytes.resize(before + kPiece);
        in.read(bytes.data() + before, std::streamsize(kPiece));
        bytes.resize(before + static_cast<std::size_t>(in.gcount()));
        if (bytes.size() > imports::kLongestImport)
            return tooLarge();
    }
    if (in.bad())
        return Error{"cannot-read", "reading stopped in the middle", file.string(), "check the disk"};
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
