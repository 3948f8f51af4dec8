// SPDX-License-Identifier: GPL-3.0-or-later
#include "bundle/keys.h"

#include <array>
#include <sodium.h>

namespace ridge::bundle {

namespace {

constexpr std::size_t kKey = 32;
static_assert(crypto_sign_SEEDBYTES == kKey && crypto_sign_PUBLICKEYBYTES == kKey &&
              crypto_box_SECRETKEYBYTES == kKey && crypto_box_PUBLICKEYBYTES == kKey);

const unsigned char* raw(std::string_view bytes)
{
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* raw(std::string& bytes)
{
    return reinterpret_cast<unsigned char*>(bytes.data());
}

Error badKey(const std::string& what)
{
    return {"bad-key", "This is not a key: " + what, {}, "Ask for the key again, or take it from a backup"};
}

/// Expanded for as long as one signature takes.
struct Pair {
    std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> publicKey{};
    std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secretKey{};
    explicit Pair(std::string_view seed) { crypto_sign_seed_keypair(publicKey.data(), secretKey.data(), raw(seed)); }
    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;
    ~Pair() { sodium_memzero(secretKey.data(), secretKey.size()); }
};

} // namespace

Secret& Secret::operator=(const Secret& other)
{
    if (this != &other) {
        wipe();
        m_bytes = other.m_bytes;
    }
    return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept
{
    if (this != &other) {
        wipe();
        m_bytes = std::move(other.m_bytes);
    }
    return *this;
}

Secret::~Secret()
{
    wipe();
}

void Secret::wipe()
{
    sodium_memzero(m_bytes.data(), m_bytes.size());
}

std::string toHex(std::string_view bytes)
{
    std::string hex(2 * bytes.size() + 1, '\0');
    sodium_bin2hex(hex.data(), hex.size(), raw(bytes), bytes.size());
    hex.pop_back();
    return hex;
}

Result<std::string> fromHex(std::string_view hex, std::size_t size)
{
    if (hex.size() != 2 * size || hex.find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return badKey("it has not " + std::to_string(2 * size) + " lower-case hex digits");
    std::string bytes(size, '\0');
    std::size_t got = 0;
    sodium_hex2bin(raw(bytes), size, hex.data(), hex.size(), nullptr, &got, nullptr);
    return bytes;
}

Secret randomSecret()
{
    static const int ready = sodium_init();
    if (ready < 0)
        throw std::runtime_error("libsodium finds no source of random numbers");
    std::string bytes(kKey, '\0');
    randombytes_buf(bytes.data(), bytes.size());
    Secret secret(bytes);
    sodium_memzero(bytes.data(), bytes.size());
    return secret;
}

Result<SignKey> signKeyFromSeed(std::string_view seed)
{
    if (seed.size() != kKey)
        return badKey("a seed has 32 bytes");
    const Pair pair(seed);
    return SignKey{toHex({reinterpret_cast<const char*>(pair.publicKey.data()), kKey}), Secret(seed)};
}

Result<SealKey> sealKeyFromSecret(std::string_view secret)
{
    if (secret.size() != kKey)
        return badKey("a secret key has 32 bytes");
    std::string publicKey(kKey, '\0');
    if (crypto_scalarmult_base(raw(publicKey), raw(secret)) != 0)
        return badKey("no public key belongs to it");
    return SealKey{toHex(publicKey), Secret(secret)};
}

std::string sign(std::string_view message, const SignKey& key)
{
    const Pair pair(key.seed.bytes());
    std::string signature(crypto_sign_BYTES, '\0');
    crypto_sign_detached(raw(signature), nullptr, raw(message), message.size(), pair.secretKey.data());
    return toHex(signature);
}

bool verify(std::string_view message, std::string_view signature, std::string_view publicKey)
{
    const auto bytes = fromHex(signature, crypto_sign_BYTES);
    const auto key = fromHex(publicKey, kKey);
    return bytes && key && crypto_sign_verify_detached(raw(*bytes), raw(message), message.size(), raw(*key)) == 0;
}

Result<std::string> seal(std::string_view plain, std::string_view publicKey)
{
    return sealWithSeed(plain, publicKey, randomSecret().bytes());
}

Result<std::string> sealWithSeed(std::string_view plain, std::string_view publicKey, std::string_view seed)
{
    const auto key = fromHex(publicKey, kKey);
    if (!key)
        return key.error();
    if (seed.size() != crypto_box_SEEDBYTES)
        return badKey("a seed has 32 bytes");
    // libsodium's format (crypto_box_seal): one-time public key, then a box whose nonce is the BLAKE2b of both keys.
    std::string sealed(crypto_box_SEALBYTES + plain.size(), '\0');
    std::array<unsigned char, crypto_box_SECRETKEYBYTES> secret{};
    crypto_box_seed_keypair(raw(sealed), secret.data(), raw(seed));
    const std::string both = sealed.substr(0, kKey) + *key;
    std::array<unsigned char, crypto_box_NONCEBYTES> nonce{};
    crypto_generichash(nonce.data(), nonce.size(), raw(both), both.size(), nullptr, 0);
    const int failed =
        crypto_box_easy(raw(sealed) + kKey, raw(plain), plain.size(), nonce.data(), raw(*key), secret.data());
    sodium_memzero(secret.data(), secret.size());
    if (failed)
        return badKey("nothing can be sealed to it");
    return sealed;
}

Result<std::string> unseal(std::string_view sealed, const SealKey& key)
{
    const Error other{"sealed-to-another",
                      "It was sealed to another key than this one, or was changed on the way",
                      {},
                      "Open it with the class whose assignment it answers, or ask for it again"};
    const auto publicKey = fromHex(key.publicKey, kKey);
    if (!publicKey)
        return publicKey.error();
    if (sealed.size() < crypto_box_SEALBYTES || key.secret.bytes().size() != kKey)
        return other;
    std::string plain(sealed.size() - crypto_box_SEALBYTES, '\0');
    if (crypto_box_seal_open(raw(plain), raw(sealed), sealed.size(), raw(*publicKey), raw(key.secret.bytes())) != 0)
        return other;
    return plain;
}

std::string hmacSha256(std::string_view key, std::string_view message)
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, raw(key), key.size());
    crypto_auth_hmacsha256_update(&state, raw(message), message.size());
    std::string mac(crypto_auth_hmacsha256_BYTES, '\0');
    crypto_auth_hmacsha256_final(&state, raw(mac));
    return mac;
}

} // namespace ridge::bundle
