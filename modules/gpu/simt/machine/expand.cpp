// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

std::string upper(std::string_view text)
{
    std::string made(text);
    std::transform(made.begin(), made.end(), made.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return made;
}

/// What ptxas 13.5 makes of instructions that have no expansion of their own.
std::string rareMnemonic(std::string_view text)
{
    const std::string_view opcode = text.substr(0, text.find('.'));
    if (opcode == "stmatrix")
        return "STSM";
    if (opcode == "clusterlaunchcontrol")
        return text.find("try_cancel") != text.npos ? "UGETNEXTWORKID" : "LOP3.LUT";
    return upper(opcode);
}

class Expander {
public:
    Expander(Code& code, const FlowPlan& plan) : m_code(code), m_plan(plan), m_emitter(code, m_kernel) {}

    DraftKernel run()
    {
        m_kernel.blocks.resize(m_code.blocks.size());
        for (std::uint32_t block = 0; block < m_code.blocks.size(); ++block) {
            m_kernel.blocks[block].successors = m_code.blocks[block].successors;
            m_emitter.openBlock(block);
            if (block == 0)
                prologue();
            for (std::uint32_t at = 0; at < m_plan.closedRegions[block]; ++at)
                terminator(m_emitter.emit("BSYNC", {}, {}), block, false);
            for (const std::uint32_t at : m_code.blocks[block].nodes) {
                const Node& node = m_code.nodes[at];
                if (isEnd(node))
                    openRegions(block);
                m_emitter.openNode(node);
                expandNode(node, block);
            }
            const auto& nodes = m_code.blocks[block].nodes;
            if (nodes.empty() || !isEnd(m_code.nodes[nodes.back()]))
                openRegions(block);
            if (m_plan.jumps[block] && !endsInJump(block))
                terminator(m_emitter.emit("BRA", {}, {}), block, true);
        }
        return std::move(m_kernel);
    }

private:
    static bool isEnd(const Node& node)
    {
        return node.op == Opcode::Bra || node.op == Opcode::Exit || node.op == Opcode::Brx || node.op == Opcode::Trap;
    }

    void terminator(Draft& draft, std::uint32_t block, bool isLast)
    {
        const BasicBlock& from = m_code.image->blocks[block];
        draft.ordersMemory = true;
        draft.isTerminator = isLast;
        if (draft.covers == kNoMicroOp)
            draft.covers = isLast && from.end > from.first ? from.end - 1 : from.first;
    }

    void openRegions(std::uint32_t block)
    {
        if (std::exchange(m_opened, block) == block && m_openedAny)
            return;
        m_openedAny = true;
        for (std::uint32_t at = 0; at < m_plan.openRegions[block]; ++at) {
            for (const std::string_view name : m_emitter.regionOpening())
                m_emitter.emit(name, {}, {}).covers = m_code.image->blocks[block].first;
        }
    }

    bool endsInJump(std::uint32_t block) const
    {
        const auto& nodes = m_code.blocks[block].nodes;
        if (nodes.empty())
            return false;
        const Node& last = m_code.nodes[nodes.back()];
        return isEnd(last) && !last.guard.isVariable();
    }

    /// The stack pointer, which ptxas sets up even where nothing uses it, and the descriptor of global memory.
    void prologue()
    {
        const std::uint32_t first = m_code.image->blocks[0].first;
        m_emitter.emit(m_code.capability >= 90 ? "LDC" : "IMAD.MOV.U32", {}, {}).covers = first;
        const bool global = std::any_of(m_code.nodes.begin(), m_code.nodes.end(), [](const Node& node) {
            return !node.dead && (node.space == Space::Global || node.space == Space::Generic) &&
                   (node.op == Opcode::Ld || node.op == Opcode::St || node.op == Opcode::Atom ||
                    node.op == Opcode::Red || node.op == Opcode::WmmaLoad || node.op == Opcode::WmmaStore ||
                    node.op == Opcode::CopyAsync);
        });
        if (global && m_code.capability >= 80)
            m_emitter.emit(m_code.capability >= 100 ? "LDCU.64" : "ULDC.64", {}, {}).covers = first;
        const bool shared = std::any_of(m_code.nodes.begin(), m_code.nodes.end(), [](const Node& node) {
            return !node.dead && node.space == Space::Shared && node.op != Opcode::CopyAsync;
        });
        if (shared && m_code.capability >= 90) {
            // Shared addresses start at the block's window within its cluster.
            m_emitter.recipe("S2UR UMOV ULEA", {}, {});
        }
    }

    void expandNode(const Node& node, std::uint32_t block)
    {
        switch (node.op) {
        case Opcode::Exit:
            terminator(m_emitter.emit("EXIT", {}, {}), block, true);
            return;
        case Opcode::Trap:
            terminator(m_emitter.emit("BPT.TRAP", {}, {}), block, true);
            return;
        case Opcode::Brx:
            terminator(m_emitter.emit("BRX", {}, {m_emitter.low(node.sources[0])}), block, true);
            return;
        case Opcode::Bra:
            branch(node, block);
            return;
        case Opcode::Call:
            m_emitter.recipe("MOV IMAD.MOV.U32 IMAD.MOV.U32 MOV MOV CALL.ABS.NOINC", {}, {});
            return;
        case Opcode::ReadClock:
            m_emitter.emit("CS2R", {m_emitter.target(node.results[0])}, {}).ordersAll = true;
            return;
        case Opcode::ReadSpecial: {
            const bool uniform = !m_code.variables[node.results[0].variable].varies && m_code.capability >= 90;
            m_emitter.emit(uniform ? "S2UR" : "S2R", {m_emitter.target(node.results[0])}, {});
            return;
        }
        default:
            break;
        }
        if (expandMemory(m_emitter, node) || expandAtomic(m_emitter, node) || expandDivision(m_emitter, node) ||
            expandInteger(m_emitter, node) || expandFloat(m_emitter, node) || expandWarp(m_emitter, node))
            return;
        other(node);
    }

    /// On Turing, where lanes leave a loop in different turns and its body talks to other lanes or warps, those that
    /// stay meet by a vote in each turn. Seen in what ptxas 13.0 makes for 7.5 of loops with atomics, shuffles and
    /// volatile loads; not of fences, barriers and stores, and not for 8.0 and later.
    bool meetsByVote(const Node& end, std::uint32_t first, std::uint32_t last) const
    {
        if (m_code.capability < 75 || m_code.capability >= 80 || !m_code.variables[end.guard.variable].varies)
            return false;
        for (std::uint32_t block = first; block <= last; ++block)
            for (const std::uint32_t at : m_code.blocks[block].nodes) {
                const Node& node = m_code.nodes[at];
                const bool loads = node.op == Opcode::Ld && m_code.has(node, "volatile");
                if (!node.dead &&
                    (loads || node.op == Opcode::Atom || node.op == Opcode::Red || node.op == Opcode::Shfl))
                    return true;
            }
        return false;
    }

    void branch(const Node& node, std::uint32_t block)
    {
        const BasicBlock& from = m_code.image->blocks[block];
        const bool conditional = node.guard.isVariable();
        const std::uint32_t to = m_code.image->places[from.target].block;
        if (!conditional && to == block + 1)
            return;
        if (conditional && to <= block && meetsByVote(node, to, block)) {
            m_emitter.recipe("VOTE.ANY YIELD VOTEU.ANY LOP3.LUT BRA", {}, {});
            const bool ends = block + 1 < m_code.blocks.size() && m_code.blocks[block + 1].nodes.size() == 1 &&
                              m_code.nodes[m_code.blocks[block + 1].nodes[0]].op == Opcode::Exit;
            m_emitter.cold(ends ? 0 : 1, "vote" + std::to_string(block)); // back to the vote; an EXIT takes a guard
        }
        terminator(m_emitter.emit("BRA", {}, {}), block, true);
        if (conditional && m_plan.jumps[block])
            terminator(m_emitter.emit("BRA", {}, {}), block, true);
    }

    void other(const Node& node)
    {
        std::vector<std::uint32_t> results;
        const bool pair = m_code.has(node, "f32x2");
        for (const Value& value : node.results) {
            results.push_back(m_emitter.target(value));
            if (pair)
                results.push_back(m_emitter.targetHigh(value));
        }
        std::vector<Part> sources;
        for (const Value& value : node.sources) {
            if (value.kind == Value::Kind::None)
                continue;
            sources.push_back(value.bytes == 0 ? m_emitter.predicate(value) : m_emitter.low(value));
            if (pair && value.bytes == 8)
                sources.push_back(m_emitter.high(value));
        }
        const std::string_view text = m_code.text(node);
        const std::string name = rareMnemonic(text);
        if (pair)
            m_emitter.join(results);
        Draft& draft = m_emitter.emit(pair ? (name[0] == 'F' ? "" : "F") + name + "2" : name, results, sources);
        draft.microOp = pair ? kNoMicroOp : node.microOp;
        if (name == "STSM") {
            draft.space = Space::Shared;
            draft.ordersMemory = true;
        } else if (name == "UGETNEXTWORKID") {
            draft.ordersMemory = true;
        }
    }

    Code& m_code;
    const FlowPlan& m_plan;
    DraftKernel m_kernel;
    Emitter m_emitter;
    std::uint32_t m_opened = kNone;
    bool m_openedAny = false;
};

bool isPlain(const Draft& draft)
{
    return isFixedLatency(draft.latency) && draft.pipe != Pipe::Branch && draft.microOp == kNoMicroOp &&
           !draft.results.empty();
}

/// One pass from the end of each block; what is read in other blocks shows in the next. Whether there was any.
bool removeUnreadOnce(DraftKernel& kernel)
{
    bool changed = false;
    const Liveness live = livenessOf(kernel);
    std::vector<bool> isRead(kernel.registers.size(), false);
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        std::fill(isRead.begin(), isRead.end(), false);
        live.forEach(live.out[block], [&](std::uint32_t id) { isRead[id] = true; });
        auto& drafts = kernel.blocks[block].drafts;
        const auto kept = std::remove_if(drafts.rbegin(), drafts.rend(), [&](const Draft& draft) {
            if (isPlain(draft) &&
                std::none_of(draft.results.begin(), draft.results.end(), [&](std::uint32_t id) { return isRead[id]; }))
                return changed = true;
            for (const std::uint32_t id : draft.results)
                isRead[id] = isRead[id] && draft.isGuarded;
            for (const std::uint32_t id : draft.sources)
                isRead[id] = true;
            return false;
        });
        drafts.erase(drafts.begin(), kept.base());
    }
    return changed;
}

} // namespace

void removeUnread(DraftKernel& kernel)
{
    while (removeUnreadOnce(kernel)) {
    }
}

DraftKernel expand(Code& code, const FlowPlan& plan)
{
    return Expander(code, plan).run();
}

} // namespace ridge::gpu::simt
