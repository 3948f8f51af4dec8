// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/register_file.h"
#include "gpu/simt/lower/variable_layout.h"

namespace ridge::gpu::simt {

/// Device addresses of the module's .global and .const variables.
/// Under kGridWorkspace the memory that blocks of a cooperative launch meet in.
inline constexpr std::string_view kGridWorkspace = "%grid workspace";
using VariableAddresses = std::map<std::string_view, std::uint64_t>;

/// What the names in a kernel stand for: those of the scopes of a function, then those of the module. A register has
/// its plane from its first use on.
class SymbolTable {
public:
    SymbolTable(const Module& module, const VariableAddresses& addresses, const Function& kernel, RegisterFile& file,
                VariableLayout& layout);

    /// `scopes` are those of `owner`. Null where the name is unknown. Throws Unsupported where a variable is defined
    /// in another program.
    Symbol* find(Scopes& scopes, const Function& owner, std::string_view name);
    /// Keeps the name for messages and listings.
    void nameRegister(std::uint32_t plane, std::string_view name, ScalarType type, const Function& owner);

    std::uint32_t registersUsed() const { return m_used; }
    std::vector<NamedRegister> takeRegisters() { return std::move(m_registers); }

private:
    Symbol* ofModule(std::string_view name);

    const Module& m_module;
    const VariableAddresses& m_addresses;
    const Function& m_kernel;
    RegisterFile& m_file;
    VariableLayout& m_layout;
    NameMap<Symbol> m_known; ///< of the module
    std::vector<NamedRegister> m_registers;
    std::uint32_t m_used = 0;
};

} // namespace ridge::gpu::simt
