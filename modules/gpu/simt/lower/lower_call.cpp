// SPDX-License-Identifier: GPL-3.0-or-later
// call and ret: inlined where the callee is known and not recursive, else through a stack.
#include "gpu/simt/lower/lower_call.h"
#include "gpu/simt/lower/call_graph.h"
#include "gpu/simt/lower/instruction_record.h"
#include "gpu/simt/lower/lower_body.h"
#include "gpu/simt/lower/modifiers.h"
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

/// One inlined call: a scope of its own, its parameters bound to the caller's storage.
class InlinedCall {
public:
    InlinedCall(KernelBuilder& builder, const Instruction& call, const Function& function)
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
            moveStack(m_builder, m_call, stack, m_builder.stackPlane());
        // The call is one instruction; its guard sends the lanes that do not call past the body.
        const std::uint32_t after = m_builder.labels().make();
        Instruction branch = m_call;
        branch.guard.negated = !branch.guard.negated;
        PendingOp& skip = m_builder.emitEnd(branch, EndKind::Branch);
        skip.label = after;
        if (branch.guard.name.empty())
            skip.op.guardFlip = ~std::uint32_t{0}; // nobody skips
        lowerInside(after);
        m_builder.placeLabel(after);
        if (stack != kNone)
            moveStack(m_builder, m_call, m_builder.stackPlane(), stack);
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
        FunctionInstance& inside = m_builder.inside();
        const FunctionInstance outer = inside;
        inside.function = &m_function;
        inside.scopes = &m_inner;
        ++inside.depth;
        inside.returnLabel = after;
        inside.callSiteLine = m_call.sourceLine != 0 ? m_call.sourceLine : outer.callSiteLine;
        lowerBody(m_builder, m_function);
        inside = outer;
    }

    void bind(const Variable& formal, const Operand& actual, bool isArgument)
    {
        Symbol symbol;
        if (formal.isRegister) {
            symbol.type = formal.type;
            const bool isPredicate = formal.type == ScalarType::Pred;
            symbol.plane = isPredicate ? m_builder.newPredicate() : m_builder.newPlane(sizeOf(formal.type));
            m_builder.symbols().nameRegister(symbol.plane, formal.name, formal.type, m_function);
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
            if (storage->bytes != formal.bytes)
                throw SyntaxError{
                    badPtx(actual.place, "'" + std::string(actual.text) + "' has " + std::to_string(storage->bytes) +
                                             " bytes, and '" + std::string(formal.name) + "' of '" +
                                             std::string(m_function.name) + "' has " + std::to_string(formal.bytes))};
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
            offset = alignUp(offset, variable.align);
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
    const Symbol* found = operand.kind == Operand::Kind::Name ? builder.symbol(operand.text) : nullptr;
    if (found == nullptr || found->kind != Symbol::Kind::Address || found->space != Space::Local)
        throw SyntaxError{badPtx(operand.place, "a .param variable is expected here")};
    return static_cast<std::uint32_t>(found->address);
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

const CallPrototype* prototypeOf(KernelBuilder& builder, const Operand& operand)
{
    const Symbol* found = operand.kind == Operand::Kind::Name ? builder.inside().scopes->find(operand.text) : nullptr;
    return found != nullptr && found->kind == Symbol::Kind::Prototype ? found->prototype : nullptr;
}

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
        const Function& function = *m_builder.called().functions[index];
        lower(parts, function.parameters, function.results, op);
    }

    void through(const CallParts& parts)
    {
        const CallPrototype* prototype =
            parts.prototype == nullptr ? nullptr : prototypeOf(m_builder, *parts.prototype);
        if (prototype == nullptr)
            throw Unsupported{"the function '" + std::string(parts.callee->text) + "' is not part of this program"};
        MicroOp op;
        op.a = m_builder.source(*parts.callee, ScalarType::B64);
        if (prototype->targets.empty())
            return lower(parts, prototype->parameters, prototype->results, op);
        const Function* shown = m_builder.module().function(prototype->targets.front());
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

    void useFrameSize()
    {
        m_builder.called().frameUsers.emplace_back(m_builder.pending().size() - 1, m_builder.inside().called);
    }

    KernelBuilder& m_builder;
    const Instruction& m_call;
};

/// The parameters and results of a function as variables at the start of its frame.
void bindFrame(KernelBuilder& builder, const Function& function)
{
    try {
        static_cast<void>(frameSlots(function.parameters, function.results));
    } catch (const Unsupported& refused) {
        builder.refuse(
            {builder.image().name, std::string(function.name), refused.reason, function.place.line, 0, false});
        return;
    }
    for (const auto* variables : {&function.parameters, &function.results}) {
        for (const Variable& variable : *variables) {
            builder.inside().scopes->declare(variable.name, builder.layout().addLocal(variable), variable.place);
        }
    }
}

} // namespace

