// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ridge::imports {

std::vector<Line> linesOf(std::string_view bytes)
{
    std::vector<Line> lines;
    std::size_t begin = 0;
    int number = 1;
    while (begin < bytes.size()) {
        const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
        std::string_view text = bytes.substr(begin, end - begin);
        if (text.ends_with('\r'))
            text.remove_suffix(1);
        lines.push_back({text, number++, begin});
        begin = end + 1;
    }
    return lines;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> wordsOf(std::string_view text)
{
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        at = text.find_first_not_of(" \t", at);
        if (at == std::string_view::npos)
            break;
        const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::vector<std::string_view> tableCells(std::string_view line, char bar)
{
    std::vector<std::string_view> cells;
    line = trimmed(line);
    if (line.empty() || line.front() != bar)
        return cells;
    line.remove_prefix(1);
    if (line.ends_with(bar))
        line.remove_suffix(1);
    while (true) {
        const std::size_t end = line.find(bar);
        cells.push_back(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos)
            return cells;
        line.remove_prefix(end + 1);
    }
}

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Whether each `mark` in a whole number stands before three digits and after at least one.
bool partsThousands(std::string_view whole, char mark)
{
    std::size_t at = whole.find(mark);
    if (at == std::string_view::npos)
        return true;
    if (at == 0 || at > 3)
        return false;
    for (; at < whole.size(); at += 4) {
        if (whole[at] != mark || whole.size() < at + 4)
            return false;
        for (std::size_t i = 1; i <= 3; ++i)
            if (!isDigit(whole[at + i]))
                return false;
    }
    return true;
}

/// "12,34,567": groups of two before the last three, as India writes thousands.
bool partsLakhs(std::string_view whole)
{
    const std::size_t last = whole.rfind(',');
    if (last == std::string_view::npos || whole.size() - last != 4)
        return false;
    std::size_t at = whole.find(',');
    if (at == 0 || at > 2 || at == last)
        return false;
    for (; at < last; at += 3)
        if (whole[at] != ',' || at + 3 > last || (at + 3 != last && whole[at + 3] != ',') || whole[at + 1] == ',' ||
            whole[at + 2] == ',')
            return false;
    return at == last;
}

std::string_view withoutSign(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+') || text.starts_with('-'))
        text.remove_prefix(1);
    return text;
}

} // namespace

bool hasDecimalComma(std::string_view text)
{
    const std::string_view number = withoutSign(text);
    const std::size_t comma = number.find(',');
    if (comma == std::string_view::npos || comma == 0 || comma + 1 == number.size() ||
        number.find_first_not_of("0123456789.,") != std::string_view::npos)
        return false;
    const std::string_view whole = number.substr(0, comma), fraction = number.substr(comma + 1);
    return std::all_of(fraction.begin(), fraction.end(), isDigit) && partsThousands(whole, '.') && !numberIn(text);
}

bool hasThousandsPoint(std::string_view text)
{
    const std::string_view number = withoutSign(text);
    return number.find('.') != std::string_view::npos &&
           number.find_first_not_of("0123456789.") == std::string_view::npos && partsThousands(number, '.');
}

std::optional<double> numberIn(std::string_view text)
{
    text = trimmed(text);
    const std::string_view unsignedText = withoutSign(text);
    const std::string_view whole = unsignedText.substr(0, unsignedText.find_first_of(".eE"));
    if (!partsThousands(whole, ',') && !partsLakhs(whole))
        return std::nullopt;
    std::string digits;
    for (const char c : text)
        if (c != ',')
            digits.push_back(c);
    if (digits.starts_with('+'))
        digits.erase(0, 1);
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    if (digits.empty() || read.ec != std::errc() || read.ptr != end || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::pair<double, std::string> inBaseUnit(double value, std::string_view unit)
{
    struct Scale {
        std::string_view name;
        double factor;
        const char* base;
    };
    // Names as Nsight Compute (both its old and its new spelling), Nsight Systems and nccl-tests print them.
    static constexpr std::array scales = {Scale{"nsecond", 1e-9, "s"},
                                          Scale{"ns", 1e-9, "s"},
                                          Scale{"usecond", 1e-6, "s"},
                                          Scale{"us", 1e-6, "s"},
                                          Scale{"μs", 1e-6, "s"},
                                          Scale{"msecond", 1e-3, "s"},
                                          Scale{"ms", 1e-3, "s"},
                                          Scale{"second", 1, "s"},
                                          Scale{"s", 1, "s"},
                                          Scale{"byte", 1, "B"},
                                          Scale{"B", 1, "B"},
                                          Scale{"Kbyte", 1e3, "B"},
                                          Scale{"KB", 1e3, "B"},
                                          Scale{"Mbyte", 1e6, "B"},
                                          Scale{"MB", 1e6, "B"},
                                          Scale{"Gbyte", 1e9, "B"},
                                          Scale{"GB", 1e9, "B"},
                                          Scale{"Tbyte", 1e12, "B"},
                                          Scale{"byte/second", 1, "B/s"},
                                          Scale{"byte/s", 1, "B/s"},
                                          Scale{"Kbyte/second", 1e3, "B/s"},
                                          Scale{"Kbyte/s", 1e3, "B/s"},
                                          Scale{"Mbyte/second", 1e6, "B/s"},
                                          Scale{"Mbyte/s", 1e6, "B/s"},
                                          Scale{"Gbyte/second", 1e9, "B/s"},
                                          Scale{"Gbyte/s", 1e9, "B/s"},
                                          Scale{"GB/s", 1e9, "B/s"},
                                          Scale{"Tbyte/second", 1e12, "B/s"},
                                          Scale{"Tbyte/s", 1e12, "B/s"},
                                          Scale{"hz", 1, "Hz"},
                                          Scale{"Hz", 1, "Hz"},
                                          Scale{"cycle/second", 1, "Hz"},
                                          Scale{"Khz", 1e3, "Hz"},
                                          Scale{"MHz", 1e6, "Hz"},
                                          Scale{"Mhz", 1e6, "Hz"},
                                          Scale{"cycle/usecond", 1e6, "Hz"},
                                          Scale{"Ghz", 1e9, "Hz"},
                                          Scale{"GHz", 1e9, "Hz"},
                                          Scale{"cycle/nsecond", 1e9, "Hz"},
                                          Scale{"", 1, "1"}};
    for (const Scale& scale : scales)
        if (scale.name == unit)
            return {value * scale.factor, scale.base};
    return {value, std::string(unit)};
}

std::size_t badUtf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        const unsigned lead = byte(at);
        const std::size_t more = lead < 0x80                   ? 0
                                 : lead >= 0xc2 && lead < 0xe0 ? 1
                                 : lead >= 0xe0 && lead < 0xf0 ? 2
                                                               : 3;
        if (more == 3 && (lead < 0xf0 || lead > 0xf4))
            return at;
        for (std::size_t i = 1; i <= more; ++i)
            if (at + i >= text.size() || (byte(at + i) & 0xc0) != 0x80)
                return at;
        // Longer than needed, half a surrogate pair, and beyond Unicode (Unicode 15, table 3-7).
        if ((lead == 0xe0 && byte(at + 1) < 0xa0) || (lead == 0xed && byte(at + 1) > 0x9f) ||
            (lead == 0xf0 && byte(at + 1) < 0x90) || (lead == 0xf4 && byte(at + 1) > 0x8f))
            return at;
        at += more + 1;
    }
    return std::string_view::npos;
}

Error badImport(const std::string& name, int line, const std::string& what, const std::string& fix)
{
    return {"bad-import", what, line > 0 ? name + ":" + std::to_string(line) : name, fix};
}

FigureList::~FigureList()
{
    if (m_leftOut > 0)
        m_imported.notes.push_back(counted(m_leftOut, "further figure") + " of the file left out: it has more than " +
                                   std::to_string(kMostFigures) + ".");
}

void FigureList::add(std::string figure, double value, std::string_view unit, std::string of, int line)
{
    if (m_imported.figures.size() >= kMostFigures) {
        ++m_leftOut;
        return;
    }
    auto [scaled, base] = inBaseUnit(value, unit);
    m_imported.figures.push_back({std::move(figure), scaled, std::move(base), std::move(of), line});
}

std::string counted(std::size_t count, const std::string& thing)
{
    return counted(count, thing, thing + "s");
}

std::string counted(std::size_t count, const std::string& one, const std::string& many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

} // namespace ridge::imports
