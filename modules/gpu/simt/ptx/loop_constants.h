// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/names.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ridge::gpu::simt {

/// Whole numbers that registers hold at one place of the program.
class LoopConstants {
public:
    std::optional<std::uint64_t> of(const Operand& operand) const;
    std::optional<bool> predicate(std::string_view name) const;
    /// What is written is known afterwards where move, sum, shift or comparison of known numbers write it.
    void execute(const Instruction& instruction);

private:
    std::optional<std::uint64_t> valueOf(const Instruction& instruction) const;

    NameMap<std::optional<std::uint64_t>> m_values; ///< none: no longer known
};

/// Of registers with one definition in the whole function.
LoopConstants constantsOf(std::span<const Statement> body);

} // namespace ridge::gpu::simt
