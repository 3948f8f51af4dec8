// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/names.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ridge::gpu::simt {

/// What registers hold at one place of a loop's body: a register's value at the start of the body, and a number.
class LinearValues {
public:
    struct Value {
        std::string_view root; ///< a register, as it was at the start
        std::uint64_t offset = 0;
    };

    /// None: something else. A register that was not written holds itself.
    std::optional<Value> of(std::string_view name) const;
    void execute(const Instruction& instruction);

private:
    NameMap<std::optional<Value>> m_values;
};

/// How a loop counts whose number of turns shows only at run time: in each turn step is added to name, and the loop
/// goes on where name TEST bound holds then.
struct LoopCounter {
    enum class Test : std::uint8_t { Less, LessEqual, Greater, GreaterEqual, NotEqual };
    std::string_view name;
    ScalarType type = ScalarType::None; ///< of the comparison; whole numbers of 32 or 64 bits
    Test test = Test::Less;
    Operand bound; ///< a number, or a register that the loop does not write
    std::int64_t step = 0;

    /// What tells whether so many turns can be made without a look at the bound between them.
    struct TurnTest {
        std::vector<Statement> before; ///< once
        std::vector<Statement> each;   ///< before every such group of turns; leaves the answer in a predicate
    };
    /// Never says so wrongly, whatever overflows. `holds` is the predicate, `scratch` a register of the counter's type.
    /// Nothing: no number of turns can be told so.
    std::optional<TurnTest> testFor(unsigned turns, std::string_view holds, std::string_view scratch,
                                    Place place) const;
};

/// Of the loop whose instructions are `body`, the branch back last.
std::optional<LoopCounter> counterOf(std::span<const Statement> body);

/// Whether ptxas 13.0 puts four turns of such a loop side by side. Found by asking it for sm_75 to sm_120 with loops of
/// 4 to 130 instructions: up to 21 where nothing is loaded; 5 more for each load of shared memory; up to 50 with a load
/// of global memory; accesses of global memory and stores count twice, loads of shared memory not at all (up to 33 of
/// them). A warp's exchange, a fence or a division that needs a call keep the loop as it is.
bool isUnrolledAtRunTime(std::span<const Statement> body);

} // namespace ridge::gpu::simt
