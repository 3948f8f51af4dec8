// SPDX-License-Identifier: GPL-3.0-or-later
// call and ret: inlined where the callee is known and not recursive, else through a stack.
#include "gpu/simt/lower/families.h"
#include "gpu/simt/run/misc_ops.h"
#include "gpu/simt/run/ops.h"

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kMaxCallDepth = 64;

/// call (results), name, (arguments): what is absent is empty.
struct CallParts {
    const Operand* callee = nullptr;
    const Operand* prototype = nullptr; ///< of a call through a pointer
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
            parts.prototype = &operand;
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
        const std::uint32_t stack = movesStack(m_function) ? m_builder.newPlane(8) : kNone;
        if (stack != kNone)
            m_builder.moveStack(m_call, stack, m_builder.stackPlane());
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
        if (stack != kNone)
            m_builder.moveStack(m_call, m_builder.stackPlane(), stack);
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
            m_builder.nameRegister(symbol.plane, formal.name, formal.type, m_function);
            m_builder.use(symbol.plane, PlaneUse::Role::Passed);
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

/// Where a parameter or result lies in the callee's frame.
struct FrameSlot {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
};

std::vector<FrameSlot> frameSlots(const std::vector<Variable>& parameters, const std::vector<Variable>& results)
{
    std::vector<FrameSlot> slots;
    std::uint64_t offset = 0;
    for (const auto* variables : {&parameters, &results}) {
        for (const Variable& variable : *variables) {
            if (variable.isRegister)
                throw Unsupported{"a function that cannot be inlined has parameters in registers"};
            offset = (offset + variable.align - 1) / variable.align * variable.align;
            slots.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(variable.bytes)});
            offset += variable.bytes;
        }
    }
    return slots;
}

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
    const auto row =
        std::find_if(kSystem.begin(), kSystem.end(), [&](const SystemRow& r) { return r.name == parts.callee->text; });
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

/// One call of a function that is not inlined. Arguments and results pass through the start of the callee's frame,
/// which follows the caller's: parameters first, then results, each at a multiple of its alignment.
class OutOfLineCall {
public:
    OutOfLineCall(KernelBuilder& builder, const Instruction& call) : m_builder(builder), m_call(call) {}

    void to(std::uint32_t index, const CallParts& parts)
    {
        MicroOp op;
        op.a = kNone;
        op.flags = index;
        const Function& function = *m_builder.m_outOfLine[index];
        lower(parts, function.parameters, function.results, op);
    }

    void through(const CallParts& parts)
    {
        const CallPrototype* prototype = parts.prototype == nullptr ? nullptr : m_builder.prototype(*parts.prototype);
        if (prototype == nullptr)
            throw Unsupported{"the function '" + std::string(parts.callee->text) + "' is not part of this program"};
        MicroOp op;
        op.a = m_builder.source(*parts.callee, ScalarType::B64);
        if (prototype->targets.empty())
            return lower(parts, prototype->parameters, prototype->results, op);
        const Function* shown = m_builder.callee(prototype->targets.front());
        if (shown == nullptr)
            throw SyntaxError{badPtx(prototype->place, "the targets of a call are functions of this program")};
        lower(parts, shown->parameters, shown->results, op);
    }

private:
    void lower(const CallParts& parts, const std::vector<Variable>& parameters, const std::vector<Variable>& results,
               MicroOp op)
    {
        if (parts.arguments.size() != parameters.size() || parts.results.size() != results.size())
            throw SyntaxError{badPtx(m_call.place, "the call does not fit the declaration of what it calls")};
        const std::vector<FrameSlot> slots = frameSlots(parameters, results);
        for (std::size_t at = 0; at < parameters.size(); ++at)
            copy(parts.arguments[at], slots[at], true);
        op.b = m_builder.framePlane();
        m_builder.emitEnd(m_call, EndKind::Call, op);
        useFrameSize();
        for (std::size_t at = 0; at < results.size(); ++at)
            copy(parts.results[at], slots[parameters.size() + at], false);
    }

    /// Between a slot of the caller and the callee's frame.
    void copy(const Operand& operand, const FrameSlot& slot, bool isArgument)
    {
        MicroOp op;
        op.run = findFrameCopy(isArgument);
        op.a = m_builder.framePlane();
        op.b = slotOf(m_builder, operand);
        op.c = slot.offset;
        op.flags = slot.bytes;
        m_builder.emit(m_call, op).counted = false;
        useFrameSize();
    }

    void useFrameSize() { m_builder.m_frameUsers.emplace_back(m_builder.m_pending.size() - 1, m_builder.m_function); }

