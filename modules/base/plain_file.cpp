// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/plain_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ridge {
namespace {

Error cannotRead(const std::filesystem::path& path, const std::string& what, const std::string& fix)
{
    return {"cannot-read", what, path.string(), fix};
}

Error systemError(const std::filesystem::path& path, int code)
{
    return cannotRead(path, std::string("cannot be read: ") + std::strerror(code),
                      "check that the file is there and that you may read it");
}

/// 1 GiB as "1024 MiB" where it is whole, else in bytes: a limit and a size a byte above it must not look alike.
std::string lengthText(std::uint64_t bytes)
{
    constexpr std::uint64_t kMiB = 1u << 20;
    return bytes >= kMiB && bytes % kMiB == 0 ? std::to_string(bytes / kMiB) + " MiB"
                                              : std::to_string(bytes) + " bytes";
}

} // namespace

PlainFile::PlainFile(int descriptor, std::uint64_t size, std::filesystem::path path)
    : m_descriptor(descriptor), m_size(size), m_path(std::move(path))
{
}

PlainFile::PlainFile(PlainFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size), m_path(std::move(other.m_path))
{
}

PlainFile& PlainFile::operator=(PlainFile&& other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_size, other.m_size);
    std::swap(m_path, other.m_path);
    return *this;
}

PlainFile::~PlainFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<PlainFile> PlainFile::open(const std::filesystem::path& path)
{
    // Without O_NONBLOCK the open of a pipe itself waits for a writer; of a plain file it changes nothing.
    int descriptor = -1;
    do
        descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0)
        // What a socket answers to open().
        return errno == ENXIO ? cannotRead(path, "is no plain file", "name a plain file") : systemError(path, errno);
    PlainFile file(descriptor, 0, path);
    struct stat about = {};
    if (::fstat(descriptor, &about) != 0)
        return systemError(path, errno);
    if (S_ISDIR(about.st_mode))
        return cannotRead(path, "is a folder, not a file", "name a file");
    if (!S_ISREG(about.st_mode))
        return cannotRead(path,
                          S_ISFIFO(about.st_mode)                            ? "is a pipe, not a file"
                          : S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode) ? "is a device, not a file"
                                                                             : "is no plain file",
                          "name a plain file");
    file.m_size = static_cast<std::uint64_t>(std::max<off_t>(0, about.st_size));
    return file;
}

Result<std::size_t> PlainFile::read(char* into, std::size_t most)
{
    for (;;) {
        const ssize_t got = ::read(m_descriptor, into, most);
        if (got >= 0)
            return static_cast<std::size_t>(got);
        if (errno != EINTR)
            return cannotRead(m_path, std::string("reading stopped in the middle: ") + std::strerror(errno),
                              "check the disk");
    }
}

Result<void> canWrite(const std::filesystem::path& path)
{
    const auto refused = [&](const std::string& what) {
        return Error{"cannot-write", what, path.string(), "name a file in a folder that you may write to"};
    };
    std::error_code ec;
    if (path.filename().empty() || std::filesystem::is_directory(path, ec))
        return refused("is a folder, not a file");
    if (std::filesystem::exists(path, ec) && !std::filesystem::is_regular_file(path, ec))
        return refused("is no plain file");
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder, ec))
        return refused("there is no folder " + folder.string());
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return refused(std::string("cannot be written: ") + std::strerror(errno));
    return {};
}

Result<std::string> readFile(const std::filesystem::path& path, std::uint64_t most)
{
    auto file = PlainFile::open(path);
    if (!file)
        return file.error();
    const auto tooLarge = [&](const std::string& size) {
        return Error{"too-large", "has " + size + ", and at most " + lengthText(most) + " are read", path.string(),
                     "check that it is the right file"};
    };
    if (file->size() > most)
        return tooLarge(lengthText(file->size()));
    constexpr std::size_t kPiece = 64u << 10;
    std::string bytes;
    std::size_t filled = 0;
    // The byte more finds the end without another round; a file of /proc has no size and comes in pieces.
    bytes.resize(static_cast<std::size_t>(file->size()) + 1);
    for (;;) {
        if (filled == bytes.size())
            bytes.resize(filled + std::max(kPiece, filled));
        const auto got = file->read(bytes.data() + filled, bytes.size() - filled);
        if (!got)
            return got.error();
        if (*got == 0)
            break;
        filled += *got;
        if (filled > most)
            return tooLarge("more");
    }
    bytes.resize(filled);
    return bytes;
}

Result<std::string> sha256OfFile(const std::filesystem::path& path)
{
    auto file = PlainFile::open(path);
    if (!file)
        return file.error();
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    std::vector<char> piece(1u << 20);
    for (;;) {
        const auto got = file->read(piece.data(), piece.size());
        if (!got)
            return got.error();
        if (*got == 0)
            break;
        crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(piece.data()), *got);
    }
    std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
    crypto_hash_sha256_final(&state, digest.data());
    std::array<char, 2 * crypto_hash_sha256_BYTES + 1> text{};
    sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
    return std::string(text.data());
}

} // namespace ridge
