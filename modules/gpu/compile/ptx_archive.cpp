// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/ptx_archive.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"

#include <charconv>
#include <memory>
#include <minizip/unzip.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

constexpr const char* kManifest = "ptx.json";
constexpr const char* kArchive = "ptx.zip";
constexpr const char* kSchema = "ridge-ptx/1";
constexpr const char* kFix = "restore both files of the release, or run tools/make-ptx";
constexpr std::uint64_t kMostBytes = 64u << 20; // of one PTX; the longest has less than 1 MB

int smOf(std::string_view arch)
{
    int value = 0;
    if (arch.starts_with("sm_"))
        std::from_chars(arch.data() + 3, arch.data() + arch.size(), value);
    return value;
}

struct CloseArchive {
    void operator()(void* archive) const { unzClose(archive); }
};

} // namespace

Result<std::vector<ShippedPtx>> shippedPtx(const fs::path& assets)
{
    const fs::path file = assets / kManifest;
    const auto text = readFile(file);
    if (!text)
        return Error{"no-ptx", "the manifest of the shipped PTX cannot be read", file.string(), kFix};
    const auto bad = [&](const std::string& what) { return Error{"bad-ptx-manifest", what, file.string(), kFix}; };
    const Json json = Json::parse(*text, nullptr, false);
    if (!json.is_object() || json.value("schema", "") != kSchema || !json.contains("files") ||
        !json["files"].is_array())
        return bad(std::string("it is no manifest of the form ") + kSchema);
    std::vector<ShippedPtx> found;
    for (const Json& row : json["files"]) {
        JsonReader in(row, "files[" + std::to_string(found.size()) + "]");
        ShippedPtx ptx{in.text("file"),
                       in.text("source"),
                       in.text("source_sha256"),
                       in.text("arch"),
                       in.text("compiler"),
                       in.text("sha256"),
                       0};
        ptx.sm = smOf(ptx.arch);
        if (in.error())
            return bad(in.error()->place + ": " + in.error()->message);
        if (ptx.sm == 0)
            return bad("files[" + std::to_string(found.size()) + "].arch: \"" + ptx.arch + "\" names no chip");
        found.push_back(std::move(ptx));
    }
    return found;
}

Result<std::string> readShippedPtx(const fs::path& assets, const ShippedPtx& wanted)
{
    const fs::path file = assets / kArchive;
    const auto bad = [&](const std::string& what) {
        return Error{"bad-ptx-archive", what, file.string() + ": " + wanted.file, kFix};
    };
    const std::unique_ptr<void, CloseArchive> archive(unzOpen64(file.c_str()));
    if (!archive)
        return bad("the archive of the shipped PTX cannot be read");
    unz_file_info64 info{};
    if (unzLocateFile(archive.get(), wanted.file.c_str(), 1) != UNZ_OK ||
        unzGetCurrentFileInfo64(archive.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
        info.uncompressed_size > kMostBytes || unzOpenCurrentFile(archive.get()) != UNZ_OK)
        return bad("the archive does not hold this file");
    std::string text(info.uncompressed_size, '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const int got =
            unzReadCurrentFile(archive.get(), text.data() + have, static_cast<unsigned>(text.size() - have));
        if (got <= 0)
            break;
        have += static_cast<std::size_t>(got);
    }
    if (have != text.size() || sha256Hex(text) != wanted.sha256)
        return bad("the file in the archive is not the one that the manifest names");
    return text;
}

} // namespace ridge::gpu
