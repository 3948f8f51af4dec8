// SPDX-License-Identifier: GPL-3.0-or-later
// Floating point, functions and conversions. Lengths of the sequences were read off ptxas 13.0.
#include "gpu/simt/machine/draft.h"

namespace ridge::gpu::simt {

namespace {

class Real {
public:
    Real(Emitter& emitter, const Node& node) : m_e(emitter), m_node(node), m_bytes(sizeOf(node.type))
    {
        m_half = m_bytes == 2 || node.type == ScalarType::F16x2 || node.type == ScalarType::BF16x2;
    }

    bool run()
    {
        const bool flush = (m_node.flags & kFlagFtz) != 0;
        const bool approximate = (m_node.flags & (kFlagApprox | kFlagFull)) != 0;
        switch (m_node.op) {
        case Opcode::Add:
        case Opcode::Sub:
            return plain(m_half ? "HADD2" : m_bytes == 8 ? "DADD" : "FADD");
        case Opcode::Mul:
            return plain(m_half ? "HMUL2" : m_bytes == 8 ? "DMUL" : "FMUL");
        case Opcode::Mad:
        case Opcode::Fma:
            return plain(m_half ? "HFMA2" : m_bytes == 8 ? "DFMA" : "FFMA");
        case Opcode::Neg:
        case Opcode::Abs:
            return plain(m_half ? "HADD2" : m_bytes == 8 ? "DADD" : "FADD");
        case Opcode::Min:
        case Opcode::Max:
            return m_bytes == 8 ? recipe("DSETP.MIN.AND IMAD.MOV.U32 IMAD.MOV.U32 FSEL LOP3.LUT SEL IMAD.MOV.U32")
                                : plain(m_half ? "HMNMX2" : "FMNMX");
        case Opcode::Ex2:
        case Opcode::Rsqrt:
        case Opcode::Sqrt:
        case Opcode::Lg2:
        case Opcode::Rcp:
        case Opcode::Sin:
        case Opcode::Cos:
        case Opcode::Tanh:
            return function(flush, approximate);
        case Opcode::Div:
            return divide(flush);
        case Opcode::Cvt:
            return convert();
        default:
            return false;
        }
    }

private:
    std::vector<Part> parts() const
    {
        if (m_bytes == 8)
            return m_e.doubles(m_node.sources);
        std::vector<Part> made;
        for (const Value& value : m_node.sources)
            made.push_back(m_e.low(value));
        return made;
    }

    std::vector<std::uint32_t> results()
    {
        std::vector<std::uint32_t> made{m_e.target(m_node.results[0])};
        if (m_node.results[0].bytes == 8)
            made.push_back(m_e.targetHigh(m_node.results[0]));
        return made;
    }

    bool plain(std::string_view name)
    {
        m_e.emit(name, results(), parts());
        return true;
    }

    bool recipe(std::string_view mnemonics)
    {
        m_e.recipe(mnemonics, results(), parts());
        return true;
    }

    bool function(bool flush, bool approximate)
    {
        if (m_bytes == 8)
            return functionOfDouble(approximate, flush);
        if (m_half)
            return plain("MUFU");
        const bool scaled = !flush;
        switch (m_node.op) {
        case Opcode::Ex2:
            return recipe(scaled ? "FSETP.GEU.AND @FMUL MUFU.EX2 @FMUL" : "MUFU.EX2");
        case Opcode::Lg2:
            return recipe(scaled ? "FSETP.GEU.AND @FMUL MUFU.LG2 @FADD" : "MUFU.LG2");
        case Opcode::Rsqrt:
            return recipe(scaled ? "FSETP.GEU.AND @FMUL MUFU.RSQ @FMUL" : "MUFU.RSQ");
        case Opcode::Tanh:
            return plain("MUFU.TANH");
        case Opcode::Sin:
            return recipe("FMUL MUFU.SIN");
        case Opcode::Cos:
            return recipe("FMUL MUFU.COS");
        case Opcode::Sqrt:
            if (approximate)
                return recipe(scaled ? "FSETP.GEU.AND @FMUL MUFU.SQRT @FMUL" : "MUFU.SQRT");
            slowPath(24, "sqrt.f32", 4);
            return recipe("BSSY IADD3 MUFU.RSQ ISETP.GT.U32.AND BRA FMUL.FTZ FMUL.FTZ FFMA BSYNC FFMA");
        default:
            if (approximate)
                return recipe(scaled ? "FSETP.GEU.AND FSETP.GT.AND FSEL FSEL FMUL MUFU.RCP FMUL IMAD.MOV.U32"
                                     : "MUFU.RCP");
            slowPath(flush ? 26 : 53, "rcp.f32", 4);
            return recipe("BSSY IADD3 LOP3.LUT ISETP.GT.U32.AND BRA MUFU.RCP FFMA FADD.FTZ BSYNC FFMA");
        }
    }

