// SPDX-License-Identifier: GPL-3.0-or-later
// Integer, logic, move, compare and select. Lengths of the sequences were read off ptxas 13.0 for single instructions
// (tools/machine-truth describes how); each sequence keeps the pipes.
#include "gpu/simt/machine/draft.h"

#include <bit>

namespace ridge::gpu::simt {

namespace {

class Integer {
public:
    Integer(Emitter& emitter, const Node& node)
        : m_e(emitter), m_node(node), m_wide(sizeOf(node.type) == 8), m_signed(isSigned(node.type))
    {
    }

    bool run()
    {
        switch (m_node.op) {
        case Opcode::Add:
            return add();
        case Opcode::Sub:
            return add();
        case Opcode::Add3:
            return wideOrWord("IADD3", "IADD3.X");
        case Opcode::AddCarry:
            return wideOrWord("IADD3.X", "IADD3.X");
        case Opcode::ShiftAdd:
            return shiftAdd();
        case Opcode::Mul:
            return multiply();
        case Opcode::Mad:
            return multiply();
        case Opcode::Min:
        case Opcode::Max:
            return minimum();
        case Opcode::Abs:
            return absolute();
        case Opcode::Neg:
            return wideOrWord("IADD3", "IADD3.X");
        case Opcode::Sad:
            return one(m_e.capability() >= 100 ? "VABSDIFF IADD3 IADD3" : "VABSDIFF");
        case Opcode::And:
        case Opcode::Or:
        case Opcode::Xor:
        case Opcode::Not:
        case Opcode::Lop3:
            return logic();
        case Opcode::Cnot:
            return one("ISETP.EQ.U32.AND SEL");
        case Opcode::CopySign:
            return one("LOP3.LUT");
        case Opcode::Shl:
        case Opcode::Shr:
            return shift();
        case Opcode::Shf:
            return one("SHF");
        case Opcode::Popc:
            return one(m_wide ? "POPC POPC IADD3" : "POPC");
        case Opcode::Clz:
            return one(m_wide ? "FLO.U32 IADD3 ISETP.NE.U32.AND IADD3 SEL IADD3" : "FLO.U32 IADD3");
        case Opcode::Brev:
            return wideOrWord("BREV", "BREV");
        case Opcode::Bfind:
            return one(m_wide ? "ISETP.NE.U32.AND FLO.U32 FLO.U32 IADD3 SEL" : "FLO.U32");
        case Opcode::Bfe:
            return extract();
        case Opcode::Bfi:
            return insert();
        case Opcode::Bmsk:
            return one("BMSK");
        case Opcode::Prmt:
            return one("PRMT");
        case Opcode::Dp4a:
            return one(m_e.code().text(m_node).substr(0, 4) == "dp4a" ? "IDP.4A" : "IDP.2A");
        case Opcode::Mov:
            return move();
        case Opcode::Cvta:
            return convertAddress();
        case Opcode::Setp:
            return compare();
        case Opcode::Set:
            return one("ISETP.AND SEL");
        case Opcode::Selp:
        case Opcode::Slct:
            return select();
        default:
            return false;
        }
    }

private:
    const Value& source(std::size_t at) const { return m_node.sources[at]; }
    std::vector<Part> lows() const
    {
        std::vector<Part> parts;
        for (const Value& value : m_node.sources)
            parts.push_back(value.bytes == 0 ? m_e.predicate(value) : m_e.low(value));
        return parts;
    }
    std::vector<Part> highs() const
    {
        std::vector<Part> parts;
        for (const Value& value : m_node.sources)
            parts.push_back(value.bytes == 0 ? m_e.predicate(value) : m_e.high(value));
        return parts;
    }
    std::uint32_t result() { return m_e.target(m_node.results[0]); }
    std::uint32_t resultHigh() { return m_e.targetHigh(m_node.results[0]); }

    bool one(std::string_view mnemonics)
    {
        std::vector<std::uint32_t> results{result()};
        if (m_wide && m_node.results[0].bytes == 8)
            results.push_back(resultHigh());
        std::vector<Part> sources = lows();
        if (m_wide) {
            for (const Part& part : highs())
                sources.push_back(part);
        }
        m_e.recipe(mnemonics, std::move(results), sources);
        return true;
    }

