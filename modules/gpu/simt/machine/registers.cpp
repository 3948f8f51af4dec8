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
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = kernel.blocks.size(); block-- > 0;) {
            for (const std::uint32_t to : kernel.blocks[block].successors) {
                for (std::size_t id = 0; id < count; ++id) {
                    if (!live.in[to][id] || live.out[block][id])
                        continue;
                    live.out[block][id] = changed = true;
                    if (!writes[block][id])
                        live.in[block][id] = true;
                }
            }
        }
    }
    return live;
}

namespace {

/// ptxas reports two registers more than the highest that its instructions name, on Volta and later.
constexpr std::uint32_t kReserved = 2;

struct Range {
    std::uint32_t first = kNone; ///< position of the first definition
    std::uint32_t last = 0;
    std::uint32_t uses = 0;
};

/// Something that gets registers: one virtual register or a tuple.
struct Item {
    std::uint32_t first = kNone;
    std::uint32_t last = 0;
    std::uint32_t size = 1;
    std::uint32_t lead = 0; ///< virtual register, or tuple where size > 1
    bool isTuple = false;
};

class Scan {
public:
    explicit Scan(const DraftKernel& kernel) : m_kernel(kernel), m_ranges(kernel.registers.size()) {}

    Allocation run()
    {
        measure();
        collect();
        Allocation made;
        made.physical.assign(m_kernel.registers.size(), kNoRegister);
        for (const Item& item : m_items)
            place(item, made);
        return made;
    }

private:
    void touch(std::uint32_t id, std::uint32_t at)
    {
        Range& range = m_ranges[id];
        range.first = std::min(range.first, at);
        range.last = std::max(range.last, at);
    }

    /// Positions: two for each instruction, so that a result may take the place of a source that dies there.
    void measure()
    {
        const Liveness live = livenessOf(m_kernel);
        std::uint32_t at = 0;
        for (std::size_t block = 0; block < m_kernel.blocks.size(); ++block) {
            for (std::uint32_t id = 0; id < m_ranges.size(); ++id) {
                if (live.in[block][id])
                    touch(id, at);
            }
            for (const Draft& draft : m_kernel.blocks[block].drafts) {
                for (const std::uint32_t id : draft.sources)
                    touch(id, at);
                for (const std::uint32_t id : draft.results)
                    touch(id, at + 1);
                at += 2;
            }
            for (std::uint32_t id = 0; id < m_ranges.size(); ++id) {
                if (live.out[block][id])
                    touch(id, at == 0 ? 0 : at - 1);
            }
        }
    }

    void collect()
    {
        std::vector<bool> seen(m_kernel.tuples.size(), false);
        for (std::uint32_t id = 0; id < m_ranges.size(); ++id) {
            const VirtualRegister& info = m_kernel.registers[id];
            if (info.isPredicate)
                continue;
            Item item;
            item.lead = id;
            item.first = m_ranges[id].first;
            item.last = m_ranges[id].last;
            if (info.tuple != kNone) {
                if (seen[info.tuple])
                    continue;
                seen[info.tuple] = true;
                item.isTuple = true;
                item.lead = info.tuple;
                item.size = static_cast<std::uint32_t>(m_kernel.tuples[info.tuple].size());
                for (const std::uint32_t part : m_kernel.tuples[info.tuple]) {
                    item.first = std::min(item.first, m_ranges[part].first);
                    item.last = std::max(item.last, m_ranges[part].last);
                }
            }
            if (item.first != kNone)
                m_items.push_back(item);
        }
        std::stable_sort(m_items.begin(), m_items.end(),
                         [](const Item& a, const Item& b) { return a.first < b.first; });
    }

    void place(const Item& item, Allocation& made)
    {
        std::uint32_t align = 1;
        while (align < item.size && align < 4)
            align *= 2;
        std::uint32_t base = 0;
        for (;; base += align) {
            if (m_busyUntil.size() < base + item.size)
                m_busyUntil.resize(base + item.size, 0);
            const bool free = std::all_of(m_busyUntil.begin() + base, m_busyUntil.begin() + base + item.size,
                                          [&](std::uint32_t until) { return until <= item.first; });
            const bool stack = base <= 1 && base + item.size > 1; // R1
            if (free && !stack)
                break;
        }
        for (std::uint32_t part = 0; part < item.size; ++part) {
            const std::uint32_t id = item.isTuple ? m_kernel.tuples[item.lead][part] : item.lead;
            m_busyUntil[base + part] = std::max(m_ranges[id].last, item.first + 1);
            made.physical[id] = static_cast<std::uint16_t>(base + part);
        }
        made.registers = std::max(made.registers, base + item.size);
    }

    const DraftKernel& m_kernel;
    std::vector<Range> m_ranges;
    std::vector<Item> m_items;
    std::vector<std::uint32_t> m_busyUntil; ///< of each physical register
};

} // namespace

Allocation allocate(const DraftKernel& kernel, std::uint32_t limit)
{
    Allocation made = Scan(kernel).run();
    made.registers += kReserved;
    if (made.registers > limit) {
        made.spillBytes = (made.registers - limit) * 4;
        made.registers = limit;
        for (std::uint16_t& physical : made.physical) {
            if (physical != kNoRegister && physical >= limit)
                physical = static_cast<std::uint16_t>(physical % limit);
        }
    }
    return made;
}

} // namespace ridge::gpu::simt
