// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/identity.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/files/content_files.h"

#include <QLockFile>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSeed = 32;

/// Nobody but its owner. A file system without such rights (a USB stick) is taken as it is.
void closeToOthers(const fs::path& path, fs::perms allowed)
{
    std::error_code ignored;
    fs::permissions(path, allowed, ignored);
}

Result<bundle::Secret> readSecret(const fs::path& file)
{
    auto text = readFile(file);
    if (!text)
        return text.error();
    std::string_view hex = *text;
    if (hex.ends_with('\n'))
        hex.remove_suffix(1);
    auto bytes = bundle::fromHex(hex, kSeed);
    if (!bytes)
        return Error{"bad-key", "The file holds no key: " + bytes.error().message, file.string(),
                     "Put back a copy of the file; without one, delete it and a new key is made"};
    closeToOthers(file, fs::perms::owner_read | fs::perms::owner_write);
    return bundle::Secret(*bytes);
}

Result<bundle::Secret> newSecret(const fs::path& file)
{
    const bundle::Secret secret = bundle::randomSecret();
    if (auto written = record::writeDurably(file, bundle::toHex(secret.bytes()) + "\n"); !written)
        return written.error();
    closeToOthers(file, fs::perms::owner_read | fs::perms::owner_write);
    return secret;
}

/// All of the named secrets of one folder, made together when none of them is there. The lock keeps two programs that
/// start at the same time from making two.
Result<std::vector<bundle::Secret>> secretsOf(const fs::path& folder, const std::vector<const char*>& names)
{
    if (auto made = record::makeFolder(folder); !made)
        return made.error();
    closeToOthers(folder, fs::perms::owner_all);
    QLockFile lock(QString::fromStdString((folder / "lock").string()));
    lock.lock();
    std::size_t there = 0;
    std::error_code ignored;
    std::string missing;
    for (const char* name : names) {
        if (fs::exists(folder / name, ignored))
            ++there;
        else
            missing = name;
    }
    if (there != 0 && there != names.size())
        return Error{"key-missing",
                     "One of the class's keys is gone, and a new one would not fit what was made with it",
                     (folder / missing).string(), "Put back a copy of the folder"};
    std::vector<bundle::Secret> secrets;
    for (const char* name : names) {
        auto secret = there ? readSecret(folder / name) : newSecret(folder / name);
        if (!secret)
            return secret.error();
        secrets.push_back(std::move(*secret));
    }
    return secrets;
}

Result<ClassKeys> keysFrom(const bundle::Secret& sign, const bundle::Secret& seal, const bundle::Secret& cases)
{
    auto signKey = bundle::signKeyFromSeed(sign.bytes());
    if (!signKey)
        return signKey.error();
    auto sealKey = bundle::sealKeyFromSecret(seal.bytes());
    if (!sealKey)
        return sealKey.error();
    return ClassKeys{std::move(*signKey), std::move(*sealKey), cases};
}

} // namespace

std::string learnerOf(const std::string& publicKey)
{
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"; // RFC 4648
    const auto key = bundle::fromHex(publicKey, kSeed);
    if (!key)
        return {};
    const std::string digest = bundle::fromHex(sha256Hex(*key), kSeed).value();
    std::string name = "L-";
    unsigned held = 0, bits = 0;
    for (std::size_t at = 0; name.size() < 12;) {
        if (bits < 5) {
            held = (held << 8 | static_cast<unsigned char>(digest[at++])) & 0xfff;
            bits += 8;
        }
        bits -= 5;
        name += letters[held >> bits & 31];
    }
    return name;
}

Result<Identity> identityFromSeed(std::string_view seed)
{
    auto key = bundle::signKeyFromSeed(seed);
    if (!key)
        return key.error();
    std::string learner = learnerOf(key->publicKey);
    return Identity{std::move(*key), std::move(learner)};
}

Result<Identity> ownIdentity(const fs::path& home)
{
    auto secrets = secretsOf(home / "keys", {"learner.key"});
    if (!secrets)
        return secrets.error();
    return identityFromSeed(secrets->front().bytes());
}

Result<ClassKeys> classKeysFromSeed(std::string_view seed)
{
    if (seed.size() != kSeed)
        return Error{"bad-key", "This is not a key: a seed has 32 bytes", {}, "Give 32 bytes"};
    const auto derived = [&](const char* what) { return bundle::Secret(bundle::hmacSha256(seed, what)); };
    return keysFrom(derived("sign"), derived("seal"), derived("cases"));
}

Result<ClassKeys> classKeys(const fs::path& classFolder)
{
    auto secrets = secretsOf(classFolder / "keys", {"sign.key", "seal.key", "cases.key"});
    if (!secrets)
        return secrets.error();
    return keysFrom((*secrets)[0], (*secrets)[1], (*secrets)[2]);
}

HiddenCase::HiddenCase(const ClassKeys& keys, std::string_view assignment, std::string_view learner,
                       std::string_view name)
{
    // The NUL between the parts keeps ("ab", "c") apart from ("a", "bc"); none of them holds one.
    const std::string secret =
        bundle::hmacSha256(keys.cases.bytes(), "assignment" + std::string(1, '\0') + std::string(assignment));
    m_key = bundle::hmacSha256(secret, std::string(learner) + '\0' + std::string(name));
}

std::uint64_t HiddenCase::draw(std::string_view what, std::uint64_t round) const
{
    const std::string bytes = bundle::hmacSha256(m_key, std::string(what) + '\0' + std::to_string(round));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::uint64_t HiddenCase::seed() const
{
    return draw("seed", 0);
}

std::string HiddenCase::secret() const
{
    return sha256Hex(bundle::hmacSha256(m_key, "secret"));
}

std::int64_t HiddenCase::pick(std::string_view what, std::int64_t low, std::int64_t high) const
{
    if (high <= low)
        return low;
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    // Draws beyond the last whole multiple of the span are thrown away, so that every value is as likely.
    const std::uint64_t most = span == 0 ? 0 : (~std::uint64_t{0} / span) * span;
    for (std::uint64_t round = 0;; ++round) {
        const std::uint64_t value = draw("pick " + std::string(what), round);
        if (span == 0 || value < most)
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (span == 0 ? value : value % span));
    }
}

} // namespace ridge::classroom
