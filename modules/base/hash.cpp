// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"

#include <array>
#include <chrono>
#include <mutex>
#include <sodium.h>

namespace ridge {
namespace {

std::string hex(const unsigned char* bytes, std::size_t size)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 15];
    }
    return out;
}

} // namespace

std::string sha256Hex(std::string_view bytes)
{
    std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
    crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return hex(digest.data(), digest.size());
}

std::string newSecret()
{
    static const int ready = sodium_init();
    (void)ready;
    std::array<unsigned char, 32> bytes{};
    randombytes_buf(bytes.data(), bytes.size());
    return hex(bytes.data(), bytes.size());
}

std::string newUuid7()
{
    // 48 bits of milliseconds, then a 12-bit counter in rand_a that keeps ids of one millisecond in order.
    static std::mutex mutex;
    static std::uint64_t lastStamp = 0;
    static const int ready = sodium_init();
    (void)ready;
    const auto now =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    std::uint64_t stamp = 0;
    {
        const std::lock_guard lock(mutex);
        stamp = std::max(static_cast<std::uint64_t>(now) << 12, lastStamp + 1);
        lastStamp = stamp;
    }
    std::array<unsigned char, 16> id{};
    randombytes_buf(id.data() + 8, 8);
    for (std::size_t i = 0; i < 6; ++i)
        id[i] = static_cast<unsigned char>(stamp >> (12 + 8 * (5 - i)));
    id[6] = static_cast<unsigned char>(0x70 | ((stamp >> 8) & 0x0f));
    id[7] = static_cast<unsigned char>(stamp & 0xff);
    id[8] = static_cast<unsigned char>(0x80 | (id[8] & 0x3f));
    const std::string text = hex(id.data(), id.size());
    return text.substr(0, 8) + '-' + text.substr(8, 4) + '-' + text.substr(12, 4) + '-' + text.substr(16, 4) + '-' +
           text.substr(20);
}

} // namespace ridge
