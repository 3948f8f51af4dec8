// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/misc_ops.h"

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kMaxCallDepth = 64;

void lowerBranch(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    modifiers.take("uni");
    modifiers.end();
    expectOperands(instruction, 1, 1);
    const std::uint32_t label = builder.label(instruction.operands[0]);
    builder.emitEnd(instruction, EndKind::Branch).label = label;
}

void lowerIndexedBranch(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    if (!modifiers.take("idx"))
        throw Unsupported{};
    modifiers.take("uni");
    modifiers.end();
    expectOperands(instruction, 2, 2);
    MicroOp op;
    op.a = builder.source(instruction.operands[0], ScalarType::U32);
    const std::uint32_t table = builder.table(instruction.operands[1]);
    builder.emitEnd(instruction, EndKind::Table, op).label = table;
}

void lowerExit(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 0, 0);
    builder.emitEnd(instruction, EndKind::Exit);
}

void lowerTrap(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 0, 0);
    builder.emitEnd(instruction, EndKind::Trap);
}

void lowerRet(KernelBuilder& builder, const Instruction& instruction)
{
    expectOperands(instruction, 0, 0);
    builder.lowerReturn(instruction);
}

void lowerCall(KernelBuilder& builder, const Instruction& instruction)
{
    builder.enterCall(instruction);
}

/// call (results), name, (arguments): what is absent is empty.
struct CallParts {
    const Operand* callee = nullptr;
    std::vector<Operand> results;
    std::vector<Operand> arguments;
};

CallParts splitCall(const Instruction& instruction)
{
    CallParts parts;
    for (const Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::List)
            (parts.callee == nullptr ? parts.results : parts.arguments) = operand.parts;
        else if (parts.callee == nullptr)
            parts.callee = &operand;
        else
            throw Unsupported{"indirect calls are not supported"};
    }
    if (parts.callee == nullptr || parts.callee->kind != Operand::Kind::Name)
        throw SyntaxError{badPtx(instruction.place, "a call names the function it calls")};
    return parts;
}

LaneKey moveKey(ScalarType type)
{
    return {type == ScalarType::Pred ? LaneOp::PredicateMov : LaneOp::Mov, type};
}

} // namespace

/// One inlined call: a scope of its own, its parameters bound to the caller's storage.
class FunctionInstance {
public:
    FunctionInstance(KernelBuilder& builder, const Instruction& call, const Function& function)
        : m_builder(builder), m_call(call), m_function(function)
    {
    }

    void lower(const CallParts& parts)
    {
        if (parts.results.size() != m_function.results.size() || parts.arguments.size() != m_function.parameters.size())
            throw SyntaxError{badPtx(m_call.place, "the call of '" + std::string(m_function.name) +
                                                       "' does not fit its declaration")};
        m_inner.open();
        for (std::size_t at = 0; at < parts.arguments.size(); ++at)
            bind(m_function.parameters[at], parts.arguments[at], true);
        for (std::size_t at = 0; at < parts.results.size(); ++at)
            bind(m_function.results[at], parts.results[at], false);
        // The call is one instruction; its guard sends the lanes that do not call past the body.
        const std::uint32_t after = m_builder.newLabel();
        Instruction branch = m_call;
        branch.guard.negated = !branch.guard.negated;
        PendingOp& skip = m_builder.emitEnd(branch, EndKind::Branch);
        skip.label = after;
        if (branch.guard.name.empty())
            skip.op.guardFlip = ~std::uint32_t{0}; // nobody skips
        lowerInside(after);
        m_builder.placeLabel(after);
        for (const auto& [target, value] : m_registerResults)
            copy(target, value);
    }

private:
    struct RegisterCopy {
        std::uint32_t plane;
        ScalarType type;
    };

    void lowerInside(std::uint32_t after)
    {
        Scopes* const outerScopes = m_builder.m_scopes;
        const std::uint32_t outerReturn = m_builder.m_returnLabel;
        const std::uint32_t outerLine = m_builder.m_callSiteLine;
        m_builder.m_scopes = &m_inner;
        m_builder.m_returnLabel = after;
        m_builder.m_callSiteLine = m_call.sourceLine != 0 ? m_call.sourceLine : outerLine;
        m_builder.m_callStack.push_back(&m_function);
        m_builder.lowerBody(m_function);
        m_builder.m_callStack.pop_back();
        m_builder.m_scopes = outerScopes;
        m_builder.m_returnLabel = outerReturn;
        m_builder.m_callSiteLine = outerLine;
    }

