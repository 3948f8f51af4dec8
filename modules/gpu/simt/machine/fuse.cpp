// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <array>
#include <map>

namespace ridge::gpu::simt {

namespace {

/// A product costs nothing where a sum makes it on the way, however many sums do.
constexpr std::uint32_t kAnyUses = ~0u;
constexpr int kMostSums = 1024; ///< of one address: more turns of a loop than are ever put side by side

bool isLogic(const Node& node)
{
    return node.op == Opcode::And || node.op == Opcode::Or || node.op == Opcode::Xor || node.op == Opcode::Not ||
           node.op == Opcode::Lop3;
}

bool isInteger(const Node& node)
{
    return !isFloat(node.type) && node.type != ScalarType::Pred;
}

class Fuser {
public:
    explicit Fuser(Code& code) : m_code(code) {}

    void run()
    {
        subtractIsAdd();
        index();
        exposeConstants();
        for (CodeBlock& block : m_code.blocks) {
            for (const std::uint32_t at : block.nodes) {
                Node& node = m_code.nodes[at];
                if (node.guard.isVariable())
                    continue;
                if (node.op == Opcode::Add && isInteger(node))
                    sizeOf(node.type) == 8 ? fuseWide(node) : fuseAdd(node);
                else if (isLogic(node) && node.type != ScalarType::Pred)
                    fuseLogic(node);
                else if (isLogic(node))
                    fusePredicates(node);
                else if (node.op == Opcode::Setp)
                    testLogic(node);
            }
        }
        removeDead(m_code);
        index();
        for (Node& node : m_code.nodes) {
            if (!node.dead && isMemory(node))
                foldAddress(node);
        }
        removeDead(m_code);
    }

private:
    static bool isMemory(const Node& node)
    {
        switch (node.op) {
        case Opcode::Ld:
        case Opcode::St:
        case Opcode::Atom:
        case Opcode::Red:
        case Opcode::LdMatrix:
            return !node.sources.empty();
        default:
            return false;
        }
    }

    void subtractIsAdd()
    {
        for (Node& node : m_code.nodes) {
            if (node.op != Opcode::Sub || !isInteger(node) || sizeOf(node.type) < 4 || node.sources.size() != 2 ||
                (node.flags & kFlagCarryOut) != 0)
                continue;
            node.op = Opcode::Add;
            Value& value = node.sources[1];
            if (value.isImmediate())
                value.bits = sizeOf(node.type) == 4 ? static_cast<std::uint32_t>(0 - value.bits) : 0 - value.bits;
            else
                value.negated = !value.negated;
        }
    }

    /// Where each node stands, which of a variable's readers add it, and which use it as an address.
    void index()
    {
        m_position.assign(m_code.nodes.size(), 0);
        m_addUses.assign(m_code.variables.size(), 0);
        m_addressUses.assign(m_code.variables.size(), 0);
        for (const CodeBlock& block : m_code.blocks) {
            for (std::size_t at = 0; at < block.nodes.size(); ++at) {
                const Node& node = m_code.nodes[block.nodes[at]];
                m_position[block.nodes[at]] = static_cast<std::uint32_t>(at);
                if (node.op == Opcode::Add && isInteger(node) && !node.guard.isVariable()) {
                    for (const Value& value : node.sources) {
                        if (value.isVariable() && !value.negated)
                            ++m_addUses[value.variable];
                    }
                }
                if (isMemory(node) && node.sources[0].isVariable())
                    ++m_addressUses[node.sources[0].variable];
            }
        }
    }

    std::uint32_t indexOf(const Node& node) const { return static_cast<std::uint32_t>(&node - m_code.nodes.data()); }

    /// Whether the sources of `made` are still the same where `by` stands.
    bool holds(const Node& made, const Node& by) const
    {
        for (const Value& source : made.sources) {
            if (m_code.isStable(source))
                continue;
            if (made.block != by.block)
                return false;
            const auto& nodes = m_code.blocks[by.block].nodes;
            for (std::size_t at = m_position[indexOf(made)]; at < m_position[indexOf(by)]; ++at) {
                for (const Value& result : m_code.nodes[nodes[at]].results) {
                    if (result.isVariable() && result.variable == source.variable)
                        return false;
                }
            }
        }
        return true;
    }

    /// Nobody but additions reads it, so that each of them can make it on the way.
    bool onlyAdded(const Value& value) const
    {
        return value.isVariable() && m_addUses[value.variable] >= m_code.uses(value);
    }

