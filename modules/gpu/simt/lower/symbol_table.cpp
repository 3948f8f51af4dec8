// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/symbol_table.h"
#include "gpu/simt/lower/unsupported.h"

namespace ridge::gpu::simt {

SymbolTable::SymbolTable(const Module& module, const VariableAddresses& addresses, const Function& kernel,
                         RegisterFile& file, VariableLayout& layout)
    : m_module(module), m_addresses(addresses), m_kernel(kernel), m_file(file), m_layout(layout)
{
}

Symbol* SymbolTable::find(Scopes& scopes, const Function& owner, std::string_view name)
{
    Symbol* found = scopes.find(name);
    if (found == nullptr) {
        const Scopes::Ranged ranged = scopes.findRange(name);
        if (ranged.range != nullptr) {
            Symbol one;
            one.type = ranged.range->type;
            scopes.declareAt(ranged.scope, name, one);
            found = scopes.find(name);
        }
    }
    if (found == nullptr)
        return ofModule(name);
    if (found->kind == Symbol::Kind::Register && found->plane == kNone) {
        const bool isPredicate = found->type == ScalarType::Pred;
        found->plane = isPredicate ? m_file.makePredicate() : m_file.make(sizeOf(found->type));
        m_used += isPredicate ? 0 : 1;
        nameRegister(found->plane, name, found->type, owner);
    }
    return found;
}

Symbol* SymbolTable::ofModule(std::string_view name)
{
    const auto known = m_known.find(name);
    if (known != m_known.end())
        return &known->second;
    for (std::size_t at = 0; at < m_module.functions.size(); ++at) {
        if (m_module.functions[at].name != name)
            continue;
        Symbol pointer;
        pointer.kind = Symbol::Kind::Address;
        pointer.address = functionAddress(at);
        return &m_known.emplace(name, pointer).first->second;
    }
    for (const Variable& variable : m_module.variables) {
        if (variable.name != name)
            continue;
        Symbol symbol;
        if (variable.space == Space::Shared) {
            symbol = m_layout.add(variable);
        } else {
            const auto address = m_addresses.find(name);
            if (address == m_addresses.end())
                throw Unsupported{"the variable '" + std::string(name) + "' is defined outside this program"};
            symbol.kind = Symbol::Kind::Address;
            symbol.space = variable.space;
            symbol.elementBytes = variable.elementBytes;
            symbol.address = address->second;
        }
        return &m_known.emplace(name, symbol).first->second;
    }
    return nullptr;
}

void SymbolTable::nameRegister(std::uint32_t plane, std::string_view name, ScalarType type, const Function& owner)
{
    NamedRegister made{plane, std::string(name), 0, isFloat(type)};
    made.bytes = static_cast<std::uint8_t>(type == ScalarType::Pred ? 0 : sizeOf(type));
    if (&owner != &m_kernel)
        made.name += '@' + std::string(owner.name);
    m_registers.push_back(std::move(made));
}

} // namespace ridge::gpu::simt
