// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/machine/lists.h"

#include <map>
#include <string_view>
#include <vector>

namespace ridge::gpu::simt {

/// The kernel between PTX and machine instructions: PTX instructions whose operands are variables (planes), constants
/// and places in the constant bank. Passes rewrite it; expand_*.cpp turns what is left into machine instructions.

/// Compute capabilities from which code is made in another way. Source: SASS of ptxas 13.0 for 7.5 to 12.1.
inline constexpr int kUniformPipe = 75;          ///< a sub-core has one, and a warp registers of its own
inline constexpr int kConstantsInRegisters = 90; ///< constants are loaded before arithmetic uses them

enum class Opcode : std::uint8_t {
    Other, ///< one machine instruction of its own name
    Add,
    Sub,
    Mul,
    Mad,
    Fma,
    Div,
    Rem,
    Min,
    Max,
    Abs,
    Neg,
    Sqrt,
    Rcp,
    Rsqrt,
    Sin,
    Cos,
    Ex2,
    Lg2,
    Tanh,
    CopySign,
    Sad,
    And,
    Or,
    Xor,
    Not,
    Cnot,
    Shl,
    Shr,
    Shf,
    Popc,
    Clz,
    Brev,
    Bfind,
    Bfe,
    Bfi,
    Bmsk,
    Prmt,
    Lop3,
    Dp4a,
    AddCarry,
    Mov,
    Cvt,
    Cvta,
    Setp,
    Set,
    Selp,
    Slct,
    Ld,
    St,
    Atom,
    Red,
    Bra,
    Brx,
    Exit,
    Trap,
    Call,
    Shfl,
    Vote,
    Match,
    Redux,
    ActiveMask,
    Bar,
    Membar,
    Nanosleep,
    Mma,
    WmmaLoad,
    WmmaStore,
    LdMatrix,
    CopyAsync,
    CopyWait,
    Mbarrier,
    Wgmma,
    Add3,        ///< made by fuse: a + b + c
    ShiftAdd,    ///< made by fuse: (a << k) + b; 64 bits: a may be a sign- or zero-extended word
    ReadSpecial, ///< made by read: a special register
    ReadClock    ///< mov from the clock: keeps its place among all instructions
};

enum NodeFlags : std::uint32_t {
    kFlagWide = 1,
    kFlagHi = 2,
    kFlagFtz = 4,
    kFlagSat = 8,
    kFlagApprox = 16,
    kFlagFull = 32,
    kFlagCarryIn = 64,
    kFlagCarryOut = 128,
    kFlagSignedA = 256,    ///< ShiftAdd of 64 bits: a is a signed word
    kFlagUnsignedA = 512,  ///< ShiftAdd of 64 bits: a is an unsigned word
    kFlagDirected = 1024,  ///< rounds other than to nearest
    kFlagOwnResult = 2048, ///< under a guard, and nobody reads what the result's register held before
};

/// Set in the place of a constant that lies in the bank of .const variables.
inline constexpr std::uint64_t kConstBank = std::uint64_t{3} << 48;

struct Value {
    enum class Kind : std::uint8_t { None, Variable, Immediate, Constant };
    Kind kind = Kind::None;
    std::uint8_t bytes = 4; ///< 0: a predicate
    bool negated = false;   ///< predicates: not; numbers: minus
    bool absolute = false;
    std::uint32_t variable = 0;
    std::uint64_t bits = 0; ///< Immediate: value; Constant: byte in the constant bank

    bool isVariable() const { return kind == Kind::Variable; }
    bool isImmediate() const { return kind == Kind::Immediate; }
    static Value ofVariable(std::uint32_t variable, std::uint8_t bytes)
    {
        Value made;
        made.kind = Kind::Variable;
        made.bytes = bytes;
        made.variable = variable;
        return made;
    }
    static Value ofImmediate(std::uint64_t bits, std::uint8_t bytes)
    {
        Value made;
        made.kind = Kind::Immediate;
        made.bytes = bytes;
        made.bits = bits;
        return made;
    }
};

struct CodeVariable {
    std::uint8_t bytes = 4;        ///< 0: a predicate; 16-bit registers count as 4
    bool varies = false;           ///< may differ between the lanes of a warp
    bool uniform = false;          ///< kept once for a warp
    std::uint32_t definitions = 0; ///< guarded ones count double where the old value lives on
    std::uint32_t uses = 0;
    std::uint32_t definition = kNone; ///< node; the last one where there are several
};

struct Node {
    Opcode op = Opcode::Other;
    ScalarType type = ScalarType::None;
    ScalarType from = ScalarType::None; ///< cvt
    std::uint32_t flags = 0;
    std::uint8_t count = 1; ///< elements of a vector access; mma: machine instructions
    Space space = Space::Generic;
    bool dead = false;
    std::vector<Value> results;
    std::vector<Value> sources; ///< memory: the address first
    std::int64_t offset = 0;    ///< memory: added to the address; ShiftAdd: the shift; ReadSpecial: kind * 4 + axis
    Value guard;                ///< None: always
    std::uint32_t block = 0;
    std::uint32_t microOp = kNone; ///< the first it stands for
    std::uint32_t microOps = 0;
    std::uint32_t text = 0; ///< of KernelImage::texts
};

struct CodeBlock {
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint32_t> successors;
    std::vector<std::uint32_t> predecessors;
    std::uint32_t depth = 0;         ///< loops around it
    std::uint32_t dominator = kNone; ///< nearest other block on every way from the entry; kNone: the entry itself
};

struct Code {
    const KernelImage* image = nullptr;
    int capability = 80;
    std::vector<CodeVariable> variables;
    std::vector<Node> nodes;
    std::vector<CodeBlock> blocks;

