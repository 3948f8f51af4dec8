// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace ridge::test {

/// Lets the disk below `folder` be full after `bytesLeft` more bytes: write calls of this process there store what
/// still fits and then fail with ENOSPC, as the kernel does. It takes the place of the C library's calls, so it works
/// for SQLite and Qt alike, without root and without a real small disk.
void fillDisk(const std::string& folder, std::int64_t bytesLeft);
void freeDisk();
/// How often a write has been refused since fillDisk.
int refusedWrites();

} // namespace ridge::test
