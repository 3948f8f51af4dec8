// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/listing.h"

#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <map>

namespace ridge::gpu::simt {

namespace {

void appendRange(std::string& text, const RegisterRange& range)
{
    text += text.back() == ' ' ? "R" : ", R";
    text += std::to_string(range.first);
    if (range.count > 1) {
        text += "..R";
        text += std::to_string(range.first + range.count - 1);
    }
}

std::string padded(std::string text, std::size_t width)
{
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

} // namespace

ResourceUse resourceUse(const KernelImage& image, const MachineKernel& kernel, int computeCapability)
{
    ResourceUse use;
    use.kernel = image.name;
    use.registers = kernel.registers;
    use.registersExact = kernel.registersExact;
    use.uniformRegisters = kernel.uniformRegisters;
    use.spillBytes = kernel.spillBytes;
    use.sharedBytes = image.staticSharedBytes;
    use.constantBytes = static_cast<std::uint32_t>(parameterBase(computeCapability)) + image.paramBytes;
    use.localBytes = image.localBytes + kernel.spillBytes;
    use.instructions = kernel.staticInstructions;
    return use;
}

std::string toText(const MachineKernel& kernel, const MachineOp& op)
{
    std::string text = kernel.mnemonics[op.mnemonic];
    text += ' ';
    if (op.destination.count != 0)
        appendRange(text, op.destination);
    for (const RegisterRange& range : op.sources) {
        if (range.count != 0)
            appendRange(text, range);
    }
    if (text.back() == ' ')
        text.pop_back();
    return text;
}

std::vector<ListedLine> listLines(const KernelImage& image, const MachineKernel& kernel)
{
    // By block and PTX line: an inlined function gives one line of PTX several places.
    std::map<std::pair<std::uint32_t, std::uint32_t>, ListedLine> lines;
    const auto lineOf = [&](std::uint32_t microOp) -> ListedLine& {
        const OpPlace& place = image.places[microOp];
        ListedLine& line = lines[{place.block, place.ptxLine}];
        if (line.ptx.empty()) {
            line.ptxLine = place.ptxLine;
            line.sourceLine = place.sourceLine;
            line.block = place.block;
            line.ptx = image.texts[place.text];
        }
        return line;
    };
    for (std::uint32_t microOp = 0; microOp < image.ops.size(); ++microOp)
        lineOf(microOp);
    for (const MachineOp& op : kernel.ops) {
        if (op.covers != kNoMicroOp)
            lineOf(op.covers).machine.push_back(toText(kernel, op));
    }
    std::vector<ListedLine> made;
    made.reserve(lines.size());
    for (auto& [key, line] : lines)
        made.push_back(std::move(line));
    return made;
}

std::string listingText(const KernelImage& image, const MachineKernel& kernel)
{
    std::string text = "PTX line  source  PTX                            machine instructions\n";
    for (const ListedLine& line : listLines(image, kernel)) {
        std::string row = padded(std::to_string(line.ptxLine), 10);
        row += padded(line.sourceLine == 0 ? "-" : std::to_string(line.sourceLine), 8);
        row += padded(line.ptx, 31);
        if (line.machine.empty())
            row += "-";
        for (std::size_t at = 0; at < line.machine.size(); ++at) {
            if (at != 0) {
                row += '\n';
                row.append(49, ' ');
            }
            row += line.machine[at];
        }
        text += row;
        text += '\n';
    }
    return text;
}

} // namespace ridge::gpu::simt
