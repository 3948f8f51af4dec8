// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/diagnostics.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <optional>
#include <span>

namespace ridge::gpu {
namespace {

constexpr std::size_t kMaxLog = 8000; // of a flood of follow-up errors nobody reads the end
constexpr std::string_view kCut = "\n…";

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::optional<int> number(std::string_view digits)
{
    int value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc{} || end != digits.data() + digits.size() || value <= 0)
        return std::nullopt;
    return value;
}

struct Kind {
    std::string_view word;
    Diagnostic::Level level;
};
constexpr Kind kKinds[] = {{"catastrophic error", Diagnostic::Level::Error},
                           {"fatal error", Diagnostic::Level::Error},
                           {"error", Diagnostic::Level::Error},
                           {"warning", Diagnostic::Level::Warning},
                           {"note", Diagnostic::Level::Note},
                           {"remark", Diagnostic::Level::Note}};

/// "error: text" or "error #20-D: text".
bool readMessage(std::string_view rest, Diagnostic& into)
{
    for (const Kind& kind : kKinds) {
        if (!rest.starts_with(kind.word))
            continue;
        const auto colon = rest.find(": ", kind.word.size());
        const bool plain = colon == kind.word.size();
        const bool numbered = rest.substr(kind.word.size()).starts_with(" #") && colon != std::string_view::npos;
        if (!plain && !numbered)
            continue;
        into.level = kind.level;
        into.text = rest.substr(colon + 2);
        return true;
    }
    return false;
}

/// "file(3): error: …"
bool readNvidia(std::string_view line, Diagnostic& into)
{
    const auto close = line.find("): ");
    if (close == std::string_view::npos)
        return false;
    const auto open = line.rfind('(', close);
    if (open == std::string_view::npos || open == 0)
        return false;
    const auto at = number(line.substr(open + 1, close - open - 1));
    if (!at || !readMessage(line.substr(close + 3), into))
        return false;
    into.file = line.substr(0, open);
    into.line = *at;
    return true;
}

/// "file:3:22: error: …" or "file:3: error: …"
bool readClang(std::string_view line, Diagnostic& into)
{
    for (auto colon = line.find(": "); colon != std::string_view::npos; colon = line.find(": ", colon + 1)) {
        if (!readMessage(line.substr(colon + 2), into))
            continue;
        const auto place = line.substr(0, colon);
        const auto last = place.rfind(':');
        if (last == std::string_view::npos)
            return false;
        const auto lastNumber = number(place.substr(last + 1));
        const auto before = place.rfind(':', last == 0 ? 0 : last - 1);
        const auto beforeNumber = before == std::string_view::npos || before == last
                                      ? std::nullopt
                                      : number(place.substr(before + 1, last - before - 1));
        if (!lastNumber)
            return false;
        into.line = beforeNumber ? *beforeNumber : *lastNumber;
        into.column = beforeNumber ? *lastNumber : 0;
        into.file = place.substr(0, beforeNumber ? before : last);
        return true;
    }
    return false;
}

/// NVIDIA's front end repeats the source line indented by two and puts a caret below.
int caretColumn(std::span<const std::string_view> lines, std::size_t message)
{
    if (message + 2 >= lines.size())
        return 0;
    const auto caretLine = lines[message + 2];
    const auto caret = caretLine.find_first_not_of(' ');
    if (caret == std::string_view::npos || caretLine.substr(caret) != "^" || caret < 2)
        return 0;
    return static_cast<int>(caret) - 1;
}

/// What helps against the first error; a line of the source is not always what has to change.
std::string adviceFor(std::string_view compiler, const Diagnostic& first)
{
    const auto says = [&](std::string_view words) { return first.text.find(words) != std::string::npos; };
    const std::string line = fmt::format("correct line {} of {} and run again", first.line, first.file);
    if (says("separate compilation mode") || says("reference to __global__ function"))
        return fmt::format(
            "a kernel that launches kernels (dynamic parallelism, line {}) is not run here: run the inner kernel "
            "by itself, or make its work a __device__ function that the outer one calls",
            first.line);
    if (says("file not found") || says("No such file or directory"))
        return compiler == "clang"
                   ? "clang runs with Ridgepoint's own headers, and this one is not among them (docs/kernels.md lists "
                     "them): "
                     "write the kernel without it, or install CUDA's toolkit, whose NVRTC and nvcc have their own; "
                     "a header of your own goes beside the file, or its folder into --include DIR"
                   : "put the header beside the file, give its folder (--include DIR), or leave the include out";
    const bool partly =
        says("'cub'") || says("'cuda") || says("'cub::") || says("'curand") || says("cooperative_groups");
    if (compiler == "clang" && partly)
        return line +
               "; if it is what CUDA has: clang runs with Ridgepoint's own headers, which have a part of this one "
               "(docs/kernels.md), and CUDA's toolkit has the whole";
    return line;
}

} // namespace

std::vector<Diagnostic> parseDiagnostics(std::string_view log)
{
    std::vector<Diagnostic> found;
    const auto lines = linesOf(log);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Diagnostic diagnostic;
        if (readNvidia(lines[i], diagnostic)) {
            diagnostic.column = caretColumn(lines, i);
            found.push_back(std::move(diagnostic));
        } else if (readClang(lines[i], diagnostic)) {
            found.push_back(std::move(diagnostic));
        }
    }
    return found;
}

bool onlySyntaxErrors(std::string_view log)
{
    // As NVRTC 13.0 words them. "expected an expression" and "expected a declaration" are not among them: a macro that
    // only nvcc's headers define could be what is missing there.
    constexpr std::string_view kWordings[] = {"expected a \"", "unrecognized token", "missing closing quote",
                                              "unmatched "};
    bool found = false;
    for (const auto line : linesOf(log)) {
        constexpr std::string_view kError = "error: ";
        const auto at = line.find(kError);
        if (at == std::string_view::npos || line.starts_with("  ")) // two spaces: the source, said again
            continue;
        const auto text = line.substr(at + kError.size());
        if (std::ranges::none_of(kWordings, [&](std::string_view wording) { return text.starts_with(wording); }))
            return false;
        found = true;
    }
    return found && !log.ends_with(kCut);
}

Error compileFailed(std::string_view compiler, std::string_view version, const std::string& name, std::string_view log)
{
    while (!log.empty() && (log.back() == '\n' || log.back() == '\0'))
        log.remove_suffix(1);
    std::string text(log.substr(0, kMaxLog));
    if (log.size() > kMaxLog)
        text += kCut;
    const auto diagnostics = parseDiagnostics(log);
    const auto first = std::ranges::find(diagnostics, Diagnostic::Level::Error, &Diagnostic::level);
    if (first == diagnostics.end())
        return Error{"compile-failed", fmt::format("{} {} refused it:\n{}", compiler, version, text), name,
                     "correct the source and run again"};
    std::string place = fmt::format("{}:{}", first->file, first->line);
    if (first->column > 0)
        place += fmt::format(":{}", first->column);
    return Error{"compile-failed", fmt::format("{} ({} {})\n{}", first->text, compiler, version, text), place,
                 adviceFor(compiler, *first)};
}

} // namespace ridge::gpu
