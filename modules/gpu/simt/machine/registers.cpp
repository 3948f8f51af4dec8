// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"
#include "gpu/simt/machine/lists.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace ridge::gpu::simt {

Liveness livenessOf(const DraftKernel& kernel)
{
    const std::size_t blocks = kernel.blocks.size();
    Liveness live;
    live.slot.assign(kernel.registers.size(), kNone);
    std::vector<std::vector<std::uint32_t>> reads(blocks), writes(blocks); // read before any write; written
    std::vector<std::size_t> writtenIn(kernel.registers.size(), blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
        for (const Draft& draft : kernel.blocks[block].drafts) {
            for (const std::uint32_t id : draft.sources)
                if (writtenIn[id] != block)
                    reads[block].push_back(id);
            for (const std::uint32_t id : draft.results) {
                if (writtenIn[id] == block)
                    continue;
                if (draft.isGuarded) {
                    reads[block].push_back(id); // the old value lives on in other lanes
                } else {
                    writtenIn[id] = block;
                    writes[block].push_back(id);
                }
            }
        }
        // Most registers are read in the block that writes them: only the others can be live between blocks.
        for (const std::uint32_t id : reads[block])
            live.slot[id] = 0;
    }
    for (std::uint32_t id = 0; id < live.slot.size(); ++id) {
        if (live.slot[id] == kNone)
            continue;
        live.slot[id] = static_cast<std::uint32_t>(live.crossing.size());
        live.crossing.push_back(id);
    }
    const std::size_t words = (live.crossing.size() + 63) / 64;
    live.in.assign(blocks, Liveness::Bits(words));
    live.out = live.in;
    std::vector<Liveness::Bits> keeps(blocks, Liveness::Bits(words, ~std::uint64_t{0}));
    for (std::size_t block = 0; block < blocks; ++block) {
        for (const std::uint32_t id : reads[block])
            live.in[block][live.slot[id] / 64] |= std::uint64_t{1} << (live.slot[id] % 64);
        for (const std::uint32_t id : writes[block])
            if (live.slot[id] != kNone)
                keeps[block][live.slot[id] / 64] &= ~(std::uint64_t{1} << (live.slot[id] % 64));
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = blocks; block-- > 0;)
            for (const std::uint32_t to : kernel.blocks[block].successors)
                for (std::size_t word = 0; word < words; ++word) {
                    const std::uint64_t fresh = live.in[to][word] & ~live.out[block][word];
                    changed = changed || fresh != 0;
                    live.out[block][word] |= fresh;
                    live.in[block][word] |= fresh & keeps[block][word];
                }
    }
    return live;
}

std::vector<std::uint32_t> aliveAt(const DraftKernel& kernel, const Liveness& live)
{
    std::size_t size = 0;
    for (const DraftBlock& block : kernel.blocks)
        size += block.drafts.size();
    std::vector<std::uint32_t> alive(size);
    std::vector<bool> now(kernel.registers.size(), false); // empty between blocks
    for (std::size_t block = kernel.blocks.size(); block-- > 0;) {
        std::uint32_t count = 0;
        live.forEach(live.out[block], [&](std::uint32_t id) {
            now[id] = true;
            count += takesRegister(kernel.registers[id]) ? 1 : 0;
        });
        const auto& drafts = kernel.blocks[block].drafts;
        for (std::size_t at = drafts.size(); at-- > 0;) {
            const std::uint32_t after = count;
            for (const std::uint32_t id : drafts[at].results) {
                count -= now[id] && takesRegister(kernel.registers[id]) && !drafts[at].isGuarded ? 1 : 0;
                now[id] = now[id] && drafts[at].isGuarded;
            }
            for (const std::uint32_t id : drafts[at].sources) {
                count += !now[id] && takesRegister(kernel.registers[id]) ? 1 : 0;
                now[id] = true;
            }
            alive[--size] = std::max(count, after);
        }
        live.forEach(live.in[block], [&](std::uint32_t id) { now[id] = false; });
    }
    return alive;
}

std::size_t pressureOf(const DraftKernel& kernel, const Liveness& live)
{
    const std::vector<std::uint32_t> alive = aliveAt(kernel, live);
    return alive.empty() ? 0 : *std::max_element(alive.begin(), alive.end());
}

