// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/report.h"
#include "gpu/simt/run/state.h"

#include <map>

namespace ridge::gpu::simt {

ReportPlace placeOf(const KernelImage& image, std::uint32_t pc);
ReportThread threadOf(const Dim3& blockDim, const Dim3& block, std::uint32_t warp, std::uint32_t lane);
/// Who did it, as messages say it: "thread (3, 0, 0) of block (0, 0, 0)".
std::string whoText(const ReportThread& thread);

/// The nearest allocation and the distance to it.
ReportAccess accessOf(const GlobalMemory& memory, Space space, MemoryOp op, std::uint32_t bytes, std::uint64_t address);

/// The fatal report of a launch that ended with `error`.
Report fatalReport(const Error& error, const LaunchState& state, const Dim3& blockDim);

/// Distinct reports of one launch, by code, instruction and other instruction.
class Findings {
public:
    static constexpr std::size_t kMost = 64;

    /// Counts a report that is there already. True where it is new and `make` was asked for it.
    template<class Make>
    bool add(const std::string& code, std::uint32_t pc, std::uint32_t otherPc, Make make)
    {
        const Key key{code, pc, otherPc};
        if (const auto found = m_index.find(key); found != m_index.end()) {
            ++m_reports[found->second].count;
            return false;
        }
        if (m_reports.size() >= kMost)
            return false;
        m_index.emplace(key, m_reports.size());
        m_reports.push_back(make());
        return true;
    }
    std::vector<Report> take() { return std::move(m_reports); }

private:
    using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;
    std::map<Key, std::size_t> m_index;
    std::vector<Report> m_reports;
};

} // namespace ridge::gpu::simt
