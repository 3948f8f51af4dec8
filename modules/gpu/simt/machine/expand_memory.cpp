// SPDX-License-Identifier: GPL-3.0-or-later
// Loads, stores, atomics, fences, asynchronous copies.
#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

class Memory {
public:
    Memory(Emitter& emitter, const Node& node) : m_e(emitter), m_node(node) {}

    bool run()
    {
        switch (m_node.op) {
        case Opcode::Ld:
            return load();
        case Opcode::St:
            return store();
        case Opcode::Atom:
        case Opcode::Red:
            return atomic();
        case Opcode::Membar:
            return fence();
        case Opcode::LdMatrix:
            return loadMatrix();
        case Opcode::CopyAsync:
            return copy();
        case Opcode::CopyWait:
            link(m_e.emit(m_e.code().text(m_node).find("commit") != std::string_view::npos ? "LDGDEPBAR" : "DEPBAR.LE",
                          {}, {}),
                 false, false);
            return true;
        default:
            return false;
        }
    }

private:
    std::string suffix() const
    {
        const unsigned element = sizeOf(m_node.type);
        switch (element * m_node.count) {
        case 1:
            return isSigned(m_node.type) ? ".S8" : ".U8";
        case 2:
            return m_node.count == 1 ? isSigned(m_node.type) ? ".S16" : ".U16" : ".U16";
        case 8:
            return ".64";
        case 16:
            return ".128";
        case 32:
            return ".256";
        default:
            return "";
        }
    }

    /// Registers of the address; a base of 64 bits must be a pair.
    std::vector<Part> address() const
    {
        const Value& base = m_node.sources[0];
        std::vector<Part> made;
        if (base.kind == Value::Kind::None)
            return made;
        if (base.bytes == 8 && (m_node.space == Space::Global || m_node.space == Space::Generic)) {
            for (const std::uint32_t id : m_e.pair(base))
                made.push_back(Emitter::reg(id));
        } else {
            made.push_back(Emitter::reg(m_e.inRegister(m_e.low(base))));
        }
        return made;
    }

    void link(Draft& draft, bool reads, bool writes) const
    {
        draft.microOp = m_node.microOp;
        draft.readsMemory = reads;
        draft.writesMemory = writes;
        draft.space = m_node.space;
        if (m_node.op == Opcode::Ld || m_node.op == Opcode::St) {
            const Value& where = m_node.sources[0];
            draft.base = where.isVariable() && !draft.sources.empty() ? draft.sources[0] : kNone;
            draft.offset = m_node.offset;
            draft.bytes = sizeOf(m_node.type) * m_node.count;
            draft.neverWritten = m_node.op == Opcode::Ld && m_e.code().has(m_node, "nc");
        }
        if (m_node.op == Opcode::Membar || m_node.op == Opcode::CopyWait)
            draft.ordersMemory = true;
    }

    std::string_view root(std::string_view global, std::string_view shared, std::string_view local,
                          std::string_view generic) const
    {
        switch (m_node.space) {
        case Space::Shared:
            return shared;
        case Space::Local:
        case Space::Param:
            return local;
        case Space::Generic:
            return generic;
        default:
            return global;
        }
    }

    bool load()
    {
        std::vector<std::uint32_t> results;
        for (const Value& value : m_node.results) {
            if (!value.isVariable()) {
                results.push_back(m_e.fresh());
                continue;
            }
            results.push_back(m_e.target(value));
            if (value.bytes == 8)
                results.push_back(m_e.targetHigh(value));
        }
        if (m_node.count > 1 && sizeOf(m_node.type) >= 4)
            m_e.join(results);
        const bool isParameter = m_node.space == Space::Param && m_node.sources[0].kind == Value::Kind::None;
        if (m_node.space == Space::Const || isParameter) {
            link(m_e.emit("LDC" + suffix(), results, address()), true, false);
            return true;
        }
        const std::string_view name = root("LDG.E", "LDS", "LDL", "LD.E");
        std::vector<Part> where = address();
        if (m_node.count > 1 && sizeOf(m_node.type) < 4) {
            // Bytes and halves of a vector come in whole words and are taken apart.
            const Tuple words = packed();
            link(m_e.emit(std::string(name) + suffix(), words, std::move(where)), true, false);
            for (std::size_t at = 0; at < results.size(); ++at)
                m_e.emit("PRMT", {results[at]}, {Emitter::reg(words[at * words.size() / results.size()])});
            return true;
        }
        link(m_e.emit(std::string(name) + suffix(), results, std::move(where)), true, false);
        return true;
    }