    std::uint32_t newVariable(std::uint8_t bytes)
    {
        CodeVariable made;
        made.bytes = bytes;
        variables.push_back(made);
        return static_cast<std::uint32_t>(variables.size() - 1);
    }
    /// The node that alone defines this value; null where there is none.
    Node* definition(const Value& value)
    {
        if (!value.isVariable())
            return nullptr;
        const CodeVariable& variable = variables[value.variable];
        return variable.definitions == 1 && variable.definition != kNone ? &nodes[variable.definition] : nullptr;
    }
    /// Whether the value is the same wherever it can be read: moving a read of it is allowed.
    bool isStable(const Value& value) const
    {
        return !value.isVariable() || variables[value.variable].definitions <= 1;
    }
    std::uint32_t uses(const Value& value) const { return value.isVariable() ? variables[value.variable].uses : 0; }
    bool has(const Node& node, std::string_view modifier) const;
    std::string_view text(const Node& node) const { return image->texts[node.text]; }
};

/// How many low bits of a value are zero whatever runs: what wide accesses and disjoint `or`s rest on. Reads the code
/// as it is; make it anew after a pass that changes nodes.
class Alignments {
public:
    static constexpr int kAny = 32;
    explicit Alignments(const Code& code);
    int of(const Value& value) { return of(value, 0); }
    /// A bit that is clear here is zero in every value.
    std::uint64_t mayBeSet(const Value& value) { return mayBeSet(value, 0); }

private:
    int of(const Value& value, int depth);
    int ofNode(const Node& node, int depth);
    std::uint64_t mayBeSet(const Value& value, int depth);

    const Code& m_code;
    Lists<std::uint32_t> m_definitions; ///< nodes, of each variable
    std::map<std::uint32_t, int> m_known;
};

/// Where the parameters start in the constant bank: c[0][0x160] and so on in any kernel's disassembly.
std::uint64_t parameterBase(int computeCapability);

/// Nodes, variables and blocks of a kernel (read.cpp).
Code readCode(const KernelImage& image, int computeCapability);

/// Counts definitions and uses anew.
void countUses(Code& code);
/// Adds (sign 1) or takes away (-1) what one node writes and reads. A variable that others define too keeps the wrong
/// one of them as CodeVariable::definition, which nobody asks for then.
void countNode(Code& code, std::uint32_t at, int sign);

/// Sums, products, logic, shifts, comparisons, selections, conversions without a carry: made of the sources alone, by
/// instructions that neither branch nor call (share.cpp).
bool isPlainArithmetic(const Node& node);

/// What one predicate alone writes and reads needs no guard where it is arithmetic: it can be merged and moved like any
/// other value; nobody asks what such a load's register held before (guards.cpp).
void freeGuards(Code& code);

/// The matrix that wmma.load, wmma.store or a product means; null for others (fragment_code.cpp).
const MatrixDetail* fragmentOf(const Code& code, const Node& node);

/// Where lanes of wmma.load and wmma.store stand in memory becomes arithmetic of its own, which is done once; registers
/// that repeat others are neither loaded nor multiplied (fragment_code.cpp).
void placeFragments(Code& code);

/// ld.param, special registers, mov and cvta become operands of what reads them (fold.cpp).
void foldOperands(Code& code);

/// Values that one block computes twice are computed once; addresses in shared memory that differ by a constant have
/// one base register (share.cpp). What a compiler's front end leaves in one turn of a loop stands there many times once
/// the loop is unrolled.
void shareValues(Code& code);
void shareAddresses(Code& code);

/// Products and sums of floats that name no rounding become one operation, as ptxas makes it unless it is told not to
/// (contract.cpp).
void contract(Code& code);

/// Address arithmetic, multiply-add, shift-add, three-operand logic, predicates (fuse.cpp).
void fuse(Code& code);
/// Both halves of one product of words come from one instruction (contract.cpp): a node with two results.
void pairProducts(Code& code);

/// Whether at most one lane of a warp gets here, as ptxas judges it: only where a number that grows by one from lane to
/// lane equals one that is the same in all (lone_lane.cpp). After markVarying.
bool isLoneLane(Code& code, const Node& node);

/// Shifts of shared-memory addresses go into the instructions that have room for them (fuse.cpp).
void scaleAddresses(Code& code);

/// Loop counters and addresses that begin with a number or a parameter, move by a number and are read by integer
/// arithmetic alone are kept in uniform registers, as ptxas keeps them; what is itself the address of a load is not
/// (uniform.cpp). After markVarying.
void markUniform(Code& code);

/// A select between a value and what one operation makes of it becomes that operation under a predicate (select.cpp).
void guardSelects(Code& code);

/// Copies at the ends of blocks vanish where the value can be made in place (coalesce.cpp).
void coalesceCopies(Code& code);

/// Scalar loads of neighbouring shared-memory words become one wide load where alignment allows (merge_loads.cpp).
/// The code as it was before; none where there were none.
std::optional<Code> mergeLoads(Code& code);

/// Nodes whose results nobody reads become dead (fold.cpp).
void removeDead(Code& code);

} // namespace ridge::gpu::simt
