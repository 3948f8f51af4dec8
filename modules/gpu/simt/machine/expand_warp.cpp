// SPDX-License-Identifier: GPL-3.0-or-later
// Exchange between lanes, barriers, tensor cores.
#include "gpu/simt/machine/draft.h"
#include "gpu/simt/run/fragments.h"

#include <map>

namespace ridge::gpu::simt {

namespace {

struct Shape {
    unsigned m = 0;
    unsigned n = 0;
    unsigned k = 0;
};

/// "m16n8k16" somewhere in the text; zeros where there is none.
Shape shapeOf(std::string_view text)
{
    for (std::size_t at = text.find(".m"); at != text.npos; at = text.find(".m", at + 1)) {
        Shape shape;
        unsigned* const sizes[] = {&shape.m, &shape.n, &shape.k};
        std::size_t pos = at + 1;
        int part = 0;
        for (; part < 3 && pos < text.size() && text[pos] == "mnk"[part]; ++part) {
            ++pos;
            while (pos < text.size() && text[pos] >= '0' && text[pos] <= '9')
                *sizes[part] = *sizes[part] * 10 + static_cast<unsigned>(text[pos++] - '0');
        }
        if (part == 3 && shape.k != 0)
            return shape;
    }
    return {};
}

/// Machine instructions of one matrix product and their name. The product of the tile's sides divided by that of the
/// widest instruction of the architecture (CUDA C++ programming guide, table of warp matrix shapes; the SASS names are
/// those NVIDIA's disassembler prints).
struct Product {
    std::string_view name;
    unsigned count = 1;
};

/// ptxas 13.0 makes mma.sync of e4m3 and e5m2 one QMMA for sm_89 and sm_120, and F2FP and products of halves for sm_90,
/// sm_100, sm_103 and sm_110 (read in its SASS): those chips have FP8 only for a group of warps, or in tensor memory.
bool unpacksBytes(std::string_view text, int capability)
{
    return capability >= 90 && capability < 120 && text.find(".sp") == text.npos &&
           (text.find(".e4m3") != text.npos || text.find(".e5m2") != text.npos);
}

Product productOf(std::string_view text, const Shape& shape, int capability)
{
    const auto contains = [&](std::string_view part) { return text.find(part) != text.npos; };
    // A sparse product takes half the time of a dense one of its shape.
    const unsigned work = shape.m * shape.n * shape.k / (contains(".sp") ? 2 : 1);
    const auto count = [&](unsigned of) { return work > of ? (work + of - 1) / of : 1u; };
    if (contains(".f64"))
        return {capability >= 90 && work > 256 ? "DMMA.16816" : "DMMA.884",
                capability >= 90 ? count(2048) : count(256)};
    // Small floats, with scales (QMMA.SF, OMMA.SF) and without: one instruction. That 4-bit elements take the time of
    // 8-bit ones at half the depth is what data sheets say.
    if (contains(".kind::"))
        return {"QMMA.16832.F32", 1};
    const bool single = contains(".f32"); // the sum; factors are not in single precision, but for TF32
    if (contains(".e4m3") || contains(".e5m2"))
        return {single ? "QMMA.16832.F32" : "QMMA.16832.F16", count(4096)};
    if (contains(".tf32"))
        return {shape.k == 4 ? "HMMA.1684.F32.TF32" : "HMMA.1688.F32.TF32", count(1024)};
    if (contains(".s8") || contains(".u8"))
        return capability >= 80 ? Product{work >= 4096 ? "IMMA.16832.S8.S8" : "IMMA.16816.S8.S8", count(4096)}
                                : Product{"IMMA.8816.S8.S8", count(1024)};
    if (contains(".s4") || contains(".u4") || contains(".b1"))
        return capability >= 80 ? Product{"IMMA.16864.S4.S4", count(8192)} : Product{"IMMA.8832.S4.S4", count(2048)};
    if (contains(".sp"))
        return {"HMMA.SP.16832.F32", count(2048)};
    if (shape.m == 8 && shape.n == 8 && shape.k == 4)
        return {"HMMA.884.F32.F32.STEP0", 4};
    if (capability >= 80 && shape.k != 8)
        return {single ? "HMMA.16816.F32" : "HMMA.16816.F16", count(2048)};
    if (capability >= 75)
        return {single ? "HMMA.1688.F32" : "HMMA.1688.F16", capability >= 80 ? 1 : count(1024)};
    return {"HMMA.884.F32.F32.STEP0", work / 256};
}

class WarpInstruction {
public:
    WarpInstruction(Emitter& emitter, const Node& node) : m_e(emitter), m_node(node), m_text(emitter.code().text(node))
    {
    }

