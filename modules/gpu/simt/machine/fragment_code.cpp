// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"
#include "gpu/simt/run/fragments.h"
#include "gpu/simt/run/matrix_ops.h"

#include <algorithm>
#include <bit>

namespace ridge::gpu::simt {

const MatrixDetail* fragmentOf(const Code& code, const Node& node)
{
    for (std::uint32_t at = node.microOp; at < node.microOp + node.microOps; ++at) {
        const MicroOp& op = code.image->ops[at];
        if (op.run == findMatrixOp(MatrixOp::LoadFragment) || op.run == findMatrixOp(MatrixOp::StoreFragment) ||
            op.run == findMatrixOp(MatrixOp::Multiply))
            return &code.image->matrices[op.e];
    }
    return nullptr;
}

namespace {

/// Where lanes stand in memory from the first: quotient and remainder of their number count leading dimensions and
/// bytes.
struct LanePattern {
    unsigned divisor = 4;
    bool quotientAcross = true; ///< it counts leading dimensions, the remainder bytes; else the other way round
    unsigned across = 1;        ///< leading dimensions from one to the next
    unsigned bytes = 4;         ///< along memory from one to the next
    bool operator==(const LanePattern&) const = default;
};

LanePattern patternOf(const MatrixDetail& t, FragmentMove move)
{
    const FragmentShape s = fragmentShape(t);
    const unsigned bytes = std::max(1u, bitsOf(s.element) / 8);
    const unsigned neighbours = t.role == MatrixDetail::Role::C ? 2 : 1; // columns from lane to lane
    switch (move) {
    case FragmentMove::Rows:
    case FragmentMove::TurnedRows:
        return {16, false, 1, 16};
    case FragmentMove::Elements:
        return {4, false, s.pack, bytes};
    case FragmentMove::Turned:
        return {4, true, 1, 4};
    case FragmentMove::Pairs:
        return {4, true, 1, 2 * bytes};
    default:
        return s.alongInner ? LanePattern{4, true, 1, bytes * s.pack} : LanePattern{4, false, neighbours, bytes};
    }
}

class FragmentPlacer {
public:
    explicit FragmentPlacer(Code& code) : m_code(code) {}

    void run()
    {
        const bool any = std::any_of(m_code.nodes.begin(), m_code.nodes.end(), [](const Node& node) {
            return node.op == Opcode::Mma || node.op == Opcode::WmmaLoad || node.op == Opcode::WmmaStore;
        });
        if (!any)
            return;
        m_lane = Value::ofVariable(m_code.newVariable(4), 4);
        Node lane;
        lane.op = Opcode::ReadSpecial;
        lane.type = ScalarType::U32;
        lane.offset = static_cast<int>(PlaneFill::Kind::LaneId) * 4;
        lane.microOp = m_code.image->blocks[0].first;
        lane.results.push_back(m_lane);
        insert(0, 0, std::move(lane));
        for (std::uint32_t block = 0; block < m_code.blocks.size(); ++block) {
            for (std::size_t at = 0; at < m_code.blocks[block].nodes.size(); ++at)
                at += visit(block, at);
        }
        countUses(m_code);
    }

private:
    struct Known {
        Value stride;
        std::uint32_t elementBytes;
        bool isWide;
        LanePattern pattern;
        Value offset;
    };

    /// How many nodes it put in front of the one at `at` or behind it.
    std::size_t visit(std::uint32_t block, std::size_t at)
    {
        const std::uint32_t index = m_code.blocks[block].nodes[at];
        const Opcode op = m_code.nodes[index].op;
        if (op != Opcode::Mma && op != Opcode::WmmaLoad && op != Opcode::WmmaStore)
            return 0;
        const MatrixDetail* detail = fragmentOf(m_code, m_code.nodes[index]);
        if (detail == nullptr)
            return 0;
        if (op == Opcode::Mma) {
            dropRepeats(m_code.nodes[index], *detail);
            return 0;
        }
        const std::size_t copies = op == Opcode::WmmaLoad ? copyRepeats(block, at, *detail) : 0;
        return copies + moveBase(block, at, *detail);
    }

    /// A product reads no register twice: fragments of f16 have more than they need.
    static void dropRepeats(Node& node, const MatrixDetail& t)
    {
        const auto drop = [&](std::size_t first, std::size_t have, std::size_t need) {
            if (have > need && node.sources.size() >= first + have)
                node.sources.erase(node.sources.begin() + static_cast<std::ptrdiff_t>(first + need),
                                   node.sources.begin() + static_cast<std::ptrdiff_t>(first + have));
        };
        const unsigned k = t.metadata == kNone ? t.k : t.k / 2u;
        drop(t.planesA.size(), t.planesB.size(), registersOf(t.b, t.n, t.k));
        drop(0, t.planesA.size(), registersOf(t.a, t.m, k));
    }

    std::size_t copyRepeats(std::uint32_t block, std::size_t at, const MatrixDetail& t)
    {
        const std::uint32_t index = m_code.blocks[block].nodes[at];
        const std::size_t own = fragmentShape(t).registers;
        std::size_t added = 0;
        while (m_code.nodes[index].results.size() > own) {
            Node copy = made(index, Opcode::Mov, ScalarType::B32);
            copy.results.push_back(m_code.nodes[index].results.back());
            copy.sources.push_back(m_code.nodes[index].results[(m_code.nodes[index].results.size() - 1) % own]);
            m_code.nodes[index].results.pop_back();
            insert(block, at + 1, std::move(copy));
            ++added;
        }
        return added;
    }

