// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/value_free.h"

#include "gpu/simt/run/wgmma_ops.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_set>

namespace ridge::gpu::simt {

namespace {

Step nothing(WarpRegisters&, const MicroOp&, std::uint32_t)
{
    return Step::Next;
}

/// What an instruction is to those who want addresses alone.
enum class Use : std::uint8_t {
    Value,  ///< it does nothing but compute its results
    Load,   ///< results come from memory
    Store,  ///< sources that are no addresses go to memory
    Atomic, ///< both
    Lanes,  ///< results come from other lanes; they have to meet in any case
    Other,
};

/// "mma" of "@%p1 mma.sync.aligned…"
std::string_view opcodeOf(std::string_view text)
{
    if (!text.empty() && text.front() == '@')
        text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
    return text.substr(0, text.find_first_of(". \t;"));
}

Use useOf(std::string_view text)
{
    static constexpr std::array values{
        std::string_view("add"),   std::string_view("sub"),      std::string_view("mul"),   std::string_view("mad"),
        std::string_view("fma"),   std::string_view("div"),      std::string_view("rem"),   std::string_view("abs"),
        std::string_view("neg"),   std::string_view("min"),      std::string_view("max"),   std::string_view("rcp"),
        std::string_view("sqrt"),  std::string_view("rsqrt"),    std::string_view("sin"),   std::string_view("cos"),
        std::string_view("lg2"),   std::string_view("ex2"),      std::string_view("tanh"),  std::string_view("setp"),
        std::string_view("set"),   std::string_view("selp"),     std::string_view("slct"),  std::string_view("mov"),
        std::string_view("cvt"),   std::string_view("and"),      std::string_view("or"),    std::string_view("xor"),
        std::string_view("not"),   std::string_view("shl"),      std::string_view("shr"),   std::string_view("shf"),
        std::string_view("lop3"),  std::string_view("prmt"),     std::string_view("bfe"),   std::string_view("bfi"),
        std::string_view("popc"),  std::string_view("clz"),      std::string_view("brev"),  std::string_view("cvta"),
        std::string_view("mul24"), std::string_view("mad24"),    std::string_view("dp4a"),  std::string_view("dp2a"),
        std::string_view("sad"),   std::string_view("copysign"), std::string_view("testp"), std::string_view("mma"),
    };
    const std::string_view opcode = opcodeOf(text);
    const auto says = [text](std::string_view what) { return text.find(what) != std::string_view::npos; };
    if (std::find(values.begin(), values.end(), opcode) != values.end() || says("ld.param") || says("ld.const") ||
        says("wmma.mma") || says("wgmma.mma_async"))
        return Use::Value;
    if (opcode == "ld" || opcode == "ldu" || opcode == "ldmatrix" || says("wmma.load"))
        return says("volatile") || says("acquire") ? Use::Other : Use::Load;
    if (opcode == "st" || opcode == "stmatrix" || opcode == "red" || says("wmma.store"))
        return Use::Store;
    if (opcode == "atom")
        return Use::Atomic;
    return opcode == "shfl" ? Use::Lanes : Use::Other;
}

struct OneStatement {
    Use use = Use::Other;
    std::vector<std::uint32_t> ops, guards;
};

/// Which instructions decide where the kernel goes and what it touches.
class Slice {
public:
    Slice(const KernelImage& image, bool assumes) : m_image(image), m_statements(image.statements.size())
    {
        if (assumes)
            findShortBranches();
        for (std::uint32_t pc = 0; pc < image.ops.size(); ++pc) {
            const std::uint32_t statement = image.statementOf[pc];
            if (statement == kNone) {
                if (!isAssumed(pc))
                    m_needed.insert(image.ops[pc].guard); // it ends a basic block, or stands for no instruction
                m_isClear = m_isClear && (image.ops[pc].run == nullptr || endsBlock(pc));
                continue;
            }
            OneStatement& one = m_statements[statement];
            one.use = endsBlock(pc) ? Use::Other : useOf(image.texts[image.places[pc].text]);
            one.ops.push_back(pc);
            if (!isAssumed(pc))
                one.guards.push_back(image.ops[pc].guard);
        }
        for (const auto& uses : image.statements) {
            for (const PlaneUse& one : uses)
                m_isClear = m_isClear && one.role != PlaneUse::Role::Passed;
        }
        m_isClear = m_isClear && image.functions.empty();
        while (grow(), dropNeededBranches())
            continue;
    }

    bool isClear() const { return m_isClear; } ///< all that moves a value is an instruction with its operands

    /// The terminators of branches whose way is assumed.
    const std::vector<std::uint32_t>& assumed() const { return m_assumed; }
    std::uint32_t opsBehind(std::uint32_t branch) const { return blockOf(branch).target - blockOf(branch).next; }

