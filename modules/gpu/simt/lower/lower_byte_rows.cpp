// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_byte_rows.h"

#include "gpu/simt/run/byte_rows.h"

namespace ridge::gpu::simt {

bool lowerByteRows(KernelBuilder& builder, const Instruction& instruction, Modifiers& modifiers)
{
    const bool isLoad = instruction.opcode == "ldmatrix";
    const bool isSquare = isLoad && modifiers.take("m16n16");
    if (!isSquare && !modifiers.take(isLoad ? "m8n16" : "m16n8"))
        return false;
    const std::size_t count = modifiers.take("x4") ? 4 : modifiers.take("x2") ? 2 : modifiers.take("x1") ? 1 : 0;
    const bool turned = modifiers.take("trans");
    const auto space = takeSpaceOf(modifiers);
    const bool widens = modifiers.take("b8x16");
    const bool isSix = widens && modifiers.take("b6x16_p32");
    const bool isFour = widens && !isSix && modifiers.take("b4x16_p64");
    const bool isByte = !widens && modifiers.take("b8");
    modifiers.end();
    const bool isWide = isSquare || !isLoad; // has whole bytes, too
    if (count == 0 || (isSquare && count == 4) || turned != isWide || !(isSix || isFour || (isByte && isWide)) ||
        (widens && !isLoad) || (space && *space != Space::Shared))
        throw Unsupported{"this combination of shape, number and elements does not exist"};
    expectOperands(instruction, 2, 2);
    const Operand& fragment = instruction.operands[isLoad ? 0 : 1];
    const std::size_t registers = isSquare ? 2 * count : count;
    const std::size_t given = fragment.kind == Operand::Kind::Vector ? fragment.parts.size() : 1;
    if (given != registers)
        throw SyntaxError{badPtx(fragment.place, "a fragment of " + std::to_string(registers) +
                                                     " registers is expected, found " + std::to_string(given))};
    MatrixDetail t;
    for (std::size_t at = 0; at < registers; ++at) {
        const Operand& part = fragment.kind == Operand::Kind::Vector ? fragment.parts[at] : fragment;
        (isLoad ? t.planesD : t.planesA)
            .push_back(isLoad ? builder.destination(part, ScalarType::B32) : builder.source(part, ScalarType::B32));
    }
    const RowElement element = isSix ? RowElement::Six : isFour ? RowElement::Four : RowElement::Byte;
    MicroOp op;
    op.flags = static_cast<std::uint32_t>(element) | (isSquare ? kRowsTurned : 0u);
    op.run = isLoad ? findByteRowsLoad() : findByteRowsStore();
    op.e = builder.addMatrix(std::move(t));
    emitAddressed(builder, instruction, instruction.operands[isLoad ? 1 : 0], space,
                  isLoad ? MemoryOp::Load : MemoryOp::Store, op);
    return true;
}

} // namespace ridge::gpu::simt
