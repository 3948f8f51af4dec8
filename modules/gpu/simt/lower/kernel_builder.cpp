// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/lower/needs.h"
#include "gpu/simt/ptx/token_stream.h"

#include <charconv>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kMaxOps = std::size_t{1} << 21;
constexpr std::uint32_t kMaxRegisterBytes = 16u << 20; ///< of one warp
constexpr std::uint64_t kMaxLocalBytes = 512u << 10;   ///< CUDA's own limit per thread

std::uint64_t alignUp(std::uint64_t value, std::uint64_t align)
{
    return (value + align - 1) / align * align;
}

[[noreturn]] void bad(Place place, std::string message)
{
    throw SyntaxError{badPtx(place, std::move(message))};
}

} // namespace

void Scopes::declare(std::string_view name, const Symbol& symbol, Place place)
{
    if (!m_scopes.back().emplace(name, symbol).second)
        bad(place, "the name '" + std::string(name) + "' is declared twice");
}

Symbol* Scopes::find(std::string_view name)
{
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        const auto found = scope->find(name);
        if (found != scope->end() && found->second.kind != Symbol::Kind::Range)
            return &found->second;
    }
    return nullptr;
}

Scopes::Ranged Scopes::findRange(std::string_view name)
{
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    // A name may itself end in digits: %p1 declared as %p1<4> gives %p10 … %p13.
    for (; digits < name.size(); ++digits) {
        const std::string_view number = name.substr(digits);
        if (number.size() > 8 || (number.size() > 1 && number[0] == '0'))
            continue;
        std::uint32_t index = 0;
        std::from_chars(number.data(), number.data() + number.size(), index);
        for (std::size_t scope = m_scopes.size(); scope-- > 0;) {
            const auto found = m_scopes[scope].find(name.substr(0, digits));
            if (found != m_scopes[scope].end() && found->second.kind == Symbol::Kind::Range &&
                index < found->second.count)
                return {&found->second, scope};
        }
    }
    return {};
}

KernelBuilder::KernelBuilder(const Module& module, const VariableAddresses& addresses, const Function& kernel,
                             int computeCapability)
    : m_module(module), m_addresses(addresses), m_kernel(kernel), m_computeCapability(computeCapability)
{
    m_image.name = kernel.name;
    m_image.requiredThreads = kernel.requiredThreads;
    m_image.maximumThreads = kernel.maximumThreads;
    m_image.maximumRegisters = kernel.maximumRegisters;
    m_image.minimumBlocks = kernel.minimumBlocks;
    m_image.requiredCluster = kernel.requiredCluster;
    m_image.maximumCluster = kernel.maximumCluster;
    m_image.explicitCluster = kernel.explicitCluster;
    m_true = newPredicate();
    m_image.fills.push_back({PlaneFill::Kind::Word, 0, 4, m_true, ~std::uint32_t{0}, 0, false});
}

std::uint32_t KernelBuilder::newPlane(unsigned bytes)
{
    const std::uint32_t at = sharedPlane(bytes);
    if (m_recording != nullptr)
        m_recording->planes.push_back({at, bytes});
    return at;
}

std::uint32_t KernelBuilder::sharedPlane(unsigned bytes)
{
    const std::uint32_t at = m_nextPlane;
    m_nextPlane += bytes * kWarpSize;
    m_planeBytes[at] = static_cast<std::uint8_t>(bytes);
    if (m_nextPlane > kMaxRegisterBytes)
        bad(m_kernel.place, "the kernel '" + m_image.name + "' uses more registers than the simulator holds (" +
                                std::to_string(kMaxRegisterBytes >> 20) + " MiB a warp)");
    return at;
}

std::uint32_t KernelBuilder::newPredicate()
{
    if (m_predicatesLeft == 0) {
        m_predicatePage = sharedPlane(4);
        if (m_recording != nullptr)
            m_recording->predicatePages.push_back(m_predicatePage);
        m_predicatesLeft = kWarpSize;
    }
    const std::uint32_t at = m_predicatePage + 4 * (kWarpSize - m_predicatesLeft--);
    m_planeBytes[at] = 0;
    return at;
}