    /// Micro-ops that may be left out.
    std::vector<std::uint32_t> idle() const
    {
        std::vector<std::uint32_t> ops;
        for (std::size_t at = 0; at < m_statements.size(); ++at) {
            if (m_statements[at].use == Use::Value && !hasNeededResult(at))
                ops.insert(ops.end(), m_statements[at].ops.begin(), m_statements[at].ops.end());
        }
        return ops;
    }

private:
    const BasicBlock& blockOf(std::uint32_t pc) const { return m_image.blocks[m_image.places[pc].block]; }
    bool isAssumed(std::uint32_t pc) const
    {
        return std::find(m_assumed.begin(), m_assumed.end(), pc) != m_assumed.end();
    }

    /// Branches over a few micro-ops of arithmetic, which no way leads back to.
    void findShortBranches()
    {
        constexpr std::uint32_t kShort = 16;
        for (const BasicBlock& block : m_image.blocks)
            if (block.kind == EndKind::Table || block.kind == EndKind::Call)
                return;
        for (const BasicBlock& block : m_image.blocks) {
            const bool isShort = block.kind == EndKind::Branch && block.next == block.end + 1 &&
                                 block.target > block.next && block.target <= block.next + kShort;
            if (!isShort || isInLoop(block.end))
                continue;
            bool plain = true;
            for (std::uint32_t pc = block.next; pc < block.target; ++pc) {
                const BasicBlock& inside = blockOf(pc);
                const bool ends = pc == inside.end && inside.kind != EndKind::Fall;
                plain = plain && !ends && m_image.statementOf[pc] != kNone &&
                        useOf(m_image.texts[m_image.places[pc].text]) == Use::Value;
            }
            if (plain)
                m_assumed.push_back(block.end);
        }
    }

    bool isInLoop(std::uint32_t pc) const
    {
        return std::any_of(m_image.blocks.begin(), m_image.blocks.end(), [pc](const BasicBlock& block) {
            return block.kind == EndKind::Branch && block.target <= pc && pc <= block.end;
        });
    }

    void grow()
    {
        for (bool grows = true; grows;) {
            grows = false;
            for (std::size_t at = 0; at < m_statements.size(); ++at)
                grows = visit(at) || grows;
        }
    }

    /// Branches over arithmetic that decides something go as they are computed.
    bool dropNeededBranches()
    {
        const auto isNeeded = [this](std::uint32_t branch) {
            for (std::uint32_t pc = blockOf(branch).next; pc < blockOf(branch).target; ++pc)
                if (hasNeededResult(m_image.statementOf[pc]))
                    return true;
            return false;
        };
        const auto first = std::partition(m_assumed.begin(), m_assumed.end(), std::not_fn(isNeeded));
        const bool drops = first != m_assumed.end();
        for (auto branch = first; branch != m_assumed.end(); ++branch)
            m_needed.insert(m_image.ops[*branch].guard);
        m_assumed.erase(first, m_assumed.end());
        return drops;
    }

    bool endsBlock(std::uint32_t pc) const { return pc == m_image.blocks[m_image.places[pc].block].end; }

    bool hasNeededResult(std::size_t statement) const
    {
        return std::any_of(m_image.statements[statement].begin(), m_image.statements[statement].end(),
                           [&](const PlaneUse& one) {
                               return one.role == PlaneUse::Role::Destination && m_needed.count(one.plane) != 0;
                           });
    }

    bool visit(std::size_t at)
    {
        const OneStatement& one = m_statements[at];
        const bool hasResult = hasNeededResult(at);
        const std::size_t before = m_needed.size() + (m_readsMemory ? 1 : 0);
        if (one.use == Use::Value && !hasResult)
            return false;
        m_needed.insert(one.guards.begin(), one.guards.end());
        m_readsMemory = m_readsMemory || ((one.use == Use::Load || one.use == Use::Atomic) && hasResult);
        const bool data =
            one.use == Use::Store || one.use == Use::Atomic ? m_readsMemory : one.use != Use::Lanes || hasResult;
        for (const PlaneUse& use : m_image.statements[at]) {
            if (use.role == PlaneUse::Role::Address || (use.role == PlaneUse::Role::Source && data))
                m_needed.insert(use.plane);
        }
        return m_needed.size() + (m_readsMemory ? 1 : 0) != before;
    }

    const KernelImage& m_image;
    std::vector<OneStatement> m_statements;
    std::vector<std::uint32_t> m_assumed;       ///< terminators
    std::unordered_set<std::uint32_t> m_needed; ///< planes
    bool m_readsMemory = false;                 ///< what is stored may come back as an address
    bool m_isClear = true;
};

} // namespace

ValueFree withoutValues(const KernelImage& image, ShortBranches branches)
{
    ValueFree made{image, 0};
    const Slice slice(image, branches != ShortBranches::AsComputed);
    if (!slice.isClear())
        return made;
    for (const std::uint32_t pc : slice.idle()) {
        MicroOp& op = made.image.ops[pc];
        op.run = op.run == findWarpgroupMultiply() ? findWarpgroupRead() : nothing;
    }
    for (const std::uint32_t branch : slice.assumed()) {
        made.assumed += slice.opsBehind(branch);
        made.image.ops[branch].guard = image.fills.front().offset; // the one that is true
        made.image.ops[branch].guardFlip = branches == ShortBranches::Taken ? 0 : ~std::uint32_t{0};
    }
    return made;
}

} // namespace ridge::gpu::simt