    /// One instruction a word; the upper one takes the carry of the lower.
    bool wideOrWord(std::string_view word, std::string_view upper)
    {
        if (!m_wide) {
            m_e.emit(word, {result()}, lows());
            return true;
        }
        const std::uint32_t carry = m_e.freshPredicate();
        m_e.emit(word, {result(), carry}, lows());
        std::vector<Part> parts = highs();
        parts.push_back(Emitter::reg(carry));
        m_e.emit(upper, {resultHigh()}, parts);
        return true;
    }

    bool add()
    {
        if (!m_wide)
            return wideOrWord("IADD3", "");
        if (m_e.capability() >= 100) {
            // 64-bit adders came with Blackwell.
            std::vector<Part> parts = lows();
            for (const Part& part : highs())
                parts.push_back(part);
            m_e.emit("IADD.64", {result(), resultHigh()}, parts);
            return true;
        }
        return wideOrWord("IADD3", "IADD3.X");
    }

    bool shiftAdd()
    {
        if (!m_wide) {
            m_e.emit("LEA", {result()}, lows());
            return true;
        }
        const std::uint32_t carry = m_e.freshPredicate();
        const bool plain = m_node.offset == 0;
        m_e.emit(plain ? "IADD3" : "LEA", {result(), carry}, lows());
        const bool word = (m_node.flags & (kFlagSignedA | kFlagUnsignedA)) != 0;
        std::vector<Part> parts{m_e.low(source(0)), m_e.high(source(1)), Emitter::reg(carry)};
        if (!word)
            parts.push_back(m_e.high(source(0)));
        m_e.emit((m_node.flags & kFlagSignedA) != 0 ? "LEA.HI.X.SX32" : "LEA.HI.X", {resultHigh()}, parts);
        return true;
    }

    bool multiply()
    {
        const bool isMad = m_node.op == Opcode::Mad;
        if ((m_node.flags & kFlagWide) != 0 && sizeOf(m_node.type) == 4) {
            std::vector<Part> parts{m_e.low(source(0)), m_e.low(source(1))};
            if (isMad) {
                if (source(2).kind == Value::Kind::Constant && m_e.capability() < kConstantsInRegisters) {
                    parts.push_back(m_e.low(source(2)));
                } else {
                    for (const std::uint32_t id : m_e.pair(source(2)))
                        parts.push_back(Emitter::reg(id));
                }
            }
            const std::uint32_t high = m_node.results.size() == 2 ? m_e.target(m_node.results[1]) : resultHigh();
            m_e.emit(m_signed ? "IMAD.WIDE" : "IMAD.WIDE.U32", {result(), high}, parts);
            return true;
        }
        if (!m_wide) {
            if ((m_node.flags & kFlagHi) != 0)
                m_e.emit(m_signed ? "IMAD.HI" : "IMAD.HI.U32", {result()}, lows());
            else if (sizeOf(m_node.type) == 2 && m_signed)
                m_e.recipe("PRMT PRMT IMAD", {result()}, lows());
            else if (!isMad && source(1).isImmediate() && std::has_single_bit(source(1).bits))
                m_e.emit("IMAD.SHL.U32", {result()}, lows());
            else
                m_e.emit("IMAD", {result()}, lows());
            return true;
        }
        if ((m_node.flags & kFlagHi) != 0)
            return one(m_signed ? "IMAD IMAD.WIDE.U32 IMAD.HI.U32 IADD3 IMAD.WIDE.U32.X ISETP.GE.AND SEL SEL IADD3 "
                                  "ISETP.GE.AND SEL SEL IADD3 IADD3.X IADD3 IADD3 IADD3.X"
                                : "IMAD.WIDE.U32 IMAD.WIDE.U32 IMAD.WIDE.U32 IMAD.MOV.U32 IADD3.X IADD3 "
                                  "IMAD.WIDE.U32.X");
        return multiplyLow(isMad);
    }