    bool run()
    {
        switch (m_node.op) {
        case Opcode::Shfl:
            return shuffle();
        case Opcode::Vote:
            return link(m_e.emit(vote(), results(), sources(1)));
        case Opcode::ActiveMask:
            return link(m_e.emit("VOTE.ANY", results(), {}));
        case Opcode::Match:
            return link(m_e.emit("MATCH", results(), sources(1)));
        case Opcode::Redux:
            return reduce();
        case Opcode::Bar:
            return barrier();
        case Opcode::Nanosleep:
            return link(m_e.emit("NANOSLEEP", {}, {}));
        case Opcode::Mma:
            return product();
        case Opcode::WmmaLoad:
            return tile(true);
        case Opcode::WmmaStore:
            return tile(false);
        case Opcode::Mbarrier:
            return link(m_e.emit("SYNCS", results(), sources(8)), true);
        case Opcode::Wgmma:
            return group();
        default:
            return false;
        }
    }

private:
    std::vector<std::uint32_t> results()
    {
        std::vector<std::uint32_t> made;
        for (const Value& value : m_node.results) {
            if (value.kind == Value::Kind::None)
                continue;
            made.push_back(m_e.target(value));
            if (value.bytes == 8)
                made.push_back(m_e.targetHigh(value));
        }
        return made;
    }

    std::vector<Part> sources(std::size_t most)
    {
        std::vector<Part> made;
        for (std::size_t at = 0; at < m_node.sources.size() && at < most; ++at) {
            const Value& value = m_node.sources[at];
            if (value.kind == Value::Kind::None)
                continue;
            made.push_back(value.bytes == 0 ? m_e.predicate(value) : m_e.low(value));
            if (value.bytes == 8)
                made.push_back(m_e.high(value));
        }
        return made;
    }

    bool link(Draft& draft, bool orders = false)
    {
        draft.microOp = m_node.microOp;
        draft.ordersMemory = orders;
        return true;
    }

    std::string_view vote() const
    {
        return m_e.code().has(m_node, "all") ? "VOTE.ALL" : m_e.code().has(m_node, "uni") ? "VOTE.EQ" : "VOTE.ANY";
    }

    bool shuffle()
    {
        std::vector<Part> parts{Emitter::reg(m_e.inRegister(m_e.low(m_node.sources[0])))};
        for (std::size_t at = 1; at < 3; ++at) {
            const Part part = m_e.low(m_node.sources[at]);
            if (part.kind == Part::Kind::Register)
                parts.push_back(part);
        }
        const std::string_view name = m_e.code().has(m_node, "up")     ? "SHFL.UP"
                                      : m_e.code().has(m_node, "down") ? "SHFL.DOWN"
                                      : m_e.code().has(m_node, "bfly") ? "SHFL.BFLY"
                                                                       : "SHFL.IDX";
        return link(m_e.emit(name, results(), parts));
    }

    bool reduce()
    {
        const std::uint32_t uniform = m_e.fresh();
        link(m_e.emit("REDUX", {uniform}, sources(1)));
        m_e.emit("IMAD.U32", results(), {Emitter::reg(uniform)});
        return true;
    }

    bool barrier()
    {
        if (m_e.code().has(m_node, "warp")) {
            // A full mask needs no instruction where the warp is known to be together.
            const bool full = !m_node.sources.empty() && m_node.sources[0].isImmediate() &&
                              static_cast<std::uint32_t>(m_node.sources[0].bits) == ~std::uint32_t{0};
            return link(m_e.emit(full ? "NOP" : "WARPSYNC", {}, {}), true);
        }
        if (m_text.find("cluster") != m_text.npos)
            return link(m_e.emit(m_e.code().has(m_node, "wait") ? "UCGABAR_WAIT" : "UCGABAR_ARV", {}, {}), true);
        const bool reduces = m_e.code().has(m_node, "red");
        link(m_e.emit(reduces                            ? "BAR.RED.POPC.DEFER_BLOCKING"
                      : m_e.code().has(m_node, "arrive") ? "BAR.ARV"
                                                         : "BAR.SYNC.DEFER_BLOCKING",
                      {}, reduces ? sources(4) : std::vector<Part>{}),
             true);
        if (reduces && !m_node.results.empty())
            m_e.emit("B2R.RESULT", results(), {});
        return true;
    }

