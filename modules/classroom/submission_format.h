// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Names inside a `.ridgesubmission`, for its writer and its reader (docs/bundles.md).
namespace ridge::classroom::format {

inline constexpr const char* kName = "ridgepoint-submission";
inline constexpr const char* kSealedName = "ridgepoint-sealed-submission";
inline constexpr const char* kPurpose = "ridgepoint-submission 1";
inline constexpr int kVersion = 1;
inline constexpr const char* kRows = "rows.jsonl";
inline constexpr const char* kSealed = "sealed.bin";
inline constexpr const char* kFiles = "files/";

} // namespace ridge::classroom::format
