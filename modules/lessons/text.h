// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson.h"

namespace ridge::lessons {

/// Internal helpers over the text of a file. Lines are 1-based everywhere, as in messages.

/// What a person may write in an editor on any system: byte order mark dropped, CRLF and CR turned into LF.
std::string normalisedText(const std::string& raw);

/// Lines without their terminators.
std::vector<std::string_view> splitLines(std::string_view text);

/// Offset of the first byte that is not UTF-8 or is NUL; no value when all is well.
std::optional<std::size_t> firstBadByte(std::string_view text);

int lineOfOffset(std::string_view text, std::size_t offset);

std::string_view trimmed(std::string_view text);
std::string lowered(std::string_view text);

/// "; did you mean 'a' or 'b'?" or, where nothing is near, "; known: a, b, c".
std::string didYouMean(std::string_view given, std::span<const std::string> known);

/// An opening or closing code fence.
struct Fence {
    char mark = '`';
    std::size_t length = 0;
    std::string info; ///< empty for a closing fence
};
std::optional<Fence> fenceOf(std::string_view line);
bool closes(const Fence& opening, std::string_view line);

inline constexpr std::array<std::string_view, 18> kBlockKinds = {
    "predict",   "run",      "sweep", "chart",  "scene",   "explore", "quiz",      "order",   "kernel",
    "challenge", "artifact", "term",  "figure", "explain", "draw",    "worksheet", "compare", "rtl"};
bool isBlockKind(std::string_view word);
/// Info strings of fences that are code to read, not live blocks.
bool isCodeLanguage(std::string_view word);

/// Words as a reader counts them: runs of letters, digits and what joins them; punctuation alone is none.
int countWords(std::string_view text);

} // namespace ridge::lessons
