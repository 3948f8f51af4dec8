// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bundle/keys.h"

#include <cstdint>
#include <filesystem>

namespace ridge::classroom {

/// Who signs a submission: a key and the pseudonym made from it. No name.
struct Identity {
    bundle::SignKey key;
    std::string learner; ///< "L-" and 10 base32 letters (RFC 4648) of the public key's SHA-256
};

/// The pseudonym of a public key (64 hex digits).
std::string learnerOf(const std::string& publicKey);

/// From a seed of 32 bytes, for generated learners. Error "bad-key".
Result<Identity> identityFromSeed(std::string_view seed);

/// The learner's own, from `home`/keys/learner.key (mode 0600 in a folder of mode 0700), made at the first call.
/// Errors: "bad-key" (damaged; names the file), "store-readonly", "disk-full".
Result<Identity> ownIdentity(const std::filesystem::path& home);

/// The secrets of a class. They lie in its folder and in nothing that is given to learners.
struct ClassKeys {
    bundle::SignKey sign;
    bundle::SealKey seal;
    bundle::Secret cases; ///< hidden cases are derived from it
};

/// From a seed of 32 bytes: for a class made only to demonstrate or test. Error "bad-key".
Result<ClassKeys> classKeysFromSeed(std::string_view seed);

/// Reads `classFolder`/keys/{sign,seal,cases}.key; makes all three where none is there. Errors as ownIdentity, and
/// "key-missing" where only some are there: new ones could not open what was sealed to the old.
Result<ClassKeys> classKeys(const std::filesystem::path& classFolder);

/// A case of a check that learners do not see: stable for a learner, different between learners, and not to be
/// computed without the secret. HMAC-SHA-256 with the assignment's secret over learner and case name.
class HiddenCase {
public:
    HiddenCase(const ClassKeys& keys, std::string_view assignment, std::string_view learner, std::string_view name);
    std::uint64_t seed() const;
    std::string secret() const; ///< 64 hex digits, for what draws many things of its own
    /// One of low..high, evenly; `what` tells several values of one case apart ("size", "stride").
    std::int64_t pick(std::string_view what, std::int64_t low, std::int64_t high) const;

private:
    std::uint64_t draw(std::string_view what, std::uint64_t round) const;
    std::string m_key;
};

} // namespace ridge::classroom
