// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <bit>
#include <set>

namespace ridge::gpu::simt {

bool isPlainArithmetic(const Node& node)
{
    switch (node.op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Mad:
    case Opcode::Fma:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Abs:
    case Opcode::Neg:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Shf:
    case Opcode::Lop3:
    case Opcode::Cvt:
    case Opcode::Setp:
    case Opcode::Selp:
        return (node.flags & (kFlagCarryIn | kFlagCarryOut)) == 0;
    default:
        return false;
    }
}

namespace {

/// The result depends on nothing but the sources.
bool isPure(const Node& node)
{
    if (node.guard.isVariable())
        return false;
    switch (node.op) {
    case Opcode::Bfe:
    case Opcode::Bfi:
    case Opcode::Prmt:
    case Opcode::Rcp:
    case Opcode::Sqrt:
    case Opcode::Rsqrt:
    case Opcode::Ex2:
    case Opcode::Lg2:
        return (node.flags & (kFlagCarryIn | kFlagCarryOut)) == 0;
    default:
        return isPlainArithmetic(node);
    }
}

class Sharer {
public:
    explicit Sharer(Code& code) : m_code(code) {}

    void run()
    {
        for (const CodeBlock& block : m_code.blocks)
            share(block);
        if (m_same.empty())
            return;
        for (Node& node : m_code.nodes) {
            for (Value& value : node.sources)
                replace(value);
            replace(node.guard);
        }
        removeDead(m_code);
    }

private:
    void share(const CodeBlock& block)
    {
        std::map<std::vector<std::uint64_t>, std::uint32_t> known;
        for (const std::uint32_t at : block.nodes) {
            const Node& node = m_code.nodes[at];
            if (node.dead || !isPure(node) || node.results.size() != 1 || !isSingle(node.results[0]) ||
                !std::all_of(node.sources.begin(), node.sources.end(),
                             [&](const Value& value) { return m_code.isStable(value); }))
                continue;
            const auto [found, isNew] = known.try_emplace(keyOf(node), node.results[0].variable);
            if (!isNew)
                m_same[node.results[0].variable] = found->second;
        }
    }

    std::vector<std::uint64_t> keyOf(const Node& node) const
    {
        std::vector<std::uint64_t> key{static_cast<std::uint64_t>(node.op),     static_cast<std::uint64_t>(node.type),
                                       static_cast<std::uint64_t>(node.from),   node.flags,
                                       static_cast<std::uint64_t>(node.offset), node.text};
        for (Value value : node.sources) {
            replace(value);
            key.push_back(static_cast<std::uint64_t>(value.kind) | std::uint64_t{value.bytes} << 8 |
                          std::uint64_t{value.negated} << 16 | std::uint64_t{value.absolute} << 17);
            key.push_back(value.isVariable() ? value.variable : value.bits);
        }
        return key;
    }

    bool isSingle(const Value& value) const
    {
        return value.isVariable() && m_code.variables[value.variable].definitions == 1;
    }

    void replace(Value& value) const
    {
        if (const auto found = value.isVariable() ? m_same.find(value.variable) : m_same.end(); found != m_same.end())
            value.variable = found->second;
    }

    Code& m_code;
    std::map<std::uint32_t, std::uint32_t> m_same; ///< variable: the one that holds the same and stays
};

/// Shared memory is addressed by 32 bits, so whatever 64-bit arithmetic made an address, its low word is a sum of
/// products modulo 2^32.
struct AddressForm {
    std::map<std::uint32_t, std::uint32_t> terms; ///< variable: factor
    std::uint32_t constant = 0;
};

class AddressSharer {
public:
    explicit AddressSharer(Code& code) : m_code(code), m_alignments(code), m_addressUses(code.variables.size())
    {
        for (const Node& node : code.nodes) {
            if (isSharedAccess(node) && node.sources[0].isVariable())
                ++m_addressUses[node.sources[0].variable];
        }
    }

