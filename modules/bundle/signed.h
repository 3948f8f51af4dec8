// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bundle/archive.h"
#include "bundle/keys.h"

namespace ridge::bundle {

/// Name of the entry that carries the signature: 128 hex digits and a line feed.
inline constexpr const char* kSignatureEntry = "signature";

/// What is signed: the purpose on the first line, so that a signature given for one kind of file is worth nothing on
/// another, then "SHA-256  name" of every entry but the signature, sorted by name.
std::string contentList(const std::vector<Entry>& entries, std::string_view purpose);

/// The entries with their signature.
std::vector<Entry> withSignature(std::vector<Entry> entries, std::string_view purpose, const SignKey& key);

/// Errors (place names file and entry): "signature-missing", "signature-wrong" (other key, changed, added or taken out
/// entry). Gives what was signed: contentList.
Result<std::string> checkSignature(const std::vector<Entry>& entries, std::string_view purpose,
                                   std::string_view publicKey, const std::string& file);

} // namespace ridge::bundle