    bool store()
    {
        std::vector<Part> parts = address();
        Tuple data;
        for (std::size_t at = 1; at < m_node.sources.size(); ++at) {
            const Value& value = m_node.sources[at];
            const bool wide = value.bytes == 8 && sizeOf(m_node.type) == 8;
            if (wide) {
                for (const std::uint32_t id : m_e.pair(value))
                    data.push_back(id);
                continue;
            }
            const Part part = m_e.low(value);
            if (part.kind == Part::Kind::Zero && m_node.count == 1)
                continue;
            data.push_back(part.kind == Part::Kind::Zero ? zero() : m_e.inRegister(part));
        }
        if (m_node.count > 1 && sizeOf(m_node.type) < 4) {
            const Tuple words = packed();
            std::vector<std::uint32_t> last(words.size(), kNone);
            for (std::size_t at = 0; at < data.size(); ++at) {
                const std::size_t word = at * words.size() / data.size();
                if (last[word] != kNone)
                    m_e.emit("PRMT", {words[word]}, {Emitter::reg(last[word]), Emitter::reg(data[at])});
                last[word] = last[word] == kNone ? data[at] : words[word];
            }
            data = words;
        } else if (m_node.count > 1) {
            gather(data);
        }
        for (const std::uint32_t id : data)
            parts.push_back(Emitter::reg(id));
        std::string width = suffix();
        if (width == ".S8")
            width = ".U8";
        link(m_e.emit(std::string(root("STG.E", "STS", "STL", "ST.E")) + width, {}, parts), false, true);
        return true;
    }

    /// Registers of a vector store: side by side, those that already have other neighbours by copies.
    void gather(Tuple& data) const
    {
        bool neighbours = true;
        for (std::size_t at = 1; at < data.size(); ++at)
            neighbours = neighbours && data[at] == data[0] + at;
        for (std::size_t at = 1; at < data.size() && !neighbours; ++at) {
            if (m_e.isBound(data[at]))
                data[at] = m_e.inRegister(Emitter::reg(data[at]), true);
        }
        m_e.join(data);
    }

    /// Whole words for the elements of a vector of bytes or halves.
    Tuple packed() const
    {
        Tuple words;
        for (unsigned bytes = 0; bytes < sizeOf(m_node.type) * m_node.count; bytes += 4)
            words.push_back(m_e.fresh());
        m_e.join(words);
        return words;
    }

    std::uint32_t zero() const
    {
        const std::uint32_t made = m_e.fresh();
        m_e.emit("CS2R", {made}, {});
        return made;
    }

    bool atomic()
    {
        std::vector<Part> parts = address();
        const bool wide = sizeOf(m_node.type) == 8;
        for (std::size_t at = 1; at < m_node.sources.size(); ++at) {
            const Value& value = m_node.sources[at];
            if (wide) {
                for (const std::uint32_t id : m_e.pair(value))
                    parts.push_back(Emitter::reg(id));
            } else if (m_e.low(value).kind != Part::Kind::Zero) {
                parts.push_back(Emitter::reg(m_e.inRegister(m_e.low(value))));
            }
        }
        std::vector<std::uint32_t> results;
        const bool used = std::any_of(m_node.results.begin(), m_node.results.end(),
                                      [&](const Value& value) { return m_e.code().uses(value) > 0; });
        if (used) {
            results.push_back(m_e.target(m_node.results[0]));
            if (wide)
                results.push_back(m_e.targetHigh(m_node.results[0]));
        }
        const bool exchange = m_e.code().has(m_node, "cas") || m_e.code().has(m_node, "exch");
        const bool isAdd = m_e.code().has(m_node, "add");
        const auto& code = m_e.code();
        const bool steps = code.has(m_node, "inc") || code.has(m_node, "dec"); // they do not combine
        if (isUniform() && !exchange && !wide && !steps && !isFloat(m_node.type))
            return oneForTheWarp(used, results, parts);
        if (m_node.space == Space::Shared) {
            if (isAdd && isFloat(m_node.type)) {
                // Shared memory adds no floats: a loop of load, add and compare-and-swap.
                const std::uint32_t old = m_e.fresh();
                const std::uint32_t sum = m_e.fresh();
                const std::uint32_t done = m_e.freshPredicate();
                m_e.emit("LDS", {old}, address()).readsMemory = true;
                m_e.emit("FADD", {sum}, {Emitter::reg(old), parts.back()});
                link(m_e.emit("ATOMS.CAST.SPIN", {sum}, {parts[0], Emitter::reg(old), Emitter::reg(sum)}), true, true);
                m_e.emit("ISETP.EQ.U32.AND", {done}, {Emitter::reg(sum)});
                m_e.emit("BRA", {}, {Emitter::reg(done)});
                return true;
            }
            link(m_e.emit(m_e.code().has(m_node, "cas") ? "ATOMS.CAS" : "ATOMS", results, parts), true, true);
            return true;
        }
        const bool returns = used || exchange;
        const std::string_view name =
            m_node.space == Space::Generic ? (returns ? "ATOM.E" : "RED.E") : (returns ? "ATOMG.E" : "RED.E");
        link(m_e.emit(name, results, parts), true, true);
        return true;
    }