    /// The node that makes `value`, if reading it where `by` stands means the same and nothing else needs it.
    Node* inner(const Value& value, const Node& by, Opcode op, std::uint32_t mostUses = 1, bool anyBlock = false)
    {
        Node* made = m_code.definition(value);
        if (made == nullptr || made->op != op || made->dead || made->guard.isVariable() ||
            (m_code.blocks[made->block].depth != m_code.blocks[by.block].depth && !anyBlock) ||
            m_code.uses(value) > mostUses || value.absolute ||
            (made->flags & (kFlagCarryIn | kFlagCarryOut | kFlagSat)) != 0)
            return nullptr;
        return holds(*made, by) ? made : nullptr;
    }

    /// (x + constant) + y becomes (x + y) + constant where only addresses use it: the constant ends up in the offsets,
    /// and addresses of several arrays share one sum.
    void exposeConstants()
    {
        std::map<std::array<std::uint32_t, 3>, Value> sums;
        for (std::uint32_t blockAt = 0; blockAt < m_code.blocks.size(); ++blockAt) {
            std::vector<std::uint32_t> rewritten;
            for (const std::uint32_t at : m_code.blocks[blockAt].nodes) {
                expose(at, rewritten, sums);
                rewritten.push_back(at);
            }
            m_code.blocks[blockAt].nodes = std::move(rewritten);
        }
        countUses(m_code);
        index();
    }

    bool isExposed(const Node& node) const
    {
        return node.op == Opcode::Add && isInteger(node) && !node.guard.isVariable() && node.sources.size() == 2 &&
               node.results[0].isVariable() && m_addressUses[node.results[0].variable] >= m_code.uses(node.results[0]);
    }

    void expose(std::uint32_t at, std::vector<std::uint32_t>& rewritten,
                std::map<std::array<std::uint32_t, 3>, Value>& sums)
    {
        if (!isExposed(m_code.nodes[at]))
            return;
        const Node node = m_code.nodes[at];
        for (const std::size_t side : {0, 1}) {
            const Value value = node.sources[side];
            const Value other = node.sources[1 - side];
            const Node* sum = m_code.definition(value);
            if (sum == nullptr || sum->op != Opcode::Add || value.negated || other.negated || !other.isVariable() ||
                sum->sources.size() != 2 || !sum->sources[1].isImmediate() || !m_code.isStable(sum->sources[0]) ||
                !m_code.isStable(other) || !sum->sources[0].isVariable() || sum->sources[0].negated)
                continue;
            const Value constant = sum->sources[1];
            const Value first = sum->sources[0];
            const std::array<std::uint32_t, 3> key{std::min(first.variable, other.variable),
                                                   std::max(first.variable, other.variable), node.block};
            const auto [known, isNew] = sums.try_emplace(key, Value());
            if (isNew) {
                Node made = node;
                known->second = Value::ofVariable(m_code.newVariable(node.results[0].bytes), node.results[0].bytes);
                made.results = {known->second};
                made.sources = {first, other};
                rewritten.push_back(static_cast<std::uint32_t>(m_code.nodes.size()));
                CodeVariable& variable = m_code.variables[known->second.variable];
                variable.definitions = 1;
                variable.definition = rewritten.back();
                m_addressUses.resize(m_code.variables.size(), 0);
                m_code.nodes.push_back(std::move(made));
            }
            m_code.nodes[at].sources = {known->second, constant};
            return;
        }
    }

    static std::uint64_t smallShift(const Node& shift)
    {
        return shift.sources.size() == 2 && shift.sources[1].isImmediate() ? shift.sources[1].bits : 64;
    }

    void drop(Value& value)
    {
        if (value.isVariable())
            --m_code.variables[value.variable].uses;
    }

    void use(const Value& value)
    {
        if (value.isVariable())
            ++m_code.variables[value.variable].uses;
    }

    void replaceSources(Node& node, std::vector<Value> sources)
    {
        for (Value& value : node.sources)
            drop(value);
        node.sources = std::move(sources);
        for (const Value& value : node.sources)
            use(value);
    }

    /// add.s64 of something that one instruction can make on the way: IMAD.WIDE, LEA with its upper half.
    void fuseWide(Node& node)
    {
        if (node.sources.size() != 2 || (node.flags & (kFlagCarryIn | kFlagCarryOut)) != 0)
            return;
        for (const std::size_t at : {1, 0}) {
            const Value value = node.sources[at];
            const Value other = node.sources[1 - at];
            if (value.negated || other.negated)
                continue;
            if (Node* product = inner(value, node, Opcode::Mul, kAnyUses, true); product != nullptr) {
                const bool wide = (product->flags & kFlagWide) != 0 && sizeOf(product->type) == 4;
                const bool low = (product->flags & (kFlagWide | kFlagHi)) == 0 && m_code.uses(value) == 1;
                if (!wide && !low)
                    continue;
                node.op = Opcode::Mad;
                node.flags |= product->flags & kFlagWide;
                node.type = product->type;
                replaceSources(node, {product->sources[0], product->sources[1], other});
                return;
            }
            if (Node* shift = inner(value, node, Opcode::Shl); shift != nullptr && smallShift(*shift) < 32) {
                shiftAdd(node, shift->sources[0], static_cast<std::int64_t>(smallShift(*shift)), other);
                return;
            }
            if (const Node* widened = m_code.definition(value); widened != nullptr && widened->op == Opcode::Cvt &&
                                                                isWidening(*widened) && isSigned(widened->from) &&
                                                                !other.isImmediate()) {
                shiftAdd(node, value, 0, other);
                return;
            }
        }
    }

