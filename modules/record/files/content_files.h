// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>
#include <filesystem>

namespace ridge::record {

/// 64 lower-case hex digits.
bool isSha256(std::string_view name);

/// The beginning of a stored file.
struct FileHead {
    std::string bytes;
    std::uintmax_t size = 0; ///< of the whole file
};

/// Large bytes beside the database, each named by its own SHA-256: files/ab/cdef…. Files are written once, whole, and
/// synced before the row that names them is committed, so no durable row can name a file that a power cut took away.
class ContentFiles {
public:
    explicit ContentFiles(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// Gives the SHA-256. Bytes that are there already are not written again; a damaged copy of them is replaced.
    /// Errors: "disk-full", "store-readonly".
    Result<std::string> put(std::string_view bytes) const;
    /// Errors: "file-missing", "file-damaged" (its content has another SHA-256), "bad-name".
    Result<std::string> get(const std::string& sha256) const;
    /// The same for a file of a stranger's: not read where it has another size.
    Result<std::string> get(const std::string& sha256, std::uintmax_t size) const;
    /// The first `most` bytes. The name is checked only where that is the whole file. Errors as get().
    Result<FileHead> head(const std::string& sha256, std::size_t most) const;
    std::filesystem::path path(const std::string& sha256) const;

private:
    Result<std::filesystem::path> find(const std::string& sha256) const;
    std::filesystem::path m_folder;
};

/// The files of a store.
inline ContentFiles contentFiles(const std::filesystem::path& store)
{
    return ContentFiles(store / "files");
}

/// Writes all bytes or leaves the old file; durable with its name when it returns.
Result<void> writeDurably(const std::filesystem::path& file, std::string_view bytes);

/// Makes file content, or the names in a folder, survive a power cut. Where the system has no such call it does
/// nothing.
Result<void> syncPath(const std::filesystem::path& path);

/// Makes the folder and its parents. Errors: "store-readonly", "disk-full".
Result<void> makeFolder(const std::filesystem::path& folder);

/// A failed file operation in the words of the store.
Error fileError(const std::error_code& code, const std::filesystem::path& path, const std::string& what);

} // namespace ridge::record