    KernelBuilder& m_builder;
    const Instruction& m_call;
};

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
    if (parts.prototype != nullptr || function == nullptr)
        return OutOfLineCall(*this, instruction).through(parts);
    if (!function->hasBody)
        throw Unsupported{"the function '" + std::string(parts.callee->text) + "' is not part of this program"};
    if (const auto index = outOfLineIndex(*function))
        return OutOfLineCall(*this, instruction).to(*index, parts);
    if (m_callStack.size() >= kMaxCallDepth)
        throw Unsupported{"calls are nested too deeply"};
    FunctionInstance(*this, instruction, *function).lower(parts);
}

void KernelBuilder::lowerReturn(const Instruction& instruction)
{
    if (m_returnLabel != kNone) {
        emitEnd(instruction, EndKind::Branch).label = m_returnLabel;
        return;
    }
    if (m_entryStack != kNone)
        moveStack(instruction, m_stack, m_entryStack);
    MicroOp op;
    op.flags = m_function;
    emitEnd(instruction, m_function == kNone ? EndKind::Exit : EndKind::Return, op);
}

const CallPrototype* KernelBuilder::prototype(const Operand& operand)
{
    const Symbol* found = operand.kind == Operand::Kind::Name ? m_scopes->find(operand.text) : nullptr;
    return found != nullptr && found->kind == Symbol::Kind::Prototype ? found->prototype : nullptr;
}

std::optional<std::uint32_t> KernelBuilder::outOfLineIndex(const Function& function) const
{
    const auto found = std::find(m_outOfLine.begin(), m_outOfLine.end(), &function);
    if (found == m_outOfLine.end())
        return std::nullopt;
    return static_cast<std::uint32_t>(found - m_outOfLine.begin());
}

/// What a function takes from the stack goes back when it returns.
void KernelBuilder::moveStack(const Instruction& instruction, std::uint32_t to, std::uint32_t from)
{
    const LaneKey key{LaneOp::Mov, ScalarType::U64};
    MicroOp op;
    op.a = op.b = from;
    op.d = to;
    op.run = findLaneOp(key);
    PendingOp& pending = emit(instruction, op);
    pending.counted = false;
    recordCopy(pending);
}

/// The parameters and results of a function as variables at the start of its frame.
void KernelBuilder::bindFrame(const Function& function)
{
    try {
        static_cast<void>(frameSlots(function.parameters, function.results));
    } catch (const Unsupported& refused) {
        m_refusals.push_back({m_image.name, std::string(function.name), refused.reason, function.place.line, 0});
        return;
    }
    for (const auto* variables : {&function.parameters, &function.results}) {
        for (const Variable& variable : *variables) {
            Symbol symbol;
            symbol.kind = Symbol::Kind::Address;
            symbol.space = Space::Local;
            symbol.address = newLocal(variable.bytes, variable.align, variable.place);
            m_scopes->declare(variable.name, symbol, variable.place);
        }
    }
}

void KernelBuilder::lowerOutOfLine(std::uint32_t index)
{
    const Function& function = *m_outOfLine[index];
    Scopes scopes;
    scopes.open();
    m_scopes = &scopes;
    m_function = index;
    m_callStack = {&function};
    m_recording = &m_image.functions[index];
    m_predicatesLeft = 0;
    m_localBytes = 0;
    m_frame = newPlane(8);
    bindFrame(function);
    placeLabel(m_entryLabels[index]);
    Instruction end; // running past the last instruction returns
    end.opcode = "ret";
    end.place = function.place;
    if (movesStack(function)) {
        m_entryStack = newPlane(8);
        moveStack(end, m_entryStack, m_stack);
    }
    lowerBody(function);
    if (m_entryStack != kNone)
        moveStack(end, m_stack, m_entryStack);
    MicroOp op;
    op.flags = index;
    emitEnd(end, EndKind::Return, op).counted = false;
    m_recording->name = function.name;
    for (std::size_t at = 0; at < m_module.functions.size() && m_recording->address == 0; ++at) {
        if (m_module.functions[at].name == function.name)
            m_recording->address = functionAddress(at);
    }
    m_recording->frame = m_frame;
    m_recording->frameBytes = static_cast<std::uint32_t>((std::max<std::uint64_t>(m_localBytes, 1) + 15) / 16 * 16);
    m_recording = nullptr;
    m_frame = kNone;
    m_entryStack = kNone;
    m_function = kNone;
    m_predicatesLeft = 0;
    m_localBytes = 0;
}

} // namespace ridge::gpu::simt
