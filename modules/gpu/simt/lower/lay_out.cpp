// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/image/layout.h"
#include "gpu/simt/lower/pending_op.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

/// A run of pending micro-ops that is entered only at its start.
struct Piece {
    std::uint32_t first = 0;
    std::uint32_t end = 0; ///< one past the last, terminator included
};

class BlockPlacer {
public:
    BlockPlacer(std::vector<PendingOp> pending, const Labels& labels, const std::vector<std::uint32_t>& entries,
                KernelImage& image)
        : m_pending(std::move(pending)), m_labels(labels), m_entries(entries), m_image(image)
    {
    }

    void run()
    {
        cut();
        m_order = layoutBlocks(flowGraph());
        place();
        connect();
        for (std::size_t at = 0; at < m_entries.size(); ++at)
            m_image.functions[at].entry = firstOp(pieceOf(m_entries[at]));
    }

private:
    std::uint32_t pieceOf(std::uint32_t label) const { return m_pieceAt[m_labels.at(label)]; }

    void cut()
    {
        std::vector<bool> starts(m_pending.size() + 1, false);
        starts[0] = true;
        for (const auto& [label, at] : m_labels.placed())
            starts[at] = true;
        for (std::size_t at = 0; at < m_pending.size(); ++at)
            starts[at + 1] = starts[at + 1] || m_pending[at].end != EndKind::Fall;
        m_pieceAt.resize(m_pending.size() + 1, 0);
        for (std::uint32_t at = 0; at < m_pending.size(); ++at) {
            if (starts[at])
                m_pieces.push_back({at, at});
            m_pieces.back().end = at + 1;
            m_pieceAt[at] = static_cast<std::uint32_t>(m_pieces.size() - 1);
        }
    }

    const PendingOp& last(std::uint32_t piece) const { return m_pending[m_pieces[piece].end - 1]; }

    /// Whether lanes can go on to the next piece of the text.
    bool fallsThrough(const PendingOp& op) const
    {
        const bool always = op.op.guard == m_image.fills.front().offset && op.op.guardFlip == 0;
        return op.end == EndKind::Fall || op.end == EndKind::Barrier || op.end == EndKind::Call || !always;
    }

    FlowGraph flowGraph() const
    {
        FlowGraph graph(m_pieces.size());
        for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece) {
            const PendingOp& op = last(piece);
            std::vector<std::uint32_t>& edges = graph[piece];
            if (fallsThrough(op) && piece + 1 < m_pieces.size())
                edges.push_back(piece + 1);
            if (op.end == EndKind::Branch)
                edges.push_back(pieceOf(op.label));
            if (op.end == EndKind::Table) {
                for (const std::uint32_t label : m_labels.table(op.label))
                    edges.push_back(pieceOf(label));
            }
            if (piece == 0) { // nothing else leads to functions
                for (const std::uint32_t label : m_entries)
                    edges.push_back(pieceOf(label));
            }
            std::sort(edges.begin(), edges.end());
            edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        }
        return graph;
    }

    void place()
    {
        m_blockOf.assign(m_pieces.size(), kNone);
        for (const std::uint32_t piece : m_order) {
            const auto index = static_cast<std::uint32_t>(m_image.blocks.size());
            m_blockOf[piece] = index;
            BasicBlock block;
            block.first = static_cast<std::uint32_t>(m_image.ops.size());
            block.kind = last(piece).end;
            for (std::uint32_t at = m_pieces[piece].first; at < m_pieces[piece].end; ++at) {
                PendingOp& pending = m_pending[at];
                if (pending.addDynamicBase)
                    pending.op.imm += m_image.dynamicSharedBase;
                m_image.ops.push_back(pending.op);
                m_image.statementOf.push_back(pending.statement);
                m_image.recordOf.push_back(pending.record);
                m_image.places.push_back({pending.ptxLine, pending.sourceLine, pending.text, index, block.counted,
                                          pending.function, pending.inlined});
                block.counted += pending.counted ? 1 : 0;
            }
            block.end = static_cast<std::uint32_t>(m_image.ops.size()) - (block.kind == EndKind::Fall ? 0 : 1);
            m_image.blocks.push_back(block);
        }
    }

    std::uint32_t firstOp(std::uint32_t piece) const { return m_image.blocks[m_blockOf[piece]].first; }

    void connect()
    {
        for (const std::uint32_t piece : m_order) {
            BasicBlock& block = m_image.blocks[m_blockOf[piece]];
            const PendingOp& op = last(piece);
            if (fallsThrough(op) && piece + 1 < m_pieces.size())
                block.next = firstOp(piece + 1);
            if (op.end == EndKind::Branch) {
                block.target = firstOp(pieceOf(op.label));
            } else if (op.end == EndKind::Table) {
                block.target = static_cast<std::uint32_t>(m_image.tables.size());
                std::vector<std::uint32_t> targets;
                for (const std::uint32_t label : m_labels.table(op.label))
                    targets.push_back(firstOp(pieceOf(label)));
                m_image.tables.push_back(std::move(targets));
            }
        }
    }

    std::vector<PendingOp> m_pending;
    const Labels& m_labels;
    const std::vector<std::uint32_t>& m_entries; ///< labels of functions
    KernelImage& m_image;
    std::vector<Piece> m_pieces;
    std::vector<std::uint32_t> m_pieceAt; ///< of each pending micro-op
    std::vector<std::uint32_t> m_order;
    std::vector<std::uint32_t> m_blockOf; ///< of each piece
};

} // namespace

void layOut(std::vector<PendingOp> pending, const Labels& labels, const std::vector<std::uint32_t>& entries,
            KernelImage& image)
{
    BlockPlacer(std::move(pending), labels, entries, image).run();
}

} // namespace ridge::gpu::simt
