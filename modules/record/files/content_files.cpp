// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/files/content_files.h"

#include "base/hash.h"
#include "base/json.h"

#include <QSaveFile>
#include <cerrno>
#include <fstream>

#ifdef Q_OS_UNIX
#include <fcntl.h>
#include <unistd.h>
#endif

namespace ridge::record {

namespace fs = std::filesystem;

namespace {

const char* const kGiveUp = "If nobody has it any more, `ridge store check --mend` notes that it is lost";

} // namespace

bool isSha256(std::string_view name)
{
    return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error fileError(const std::error_code& code, const fs::path& path, const std::string& what)
{
    const std::string message = what + " (" + code.message() + ")";
    if (code == std::errc::no_space_on_device || code == std::errc::file_too_large || code.value() == EDQUOT)
        return {"disk-full", message, path.string(), "Free space on this disk, or raise your quota, and try again"};
    return {"store-readonly", message, path.string(),
            "Make the folder writable for you, or choose another one with RIDGE_HOME"};
}

Result<void> makeFolder(const fs::path& folder)
{
    std::error_code code;
    fs::create_directories(folder, code);
    if (!code && !fs::is_directory(folder, code) && !code)
        code = std::make_error_code(std::errc::not_a_directory);
    if (code)
        return fileError(code, folder, "The folder cannot be made");
    return {};
}

Result<void> syncPath(const fs::path& path)
{
#ifdef Q_OS_UNIX
    const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle < 0)
        return fileError({errno, std::generic_category()}, path, "It cannot be opened to be made durable");
    const int failed = ::fsync(handle) == 0 ? 0 : errno;
    ::close(handle);
    // Some network file systems know no fsync of a folder and say EINVAL; there is nothing more to do for them.
    if (failed != 0 && failed != EINVAL)
        return fileError({failed, std::generic_category()}, path, "It cannot be made durable");
#else
    Q_UNUSED(path);
#endif
    return {};
}

Result<void> writeDurably(const fs::path& file, std::string_view bytes)
{
    QSaveFile target(QString::fromStdString(file.string()));
    // Qt gives no reason for a write that came half through ("Unknown error"); the system's number says it.
    errno = 0;
    const bool opened = target.open(QIODevice::WriteOnly);
    // Flushed by hand: commit() of Qt 6.4 does not look at what its own flush says, and a short file would take the
    // place of the old one on a full disk.
    if (!opened || target.write(bytes.data(), static_cast<qint64>(bytes.size())) != static_cast<qint64>(bytes.size()) ||
        !target.flush() || !target.commit()) {
        const int reason = errno;
        const bool refused =
            target.error() == QFileDevice::ResourceError || (opened && target.error() != QFileDevice::PermissionsError);
        const auto code = std::make_error_code(refused ? std::errc::no_space_on_device : std::errc::permission_denied);
        Error error = fileError(code, file, "The file cannot be written");
        error.message = "The file cannot be written (" +
                        (reason != 0 ? std::generic_category().message(reason) : target.errorString().toStdString()) +
                        ")";
        return error;
    }
    return syncPath(file.parent_path());
}

fs::path ContentFiles::path(const std::string& sha256) const
{
    return m_folder / sha256.substr(0, 2) / sha256.substr(2);
}

Result<std::string> ContentFiles::put(std::string_view bytes) const
{
    const std::string sha256 = sha256Hex(bytes);
    const fs::path file = path(sha256);
    std::error_code ignored;
    if (fs::file_size(file, ignored) == bytes.size()) {
        if (auto present = readFile(file); present && sha256Hex(*present) == sha256)
            return sha256;
    }
    const bool newFolder = !fs::exists(file.parent_path(), ignored);
    if (auto made = makeFolder(file.parent_path()); !made)
        return made.error();
    if (auto written = writeDurably(file, bytes); !written)
        return written.error();
    if (newFolder) {
        for (const fs::path& parent : {m_folder, m_folder.parent_path()})
            if (auto synced = syncPath(parent); !synced)
                return synced.error();
    }
    return sha256;
}

Result<fs::path> ContentFiles::find(const std::string& sha256) const
{
    if (!isSha256(sha256))
        return Error{"bad-name", "'" + sha256 + "' is not a SHA-256", m_folder.string(),
                     std::string("Give 64 lower-case hex digits. ") + kGiveUp};
    const fs::path file = path(sha256);
    std::error_code ignored;
    const auto type = fs::symlink_status(file, ignored).type();
    if (type == fs::file_type::not_found)
        return Error{"file-missing", "A file of the record is missing", file.string(),
                     std::string("Copy it back from a backup of the folder, or merge a store that has it. ") + kGiveUp};
    // Of a pipe or a device nobody knows when it ends.
    if (type != fs::file_type::regular)
        return Error{"file-damaged", "A file of the record is no regular file", file.string(),
                     std::string("Take it away and merge a store that has the file. ") + kGiveUp};
    return file;
}

Result<std::string> ContentFiles::get(const std::string& sha256, std::uintmax_t size) const
{
    const auto found = find(sha256);
    if (!found)
        return found.error();
    std::error_code code;
    if (const auto actual = fs::file_size(*found, code); code || actual != size)
        return Error{"file-damaged", "A file of the record has another size than its row says", found->string(),
                     "Delete it and merge a store that has it"};
    return get(sha256);
}

Result<FileHead> ContentFiles::head(const std::string& sha256, std::size_t most) const
{
    const auto found = find(sha256);
    if (!found)
        return found.error();
    std::error_code ec;
    FileHead head{{}, fs::file_size(*found, ec)};
    if (ec)
        return fileError(ec, *found, "The file cannot be read");
    if (head.size <= most) {
        auto bytes = get(sha256);
        if (!bytes)
            return bytes.error();
        head.bytes = std::move(*bytes);
        return head;
    }
    head.bytes.resize(most);
    std::ifstream in(*found, std::ios::binary);
    if (!in.read(head.bytes.data(), static_cast<std::streamsize>(most)))
        return Error{"cannot-read", "A file of the record cannot be read", found->string(), "Check the disk"};
    return head;
}

Result<std::string> ContentFiles::get(const std::string& sha256) const
{
    const auto found = find(sha256);
    if (!found)
        return found.error();
    const fs::path& file = *found;
    auto bytes = readFile(file);
    if (!bytes)
        return bytes.error();
    if (sha256Hex(*bytes) != sha256)
        return Error{"file-damaged", "A file of the record is damaged: its content does not match its name",
                     file.string(), std::string("Delete it and merge a store that has it. ") + kGiveUp};
    return bytes;
}

} // namespace ridge::record