std::uint32_t KernelBuilder::carryPredicate()
{
    if (m_carry == kNone)
        m_carry = sharedPlane(4);
    return m_carry;
}

std::uint64_t KernelBuilder::newLocal(std::uint64_t bytes, std::uint32_t align, Place place)
{
    const std::uint64_t at = alignUp(m_localBytes, align);
    m_localBytes = at + bytes;
    if (bytes > kMaxLocalBytes || m_localBytes > kMaxLocalBytes)
        bad(place, "a thread's local memory is larger than 512 KiB");
    return at;
}

std::uint32_t KernelBuilder::constant(std::uint64_t bits, unsigned bytes)
{
    if (bytes < 8)
        bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
    const auto [at, isNew] = m_constants.try_emplace({bits, bytes}, 0);
    if (isNew) {
        at->second = sharedPlane(bytes);
        m_image.fills.push_back(
            {PlaneFill::Kind::Constant, 0, static_cast<std::uint8_t>(bytes), at->second, bits, 0, false});
    }
    return at->second;
}

std::uint32_t KernelBuilder::fill(PlaneFill fill)
{
    const std::array<std::uint64_t, 5> key{static_cast<std::uint64_t>(fill.kind), fill.axis, fill.bytes, fill.value,
                                           fill.paramBytes | (fill.paramSigned ? 256u : 0u)};
    const auto [at, isNew] = m_fills.try_emplace(key, 0);
    if (isNew) {
        at->second = fill.offset = sharedPlane(fill.bytes);
        m_image.fills.push_back(fill);
    }
    return at->second;
}

std::uint32_t KernelBuilder::addDetail(const MemoryDetail& detail)
{
    m_image.memory.push_back(detail);
    return static_cast<std::uint32_t>(m_image.memory.size() - 1);
}

std::uint32_t KernelBuilder::addMatrix(MatrixDetail detail)
{
    m_image.matrices.push_back(std::move(detail));
    return static_cast<std::uint32_t>(m_image.matrices.size() - 1);
}

std::uint32_t KernelBuilder::guardOf(const Guard& guard)
{
    if (guard.name.empty())
        return m_true;
    Operand operand;
    operand.text = guard.name;
    operand.place = guard.place;
    bool negated = false;
    const std::uint32_t plane = predicateSource(operand, negated);
    m_uses.pop_back(); // a guard is its micro-ops' own
    return plane;
}

std::uint32_t KernelBuilder::functionName(std::string_view name)
{
    std::vector<std::string>& names = m_image.functionNames;
    const auto found = std::find(names.begin(), names.end(), name);
    const auto at = static_cast<std::uint32_t>(found - names.begin());
    if (found == names.end())
        names.emplace_back(name);
    return at;
}

PendingOp& KernelBuilder::emit(const Instruction& instruction, MicroOp op)
{
    if (m_pending.size() >= kMaxOps)
        bad(instruction.place, "the kernel '" + m_image.name + "' is too large once its calls are inlined");
    op.guard = guardOf(instruction.guard);
    op.guardFlip = instruction.guard.negated ? ~std::uint32_t{0} : 0;
    PendingOp pending;
    pending.op = op;
    pending.ptxLine = instruction.place.line;
    pending.sourceLine = instruction.sourceLine != 0 ? instruction.sourceLine : m_callSiteLine;
    const auto [text, isNew] =
        m_texts.try_emplace(instruction.text(), static_cast<std::uint32_t>(m_image.texts.size()));
    if (isNew)
        m_image.texts.push_back(text->first);
    pending.text = text->second;
    pending.function = functionName(m_callStack.empty() ? m_kernel.name : m_callStack.back()->name);
    pending.inlined = static_cast<std::uint32_t>(m_callStack.empty() ? 0 : m_callStack.size() - 1);
    pending.statement = m_statement;
    m_pending.push_back(pending);
    return m_pending.back();
}

PendingOp& KernelBuilder::emitEnd(const Instruction& instruction, EndKind kind, MicroOp op)
{
    PendingOp& pending = emit(instruction, op);
    pending.end = kind;
    return pending;
}

