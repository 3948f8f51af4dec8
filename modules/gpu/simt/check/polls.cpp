// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/check/polls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace ridge::gpu::simt {

namespace {

class Polls {
public:
    explicit Polls(const KernelImage& image) : m_image(image)
    {
        for (const PtxRecord& record : image.records)
            for (const PtxOperand& operand : operandsOf(record))
                if (operand.kind == PtxOperand::Kind::Register)
                    m_named[operand.plane].push_back(&record);
    }

    /// Whether a branch that leads back to the load depends on what it loads.
    bool isPoll(std::uint32_t pc) const
    {
        const std::set<std::uint32_t> values = valuesFrom(m_image.records[m_image.recordOf[pc]]);
        const std::uint32_t home = m_image.places[pc].block;
        for (std::uint32_t block = 0; block < m_image.blocks.size(); ++block) {
            const BasicBlock& from = m_image.blocks[block];
            if (from.kind == EndKind::Branch && values.contains(m_image.ops[from.end].guard) && leadsTo(block, home))
                return true;
        }
        return false;
    }

private:
    std::span<const PtxOperand> operandsOf(const PtxRecord& record) const
    {
        return {m_image.operands.data() + record.firstOperand, record.operandCount};
    }

    /// Registers and predicates that the first operand of a record names: what it makes.
    std::vector<std::uint32_t> resultsOf(const PtxRecord& record) const
    {
        std::vector<std::uint32_t> planes;
        const auto operands = operandsOf(record);
        if (operands.empty())
            return planes;
        const bool isGroup = operands[0].kind == PtxOperand::Kind::Group;
        const std::size_t count = isGroup ? operands[0].count : 1;
        for (const PtxOperand& operand :
             operands.subspan(isGroup ? 1 : 0).first(std::min(count, operands.size() - (isGroup ? 1 : 0))))
            if (operand.kind == PtxOperand::Kind::Register)
                planes.push_back(operand.plane);
        return planes;
    }

    /// Everything that is computed from what the record makes, without a way through memory.
    std::set<std::uint32_t> valuesFrom(const PtxRecord& load) const
    {
        std::set<std::uint32_t> known;
        std::vector<std::uint32_t> open = resultsOf(load);
        while (!open.empty()) {
            const std::uint32_t plane = open.back();
            open.pop_back();
            const auto users = m_named.find(plane);
            if (!known.insert(plane).second || users == m_named.end())
                continue;
            for (const PtxRecord* user : users->second) {
                const std::string_view text = m_image.texts[user->text];
                const std::string_view opcode = text.substr(0, text.find('.'));
                if (opcode == "ld" || opcode == "st" || opcode == "atom" || opcode == "red")
                    continue;
                const auto made = resultsOf(*user);
                open.insert(open.end(), made.begin(), made.end());
            }
        }
        return known;
    }

    bool leadsTo(std::uint32_t from, std::uint32_t to) const
    {
        std::vector<bool> seen(m_image.blocks.size());
        std::vector<std::uint32_t> open{from};
        const auto add = [&](std::uint32_t op) {
            if (op == kNone || op >= m_image.places.size())
                return;
            const std::uint32_t block = m_image.places[op].block;
            if (!seen[block])
                open.push_back(block);
            seen[block] = true;
        };
        while (!open.empty()) {
            const BasicBlock& block = m_image.blocks[open.back()];
            open.pop_back();
            add(block.next);
            if (block.kind == EndKind::Branch)
                add(block.target);
            if (block.kind == EndKind::Table)
                for (const std::uint32_t op : m_image.tables[block.target])
                    add(op);
        }
        return seen[to];
    }

    const KernelImage& m_image;
    std::map<std::uint32_t, std::vector<const PtxRecord*>> m_named; ///< by plane: records that name it
};

} // namespace

std::vector<bool> volatileDataOf(const KernelImage& image)
{
    std::vector<bool> found(image.ops.size());
    std::optional<Polls> polls;
    for (std::uint32_t pc = 0; pc < image.ops.size(); ++pc) {
        if (image.recordOf[pc] == kNone || image.ops[pc].run == nullptr || image.ops[pc].detail >= image.memory.size())
            continue;
        const std::string_view text = image.texts[image.places[pc].text];
        const bool isLoad = text.starts_with("ld.volatile");
        if (!isLoad && !text.starts_with("st.volatile"))
            continue;
        if (isLoad && !polls)
            polls.emplace(image);
        found[pc] = !isLoad || !polls->isPoll(pc);
    }
    return found;
}

} // namespace ridge::gpu::simt
