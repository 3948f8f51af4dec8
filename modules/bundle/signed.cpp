// SPDX-License-Identifier: GPL-3.0-or-later
#include "bundle/signed.h"

#include "base/hash.h"
#include "bundle/zip_directory.h"

#include <algorithm>

namespace ridge::bundle {

std::string contentList(const std::vector<Entry>& entries, std::string_view purpose)
{
    std::vector<std::string> lines;
    for (const Entry& entry : entries)
        if (entry.name != kSignatureEntry)
            lines.push_back(entry.name + "\n" + sha256Hex(entry.bytes) + "  " + entry.name + "\n");
    std::ranges::sort(lines);
    std::string list = std::string(purpose) + "\n";
    for (const std::string& line : lines)
        list += line.substr(line.find('\n') + 1);
    return list;
}

std::vector<Entry> withSignature(std::vector<Entry> entries, std::string_view purpose, const SignKey& key)
{
    std::erase_if(entries, [](const Entry& entry) { return entry.name == kSignatureEntry; });
    entries.push_back({kSignatureEntry, sign(contentList(entries, purpose), key) + "\n"});
    return entries;
}

Result<std::string> checkSignature(const std::vector<Entry>& entries, std::string_view purpose,
                                   std::string_view publicKey, const std::string& file)
{
    const std::string place = placeOf(file, kSignatureEntry);
    const Entry* signature = findEntry(entries, kSignatureEntry);
    if (!signature)
        return Error{"signature-missing", "The file is not signed", place,
                     "Ask for the file as Ridgepoint wrote it; without a signature nobody vouches for it"};
    std::string_view text = signature->bytes;
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    std::string list = contentList(entries, purpose);
    if (!verify(list, text, publicKey))
        return Error{"signature-wrong",
                     "The signature does not fit: the file was changed after it was signed, or another key signed it",
                     place, "Ask for the file again, as Ridgepoint wrote it"};
    return list;
}

} // namespace ridge::bundle
