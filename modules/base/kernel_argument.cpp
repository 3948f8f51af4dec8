// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/kernel_argument.h"

#include "base/number_text.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace ridge {
namespace {

constexpr const char* kCode = "bad-argument";
constexpr const char* kForms =
    "write TYPE:VALUE, in:TYPE:COUNT:FILL, inout:TYPE:COUNT:FILL or out:TYPE:COUNT; "
    "FILL is zeros, ones, iota, rand(SEED) or @file.bin; a buffer may end in >file.bin; a parameter by "
    "value is struct:{SPEC,…}";
constexpr std::array<std::string_view, kDataTypes> kNames{"f64", "f32", "f16", "bf16", "i8",  "u8",
                                                          "i16", "u16", "i32", "u32",  "i64", "u64"};
constexpr std::array<std::string_view, 4> kRoles{"", "in", "inout", "out"};
/// A buffer beyond this is a slip of the finger on any machine of today.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

struct Problem {
    Error error;
};

class Parser {
public:
    Parser(std::string_view text, std::size_t number) : m_text(text), m_number(number) {}

    KernelArgument parse()
    {
        KernelArgument out;
        out.text = std::string(m_text);
        std::string_view rest = m_text;
        const std::string_view head = takePart(rest, "a type or in, inout, out");
        const auto role = std::find(kRoles.begin() + 1, kRoles.end(), head);
        if (role == kRoles.end()) {
            out.type = type(head, true);
            out.bits = scalar(out.type, rest);
            return out;
        }
        out.role = static_cast<KernelArgument::Role>(role - kRoles.begin());
        if (const auto at = rest.rfind('>'); at != std::string_view::npos) {
            out.outFile = std::string(rest.substr(at + 1));
            rest = rest.substr(0, at);
            if (out.outFile.empty())
                fail("names no file after '>'", "write >file.bin, or leave the '>' out");
        }
        out.type = type(takePart(rest, "an element type"), false);
        const bool isOut = out.role == KernelArgument::Role::Out;
        const auto colon = rest.find(':');
        out.count = count(rest.substr(0, colon), out.type);
        if (isOut && colon != std::string_view::npos)
            fail("has a FILL; an out buffer starts as zeros",
                 "leave ':" + std::string(rest.substr(colon + 1)) + "' out, or use inout");
        if (!isOut && colon == std::string_view::npos)
            fail("has no FILL after the count", "end it in :zeros, :ones, :iota, :rand(SEED) or :@file.bin");
        if (!isOut)
            readFill(rest.substr(colon + 1), out);
        return out;
    }

private:
    [[noreturn]] void fail(const std::string& what, const std::string& fix) const
    {
        throw Problem{{kCode, "'" + std::string(m_text) + "' " + what, "argument " + std::to_string(m_number), fix}};
    }

    std::string_view takePart(std::string_view& rest, const std::string& what) const
    {
        const auto colon = rest.find(':');
        if (colon == std::string_view::npos)
            fail("does not give " + what + " followed by ':'", kForms);
        const std::string_view part = rest.substr(0, colon);
        rest.remove_prefix(colon + 1);
        return part;
    }

    DataType type(std::string_view text, bool orRole) const
    {
        if (const auto found = dataTypeFromText(text))
            return *found;
        std::string known;
        for (const std::string_view name : kNames)
            known += (known.empty() ? "" : ", ") + std::string(name);
        fail("begins with '" + std::string(text) + "', which is no type" + (orRole ? " and not in, inout or out" : ""),
             "the types are " + known);
    }

    std::uint64_t count(std::string_view text, DataType type) const
    {
        std::uint64_t value = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code != std::errc() || end != text.data() + text.size() || value == 0)
            fail("has the count '" + std::string(text) + "'", "the count is a whole number of elements, at least 1");
        if (value > kMostBytes / sizeOf(type))
            fail("asks for " + std::string(text) + " elements, more than 1 TiB", "take fewer elements");
        return value;
    }

    std::uint64_t scalar(DataType type, std::string_view text) const
    {
        return isFloat(type) ? floatScalar(type, text) : integerScalar(type, text);
    }

