// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/variable_layout.h"
#include "gpu/simt/ptx/token_stream.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kMaxLocalBytes = 512u << 10; ///< CUDA's own limit per thread

} // namespace

Symbol VariableLayout::addLocal(const Variable& variable)
{
    Symbol symbol;
    symbol.kind = Symbol::Kind::Address;
    symbol.space = Space::Local;
    symbol.address = alignUp(m_frameBytes, variable.align);
    symbol.bytes = variable.bytes;
    m_frameBytes = symbol.address + variable.bytes;
    if (variable.bytes > kMaxLocalBytes || m_frameBytes > kMaxLocalBytes)
        throw SyntaxError{badPtx(variable.place, "a thread's local memory is larger than 512 KiB")};
    return symbol;
}

std::uint64_t VariableLayout::tilesWorkspace()
{
    if (!m_tilesWorkspace) {
        Variable variable;
        variable.name = kTilesWorkspace;
        variable.space = Space::Shared;
        variable.align = 16;
        variable.bytes = 288;
        m_tilesWorkspace = add(variable).address;
        m_sharedVariables.back().isReserved = true;
    }
    return *m_tilesWorkspace;
}

Symbol VariableLayout::add(const Variable& variable)
{
    if (variable.space != Space::Shared)
        return addLocal(variable); // .local, and .param of a call
    Symbol symbol;
    symbol.kind = Symbol::Kind::Address;
    symbol.space = Space::Shared;
    symbol.dynamic = variable.isExternal || variable.bytes == 0;
    if (symbol.dynamic) {
        m_dynamicAlign = std::max(m_dynamicAlign, variable.align);
    } else {
        symbol.address = alignUp(m_sharedBytes, variable.align);
        m_sharedBytes = symbol.address + variable.bytes;
        if (m_sharedBytes > (std::uint64_t{1} << 30))
            throw SyntaxError{
                badPtx(variable.place, "the shared variables of '" + std::string(m_kernel) + "' exceed 1 GiB")};
    }
    symbol.variable = static_cast<std::uint32_t>(m_sharedVariables.size());
    m_sharedVariables.push_back({std::string(variable.name), static_cast<std::uint32_t>(symbol.address),
                                 symbol.dynamic ? 0 : static_cast<std::uint32_t>(variable.bytes), false});
    return symbol;
}

} // namespace ridge::gpu::simt