namespace {

/// ptxas reports two registers more than the highest that its instructions name, on Volta and later.
constexpr std::uint32_t kReserved = 2;
/// What a register of the other bank is worth, in registers (fitted on the development half of the corpus).
constexpr std::uint32_t kBankPenalty = 2;
constexpr std::ptrdiff_t kUniformRegisters = 63; ///< of a warp, UR0 … UR62
/// Up to this ptxas trades registers for freedom, because they cost no occupancy; it ends on even numbers.
constexpr std::uint32_t kFree = 32;

/// Positions [first, last] at which a register holds a value that is still needed.
struct Segment {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

/// Something that gets registers: one virtual register or a tuple.
struct Item {
    std::uint32_t first = kNone;
    std::span<const std::uint32_t> parts; ///< virtual registers
};

/// 64 positions, and which of them a segment takes.
struct Stretch {
    std::uint32_t word = 0;
    std::uint64_t mask = 0;
};

/// Which positions the physical registers are taken at: for each 64 positions a word of each register, side by side,
/// because most values are short and ask many registers about the same positions.
class Occupancy {
public:
    void clear(std::uint32_t positions)
    {
        m_rows = positions / 64 + 1;
        m_words.assign(std::size_t{m_rows} * m_stride, 0);
        m_full.assign(m_rows, 0);
        for (std::size_t row = 0; row < m_rows; ++row)
            m_words[row * m_stride + 1] = ~std::uint64_t{0}; // R1 holds the stack pointer
    }
    bool isFree(std::span<const Stretch> stretches, std::uint32_t reg) const
    {
        if (reg >= m_stride)
            return true;
        return std::all_of(stretches.begin(), stretches.end(), [&](const Stretch& stretch) {
            return (m_words[std::size_t{stretch.word} * m_stride + reg] & stretch.mask) == 0;
        });
    }
    /// Where the first register from `reg` on, in steps of `step`, is free for a stretch. `reg` is a multiple of
    /// `step`.
    std::uint32_t nextFree(const Stretch& stretch, std::uint32_t reg, std::uint32_t step)
    {
        const std::uint64_t* const row = m_words.data() + std::size_t{stretch.word} * m_stride;
        std::uint32_t& full = m_full[stretch.word];
        while (full < m_stride && row[full] == ~std::uint64_t{0})
            ++full;
        reg = std::max(reg, (full + step - 1) / step * step);
        while (reg < m_stride && (row[reg] & stretch.mask) != 0)
            reg += step;
        return reg;
    }
    void take(std::span<const Stretch> stretches, std::uint32_t reg)
    {
        while (reg >= m_stride)
            widen();
        for (const Stretch& stretch : stretches)
            m_words[std::size_t{stretch.word} * m_stride + reg] |= stretch.mask;
    }

private:
    void widen()
    {
        std::vector<std::uint64_t> wide(m_words.size() * 2, 0);
        for (std::size_t row = 0; row < m_rows; ++row)
            std::copy_n(m_words.begin() + static_cast<std::ptrdiff_t>(row * m_stride), m_stride,
                        wide.begin() + static_cast<std::ptrdiff_t>(row * m_stride * 2));
        m_words = std::move(wide);
        m_stride *= 2;
    }

    std::uint32_t m_stride = 256;
    std::uint32_t m_rows = 0;
    std::vector<std::uint64_t> m_words;
    std::vector<std::uint32_t> m_full; ///< of each 64 positions: as many registers, from the first on, are never free
};

} // namespace

/// Linear scan with holes: a loop variable leaves its register between its last read and the write for the next round.
class Allocator::Scan {
public:
    Scan(const DraftKernel& kernel, const Liveness& live)
        : m_kernel(kernel), m_live(live), m_segments(kernel.registers.size()), m_self(kernel.registers.size())
    {
        std::iota(m_self.begin(), m_self.end(), 0);
        collectPartners();
    }

    RegisterAllocation run()
    {
        for (std::vector<Segment>& segments : m_segments)
            segments.clear();
        m_items.clear();
        measure();
        collect();
        return placeAll(kBankPenalty, kNone);
    }

    /// The same values once more, tuples before what fits between them, in any bank; given up where it takes `others`
    /// registers too.
    RegisterAllocation runDensely(std::uint32_t others)
    {
        const auto tuples =
            std::stable_partition(m_order.begin(), m_order.end(), [&](std::uint64_t key) { return partsOf(key) > 1; });
        std::stable_sort(m_order.begin(), tuples,
                         [&](std::uint64_t a, std::uint64_t b) { return partsOf(a) > partsOf(b); });
        m_taken.clear(m_positions);
        return placeAll(0, others);
    }

private:
    std::size_t partsOf(std::uint64_t key) const { return m_items[key & 0xffffffffu].parts.size(); }

    RegisterAllocation placeAll(std::uint32_t bankPenalty, std::uint32_t others)
    {
        RegisterAllocation made;
        made.physical.assign(m_kernel.registers.size(), kNoRegister);
        for (std::size_t at = 0; at < m_order.size() && made.registers < others; ++at)
            place(m_items[m_order[at] & 0xffffffffu], made, bankPenalty);
        return made;
    }