void KernelBuilder::declareRegisters(const RegisterDeclaration& declaration)
{
    const unsigned bytes = sizeOf(declaration.type);
    if (declaration.type != ScalarType::Pred && bytes < 2)
        bad(declaration.place, "a register has at least 16 bits");
    Symbol symbol;
    symbol.type = declaration.type;
    if (declaration.count > 0) {
        symbol.kind = Symbol::Kind::Range;
        symbol.count = declaration.count;
    }
    m_scopes->declare(declaration.name, symbol, declaration.place);
}

Symbol KernelBuilder::variableSymbol(const Variable& variable)
{
    Symbol symbol;
    symbol.kind = Symbol::Kind::Address;
    symbol.space = variable.space;
    if (variable.space == Space::Shared && (variable.isExternal || variable.bytes == 0)) {
        symbol.dynamic = true;
        m_dynamicAlign = std::max(m_dynamicAlign, variable.align);
    } else if (variable.space == Space::Shared) {
        symbol.address = alignUp(m_sharedBytes, variable.align);
        m_sharedBytes = symbol.address + variable.bytes;
        if (m_sharedBytes > (std::uint64_t{1} << 30))
            bad(variable.place, "the shared variables of '" + m_image.name + "' exceed 1 GiB");
    } else {
        symbol.space = Space::Local; // .local, and .param of a call
        symbol.address = newLocal(variable.bytes, variable.align, variable.place);
    }
    if (symbol.space == Space::Shared) {
        symbol.variable = static_cast<std::uint32_t>(m_image.sharedVariables.size());
        m_image.sharedVariables.push_back({std::string(variable.name), static_cast<std::uint32_t>(symbol.address),
                                           symbol.dynamic ? 0 : static_cast<std::uint32_t>(variable.bytes)});
    }
    return symbol;
}

void KernelBuilder::declareVariable(const Variable& variable)
{
    if (variable.space == Space::Global || variable.space == Space::Const)
        bad(variable.place, "a ." + std::string(toText(variable.space)) + " variable inside a function");
    m_scopes->declare(variable.name, variableSymbol(variable), variable.place);
}

Symbol* KernelBuilder::moduleSymbol(std::string_view name)
{
    const auto known = m_globals.find(name);
    if (known != m_globals.end())
        return &known->second;
    for (std::size_t at = 0; at < m_module.functions.size(); ++at) {
        if (m_module.functions[at].name != name)
            continue;
        Symbol pointer;
        pointer.kind = Symbol::Kind::Address;
        pointer.address = functionAddress(at);
        return &m_globals.emplace(name, pointer).first->second;
    }
    for (const Variable& variable : m_module.variables) {
        if (variable.name != name)
            continue;
        Symbol symbol;
        if (variable.space == Space::Shared) {
            symbol = variableSymbol(variable);
        } else {
            const auto address = m_addresses.find(name);
            if (address == m_addresses.end())
                throw Unsupported{"the variable '" + std::string(name) + "' is defined outside this program"};
            symbol.kind = Symbol::Kind::Address;
            symbol.space = variable.space;
            symbol.address = address->second;
        }
        return &m_globals.emplace(name, symbol).first->second;
    }
    return nullptr;
}

Symbol* KernelBuilder::symbol(std::string_view name)
{
    Symbol* found = m_scopes->find(name);
    if (found == nullptr) {
        const Scopes::Ranged ranged = m_scopes->findRange(name);
        if (ranged.range != nullptr) {
            Symbol one;
            one.type = ranged.range->type;
            m_scopes->declareAt(ranged.scope, name, one);
            found = m_scopes->find(name);
        }
    }
    if (found == nullptr)
        return moduleSymbol(name);
    if (found->kind == Symbol::Kind::Register && found->plane == kNone) {
        const bool isPredicate = found->type == ScalarType::Pred;
        found->plane = isPredicate ? newPredicate() : newPlane(sizeOf(found->type));
        m_image.registerCount += isPredicate ? 0 : 1;
        nameRegister(found->plane, name, found->type, m_callStack.empty() ? m_kernel : *m_callStack.back());
    }
    return found;
}

