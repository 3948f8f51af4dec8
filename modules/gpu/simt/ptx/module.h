// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/lexer.h"
#include "gpu/simt/ptx/types.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace ridge::gpu::simt {

/// PTX as written: names are not yet looked up, opcodes not yet understood. All views point into the module's text.

struct Operand {
    enum class Kind : std::uint8_t {
        Name,    ///< register, variable, label, function; `component` is "x" for %tid.x
        Integer, ///< bits
        Single,  ///< bits of an f32 literal
        Double,  ///< bits of an f64 literal
        Vector,  ///< {a, b, …}
        Memory,  ///< [parts[0] + offset]
        List,    ///< (a, b, …) of a call
        Pair,    ///< a|b
        Sink,    ///< _
    };
    Kind kind = Kind::Name;
    bool negated = false; ///< !p
    bool minus = false;   ///< -a, of vmad
    std::string_view text;
    std::string_view component;
    std::uint64_t bits = 0;
    std::int64_t offset = 0;
    std::vector<Operand> parts; ///< of a Name: the indices of v[1][2]
    Place place;
};

struct Guard {
    std::string_view name; ///< empty: none
    bool negated = false;
    Place place;
};

struct Instruction {
    Guard guard;
    std::string_view opcode;
    std::vector<std::string_view> modifiers;
    std::vector<Operand> operands;
    Place place;
    std::uint32_t sourceLine = 0; ///< in the kernel's own source file; 0: not known

    /// "ld.global.f32"
    std::string text() const;
    bool has(std::string_view modifier) const;
};

struct RegisterDeclaration {
    ScalarType type = ScalarType::None;
    std::string_view name;
    std::uint32_t count = 0; ///< %r<count>; 0: the one register `name`
    Place place;
};

/// One element of an initialiser: a number, or the address of a variable.
struct Initializer {
    Number number;
    std::string_view symbol; ///< empty: `number`
    std::int64_t offset = 0;
    std::int8_t byte = -1; ///< of the address, which is all of it where this is negative
    Place place;
};

struct Variable {
    Space space = Space::Global;
    ScalarType type = ScalarType::None;
    std::uint32_t align = 1;
    std::string_view name;
    std::uint64_t bytes = 0; ///< 0: of open size, as in .extern .shared
    std::uint32_t lanes = 1; ///< of a vector
    bool isArray = false;
    bool isExternal = false;
    bool isRegister = false; ///< a .reg parameter of a function
    std::vector<Initializer> initializers;
    Place place;
};

struct Label {
    std::string_view name;
    Place place;
    bool nounroll = false; ///< .pragma "nounroll" stands behind it
};
struct ScopeOpen {};
struct ScopeClose {};
struct BranchTargets {
    std::string_view name;
    std::vector<std::string_view> labels;
    Place place;
};
/// What an indirect call expects of the function: its results and parameters, or functions that show them.
struct CallPrototype {
    std::string_view name;
    std::vector<Variable> results;
    std::vector<Variable> parameters;
    std::vector<std::string_view> targets; ///< .calltargets
    Place place;
};
using Statement = std::variant<Instruction, Label, RegisterDeclaration, Variable, ScopeOpen, ScopeClose, BranchTargets,
                               CallPrototype>;

struct Function {
    std::string_view name;
    bool isEntry = false;
    bool hasBody = false;
    std::vector<Variable> results;
    std::vector<Variable> parameters;
    std::vector<Statement> body;
    std::array<std::uint32_t, 3> requiredThreads{}; ///< .reqntid; 0: none
    std::array<std::uint32_t, 3> maximumThreads{};  ///< .maxntid; 0: none
    std::uint32_t maximumRegisters = 0;             ///< .maxnreg; 0: none
    std::uint32_t minimumBlocks = 0;                ///< .minnctapersm; 0: none
    std::array<std::uint32_t, 3> requiredCluster{}; ///< .reqnctapercluster; 0: none
    std::uint32_t maximumCluster = 0;               ///< .maxclusterrank; 0: none
    bool explicitCluster = false;                   ///< .explicitcluster
    bool countsClusters = false;                    ///< .blocksareclusters: the grid of a launch counts clusters
    Place place;
};

struct Module {
    int versionMajor = 0;
    int versionMinor = 0;
    std::string target;   ///< "sm_80"
    int targetNumber = 0; ///< 80
    std::vector<Function> functions;
    std::vector<Variable> variables;
    std::shared_ptr<std::deque<std::string>> madeNames; ///< of registers that no PTX declared (unroll.h)

    const Function* function(std::string_view name) const; ///< with a body if there is one
};

/// The value of a pointer to functions[index]; pointers to functions are no addresses of anything else.
inline constexpr std::uint64_t kFunctionWindow = 0x7c00'0000'0000u;
inline std::uint64_t functionAddress(std::size_t index)
{
    return kFunctionWindow + 16 * (index + 1);
}

/// Errors: "bad-ptx" (syntax, with line and column), "unsupported-ptx" (version or target unknown).
/// The result views `text`, which must outlive it.
Result<Module> parsePtx(std::string_view text);

} // namespace ridge::gpu::simt