void moveStack(KernelBuilder& builder, const Instruction& instruction, std::uint32_t to, std::uint32_t from)
{
    const LaneKey key{LaneOp::Mov, ScalarType::U64};
    MicroOp op;
    op.a = op.b = from;
    op.d = to;
    op.run = findLaneOp(key);
    PendingOp& pending = builder.emit(instruction, op);
    pending.counted = false;
    recordCopy(builder, pending);
}

void lowerCall(KernelBuilder& builder, const Instruction& instruction)
{
    const CallParts parts = splitCall(instruction);
    if (emitSystemCall(builder, instruction, parts))
        return;
    const Function* function = builder.module().function(parts.callee->text);
    if (parts.prototype != nullptr || function == nullptr)
        return OutOfLineCall(builder, instruction).through(parts);
    if (!function->hasBody)
        throw Unsupported{"the function '" + std::string(parts.callee->text) + "' is not part of this program"};
    const std::vector<const Function*>& called = builder.called().functions;
    if (const auto found = std::find(called.begin(), called.end(), function); found != called.end())
        return OutOfLineCall(builder, instruction).to(static_cast<std::uint32_t>(found - called.begin()), parts);
    if (builder.inside().depth + 1 >= kMaxCallDepth)
        throw Unsupported{"calls are nested too deeply"};
    InlinedCall(builder, instruction, *function).lower(parts);
}

void lowerReturn(KernelBuilder& builder, const Instruction& instruction)
{
    const FunctionInstance& inside = builder.inside();
    if (inside.returnLabel != kNone) {
        builder.emitEnd(instruction, EndKind::Branch).label = inside.returnLabel;
        return;
    }
    if (inside.entryStack != kNone)
        moveStack(builder, instruction, builder.stackPlane(), inside.entryStack);
    MicroOp op;
    op.flags = inside.called;
    builder.emitEnd(instruction, inside.called == kNone ? EndKind::Exit : EndKind::Return, op);
}

void lowerCalled(KernelBuilder& builder, std::uint32_t index)
{
    const Function& function = *builder.called().functions[index];
    FunctionImage& image = builder.image().functions[index];
    Scopes scopes;
    scopes.open();
    FunctionInstance& inside = builder.inside();
    const FunctionInstance outer = inside;
    inside = {};
    inside.function = &function;
    inside.scopes = &scopes;
    inside.called = index;
    builder.registers().beginFunction(image);
    builder.layout().beginFrame();
    inside.frame = builder.newPlane(8);
    bindFrame(builder, function);
    builder.placeLabel(builder.called().entries[index]);
    Instruction end; // running past the last instruction returns
    end.opcode = "ret";
    end.place = function.place;
    if (movesStack(function)) {
        inside.entryStack = builder.newPlane(8);
        moveStack(builder, end, inside.entryStack, builder.stackPlane());
    }
    lowerBody(builder, function);
    if (inside.entryStack != kNone)
        moveStack(builder, end, builder.stackPlane(), inside.entryStack);
    MicroOp op;
    op.flags = index;
    builder.emitEnd(end, EndKind::Return, op).counted = false;
    image.name = function.name;
    const std::vector<Function>& all = builder.module().functions;
    for (std::size_t at = 0; at < all.size() && image.address == 0; ++at) {
        if (all[at].name == function.name)
            image.address = functionAddress(at);
    }
    image.frame = inside.frame;
    image.frameBytes =
        static_cast<std::uint32_t>(alignUp(std::max<std::uint64_t>(builder.layout().frameBytes(), 1), 16));
    builder.registers().endFunction();
    builder.layout().beginFrame();
    inside = outer;
}

} // namespace ridge::gpu::simt
