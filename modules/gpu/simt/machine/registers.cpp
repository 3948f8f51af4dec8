// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>

namespace ridge::gpu::simt {

Liveness livenessOf(const DraftKernel& kernel)
{
    const std::size_t count = kernel.registers.size();
    Liveness live;
    live.in.assign(kernel.blocks.size(), std::vector<bool>(count, false));
    live.out = live.in;
    std::vector<std::vector<std::uint32_t>> reads(kernel.blocks.size()); // before any write
    std::vector<std::vector<bool>> writes = live.in;
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        for (const Draft& draft : kernel.blocks[block].drafts) {
            for (const std::uint32_t id : draft.sources) {
                if (!writes[block][id])
                    reads[block].push_back(id);
            }
            for (const std::uint32_t id : draft.results) {
                if (!draft.isGuarded)
                    writes[block][id] = true;
                else if (!writes[block][id])
                    reads[block].push_back(id); // the old value lives on in other lanes
            }
        }
        for (const std::uint32_t id : reads[block])
            live.in[block][id] = true;
    }
    // Most registers are read in the block that writes them: only the others can be live between blocks.
    std::vector<bool> crosses(count, false);
    for (const auto& read : reads)
        for (const std::uint32_t id : read)
            crosses[id] = true;
    for (std::uint32_t id = 0; id < count; ++id)
        if (crosses[id])
            live.crossing.push_back(id);
    const std::size_t words = (live.crossing.size() + 63) / 64; // of a block, one bit for each of them
    using Bits = std::vector<std::uint64_t>;
    std::vector<Bits> in(kernel.blocks.size(), Bits(words)), out = in, keeps = in;
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        for (std::size_t at = 0; at < live.crossing.size(); ++at) {
            const std::uint64_t bit = std::uint64_t{1} << (at % 64);
            in[block][at / 64] |= live.in[block][live.crossing[at]] ? bit : 0;
            keeps[block][at / 64] |= writes[block][live.crossing[at]] ? 0 : bit;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = kernel.blocks.size(); block-- > 0;)
            for (const std::uint32_t to : kernel.blocks[block].successors)
                for (std::size_t word = 0; word < words; ++word) {
                    const std::uint64_t fresh = in[to][word] & ~out[block][word];
                    changed = changed || fresh != 0;
                    out[block][word] |= fresh;
                    in[block][word] |= fresh & keeps[block][word];
                }
    }
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        for (std::size_t at = 0; at < live.crossing.size(); ++at) {
            live.in[block][live.crossing[at]] = (in[block][at / 64] >> (at % 64) & 1) != 0;
            live.out[block][live.crossing[at]] = (out[block][at / 64] >> (at % 64) & 1) != 0;
        }
    return live;
}