    bool isWidening(const Node& node) const
    {
        return sizeOf(node.type) == 8 && sizeOf(node.from) == 4 && isInteger(node) && !isFloat(node.from) &&
               node.sources.size() == 1;
    }

    void shiftAdd(Node& node, Value shifted, std::int64_t shift, const Value& other)
    {
        if (const Node* widened = m_code.definition(shifted);
            widened != nullptr && widened->op == Opcode::Cvt && isWidening(*widened) && holds(*widened, node)) {
            node.flags |= isSigned(widened->from) ? kFlagSignedA : kFlagUnsignedA;
            shifted = widened->sources[0];
        }
        node.op = Opcode::ShiftAdd;
        node.offset = shift;
        replaceSources(node, {shifted, other});
    }

    /// Before compute capability 9.0 a product of launch constants, such as the step of a loop over the grid, is not
    /// kept in a register: the addition makes it anew each time, since an instruction reads constants for nothing.
    bool isMadeAnew(const Value& value) const
    {
        const Node* made = m_code.definition(value);
        return m_code.capability < kConstantsInRegisters && made != nullptr && made->op == Opcode::Mul &&
               made->sources.size() == 2 && made->sources[0].kind == Value::Kind::Constant &&
               made->sources[1].kind == Value::Kind::Constant;
    }

    void fuseAdd(Node& node)
    {
        if (node.sources.size() != 2 || (node.flags & (kFlagCarryIn | kFlagCarryOut)) != 0 || sizeOf(node.type) < 4)
            return;
        for (const std::size_t at : {1, 0}) {
            const Value value = node.sources[at];
            const Value other = node.sources[1 - at];
            if (!value.negated && !other.negated) {
                if (const Node* product = inner(value, node, Opcode::Mul, onlyAdded(value) ? 4 : 1, isMadeAnew(value));
                    product != nullptr && (product->flags & (kFlagWide | kFlagHi)) == 0) {
                    node.op = Opcode::Mad;
                    replaceSources(node, {product->sources[0], product->sources[1], other});
                    return;
                }
                if (const Node* shift = inner(value, node, Opcode::Shl, onlyAdded(value) ? 4 : 1);
                    shift != nullptr && smallShift(*shift) < 32) {
                    node.op = Opcode::ShiftAdd;
                    node.offset = static_cast<std::int64_t>(smallShift(*shift));
                    replaceSources(node, {shift->sources[0], other});
                    return;
                }
            }
            if (const Node* sum = inner(value, node, Opcode::Add); sum != nullptr && sum->sources.size() == 2) {
                Value first = sum->sources[0];
                Value second = sum->sources[1];
                if (value.negated && (first.isImmediate() || second.isImmediate()))
                    continue;
                first.negated = first.negated != value.negated;
                second.negated = second.negated != value.negated;
                if (other.isImmediate() && (first.isImmediate() || second.isImmediate()))
                    continue;
                node.op = Opcode::Add3;
                replaceSources(node, {first, second, other});
                return;
            }
        }
    }

    static bool same(const Value& a, const Value& b)
    {
        return a.kind == b.kind && a.variable == b.variable && a.bits == b.bits;
    }

    /// and, or, xor, not: any function of three inputs is one LOP3.
    void fuseLogic(Node& node)
    {
        if (sizeOf(node.type) < 4 || node.op == Opcode::Lop3)
            return;
        std::vector<Value> inputs = node.sources;
        std::vector<const Node*> expanded{&node}; // each once: what nobody gave a value may be made of itself
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t at = 0; at < inputs.size() && !changed; ++at) {
                const Node* made = m_code.definition(inputs[at]);
                if (made == nullptr || !isLogic(*made) ||
                    std::find(expanded.begin(), expanded.end(), made) != expanded.end() ||
                    made->type == ScalarType::Pred ||
                    inner(inputs[at], node, made->op, made->op == Opcode::Not ? 8 : 1) == nullptr)
                    continue;
                std::vector<Value> merged;
                for (std::size_t other = 0; other < inputs.size(); ++other) {
                    const std::vector<Value>& from = other == at ? made->sources : std::vector<Value>{inputs[other]};
                    for (const Value& value : from) {
                        if (std::none_of(merged.begin(), merged.end(), [&](const Value& v) { return same(v, value); }))
                            merged.push_back(value);
                    }
                }
                const auto constants =
                    std::count_if(merged.begin(), merged.end(), [](const Value& v) { return !v.isVariable(); });
                if (merged.size() > 3 || constants > 1 || merged.empty())
                    continue;
                expanded.push_back(made);
                inputs = merged;
                changed = true;
            }
        }
        if (inputs.size() != node.sources.size() ||
            !std::equal(inputs.begin(), inputs.end(), node.sources.begin(), same)) {
            node.op = Opcode::Lop3;
            replaceSources(node, inputs);
        }
    }

