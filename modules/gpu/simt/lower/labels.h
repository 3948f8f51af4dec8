// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ridge::gpu::simt {

/// Targets of branches among the pending micro-ops, each with a number, which branches may use before the target is
/// known.
class Labels {
public:
    std::uint32_t make() { return m_made++; }
    /// Before the micro-op that comes as number `at`.
    void place(std::uint32_t label, std::size_t at) { m_at[label] = static_cast<std::uint32_t>(at); }
    std::uint32_t at(std::uint32_t label) const { return m_at.find(label)->second; }
    const std::unordered_map<std::uint32_t, std::uint32_t>& placed() const { return m_at; } ///< by label

    /// Those among which brx.idx chooses; gives the number of the table.
    std::uint32_t makeTable(std::vector<std::uint32_t> labels)
    {
        m_tables.push_back(std::move(labels));
        return static_cast<std::uint32_t>(m_tables.size() - 1);
    }
    const std::vector<std::uint32_t>& table(std::uint32_t at) const { return m_tables[at]; }

private:
    std::uint32_t m_made = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> m_at;
    std::vector<std::vector<std::uint32_t>> m_tables;
};

} // namespace ridge::gpu::simt
