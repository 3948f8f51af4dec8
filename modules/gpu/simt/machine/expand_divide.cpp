// SPDX-License-Identifier: GPL-3.0-or-later
// Integer division and remainder: sequences of the length and on the pipes that ptxas 13.0 gives them.
#include "gpu/simt/machine/draft.h"

#include <array>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kNops = 4;

class Division {
public:
    Division(Emitter& emitter, const Node& node) : m_e(emitter), m_node(node), m_signed(isSigned(node.type)) {}

    bool run()
    {
        const bool isRem = m_node.op == Opcode::Rem;
        if (sizeOf(m_node.type) == 8)
            return divideWide(isRem);
        if (sizeOf(m_node.type) == 2) {
            m_e.shared(m_signed ? 25 : 19, m_signed ? "div16" : "udiv16");
            return one(m_signed ? "PRMT PRMT MOV CALL.REL.NOINC I2F I2F MUFU.RCP FMUL FMUL F2I IMAD IADD3 LOP3.LUT"
                                : "MOV CALL.REL.NOINC I2F I2F MUFU.RCP FMUL FMUL F2I IMAD IADD3 LOP3.LUT");
        }
        if (!m_signed)
            return one(isRem ? "I2F.U32.RP IADD3 MUFU.RCP IADD3 F2I.FTZ.U32.TRUNC.NTZ IMAD.MOV.U32 IMAD IMAD.HI.U32 "
                               "IMAD.HI.U32 IMAD.MOV IMAD ISETP.GE.U32.AND @IMAD.IADD ISETP.GE.U32.AND @IADD3 "
                               "ISETP.NE.U32.AND @LOP3.LUT"
                             : "I2F.U32.RP IADD3 MUFU.RCP IADD3 F2I.FTZ.U32.TRUNC.NTZ IMAD.MOV.U32 IMAD IMAD.HI.U32 "
                               "IMAD.HI.U32 IMAD.MOV IMAD ISETP.GE.U32.AND @IMAD.IADD @IADD3 ISETP.GE.U32.AND @IADD3 "
                               "ISETP.NE.U32.AND @LOP3.LUT");
        return one(isRem ? "IABS I2F.RP MUFU.RCP IADD3 IABS F2I.FTZ.U32.TRUNC.NTZ IMAD.MOV.U32 IADD3 IMAD IMAD.MOV.U32 "
                           "IMAD.HI.U32 IMAD.HI.U32 IMAD ISETP.GT.U32.AND @IMAD.IADD ISETP.GT.U32.AND @IMAD.IADD "
                           "ISETP.GE.AND IMAD.MOV.U32 @IMAD.MOV ISETP.NE.AND @LOP3.LUT"
                         : "IABS I2F.RP MUFU.RCP IADD3 IABS F2I.FTZ.U32.TRUNC.NTZ IABS IMAD.MOV.U32 IADD3 IMAD "
                           "IMAD.MOV IMAD.HI.U32 IMAD.HI.U32 IMAD LOP3.LUT ISETP.GT.U32.AND @IMAD.IADD @IADD3 "
                           "ISETP.GE.U32.AND @IADD3 ISETP.GE.AND @IMAD.MOV ISETP.NE.AND @LOP3.LUT");
    }

private:
    /// A routine: one copy in the program, its instructions at each place that calls it.
    bool divideWide(bool isRem)
    {
        const std::uint32_t body = m_signed ? (isRem ? 78 : 84) : (isRem ? 64 : 68);
        m_e.shared(body, m_signed ? (isRem ? "rem64" : "div64") : (isRem ? "urem64" : "udiv64"));
        m_e.needRegisters(18);
        m_e.recipe("MOV IMAD.MOV.U32 IMAD.MOV.U32 IMAD.MOV.U32 CALL.REL.NOINC", {}, {});
        std::string sequence = "I2F.U64.RP MUFU.RCP IADD3 F2I.U64.TRUNC";
        const std::uint32_t nops = doubleSpacing(m_e.capability()) != 0 ? kNops : 0; // between the conversions
        const std::uint32_t left = body - 6 - nops;
        for (std::uint32_t at = 0; at < left; ++at) {
            constexpr std::array<std::string_view, 6> pattern{" IMAD.WIDE.U32", " IMAD",    " IADD3",
                                                              " IMAD.X",        " IADD3.X", " IMAD.HI.U32"};
            sequence += pattern[at % pattern.size()];
        }
        sequence += " RET.REL.NODEC SEL";
        return one(sequence);
    }

    bool one(std::string_view mnemonics)
    {
        const Value& result = m_node.results[0];
        std::vector<std::uint32_t> results{m_e.target(result)};
        if (result.bytes == 8)
            results.push_back(m_e.targetHigh(result));
        std::vector<Part> sources;
        for (const Value& value : m_node.sources)
            sources.push_back(m_e.low(value));
        if (result.bytes == 8) {
            for (const Value& value : m_node.sources)
                sources.push_back(m_e.high(value));
        }
        m_e.recipe(mnemonics, std::move(results), sources);
        return true;
    }

    Emitter& m_e;
    const Node& m_node;
    bool m_signed;
};

} // namespace

bool expandDivision(Emitter& emitter, const Node& node)
{
    if ((node.op != Opcode::Div && node.op != Opcode::Rem) || isFloat(node.type) || node.results.empty())
        return false;
    return Division(emitter, node).run();
}

} // namespace ridge::gpu::simt