    std::uint64_t floatScalar(DataType type, std::string_view text) const
    {
        const bool plus = text.starts_with('+') && !text.starts_with("+-");
        double value = 0;
        const auto [end, code] = std::from_chars(text.data() + (plus ? 1 : 0), text.data() + text.size(), value);
        if (code == std::errc::invalid_argument || end != text.data() + text.size() || text.empty())
            fail("has the value '" + std::string(text) + "', which is not a number",
                 "write a number like 2.5, -1e-3, inf or nan");
        std::string small(text);
        std::transform(small.begin(), small.end(), small.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const bool saysInfinite = small.find("inf") != std::string::npos;
        const std::uint64_t bits = floatBits(type, type == DataType::F64 ? wide(text) : oddRounded(text));
        if (!saysInfinite && !std::isnan(value) && bits == (floatBits(type, HUGE_VAL) | (bits & signBit(type))))
            fail("has a value too large for " + std::string(toText(type)),
                 "the largest is " + std::string(largest(type)) + "; write inf for an infinity");
        return bits;
    }

    /// from_chars leaves out-of-range values open: infinity or zero, as strtod says.
    static double wide(std::string_view text) { return leadingNumber(text); }

    /// The double with an odd last bit where the number lies between two: rounded once more, to fewer digits, it gives
    /// what rounding the number itself gives (Boldo and Melquiond 2008).
    static double oddRounded(std::string_view text)
    {
        const int mode = std::fegetround();
        std::fesetround(FE_DOWNWARD);
        const double below = leadingNumber(text);
        std::fesetround(FE_UPWARD);
        const double above = leadingNumber(text);
        std::fesetround(mode);
        return (std::bit_cast<std::uint64_t>(below) & 1) != 0 ? below : above;
    }

    static std::uint64_t signBit(DataType type) { return std::uint64_t{1} << (8 * sizeOf(type) - 1); }

    static std::string_view largest(DataType type)
    {
        constexpr std::array<std::string_view, 4> text{"1.797e308", "3.403e38", "65504", "3.390e38"};
        return text[static_cast<std::size_t>(type)];
    }

    std::uint64_t integerScalar(DataType type, std::string_view text) const
    {
        const bool isSigned = toText(type).front() == 'i';
        const unsigned bits = 8 * sizeOf(type);
        std::string_view digits = text;
        const bool negative = digits.starts_with('-');
        if (negative || digits.starts_with('+'))
            digits.remove_prefix(1);
        int base = 10;
        if (digits.starts_with("0x") || digits.starts_with("0X")) {
            base = 16;
            digits.remove_prefix(2);
        }
        std::uint64_t magnitude = 0;
        const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
        if (digits.empty() || code == std::errc::invalid_argument || end != digits.data() + digits.size())
            fail("has the value '" + std::string(text) + "', which is not a whole number",
                 "write a whole number like 7, -3 or 0x1f");
        const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        const std::uint64_t most = isSigned ? mask >> 1 : mask;
        const std::uint64_t least = isSigned ? most + 1 : 0; // its magnitude
        if (code == std::errc::result_out_of_range || magnitude > (negative ? least : most))
            fail("has a value outside " + std::string(toText(type)),
                 std::string(toText(type)) + " holds " + (isSigned ? "-" + std::to_string(least) : "0") + " to " +
                     std::to_string(most));
        return (negative ? ~magnitude + 1 : magnitude) & mask;
    }

    void readFill(std::string_view text, KernelArgument& out) const
    {
        using Fill = KernelArgument::Fill;
        if (text == "zeros") {
            out.fill = Fill::Zeros;
        } else if (text == "ones") {
            out.fill = Fill::Ones;
        } else if (text == "iota") {
            out.fill = Fill::Iota;
            if (out.type == DataType::F16 && out.count > 65520)
                fail("counts beyond 65504, the largest f16", "take at most 65520 elements, or another fill");
        } else if (text.starts_with("rand(") && text.ends_with(")")) {
            out.fill = Fill::Rand;
            const std::string_view digits = text.substr(5, text.size() - 6);
            const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out.seed);
            if (code != std::errc() || end != digits.data() + digits.size())
                fail("has the seed '" + std::string(digits) + "'", "the seed is a whole number from 0 to 2^64 - 1");
        } else if (text.starts_with('@')) {
            out.fill = Fill::File;
            out.inFile = std::string(text.substr(1));
            if (out.inFile.empty())
                fail("names no file after '@'", "write @file.bin");
        } else {
            fail("has the FILL '" + std::string(text) + "'", "FILL is zeros, ones, iota, rand(SEED) or @file.bin");
        }
    }

