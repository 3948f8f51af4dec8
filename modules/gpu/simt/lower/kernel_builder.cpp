// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/ptx/token_stream.h"

#include <algorithm>
#include <utility>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kMaxOps = std::size_t{1} << 21;

} // namespace

KernelBuilder::KernelBuilder(const Module& module, const VariableAddresses& addresses, const Function& kernel,
                             int computeCapability)
    : m_module(module), m_addresses(addresses), m_kernel(kernel), m_computeCapability(computeCapability),
      m_registers(kernel), m_layout(kernel.name), m_symbols(module, addresses, kernel, m_registers, m_layout)
{
    m_inside.function = &kernel;
    m_image.name = kernel.name;
    m_image.requiredThreads = kernel.requiredThreads;
    m_image.maximumThreads = kernel.maximumThreads;
    m_image.maximumRegisters = kernel.maximumRegisters;
    m_image.minimumBlocks = kernel.minimumBlocks;
    m_image.requiredCluster = kernel.requiredCluster;
    m_image.maximumCluster = kernel.maximumCluster;
    m_image.explicitCluster = kernel.explicitCluster;
    m_image.countsClusters = kernel.countsClusters;
}

Symbol* KernelBuilder::symbol(std::string_view name)
{
    return m_symbols.find(*m_inside.scopes, *m_inside.function, name);
}

std::uint32_t KernelBuilder::use(std::uint32_t plane, PlaneUse::Role role)
{
    m_statement.uses.push_back({plane, role});
    return plane;
}

std::uint32_t KernelBuilder::guardOf(const Guard& guard)
{
    if (guard.name.empty())
        return truePredicate();
    Operand operand;
    operand.text = guard.name;
    operand.place = guard.place;
    bool negated = false;
    const std::uint32_t plane = predicateSource(operand, negated);
    m_statement.uses.pop_back(); // a guard is its micro-ops' own
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

std::uint32_t KernelBuilder::text(const std::string& text)
{
    const auto [at, isNew] = m_texts.try_emplace(text, static_cast<std::uint32_t>(m_image.texts.size()));
    if (isNew)
        m_image.texts.push_back(text);
    return at->second;
}

PendingOp& KernelBuilder::emit(const Instruction& instruction, MicroOp op)
{
    if (m_pending.size() >= kMaxOps)
        throw SyntaxError{
            badPtx(instruction.place, "the kernel '" + m_image.name + "' is too large once its calls are inlined")};
    op.guard = guardOf(instruction.guard);
    op.guardFlip = instruction.guard.negated ? ~std::uint32_t{0} : 0;
    PendingOp pending;
    pending.op = op;
    pending.ptxLine = instruction.place.line;
    pending.sourceLine = instruction.sourceLine != 0 ? instruction.sourceLine : m_inside.callSiteLine;
    pending.text = text(instruction.text());
    pending.function = functionName(m_inside.function->name);
    pending.inlined = static_cast<std::uint32_t>(m_inside.depth);
    pending.statement = m_statement.index;
    m_pending.push_back(pending);
    return m_pending.back();
}

PendingOp& KernelBuilder::emitEnd(const Instruction& instruction, EndKind kind, MicroOp op)
{
    PendingOp& pending = emit(instruction, op);
    pending.end = kind;
    return pending;
}

OpenStatement KernelBuilder::begin(const Instruction& instruction)
{
    OpenStatement own{static_cast<std::uint32_t>(m_image.statements.size()), &instruction, {}};
    own.uses.reserve(instruction.operands.size());
    m_image.statements.emplace_back();
    return std::exchange(m_statement, std::move(own));
}

void KernelBuilder::end(OpenStatement outer)
{
    m_image.statements[m_statement.index] = std::move(m_statement.uses);
    m_statement = std::move(outer);
}

void KernelBuilder::refuse(const Instruction& instruction, std::string reason, bool lacking)
{
    const std::uint32_t line = instruction.sourceLine != 0 ? instruction.sourceLine : m_inside.callSiteLine;
    refuse({m_image.name, instruction.text(), std::move(reason), instruction.place.line, line, lacking});
}

KernelImage KernelBuilder::finish()
{
    m_image.staticSharedBytes = m_layout.sharedBytes();
    m_image.dynamicSharedBase = m_layout.dynamicBase();
    m_image.sharedVariables = m_layout.takeSharedVariables();
    m_image.registers = m_symbols.takeRegisters();
    m_image.registerCount = m_symbols.registersUsed();
    m_image.registerBytes = m_registers.bytes();
    m_image.fills = m_registers.takeFills();
    layOut(std::move(m_pending), m_labels, m_called.entries, m_image);
    return std::move(m_image);
}

} // namespace ridge::gpu::simt