    /// Positions: two for each instruction, so that a result may take the place of a source that dies there.
    void measure()
    {
        std::vector<std::uint32_t> until(m_segments.size(), kNone); // last position needed, going backwards
        std::uint32_t end = 0;
        for (const DraftBlock& block : m_kernel.blocks)
            end += static_cast<std::uint32_t>(block.drafts.size()) * 2 + 2;
        m_positions = end;
        m_taken.clear(end);
        const Liveness::Bits none(m_live.out.empty() ? 0 : m_live.out[0].size());
        for (std::size_t block = m_kernel.blocks.size(); block-- > 0;) {
            const auto& drafts = m_kernel.blocks[block].drafts;
            const std::uint32_t start = end - static_cast<std::uint32_t>(drafts.size()) * 2 - 2;
            const bool isLast = block + 1 == m_kernel.blocks.size();
            // What is alive on both sides of the border goes on.
            const Liveness::Bits &behind = isLast ? none : m_live.in[block + 1], &here = m_live.out[block];
            m_live.forEachBeyond(here, behind, [&](std::uint32_t id) { until[id] = end - 1; });
            for (std::size_t index = drafts.size(); index-- > 0;) {
                const std::uint32_t at = start + 1 + static_cast<std::uint32_t>(index) * 2;
                for (const std::uint32_t id : drafts[index].results) {
                    const std::uint32_t last = until[id] == kNone ? at + 1 : until[id];
                    if (drafts[index].isGuarded) {
                        until[id] = last;
                        continue;
                    }
                    add(id, {at + 1, last});
                    until[id] = kNone;
                }
                for (const std::uint32_t id : drafts[index].sources) {
                    if (until[id] == kNone)
                        until[id] = at;
                }
            }
            m_live.forEachBeyond(m_live.in[block], block == 0 ? none : m_live.out[block - 1], [&](std::uint32_t id) {
                add(id, {start, until[id]});
                until[id] = kNone;
            });
            end = start;
        }
    }

    /// Segments come from the end of the program on; what goes on in the next block is one.
    void add(std::uint32_t id, Segment segment)
    {
        std::vector<Segment>& all = m_segments[id];
        if (!all.empty() && all.back().first == segment.last + 1)
            all.back().first = segment.first;
        else
            all.push_back(segment);
    }

    std::uint32_t firstOf(std::uint32_t id) const
    {
        return m_segments[id].empty() ? kNone : m_segments[id].back().first;
    }

    void collect()
    {
        m_order.clear();
        std::vector<bool> seen(m_kernel.tuples.size(), false);
        for (std::uint32_t id = 0; id < m_segments.size(); ++id) {
            const VirtualRegister& info = m_kernel.registers[id];
            if (!takesRegister(info))
                continue;
            Item item;
            if (info.tuple == kNone) {
                item.parts = {&m_self[id], 1};
            } else {
                if (seen[info.tuple])
                    continue;
                seen[info.tuple] = true;
                item.parts = m_kernel.tuples[info.tuple];
            }
            for (const std::uint32_t part : item.parts)
                item.first = std::min(item.first, firstOf(part));
            if (item.first == kNone)
                continue;
            m_order.push_back(std::uint64_t{item.first} << 32 | m_items.size());
            m_items.push_back(item);
        }
        std::sort(m_order.begin(), m_order.end());
    }

    /// Registers that an instruction reads together should lie in both banks, even and odd.
    void collectPartners()
    {
        std::vector<std::uint32_t> leads;
        m_partners = gathered<std::uint32_t>(m_kernel.registers.size(), [&](const auto& take) {
            for (const DraftBlock& block : m_kernel.blocks) {
                for (const Draft& draft : block.drafts) {
                    leads.clear();
                    for (const std::uint32_t id : draft.sources) {
                        const VirtualRegister& info = m_kernel.registers[id];
                        const bool leads_ = info.tuple == kNone || m_kernel.tuples[info.tuple].size() > 2 ||
                                            m_kernel.tuples[info.tuple][0] == id;
                        if (takesRegister(info) && leads_)
                            leads.push_back(id);
                    }
                    for (std::size_t a = 0; a < leads.size() && leads.size() <= 4; ++a)
                        for (const std::uint32_t b : leads)
                            if (leads[a] != b)
                                take(leads[a], b);
                }
            }
        });
    }

    /// How many partners lie in the even and in the odd bank already; of tuples nobody asks.
    std::array<std::uint32_t, 2> partnersOf(const Item& item, const RegisterAllocation& made) const
    {
        std::array<std::uint32_t, 2> there{};
        if (item.parts.size() > 1)
            return there;
        for (const std::uint32_t partner : m_partners.of(item.parts[0])) {
            if (const std::uint16_t other = made.physical[partner]; other != kNoRegister)
                ++there[other % 2];
        }
        return there;
    }

