// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/ptx_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>

namespace ridge::gpu {
namespace {

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template<class OnLine>
void eachLine(std::string_view text, OnLine onLine)
{
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (!onLine(text.substr(0, end)))
            return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

} // namespace

std::string withSourceName(std::string_view ptx, std::string_view compiledAs, const std::string& name)
{
    const auto bare = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
    std::string result;
    result.reserve(ptx.size());
    eachLine(ptx, [&](std::string_view line) {
        const auto first = line.find('"'), end = line.rfind('"');
        if (trimmed(line).starts_with(".file") && first < end) { // perhaps a folder and a name
            const auto begin = line.rfind('"', end - 1) + 1;
            const std::string_view file = bare(line.substr(begin, end - begin));
            std::string shown = file == bare(compiledAs) ? name : std::string(file);
            // A string of PTX knows no way to write them.
            std::replace_if(
                shown.begin(), shown.end(), [](unsigned char c) { return c == '"' || c == '\\' || c < ' '; }, '_');
            result += fmt::format("{}\"{}\"", line.substr(0, first), shown);
        } else {
            result += line;
        }
        result += '\n';
        return true;
    });
    return result;
}

std::string withHalvesApart(std::string_view ptx)
{
    const auto isWord = [](char c) {
        return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || c == '.' || c == '$' || c == '%';
    };
    const auto isHalf = [&](std::string_view rest) {
        for (bool more = true; more;) {
            more = false;
            for (const std::string_view modifier : {".ftz", ".sat"})
                if (rest.starts_with(modifier)) {
                    rest.remove_prefix(modifier.size());
                    more = true;
                }
        }
        for (const std::string_view type : {".f16x2", ".bf16x2", ".f16", ".bf16"})
            if (rest.starts_with(type))
                return rest.size() == type.size() || !isWord(rest[type.size()]);
        return false;
    };
    std::string result;
    result.reserve(ptx.size());
    constexpr std::size_t length = 3; // of each name
    for (std::size_t at = 0; at < ptx.size();) {
        const std::string_view name = ptx.substr(at, length);
        const bool starts = at == 0 || !isWord(ptx[at - 1]);
        if (starts && (name == "add" || name == "sub" || name == "mul") && isHalf(ptx.substr(at + length))) {
            result += name;
            result += ".rn";
            at += length;
        } else {
            result += ptx[at++];
        }
    }
    return result;
}

std::string targetOfPtx(std::string_view ptx)
{
    std::string target;
    eachLine(ptx, [&](std::string_view line) {
        line = trimmed(line);
        if (!line.starts_with(".target"))
            return true;
        line = trimmed(line.substr(7));
        target = line.substr(0, std::min(line.find_first_of(" ,\t"), line.size()));
        return false;
    });
    return target;
}

std::map<std::string, std::string> headOfPtx(std::string_view ptx)
{
    std::map<std::string, std::string> head;
    eachLine(ptx, [&](std::string_view line) {
        if (!line.starts_with("// "))
            return false;
        const auto colon = line.find(": ");
        if (colon != std::string_view::npos)
            head.emplace(line.substr(3, colon - 3), trimmed(line.substr(colon + 2)));
        return true;
    });
    return head;
}

} // namespace ridge::gpu