    Node made(std::uint32_t from, Opcode op, ScalarType type) const
    {
        Node node;
        node.op = op;
        node.type = node.from = type;
        node.microOp = m_code.nodes[from].microOp;
        node.text = m_code.nodes[from].text;
        return node;
    }

    void insert(std::uint32_t block, std::size_t at, Node node)
    {
        node.block = block;
        auto& nodes = m_code.blocks[block].nodes;
        nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint32_t>(m_code.nodes.size()));
        m_code.nodes.push_back(std::move(node));
    }

    /// The lane's own share of the address is added to the base; it is computed where the leading dimension is known.
    std::size_t moveBase(std::uint32_t block, std::size_t at, const MatrixDetail& t)
    {
        const std::uint32_t index = m_code.blocks[block].nodes[at];
        const bool isWide = m_code.nodes[index].sources[0].bytes == 8 && m_code.nodes[index].space != Space::Shared;
        const FragmentShape s = fragmentShape(t);
        const Value stride = t.stride != kNone ? m_code.nodes[index].sources.back()
                                               : Value::ofImmediate(s.alongInner ? s.inner : s.outer, 4);
        const LanePattern pattern = patternOf(t, fragmentMove(t, m_code.nodes[index].space == Space::Shared));
        const std::uint32_t bytes = std::max(1u, bitsOf(s.element) / 8);
        const auto same = std::find_if(m_known.begin(), m_known.end(), [&](const Known& known) {
            return known.stride.kind == stride.kind && known.stride.variable == stride.variable &&
                   known.stride.bits == stride.bits && known.elementBytes == bytes && known.isWide == isWide &&
                   known.pattern == pattern && m_code.isStable(stride);
        });
        std::size_t before = 0;
        Value offset;
        if (same != m_known.end()) {
            offset = same->offset;
        } else {
            // Where the leading dimension is known once and for all, else right here.
            std::uint32_t home = block;
            std::size_t place = at;
            if (!stride.isVariable()) {
                home = 0;
                place = 1;
            } else if (const Node* definition = m_code.definition(stride)) {
                home = definition->block;
                const auto& nodes = m_code.blocks[home].nodes;
                const auto found = std::find(nodes.begin(), nodes.end(), m_code.variables[stride.variable].definition);
                place = static_cast<std::size_t>(found - nodes.begin()) + 1;
            }
            const std::size_t count = computeOffset(index, home, place, stride, bytes, isWide, pattern, offset);
            before = home == block ? count : 0;
            m_known.push_back({stride, bytes, isWide, pattern, offset});
        }
        const Value base = m_code.nodes[index].sources[0];
        Value sum = offset;
        if (base.kind != Value::Kind::None) {
            Node add = made(index, Opcode::Add, isWide ? ScalarType::U64 : ScalarType::U32);
            sum = Value::ofVariable(m_code.newVariable(isWide ? 8 : 4), isWide ? 8 : 4);
            add.results.push_back(sum);
            add.sources = {base, offset};
            insert(block, at + before, std::move(add));
            ++before;
        }
        m_code.nodes[index].sources[0] = sum;
        return before;
    }

    Value emit(std::uint32_t from, std::uint32_t block, std::size_t& place, Opcode op, ScalarType type,
               std::vector<Value> sources, std::uint8_t bytes, std::uint32_t flags = 0)
    {
        Node node = made(from, op, type);
        node.flags = flags;
        node.sources = std::move(sources);
        const Value result = Value::ofVariable(m_code.newVariable(bytes), bytes);
        node.results.push_back(result);
        insert(block, place++, std::move(node));
        return result;
    }

    std::size_t computeOffset(std::uint32_t from, std::uint32_t block, std::size_t place, const Value& stride,
                              std::uint32_t elementBytes, bool isWide, const LanePattern& p, Value& offset)
    {
        const std::size_t first = place;
        const auto number = [](std::uint64_t bits) { return Value::ofImmediate(bits, 4); };
        const auto power = [&](unsigned value) { return number(static_cast<unsigned>(std::countr_zero(value))); };
        const auto word = [&](Opcode op, ScalarType type, std::vector<Value> sources) {
            return emit(from, block, place, op, type, std::move(sources), 4);
        };
        const Value quotient = word(Opcode::Shr, ScalarType::U32, {m_lane, power(p.divisor)});
        const Value rest = word(Opcode::And, ScalarType::B32, {m_lane, number(p.divisor - 1)});
        const Value across = p.quotientAcross ? quotient : rest;
        const Value leading = word(Opcode::Shl, ScalarType::B32, {stride, power(p.across * elementBytes)});
        const Value start = word(Opcode::Shl, ScalarType::B32, {p.quotientAcross ? rest : quotient, power(p.bytes)});
        if (!isWide) {
            offset = word(Opcode::Mad, ScalarType::U32, {across, leading, start});
            return place - first;
        }
        const Value wide = emit(from, block, place, Opcode::Cvt, ScalarType::U64, {start}, 8);
        m_code.nodes.back().from = ScalarType::U32;
        offset = emit(from, block, place, Opcode::Mad, ScalarType::U32, {across, leading, wide}, 8, kFlagWide);
        return place - first;
    }

    Code& m_code;
    Value m_lane;
    std::vector<Known> m_known;
};

} // namespace

void placeFragments(Code& code)
{
    FragmentPlacer(code).run();
}

} // namespace ridge::gpu::simt