    /// and.pred of a comparison nobody else reads: the comparison combines its result with the other predicate.
    void fusePredicates(Node& node)
    {
        if (node.op == Opcode::Not || node.op == Opcode::Lop3 || node.sources.size() != 2)
            return;
        for (const std::size_t at : {1, 0}) {
            const Node* compare = inner(node.sources[at], node, Opcode::Setp);
            if (compare == nullptr || compare->sources.size() != 2 || compare->results.size() != 1)
                continue;
            const Value other = node.sources[1 - at];
            node.op = Opcode::Setp;
            node.type = compare->type;
            node.flags = compare->flags;
            node.text = compare->text;
            replaceSources(node, {compare->sources[0], compare->sources[1], other});
            return;
        }
    }

    /// A comparison of a logic result with zero: LOP3 writes the predicate itself.
    void testLogic(Node& node)
    {
        if (node.sources.size() != 2 || node.results.size() != 1 || !node.sources[1].isImmediate() ||
            node.sources[1].bits != 0 || sizeOf(node.type) != 4 || isFloat(node.type))
            return;
        if (!m_code.has(node, "eq") && !m_code.has(node, "ne"))
            return;
        Node* logic = m_code.definition(node.sources[0]);
        if (logic == nullptr || !isLogic(*logic) || logic->block != node.block || logic->results.size() != 1 ||
            sizeOf(logic->type) != 4)
            return;
        if (m_code.variables[node.results[0].variable].definitions != 1)
            return;
        logic->results.push_back(node.results[0]);
        node.dead = true;
        drop(node.sources[0]);
    }

    /// Constant parts of an address go into the instruction's 24-bit offset.
    void foldAddress(Node& node)
    {
        for (int depth = 0; depth < kMostSums; ++depth) {
            Value& address = node.sources[0];
            if (address.isImmediate()) {
                node.offset += static_cast<std::int64_t>(address.bits);
                address = Value();
                return;
            }
            const Node* made = m_code.definition(address);
            if (made == nullptr || made->op != Opcode::Add || made->sources.size() != 2)
                break;
            const std::size_t constant = made->sources[1].isImmediate() ? 1 : made->sources[0].isImmediate() ? 0 : 2;
            if (constant == 2 || made->sources[1 - constant].negated || !holds(*made, node))
                break;
            std::int64_t distance = static_cast<std::int64_t>(made->sources[constant].bits);
            if (address.bytes == 4)
                distance = static_cast<std::int32_t>(distance);
            const std::int64_t offset = node.offset + distance;
            if (offset >= (1 << 23) || offset < -(1 << 23))
                break;
            const Value base = made->sources[1 - constant];
            drop(address);
            use(base);
            node.offset = offset;
            node.sources[0] = base;
        }
    }

public:
    void scale()
    {
        countUses(m_code);
        for (Node& node : m_code.nodes) {
            if (!node.dead && isMemory(node))
                scaleAddress(node);
        }
        removeDead(m_code);
    }

private:
    /// Up to compute capability 8.9 shared-memory instructions multiply a 32-bit address register by 4, 8 or 16.
    void scaleAddress(Node& node)
    {
        const Node* shift = m_code.definition(node.sources[0]);
        if (m_code.capability >= 90 || node.space != Space::Shared || shift == nullptr || shift->op != Opcode::Shl ||
            shift->guard.isVariable() || smallShift(*shift) < 2 || smallShift(*shift) > 4 ||
            !m_code.isStable(shift->sources[0]) || !shift->sources[0].isVariable())
            return;
        drop(node.sources[0]);
        node.sources[0] = shift->sources[0];
        use(node.sources[0]);
    }

    Code& m_code;
    std::vector<std::uint32_t> m_position; ///< of each node in its block
    std::vector<std::uint32_t> m_addUses, m_addressUses;
};

} // namespace

void fuse(Code& code)
{
    Fuser(code).run();
}

void scaleAddresses(Code& code)
{
    Fuser(code).scale();
}

} // namespace ridge::gpu::simt