    /// Eight bits a factor without a unit for them: unpacked to halves, then the product of halves, along k.
    bool productOfUnpacked()
    {
        const Shape shape = shapeOf(m_text);
        std::vector<std::uint32_t> to = results();
        m_e.join(to);
        // Registers of A and B, each of which unpacks into two; the sums and whatever else come last.
        const std::size_t left = shape.m * shape.k / 128, right = shape.n * shape.k / 128;
        const std::vector<Part> from = sources(64);
        std::vector<Part> halves;
        for (std::size_t at = 0; at < std::min(from.size(), left + right); ++at)
            for (int half = 0; half < 2; ++half) {
                const std::uint32_t made = m_e.fresh();
                m_e.emit("F2FP.F16.E4M3.UNPACK_B", {made}, {from[at]});
                halves.push_back(Emitter::reg(made));
            }
        std::vector<Part> sums(from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), left + right)),
                               from.end());
        const unsigned count = std::max(1u, shape.k / 16);
        for (unsigned at = 0; at < count; ++at) {
            std::vector<Part> parts;
            for (std::size_t part = at; part < halves.size(); part += count)
                parts.push_back(halves[part]);
            parts.insert(parts.end(), sums.begin(), sums.end());
            std::vector<std::uint32_t> made = to;
            if (at + 1 < count) {
                for (std::uint32_t& id : made)
                    id = m_e.fresh();
                m_e.join(made);
            }
            Draft& draft = m_e.emit("HMMA.16816.F32", made, parts);
            if (at == 0)
                draft.microOp = m_node.microOp;
            sums.clear();
            for (const std::uint32_t id : made)
                sums.push_back(Emitter::reg(id));
        }
        return true;
    }

    bool product()
    {
        if (unpacksBytes(m_text, m_e.capability()))
            return productOfUnpacked();
        const Product product = productOf(m_text, shapeOf(m_text), m_e.capability());
        std::vector<std::uint32_t> to = results();
        const std::vector<Part> from = sources(64);
        m_e.join(to);
        for (unsigned at = 0; at < product.count; ++at) {
            // Each instruction makes its share of the results, or adds to all of them along k.
            const std::size_t share = std::max<std::size_t>(1, to.size() / product.count);
            const std::size_t first = std::min(at * share, to.empty() ? 0 : to.size() - 1);
            std::vector<std::uint32_t> part(to.begin() + static_cast<std::ptrdiff_t>(first),
                                            to.begin() +
                                                static_cast<std::ptrdiff_t>(std::min(first + share, to.size())));
            Draft& draft = m_e.emit(product.name, std::move(part), from);
            if (at == 0)
                draft.microOp = m_node.microOp;
        }
        return true;
    }

    /// wmma.load and wmma.store: the accesses of fragmentMove(), some of them turned among the lanes.
    bool tile(bool isLoad)
    {
        const MatrixDetail& t = *fragmentOf(m_e.code(), m_node);
        const FragmentShape shape = fragmentShape(t);
        const bool inShared = m_node.space == Space::Shared;
        const FragmentMove move = fragmentMove(t, inShared);
        std::vector<std::uint32_t> registers;
        const std::size_t first = isLoad ? 0 : 1;
        const std::vector<Value>& data = isLoad ? m_node.results : m_node.sources;
        for (std::size_t at = first; at < std::min<std::size_t>(data.size(), first + shape.registers); ++at) {
            const Value& value = data[at];
            registers.push_back(isLoad ? m_e.target(value) : m_e.inRegister(m_e.low(value)));
            if (value.bytes == 8)
                registers.push_back(isLoad ? m_e.targetHigh(value) : m_e.inRegister(m_e.high(value)));
        }
        const std::size_t words = bitsOf(shape.element) == 64 ? 2 : 1; // of a register of the fragment
        const std::size_t step = words * registersOfAccess(move);
        std::map<unsigned, std::vector<Part>> bases; // by leading dimensions from the first element
        for (std::size_t index = 0; index < registers.size(); index += step) {
            const std::vector<std::uint32_t> part(
                registers.begin() + static_cast<std::ptrdiff_t>(index),
                registers.begin() + static_cast<std::ptrdiff_t>(std::min(index + step, registers.size())));
            const Cell at = placeInFragment(t, shape, 0, static_cast<unsigned>(index / words), 0);
            const unsigned across = shape.alongInner ? at.outer : at.inner;
            auto& base = bases[across];
            if (base.empty())
                base = across == 0 ? tileBase() : tileBase(across * std::max(1u, bitsOf(shape.element) / 8));
            if (move == FragmentMove::Elements)
                loadBytes(part, base);
            else
                moveTile(isLoad, move, part, base);
        }
        return true;
    }

    std::vector<Part> tileBase()
    {
        const Value& base = m_node.sources[0];
        std::vector<Part> parts;
        if (base.bytes == 8 && m_node.space != Space::Shared) {
            for (const std::uint32_t id : m_e.pair(base))
                parts.push_back(Emitter::reg(id));
        } else {
            parts.push_back(Emitter::reg(m_e.inRegister(m_e.low(base))));
        }
        return parts;
    }

    /// So many bytes of each leading dimension further on.
    std::vector<Part> tileBase(unsigned bytes)
    {
        std::vector<Part> parts = tileBase();
        if (fragmentOf(m_e.code(), m_node)->stride == kNone)
            return parts; // a number: it goes into the address of the access
        std::vector<Part> reads{Emitter::reg(m_e.inRegister(m_e.low(m_node.sources.back()))), Emitter::imm(bytes)};
        reads.insert(reads.end(), parts.begin(), parts.end());
        std::vector<Part> moved;
        if (parts.size() == 2) {
            const Tuple to = m_e.freshPair();
            m_e.emit("IMAD.WIDE.U32", {to[0], to[1]}, reads);
            moved = {Emitter::reg(to[0]), Emitter::reg(to[1])};
        } else {
            const std::uint32_t to = m_e.fresh();
            m_e.emit("IMAD", {to}, reads);
            moved = {Emitter::reg(to)};
        }
        return moved;
    }

    std::string tileName(bool isLoad) const
    {
        const bool generic = m_node.space == Space::Generic;
        return m_node.space == Space::Shared ? (isLoad ? "LDS" : "STS")
               : generic                     ? (isLoad ? "LD.E" : "ST.E")
                                             : (isLoad ? "LDG.E" : "STG.E");
    }

    void moveTile(bool isLoad, FragmentMove move, const std::vector<std::uint32_t>& part, const std::vector<Part>& base)
    {
        constexpr std::string_view kTurn = "MOVM.16.MT88";
        const bool turned = move == FragmentMove::Turned;
        std::string name = tileName(isLoad);
        if (isByRows(move))
            name = std::string(move == FragmentMove::Rows ? "LDSM.16.M88" : "LDSM.16.MT88") + (part.size() > 2    ? ".4"
                                                                                               : part.size() == 2 ? ".2"
                                                                                                                  : "");
        else
            name += part.size() > 2 ? ".128" : part.size() == 2 ? ".64" : "";
        if (isLoad) {
            if (!turned && part.size() > 1)
                m_e.join(part);
            const std::vector<std::uint32_t> to = turned ? std::vector<std::uint32_t>{m_e.fresh()} : part;
            linkToMemory(m_e, m_node, m_e.emit(name, to, base), true, false);
            if (turned)
                m_e.emit(kTurn, part, {Emitter::reg(to[0])});
            return;
        }
        std::vector<Part> parts = base;
        std::vector<std::uint32_t> from = part;
        if (turned) {
            from = {m_e.fresh()};
            m_e.emit(kTurn, from, {Emitter::reg(part[0])});
        }
        for (const std::uint32_t id : from)
            parts.push_back(Emitter::reg(id));
        linkToMemory(m_e, m_node, m_e.emit(name, {}, parts), false, true);
    }

    /// Four bytes one by one, then together.
    void loadBytes(const std::vector<std::uint32_t>& part, const std::vector<Part>& base)
    {
        std::vector<Part> bytes;
        for (int byte = 0; byte < 4; ++byte) {
            const std::uint32_t to = m_e.fresh();
            linkToMemory(m_e, m_node, m_e.emit(tileName(true) + ".U8", {to}, base), true, false);
            bytes.push_back(Emitter::reg(to));
        }
        m_e.recipe("IMAD IMAD PRMT", part, bytes);
    }

    bool group()
    {
        if (m_text.find("mma_async") == m_text.npos)
            return link(m_e.emit(m_text.find("fence") != m_text.npos ? "WARPGROUP.ARRIVE" : "WARPGROUP.DEPBAR", {}, {}),
                        true);
        const bool bytes = m_text.find(".s8") != m_text.npos || m_text.find(".u8") != m_text.npos;
        const bool small = m_text.find(".e4m3") != m_text.npos || m_text.find(".e5m2") != m_text.npos;
        Draft& draft = m_e.emit(bytes ? "IGMMA" : small ? "QGMMA" : "HGMMA", results(), sources(72));
        draft.repeat = static_cast<std::uint8_t>(std::clamp(shapeOf(m_text).n / 8, 1u, 32u)); // of m64n8
        draft.readsMemory = true; // barriers and waits stay behind it, and stores of its factors before it
        draft.space = Space::Shared;
        return link(draft);
    }

    Emitter& m_e;
    const Node& m_node;
    std::string_view m_text;
};

} // namespace

bool expandWarp(Emitter& emitter, const Node& node)
{
    return WarpInstruction(emitter, node).run();
}

} // namespace ridge::gpu::simt
