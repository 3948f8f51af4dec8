// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/ptx_facts.h"

#include <cctype>
#include <cstdlib>

namespace ridge::gpu::cuda {

namespace {

bool isSpace(char c)
{
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool isNameCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Comments become blanks, so that nothing in them is taken for a directive.
std::string withoutComments(std::string_view ptx)
{
    std::string out(ptx);
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
        if (out[i] != '/' || (out[i + 1] != '/' && out[i + 1] != '*'))
            continue;
        const bool line = out[i + 1] == '/';
        std::size_t end = line ? out.find('\n', i) : out.find("*/", i + 2);
        end = end == std::string::npos ? out.size() : (line ? end : end + 2);
        for (; i < end; ++i)
            if (out[i] != '\n')
                out[i] = ' ';
        --i;
    }
    return out;
}

/// Number that follows `key` and blanks; 0 when there is none.
long numberAfter(const std::string& text, std::string_view key, std::size_t* end = nullptr)
{
    std::size_t at = text.find(key);
    if (at == std::string::npos)
        return 0;
    at += key.size();
    while (at < text.size() && isSpace(text[at]))
        ++at;
    char* stop = nullptr;
    const long value = std::strtol(text.c_str() + at, &stop, 10);
    if (end != nullptr)
        *end = static_cast<std::size_t>(stop - text.c_str());
    return value;
}

std::size_t typeBytes(std::string_view type)
{
    const std::size_t digits = type.find_first_of("0123456789");
    if (digits == std::string_view::npos)
        return 0;
    return static_cast<std::size_t>(std::strtol(std::string(type.substr(digits)).c_str(), nullptr, 10)) / 8;
}

/// ".param .u64 .ptr .global .align 4 name" or ".param .align 8 .b8 name[24]": bytes of the parameter.
std::size_t parameterBytes(std::string_view declaration)
{
    std::size_t bytes = 0;
    for (std::size_t at = declaration.find('.'); at != std::string_view::npos; at = declaration.find('.', at + 1)) {
        std::size_t end = at + 1;
        while (end < declaration.size() && isNameCharacter(declaration[end]))
            ++end;
        const std::string_view word = declaration.substr(at + 1, end - at - 1);
        const bool isType = word.size() >= 2 && std::string_view("bsuf").find(word[0]) != std::string_view::npos &&
                            std::isdigit(static_cast<unsigned char>(word[1])) != 0;
        if (isType && bytes == 0)
            bytes = typeBytes(word);
    }
    if (const std::size_t bracket = declaration.find('['); bracket != std::string_view::npos)
        bytes *=
            static_cast<std::size_t>(std::strtol(std::string(declaration.substr(bracket + 1)).c_str(), nullptr, 10));
    return bytes;
}

std::vector<std::size_t> parameterList(std::string_view list)
{
    std::vector<std::size_t> out;
    while (list.find(".param") != std::string_view::npos) {
        const std::size_t comma = list.find(',');
        out.push_back(parameterBytes(list.substr(0, comma)));
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    }
    return out;
}

} // namespace

PtxFacts readPtxFacts(std::string_view ptx)
{
    const std::string text = withoutComments(ptx);
    PtxFacts out;
    std::size_t end = 0;
    out.versionMajor = static_cast<int>(numberAfter(text, ".version", &end));
    if (out.versionMajor > 0 && end < text.size() && text[end] == '.')
        out.versionMinor = static_cast<int>(std::strtol(text.c_str() + end + 1, nullptr, 10));
    out.targetArch = static_cast<int>(numberAfter(text, "sm_", &end));
    out.architectureSpecific = out.targetArch > 0 && end < text.size() && text[end] == 'a';

    constexpr std::string_view key = ".entry";
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + key.size())) {
        std::size_t start = at + key.size();
        while (start < text.size() && isSpace(text[start]))
            ++start;
        std::size_t stop = start;
        while (stop < text.size() && isNameCharacter(text[stop]))
            ++stop;
        std::size_t open = stop;
        while (open < text.size() && isSpace(text[open]))
            ++open;
        std::vector<std::size_t> parameters;
        if (open < text.size() && text[open] == '(')
            parameters = parameterList(std::string_view(text).substr(open, text.find(')', open) - open));
        out.entries[text.substr(start, stop - start)] = std::move(parameters);
    }
    return out;
}

std::optional<PtxNeeds> needsOfPtx(int versionMajor, int versionMinor)
{
    // PTX ISA release table and CUDA toolkit release notes (driver branches), both by NVIDIA.
    struct Row {
        int major, minor;
        const char* cuda;
        int driver;
    };
    constexpr std::array<Row, 14> rows{{{7, 6, "11.6", 510},
                                        {7, 7, "11.7", 515},
                                        {7, 8, "11.8", 520},
                                        {8, 0, "12.0", 525},
                                        {8, 1, "12.1", 530},
                                        {8, 2, "12.2", 535},
                                        {8, 3, "12.3", 545},
                                        {8, 4, "12.4", 550},
                                        {8, 5, "12.5", 555},
                                        {8, 6, "12.7", 565},
                                        {8, 7, "12.8", 570},
                                        {8, 8, "12.9", 575},
                                        {9, 0, "13.0", 580},
                                        {9, 1, "13.1", 590}}};
    for (const Row& row : rows)
        if (row.major == versionMajor && row.minor == versionMinor)
            return PtxNeeds{row.cuda, row.driver};
    return std::nullopt;
}

} // namespace ridge::gpu::cuda
