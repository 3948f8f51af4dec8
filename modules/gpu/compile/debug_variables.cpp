// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/debug_variables.h"

#include <charconv>
#include <map>
#include <optional>

namespace ridge::gpu {
namespace {

constexpr int kMostReferences = 16; ///< from a type to the next: const, pointer, typedef …

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The bytes of the debug sections. A label stands in them as the number of its line, another section as 0.
struct Sections {
    std::string info, abbrev, loc, str;

    std::string* of(std::string_view name)
    {
        if (name == ".debug_info")
            return &info;
        if (name == ".debug_abbrev")
            return &abbrev;
        if (name == ".debug_loc")
            return &loc;
        return name == ".debug_str" ? &str : nullptr;
    }
};

void append(std::string& bytes, std::uint64_t value, int count)
{
    for (int at = 0; at < count; ++at)
        bytes.push_back(static_cast<char>(value >> (8 * at)));
}

template<typename Take>
void eachLine(std::string_view text, const Take& take)
{
    std::uint32_t number = 1;
    for (std::size_t at = 0; at <= text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        take(number, trimmed(text.substr(at, end - at)));
        at = end + 1;
    }
}

std::uint64_t valueOf(std::string_view text, const std::map<std::string_view, std::uint32_t>& labels)
{
    std::uint64_t value = 0;
    if (const auto label = labels.find(text); label != labels.end())
        return label->second;
    if (text.starts_with('.')) { // ".debug_loc+131"
        const auto plus = text.find('+');
        if (plus == std::string_view::npos)
            return 0;
        text.remove_prefix(plus + 1);
    }
    const bool negative = text.starts_with('-');
    if (negative)
        text.remove_prefix(1);
    const bool hex = text.starts_with("0x");
    if (hex)
        text.remove_prefix(2);
    std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    return negative ? ~value + 1 : value;
}

Sections sectionsOf(std::string_view ptx)
{
    std::map<std::string_view, std::uint32_t> labels;
    eachLine(ptx, [&](std::uint32_t number, std::string_view line) {
        const auto colon = line.find(':');
        if (line.starts_with('$') && colon != std::string_view::npos)
            labels.emplace(line.substr(0, colon), number);
    });
    Sections sections;
    std::string* into = nullptr;
    eachLine(ptx, [&](std::uint32_t, std::string_view line) {
        if (line.starts_with(".section")) {
            line = trimmed(line.substr(8));
            into = sections.of(line.substr(0, line.find_first_of(" \t{")));
            return;
        }
        if (line.starts_with('}'))
            into = nullptr;
        if (!into || !line.starts_with(".b"))
            return;
        int bits = 0;
        const auto [next, problem] = std::from_chars(line.data() + 2, line.data() + line.size(), bits);
        if (problem != std::errc{} || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
            return;
        std::string_view rest(next, static_cast<std::size_t>(line.data() + line.size() - next));
        rest = rest.substr(0, std::min(rest.find("//"), rest.find('}')));
        while (!rest.empty()) {
            const auto comma = std::min(rest.find(','), rest.size());
            append(*into, valueOf(trimmed(rest.substr(0, comma)), labels), bits / 8);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    });
    return sections;
}

/// Reads on until the bytes end; then everything is 0 and `ended` is true.
struct Bytes {
    std::string_view text;
    std::size_t at = 0;
    bool ended = false;

    std::uint64_t number(std::size_t count)
    {
        if (ended || count > text.size() - at) {
            ended = true;
            return 0;
        }
        std::uint64_t value = 0;
        for (std::size_t byte = 0; byte < count; ++byte)
            value |= std::uint64_t{static_cast<unsigned char>(text[at + byte])} << (8 * byte);
        at += count;
        return value;
    }
    std::uint64_t leb()
    {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const std::uint64_t byte = number(1);
            if (shift < 64)
                value |= (byte & 127) << shift;
            if (ended || (byte & 128) == 0)
                return value;
        }
    }
    std::string_view block(std::uint64_t count)
    {
        if (ended || count > text.size() - at) {
            ended = true;
            return {};
        }
        at += count;
        return text.substr(at - count, count);
    }
    std::string_view string()
    {
        const auto end = at > text.size() ? std::string_view::npos : text.find('\0', at);
        if (ended || end == std::string_view::npos) {
            ended = true;
            return {};
        }
        const std::string_view read = text.substr(at, end - at);
        at = end + 1;
        return read;
    }
};

enum Tag : std::uint64_t {
    kParameter = 0x05,
    kBlock = 0x0b,
    kPointer = 0x0f,
    kReference = 0x10,
    kTypedef = 0x16,
    kInlined = 0x1d,
    kBase = 0x24,
    kConst = 0x26,
    kFunction = 0x2e,
    kVariable = 0x34,
    kVolatile = 0x35,
};

enum Attribute : std::uint64_t {
    kLocation = 0x02,
    kName = 0x03,
    kByteSize = 0x0b,
    kLowPc = 0x11,
    kHighPc = 0x12,
    kOrigin = 0x31,
    kDeclLine = 0x3b,
    kEncoding = 0x3e,
    kType = 0x49,
    kLinkageName = 0x6e,
    kMipsLinkageName = 0x2007,
};

/// An attribute's value: a number (of a reference: an offset in .debug_info), a text or the bytes of a block.
struct Value {
    enum class Kind { Number, Text, Block, Reference } kind = Kind::Number;
    std::uint64_t number = 0;
    std::string_view bytes{};
};

struct Entry {
    std::uint64_t tag = 0;
    std::size_t parent = 0;
    std::map<std::uint64_t, Value> values{};

    std::optional<std::uint64_t> number(std::uint64_t attribute) const
    {
        const auto found = values.find(attribute);
        return found == values.end() ? std::nullopt : std::optional(found->second.number);
    }
};

struct Abbreviation {
    std::uint64_t tag = 0;
    bool children = false;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes{}; ///< with their forms
};

std::map<std::uint64_t, Abbreviation> abbreviationsOf(std::string_view section)
{
    std::map<std::uint64_t, Abbreviation> all;
    Bytes in{section};
    while (const std::uint64_t code = in.leb()) {
        Abbreviation one{in.leb(), in.number(1) != 0};
        for (;;) {
            const std::uint64_t attribute = in.leb(), form = in.leb();
            if (in.ended || (attribute == 0 && form == 0))
                break;
            one.attributes.emplace_back(attribute, form);
        }
        if (in.ended)
            break;
        all.emplace(code, std::move(one));
    }
    return all;
}

/// None: a form that is not known, behind which nothing can be read.
std::optional<Value> readForm(Bytes& in, std::uint64_t form, std::string_view strings)
{
    using K = Value::Kind;
    switch (form) {
    case 0x01: // addr
        return Value{K::Number, in.number(8)};
    case 0x03:
        return Value{K::Block, 0, in.block(in.number(2))};
    case 0x04:
        return Value{K::Block, 0, in.block(in.number(4))};
    case 0x05:
        return Value{K::Number, in.number(2)};
    case 0x06: // data4, which is a place in .debug_loc, too
    case 0x17:
        return Value{K::Number, in.number(4)};
    case 0x07:
        return Value{K::Number, in.number(8)};
    case 0x08:
        return Value{K::Text, 0, in.string()};
    case 0x09: // block and exprloc
    case 0x18:
        return Value{K::Block, 0, in.block(in.leb())};
    case 0x0a:
        return Value{K::Block, 0, in.block(in.number(1))};
    case 0x0b: // data1 and flag
    case 0x0c:
        return Value{K::Number, in.number(1)};
    case 0x0d: // sdata and udata: none of those asked for is negative
    case 0x0f:
        return Value{K::Number, in.leb()};
    case 0x0e: {
        Bytes from{strings, std::min<std::size_t>(in.number(4), strings.size())};
        return Value{K::Text, 0, from.string()};
    }
    case 0x11:
        return Value{K::Reference, in.number(1)};
    case 0x12:
        return Value{K::Reference, in.number(2)};
    case 0x13:
        return Value{K::Reference, in.number(4)};
    case 0x14:
        return Value{K::Reference, in.number(8)};
    case 0x15:
        return Value{K::Reference, in.leb()};
    case 0x19:
        return Value{K::Number, 1};
    default:
        return std::nullopt;
    }
}

class Reader {
public:
    explicit Reader(const Sections& sections) : m_sections(sections)
    {
        const auto abbreviations = abbreviationsOf(sections.abbrev);
        m_entries.push_back({}); // the parent of all
        Bytes in{sections.info};
        while (!in.ended && in.at < in.text.size() && readUnit(in, abbreviations)) {
        }
    }

    std::vector<DebugVariable> variables() const
    {
        std::vector<DebugVariable> all;
        for (const Entry& entry : m_entries) {
            if (entry.tag != kParameter && entry.tag != kVariable)
                continue;
            DebugVariable variable;
            if (const auto name = inherited(entry, kName))
                variable.name = name->bytes;
            variable.places = placesOf(entry);
            if (variable.name.empty() || variable.places.empty())
                continue;
            variable.function = functionOf(entry);
            if (const auto line = inherited(entry, kDeclLine))
                variable.line = static_cast<std::uint32_t>(line->number);
            if (const auto type = inherited(entry, kType))
                variable.type = typeOf(type->number, variable, 0);
            all.push_back(std::move(variable));
        }
        return all;
    }

private:
    bool readUnit(Bytes& in, const std::map<std::uint64_t, Abbreviation>& abbreviations)
    {
        const std::size_t start = in.at;
        const std::uint64_t length = in.number(4);
        const std::size_t end = std::min<std::size_t>(in.at + length, in.text.size());
        const std::uint64_t version = in.number(2);
        in.number(4); // place in .debug_abbrev: there is one table
        in.number(1); // bytes of an address
        if (in.ended || version < 2 || version > 4)
            return false;
        std::vector<std::size_t> parents{0};
        while (in.at < end && !in.ended) {
            const std::size_t offset = in.at;
            const std::uint64_t code = in.leb();
            if (code == 0) {
                if (parents.size() > 1)
                    parents.pop_back();
                continue;
            }
            const auto abbreviation = abbreviations.find(code);
            if (abbreviation == abbreviations.end())
                return false;
            Entry entry{abbreviation->second.tag, parents.back()};
            for (const auto& [attribute, form] : abbreviation->second.attributes) {
                auto value = readForm(in, form, m_sections.str);
                if (!value || in.ended)
                    return false;
                if (value->kind == Value::Kind::Reference)
                    value->number += start;
                entry.values.emplace(attribute, *value);
            }
            m_at.emplace(offset, m_entries.size());
            if (abbreviation->second.children)
                parents.push_back(m_entries.size());
            m_entries.push_back(std::move(entry));
        }
        in.at = end;
        return true;
    }

    const Entry* at(std::uint64_t offset) const
    {
        const auto found = m_at.find(offset);
        return found == m_at.end() ? nullptr : &m_entries[found->second];
    }

    /// Of the entry, or of the one that it is a copy of where a function is inlined.
    std::optional<Value> inherited(const Entry& entry, std::uint64_t attribute) const
    {
        const Entry* from = &entry;
        for (int step = 0; from && step < kMostReferences; ++step) {
            if (const auto found = from->values.find(attribute); found != from->values.end())
                return found->second;
            const auto origin = from->number(kOrigin);
            from = origin ? at(*origin) : nullptr;
        }
        return std::nullopt;
    }

    std::vector<VariablePlace> placesOf(const Entry& entry) const
    {
        const auto found = entry.values.find(kLocation);
        if (found == entry.values.end())
            return {};
        std::vector<VariablePlace> places;
        if (found->second.kind == Value::Kind::Block) {
            const auto reg = registerOf(found->second.bytes);
            const auto scope = scopeOf(entry);
            if (reg && scope)
                places.push_back({scope->first, scope->second, *reg});
            return places;
        }
        Bytes in{m_sections.loc, std::min<std::size_t>(found->second.number, m_sections.loc.size())};
        for (;;) {
            const std::uint64_t begin = in.number(8), end = in.number(8);
            if (in.ended || (begin == 0 && end == 0))
                return places;
            const std::string_view expression = in.block(in.number(2));
            const auto reg = registerOf(expression);
            if (reg && !in.ended && begin < end)
                places.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), *reg});
        }
    }