void KernelBuilder::nameRegister(std::uint32_t plane, std::string_view name, ScalarType type, const Function& owner)
{
    NamedRegister made{plane, std::string(name), 0, isFloat(type)};
    made.bytes = static_cast<std::uint8_t>(type == ScalarType::Pred ? 0 : sizeOf(type));
    if (&owner != &m_kernel)
        made.name += '@' + std::string(owner.name);
    m_image.registers.push_back(std::move(made));
}

void KernelBuilder::declareTargets(const BranchTargets& targets)
{
    Symbol symbol;
    symbol.kind = Symbol::Kind::Targets;
    symbol.label = static_cast<std::uint32_t>(m_tables.size());
    std::vector<std::uint32_t> labels;
    for (const std::string_view name : targets.labels) {
        Operand operand;
        operand.text = name;
        operand.place = targets.place;
        labels.push_back(label(operand));
    }
    m_tables.push_back(std::move(labels));
    m_scopes->declare(targets.name, symbol, targets.place);
}

/// Labels may be used before they stand; those of the scope that opens at statement `open` are declared on entry.
void KernelBuilder::declareLabels(const Function& function, std::size_t open)
{
    int depth = 0;
    for (std::size_t at = open; at < function.body.size() && depth >= 0; ++at) {
        const Statement& statement = function.body[at];
        if (std::holds_alternative<ScopeOpen>(statement)) {
            ++depth;
        } else if (std::holds_alternative<ScopeClose>(statement)) {
            --depth;
        } else if (const auto* declared = std::get_if<Label>(&statement); declared != nullptr && depth == 0) {
            Symbol symbol;
            symbol.kind = Symbol::Kind::Label;
            symbol.label = newLabel();
            m_scopes->declare(declared->name, symbol, declared->place);
        }
    }
}

void KernelBuilder::lowerBody(const Function& function)
{
    m_scopes->open();
    declareLabels(function, 0);
    for (std::size_t at = 0; at < function.body.size(); ++at) {
        const Statement& statement = function.body[at];
        if (const auto* instruction = std::get_if<Instruction>(&statement)) {
            lowerStatement(*instruction);
        } else if (const auto* declared = std::get_if<Label>(&statement)) {
            placeLabel(m_scopes->find(declared->name)->label);
        } else if (const auto* registers = std::get_if<RegisterDeclaration>(&statement)) {
            declareRegisters(*registers);
        } else if (const auto* variable = std::get_if<Variable>(&statement)) {
            declareVariable(*variable);
        } else if (const auto* targets = std::get_if<BranchTargets>(&statement)) {
            declareTargets(*targets);
        } else if (const auto* prototype = std::get_if<CallPrototype>(&statement)) {
            Symbol symbol;
            symbol.kind = Symbol::Kind::Prototype;
            symbol.prototype = prototype;
            m_scopes->declare(prototype->name, symbol, prototype->place);
        } else if (std::holds_alternative<ScopeOpen>(statement)) {
            if (m_scopes->depth() > 64)
                bad(function.place, "scopes are nested more than 64 deep in '" + std::string(function.name) + "'");
            m_scopes->open();
            declareLabels(function, at + 1);
        } else {
            m_scopes->close();
        }
    }
    m_scopes->close();
}

void KernelBuilder::lowerStatement(const Instruction& instruction)
{
    // Kept aside, because a call lowers the instructions of the function it calls.
    const std::vector<PlaneUse> outerUses = m_uses;
    const std::uint32_t outer = m_statement;
    m_uses.clear();
    m_statement = static_cast<std::uint32_t>(m_image.statements.size());
    const std::uint32_t own = m_statement;
    m_image.statements.emplace_back();
    const std::size_t firstPending = m_pending.size();
    const Instruction* const outerInstruction = m_current;
    m_current = &instruction;
    const auto refuse = [&](std::string reason, bool lacking) {
        const std::uint32_t line = instruction.sourceLine != 0 ? instruction.sourceLine : m_callSiteLine;
        m_refusals.push_back(
            {m_image.name, instruction.text(), std::move(reason), instruction.place.line, line, lacking});
    };
    try {
        lowerInstruction(*this, instruction);
        record(instruction, firstPending);
        const auto need = m_computeCapability == 0 ? std::nullopt : unmetNeed(instruction, m_computeCapability);
        if (need)
            refuse(need->text(m_computeCapability), true);
    } catch (const Unsupported& refused) {
        refuse(refused.reason, false);
    }
    m_image.statements[own].assign(m_uses.begin(), m_uses.end());
    m_uses = outerUses;
    m_statement = outer;
    m_current = outerInstruction;
}