    void bind(const Variable& formal, const Operand& actual, bool isArgument)
    {
        Symbol symbol;
        if (formal.isRegister) {
            symbol.type = formal.type;
            const bool isPredicate = formal.type == ScalarType::Pred;
            symbol.plane = isPredicate ? m_builder.newPredicate() : m_builder.newPlane(sizeOf(formal.type));
            if (isArgument)
                copy({symbol.plane, formal.type}, {m_builder.source(actual, formal.type), formal.type});
            else
                m_registerResults.push_back(
                    {{m_builder.destination(actual, formal.type), formal.type}, {symbol.plane, formal.type}});
        } else {
            const Symbol* storage = actual.kind == Operand::Kind::Name ? m_builder.symbol(actual.text) : nullptr;
            if (storage == nullptr || storage->kind != Symbol::Kind::Address || storage->space != Space::Local)
                throw SyntaxError{
                    badPtx(actual.place, "a .param variable is expected for '" + std::string(formal.name) + "'")};
            symbol = *storage;
        }
        m_inner.declare(formal.name, symbol, formal.place);
    }

    void copy(RegisterCopy to, RegisterCopy from)
    {
        MicroOp op;
        op.a = op.b = from.plane;
        op.d = to.plane;
        op.run = findLaneOp(moveKey(to.type));
        if (op.run == nullptr)
            throw Unsupported{};
        m_builder.emit(m_call, op).counted = false;
    }

    KernelBuilder& m_builder;
    const Instruction& m_call;
    const Function& m_function;
    Scopes m_inner;
    std::vector<std::pair<RegisterCopy, RegisterCopy>> m_registerResults;
};

namespace {

struct SystemRow {
    std::string_view name;
    SystemCall call;
    std::size_t arguments;
};

constexpr std::array<SystemRow, 4> kSystem{{{"vprintf", SystemCall::Printf, 2},
                                            {"malloc", SystemCall::Malloc, 1},
                                            {"free", SystemCall::Free, 1},
                                            {"__assertfail", SystemCall::AssertFail, 5}}};

/// Where a .param variable of the caller lies in local memory.
std::uint32_t slotOf(KernelBuilder& builder, const Operand& operand)
{
    const Symbol* storage = builder.parameterSlot(operand);
    if (storage == nullptr)
        throw SyntaxError{badPtx(operand.place, "a .param variable is expected here")};
    return static_cast<std::uint32_t>(storage->address);
}

/// Whether the call was one of the functions that the device runtime provides.
bool emitSystemCall(KernelBuilder& builder, const Instruction& instruction, const CallParts& parts)
{
    const auto row = std::find_if(kSystem.begin(), kSystem.end(),
                                  [&](const SystemRow& r) { return r.name == parts.callee->text; });
    if (row == kSystem.end())
        return false;
    if (parts.arguments.size() != row->arguments || parts.results.size() > 1)
        throw SyntaxError{badPtx(instruction.place, "'" + std::string(row->name) + "' takes " +
                                                        std::to_string(row->arguments) + " arguments")};
    std::array<std::uint32_t, 4> slots{};
    for (std::size_t at = 0; at < std::min<std::size_t>(row->arguments, 4); ++at)
        slots[at] = slotOf(builder, parts.arguments[at]);
    MicroOp op;
    op.run = findSystemCall(row->call);
    op.a = slots[0];
    op.b = slots[1];
    op.c = slots[2];
    op.e = slots[3];
    op.d = parts.results.empty() ? kNone : slotOf(builder, parts.results[0]);
    op.imm = builder.framePlane();
    builder.emit(instruction, op);
    return true;
}

} // namespace

const Symbol* KernelBuilder::parameterSlot(const Operand& operand)
{
    const Symbol* found = operand.kind == Operand::Kind::Name ? symbol(operand.text) : nullptr;
    const bool fits = found != nullptr && found->kind == Symbol::Kind::Address && found->space == Space::Local;
    return fits ? found : nullptr;
}

void KernelBuilder::enterCall(const Instruction& instruction)
{
    const CallParts parts = splitCall(instruction);
    if (emitSystemCall(*this, instruction, parts))
        return;
    const Function* function = m_module.function(parts.callee->text);
    if (function == nullptr || !function->hasBody)
        throw Unsupported{"the function '" + std::string(parts.callee->text) + "' is not part of this program"};
    if (std::find(m_callStack.begin(), m_callStack.end(), function) != m_callStack.end())
        throw Unsupported{"recursion is not supported"};
    if (m_callStack.size() >= kMaxCallDepth)
        throw Unsupported{"calls are nested too deeply"};
    FunctionInstance(*this, instruction, *function).lower(parts);
}

void KernelBuilder::lowerReturn(const Instruction& instruction)
{
    if (m_returnLabel == kNone)
        emitEnd(instruction, EndKind::Exit);
    else
        emitEnd(instruction, EndKind::Branch).label = m_returnLabel;
}

Lowering findControl(std::string_view opcode)
{
    static const std::map<std::string_view, Lowering> table{
        {"bra", lowerBranch}, {"brx", lowerIndexedBranch}, {"exit", lowerExit},
        {"ret", lowerRet},    {"trap", lowerTrap},         {"call", lowerCall},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