    /// The one whose registers it is in: of what is inlined, the one that it is inlined into.
    std::string functionOf(const Entry& entry) const
    {
        for (std::size_t parent = entry.parent; parent != 0; parent = m_entries[parent].parent)
            if (m_entries[parent].tag == kFunction)
                for (const std::uint64_t attribute : {kLinkageName, kMipsLinkageName, kName})
                    if (const auto name = inherited(m_entries[parent], attribute))
                        return std::string(name->bytes);
        return {};
    }

    std::optional<std::pair<std::uint32_t, std::uint32_t>> scopeOf(const Entry& entry) const
    {
        for (std::size_t parent = entry.parent; parent != 0; parent = m_entries[parent].parent) {
            const Entry& scope = m_entries[parent];
            const auto low = scope.number(kLowPc), high = scope.number(kHighPc);
            if ((scope.tag == kBlock || scope.tag == kFunction || scope.tag == kInlined) && low && high)
                return std::pair(static_cast<std::uint32_t>(*low), static_cast<std::uint32_t>(*high));
        }
        return std::nullopt;
    }

    /// DW_OP_regx and a number whose bytes, highest first, are the register's name.
    static std::optional<std::string> registerOf(std::string_view expression)
    {
        Bytes in{expression};
        if (in.number(1) != 0x90)
            return std::nullopt;
        std::uint64_t number = in.leb();
        if (in.ended || in.at != expression.size())
            return std::nullopt;
        std::string name;
        for (; number != 0; number >>= 8)
            name.insert(name.begin(), static_cast<char>(number & 255));
        return name.starts_with('%') ? std::optional(name) : std::nullopt;
    }

