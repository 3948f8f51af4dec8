// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/names.h"

#include <map>
#include <set>
#include <unordered_map>

namespace ridge::gpu::simt {

/// Thrown while one instruction is lowered; the kernel goes on, so that all of them are reported at once.
struct Unsupported {
    std::string reason; ///< empty: the instruction as such
};

/// One refused instruction.
struct Refusal {
    std::string kernel;
    std::string instruction;
    std::string reason;
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0;
    bool lacking = false; ///< by the chip; otherwise by the simulator
    auto operator<=>(const Refusal&) const = default;
};

/// Device addresses of the module's .global and .const variables.
/// Under kGridWorkspace the memory that blocks of a cooperative launch meet in.
inline constexpr std::string_view kGridWorkspace = "%grid workspace";
using VariableAddresses = std::map<std::string_view, std::uint64_t>;

/// A micro-op before layout.
struct PendingOp {
    MicroOp op;
    EndKind end = EndKind::Fall; ///< Fall: an ordinary micro-op
    std::uint32_t label = kNone; ///< Branch: label; Table: index of a table of labels
    bool counted = true;         ///< it is a PTX instruction
    bool addDynamicBase = false; ///< imm is relative to dynamic shared memory
    std::uint32_t ptxLine = 0;
    std::uint32_t sourceLine = 0;
    std::uint32_t text = 0;
    std::uint32_t function = 0, inlined = 0; ///< as OpPlace has them
    std::uint32_t statement = kNone;
    std::uint32_t record = kNone;
};

/// What a name stands for.
struct Symbol {
    enum class Kind : std::uint8_t { Register, Range, Address, EntryParam, Label, Targets, Prototype };
    Kind kind = Kind::Register;
    ScalarType type = ScalarType::None; ///< registers
    std::uint32_t plane = kNone;        ///< registers
    std::uint32_t count = 0;            ///< Range
    Space space = Space::Global;        ///< Address; also of an EntryParam
    std::uint64_t address = 0;          ///< in `space`; EntryParam: offset
    std::uint32_t variable = kNone;     ///< Address in shared memory: index into KernelImage::sharedVariables
    bool dynamic = false;               ///< Address past the start of dynamic shared memory
    std::uint32_t label = kNone;        ///< Label: id; Targets: table
    const CallPrototype* prototype = nullptr;
};

/// Names of one function instance, innermost scope last. Every inlined call has its own.
class Scopes {
public:
    void open() { m_scopes.emplace_back(); }
    void close() { m_scopes.pop_back(); }
    std::size_t depth() const { return m_scopes.size(); }
    void declare(std::string_view name, const Symbol& symbol, Place place); ///< throws SyntaxError if taken
    /// Null where the name is unknown. %r12 of a range %r<20> is `range` with its number in `index`.
    Symbol* find(std::string_view name);
    struct Ranged {
        Symbol* range = nullptr;
        std::size_t scope = 0;
    };
    Ranged findRange(std::string_view name);
    void declareAt(std::size_t scope, std::string_view name, const Symbol& symbol) { m_scopes[scope][name] = symbol; }

private:
    std::vector<NameMap<Symbol>> m_scopes;
};

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

/// The functions of a module that a kernel cannot inline: those that can reach themselves, and where a call through a
/// pointer can be reached, those whose address is taken. In the order of the module.
std::vector<const Function*> functionsOutOfLine(const Module& module, const Function& kernel);

/// Whether its own instructions move the stack: alloca, stackrestore (call_graph.cpp).
bool movesStack(const Function& function);

/// Collects one kernel: planes, constants, pending micro-ops, refusals. Errors in the PTX are thrown as SyntaxError.
class KernelBuilder {
public:
    /// `computeCapability`: 10 * major + minor of the chip, whose lacks are refused; 0: of any chip.
    KernelBuilder(const Module& module, const VariableAddresses& addresses, const Function& kernel,
                  int computeCapability);

    // Operands. `type` fixes the width; registers must have exactly it.
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
    std::uint32_t constant(std::uint64_t bits, unsigned bytes);
    std::uint32_t truePredicate() const { return m_true; }
    std::uint32_t carryPredicate();
    std::uint32_t stackPlane() const { return m_stack; } ///< bytes that alloca has taken, of each thread
    std::uint32_t fill(PlaneFill fill);                  ///< the plane, made once

    // Emitting. `instruction` gives guard and place.
    PendingOp& emit(const Instruction& instruction, MicroOp op);
    PendingOp& emitEnd(const Instruction& instruction, EndKind kind, MicroOp op = {});
    std::uint32_t addDetail(const MemoryDetail& detail);
    std::uint32_t addMatrix(MatrixDetail detail);
    std::uint32_t label(const Operand& operand);
    std::uint32_t table(const Operand& operand);
    std::uint32_t newLabel() { return m_labels++; }
    void placeLabel(std::uint32_t label) { m_labelAt[label] = static_cast<std::uint32_t>(m_pending.size()); }

    // Storage.
    std::uint32_t newPlane(unsigned bytes);
    std::uint32_t sharedPlane(unsigned bytes); ///< one that holds the same in every function
    std::uint32_t newPredicate();
    void nameRegister(std::uint32_t plane, std::string_view name, ScalarType type, const Function& owner);
    std::uint64_t newLocal(std::uint64_t bytes, std::uint32_t align, Place place);

