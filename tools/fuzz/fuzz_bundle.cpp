// SPDX-License-Identifier: GPL-3.0-or-later
// Archives and JSON from strangers: as they are, and as an entry of an archive that is sound.
#include "base/json_guard.h"
#include "bundle/signed.h"

#include <cstdlib>

using namespace ridge;
using namespace ridge::bundle;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

void readAny(const std::string& bytes)
{
    const ArchiveLimits limits{.entryBytes = 1u << 20, .totalBytes = 4u << 20};
    const auto entries = readArchive(bytes, limits, "fuzz.zip");
    if (!entries) {
        // Every refusal names the file and what to do.
        require(entries.error().place.starts_with("fuzz.zip") && !entries.error().fix.empty());
        return;
    }
    std::uint64_t total = 0;
    for (const Entry& entry : *entries) {
        require(badName(entry.name) == nullptr && entry.bytes.size() <= limits.entryBytes);
        total += entry.bytes.size();
    }
    require(total <= limits.totalBytes);
    // What can be read can be written, and reads the same.
    const auto again = writeArchive(*entries);
    require(again.ok());
    const auto same = readArchive(*again, {.ratio = 2000}, "fuzz.zip");
    require(same.ok() && *same == *entries);
    (void)checkSignature(*entries, "fuzz", std::string(64, '0'), "fuzz.zip");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    readAny(bytes);
    if (const auto json = parseUntrustedJson(bytes, 16, "fuzz.json"))
        require(parseUntrustedJson(json->dump(), 16, "fuzz.json").ok());
    (void)verify(bytes.substr(0, 64), bytes, bytes);
    static const SealKey key = sealKeyFromSecret(std::string(32, 'k')).value();
    (void)unseal(bytes, key);
    return 0;
}