    std::string typeOf(std::uint64_t offset, DebugVariable& variable, int depth) const
    {
        const Entry* type = at(offset);
        if (!type || depth == kMostReferences)
            return {};
        const auto named = type->values.find(kName);
        const std::string name(named == type->values.end() ? std::string_view() : named->second.bytes);
        const auto below = [&] {
            const auto of = type->number(kType);
            return of ? typeOf(*of, variable, depth + 1) : std::string("void");
        };
        const bool isPointer = type->tag == kPointer || type->tag == kReference;
        if (isPointer) {
            DebugVariable what;
            std::swap(what, variable);
            std::string text = below() + (type->tag == kPointer ? "*" : "&");
            std::swap(what, variable);
            variable.kind = DebugVariable::Kind::Pointer;
            variable.bytes = 8;
            return text;
        }
        if (type->tag == kConst || type->tag == kVolatile)
            return (type->tag == kConst ? "const " : "volatile ") + below();
        if (type->tag == kTypedef) {
            below();
            return name;
        }
        if (type->tag == kBase) {
            using K = DebugVariable::Kind;
            const std::uint64_t encoding = type->number(kEncoding).value_or(0);
            variable.kind = encoding == 2                    ? K::Boolean
                            : encoding == 4                  ? K::Float
                            : encoding == 5 || encoding == 6 ? K::Signed
                            : encoding == 7 || encoding == 8 ? K::Unsigned
                                                             : K::Other;
            variable.bytes = static_cast<std::uint32_t>(type->number(kByteSize).value_or(0));
        }
        return name;
    }

    const Sections& m_sections;
    std::vector<Entry> m_entries;
    std::map<std::uint64_t, std::size_t> m_at; ///< entries by their offset in .debug_info
};

} // namespace

std::vector<DebugVariable> debugVariables(std::string_view ptx)
{
    if (ptx.find(".debug_info") == std::string_view::npos)
        return {};
    const Sections sections = sectionsOf(ptx);
    return Reader(sections).variables();
}

} // namespace ridge::gpu
