// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/ptx/token_stream.h"

namespace ridge::gpu::simt {

/// The modifiers of an instruction, taken one by one; what is left over in the end is not supported.
class Modifiers {
public:
    explicit Modifiers(const Instruction& instruction) : m_left(instruction.modifiers) {}

    bool take(std::string_view modifier)
    {
        const auto at = std::find(m_left.begin(), m_left.end(), modifier);
        if (at == m_left.end())
            return false;
        m_left.erase(at);
        return true;
    }
    /// The first one left, removed; empty where there is none.
    std::string_view takeFirst()
    {
        if (m_left.empty())
            return {};
        const std::string_view first = m_left.front();
        m_left.erase(m_left.begin());
        return first;
    }
    /// The last one left, which must be a type.
    ScalarType takeType()
    {
        if (m_left.empty())
            throw Unsupported{"it has no type"};
        const auto type = scalarTypeFromText(m_left.back());
        if (!type)
            throw Unsupported{"its type is not known"};
        m_left.pop_back();
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
    const std::vector<std::string_view>& left() const { return m_left; }
    void end() const
    {
        if (!m_left.empty())
            throw Unsupported{"'." + std::string(m_left.front()) + "' is not supported here"};
    }

private:
    std::vector<std::string_view> m_left;
};

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