    bool functionOfDouble(bool approximate, bool flush)
    {
        if (approximate && flush)
            return recipe(m_node.op == Opcode::Rcp ? "IMAD.MOV.U32 MUFU.RCP64H" : "IMAD.MOV.U32 MUFU.RSQ64H");
        if (m_node.op == Opcode::Rcp) {
            slowPath(spaced(40, 96), "rcp.f64", 3);
            return recipe("BSSY IADD3 MUFU.RCP64H DFMA DFMA DFMA FSETP.GEU.AND BRA DFMA BSYNC DFMA");
        }
        if (m_node.op == Opcode::Sqrt) {
            slowPath(spaced(41, 77), "sqrt.f64", 4);
            m_e.needRegisters(18);
            return recipe("MUFU.RSQ64H IADD3 IMAD.MOV.U32 BSSY IMAD.MOV.U32 ISETP.GE.U32.AND DMUL DFMA DFMA DMUL DFMA "
                          "DMUL IADD3 IMAD.MOV.U32 DFMA BRA BSYNC DFMA");
        }
        if (m_node.op == Opcode::Rsqrt) {
            slowPath(spaced(31, 54), "rsqrt.f64", 3);
            return recipe("BSSY IADD3 MUFU.RSQ64H IMAD.MOV.U32 ISETP.GE.U32.AND DMUL DFMA IMAD.MOV.U32 DMUL BRA DFMA "
                          "BSYNC DFMA");
        }
        return false;
    }

    /// Instructions of a routine with FP64 in it, without NOPs and with them.
    std::uint32_t spaced(std::uint32_t plain, std::uint32_t withNops) const
    {
        return doubleSpacing(m_e.capability()) != 0 ? withNops : plain;
    }

    void slowPath(std::uint32_t routine, std::string_view name, std::uint32_t call)
    {
        m_e.cold(routine, name);
        ++m_calls;
        m_e.cold(call, std::string(name) + std::to_string(m_node.microOp) + "/" + std::to_string(m_calls));
    }

    bool divide(bool flush)
    {
        if (m_bytes == 8) {
            slowPath(spaced(92, 127), "div.f64", 2);
            m_e.needRegisters(24);
            return recipe("IMAD.MOV.U32 BSSY MUFU.RCP64H FSETP.GEU.AND DFMA DFMA DFMA DFMA DFMA DMUL DFMA FFMA "
                          "FSETP.GT.AND BRA BSYNC DFMA");
        }
        if (m_half)
            return recipe("HADD2.F32 MUFU.RCP FMUL F2FP");
        if ((m_node.flags & kFlagApprox) != 0)
            return recipe(flush ? "MUFU.RCP FMUL" : "FSETP.GT.AND @FMUL MUFU.RCP @FMUL FMUL");
        if ((m_node.flags & kFlagFull) != 0)
            return recipe(flush ? "FSETP.GT.AND @FMUL MUFU.RCP @FMUL FMUL"
                                : "FSETP.GT.AND FSETP.GEU.AND @FMUL @FMUL MUFU.RCP @FMUL @FMUL FMUL");
        slowPath(flush ? 64 : 101, "div.f32", 3);
        m_e.needRegisters(15);
        // Order as ptxas writes it; BSYNC closes the region of the slow path before the quotient is used.
        return recipe("MUFU.RCP BSSY FCHK FFMA FFMA FFMA FFMA BRA BSYNC FFMA");
    }

    /// A byte, or a half word that shares its register with no other.
    bool isLoadedAlone(const Value& value) const
    {
        const Node* made = m_e.code().definition(value);
        return made != nullptr && made->op == Opcode::Ld && !isSigned(made->type) &&
               (sizeOf(made->type) == 1 || (sizeOf(made->type) == 2 && made->count == 1));
    }

