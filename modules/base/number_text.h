// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <clocale>
#include <optional>
#include <string>
#include <string_view>

namespace ridge {

/// Numbers as text, with a decimal point in every locale. printf, strtod, std::to_string and their like write and read
/// what LC_NUMERIC says, and Qt sets that to the user's: a comma in half of Europe. Whatever a file, a program or an
/// English sentence is to hold goes through these, through fmt or through JSON (tst_layers).

/// As printf's "%.2f", "%g" and "%.3g" write them under the locale "C".
std::string fixedText(double value, int decimals);
std::string shortText(double value, int digits = 6);

/// The number at the beginning of a text, as strtod reads it under "C": blanks and a sign before it, hexadecimal, "inf"
/// and "nan"; beyond the range infinity or zero, rounded as the processor is set to. `used`: how many bytes it took, 0
/// where there is no number.
double leadingNumber(std::string_view text, std::size_t* used = nullptr);

/// The number that a text is from its first byte to its last.
std::optional<double> numberIn(std::string_view text);

/// While it lives, this thread's C library writes and reads as under the locale "C". For what has no other way: a
/// format that somebody else wrote.
class PlainNumbers {
public:
    PlainNumbers();
    ~PlainNumbers();
    PlainNumbers(const PlainNumbers&) = delete;
    PlainNumbers& operator=(const PlainNumbers&) = delete;

private:
    void* m_before;
};

/// Decimal points for all of the process: libraries that we link read numbers as well. Called by a program right after
/// it has made its application object, which takes over the user's locale.
inline void keepDecimalPoints()
{
    std::setlocale(LC_NUMERIC, "C"); // NOLINT(concurrency-mt-unsafe): before there are threads
}

} // namespace ridge
