// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace ridge {

/// SHA-256 as 64 lower-case hex digits (libsodium).
std::string sha256Hex(std::string_view bytes);

/// 32 random bytes of the operating system, as 64 lower-case hex digits.
std::string newSecret();

/// RFC 9562 UUID version 7: time-ordered (Unix milliseconds), random in the rest, monotonic within this process.
std::string newUuid7();

} // namespace ridge
