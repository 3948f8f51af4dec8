// SPDX-License-Identifier: GPL-3.0-or-later
#include "bundle/archive.h"

#include "bundle/zip_directory.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <map>
#include <memory>

namespace ridge::bundle {

namespace {

using Reader = std::unique_ptr<archive, int (*)(archive*)>;
using Header = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;

std::string saysWhy(archive* from)
{
    const char* said = archive_error_string(from);
    if (said == nullptr)
        return {};
    std::string text = said;
    while (text.ends_with('\n')) // some of the library's texts end with one
        text.pop_back();
    return " (" + text + ")";
}

la_ssize_t append(archive*, void* to, const void* from, std::size_t size)
{
    static_cast<std::string*>(to)->append(static_cast<const char*>(from), size);
    return static_cast<la_ssize_t>(size);
}

/// One entry's bytes, no more than the directory promised.
Result<std::string> unpack(archive* from, const ZipRecord& record, const std::string& place)
{
    std::string bytes;
    std::array<char, 1 << 16> block{};
    for (;;) {
        const la_ssize_t got = archive_read_data(from, block.data(), block.size());
        if (got < 0)
            return brokenArchive("The entry cannot be unpacked" + saysWhy(from), place);
        if (got == 0)
            break;
        if (bytes.size() + static_cast<std::size_t>(got) > record.unpacked)
            return brokenArchive(
                "The entry unpacks to more than the " + std::to_string(record.unpacked) + " bytes it declares", place);
        bytes.append(block.data(), static_cast<std::size_t>(got));
    }
    if (bytes.size() != record.unpacked)
        return brokenArchive("The entry unpacks to " + std::to_string(bytes.size()) + " bytes and declares " +
                                 std::to_string(record.unpacked),
                             place);
    return bytes;
}

bool isDevice(std::string_view part)
{
    // Windows opens a device for these names, whatever follows the first dot.
    std::string stem(part.substr(0, part.find('.')));
    std::ranges::transform(stem, stem.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    if (stem == "CON" || stem == "PRN" || stem == "AUX" || stem == "NUL")
        return true;
    return stem.size() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")) && stem[3] >= '0' && stem[3] <= '9';
}

} // namespace

const char* badName(std::string_view name)
{
    if (name.empty())
        return "is empty";
    if (name.front() == '/')
        return "is an absolute path";
    if (name.find('\0') != std::string_view::npos)
        return "holds a NUL character";
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && std::string_view("/._-+ ()").find(c) == std::string_view::npos)
            return "holds a character that is not a letter, a digit or one of . _ - + ( ) and the space";
    }
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t slash = std::min(name.find('/', at), name.size());
        const std::string_view part = name.substr(at, slash - at);
        if (part == "..")
            return "leads out of the archive with “..”";
        if (part.empty() || part == ".")
            return "has an empty part or a lone dot";
        if (part.back() == '.' || part.back() == ' ' || part.front() == ' ')
            return "has a part that begins or ends with a space or ends with a dot";
        if (isDevice(part))
            return "is that of a device on Windows";
        at = slash + 1;
    }
    return nullptr;
}

const Entry* findEntry(const std::vector<Entry>& entries, std::string_view name)
{
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found == entries.end() ? nullptr : &*found;
}

Result<std::vector<Entry>> readArchive(std::string_view bytes, const ArchiveLimits& limits, const std::string& file)
{
    auto records = readZipDirectory(bytes, limits, file);
    if (!records)
        return records.error();
    if (records->empty())
        return std::vector<Entry>{};
    std::map<std::string, const ZipRecord*> expected;
    for (const ZipRecord& record : *records)
        expected.emplace(record.name, &record);

    const Reader reader(archive_read_new(), archive_read_free);
    if (!reader || archive_read_support_format_zip_seekable(reader.get()) != ARCHIVE_OK ||
        archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK)
        return brokenArchive("This is not a zip file" + (reader ? saysWhy(reader.get()) : std::string()), file);
    std::vector<Entry> entries;
    for (;;) {
        archive_entry* header = nullptr;
        const int status = archive_read_next_header(reader.get(), &header);
        if (status == ARCHIVE_EOF)
            break;
        if (status != ARCHIVE_OK)
            return brokenArchive("The zip cannot be read" + saysWhy(reader.get()), file);
        const char* given = archive_entry_pathname(header);
        const std::string name = given ? given : "";
        const std::string place = placeOf(file, name);
        const auto found = expected.find(name);
        if (found == expected.end())
            return brokenArchive("The entry has a second name besides that in the directory", place);
        if (archive_entry_filetype(header) != AE_IFREG || archive_entry_hardlink(header) ||
            archive_entry_symlink(header))
            return Error{"archive-link", "The entry is a link, a folder or a device and not a file", place,
                         "Ask for the file as Ridgepoint wrote it, not packed again"};
        auto content = unpack(reader.get(), *found->second, place);
        if (!content)
            return content.error();
        entries.push_back({name, std::move(*content)});
        expected.erase(found);
    }
    if (!expected.empty())
        return brokenArchive("The entry cannot be found in the zip", placeOf(file, expected.begin()->first));
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
}

Result<std::string> writeArchive(std::vector<Entry> entries)
{
    std::ranges::sort(entries, {}, &Entry::name);
    std::string bytes;
    const Reader writer(archive_write_new(), archive_write_free);
    const auto failed = [&](const std::string& place) {
        return brokenArchive("The archive cannot be written" + (writer ? saysWhy(writer.get()) : std::string()), place);
    };
    if (!writer || archive_write_set_format_zip(writer.get()) != ARCHIVE_OK ||
        archive_write_zip_set_compression_deflate(writer.get()) != ARCHIVE_OK ||
        // One byte a block: no padding behind the zip's end.
        archive_write_set_bytes_in_last_block(writer.get(), 1) != ARCHIVE_OK ||
        archive_write_open(writer.get(), &bytes, nullptr, append, nullptr) != ARCHIVE_OK)
        return failed({});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        if (const char* bad = badName(entry.name))
            return Error{"archive-name", std::string("The entry's name ") + bad, "entry " + entry.name,
                         "Give it another name"};
        if (i > 0 && entries[i - 1].name == entry.name)
            return Error{"archive-double", "The archive has this name twice", "entry " + entry.name,
                         "Leave one of them out"};
        // Without a time the header carries 1980-01-01 in every time zone.
        const Header header(archive_entry_new(), archive_entry_free);
        archive_entry_set_pathname(header.get(), entry.name.c_str());
        archive_entry_set_filetype(header.get(), AE_IFREG);
        archive_entry_set_perm(header.get(), 0644);
        archive_entry_set_size(header.get(), static_cast<la_int64_t>(entry.bytes.size()));
        if (archive_write_header(writer.get(), header.get()) != ARCHIVE_OK ||
            archive_write_data(writer.get(), entry.bytes.data(), entry.bytes.size()) !=
                static_cast<la_ssize_t>(entry.bytes.size()))
            return failed("entry " + entry.name);
    }
    if (archive_write_close(writer.get()) != ARCHIVE_OK)
        return failed({});
    return bytes;
}

} // namespace ridge::bundle
