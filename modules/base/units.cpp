// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ridge {
namespace {

struct Prefix {
    std::string_view text;
    double factor;
};
constexpr std::array<Prefix, 9> kPrefixes = {
    {{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}, {"m", 1e-3}, {"µ", 1e-6}, {"n", 1e-9}}};
constexpr std::array<std::string_view, 8> kPrefixable = {"s", "B", "B/s", "Hz", "FLOP/s", "op/s", "bytes", "W"};

struct SplitUnit {
    double factor = 1;
    std::string_view base;
};

/// "GB/s" -> 1e9 × "B/s"; a unit that takes no prefix comes back whole.
SplitUnit splitUnit(std::string_view unit)
{
    if (unit == "bytes")
        return {1, "B"};
    for (std::string_view base : kPrefixable)
        if (unit == base)
            return {1, base};
    for (const Prefix& prefix : kPrefixes) {
        if (prefix.text.empty() || !unit.starts_with(prefix.text))
            continue;
        for (std::string_view base : kPrefixable)
            if (base != "bytes" && unit.substr(prefix.text.size()) == base)
                return {prefix.factor, base};
    }
    return {1, unit};
}

bool takesPrefix(std::string_view base)
{
    for (std::string_view known : kPrefixable)
        if (known == base)
            return true;
    return false;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

Error badQuantity(std::string_view text, std::string_view unit)
{
    const std::string example = unit.empty() ? "12" : "12 " + std::string(unit);
    return {"bad-quantity",
            "\"" + std::string(text) + "\" is not a quantity" +
                (unit.empty() ? std::string() : " in " + std::string(unit)),
            "", "write for example " + example};
}

} // namespace

std::string formatNumber(double value)
{
    if (std::isnan(value))
        return "–";
    if (std::isinf(value))
        return value > 0 ? "∞" : "−∞";
    char text[64];
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        std::snprintf(text, sizeof text, "%.0f", value);
        return std::string(text) == "-0" ? "0" : text;
    }
    const double magnitude = std::abs(value);
    if (magnitude >= 1e6 || magnitude < 1e-3) {
        std::snprintf(text, sizeof text, "%.3g", value);
        return text;
    }
    const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(magnitude))));
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    std::string out = text;
    if (out.find('.') != std::string::npos) {
        while (out.back() == '0')
            out.pop_back();
        if (out.back() == '.')
            out.pop_back();
    }
    return out;
}

std::string formatQuantity(double value, std::string_view unit)
{
    const std::string_view whole = unit == "1" ? std::string_view() : unit;
    const SplitUnit split = splitUnit(whole);
    if (!takesPrefix(split.base) || !std::isfinite(value))
        return formatNumber(value) + (whole.empty() || whole == "%" || whole == "×" ? "" : " ") + std::string(whole);
    const double inBase = value * split.factor;
    const double magnitude = std::abs(inBase);
    if (inBase == 0 || (split.base == "B" && magnitude < 10000 && inBase == std::floor(inBase)))
        return formatNumber(inBase) + " " + std::string(split.base);
    for (const Prefix& prefix : kPrefixes) {
        if (split.base != "s" && prefix.factor < 1)
            break;
        // Seconds stay seconds up to an hour; "1.2 ks" helps nobody.
        if (split.base == "s" && prefix.factor > 1)
            continue;
        if (magnitude >= prefix.factor * 0.9995)
            return formatNumber(inBase / prefix.factor) + " " + std::string(prefix.text) + std::string(split.base);
    }
    return formatNumber(inBase) + " " + std::string(split.base);
}

Result<double> parseQuantity(std::string_view given, std::string_view unit)
{
    std::string_view text = trimmed(given);
    if (text.starts_with("x") || text.starts_with("×"))
        text = trimmed(text.substr(text.starts_with("x") ? 1 : std::string_view("×").size()));
    std::string number;
    std::size_t used = 0;
    for (; used < text.size(); ++used) {
        const char c = text[used];
        const bool exponent = (c == 'e' || c == 'E') && used + 1 < text.size() &&
                              (std::isdigit(static_cast<unsigned char>(text[used + 1])) || text[used + 1] == '-' ||
                               text[used + 1] == '+');
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '.' || exponent ||
            ((c == '-' || c == '+') && (used == 0 || text[used - 1] == 'e' || text[used - 1] == 'E')))
            number += c;
        else
            break;
    }
    // strtod follows the locale; the decimal point of this program is always '.'.
    double value = 0;
    const char* begin = number.c_str() + (number.starts_with('+') ? 1 : 0);
    const auto [end, ec] = std::from_chars(begin, number.c_str() + number.size(), value);
    if (number.empty() || ec != std::errc{} || end != number.c_str() + number.size() || !std::isfinite(value))
        return badQuantity(given, unit);
    const std::string_view rest = trimmed(text.substr(used));
    const std::string_view wanted = unit == "1" ? std::string_view() : unit;
    if (rest.empty() || rest == wanted)
        return value;
    for (const Prefix& prefix : kPrefixes)
        if (!prefix.text.empty() && rest == prefix.text)
            return value * prefix.factor;
    const SplitUnit from = splitUnit(rest);
    const SplitUnit to = splitUnit(wanted);
    if (from.base == to.base && takesPrefix(from.base))
        return value * from.factor / to.factor;
    // A plain count may be given by its singular: "12 sectors" for "sectors/request".
    if (!wanted.empty() && wanted.substr(0, wanted.find('/')) == rest)
        return value;
    return badQuantity(given, unit);
}

} // namespace ridge