namespace {

/// ptxas reports two registers more than the highest that its instructions name, on Volta and later.
constexpr std::uint32_t kReserved = 2;
/// What a register of the other bank is worth, in registers (fitted on the development half of the corpus).
constexpr std::uint32_t kBankPenalty = 2;
constexpr std::ptrdiff_t kUniformRegisters = 63; ///< of a warp, UR0 … UR62
/// Below this ptxas trades registers for freedom, because they cost no occupancy; it ends on even numbers.
constexpr std::uint32_t kFree = 34;

/// Positions [first, last] at which a register holds a value that is still needed.
struct Segment {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

/// Something that gets registers: one virtual register or a tuple.
struct Item {
    std::uint32_t first = kNone;
    std::vector<std::uint32_t> parts; ///< virtual registers
};

/// Which positions a physical register is taken at.
class Occupancy {
public:
    bool isFree(const std::vector<Segment>& segments) const
    {
        return std::all_of(segments.begin(), segments.end(), [&](const Segment& segment) {
            for (std::uint32_t word = segment.first / 64; word <= segment.last / 64 && word < m_words.size(); ++word) {
                if ((m_words[word] & maskOf(segment, word)) != 0)
                    return false;
            }
            return true;
        });
    }
    void take(const std::vector<Segment>& segments)
    {
        for (const Segment& segment : segments) {
            if (m_words.size() <= segment.last / 64)
                m_words.resize(segment.last / 64 + 1, 0);
            for (std::uint32_t word = segment.first / 64; word <= segment.last / 64; ++word)
                m_words[word] |= maskOf(segment, word);
        }
    }

private:
    static std::uint64_t maskOf(const Segment& segment, std::uint32_t word)
    {
        std::uint64_t mask = ~std::uint64_t{0};
        if (word == segment.first / 64)
            mask &= ~std::uint64_t{0} << (segment.first % 64);
        if (word == segment.last / 64)
            mask &= ~std::uint64_t{0} >> (63 - segment.last % 64);
        return mask;
    }
    std::vector<std::uint64_t> m_words;
};

/// Linear scan with holes: a loop variable leaves its register between its last read and the write for the next round.
class Scan {
public:
    Scan(const DraftKernel& kernel, const Liveness& live)
        : m_kernel(kernel), m_live(live), m_segments(kernel.registers.size())
    {
    }

    RegisterAllocation run()
    {
        measure();
        collect();
        collectPartners();
        RegisterAllocation made;
        made.physical.assign(m_kernel.registers.size(), kNoRegister);
        for (const Item& item : m_items)
            place(item, made);
        return made;
    }

private:
    /// Positions: two for each instruction, so that a result may take the place of a source that dies there.
    void measure()
    {
        std::vector<std::uint32_t> until(m_segments.size(), kNone); // last position needed, going backwards
        std::uint32_t end = 0;
        for (const DraftBlock& block : m_kernel.blocks)
            end += static_cast<std::uint32_t>(block.drafts.size()) * 2 + 2;
        for (std::size_t block = m_kernel.blocks.size(); block-- > 0;) {
            const auto& drafts = m_kernel.blocks[block].drafts;
            const std::uint32_t start = end - static_cast<std::uint32_t>(drafts.size()) * 2 - 2;
            for (const std::uint32_t id : m_live.crossing)
                until[id] = m_live.out[block][id] ? end - 1 : kNone;
            for (std::size_t index = drafts.size(); index-- > 0;) {
                const std::uint32_t at = start + 1 + static_cast<std::uint32_t>(index) * 2;
                for (const std::uint32_t id : drafts[index].results) {
                    const std::uint32_t last = until[id] == kNone ? at + 1 : until[id];
                    if (drafts[index].isGuarded) {
                        until[id] = last;
                        continue;
                    }
                    m_segments[id].push_back({at + 1, last});
                    until[id] = kNone;
                }
                for (const std::uint32_t id : drafts[index].sources) {
                    if (until[id] == kNone)
                        until[id] = at;
                }
            }
            for (const std::uint32_t id : m_live.crossing) {
                if (until[id] != kNone)
                    m_segments[id].push_back({start, until[id]});
                until[id] = kNone;
            }
            end = start;
        }
    }

    std::uint32_t firstOf(std::uint32_t id) const
    {
        std::uint32_t first = kNone;
        for (const Segment& segment : m_segments[id])
            first = std::min(first, segment.first);
        return first;
    }

    void collect()
    {
        std::vector<bool> seen(m_kernel.tuples.size(), false);
        for (std::uint32_t id = 0; id < m_segments.size(); ++id) {
            const VirtualRegister& info = m_kernel.registers[id];
            if (info.isPredicate || info.isUniform)
                continue;
            Item item;
            if (info.tuple == kNone) {
                item.parts = {id};
            } else {
                if (seen[info.tuple])
                    continue;
                seen[info.tuple] = true;
                item.parts = m_kernel.tuples[info.tuple];
            }
            for (const std::uint32_t part : item.parts)
                item.first = std::min(item.first, firstOf(part));
            if (item.first != kNone)
                m_items.push_back(std::move(item));
        }
        std::stable_sort(m_items.begin(), m_items.end(),
                         [](const Item& a, const Item& b) { return a.first < b.first; });
    }