    /// The low 64 bits: one wide product, and one more for each upper half that is not zero.
    bool multiplyLow(bool isMad)
    {
        const std::array<Part, 2> upper{m_e.high(source(0)), m_e.high(source(1))};
        Part sum;
        for (const std::size_t at : {0, 1}) {
            if (upper[at].kind == Part::Kind::Zero)
                continue;
            const std::uint32_t made = m_e.fresh();
            m_e.emit("IMAD", {made}, {upper[at], m_e.low(source(1 - at)), sum});
            sum = Emitter::reg(made);
        }
        std::vector<Part> parts{m_e.low(source(0)), m_e.low(source(1))};
        if (isMad && !source(2).isImmediate()) {
            for (const std::uint32_t id : m_e.pair(source(2)))
                parts.push_back(Emitter::reg(id));
        }
        m_e.emit("IMAD.WIDE.U32", {result(), resultHigh()}, parts);
        if (sum.kind != Part::Kind::Zero)
            m_e.emit("IADD3", {resultHigh()}, {Emitter::reg(resultHigh()), sum});
        return true;
    }

    /// A sum that the comparison makes on its way, as ptxas 13.0 has it for 9.0 and 10.x: read by nobody else.
    const Node* sumBelow(const Value& value) const
    {
        const Node* made = m_e.code().definition(value);
        const bool isSum = made != nullptr && made->op == Opcode::Add && sizeOf(made->type) == 4 &&
                           !isFloat(made->type) && made->sources.size() == 2 && !made->guard.isVariable() &&
                           (made->flags & (kFlagCarryIn | kFlagCarryOut)) == 0;
        return isSum && m_e.capability() >= 90 && m_e.capability() < 110 && m_e.code().uses(value) == 1 &&
                       made->block == m_node.block && m_e.code().isStable(made->sources[0]) &&
                       m_e.code().isStable(made->sources[1])
                   ? made
                   : nullptr;
    }

    bool minimum()
    {
        const std::string name = std::string(m_e.capability() >= 90 ? "VIMNMX" : "IMNMX") + (m_signed ? "" : ".U32");
        if (!m_wide) {
            std::vector<Part> parts = lows();
            for (std::size_t at = 0; at < 2 && parts.size() == 2; ++at)
                if (const Node* sum = sumBelow(m_node.sources[at])) // the other factor of the comparison goes last
                    parts = {m_e.low(sum->sources[0]), m_e.low(sum->sources[1]), parts[1 - at]};
            m_e.emit(parts.size() == 2 ? name : "VIADDMNMX", {result()}, parts);
            return true;
        }
        if (m_e.capability() >= 100)
            return one("VIMNMX.S64");
        return one("ISETP.LT.U32.AND ISETP.LT.AND.EX SEL SEL");
    }

    bool absolute()
    {
        if (isFloat(m_node.type))
            return false;
        return one(m_wide ? "IADD3 IADD3.X ISETP.GE.AND SEL SEL" : "IABS");
    }

    bool logic()
    {
        if (m_node.type == ScalarType::Pred) {
            std::vector<Part> parts;
            for (const Value& value : m_node.sources)
                parts.push_back(m_e.predicate(value));
            m_e.emit("PLOP3.LUT", {result()}, parts);
            return true;
        }
        std::vector<std::uint32_t> results{result()};
        if (m_node.results.size() > 1)
            results.push_back(m_e.target(m_node.results[1]));
        if (!m_wide) {
            m_e.emit("LOP3.LUT", results, lows());
            return true;
        }
        logicHalf(result(), lows());
        logicHalf(resultHigh(), highs());
        return true;
    }

    /// Half of a 64-bit operation; with a constant that decides it nothing is left to do.
    void logicHalf(std::uint32_t target, const std::vector<Part>& parts)
    {
        const bool binary = parts.size() == 2 && m_e.mayAlias(m_node.results[0]) && !m_node.guard.isVariable();
        for (const std::size_t at : {0, 1}) {
            if (!binary)
                break;
            const Part& constant = parts[1 - at];
            const bool zero = constant.kind == Part::Kind::Zero;
            const bool ones = constant.kind == Part::Kind::Immediate && constant.bits == 0xffffffffu;
            const bool keeps = (zero && m_node.op != Opcode::And) || (ones && m_node.op == Opcode::And);
            if (zero && m_node.op == Opcode::And)
                return m_e.alias(target, {});
            if (keeps && m_e.code().isStable(source(at)))
                return m_e.alias(target, parts[at]);
        }
        m_e.emit("LOP3.LUT", {target}, parts);
    }

