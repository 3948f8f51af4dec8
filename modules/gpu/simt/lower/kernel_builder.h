// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/pending_op.h"
#include "gpu/simt/lower/symbol_table.h"
#include "gpu/simt/lower/unsupported.h"

namespace ridge::gpu::simt {

/// Where a memory operand points: a plane plus an immediate.
struct AddressOperand {
    Space space = Space::Generic; ///< what the symbol says; Generic for a register
    bool isSymbol = false;
    std::uint32_t plane = kNone;
    bool wide = true;
    std::int64_t offset = 0;
    bool dynamic = false;
    bool entryParam = false; ///< plane is unused, offset is in the kernel's parameters
};

/// A function whose body is being lowered: the kernel, one that is inlined into another, or one that is called.
struct FunctionInstance {
    const Function* function = nullptr;
    Scopes* scopes = nullptr;
    std::size_t depth = 0;             ///< inlined functions around it, itself included
    std::uint32_t returnLabel = kNone; ///< where ret goes from an inlined one
    std::uint32_t callSiteLine = 0;    ///< of an inlined one
    std::uint32_t called = kNone;      ///< index in CalledFunctions; kNone: the kernel, with what is inlined into it
    std::uint32_t frame = kNone;       ///< plane of where its frame lies; kNone: at 0
    std::uint32_t entryStack = kNone;  ///< plane: what the stack held when it began; kNone: it leaves that alone
};

/// The functions that the kernel calls rather than inlines.
struct CalledFunctions {
    std::vector<const Function*> functions;
    std::vector<std::uint32_t> entries; ///< labels
    /// Pending micro-ops to whose imm the size of a frame is added, and of which function; kNone: the kernel.
    std::vector<std::pair<std::size_t, std::uint32_t>> frameUsers;
};

/// The PTX statement that is being lowered.
struct OpenStatement {
    std::uint32_t index = kNone; ///< in KernelImage::statements
    const Instruction* instruction = nullptr;
    std::vector<PlaneUse> uses;
};

/// What the lowering of an instruction asks: the planes of its operands, and a place for its micro-ops. The parts of
/// the kernel that it fills have classes of their own. Errors in the PTX are thrown as SyntaxError.
class KernelBuilder {
public:
    /// `computeCapability`: 10 * major + minor of the chip, whose lacks are refused; 0: of any chip.
    KernelBuilder(const Module& module, const VariableAddresses& addresses, const Function& kernel,
                  int computeCapability);

    // Operands (operands.cpp). `type` fixes the width; registers must have exactly it.
    std::uint32_t source(const Operand& operand, ScalarType type);
    std::uint32_t destination(const Operand& operand, ScalarType type); ///< Sink: a plane nobody reads
    /// Registers at least as wide as `type`; the width found comes back. For ld, st and cvt.
    std::uint32_t sourceAtLeast(const Operand& operand, ScalarType type, unsigned& registerBytes);
    std::uint32_t destinationAtLeast(const Operand& operand, ScalarType type, unsigned& registerBytes);
    std::uint32_t predicateSource(const Operand& operand, bool& negated);
    std::uint32_t predicateDestination(const Operand& operand); ///< Sink: kNone
    AddressOperand address(const Operand& operand);
    /// All of an address in one 64-bit plane, for instructions with several addresses.
    std::uint32_t addressInPlane(const Instruction& instruction, const AddressOperand& address);
    ScalarType registerType(const Operand& operand); ///< None where it is not a register
    std::uint32_t label(const Operand& operand);
    std::uint32_t table(const Operand& operand);
    Symbol* symbol(std::string_view name); ///< null where it is unknown
    std::uint32_t special(const Operand& operand, unsigned bytes);

    // RegisterFile beside those of operands.
    std::uint32_t constant(std::uint64_t bits, unsigned bytes) { return m_registers.constant(bits, bytes); }
    std::uint32_t fill(const PlaneFill& fill) { return m_registers.fill(fill); }
    std::uint32_t newPlane(unsigned bytes) { return m_registers.make(bytes); }
    std::uint32_t newPredicate() { return m_registers.makePredicate(); }
    std::uint32_t truePredicate() const { return m_registers.truePredicate(); }
    std::uint32_t carryPredicate() { return m_registers.carryPredicate(); }
    std::uint32_t stackPlane() const { return m_stack; }         ///< bytes that alloca has taken, of each thread
    std::uint32_t use(std::uint32_t plane, PlaneUse::Role role); ///< notes it of the statement; gives the plane

    // Micro-ops. `instruction` gives guard and place.
    PendingOp& emit(const Instruction& instruction, MicroOp op);
    PendingOp& emitEnd(const Instruction& instruction, EndKind kind, MicroOp op = {});
    std::uint32_t addDetail(const MemoryDetail& detail);
    std::uint32_t addMatrix(MatrixDetail detail);
    std::uint32_t text(const std::string& text); ///< its index in KernelImage::texts
    void placeLabel(std::uint32_t label) { m_labels.place(label, m_pending.size()); }

    // Statements, one within another where a call is inlined: begin() gives what end() takes.
    OpenStatement begin(const Instruction& instruction);
    void end(OpenStatement outer);
    void refuse(const Instruction& instruction, std::string reason, bool lacking = false);
    void refuse(Refusal refusal) { m_refusals.push_back(std::move(refusal)); }
    std::vector<Refusal>& refusals() { return m_refusals; }

    // The function that is being lowered.
    FunctionInstance& inside() { return m_inside; }
    std::uint32_t framePlane() const { return m_inside.frame; }
    bool insideFunction() const
    {
        return m_inside.called != kNone || m_inside.depth != 0;
    } ///< not in the kernel itself

    // The parts.
    const Module& module() const { return m_module; }
    const Function& kernel() const { return m_kernel; }
    int computeCapability() const { return m_computeCapability; }
    KernelImage& image() { return m_image; }
    RegisterFile& registers() { return m_registers; }
    Labels& labels() { return m_labels; }
    VariableLayout& layout() { return m_layout; }
    SymbolTable& symbols() { return m_symbols; }
    CalledFunctions& called() { return m_called; }
    std::vector<PendingOp>& pending() { return m_pending; }

    /// Before the first body, where any function moves the stack.
    void makeStack() { m_stack = m_registers.makeShared(8); }
    KernelImage finish();

private:
    Symbol& registerSymbol(const Operand& operand);
    std::uint32_t immediate(const Operand& operand, ScalarType type);
    std::uint32_t addressPlane(const Symbol& symbol, std::int64_t offset, unsigned bytes);
    std::uint32_t guardOf(const Guard& guard);
    std::uint32_t functionName(std::string_view name);

    const Module& m_module;
    const VariableAddresses& m_addresses;
    const Function& m_kernel;
    const int m_computeCapability;
    KernelImage m_image;
    RegisterFile m_registers;
    Labels m_labels;
    VariableLayout m_layout;
    SymbolTable m_symbols;
    CalledFunctions m_called;
    FunctionInstance m_inside;
    OpenStatement m_statement;
    std::vector<PendingOp> m_pending;
    std::unordered_map<std::string, std::uint32_t> m_texts;
    std::uint32_t m_stack = kNone;
    std::vector<Refusal> m_refusals;
};

/// Lowers one instruction by its opcode; throws Unsupported or SyntaxError.
void lowerInstruction(KernelBuilder& builder, const Instruction& instruction);

} // namespace ridge::gpu::simt