    bool isUniform() const
    {
        const Value& base = m_node.sources[0];
        return !base.isVariable() || !m_e.code().variables[base.variable].varies;
    }

    /// Lanes that meet in one address are combined first, and one lane does the rest: what ptxas 13.0 makes of 32-bit
    /// integers (not of inc and dec, floats or 64 bits) where it sees that the whole warp has one address.
    bool oneForTheWarp(bool used, const std::vector<std::uint32_t>& results, const std::vector<Part>& parts)
    {
        const std::uint32_t leader = m_e.freshPredicate();
        const std::uint32_t combined = m_e.fresh();
        const bool constant = m_node.sources.size() > 1 && !m_node.sources[1].isVariable();
        const std::uint32_t lane = m_e.fresh();
        m_e.emit("S2R", {lane}, {});
        if (constant) {
            m_e.recipe("VOTEU.ANY UFLO.U32 UPOPC", {combined}, {});
        } else if (m_e.capability() >= 80) {
            m_e.recipe("VOTEU.ANY UFLO.U32 REDUX", {combined}, parts);
        } else {
            m_e.recipe("VOTE.ANY SHFL.UP @IADD3 SHFL.UP @IADD3 SHFL.UP @IADD3 SHFL.UP @IADD3 SHFL.UP @IADD3",
                       {combined}, parts);
        }
        m_e.emit("ISETP.EQ.U32.AND", {leader}, {Emitter::reg(lane)});
        std::vector<Part> reads = parts;
        reads.push_back(Emitter::reg(combined));
        reads.push_back(Emitter::reg(leader));
        const std::string_view name = m_node.space == Space::Shared ? "ATOMS" : used ? "ATOMG.E" : "RED.E";
        Draft& draft = m_e.emit(name, results, reads);
        draft.oneLane = true;
        link(draft, true, true);
        if (used)
            m_e.recipe("S2R POPC SHFL.IDX IADD3", {results[0]}, {Emitter::reg(results[0])});
        return true;
    }

    bool fence()
    {
        const bool block = m_e.code().has(m_node, "cta");
        if (block) {
            link(m_e.emit("MEMBAR.ALL.CTA", {}, {}), false, false);
            return true;
        }
        link(m_e.emit("MEMBAR.SC.GPU", {}, {}), false, false);
        m_e.emit("ERRBAR", {}, {}).ordersMemory = true;
        if (m_e.capability() >= 90)
            m_e.emit("CGAERRBAR", {}, {}).ordersMemory = true;
        if (m_e.capability() >= 75)
            m_e.emit("CCTL.IVALL", {}, {}).ordersMemory = true;
        return true;
    }

    bool loadMatrix()
    {
        std::vector<std::uint32_t> results;
        for (const Value& value : m_node.results)
            results.push_back(m_e.target(value));
        m_e.join(results);
        const std::string_view count = results.size() >= 4 ? ".4" : results.size() == 2 ? ".2" : "";
        const bool transposed = m_e.code().has(m_node, "trans");
        Draft& draft =
            m_e.emit(std::string(transposed ? "LDSM.16.MT88" : "LDSM.16.M88") + std::string(count), results, address());
        link(draft, true, false);
        draft.space = Space::Shared;
        return true;
    }

    bool copy()
    {
        std::vector<Part> parts;
        for (const Value& value : m_node.sources) {
            if (value.kind == Value::Kind::None || value.isImmediate())
                continue;
            if (value.bytes == 8) {
                for (const std::uint32_t id : m_e.pair(value))
                    parts.push_back(Emitter::reg(id));
            } else {
                parts.push_back(Emitter::reg(m_e.inRegister(m_e.low(value))));
            }
        }
        const bool bulk = m_e.code().has(m_node, "bulk");
        if (!bulk && m_e.code().has(m_node, "mbarrier")) {
            link(m_e.emit("ARRIVES.LDGSTSBAR.64", {}, parts), false, true);
            return true;
        }
        const bool tensor = m_e.code().has(m_node, "tensor");
        Draft& draft = m_e.emit(tensor ? m_e.code().has(m_node, "bulk_group") ? "UTMASTG" : "UTMALDG"
                                : bulk ? "UBLKCP"
                                       : "LDGSTS.E",
                                {}, parts);
        link(draft, true, true);
        draft.space = Space::Generic;
        return true;
    }

    Emitter& m_e;
    const Node& m_node;
};

} // namespace

bool expandMemory(Emitter& emitter, const Node& node)
{
    const bool addressed = node.op != Opcode::Membar && node.op != Opcode::CopyWait;
    if (addressed && node.sources.empty())
        return false;
    return Memory(emitter, node).run();
}

} // namespace ridge::gpu::simt
