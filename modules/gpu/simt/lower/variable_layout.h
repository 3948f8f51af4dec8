// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/lower/scopes.h"

#include <optional>

namespace ridge::gpu::simt {

inline std::uint64_t alignUp(std::uint64_t value, std::uint64_t align)
{
    return (value + align - 1) / align * align;
}

/// Where tiles of several warps keep their barriers: 288 bytes of the 1 KiB that CUDA reserves in each block, as
/// cooperative_groups/details/memory.h has it. Here they are a variable of the kernels that name them.
inline constexpr std::string_view kTilesWorkspace = "%reserved_smem_offset_1";

/// Where a kernel's variables lie: .shared ones in the memory of the block, .local ones and the parameters of calls in
/// the frame of the function that is being lowered. Throws SyntaxError where there are too many.
class VariableLayout {
public:
    explicit VariableLayout(std::string_view kernel) : m_kernel(kernel) {}

    Symbol add(const Variable& variable);
    Symbol addLocal(const Variable& variable);
    std::uint64_t tilesWorkspace();

    void beginFrame() { m_frameBytes = 0; }
    std::uint64_t frameBytes() const { return m_frameBytes; }
    std::uint32_t sharedBytes() const { return static_cast<std::uint32_t>(m_sharedBytes); } ///< without dynamic ones
    /// Where .extern .shared starts.
    std::uint32_t dynamicBase() const { return static_cast<std::uint32_t>(alignUp(m_sharedBytes, m_dynamicAlign)); }
    std::vector<SharedVariable> takeSharedVariables() { return std::move(m_sharedVariables); }

private:
    std::string_view m_kernel;
    std::uint64_t m_frameBytes = 0;
    std::uint64_t m_sharedBytes = 0;
    std::uint32_t m_dynamicAlign = 16;
    std::optional<std::uint64_t> m_tilesWorkspace;
    std::vector<SharedVariable> m_sharedVariables;
};

} // namespace ridge::gpu::simt
