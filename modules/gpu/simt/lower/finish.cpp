// SPDX-License-Identifier: GPL-3.0-or-later
// From pending micro-ops to a laid-out kernel, and the module as a whole.
#include "gpu/simt/image/layout.h"
#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/ptx/token_stream.h"
#include "gpu/simt/run/thread_team.h"

#include <atomic>

namespace ridge::gpu::simt {

namespace {

/// A run of pending micro-ops that is entered only at its start.
struct Piece {
    std::uint32_t first = 0;
    std::uint32_t end = 0; ///< one past the last, terminator included
};

class Finisher {
public:
    Finisher(std::vector<PendingOp>& pending, const std::unordered_map<std::uint32_t, std::uint32_t>& labelAt,
             const std::vector<std::vector<std::uint32_t>>& tables, const std::vector<std::uint32_t>& entries,
             KernelImage& image)
        : m_pending(pending), m_labelAt(labelAt), m_tables(tables), m_entries(entries), m_image(image)
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
    std::uint32_t pieceOf(std::uint32_t label) const
    {
        const auto found = m_labelAt.find(label);
        return m_pieceAt[found->second];
    }

    void cut()
    {
        std::vector<bool> starts(m_pending.size() + 1, false);
        starts[0] = true;
        for (const auto& [label, at] : m_labelAt)
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
                for (const std::uint32_t label : m_tables[op.label])
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
                for (const std::uint32_t label : m_tables[op.label])
                    targets.push_back(firstOp(pieceOf(label)));
                m_image.tables.push_back(std::move(targets));
            }
        }
    }

    std::vector<PendingOp>& m_pending;
    const std::unordered_map<std::uint32_t, std::uint32_t>& m_labelAt;
    const std::vector<std::vector<std::uint32_t>>& m_tables;
    const std::vector<std::uint32_t>& m_entries; ///< labels of functions
    KernelImage& m_image;
    std::vector<Piece> m_pieces;
    std::vector<std::uint32_t> m_pieceAt; ///< of each pending micro-op
    std::vector<std::uint32_t> m_order;
    std::vector<std::uint32_t> m_blockOf; ///< of each piece
};

Error refusalError(const std::string& kernel, std::vector<Refusal> refusals)
{
    std::sort(refusals.begin(), refusals.end());
    refusals.erase(std::unique(refusals.begin(), refusals.end()), refusals.end());
    const auto lacking = static_cast<std::size_t>(
        std::count_if(refusals.begin(), refusals.end(), [](const Refusal& refusal) { return refusal.lacking; }));
    const bool chipAlone = lacking == refusals.size();
    std::string message =
        (chipAlone ? "the chip does not have " : "the simulator does not support ") +
        (refusals.size() == 1 ? std::string("an instruction") : std::to_string(refusals.size()) + " instructions") +
        " of kernel " + kernel + ":";
    for (const Refusal& refusal : refusals) {
        message += "\n  " + refusal.instruction + " in kernel " + refusal.kernel + ", PTX line " +
                   std::to_string(refusal.ptxLine);
        if (refusal.sourceLine != 0)
            message += ", source line " + std::to_string(refusal.sourceLine);
        if (!refusal.reason.empty())
            message += " (" + refusal.reason + ")";
    }
    return {"unsupported-instruction", std::move(message), "PTX line " + std::to_string(refusals.front().ptxLine),
            chipAlone ? "Choose a target that has what is missing, or write the kernel without it."
                      : "Run this program on a GPU" + std::string(lacking == 0 ? "" : " that has all of them") +
                            ", or write the kernel without these instructions."};
}

constexpr std::size_t kManyStatements = 1000; ///< that are worth the start of threads

struct LoweredKernel {
    KernelImage image;
    std::optional<Error> problem; ///< in the PTX, which ends all
    std::optional<Error> refused; ///< this kernel alone
};

LoweredKernel lowerKernel(const Module& module, const VariableAddresses& addresses, const Function& function,
                          int computeCapability)
{
    LoweredKernel made;
    try {
        KernelBuilder builder(module, addresses, function, computeCapability);
        builder.run();
        if (builder.refusals().empty())
            made.image = builder.finish();
        else
            made.refused = refusalError(std::string(function.name), std::move(builder.refusals()));
    } catch (const SyntaxError& problem) {
        made.problem = problem.error;
    }
    return made;
}

} // namespace

KernelImage KernelBuilder::finish()
{
    Finisher(m_pending, m_labelAt, m_tables, m_entryLabels, m_image).run();
    m_image.registerBytes = (m_nextPlane + 63) / 64 * 64;
    return std::move(m_image);
}

Result<LoweredModule> lowerModule(const Module& module, const VariableAddresses& addresses, int computeCapability)
{
    std::vector<const Function*> kernels;
    std::set<std::string_view> names;
    std::size_t statements = 0;
    for (const Function& function : module.functions) {
        statements += function.body.size();
        if (!function.isEntry || !function.hasBody)
            continue;
        if (!names.insert(function.name).second)
            return badPtx(function.place, "the kernel '" + std::string(function.name) + "' is defined twice");
        kernels.push_back(&function);
    }
    // A kernel knows nothing of the others.
    std::vector<LoweredKernel> made(kernels.size());
    ThreadTeam team(statements < kManyStatements ? 1 : simulationThreads(0, static_cast<unsigned>(kernels.size())));
    std::atomic<std::size_t> next{0};
    team.run([&](unsigned) {
        for (std::size_t at = next++; at < kernels.size(); at = next++)
            made[at] = lowerKernel(module, addresses, *kernels[at], computeCapability);
    });
    LoweredModule lowered;
    for (std::size_t at = 0; at < kernels.size(); ++at) {
        if (made[at].problem)
            return *std::move(made[at].problem);
        if (made[at].refused)
            lowered.refused.emplace(kernels[at]->name, *std::move(made[at].refused));
        else
            lowered.kernels.push_back(std::move(made[at].image));
    }
    return lowered;
}

} // namespace ridge::gpu::simt