    std::string_view m_text;
    std::size_t m_number;
};

std::uint64_t splitMix(std::uint64_t seed, std::uint64_t index)
{
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

std::uint64_t randomBits(DataType type, std::uint64_t seed, std::uint64_t index)
{
    const std::uint64_t z = splitMix(seed, index);
    if (!isFloat(type))
        return z >> (64 - 8 * sizeOf(type));
    constexpr std::array<int, 4> precision{53, 24, 11, 8};
    const int p = precision[static_cast<std::size_t>(type)];
    return floatBits(type, std::ldexp(static_cast<double>(z >> (64 - p)), 1 - p) - 1.0);
}

std::uint64_t elementBits(const KernelArgument& argument, std::uint64_t index)
{
    const auto number = [&](std::uint64_t value) {
        return isFloat(argument.type) ? floatBits(argument.type, static_cast<double>(value)) : value;
    };
    switch (argument.fill) {
    case KernelArgument::Fill::Ones:
        return number(1);
    case KernelArgument::Fill::Iota:
        return number(index);
    case KernelArgument::Fill::Rand:
        return randomBits(argument.type, argument.seed, index);
    default:
        return 0;
    }
}

/// Rounds a double to a format of `exponentBits` and `fractionBits`, nearest even, in one step.
std::uint64_t narrow(double value, int exponentBits, int fractionBits)
{
    const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (exponentBits + fractionBits) : 0;
    const std::uint64_t infinite = ((std::uint64_t{1} << exponentBits) - 1) << fractionBits;
    if (std::isnan(value))
        return sign | infinite | std::uint64_t{1} << (fractionBits - 1);
    const double magnitude = std::fabs(value);
    if (std::isinf(value) || magnitude == 0)
        return sign | (magnitude == 0 ? 0 : infinite);
    const int bias = (1 << (exponentBits - 1)) - 1;
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int scale = std::max(exponent - 1, 1 - bias); // of the last place, counted from the leading bit
    // An exact scaling by a power of two, then the one rounding; a carry runs into the exponent as it should.
    const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, fractionBits - scale)));
    const std::uint64_t bits = units + (static_cast<std::uint64_t>(scale + bias - 1) << fractionBits);
    return sign | std::min(bits, infinite);
}

} // namespace

std::string_view toText(DataType type)
{
    return kNames[static_cast<std::size_t>(type)];
}

std::optional<DataType> dataTypeFromText(std::string_view text)
{
    const auto found = std::find(kNames.begin(), kNames.end(), text);
    if (found == kNames.end())
        return std::nullopt;
    return static_cast<DataType>(found - kNames.begin());
}

unsigned sizeOf(DataType type)
{
    constexpr std::array<std::uint8_t, kDataTypes> bytes{8, 4, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8};
    return bytes[static_cast<std::size_t>(type)];
}

bool isFloat(DataType type)
{
    return type <= DataType::BF16;
}

std::uint64_t floatBits(DataType type, double value)
{
    if (type == DataType::F64) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (type == DataType::F32)
        return narrow(value, 8, 23);
    return type == DataType::F16 ? narrow(value, 5, 10) : narrow(value, 8, 7);
}

Result<KernelArgument> parseKernelArgument(std::string_view text, std::size_t number)
{
    try {
        return Parser(text, number).parse();
    } catch (const Problem& problem) {
        return problem.error;
    }
}

std::vector<std::byte> fillElements(const KernelArgument& argument, std::uint64_t first, std::size_t count)
{
    const unsigned size = sizeOf(argument.type);
    std::vector<std::byte> bytes(count * size);
    if (argument.fill == KernelArgument::Fill::Zeros)
        return bytes;
    for (std::size_t at = 0; at < count; ++at) {
        const std::uint64_t bits = elementBits(argument, first + at);
        std::memcpy(bytes.data() + at * size, &bits, size); // little-endian hosts only, as CUDA's own
    }
    return bytes;
}

} // namespace ridge