    bool shift()
    {
        const bool left = m_node.op == Opcode::Shl;
        if (sizeOf(m_node.type) == 2)
            return one(source(1).isImmediate() ? "SHF.L.U32 LOP3.LUT" : "SHF.L.U32 ISETP.GT.U32.AND SEL LOP3.LUT");
        std::vector<Part> parts = lows();
        if (parts[0].kind == Part::Kind::Immediate)
            parts[0] = Emitter::reg(m_e.inRegister(parts[0]));
        if (!m_wide) {
            m_e.emit(left ? "SHF.L.U32" : m_signed ? "SHF.R.S32.HI" : "SHF.R.U32.HI", {result()}, parts);
            return true;
        }
        const std::vector<Part> both{parts[0], m_e.high(source(0)), parts[1]};
        const std::vector<Part> upper{m_e.high(source(0)), parts[1]};
        if (source(1).isImmediate() && source(1).bits >= 32) {
            const std::uint32_t target = left ? resultHigh() : result();
            m_e.emit(left ? "SHF.L.U32" : "SHF.R.U32.HI", {target}, left ? parts : upper);
            const std::uint32_t rest = left ? result() : resultHigh();
            if ((left || !m_signed) && m_e.mayAlias(m_node.results[0]))
                m_e.alias(rest, {});
            else
                m_e.emit("SHF.R.S32.HI", {rest}, upper);
            return true;
        }
        m_e.emit(left ? "SHF.L.U32" : "SHF.R.U64", {result()}, left ? parts : both);
        m_e.emit(left       ? "SHF.L.U64.HI"
                 : m_signed ? "SHF.R.S32.HI"
                            : "SHF.R.U32.HI",
                 {resultHigh()}, left ? both : upper);
        return true;
    }

    bool extract()
    {
        const bool constant = m_node.sources.size() == 3 && source(1).isImmediate() && source(2).isImmediate();
        if (m_wide)
            return one(constant ? "SHF.R.U64 LOP3.LUT LOP3.LUT"
                                : "IADD3 SHF.L.U32 SHF.L.U64.HI IADD3 SHF.R.U64 SHF.R.U32.HI LOP3.LUT LOP3.LUT IMAD");
        return one(constant ? "SHF.R.U32.HI SGXT" : "PRMT PRMT IMAD PRMT SHF.R.U32.HI SGXT");
    }

    bool insert()
    {
        const bool constant = m_node.sources.size() == 4 && source(2).isImmediate() && source(3).isImmediate();
        if (m_wide)
            return one("SHF.L.U32 SHF.L.U64.HI IADD3 SHF.L.U32 SHF.L.U64.HI IADD3 SHF.L.U32 SHF.L.U64.HI LOP3.LUT "
                       "LOP3.LUT LOP3.LUT LOP3.LUT IMAD");
        return one(constant ? "SHF.L.U32 LOP3.LUT" : "PRMT PRMT BMSK PRMT SHF.L.U32 LOP3.LUT");
    }

    bool move()
    {
        const std::vector<Value>& results = m_node.results;
        if (m_node.type == ScalarType::Pred) {
            m_e.emit("PLOP3.LUT", {result()}, {m_e.predicate(source(0))});
            return true;
        }
        if (results.size() == 2 && m_node.sources.size() == 1 && sizeOf(m_node.type) == 8) {
            copy(m_e.target(results[0]), results[0], m_e.low(source(0)), source(0));
            copy(m_e.target(results[1]), results[1], m_e.high(source(0)), source(0));
            return true;
        }
        if (results.size() == 1 && m_node.sources.size() == 2 && sizeOf(m_node.type) == 8) {
            copy(result(), results[0], m_e.low(source(0)), source(0));
            copy(resultHigh(), results[0], m_e.low(source(1)), source(1));
            return true;
        }
        if (results.size() > 1 || m_node.sources.size() > 1)
            return repack();
        if (m_node.sources.empty())
            return true;
        copy(result(), results[0], m_e.low(source(0)), source(0));
        if (results[0].bytes == 8)
            copy(resultHigh(), results[0], m_e.high(source(0)), source(0));
        return true;
    }

