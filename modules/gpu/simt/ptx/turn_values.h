// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/loop_counter.h"
#include "gpu/simt/ptx/names.h"

#include <map>
#include <string>
#include <unordered_map>

namespace ridge::gpu::simt {

/// What the turns of a loop have in common that stand side by side. Registers have a name of their own in every turn;
/// those of the loop are as they were before the first until they are overwritten. What does not change from turn to
/// turn is computed once; what grows by a number starts from the first turn's value, so that it can become the offset
/// of an address.
class TurnValues {
public:
    /// The register that holds what this instruction computes already.
    std::optional<std::string_view> known(const Instruction& instruction) const;
    void startAtRoot(Instruction& instruction) const;
    /// `isFresh`: the result has a name that nothing else writes.
    void execute(const Instruction& instruction, bool isFresh);
    /// Before execute of what writes a register under the name that it has in other turns, too.
    void overwrite(std::string_view name) { m_overwritten.insert(name); }

private:
    struct Sum {
        std::string_view name;
        std::uint64_t offset = 0; ///< of the numbers in it
    };
    using Roots = std::pair<std::string_view, std::string_view>;
    /// The two registers that such a sum begins with, and the numbers besides.
    std::optional<std::pair<Roots, std::uint64_t>> sumOf(const Instruction& instruction) const;
    std::string keyOf(const Instruction& instruction) const; ///< empty: not the same at all times

    LinearValues m_linear;
    NameSet m_overwritten;
    std::unordered_map<std::string, std::string_view> m_known;
    std::map<std::pair<Roots, std::string_view>, Sum> m_sums; ///< by roots and type
};

} // namespace ridge::gpu::simt