    void run()
    {
        for (std::uint32_t block = 0; block < m_code.blocks.size(); ++block)
            share(block);
        removeDead(m_code);
    }

private:
    static bool isSharedAccess(const Node& node)
    {
        return !node.dead && node.space == Space::Shared && !node.sources.empty() &&
               (node.op == Opcode::Ld || node.op == Opcode::St || node.op == Opcode::LdMatrix);
    }

    struct Group {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> accesses; ///< node, constant
        std::set<std::uint32_t> addresses;                             ///< variables that hold them now
    };

    void share(std::uint32_t block)
    {
        std::map<std::vector<std::pair<std::uint32_t, std::uint32_t>>, Group> groups;
        for (const std::uint32_t at : m_code.blocks[block].nodes) {
            const Node& node = m_code.nodes[at];
            if (!isSharedAccess(node) || !node.sources[0].isVariable() || node.sources[0].negated ||
                m_addressUses[node.sources[0].variable] < m_code.uses(node.sources[0]))
                continue;
            const Node* made = m_code.definition(node.sources[0]);
            const auto form =
                made != nullptr && made->block == block ? formOf(node.sources[0], block, 0) : std::nullopt;
            if (!form || form->terms.empty())
                continue;
            Group& group = groups[{form->terms.begin(), form->terms.end()}];
            group.accesses.emplace_back(at, form->constant);
            group.addresses.insert(node.sources[0].variable);
        }
        for (const auto& [terms, group] : groups)
            if (group.addresses.size() > 1)
                rebase(block, terms, group);
    }

    std::optional<AddressForm> formOf(const Value& value, std::uint32_t block, int depth)
    {
        AddressForm form;
        if (value.isImmediate()) {
            form.constant = static_cast<std::uint32_t>(value.bits);
            return form;
        }
        if (!value.isVariable() || value.negated || value.absolute || depth > 16)
            return std::nullopt;
        const Node* made = m_code.definition(value);
        if (made != nullptr && made->block == block && !made->guard.isVariable()) {
            if (auto split = splitOf(*made, block, depth + 1))
                return split;
        }
        if (!m_code.isStable(value))
            return std::nullopt;
        form.terms[value.variable] = 1;
        return form;
    }

    /// No value where the node is not a sum or a product with a constant.
    std::optional<AddressForm> splitOf(const Node& node, std::uint32_t block, int depth)
    {
        const auto& sources = node.sources;
        const auto part = [&](std::size_t at) { return formOf(sources[at], block, depth); };
        if (isFloat(node.type) || node.type == ScalarType::Pred ||
            (node.flags & (kFlagCarryIn | kFlagCarryOut | kFlagHi | kFlagSat)) != 0)
            return std::nullopt;
        switch (node.op) {
        case Opcode::Mov:
            return sources.size() == 1 ? part(0) : std::nullopt;
        case Opcode::Cvt:
            return sources.size() == 1 && sizeOf(node.type) == 8 && sizeOf(node.from) == 4 && !isFloat(node.from)
                       ? part(0)
                       : std::nullopt;
        case Opcode::Add:
            return sources.size() == 2 && sizeOf(node.type) >= 4 ? sum(part(0), part(1)) : std::nullopt;
        case Opcode::Or: // of values that share no bit: a sum
            return sources.size() == 2 && sizeOf(node.type) >= 4 &&
                           (m_alignments.mayBeSet(sources[0]) & m_alignments.mayBeSet(sources[1])) == 0
                       ? sum(part(0), part(1))
                       : std::nullopt;
        case Opcode::Shl:
            return sources.size() == 2 && sizeOf(node.type) >= 4 && sources[1].isImmediate() && sources[1].bits < 32
                       ? product(part(0), std::uint32_t{1} << sources[1].bits)
                       : std::nullopt;
        case Opcode::Mul:
            return sources.size() == 2 && sizeOf(node.type) >= 4 && sources[1].isImmediate()
                       ? product(part(0), static_cast<std::uint32_t>(sources[1].bits))
                       : std::nullopt;
        case Opcode::Mad:
            return sources.size() == 3 && sizeOf(node.type) >= 4 && sources[1].isImmediate()
                       ? sum(product(part(0), static_cast<std::uint32_t>(sources[1].bits)), part(2))
                       : std::nullopt;
        default:
            return std::nullopt;
        }
    }

