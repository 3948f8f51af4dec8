// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/clock_reads.h"

#include "gpu/simt/ptx/module.h"
#include "labs/grade/source_text.h"

#include <algorithm>
#include <array>
#include <set>

namespace ridge::labs {
namespace {

namespace simt = gpu::simt;
using Names = std::set<std::string_view>;

bool isClock(std::string_view name)
{
    return name.starts_with("%clock") || name.starts_with("%globaltimer") || name.starts_with("%pm");
}

void addNames(const simt::Operand& operand, Names& names)
{
    if (!operand.text.empty())
        names.insert(operand.text);
    for (const simt::Operand& part : operand.parts)
        addNames(part, names);
}

/// All that the instructions of a function name: registers, variables, functions that it calls or points to.
Names namesIn(const simt::Function& function)
{
    Names names;
    for (const simt::Statement& statement : function.body) {
        if (const auto* instruction = std::get_if<simt::Instruction>(&statement))
            for (const simt::Operand& operand : instruction->operands)
                addNames(operand, names);
        if (const auto* prototype = std::get_if<simt::CallPrototype>(&statement))
            names.insert(prototype->targets.begin(), prototype->targets.end());
    }
    return names;
}

bool includesWaits(const std::string& text)
{
    constexpr std::array<std::string_view, 8> headers{"<cuda/barrier>",       "<cuda/std/barrier>", "<cuda/pipeline>",
                                                      "<cuda/semaphore>",     "<cuda/latch>",       "<cuda/atomic>",
                                                      "<cuda/std/semaphore>", "<cuda/std/latch>"};
    return std::any_of(headers.begin(), headers.end(),
                       [&](std::string_view header) { return text.find(header) != std::string::npos; });
}

bool mayReadClock(std::string_view word)
{
    constexpr std::array<std::string_view, 8> parts{"asm",    "clock", "time",      "chrono",
                                                    "_until", "__nv",  "__builtin", "_for"};
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return word.find(part) != std::string_view::npos; });
}

} // namespace

bool readsClock(const std::string& ptx, std::string_view entry)
{
    const auto module = simt::parsePtx(ptx);
    if (!module)
        return ptx.find("%clock") != std::string::npos || ptx.find("%globaltimer") != std::string::npos;
    // Tables of functions are anybody's to call through.
    Names reached{entry}, open{entry};
    const auto reach = [&](std::string_view name) {
        if (module->function(name) != nullptr && reached.insert(name).second)
            open.insert(name);
    };
    for (const simt::Variable& variable : module->variables)
        for (const simt::Initializer& initializer : variable.initializers)
            reach(initializer.symbol);
    while (!open.empty()) {
        const simt::Function* function = module->function(*open.begin());
        open.erase(open.begin());
        if (function == nullptr)
            continue;
        for (const std::string_view name : namesIn(*function)) {
            if (isClock(name))
                return true;
            reach(name);
        }
    }
    return false;
}

bool onlyToolkitWaits(const KernelText& source)
{
    std::vector<int> lines;
    const std::string text = withoutSplices(source.text, lines);
    if (source.isPtx || !includesWaits(text))
        return false;
    const std::string code = codeOf(text);
    for (std::size_t at = 0; at < code.size();) {
        std::size_t end = at;
        while (end < code.size() && isWord(code[end]))
            ++end;
        if (end > at) {
            if (mayReadClock(std::string_view(code).substr(at, end - at)))
                return false;
            at = end;
            continue;
        }
        // "##", "%:%:" and their trigraphs make names out of pieces.
        if (code.compare(at, 2, "##") == 0 || code.compare(at, 2, "%:") == 0 || code.compare(at, 3, "?\?=") == 0)
            return false;
        ++at;
    }
    return true;
}

} // namespace ridge::labs
