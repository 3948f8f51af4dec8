// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/form.h"
#include "gpu/simt/run/misc_ops.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ridge::gpu::simt {

namespace {

class Reader {
public:
    Reader(const KernelImage& image, int capability)
    {
        m_code.image = &image;
        m_code.capability = capability;
        m_variables.reserve(image.registerCount);
        m_forms.reserve(image.texts.size());
        for (const std::string& text : image.texts)
            m_forms.push_back(formOf(text));
    }

    Code read()
    {
        const KernelImage& image = *m_code.image;
        m_code.blocks.resize(image.blocks.size());
        m_code.nodes.reserve(image.records.size() + 16);
        for (std::uint32_t block = 0; block < image.blocks.size(); ++block) {
            const BasicBlock& from = image.blocks[block];
            const std::uint32_t end = from.end + (from.kind == EndKind::Fall ? 0 : 1);
            for (std::uint32_t at = from.first; at < end;) {
                std::uint32_t next = at + 1;
                while (next < end && image.recordOf[next] == image.recordOf[at] && image.recordOf[at] != kNone)
                    ++next;
                addNode(block, at, next - at);
                at = next;
            }
            connect(block);
        }
        nest();
        placeSpecials();
        countUses(m_code);
        return std::move(m_code);
    }

private:
    std::uint32_t variableOf(std::uint32_t plane, std::uint8_t bytes)
    {
        const auto [at, isNew] = m_variables.try_emplace(plane, 0);
        if (isNew)
            at->second = m_code.newVariable(bytes == 0 ? 0 : bytes == 8 ? 8 : 4);
        return at->second;
    }

    Value valueOf(const PtxOperand& operand)
    {
        Value value;
        switch (operand.kind) {
        case PtxOperand::Kind::Register:
            value = Value::ofVariable(variableOf(operand.plane, operand.bytes), operand.bytes == 0   ? 0
                                                                                : operand.bytes == 8 ? 8
                                                                                                     : 4);
            value.negated = operand.negated;
            break;
        case PtxOperand::Kind::Immediate:
            value = Value::ofImmediate(operand.value, operand.bytes);
            break;
        case PtxOperand::Kind::Symbol:
            value = Value::ofImmediate(operand.value, 8);
            if (operand.space == Space::Global || operand.space == Space::Const) {
                // ptxas puts addresses of variables into a constant bank of their own.
                value.kind = Value::Kind::Constant;
                value.bits |= std::uint64_t{4} << 48;
            }
            break;
        case PtxOperand::Kind::Special:
            value = special(operand);
            break;
        default:
            break;
        }
        return value;
    }

    Value special(const PtxOperand& operand)
    {
        if (operand.special == PlaneFill::Kind::Constant)
            return Value::ofImmediate(operand.value, 4);
        Value value;
        value.kind = Value::Kind::Constant;
        if (operand.special == PlaneFill::Kind::Ntid || operand.special == PlaneFill::Kind::NctaId) {
            value.bits = operand.axis * 4u + (operand.special == PlaneFill::Kind::NctaId ? 12u : 0u);
            return value;
        }
        const std::int64_t key = static_cast<int>(operand.special) * 4 + operand.axis;
        const auto [at, isNew] = m_specials.try_emplace(key, 0);
        if (isNew)
            at->second = m_code.newVariable(4);
        return Value::ofVariable(at->second, 4);
    }

    void addNode(std::uint32_t block, std::uint32_t microOp, std::uint32_t microOps)
    {
        const KernelImage& image = *m_code.image;
        Node node;
        node.block = block;
        node.microOp = microOp;
        node.microOps = microOps;
        node.text = image.places[microOp].text;
        const std::uint32_t index = image.recordOf[microOp];
        if (index == kNone) {
            node.op = Opcode::Exit;
        } else {
            const PtxRecord& record = image.records[index];
            node.text = record.text;
            fill(node, record);
        }
        m_code.blocks[block].nodes.push_back(static_cast<std::uint32_t>(m_code.nodes.size()));
        m_code.nodes.push_back(std::move(node));
    }

    void fill(Node& node, const PtxRecord& record)
    {
        const KernelImage& image = *m_code.image;
        const Form& form = m_forms[record.text];
        node.op = form.op;
        node.type = form.type;
        node.from = form.from;
        node.flags = form.flags;
        node.count = form.count;
        node.space = form.space;
        if (node.op == Opcode::Mov && image.ops[node.microOp].run == findMiscOp(MiscOp::Clock))
            node.op = Opcode::ReadClock;
        if (image.blocks[node.block].kind == EndKind::Branch && node.op == Opcode::Exit)
            node.op = Opcode::Bra; // ret of an inlined function
        if (node.op == Opcode::Call && image.blocks[node.block].kind == EndKind::Branch)
            node.op = Opcode::Bra; // past the inlined body
        if (record.guard != kNone) {
            node.guard = Value::ofVariable(variableOf(record.guard, 0), 0);
            node.guard.negated = record.guardNegated;
        }
        node.sources.reserve(record.operandCount);
        bool resultsLeft = form.hasResult;
        std::uint32_t at = record.firstOperand;
        const std::uint32_t end = at + record.operandCount;
        while (at < end) {
            std::uint32_t count = 1;
            if (image.operands[at].kind == PtxOperand::Kind::Group)
                count = image.operands[at++].count;
            for (; count > 0 && at < end; --count, ++at)
                addOperand(node, image.operands[at], resultsLeft);
            resultsLeft = false;
        }
    }

