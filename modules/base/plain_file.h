// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <limits>

namespace ridge {

/// A file that is open for reading and has an end: a plain one, also where a link leads to it. A pipe would keep its
/// reader waiting for whoever writes into it, a device gives bytes for ever; neither is opened. For all that people
/// name or put into folders.
class PlainFile {
public:
    /// Errors: "cannot-read": not there, not permitted, a folder, or no plain file.
    static Result<PlainFile> open(const std::filesystem::path& path);
    PlainFile(PlainFile&& other) noexcept;
    PlainFile& operator=(PlainFile&& other) noexcept;
    PlainFile(const PlainFile&) = delete;
    PlainFile& operator=(const PlainFile&) = delete;
    ~PlainFile();

    std::uint64_t size() const { return m_size; } ///< when it was opened; 0 for files of /proc
    /// The next bytes, at most `most`; 0 at the end. Error: "cannot-read".
    Result<std::size_t> read(char* into, std::size_t most);

private:
    PlainFile(int descriptor, std::uint64_t size, std::filesystem::path path);
    int m_descriptor = -1;
    std::uint64_t m_size = 0;
    std::filesystem::path m_path; ///< for messages
};

/// Whether writeFile of json.h would find a place for this file, asked before something is made that it is to hold.
/// Error: "cannot-write": a folder has that name, or there is none to put it into that may be written.
Result<void> canWrite(const std::filesystem::path& path);

inline constexpr std::uint64_t kAnyLength = std::numeric_limits<std::uint64_t>::max();

/// The whole of a plain file as bytes; readFile of json.h has no bound. Errors: those of PlainFile; "too-large" where
/// it has more than `most` bytes, of which then none were read, or only these where it grew meanwhile.
Result<std::string> readFile(const std::filesystem::path& path, std::uint64_t most);

/// SHA-256 of a plain file as 64 lower-case hex digits, read in pieces: a trace may be larger than memory has room for.
/// Errors: those of PlainFile.
Result<std::string> sha256OfFile(const std::filesystem::path& path);

} // namespace ridge
