// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/code.h"

#include <algorithm>
#include <bit>

namespace ridge::gpu::simt {

Alignments::Alignments(const Code& code)
    : m_code(code), m_definitions(gathered<std::uint32_t>(code.variables.size(), [&](const auto& take) {
          for (std::uint32_t at = 0; at < code.nodes.size(); ++at) {
              if (code.nodes[at].dead)
                  continue;
              for (const Value& value : code.nodes[at].results) {
                  if (value.isVariable())
                      take(value.variable, at);
              }
          }
      }))
{
}

int Alignments::of(const Value& value, int depth)
{
    if (value.isImmediate())
        return value.bits == 0 ? kAny : std::countr_zero(value.bits);
    if (!value.isVariable() || depth > 12)
        return value.kind == Value::Kind::None ? kAny : 0;
    if (const auto known = m_known.find(value.variable); known != m_known.end())
        return known->second;
    m_known[value.variable] = kAny; // a loop adds to itself: the other definitions decide
    int least = m_definitions.of(value.variable).empty() ? 0 : kAny;
    for (const std::uint32_t at : m_definitions.of(value.variable))
        least = std::min(least, ofNode(m_code.nodes[at], depth + 1));
    m_known[value.variable] = least;
    return least;
}

int Alignments::ofNode(const Node& node, int depth)
{
    const auto source = [&](std::size_t at) { return of(node.sources[at], depth); };
    switch (node.op) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Add3: {
        int least = kAny;
        for (std::size_t at = 0; at < node.sources.size(); ++at)
            least = std::min(least, source(at));
        return least;
    }
    case Opcode::ShiftAdd:
        return std::min(source(0) + static_cast<int>(node.offset), source(1));
    case Opcode::Shl:
        return node.sources[1].isImmediate() ? source(0) + static_cast<int>(node.sources[1].bits) : source(0);
    case Opcode::Mul:
        return std::min(kAny, source(0) + source(1));
    case Opcode::Mad:
        return std::min(source(0) + source(1), source(2));
    case Opcode::And:
        return std::max(source(0), source(1));
    case Opcode::Mov:
    case Opcode::Cvt:
        return source(0);
    default:
        return 0;
    }
}

std::uint64_t Alignments::mayBeSet(const Value& value, int depth)
{
    if (value.isImmediate())
        return value.bits;
    const int aligned = of(value);
    const std::uint64_t any = aligned < 64 ? ~std::uint64_t{0} << aligned : 0;
    if (!value.isVariable() || depth > 8 || m_definitions.of(value.variable).size() != 1)
        return any;
    const Node& node = m_code.nodes[m_definitions.of(value.variable).front()];
    if (node.guard.isVariable() || isFloat(node.type))
        return any;
    const auto source = [&](std::size_t at) { return mayBeSet(node.sources[at], depth + 1); };
    switch (node.op) {
    case Opcode::And:
        return any & source(0) & source(1);
    case Opcode::Or:
        return any & (source(0) | source(1));
    case Opcode::Shl:
        return node.sources[1].isImmediate() && node.sources[1].bits < 64 ? any & (source(0) << node.sources[1].bits)
                                                                          : any;
    case Opcode::Shr:
        return node.sources[1].isImmediate() && node.sources[1].bits < 64 && !isSigned(node.type)
                   ? any & (source(0) >> node.sources[1].bits)
                   : any;
    case Opcode::Mov:
        return any & source(0);
    default:
        return any;
    }
}

} // namespace ridge::gpu::simt