    void addOperand(Node& node, const PtxOperand& operand, bool isResult)
    {
        if (operand.kind == PtxOperand::Kind::Memory) {
            Value base;
            if (operand.plane != kNone)
                base = Value::ofVariable(variableOf(operand.plane, operand.bytes), operand.bytes);
            const bool isParameter = operand.plane == kNone && operand.space == Space::Param;
            node.offset =
                static_cast<std::int64_t>(operand.value + (isParameter ? parameterBase(m_code.capability) : 0));
            if (node.space == Space::Generic || (operand.space == Space::Local && node.space == Space::Param))
                node.space = operand.space;
            node.sources.push_back(base);
            return;
        }
        Value value = valueOf(operand);
        if (operand.kind == PtxOperand::Kind::Symbol && operand.space == Space::Param) {
            value.bits += parameterBase(m_code.capability);
        }
        (isResult ? node.results : node.sources).push_back(value);
    }

    void connect(std::uint32_t block)
    {
        const KernelImage& image = *m_code.image;
        const BasicBlock& from = image.blocks[block];
        const auto add = [&](std::uint32_t op) {
            if (op == kNone)
                return;
            const std::uint32_t to = image.places[op].block;
            auto& successors = m_code.blocks[block].successors;
            if (std::find(successors.begin(), successors.end(), to) != successors.end())
                return;
            successors.push_back(to);
            m_code.blocks[to].predecessors.push_back(block);
        };
        add(from.next);
        if (from.kind == EndKind::Branch)
            add(from.target);
        if (from.kind == EndKind::Table) {
            for (const std::uint32_t op : image.tables[from.target])
                add(op);
        }
    }

    /// Loops are contiguous in the layout and forward edges ascend, so that one sweep finds dominators.
    void nest()
    {
        auto& blocks = m_code.blocks;
        for (std::uint32_t block = 0; block < blocks.size(); ++block) {
            for (const std::uint32_t to : blocks[block].successors) {
                for (std::uint32_t inside = to; inside <= block; ++inside)
                    ++blocks[inside].depth;
            }
        }
        for (std::uint32_t block = 1; block < blocks.size(); ++block) {
            std::uint32_t meet = kNone;
            for (std::uint32_t from : blocks[block].predecessors) {
                if (from >= block)
                    continue;
                while (meet != kNone && meet != from) {
                    std::uint32_t& later = meet > from ? meet : from;
                    later = blocks[later].dominator == kNone ? 0 : blocks[later].dominator;
                }
                meet = from;
            }
            blocks[block].dominator = meet == kNone ? 0 : meet;
        }
    }

    /// A special register is read once: where it is first needed if that is the only block, else in the first block.
    void placeSpecials()
    {
        for (const auto& special : m_specials) { // not a structured binding: clang before 16 cannot capture one
            const auto& [key, found] = special;
            const auto variable = found;
            std::uint32_t first = kNone;
            bool several = false;
            for (const Node& node : m_code.nodes) {
                const bool reads = std::any_of(node.sources.begin(), node.sources.end(), [&](const Value& value) {
                    return value.isVariable() && value.variable == variable;
                });
                if (reads && first != kNone && first != node.block)
                    several = true;
                if (reads && first == kNone)
                    first = node.block;
            }
            if (first == kNone)
                continue;
            Node read;
            read.op = Opcode::ReadSpecial;
            read.type = ScalarType::U32;
            read.block = several ? 0 : first;
            read.offset = key;
            read.results.push_back(Value::ofVariable(variable, 4));
            read.microOp = m_code.image->blocks[read.block].first;
            auto& nodes = m_code.blocks[read.block].nodes;
            nodes.insert(nodes.begin(), static_cast<std::uint32_t>(m_code.nodes.size()));
            m_code.nodes.push_back(std::move(read));
        }
    }

    Code m_code;
    std::vector<Form> m_forms;
    std::unordered_map<std::uint32_t, std::uint32_t> m_variables; ///< of planes
    std::map<std::int64_t, std::uint32_t> m_specials;
};

} // namespace

std::uint64_t parameterBase(int computeCapability)
{
    return computeCapability >= 100 ? 0x380 : computeCapability >= 90 ? 0x210 : 0x160;
}

bool Code::has(const Node& node, std::string_view modifier) const
{
    const std::string_view whole = text(node);
    for (std::size_t at = whole.find(modifier); at != whole.npos; at = whole.find(modifier, at + 1)) {
        const std::size_t end = at + modifier.size();
        if (at > 0 && whole[at - 1] == '.' && (end == whole.size() || whole[end] == '.'))
            return true;
    }
    return false;
}

void countUses(Code& code)
{
    for (CodeVariable& variable : code.variables) {
        variable.definitions = variable.uses = 0;
        variable.definition = kNone;
    }
    for (const CodeBlock& block : code.blocks) {
        for (const std::uint32_t at : block.nodes)
            countNode(code, at, 1);
    }
}

void countNode(Code& code, std::uint32_t at, int sign)
{
    const Node& node = code.nodes[at];
    if (node.dead)
        return;
    const auto change = static_cast<std::uint32_t>(sign); // modulo 2^32
    for (const Value& value : node.sources) {
        if (value.isVariable())
            code.variables[value.variable].uses += change;
    }
    if (node.guard.isVariable())
        code.variables[node.guard.variable].uses += change;
    for (const Value& value : node.results) {
        if (!value.isVariable())
            continue;
        CodeVariable& variable = code.variables[value.variable];
        variable.definitions += change * (node.guard.isVariable() && (node.flags & kFlagOwnResult) == 0 ? 2u : 1u);
        if (variable.definitions == 0)
            variable.definition = kNone;
        else if (sign > 0)
            variable.definition = at;
    }
}

Code readCode(const KernelImage& image, int computeCapability)
{
    return Reader(image, computeCapability).read();
}

} // namespace ridge::gpu::simt
