// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Zips that no honest program writes: every field of a header can be set to something else than the truth.
namespace ridge::test {

inline std::uint32_t crc32(const std::string& bytes)
{
    std::uint32_t crc = ~0u;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

struct ForgedEntry {
    std::string name, bytes;
    std::uint32_t mode = 0100644; ///< Unix file type and permissions
    std::uint32_t flags = 0, method = 0;
    std::string localName = {};    ///< empty: name
    std::int64_t unpacked = -1;    ///< declared; -1: the truth
    std::int64_t crc = -1;         ///< -1: the truth
    std::string extra = {};        ///< extra fields, as bytes
    std::int64_t localOffset = -1; ///< where the directory says the entry lies; -1: the truth
};

inline void put(std::string& to, std::uint64_t value, int size)
{
    for (int i = 0; i < size; ++i)
        to += static_cast<char>(value >> (8 * i) & 0xff);
}

/// `count` < 0: the true number of entries.
inline std::string forgeZip(const std::vector<ForgedEntry>& entries, int count = -1, const std::string& gap = {})
{
    std::string zip, directory;
    for (const ForgedEntry& entry : entries) {
        const std::string& local = entry.localName.empty() ? entry.name : entry.localName;
        const auto offset = static_cast<std::uint64_t>(entry.localOffset < 0 ? static_cast<std::int64_t>(zip.size())
                                                                             : entry.localOffset);
        const auto crc = static_cast<std::uint64_t>(entry.crc < 0 ? crc32(entry.bytes) : entry.crc);
        const auto unpacked = static_cast<std::uint64_t>(
            entry.unpacked < 0 ? static_cast<std::int64_t>(entry.bytes.size()) : entry.unpacked);
        const auto common = [&](std::string& to) {
            put(to, 20, 2);
            put(to, entry.flags, 2);
            put(to, entry.method, 2);
            put(to, 0x00210000, 4);
            put(to, crc, 4);
            put(to, entry.bytes.size(), 4);
            put(to, unpacked, 4);
        };
        put(zip, 0x04034b50, 4);
        common(zip);
        put(zip, local.size(), 2);
        put(zip, entry.extra.size(), 2);
        zip += local + entry.extra + entry.bytes + gap;
        put(directory, 0x02014b50, 4);
        put(directory, 3 << 8 | 20, 2); // made on Unix
        common(directory);
        put(directory, entry.name.size(), 2);
        put(directory, entry.extra.size(), 2);
        put(directory, 0, 6); // comment, disk, internal attributes
        put(directory, static_cast<std::uint64_t>(entry.mode) << 16, 4);
        put(directory, offset, 4);
        directory += entry.name + entry.extra;
    }
    const auto total = static_cast<std::uint64_t>(count < 0 ? static_cast<int>(entries.size()) : count);
    const std::size_t start = zip.size();
    zip += directory;
    put(zip, 0x06054b50, 4);
    put(zip, 0, 4);
    put(zip, total, 2);
    put(zip, total, 2);
    put(zip, directory.size(), 4);
    put(zip, start, 4);
    put(zip, 0, 2);
    return zip;
}

} // namespace ridge::test
