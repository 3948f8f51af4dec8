// SPDX-License-Identifier: GPL-3.0-or-later
// Loads, stores, atomics, fences, asynchronous copies.
#include "gpu/simt/machine/draft.h"

namespace ridge::gpu::simt {

namespace {

constexpr int kUniformAddresses = 75; ///< Turing's accesses take an address from registers of the warp

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

    std::vector<Part> address() const { return addressParts(m_e, m_node); }

    void link(Draft& draft, bool reads, bool writes) const { linkToMemory(m_e, m_node, draft, reads, writes); }

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
        if (m_e.code().has(m_node, "bulk")) {
            Draft& draft = m_e.emit("UMEMSETS.64", {}, address());
            draft.microOp = m_node.microOp;
            draft.space = Space::Shared;
            draft.ordersMemory = true;
            return true;
        }
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
        const auto has = [&](std::string_view word) { return m_e.code().has(m_node, word); };
        const bool transposed = has("trans");
        std::string name = transposed ? "LDSM.16.MT88" : "LDSM.16.M88";
        if (has("m16n16") || has("m8n16"))
            name = std::string(has("b6x16_p32")   ? "LDSM.U6x16P32TO8"
                               : has("b4x16_p64") ? "LDSM.U4x16P64TO8"
                                                  : "LDSM.8") +
                   (transposed ? ".MT1616" : ".M816");
        const std::string_view matrices = transposed && has("m16n16") ? (results.size() == 4 ? ".2" : "") : count;
        Draft& draft = m_e.emit(name + std::string(matrices), results, address());
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
        const bool reduces = m_e.code().has(m_node, "reduce");
        const bool leaves = m_e.code().has(m_node, "bulk_group");
        Draft& draft = m_e.emit(tensor && reduces  ? "UTMAREDG"
                                : tensor && leaves ? "UTMASTG"
                                : tensor           ? "UTMALDG"
                                : bulk && reduces  ? "UBLKRED"
                                : bulk             ? "UBLKCP"
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

std::vector<Part> addressParts(Emitter& emitter, const Node& node)
{
    const Value& base = node.sources[0];
    std::vector<Part> made;
    if (base.kind == Value::Kind::None)
        return made;
    if (base.kind == Value::Kind::Constant && base.bytes == 8 && emitter.capability() == kUniformAddresses) {
        const std::uint32_t first = emitter.uniformPair(base.bits);
        made = {Emitter::reg(first), Emitter::reg(first + 1)};
    } else if (base.bytes == 8 && (node.space == Space::Global || node.space == Space::Generic)) {
        for (const std::uint32_t id : emitter.pair(base))
            made.push_back(Emitter::reg(id));
    } else {
        made.push_back(Emitter::reg(emitter.inRegister(emitter.low(base))));
    }
    return made;
}

void linkToMemory(const Emitter& emitter, const Node& node, Draft& draft, bool reads, bool writes)
{
    draft.microOp = node.microOp;
    draft.readsMemory = reads;
    draft.writesMemory = writes;
    draft.space = node.space;
    if (node.op == Opcode::Ld || node.op == Opcode::St) {
        const Value& where = node.sources[0];
        draft.base = where.isVariable() && !draft.sources.empty() ? draft.sources[0] : kNone;
        draft.offset = node.offset;
        draft.bytes = sizeOf(node.type) * node.count;
        draft.neverWritten = node.op == Opcode::Ld && emitter.code().has(node, "nc");
    }
    if (node.op == Opcode::Membar || node.op == Opcode::CopyWait)
        draft.ordersMemory = true;
}

bool expandMemory(Emitter& emitter, const Node& node)
{
    const bool addressed = node.op != Opcode::Membar && node.op != Opcode::CopyWait;
    if (addressed && node.sources.empty())
        return false;
    return Memory(emitter, node).run();
}

} // namespace ridge::gpu::simt
