// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_reader.h"

#include <memory>
#include <variant>

namespace ridge {

/// What an expression is worth in one lane. Registers of 16, 32 and 64 bits are whole numbers with sign, those that the
/// PTX declares as floats are floats, predicates 0 and 1.
using StepValue = std::variant<std::int64_t, double>;
bool isTrue(const StepValue& value);
std::string toText(const StepValue& value);

/// An expression over what one lane sees: registers ("%r4", "r4"), lane, warp, thread (linear in the block),
/// threadIdx.x, blockIdx.x, blockDim.x and gridDim.x with .y and .z and the names that the PTX has for them ("%tid.x"
/// or "tid.x", ctaid, ntid, nctaid, laneid, warpid); of the step that the warp takes next its line, active (0 or 1),
/// lanes (how many are active), passes and least (of its access to memory)
/// and depth (calls that the lane is in); shared[offset] and sharedf[offset] (a word
/// of shared memory as int and as float), whole and floating numbers, and the operators of C with their precedence: ||
/// && | ^ & == != <
/// <= > >= << >> + - * / % ! ~ -. C++ names of variables are not known to the PTX.
class StepExpression {
public:
    struct Node;

    /// Errors: "bad-expression" (place: the expression; names the character and what was expected), also for a register
    /// that the kernel does not have.
    static Result<StepExpression> parse(std::string_view text, const StepTrace& trace);

    const std::string& text() const { return m_text; }
    /// At the reader's position. None where it names a register or word that nobody has written, or divides by zero.
    std::optional<StepValue> evaluate(const StepReader& reader, std::uint16_t warp, std::uint32_t lane) const;

private:
    std::string m_text;
    std::shared_ptr<const Node> m_root;
};

/// Where a debugger stops: everything that is set must hold of the step that comes next.
struct StepBreakpoint {
    std::optional<std::uint32_t> sourceLine, ptxLine;
    std::optional<std::uint16_t> warp;
    bool atDivergence = false;               ///< lanes that came together to the warp's step before have parted
    bool atBankConflict = false;             ///< a shared access in more wavefronts than its bytes need
    std::optional<StepExpression> condition; ///< in some active lane
};
bool stopsAt(const StepBreakpoint& breakpoint, const StepReader& reader);

} // namespace ridge
