// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace ridge::gpu::simt {

namespace {

/// ptxas may leave out the rounding between the two (found by asking 13.0: not where either names a rounding or the
/// product is clamped, and only where both treat subnormals alike).
bool mayContract(const Code& code, const Node& node)
{
    return isFloat(node.type) && !code.has(node, "rn") && (node.flags & kFlagDirected) == 0 &&
           node.sources.size() == 2 && node.results.size() == 1;
}

/// Which source of a sum is a product that may become part of it; 2: none.
std::size_t productIn(Code& code, const Node& sum)
{
    if ((sum.op != Opcode::Add && sum.op != Opcode::Sub) || !mayContract(code, sum))
        return 2;
    for (const std::size_t at : {0, 1}) {
        const Node* product = code.definition(sum.sources[at]);
        if (product == nullptr || product->op != Opcode::Mul || !mayContract(code, *product) ||
            product->type != sum.type || product->guard.isVariable() || (product->flags & kFlagSat) != 0 ||
            (product->flags & kFlagFtz) != (sum.flags & kFlagFtz) || sum.sources[at].absolute ||
            code.blocks[product->block].depth < code.blocks[sum.block].depth)
            continue;
        const bool isStable = std::all_of(product->sources.begin(), product->sources.end(),
                                          [&](const Value& value) { return code.isStable(value); });
        const bool isTwice =
            sum.sources[1 - at].isVariable() && sum.sources[1 - at].variable == sum.sources[at].variable;
        if (isStable && !isTwice)
            return at;
    }
    return 2;
}

} // namespace

void contract(Code& code)
{
    countUses(code);
    std::vector<std::uint32_t> absorbed(code.variables.size(), 0);
    for (const CodeBlock& block : code.blocks)
        for (const std::uint32_t at : block.nodes)
            if (const std::size_t source = productIn(code, code.nodes[at]); source < 2)
                ++absorbed[code.nodes[at].sources[source].variable];
    bool any = false;
    for (const CodeBlock& block : code.blocks) {
        for (const std::uint32_t at : block.nodes) {
            Node& sum = code.nodes[at];
            const std::size_t source = productIn(code, sum);
            // Nothing is gained where somebody else needs the product.
            if (source == 2 || absorbed[sum.sources[source].variable] != code.uses(sum.sources[source]))
                continue;
            const Node* product = code.definition(sum.sources[source]);
            Value first = product->sources[0];
            Value addend = sum.sources[1 - source];
            const bool isMinus = sum.op == Opcode::Sub;
            if (sum.sources[source].negated != (isMinus && source == 1))
                first.negated = !first.negated;
            if (isMinus && source == 0)
                addend.negated = !addend.negated;
            sum.op = Opcode::Fma;
            sum.sources = {first, product->sources[1], addend};
            any = true;
        }
    }
    if (any)
        removeDead(code);
}

void pairProducts(Code& code)
{
    const auto halfOf = [&](std::uint32_t at, std::uint32_t half) {
        const Node& node = code.nodes[at];
        return !node.dead && node.op == Opcode::Mul && !isFloat(node.type) && sizeOf(node.type) == 4 &&
               (node.flags & (kFlagWide | kFlagHi)) == half && !node.guard.isVariable() && node.results.size() == 1 &&
               code.isStable(node.results[0]) &&
               std::all_of(node.sources.begin(), node.sources.end(), [&](const Value& value) {
                   return value.isImmediate() ? !std::has_single_bit(static_cast<std::uint32_t>(value.bits))
                                              : value.isVariable() && !value.negated && code.isStable(value);
               });
    };
    const auto isSame = [](const Value& a, const Value& b) {
        return a.kind == b.kind && a.variable == b.variable &&
               static_cast<std::uint32_t>(a.bits) == static_cast<std::uint32_t>(b.bits);
    };
    bool any = false;
    std::vector<std::uint32_t> highs, lows; // few upper halves are asked for
    for (const CodeBlock& block : code.blocks) {
        highs.clear();
        lows.clear();
        std::copy_if(block.nodes.begin(), block.nodes.end(), std::back_inserter(highs),
                     [&](std::uint32_t at) { return halfOf(at, kFlagHi); });
        if (!highs.empty())
            std::copy_if(block.nodes.begin(), block.nodes.end(), std::back_inserter(lows),
                         [&](std::uint32_t at) { return halfOf(at, 0); });
        for (const std::uint32_t high : highs) {
            const std::vector<Value>& wanted = code.nodes[high].sources;
            const auto low = std::find_if(lows.begin(), lows.end(), [&](std::uint32_t at) {
                const std::vector<Value>& sources = code.nodes[at].sources;
                const bool isTurned = !isSame(sources[0], wanted[0]);
                return isSame(sources[0], wanted[isTurned ? 1 : 0]) && isSame(sources[1], wanted[isTurned ? 0 : 1]);
            });
            if (low == lows.end())
                continue;
            const auto placeOf = [&](std::uint32_t at) {
                return std::find(block.nodes.begin(), block.nodes.end(), at);
            };
            Node& upper = code.nodes[high];
            Node& lower = code.nodes[*low];
            Node& first = placeOf(high) < placeOf(*low) ? upper : lower;
            const std::vector<Value> results{lower.results[0], upper.results[0]};
            (&first == &upper ? lower : upper).dead = true;
            first.type = upper.type; // the lower half knows no signs
            first.flags = (first.flags | kFlagWide) & ~static_cast<std::uint32_t>(kFlagHi);
            first.results = results;
            lows.erase(low);
            any = true;
        }
    }
    if (any)
        removeDead(code);
}

} // namespace ridge::gpu::simt