    void run(); ///< lowers the kernel's body with everything it calls

    // Function instances (lower_call.cpp).
    void enterCall(const Instruction& instruction);
    void lowerReturn(const Instruction& instruction);
    const Symbol* parameterSlot(const Operand& operand); ///< a .param variable of a call; null: it is none
    std::uint32_t framePlane() const { return m_frame; } ///< of the function being lowered; kNone: at 0
    bool insideFunction() const { return m_function != kNone || m_callStack.size() > 1; } ///< not in the kernel itself

    const Module& module() const { return m_module; }
    std::vector<Refusal>& refusals() { return m_refusals; }
    KernelImage finish(); ///< layout (lower/finish.cpp)

    const Function* callee(std::string_view name) const { return m_module.function(name); }
    const CallPrototype* prototype(const Operand& operand);

private:
    friend class FunctionInstance;
    friend class OutOfLineCall;
    std::optional<std::uint32_t> outOfLineIndex(const Function& function) const;
    void lowerOutOfLine(std::uint32_t index);
    void moveStack(const Instruction& instruction, std::uint32_t to, std::uint32_t from);
    void bindFrame(const Function& function);
    void lowerBody(const Function& function);
    void lowerStatement(const Instruction& instruction);
    // What machine/ needs to know of an instruction (lower/record.cpp).
    void record(const Instruction& instruction, std::size_t firstPending);
    void recordOperand(const Operand& operand);
    std::uint8_t widthOf(std::uint32_t plane) const;
    void recordCopy(PendingOp& pending);
    void declareRegisters(const RegisterDeclaration& declaration);
    void declareVariable(const Variable& variable);
    void declareTargets(const BranchTargets& targets);
    void declareLabels(const Function& function, std::size_t open);
    Symbol variableSymbol(const Variable& variable);
    Symbol* moduleSymbol(std::string_view name);
    Symbol* symbol(std::string_view name);
    Symbol& registerSymbol(const Operand& operand);
    std::uint32_t specialRegister(const Operand& operand, unsigned bytes);
    std::uint32_t immediate(const Operand& operand, ScalarType type);
    std::uint32_t addressPlane(const Symbol& symbol, std::int64_t offset, unsigned bytes);
    std::uint32_t guardOf(const Guard& guard);
    std::uint32_t functionName(std::string_view name);
    std::uint32_t use(std::uint32_t plane, PlaneUse::Role role)
    {
        m_uses.push_back({plane, role});
        return plane;
    }
    void bindParameters();

    const Module& m_module;
    const VariableAddresses& m_addresses;
    const Function& m_kernel;
    const int m_computeCapability;
    KernelImage m_image;
    Scopes* m_scopes = nullptr; ///< of the function instance being lowered
    NameMap<Symbol> m_globals;
    std::vector<const Function*> m_callStack;
    std::uint32_t m_returnLabel = kNone;
    std::uint32_t m_callSiteLine = 0;
    std::vector<PendingOp> m_pending;
    std::vector<PlaneUse> m_uses; ///< of the instruction being lowered
    std::uint32_t m_statement = kNone;
    std::uint32_t m_labels = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> m_labelAt;
    std::vector<std::vector<std::uint32_t>> m_tables; ///< of labels
    std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> m_constants;
    std::map<std::array<std::uint64_t, 5>, std::uint32_t> m_fills;
    std::unordered_map<std::string, std::uint32_t> m_texts;
    std::unordered_map<std::uint32_t, std::uint8_t> m_planeBytes;
    std::uint32_t m_nextPlane = 0;
    std::uint32_t m_predicatePage = 0;
    std::uint32_t m_predicatesLeft = 0;
    std::uint32_t m_true = kNone;
    std::uint32_t m_carry = kNone;
    std::uint32_t m_frame = kNone;
    std::uint32_t m_stack = kNone;
    std::uint32_t m_entryStack = kNone; ///< m_stack when the function being lowered began; kNone: it leaves it alone
    std::vector<const Function*> m_outOfLine;
    std::vector<std::uint32_t> m_entryLabels; ///< of m_outOfLine
    std::uint32_t m_function = kNone;         ///< index of the function being lowered; kNone: the kernel
    FunctionImage* m_recording = nullptr;     ///< takes note of new planes
    const Instruction* m_current = nullptr;   ///< the instruction being lowered
    std::vector<std::pair<std::size_t, std::uint32_t>> m_frameUsers; ///< pending micro-op, function: imm += frame size
    std::uint64_t m_localBytes = 0;
    std::uint64_t m_sharedBytes = 0;
    std::uint32_t m_dynamicAlign = 16;
    std::vector<Refusal> m_refusals;
};

/// Lowers one instruction by its opcode; throws Unsupported or SyntaxError.
void lowerInstruction(KernelBuilder& builder, const Instruction& instruction);

/// The kernels of a module: those that can run, and for each of the others why not.
struct LoweredModule {
    std::vector<KernelImage> kernels;
    std::map<std::string, Error> refused; ///< "unsupported-instruction", by name; all instructions at once
};

/// Lowers every .entry of a module for a chip of 10 * major + minor; 0: whatever the simulator has, no chip asked.
/// Errors: "bad-ptx".
Result<LoweredModule> lowerModule(const Module& module, const VariableAddresses& addresses, int computeCapability = 0);

} // namespace ridge::gpu::simt
