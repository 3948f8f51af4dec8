// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/struct_argument.h"

#include "base/tensor_argument.h"

#include <charconv>

namespace ridge {
namespace {

constexpr std::string_view kHead = "struct:";
constexpr const char* kForm = "write struct:{SPEC,SPEC,…}, a SPEC for each field in its order; 4*u32:0 stands for four "
                              "of them, and a field may be a "
                              "struct:{…} of its own";
constexpr std::uint64_t kMostBytes = 32764; ///< of a kernel's parameters (PTX ISA, "Kernel Function Parameters")
constexpr int kMostNesting = 8;

struct Problem {
    Error error;
};

class Reader {
public:
    Reader(std::string_view text, std::size_t number) : m_text(text), m_number(number) {}

    StructArgument read()
    {
        StructArgument out;
        out.text = std::string(m_text);
        const Extent whole = readStruct(m_text, 0, out.fields, 0);
        out.bytes = whole.bytes;
        out.align = whole.align;
        return out;
    }

private:
    struct Extent {
        std::uint64_t bytes = 0, align = 1;
    };

    [[noreturn]] void fail(const std::string& what) const
    {
        throw Problem{
            {"bad-argument", "'" + std::string(m_text) + "' " + what, "argument " + std::to_string(m_number), kForm}};
    }

    static std::uint64_t alignUp(std::uint64_t value, std::uint64_t align)
    {
        return (value + align - 1) / align * align;
    }

    /// The text up to the comma that ends a field; commas within braces and parentheses belong to it.
    std::string_view takeField(std::string_view& rest) const
    {
        int depth = 0;
        std::size_t end = 0;
        for (; end < rest.size() && (depth > 0 || rest[end] != ','); ++end) {
            depth += rest[end] == '{' || rest[end] == '(' ? 1 : rest[end] == '}' || rest[end] == ')' ? -1 : 0;
            if (depth < 0)
                fail("closes a bracket that was not opened");
        }
        const std::string_view field = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return field;
    }

    /// Fields from `begin` on, which is aligned for any of them.
    Extent readStruct(std::string_view text, std::uint64_t begin, std::vector<StructArgument::Field>& out, int depth)
    {
        if (depth > kMostNesting)
            fail("nests structs more than " + std::to_string(kMostNesting) + " deep");
        text.remove_prefix(kHead.size());
        if (text.size() < 2 || text.front() != '{' || text.back() != '}')
            fail("does not have its fields between { and }");
        std::string_view rest = text.substr(1, text.size() - 2);
        if (rest.empty())
            fail("has no field");
        if (rest.back() == ',')
            fail("ends in a comma");
        Extent whole;
        while (!rest.empty()) {
            std::string_view field = takeField(rest);
            for (std::uint64_t left = takeCount(field); left > 0; --left) {
                // Of an inner struct the alignment is known once it is read.
                std::vector<StructArgument::Field> own;
                const Extent extent = readField(field, own, depth);
                const std::uint64_t at = alignUp(whole.bytes, extent.align);
                whole.bytes = at + extent.bytes;
                whole.align = std::max(whole.align, extent.align);
                if (whole.bytes > kMostBytes)
                    fail("has more than " + std::to_string(kMostBytes) + " bytes, the most that a kernel takes");
                for (StructArgument::Field& one : own) {
                    one.offset += begin + at;
                    out.push_back(std::move(one));
                }
            }
        }
        whole.bytes = alignUp(whole.bytes, whole.align);
        return whole;
    }

    Extent readField(std::string_view field, std::vector<StructArgument::Field>& out, int depth)
    {
        if (field.starts_with(kHead))
            return readStruct(field, 0, out, depth + 1);
        auto value = parseKernelArgument(field, m_number);
        if (!value) {
            Error error = value.error();
            error.message = "in '" + std::string(m_text) + "': " + error.message;
            throw Problem{std::move(error)};
        }
        const std::uint64_t bytes = value->isBuffer() ? 8 : sizeOf(value->type);
        out.push_back({std::move(*value), 0});
        return {bytes, bytes};
    }

    /// 4 of "4*u32:0", which loses it; 1 of any other.
    std::uint64_t takeCount(std::string_view& field) const
    {
        const auto star = field.find('*');
        if (star == std::string_view::npos ||
            field.substr(0, star).find_first_not_of("0123456789") != std::string_view::npos)
            return 1;
        std::uint64_t count = 0;
        const auto [end, code] = std::from_chars(field.data(), field.data() + star, count);
        if (code != std::errc() || end != field.data() + star || count == 0 || count > kMostBytes)
            fail("has '" + std::string(field.substr(0, star + 1)) + "', which is no number of fields");
        field.remove_prefix(star + 1);
        return count;
    }

    std::string_view m_text;
    std::size_t m_number;
};

} // namespace

bool isStructArgument(std::string_view text)
{
    return text.starts_with(kHead);
}

Result<StructArgument> parseStructArgument(std::string_view text, std::size_t number)
{
    try {
        return Reader(text, number).read();
    } catch (const Problem& problem) {
        return problem.error;
    }
}

/// Where the name of NAME=SPEC ends, which fills a variable of the program; npos: it is no such text. Colons of a name
/// come in twos.
static std::size_t nameEnd(std::string_view text)
{
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '=')
            return at;
        if (text[at] == '{' || (text[at] == ':' && text.substr(at, 2) != "::"))
            break;
        at += text[at] == ':' ? 1 : 0;
    }
    return std::string_view::npos;
}

Result<void> checkArgumentText(std::string_view text, std::size_t number)
{
    if (const auto end = nameEnd(text); end != std::string_view::npos) {
        if (end == 0)
            return Error{"bad-argument", "'" + std::string(text) + "' names no variable before '='",
                         "argument " + std::to_string(number), "write NAME=SPEC, as taps=in:f32:3:ones"};
        return checkArgumentText(text.substr(end + 1), number);
    }
    if (isStructArgument(text)) {
        if (auto argument = parseStructArgument(text, number); !argument)
            return argument.error();
        return {};
    }
    if (isTensorArgument(text)) {
        if (auto argument = parseTensorArgument(text, number); !argument)
            return argument.error();
        return {};
    }
    if (auto argument = parseKernelArgument(text, number); !argument)
        return argument.error();
    return {};
}

std::string layoutText(const StructArgument& argument)
{
    constexpr std::size_t kMostShown = 12;
    std::string text;
    for (std::size_t at = 0; at < std::min(argument.fields.size(), kMostShown); ++at)
        text += (at == 0 ? "" : ", ") + argument.fields[at].value.text + " at " +
                std::to_string(argument.fields[at].offset);
    return argument.fields.size() > kMostShown ? text + ", …" : text;
}

} // namespace ridge
