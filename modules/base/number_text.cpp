// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/number_text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <locale.h>

namespace ridge {
namespace {

/// Room for the longest double in fixed notation, 309 digits, and its decimals.
constexpr int kMostDecimals = 80;

std::string written(double value, std::chars_format format, int precision)
{
    char text[512];
    const auto [end, ec] = std::to_chars(text, text + sizeof text, value, format, precision);
    return ec == std::errc() ? std::string(text, end) : std::string();
}

locale_t plainLocale()
{
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return plain;
}

} // namespace

std::string fixedText(double value, int decimals)
{
    return written(value, std::chars_format::fixed, std::min(std::max(decimals, 0), kMostDecimals));
}

std::string shortText(double value, int digits)
{
    return written(value, std::chars_format::general, std::min(std::max(digits, 1), kMostDecimals));
}

double leadingNumber(std::string_view text, std::size_t* used)
{
    // from_chars knows no hexadecimal prefix, says nothing of what is out of range and always rounds to nearest.
    const std::string copy(text);
    char* end = nullptr;
    const double value = ::strtod_l(copy.c_str(), &end, plainLocale());
    if (used)
        *used = static_cast<std::size_t>(end - copy.c_str());
    return value;
}

std::optional<double> numberIn(std::string_view text)
{
    std::size_t used = 0;
    const double value = leadingNumber(text, &used);
    if (text.empty() || used != text.size())
        return std::nullopt;
    return value;
}

PlainNumbers::PlainNumbers() : m_before(::uselocale(plainLocale())) {}

PlainNumbers::~PlainNumbers()
{
    ::uselocale(static_cast<locale_t>(m_before));
}

} // namespace ridge