    /// 16-bit parts of words.
    bool repack()
    {
        if (m_node.results.size() == 1) {
            m_e.emit("PRMT", {result()}, lows());
            return true;
        }
        for (std::size_t at = 0; at < m_node.results.size(); ++at) {
            const std::uint32_t target = m_e.target(m_node.results[at]);
            if (at % 2 == 0)
                copy(target, m_node.results[at], m_e.low(source(0)), source(0));
            else
                m_e.emit("PRMT", {target}, {m_e.low(source(0))});
        }
        return true;
    }

    void copy(std::uint32_t target, const Value& result, const Part& from, const Value& source)
    {
        if (m_e.mayAlias(result) && !m_node.guard.isVariable() && m_e.code().isStable(source))
            m_e.alias(target, from);
        else if (from.kind == Part::Kind::Zero && !m_node.guard.isVariable())
            m_e.clear(target);
        else
            m_e.emit(from.kind == Part::Kind::Constant ? "MOV" : "IMAD.MOV.U32", {target}, {from});
    }

    bool convertAddress()
    {
        const bool window = m_e.code().has(m_node, "shared") || m_e.code().has(m_node, "local");
        if (!window) {
            move();
            return true;
        }
        if (m_e.code().has(m_node, "to")) {
            copy(result(), m_node.results[0], m_e.low(source(0)), source(0));
            copy(resultHigh(), m_node.results[0], {}, source(0));
            return true;
        }
        m_e.emit("IADD3", {result()}, {m_e.low(source(0))});
        m_e.emit("IADD3.X", {resultHigh()}, {Emitter::reg(result())});
        return true;
    }

    bool compare()
    {
        std::vector<std::uint32_t> results;
        for (const Value& value : m_node.results)
            results.push_back(m_e.target(value));
        if (isFloat(m_node.type)) {
            const unsigned bytes = sizeOf(m_node.type);
            const bool half = bytes == 2 || m_node.type == ScalarType::F16x2 || m_node.type == ScalarType::BF16x2;
            m_e.emit(half         ? "HSETP2"
                     : bytes == 8 ? "DSETP"
                                  : "FSETP",
                     results, bytes == 8 ? m_e.doubles(m_node.sources) : lows());
            return true;
        }
        const std::vector<Part> parts = lows();
        if (!m_wide) {
            const bool equality = m_e.code().has(m_node, "eq") || m_e.code().has(m_node, "ne");
            if (sizeOf(m_node.type) == 2 && m_signed && !equality)
                m_e.recipe("PRMT ISETP.AND", results, parts);
            else
                m_e.emit("ISETP.AND", results, parts);
            return true;
        }
        const std::uint32_t lower = m_e.freshPredicate();
        m_e.emit("ISETP.U32.AND", {lower}, {parts[0], parts[1]});
        std::vector<Part> upper = highs();
        upper.push_back(Emitter::reg(lower));
        m_e.emit("ISETP.AND.EX", results, upper);
        return true;
    }

    bool select()
    {
        const bool real = m_node.type == ScalarType::F32;
        m_e.emit(real ? "FSEL" : "SEL", {result()}, lows());
        if (m_wide)
            m_e.emit("SEL", {resultHigh()}, highs());
        return true;
    }

    Emitter& m_e;
    const Node& m_node;
    bool m_wide;
    bool m_signed;
};

} // namespace

bool expandInteger(Emitter& emitter, const Node& node)
{
    const bool real = isFloat(node.type);
    switch (node.op) {
    case Opcode::Mov:
    case Opcode::Setp:
    case Opcode::Set:
    case Opcode::Selp:
    case Opcode::Slct:
    case Opcode::CopySign:
        break;
    default:
        if (real)
            return false;
    }
    if (node.results.empty() && node.op != Opcode::Setp)
        return false;
    return Integer(emitter, node).run();
}

} // namespace ridge::gpu::simt