    static std::optional<AddressForm> sum(std::optional<AddressForm> a, const std::optional<AddressForm>& b)
    {
        if (!a || !b)
            return std::nullopt;
        a->constant += b->constant;
        for (const auto& [variable, factor] : b->terms) {
            a->terms[variable] += factor;
            if (a->terms[variable] == 0)
                a->terms.erase(variable);
        }
        return a;
    }

    static std::optional<AddressForm> product(std::optional<AddressForm> form, std::uint32_t factor)
    {
        if (!form)
            return std::nullopt;
        form->constant *= factor;
        for (auto& term : form->terms)
            term.second *= factor;
        std::erase_if(form->terms, [](const auto& term) { return term.second == 0; });
        return form;
    }

    void rebase(std::uint32_t block, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& terms,
                const Group& group)
    {
        const auto fits = [](std::uint32_t constant, std::int64_t offset) {
            const std::int64_t all = offset + static_cast<std::int32_t>(constant);
            return all >= -(1 << 23) && all < (1 << 23);
        };
        for (const auto& [at, constant] : group.accesses)
            if (!fits(constant, m_code.nodes[at].offset))
                return;
        const std::uint8_t bytes = m_code.variables[terms.front().first].bytes;
        for (const auto& [variable, factor] : terms)
            if (m_code.variables[variable].bytes != bytes || (bytes == 8 && factor != 1))
                return;
        auto& nodes = m_code.blocks[block].nodes;
        const auto first = std::find(nodes.begin(), nodes.end(), group.accesses.front().first);
        std::vector<std::uint32_t> made;
        Value base;
        for (const auto& [variable, factor] : terms) {
            Value term = Value::ofVariable(variable, bytes);
            if (factor != 1) {
                const bool power = std::has_single_bit(factor);
                term = add(block, group, power ? Opcode::Shl : Opcode::Mul, term,
                           Value::ofImmediate(power ? static_cast<std::uint32_t>(std::countr_zero(factor)) : factor, 4),
                           made);
            }
            base = base.isVariable() ? add(block, group, Opcode::Add, base, term, made) : term;
        }
        nodes.insert(first, made.begin(), made.end());
        for (const auto& [at, constant] : group.accesses) {
            m_code.nodes[at].sources[0] = base;
            m_code.nodes[at].offset += static_cast<std::int32_t>(constant);
        }
    }

    Value add(std::uint32_t block, const Group& group, Opcode op, const Value& a, const Value& b,
              std::vector<std::uint32_t>& made)
    {
        Node node = *m_code.definition(m_code.nodes[group.accesses.front().first].sources[0]);
        const Value result = Value::ofVariable(m_code.newVariable(a.bytes), a.bytes);
        node.op = op;
        node.type = a.bytes == 8 ? ScalarType::U64 : op == Opcode::Shl ? ScalarType::B32 : ScalarType::U32;
        node.flags = 0;
        node.offset = 0;
        node.block = block;
        node.results = {result};
        node.sources = {a, b};
        made.push_back(static_cast<std::uint32_t>(m_code.nodes.size()));
        CodeVariable& variable = m_code.variables[result.variable];
        variable.definitions = 1;
        variable.definition = made.back();
        m_code.nodes.push_back(std::move(node));
        return result;
    }

    Code& m_code;
    Alignments m_alignments;
    std::vector<std::uint32_t> m_addressUses;
};

} // namespace

void shareValues(Code& code)
{
    Sharer(code).run();
}

void shareAddresses(Code& code)
{
    AddressSharer(code).run();
}

} // namespace ridge::gpu::simt
