// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/special_register.h"
#include "gpu/simt/lower/unsupported.h"
#include "gpu/simt/ptx/token_stream.h"

#include <array>

namespace ridge::gpu::simt {

namespace {

struct SpecialRegister {
    std::string_view name;
    PlaneFill::Kind kind;
    bool vector;
};

constexpr std::array<SpecialRegister, 25> kSpecial{{
    {"%tid", PlaneFill::Kind::Tid, true},
    {"%ntid", PlaneFill::Kind::Ntid, true},
    {"%ctaid", PlaneFill::Kind::CtaId, true},
    {"%nctaid", PlaneFill::Kind::NctaId, true},
    {"%laneid", PlaneFill::Kind::LaneId, false},
    {"%warpid", PlaneFill::Kind::WarpId, false},
    {"%nwarpid", PlaneFill::Kind::NwarpId, false},
    {"%smid", PlaneFill::Kind::SmId, false},
    {"%nsmid", PlaneFill::Kind::NsmId, false},
    {"%gridid", PlaneFill::Kind::GridId, false},
    {"%lanemask_eq", PlaneFill::Kind::LaneMaskEq, false},
    {"%lanemask_le", PlaneFill::Kind::LaneMaskLe, false},
    {"%lanemask_lt", PlaneFill::Kind::LaneMaskLt, false},
    {"%lanemask_ge", PlaneFill::Kind::LaneMaskGe, false},
    {"%lanemask_gt", PlaneFill::Kind::LaneMaskGt, false},
    {"%total_smem_size", PlaneFill::Kind::TotalShared, false},
    {"%dynamic_smem_size", PlaneFill::Kind::DynamicShared, false},
    {"%aggr_smem_size", PlaneFill::Kind::TotalShared, false},
    {"%clusterid", PlaneFill::Kind::ClusterId, true},
    {"%nclusterid", PlaneFill::Kind::NclusterId, true},
    {"%cluster_ctaid", PlaneFill::Kind::ClusterCtaId, true},
    {"%cluster_nctaid", PlaneFill::Kind::ClusterNctaId, true},
    {"%cluster_ctarank", PlaneFill::Kind::ClusterRank, false},
    {"%cluster_nctarank", PlaneFill::Kind::ClusterNrank, false},
    {"WARP_SZ", PlaneFill::Kind::Constant, false},
}};

/// No special register begins with another letter, or has a digit so early, but %pm0 and its like.
bool looksOrdinary(std::string_view name)
{
    constexpr std::string_view begins = "tnclwsgdapeir";
    const auto isDigit = [&](std::size_t at) { return at < name.size() && name[at] >= '0' && name[at] <= '9'; };
    return name.starts_with('%') && !name.starts_with("%pm") &&
           (isDigit(2) || isDigit(3) || (name.size() > 1 && begins.find(name[1]) == begins.npos));
}

bool isClock(std::string_view name)
{
    return name.rfind("%clock", 0) == 0 || name.rfind("%globaltimer", 0) == 0 || name.rfind("%pm", 0) == 0;
}

} // namespace

std::uint32_t specialRegister(const Operand& operand, unsigned bytes, RegisterFile& registers,
                              const VariableAddresses& addresses, Scopes& scopes)
{
    if (looksOrdinary(operand.text))
        return kNone;
    if (isClock(operand.text))
        throw Unsupported{"the register " + std::string(operand.text) +
                          (operand.text[1] == 'p' ? " counts what only hardware has" : " is read by mov only")};
    // The driver's words 1 and 2 hold the address of the workspace of cooperative_groups::this_grid(), upper half
    // first.
    const auto workspace = addresses.find(kGridWorkspace);
    if (workspace != addresses.end() && (operand.text == "%envreg1" || operand.text == "%envreg2"))
        return registers.constant(
            operand.text == "%envreg1" ? workspace->second >> 32 : workspace->second & 0xffffffffu, bytes);
    for (const SpecialRegister& special : kSpecial) {
        if (special.name != operand.text)
            continue;
        if (special.kind == PlaneFill::Kind::Constant)
            return registers.constant(kWarpSize, bytes);
        PlaneFill wanted;
        wanted.kind = special.kind;
        wanted.bytes = static_cast<std::uint8_t>(bytes);
        constexpr std::string_view axes = "xyzrgb"; // of a place, or of a colour
        const std::size_t found = operand.component.size() == 1 ? axes.find(operand.component[0]) : axes.npos;
        const std::size_t axis = found == axes.npos ? found : found % 3;
        if (special.vector && axis == axes.npos)
            throw SyntaxError{badPtx(operand.place, "'" + std::string(operand.text) + "' needs .x, .y or .z")};
        wanted.axis = static_cast<std::uint8_t>(special.vector ? axis : 0);
        return registers.fill(wanted);
    }
    if (!operand.text.empty() && operand.text[0] == '%' && scopes.find(operand.text) == nullptr &&
        (operand.text.rfind("%envreg", 0) == 0 || operand.text.rfind("%cluster", 0) == 0 ||
         operand.text.rfind("%is_", 0) == 0 || operand.text.rfind("%lanemask", 0) == 0 ||
         operand.text.rfind("%reserved", 0) == 0))
        throw Unsupported{"the register " + std::string(operand.text) + " is not supported"};
    return kNone;
}

} // namespace ridge::gpu::simt
