// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string_view>

namespace ridge::bundle {

/// Bytes that are overwritten when they go out of scope.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string_view bytes) : m_bytes(bytes) {}
    Secret(const Secret&) = default;
    Secret(Secret&&) noexcept = default;
    Secret& operator=(const Secret& other);
    Secret& operator=(Secret&& other) noexcept;
    ~Secret();
    std::string_view bytes() const { return m_bytes; }

private:
    void wipe();
    std::string m_bytes;
};

/// Ed25519 (RFC 8032). Public keys and signatures are lower-case hex: 64 and 128 digits.
struct SignKey {
    std::string publicKey;
    Secret seed; ///< 32 bytes, all there is to keep
};

/// X25519, for libsodium's sealed boxes.
struct SealKey {
    std::string publicKey; ///< 64 hex digits
    Secret secret;         ///< 32 bytes
};

/// 32 random bytes from the system.
Secret randomSecret();

/// From a seed of 32 bytes. Error "bad-key" for another length.
Result<SignKey> signKeyFromSeed(std::string_view seed);
Result<SealKey> sealKeyFromSecret(std::string_view secret);

std::string sign(std::string_view message, const SignKey& key);
/// False also for a key or signature that is not hex of the right length.
bool verify(std::string_view message, std::string_view signature, std::string_view publicKey);

/// Anonymous: what is sealed tells nobody who sealed it, and only the holder of the secret key reads it. Error
/// "bad-key".
Result<std::string> seal(std::string_view plain, std::string_view publicKey);
/// The same box with its one-time key made from `seed` (32 bytes): the same bytes every time. Only for generated
/// classes; with a seed that others know the content is readable to them.
Result<std::string> sealWithSeed(std::string_view plain, std::string_view publicKey, std::string_view seed);
/// Errors: "sealed-to-another" (not for this key, or changed on the way: the two cannot be told apart).
Result<std::string> unseal(std::string_view sealed, const SealKey& key);

/// RFC 2104 with SHA-256; 32 raw bytes. Keys of any length.
std::string hmacSha256(std::string_view key, std::string_view message);

std::string toHex(std::string_view bytes);
/// Error "bad-key" for anything but lower-case hex of `size` bytes.
Result<std::string> fromHex(std::string_view hex, std::size_t size);

} // namespace ridge::bundle
