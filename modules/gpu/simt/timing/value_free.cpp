// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/value_free.h"

#include "gpu/simt/run/wgmma_ops.h"

#include <algorithm>
#include <array>
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
    explicit Slice(const KernelImage& image) : m_image(image), m_statements(image.statements.size())
    {
        for (std::uint32_t pc = 0; pc < image.ops.size(); ++pc) {
            const std::uint32_t statement = image.statementOf[pc];
            if (statement == kNone) {
                m_needed.insert(image.ops[pc].guard); // it ends a basic block, or stands for no instruction
                m_isClear = m_isClear && (image.ops[pc].run == nullptr || endsBlock(pc));
                continue;
            }
            OneStatement& one = m_statements[statement];
            one.use = endsBlock(pc) ? Use::Other : useOf(image.texts[image.places[pc].text]);
            one.ops.push_back(pc);
            one.guards.push_back(image.ops[pc].guard);
        }
        for (const auto& uses : image.statements) {
            for (const PlaneUse& one : uses)
                m_isClear = m_isClear && one.role != PlaneUse::Role::Passed;
        }
        m_isClear = m_isClear && image.functions.empty();
        for (bool grows = true; grows;) {
            grows = false;
            for (std::size_t at = 0; at < m_statements.size(); ++at)
                grows = visit(at) || grows;
        }
    }

    bool isClear() const { return m_isClear; } ///< all that moves a value is an instruction with its operands

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
    std::unordered_set<std::uint32_t> m_needed; ///< planes
    bool m_readsMemory = false;                 ///< what is stored may come back as an address
    bool m_isClear = true;
};

} // namespace

KernelImage withoutValues(const KernelImage& image)
{
    KernelImage thin = image;
    const Slice slice(image);
    if (!slice.isClear())
        return thin;
    for (const std::uint32_t pc : slice.idle())
        thin.ops[pc].run = thin.ops[pc].run == findWarpgroupMultiply() ? findWarpgroupRead() : nothing;
    return thin;
}

} // namespace ridge::gpu::simt