    bool convert()
    {
        const ScalarType to = m_node.type;
        const ScalarType from = m_node.from;
        const Value& source = m_node.sources[0];
        std::vector<Part> reads{m_e.low(source)};
        if (sizeOf(from) == 8)
            reads.push_back(m_e.high(source));
        if (!isFloat(to) && !isFloat(from))
            return convertInteger(reads[0]);
        if (m_node.sources.size() > 1) {
            m_e.emit("F2FP.PACK_AB", results(), {reads[0], m_e.low(m_node.sources[1])});
            return true;
        }
        const bool isWide = sizeOf(from) == 8 || sizeOf(to) == 8;
        if (!isFloat(from)) {
            // ptxas 13.0: words become singles on the ALU from 8.6 on, and what a load filled up with zeros.
            const bool onAlu = m_e.capability() >= 86 && to == ScalarType::F32 &&
                               (sizeOf(from) == 4 || (!isSigned(from) && isLoadedAlone(source)));
            m_e.emit(isWide ? "I2F.F64" : onAlu ? "I2FP.F32" : "I2F", results(), reads);
        } else if (!isFloat(to)) {
            m_e.emit(isWide ? "F2I.F64" : "F2I", results(), reads);
        } else if (to == from) {
            const bool rounds = m_e.code().has(m_node, "rni") || m_e.code().has(m_node, "rzi") ||
                                m_e.code().has(m_node, "rmi") || m_e.code().has(m_node, "rpi");
            m_e.emit(!rounds ? "FADD" : isWide ? "FRND.F64" : "FRND", results(), reads);
        } else if (isWide) {
            m_e.emit("F2F.F64", results(), reads);
        } else if (sizeOf(to) == 4) {
            m_e.emit(from == ScalarType::BF16 ? "IMAD.U32" : "HADD2.F32", results(), reads);
        } else {
            m_e.emit("F2FP", results(), reads);
        }
        return true;
    }

    bool convertInteger(const Part& from)
    {
        const Value& result = m_node.results[0];
        const unsigned fromBytes = sizeOf(m_node.from);
        const unsigned toBytes = sizeOf(m_node.type);
        const bool mayAlias =
            m_e.mayAlias(result) && !m_node.guard.isVariable() && m_e.code().isStable(m_node.sources[0]);
        const std::uint32_t target = m_e.target(result);
        if ((m_node.flags & kFlagSat) != 0)
            return recipe("I2I PRMT");
        Part lower = from;
        const bool narrow = fromBytes < 4 && toBytes > fromBytes;
        // A load of a byte or half fills the register; so does everything unsigned with 16 bits.
        const Node* made = m_e.code().definition(m_node.sources[0]);
        const bool filled = (!isSigned(m_node.from) && fromBytes == 2) ||
                            (made != nullptr && made->op == Opcode::Ld && sizeOf(made->type) == fromBytes &&
                             isSigned(made->type) == isSigned(m_node.from));
        if (narrow && !filled) {
            m_e.emit(isSigned(m_node.from) ? "PRMT" : "LOP3.LUT", {target}, {from});
            lower = Emitter::reg(target);
        } else if (mayAlias) {
            m_e.alias(target, from);
        } else {
            m_e.emit("IMAD.MOV.U32", {target}, {from});
        }
        if (toBytes != 8 || result.bytes != 8)
            return true;
        const std::uint32_t upper = m_e.targetHigh(result);
        if (fromBytes == 8)
            m_e.emit("IMAD.MOV.U32", {upper}, {m_e.high(m_node.sources[0])});
        else if (isSigned(m_node.from))
            m_e.emit("SHF.R.S32.HI", {upper}, {lower});
        else if (mayAlias)
            m_e.alias(upper, {});
        else
            m_e.emit("IMAD.MOV.U32", {upper}, {});
        return true;
    }

    Emitter& m_e;
    const Node& m_node;
    unsigned m_bytes;
    bool m_half = false;
    std::uint32_t m_calls = 0;
};

} // namespace

bool expandFloat(Emitter& emitter, const Node& node)
{
    if (node.results.empty() || node.sources.empty())
        return false;
    return Real(emitter, node).run();
}

} // namespace ridge::gpu::simt
