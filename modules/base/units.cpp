// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"

#include "base/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace ridge {
namespace {

struct Prefix {
    std::string_view text;
    double factor;
};
constexpr std::array<Prefix, 9> kPrefixes = {
    {{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}, {"m", 1e-3}, {"µ", 1e-6}, {"n", 1e-9}}};
/// How else people write them: the ASCII letter and the Greek one for micro, the capital for kilo.
constexpr std::array<Prefix, 3> kOtherPrefixes = {{{"u", 1e-6}, {"μ", 1e-6}, {"K", 1e3}}};
constexpr std::array<Prefix, 4> kBinaryPrefixes = {
    {{"Ti", 1099511627776.0}, {"Gi", 1073741824.0}, {"Mi", 1048576.0}, {"Ki", 1024.0}}};
constexpr std::array<std::string_view, 9> kPrefixable = {"s", "B", "B/s", "Hz", "FLOP", "FLOP/s", "op/s", "bytes", "W"};

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
    const auto behind = [&](std::span<const Prefix> prefixes, bool bytesOnly) -> std::optional<SplitUnit> {
        for (const Prefix& prefix : prefixes) {
            if (prefix.text.empty() || !unit.starts_with(prefix.text))
                continue;
            for (std::string_view base : kPrefixable)
                if (base != "bytes" && unit.substr(prefix.text.size()) == base && (!bytesOnly || base.starts_with('B')))
                    return SplitUnit{prefix.factor, base};
        }
        return std::nullopt;
    };
    if (const auto found = behind(kPrefixes, false))
        return *found;
    if (const auto found = behind(kOtherPrefixes, false))
        return *found;
    return behind(kBinaryPrefixes, true).value_or(SplitUnit{1, unit});
}

bool isPrefixable(std::string_view base)
{
    return std::ranges::find(kPrefixable, base) != kPrefixable.end();
}

/// What a binary prefix writes out exactly in three digits; empty where it would round.
std::string exactlyBinary(double bytes)
{
    for (const Prefix& prefix : kBinaryPrefixes) {
        const double shown = bytes / prefix.factor;
        if (std::abs(shown) < 1)
            continue;
        const std::string text = formatNumber(shown);
        double read = 0;
        std::from_chars(text.data(), text.data() + text.size(), read);
        return read == shown ? text + " " + std::string(prefix.text) + "B" : std::string();
    }
    return {};
}

/// "ways" -> "way", "sectors/request" -> "sector/request", "copies" -> "copy"; "tokens per s" keeps what follows.
std::string ofOne(std::string_view unit)
{
    const std::size_t end = std::min(unit.find_first_of("/ "), unit.size());
    std::string thing(unit.substr(0, end));
    const auto endsWith = [&](std::string_view tail) { return thing.size() > tail.size() && thing.ends_with(tail); };
    if (endsWith("ies"))
        thing.replace(thing.size() - 3, 3, "y");
    else if (endsWith("sses") || endsWith("ches") || endsWith("shes") || endsWith("xes"))
        thing.resize(thing.size() - 2);
    else if (thing.size() > 2 && endsWith("s") && !endsWith("ss"))
        thing.pop_back();
    return thing + std::string(unit.substr(end));
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
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        const std::string text = fixedText(value, 0);
        return text == "-0" ? "0" : text;
    }
    const double magnitude = std::abs(value);
    if (magnitude >= 1e6 || magnitude < 1e-3)
        return shortText(value, 3);
    const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(magnitude))));
    std::string out = fixedText(value, digits);
    if (out.find('.') != std::string::npos) {
        while (out.back() == '0')
            out.pop_back();
        if (out.back() == '.')
            out.pop_back();
    }
    return out;
}

bool takesPrefix(std::string_view unit)
{
    return isPrefixable(unit);
}

bool countsThings(std::string_view unit)
{
    return unit.empty() || unit == "1" || unit == "version" ||
           (unit.size() > 3 && unit.back() == 's' && unit != "bytes");
}

std::string formatQuantity(double value, std::string_view unit)
{
    if (unit == "version" && std::isfinite(value)) // major and minor number: 12 is "12.0"
        return fixedText(value, 1);
    const std::string_view whole = unit == "1" || unit == "version" ? std::string_view() : unit;
    const SplitUnit split = splitUnit(whole);
    if (!isPrefixable(split.base) || !std::isfinite(value)) {
        const std::string number = formatNumber(value);
        if (whole == "x" || whole == "×")
            return number + "×";
        return number + (whole.empty() ? "" : " ") + (number == "1" ? ofOne(whole) : std::string(whole));
    }
    const double inBase = value * split.factor;
    const double magnitude = std::abs(inBase);
    if (inBase == 0 || (split.base == "B" && magnitude < 10000 && inBase == std::floor(inBase)))
        return formatNumber(inBase) + " " + std::string(split.base);
    // "GB" is meant decimally by who wrote it; plain bytes are as often counted in powers of two.
    if (split.base == "B" && split.factor == 1)
        if (std::string exact = exactlyBinary(inBase); !exact.empty())
            return exact;
    for (const Prefix& prefix : kPrefixes) {
        if (split.base != "s" && prefix.factor < 1)
            break;
        // Seconds stay seconds up to an hour; "1.2 ks" helps nobody.
        if (split.base == "s" && prefix.factor > 1)
            continue;
        if (magnitude >= prefix.factor * 0.9995)
            return formatNumber(inBase / prefix.factor) + " " + std::string(prefix.text) + std::string(split.base);
    }
    if (split.base == "s")
        return formatNumber(inBase / 1e-9) + " ns"; // nothing shorter is timed
    return formatNumber(inBase) + " " + std::string(split.base);
}

Result<double> parseQuantity(std::string_view given, std::string_view unit)
{
    std::string_view text = trimmed(given);
    const bool isFactor = unit.empty() || unit == "1" || unit == "x" || unit == "×";
    if (isFactor && (text.starts_with("x") || text.starts_with("×")))
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
    double value = 0;
    const char* begin = number.c_str() + (number.starts_with('+') ? 1 : 0);
    const auto [end, ec] = std::from_chars(begin, number.c_str() + number.size(), value);
    if (number.empty() || ec != std::errc{} || end != number.c_str() + number.size() || !std::isfinite(value))
        return badQuantity(given, unit);
    const std::string_view rest = trimmed(text.substr(used));
    const std::string_view wanted = unit == "1" ? std::string_view() : unit;
    if (rest.empty() || rest == wanted || (wanted == "x" && rest == "×"))
        return value;
    for (const std::span<const Prefix> prefixes :
         {std::span<const Prefix>(kPrefixes), std::span<const Prefix>(kOtherPrefixes)})
        for (const Prefix& prefix : prefixes)
            if (!prefix.text.empty() && rest == prefix.text)
                return value * prefix.factor;
    const SplitUnit from = splitUnit(rest);
    const SplitUnit to = splitUnit(wanted);
    if (from.base == to.base && isPrefixable(from.base))
        return value * from.factor / to.factor;
    // A plain count may be given without what it is counted in, and by its singular: "1 sector" for "sectors/request".
    const std::string_view thing = wanted.substr(0, wanted.find('/'));
    if (!wanted.empty() && (thing == rest || ofOne(thing) == rest || ofOne(wanted) == rest))
        return value;
    return badQuantity(given, unit);
}

} // namespace ridge
