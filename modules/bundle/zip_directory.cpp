// SPDX-License-Identifier: GPL-3.0-or-later
#include "bundle/zip_directory.h"

#include <algorithm>
#include <map>
#include <set>

namespace ridge::bundle {

namespace {

constexpr std::size_t kEndBytes = 22, kRecordBytes = 46, kLocalBytes = 30;
constexpr std::uint32_t kEndMark = 0x06054b50, kRecordMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr unsigned kEncrypted = 1u << 0, kPatched = 1u << 5, kStrongEncryption = 1u << 6, kHiddenHeader = 1u << 13;
constexpr unsigned kStored = 0, kDeflated = 8;
constexpr std::uint64_t kSmall = 1u << 20; ///< a ratio means nothing below this

/// Little-endian fields; the caller has checked that they are there.
std::uint32_t read(std::string_view bytes, std::size_t at, std::size_t size)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}
std::uint32_t u16(std::string_view bytes, std::size_t at)
{
    return read(bytes, at, 2);
}
std::uint32_t u32(std::string_view bytes, std::size_t at)
{
    return read(bytes, at, 4);
}

std::string lower(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

/// A name as a message may carry it: bytes that a terminal would obey are shown as what they are.
std::string shown(std::string_view name)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : name.substr(0, 200)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f)
            out += c;
        else
            out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
    return out + (name.size() > 200 ? "…" : "");
}

struct Raw {
    std::string_view name;
    std::uint32_t flags = 0, method = 0, packed = 0, unpacked = 0, madeBy = 0, attributes = 0, offset = 0;
};

Result<void> checkKind(const Raw& raw, const std::string& place)
{
    if (raw.flags & (kEncrypted | kStrongEncryption | kHiddenHeader))
        return Error{"archive-encrypted", "The entry is encrypted with a password", place,
                     "Hand in the file as Ridgepoint wrote it; it is sealed to the teacher's key already"};
    constexpr std::uint32_t kUnix = 3, kTypeMask = 0170000, kRegular = 0100000, kNoType = 0;
    const std::uint32_t type = (raw.attributes >> 16) & kTypeMask;
    const bool unixKind = raw.madeBy == kUnix && type != kRegular && type != kNoType;
    constexpr std::uint32_t kFolderOrVolume = 0x10 | 0x08; // MS-DOS attributes
    if (unixKind || (raw.attributes & kFolderOrVolume) || raw.name.ends_with('/'))
        return Error{"archive-link", "The entry is a link, a folder or a device and not a file", place,
                     "Ask for the file as Ridgepoint wrote it, not packed again"};
    if ((raw.method != kStored && raw.method != kDeflated) || (raw.flags & kPatched))
        return brokenArchive("The entry is packed in a way that bundles do not use", place);
    if (raw.method == kStored && raw.packed != raw.unpacked)
        return brokenArchive("The entry declares two sizes", place);
    return {};
}

Result<void> checkSizes(const Raw& raw, const ArchiveLimits& limits, const std::string& place)
{
    if (raw.unpacked > limits.entryBytes)
        return tooLarge("The entry would unpack to " + std::to_string(raw.unpacked) + " bytes, at most " +
                            std::to_string(limits.entryBytes) + " are taken",
                        place);
    if (raw.unpacked > kSmall && raw.unpacked / std::max<std::uint64_t>(raw.packed, 1) > limits.ratio)
        return tooLarge("The entry would unpack to more than " + std::to_string(limits.ratio) + " times its size",
                        place);
    return {};
}

/// The local header in front of the data must say what the directory says. Gives where the packed data end.
Result<std::uint64_t> checkLocal(std::string_view bytes, const Raw& raw, std::uint64_t directory,
                                 const std::string& place)
{
    const std::uint64_t at = raw.offset;
    if (at + kLocalBytes > directory || u32(bytes, at) != kLocalMark)
        return brokenArchive("The entry is not where the directory says", place);
    const std::uint64_t name = u16(bytes, at + 26), extra = u16(bytes, at + 28);
    const std::uint64_t end = at + kLocalBytes + name + extra + raw.packed;
    if (end > directory)
        return brokenArchive("The entry ends inside the directory", place);
    if (bytes.substr(at + kLocalBytes, name) != raw.name)
        return brokenArchive("The entry has another name in front of its data than in the directory", place);
    const std::uint32_t flags = u16(bytes, at + 6), method = u16(bytes, at + 8);
    constexpr std::uint32_t kSizesFollow = 1u << 3;
    const bool sameSizes = u32(bytes, at + 18) == raw.packed && u32(bytes, at + 22) == raw.unpacked;
    if (flags != raw.flags || method != raw.method || (!sameSizes && !(flags & kSizesFollow)))
        return brokenArchive("The entry says something else in front of its data than in the directory", place);
    return end;
}

} // namespace

std::string placeOf(const std::string& file, const std::string& entry)
{
    return file + ", entry " + shown(entry);
}

Error brokenArchive(const std::string& what, const std::string& place)
{
    return {"archive-broken", what, place, "Ask for the file again, as Ridgepoint wrote it"};
}

