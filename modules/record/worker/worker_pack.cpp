// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/worker_pack.h"

#include "base/json_read.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ridge::record {
namespace {

constexpr std::size_t kBlock = 512;

/// Fields as POSIX names them, each an octal number or a text.
struct Header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], chksum[8], typeflag, linkname[100], magic[6],
        version[2], uname[32], gname[32], devmajor[8], devminor[8], prefix[155], rest[12];
};
static_assert(sizeof(Header) == kBlock);

/// The last byte stays 0.
template<std::size_t N>
void octal(char (&field)[N], unsigned long long value)
{
    for (std::size_t at = N - 1; at-- > 0; value >>= 3)
        field[at] = static_cast<char>('0' + (value & 7));
}

std::string entry(const std::string& name, std::size_t bytes, unsigned mode, char type)
{
    Header header{};
    // A long name is cut at a slash; ours are far below the 255 bytes that fit.
    std::size_t cut = 0;
    if (name.size() > sizeof header.name)
        cut = name.find('/', name.size() - sizeof header.name - 1) + 1;
    const std::string head = cut > 0 ? name.substr(0, cut - 1) : std::string(), tail = name.substr(cut);
    std::memcpy(header.name, tail.data(), std::min(tail.size(), sizeof header.name));
    std::memcpy(header.prefix, head.data(), std::min(head.size(), sizeof header.prefix));
    octal(header.mode, mode);
    octal(header.uid, 0);
    octal(header.gid, 0);
    octal(header.size, bytes);
    octal(header.mtime, 0);
    header.typeflag = type;
    std::memcpy(header.magic, "ustar", 6);
    std::memcpy(header.version, "00", 2);
    std::memset(header.chksum, ' ', sizeof header.chksum);
    std::string block(reinterpret_cast<const char*>(&header), sizeof header);
    unsigned sum = 0;
    for (const char c : block)
        sum += static_cast<unsigned char>(c);
    std::snprintf(block.data() + offsetof(Header, chksum), sizeof header.chksum - 1, "%06o", sum);
    return block;
}

} // namespace

Result<WorkerVersion> WorkerVersion::from(const Json& json, const std::string& place)
{
    JsonReader in(json, place, "bad-protocol");
    WorkerVersion version;
    version.program = in.text("program");
    version.protocol = static_cast<int>(in.integer("protocol"));
    version.digest = in.text("digest");
    version.arch = in.text("arch");
    version.executable = in.text("executable");
    version.data = in.text("data");
    version.files = in.texts("files");
    const bool hex =
        version.digest.size() == 64 && version.digest.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!in.error() && !hex)
        in.fail("the digest is no SHA-256");
    if (in.error())
        return *in.error();
    return version;
}

std::string tarFile(const std::string& name, std::string_view bytes, bool executable)
{
    std::string out = entry(name, bytes.size(), executable ? 0755 : 0644, '0');
    out += bytes;
    out.append((kBlock - bytes.size() % kBlock) % kBlock, '\0');
    return out;
}

std::string tarFolder(const std::string& name)
{
    return entry(name + '/', 0, 0755, '5');
}

std::string tarEnd()
{
    return std::string(2 * kBlock, '\0');
}

Result<std::string> packWorker(const WorkerVersion& worker)
{
    if (worker.data.empty())
        return Error{"no-data",
                     "the worker here does not find its kernels and chip tables, so there is nothing to copy",
                     worker.executable, "set RIDGE_DATA to the folder that holds them"};
    const auto program = readFile(worker.executable);
    if (!program)
        return program.error();
    const std::string root = "share/ridgepoint";
    std::string tar;
    for (const char* folder : {"bin", "share", "share/ridgepoint"})
        tar += tarFolder(folder);
    tar += tarFile("bin/ridge-worker", *program, true);
    // A data folder is known by these three, even where a run reads nothing in one of them.
    for (const char* folder : {"assets", "kernels", "curriculum"})
        tar += tarFolder(root + '/' + folder);
    for (const std::string& file : worker.files) {
        const auto bytes = readFile(std::filesystem::path(worker.data) / file);
        if (!bytes)
            return bytes.error();
        tar += tarFile(root + '/' + file, *bytes, false);
    }
    return tar + tarEnd();
}

} // namespace ridge::record