    bool fits(const Item& item, std::uint32_t base) const
    {
        for (std::uint32_t part = 0; part < item.parts.size(); ++part) {
            // R1 is not free even for a part that nobody writes.
            if (base + part == 1 || !m_taken.isFree(stretchesOf(part), base + part))
                return false;
        }
        return true;
    }

    std::span<const Stretch> stretchesOf(std::uint32_t part) const
    {
        return {m_stretches.data() + m_ends[part], m_stretches.data() + m_ends[part + 1]};
    }

    /// The positions of all parts, the first ones first: there most registers are taken.
    void stretch(const Item& item)
    {
        m_stretches.clear();
        m_ends.assign(1, 0);
        for (const std::uint32_t id : item.parts) {
            const std::vector<Segment>& segments = m_segments[id];
            for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
                for (std::uint32_t word = segment->first / 64; word <= segment->last / 64; ++word) {
                    std::uint64_t mask = ~std::uint64_t{0};
                    if (word == segment->first / 64)
                        mask &= ~std::uint64_t{0} << (segment->first % 64);
                    if (word == segment->last / 64)
                        mask &= ~std::uint64_t{0} >> (63 - segment->last % 64);
                    m_stretches.push_back({word, mask});
                }
            }
            m_ends.push_back(m_stretches.size());
        }
    }

    void place(const Item& item, RegisterAllocation& made, std::uint32_t bankPenalty)
    {
        const auto size = static_cast<std::uint32_t>(item.parts.size());
        std::uint32_t align = 1;
        while (align < size && align < 4)
            align *= 2;
        std::uint32_t base = kNone;
        std::uint32_t least = kNone;
        stretch(item);
        const bool hasHead = m_ends[1] != 0;
        const std::array<std::uint32_t, 2> partners = partnersOf(item, made);
        for (std::uint32_t candidate = 0; candidate < least; candidate += align) {
            candidate = hasHead ? m_taken.nextFree(m_stretches.front(), candidate, align) : candidate;
            if (candidate >= least || !fits(item, candidate))
                continue;
            const std::uint32_t cost = candidate + bankPenalty * partners[candidate % 2];
            if (cost < least) {
                least = cost;
                base = candidate;
            }
        }
        for (std::uint32_t part = 0; part < size; ++part) {
            m_taken.take(stretchesOf(part), base + part);
            made.physical[item.parts[part]] = static_cast<std::uint16_t>(base + part);
        }
        made.registers = std::max(made.registers, base + size);
    }

    const DraftKernel& m_kernel;
    const Liveness& m_live;
    std::vector<std::vector<Segment>> m_segments; ///< of each virtual register
    std::vector<std::uint32_t> m_self;            ///< of each virtual register: itself
    std::vector<Item> m_items;
    std::vector<std::uint64_t> m_order; ///< first position << 32 | item
    Lists<std::uint32_t> m_partners;    ///< of each virtual register: what is read with it
    std::uint32_t m_positions = 0;
    Occupancy m_taken;
    std::vector<Stretch> m_stretches; ///< of the item that is being placed, part after part
    std::vector<std::size_t> m_ends;  ///< of each part in them
};

std::uint32_t valuesWithin(std::uint32_t limit)
{
    return limit - kReserved - (limit < kFree ? 2 : 1); // R1, and the step to an even number
}

Allocator::Allocator(const DraftKernel& kernel, const Liveness& live)
    : m_kernel(kernel), m_scan(std::make_unique<Scan>(kernel, live))
{
}

Allocator::~Allocator() = default;

RegisterAllocation Allocator::run(std::uint32_t most)
{
    RegisterAllocation made = m_scan->run();
    const std::uint32_t placed = made.registers;
    finish(made);
    if (made.registers <= most)
        return made;
    RegisterAllocation dense = m_scan->runDensely(placed);
    finish(dense);
    return dense.registers < made.registers ? dense : made;
}

void Allocator::finish(RegisterAllocation& made) const
{
    made.registers += kReserved;
    if (made.registers < kFree)
        made.registers = made.registers / 2 * 2 + 2;
    else if (made.registers == kFree + 1)
        ++made.registers;
    made.registers = std::max(made.registers, m_kernel.registerFloor);
    const auto uniform = std::count_if(m_kernel.registers.begin(), m_kernel.registers.end(),
                                       [](const VirtualRegister& info) { return info.isUniform; });
    made.uniformRegisters = static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(uniform, kUniformRegisters));
}

} // namespace ridge::gpu::simt