void KernelBuilder::bindParameters()
{
    std::uint64_t offset = 0;
    for (const Variable& parameter : m_kernel.parameters) {
        offset = alignUp(offset, parameter.align);
        if (offset + parameter.bytes > 32764 || parameter.bytes == 0)
            bad(parameter.place, "the parameters of '" + m_image.name + "' exceed 32764 bytes");
        Symbol symbol;
        symbol.kind = Symbol::Kind::EntryParam;
        symbol.space = Space::Param;
        symbol.address = offset;
        m_scopes->declare(parameter.name, symbol, parameter.place);
        m_image.params.push_back({std::string(parameter.name), static_cast<std::uint32_t>(offset),
                                  static_cast<std::uint32_t>(parameter.bytes)});
        offset += parameter.bytes;
    }
    m_image.paramBytes = static_cast<std::uint32_t>(offset);
}

void KernelBuilder::run()
{
    Scopes scopes;
    m_scopes = &scopes;
    scopes.open();
    m_outOfLine = functionsOutOfLine(m_module, m_kernel);
    if (movesStack(m_kernel) ||
        std::any_of(m_module.functions.begin(), m_module.functions.end(),
                    [](const Function& function) { return !function.isEntry && movesStack(function); })) {
        m_stack = sharedPlane(8);
        m_image.allocaBytes = kAllocaBytes;
    }
    Instruction start;
    start.opcode = "bra";
    start.place = m_kernel.place;
    const std::uint32_t body = newLabel();
    if (!m_outOfLine.empty()) {
        // Functions come first: lanes in them have the lowest positions and go first, so that those that did not call
        // wait for them.
        PendingOp& jump = emitEnd(start, EndKind::Branch);
        jump.label = body;
        jump.counted = false;
    }
    for (std::uint32_t at = 0; at < m_outOfLine.size(); ++at)
        m_entryLabels.push_back(newLabel());
    m_image.functions.resize(m_outOfLine.size());
    for (std::uint32_t at = 0; at < m_outOfLine.size(); ++at)
        lowerOutOfLine(at);
    m_scopes = &scopes;
    bindParameters();
    m_callStack = {&m_kernel};
    if (!m_outOfLine.empty())
        placeLabel(body);
    if (m_stack != kNone)
        moveStack(start, m_stack, constant(0, 8)); // registers are those of the block before
    lowerBody(m_kernel);
    Instruction end; // running past the last instruction ends the thread
    end.opcode = "exit";
    end.place = m_kernel.place;
    emitEnd(end, EndKind::Exit).counted = false;
    m_image.staticSharedBytes = static_cast<std::uint32_t>(m_sharedBytes);
    m_image.dynamicSharedBase = static_cast<std::uint32_t>(alignUp(m_sharedBytes, m_dynamicAlign));
    // Nothing stands behind the last array: an access past it is seen.
    const bool alone = m_outOfLine.empty() && m_image.allocaBytes == 0;
    const auto kernelFrame = static_cast<std::uint32_t>(alignUp(m_localBytes, alone ? 4 : 16));
    m_image.localBytes = kernelFrame + (m_outOfLine.empty() ? 0 : kCallStackBytes) + m_image.allocaBytes;
    for (const auto& [at, function] : m_frameUsers)
        m_pending[at].op.imm += function == kNone ? kernelFrame : m_image.functions[function].frameBytes;
    m_scopes = nullptr;
}

} // namespace ridge::gpu::simt