Error tooLarge(const std::string& what, const std::string& place)
{
    return {"archive-large", what, place, "An honest bundle stays far below this: ask its sender what the file is"};
}

Result<std::vector<ZipRecord>> readZipDirectory(std::string_view bytes, const ArchiveLimits& limits,
                                                const std::string& file)
{
    if (bytes.size() > limits.archiveBytes)
        return tooLarge("The file has " + std::to_string(bytes.size()) + " bytes, at most " +
                            std::to_string(limits.archiveBytes) + " are taken",
                        file);
    if (bytes.size() < kEndBytes || u32(bytes, bytes.size() - kEndBytes) != kEndMark)
        return brokenArchive("This is not a whole zip file: it does not end with a zip's directory", file);
    const std::size_t end = bytes.size() - kEndBytes;
    const std::size_t count = u16(bytes, end + 10);
    const std::uint64_t size = u32(bytes, end + 12), start = u32(bytes, end + 16);
    if (u16(bytes, end + 4) != 0 || u16(bytes, end + 6) != 0 || u16(bytes, end + 8) != count ||
        u16(bytes, end + 20) != 0 || start + size != end)
        return brokenArchive("The directory of the zip contradicts itself", file);
    if (count > limits.entries)
        return tooLarge("It has " + std::to_string(count) + " entries, at most " + std::to_string(limits.entries) +
                            " are taken",
                        file);

    std::vector<ZipRecord> records;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    std::set<std::string> names, folders;
    std::uint64_t total = 0;
    std::size_t at = start;
    for (std::size_t i = 0; i < count; ++i) {
        if (at + kRecordBytes > end || u32(bytes, at) != kRecordMark)
            return brokenArchive("The directory of the zip is cut off or has no such entry: " + std::to_string(i + 1),
                                 file);
        const std::size_t name = u16(bytes, at + 28);
        const std::size_t rest = name + u16(bytes, at + 30) + u16(bytes, at + 32);
        if (at + kRecordBytes + rest > end)
            return brokenArchive("The directory of the zip is cut off", file);
        const Raw raw{bytes.substr(at + kRecordBytes, name),
                      u16(bytes, at + 8),
                      u16(bytes, at + 10),
                      u32(bytes, at + 20),
                      u32(bytes, at + 24),
                      u16(bytes, at + 4) >> 8,
                      u32(bytes, at + 38),
                      u32(bytes, at + 42)};
        at += kRecordBytes + rest;
        const std::string place = placeOf(file, std::string(raw.name));
        if (name > limits.nameBytes)
            return tooLarge("The entry's name has " + std::to_string(name) + " bytes, at most " +
                                std::to_string(limits.nameBytes) + " are taken",
                            place);
        if (auto kind = checkKind(raw, place); !kind)
            return kind.error();
        if (const char* bad = badName(raw.name))
            return Error{"archive-name", std::string("The entry's name ") + bad, place,
                         "Ask for the file as Ridgepoint wrote it; nothing was unpacked"};
        if (auto sizes = checkSizes(raw, limits, place); !sizes)
            return sizes.error();
        if (!names.insert(lower(std::string(raw.name))).second)
            return Error{"archive-double", "The archive has this name twice", place,
                         "Ask for the file as Ridgepoint wrote it; nothing was unpacked"};
        for (std::size_t slash = raw.name.find('/'); slash != std::string_view::npos;
             slash = raw.name.find('/', slash + 1))
            folders.insert(lower(std::string(raw.name.substr(0, slash))));
        total += raw.unpacked;
        auto local = checkLocal(bytes, raw, start, place);
        if (!local)
            return local.error();
        spans.emplace_back(raw.offset, *local);
        records.push_back({std::string(raw.name), raw.packed, raw.unpacked});
    }
    if (at != end)
        return brokenArchive("There is something between the directory of the zip and its end", file);
    for (const ZipRecord& record : records)
        if (folders.contains(lower(record.name)))
            return Error{"archive-double", "The archive has this name as a file and as a folder",
                         placeOf(file, record.name), "Ask for the file as Ridgepoint wrote it; nothing was unpacked"};
    if (total > limits.totalBytes)
        return tooLarge("It would unpack to " + std::to_string(total) + " bytes, at most " +
                            std::to_string(limits.totalBytes) + " are taken",
                        file);
    if (total > kSmall && total / bytes.size() > limits.ratio)
        return tooLarge("It would unpack to more than " + std::to_string(limits.ratio) + " times its size", file);

    // Behind an entry whose sizes follow its data stands a descriptor of at most 24 bytes; nothing else has a place.
    constexpr std::uint64_t kDescriptor = 24;
    std::ranges::sort(spans);
    std::uint64_t reached = 0;
    for (std::size_t i = 0; i <= spans.size(); ++i) {
        const std::uint64_t next = i < spans.size() ? spans[i].first : start;
        if (next < reached || next - reached > (i == 0 ? 0 : kDescriptor))
            return brokenArchive("Entries overlap, or there are bytes between them that belong to none", file);
        if (i < spans.size())
            reached = spans[i].second;
    }
    return records;
}

} // namespace ridge::bundle