    /// Registers that an instruction reads together should lie in both banks, even and odd.
    void collectPartners()
    {
        m_partners.resize(m_kernel.registers.size());
        for (const DraftBlock& block : m_kernel.blocks) {
            for (const Draft& draft : block.drafts) {
                std::vector<std::uint32_t> leads;
                for (const std::uint32_t id : draft.sources) {
                    const VirtualRegister& info = m_kernel.registers[id];
                    const bool leads_ = info.tuple == kNone || m_kernel.tuples[info.tuple].size() > 2 ||
                                        m_kernel.tuples[info.tuple][0] == id;
                    if (!info.isPredicate && !info.isUniform && leads_)
                        leads.push_back(id);
                }
                for (const std::uint32_t a : leads) {
                    for (const std::uint32_t b : leads) {
                        if (a != b && leads.size() <= 4)
                            m_partners[a].push_back(b);
                    }
                }
            }
        }
    }

    std::uint32_t conflicts(const Item& item, std::uint32_t base, const RegisterAllocation& made) const
    {
        if (item.parts.size() > 1)
            return 0;
        std::uint32_t same = 0;
        for (const std::uint32_t partner : m_partners[item.parts[0]]) {
            const std::uint16_t other = made.physical[partner];
            same += other != kNoRegister && other % 2 == base % 2 ? 1 : 0;
        }
        return same;
    }

    bool fits(const Item& item, std::uint32_t base) const
    {
        for (std::uint32_t part = 0; part < item.parts.size(); ++part) {
            if (base + part == 1 || !m_taken[base + part].isFree(m_segments[item.parts[part]]))
                return false; // R1 holds the stack pointer
        }
        return true;
    }

    void place(const Item& item, RegisterAllocation& made)
    {
        const auto size = static_cast<std::uint32_t>(item.parts.size());
        std::uint32_t align = 1;
        while (align < size && align < 4)
            align *= 2;
        std::uint32_t base = kNone;
        std::uint32_t least = kNone;
        for (std::uint32_t candidate = 0; candidate < least; candidate += align) {
            if (m_taken.size() < candidate + size)
                m_taken.resize(candidate + size);
            if (!fits(item, candidate))
                continue;
            const std::uint32_t cost = candidate + kBankPenalty * conflicts(item, candidate, made);
            if (cost < least) {
                least = cost;
                base = candidate;
            }
        }
        for (std::uint32_t part = 0; part < size; ++part) {
            m_taken[base + part].take(m_segments[item.parts[part]]);
            made.physical[item.parts[part]] = static_cast<std::uint16_t>(base + part);
        }
        made.registers = std::max(made.registers, base + size);
    }

    const DraftKernel& m_kernel;
    const Liveness& m_live;
    std::vector<std::vector<Segment>> m_segments; ///< of each virtual register
    std::vector<Item> m_items;
    std::vector<std::vector<std::uint32_t>> m_partners; ///< of each virtual register: what is read with it
    std::vector<Occupancy> m_taken;                     ///< of each physical register
};

} // namespace

RegisterAllocation allocate(const DraftKernel& kernel, const Liveness& live)
{
    RegisterAllocation made = Scan(kernel, live).run();
    made.registers += kReserved;
    if (made.registers < kFree)
        made.registers = made.registers / 2 * 2 + 2;
    made.registers = std::max(made.registers, kernel.registerFloor);
    const auto uniform = std::count_if(kernel.registers.begin(), kernel.registers.end(),
                                       [](const VirtualRegister& info) { return info.isUniform; });
    made.uniformRegisters = static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(uniform, kUniformRegisters));
    return made;
}

} // namespace ridge::gpu::simt
