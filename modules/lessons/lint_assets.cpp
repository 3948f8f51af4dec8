// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/inline.h"
#include "lessons/inline_scan.h"
#include "lessons/text.h"

#include "base/json.h"

namespace ridge::lessons {
namespace {

void lintFormula(const LintContext& context, const std::string& tex, const SourceSpan& at)
{
    const std::string asset = formulaAsset(tex);
    const std::string name = "formula '" + tex + "'";
    const std::string render = "; run tools/render-formulas";
    const auto found = context.formulas.find(asset);
    if (found == context.formulas.end())
        return context.problem(at, name + " has no rendered asset" + render);
    if (found->second.tex != tex)
        return context.problem(at, name + ": index.json has other text for " + asset + render);
    if (trimmed(found->second.spoken).empty())
        context.problem(at,
                        name + " has no spoken text; write 'spoken' of " + asset + " in assets/formulas/index.json");
    if (!(found->second.width > 0) || !(found->second.height > 0))
        context.problem(at, name + ": " + asset + " has no size in index.json" + render);
    const Result<std::string> svg = readFile(context.dataRoot / "assets" / "formulas" / asset);
    if (!svg.ok())
        context.problem(at, name + ": the file assets/formulas/" + asset + " is missing" + render);
    else if (svg.value().find("<svg") == std::string::npos)
        context.problem(at, name + ": assets/formulas/" + asset + " is no SVG" + render);
}

void lintKernel(const LintContext& context, const Block& block, const KernelBlock& kernel)
{
    const SourceSpan& at = block.at;
    const bool rtl = block.kind == "rtl";
    if (std::error_code none;
        !rtl && !kernel.task.empty() &&
        !std::filesystem::exists(context.dataRoot / "assets" / "tasks" / kernel.task / "task.json", none))
        return context.problem(at,
                               "the kernel task '" + kernel.task + "' is not there; name a folder of assets/tasks/");
    if (kernel.file.empty())
        return;
    const std::string folder = rtl ? "labs/rtl" : "kernels", what = rtl ? "design" : "kernel";
    const Result<std::string> source = readFile(context.dataRoot / folder / kernel.file);
    if (!source.ok())
        return context.problem(at, what + " file '" + folder + "/" + kernel.file +
                                       "' is not there; correct 'file' or add the " + what);
    const auto lines = static_cast<int>(splitLines(normalisedText(source.value())).size());
    for (const int line : kernel.highlight)
        if (line < 1 || line > lines)
            context.problem(at, "'highlight' names line " + std::to_string(line) + ", but " + folder + "/" +
                                    kernel.file + " has " + std::to_string(lines));
}

} // namespace

void lintAssets(const LintContext& context, const LintLesson& file)
{
    for (const ReaderText& text : readerTexts(file.lesson))
        for (const Piece& piece : scanInline(text.text))
            if (piece.kind == PieceKind::Formula)
                lintFormula(context, piece.content,
                            {text.at.file, lineOf(file.text, text.at.line, "$" + piece.content + "$")});
    for (const Block* block : file.lesson.blocks())
        if (const auto* kernel = std::get_if<KernelBlock>(&block->body))
            lintKernel(context, *block, *kernel);
}

} // namespace ridge::lessons
