// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/ptx/token_stream.h"

#include <algorithm>
#include <array>
#include <span>

namespace ridge::gpu::simt {

/// The modifiers of an instruction, taken one by one; what is left over in the end is not supported.
class Modifiers {
public:
    /// Throws Unsupported where there are more than any instruction has.
    explicit Modifiers(const Instruction& instruction) : m_count(instruction.modifiers.size())
    {
        if (m_count > m_all.size())
            throw Unsupported{"it has " + std::to_string(m_count) + " modifiers"};
        std::copy(instruction.modifiers.begin(), instruction.modifiers.end(), m_all.begin());
    }

    bool take(std::string_view modifier)
    {
        const auto all = left();
        const auto at = std::find(all.begin(), all.end(), modifier);
        if (at == all.end())
            return false;
        erase(static_cast<std::size_t>(at - all.begin()));
        return true;
    }
    /// The first one left, removed; empty where there is none.
    std::string_view takeFirst()
    {
        if (m_count == 0)
            return {};
        const std::string_view first = m_all[0];
        erase(0);
        return first;
    }
    /// The last one left, which must be a type.
    ScalarType takeType()
    {
        if (m_count == 0)
            throw Unsupported{"it has no type"};
        const auto type = scalarTypeFromText(m_all[m_count - 1]);
        if (!type)
            throw Unsupported{"its type is not known"};
        --m_count;
        return *type;
    }
    std::optional<Rounding> takeRounding()
    {
        if (take("rn"))
            return Rounding::Nearest;
        if (take("rz"))
            return Rounding::Zero;
        if (take("rm"))
            return Rounding::Down;
        if (take("rp"))
            return Rounding::Up;
        return std::nullopt;
    }
    std::span<const std::string_view> left() const { return {m_all.data(), m_count}; }
    void end() const
    {
        if (m_count != 0)
            throw Unsupported{"'." + std::string(m_all[0]) + "' is not supported here"};
    }

private:
    void erase(std::size_t at)
    {
        std::copy(m_all.data() + at + 1, m_all.data() + m_count, m_all.data() + at);
        --m_count;
    }

    std::array<std::string_view, 16> m_all;
    std::size_t m_count;
};

/// Those left, to go through while some are taken.
inline std::vector<std::string_view> words(const Modifiers& modifiers)
{
    return {modifiers.left().begin(), modifiers.left().end()};
}

/// Checks the number of operands; a wrong one is a mistake in the PTX.
inline void expectOperands(const Instruction& instruction, std::size_t least, std::size_t most)
{
    const std::size_t count = instruction.operands.size();
    if (count < least || count > most)
        throw SyntaxError{badPtx(instruction.place, "'" + instruction.text() + "' has " + std::to_string(count) +
                                                        " operands in place of " + std::to_string(least))};
}

/// Emits `key`'s operation or refuses it.
inline void emitLanes(KernelBuilder& builder, const Instruction& instruction, const LaneKey& key, MicroOp op)
{
    op.run = findLaneOp(key);
    if (op.run == nullptr)
        throw Unsupported{};
    builder.emit(instruction, op);
}

} // namespace ridge::gpu::simt
