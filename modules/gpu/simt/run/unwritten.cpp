// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/unwritten.h"

#include "gpu/simt/run/ops.h"

#include <algorithm>
#include <unordered_map>

namespace ridge::gpu::simt {

namespace {

using Planes = std::vector<std::uint64_t>; ///< bits, by offset / 4

bool has(const Planes& planes, std::uint32_t plane)
{
    return (planes[plane / 4 / 64] >> (plane / 4 % 64) & 1) != 0;
}

void add(Planes& planes, std::uint32_t plane)
{
    planes[plane / 4 / 64] |= std::uint64_t{1} << (plane / 4 % 64);
}

/// Goes through the PTX instructions of a basic block in order.
class BlockReader {
public:
    BlockReader(const KernelImage& image, std::size_t words) : m_image(image), m_reads(words), m_writes(words) {}

    void read(const BasicBlock& block)
    {
        const std::uint32_t end = block.end + (block.kind == EndKind::Fall ? 0 : 1);
        std::uint32_t known = kNone;
        for (std::uint32_t pc = block.first; pc < end; ++pc) {
            const MicroOp& op = m_image.ops[pc];
            const bool always = op.guard == m_image.fills.front().offset && op.guardFlip == 0;
            const Guard guard{op.guard, op.guardFlip};
            if (!always)
                use(op.guard, nullptr);
            const std::uint32_t statement = m_image.statementOf[pc];
            if (statement == kNone || statement == known)
                continue;
            known = statement;
            for (const PlaneUse& one : m_image.statements[statement]) {
                if (one.role != PlaneUse::Role::Destination)
                    use(one.plane, always ? nullptr : &guard);
            }
            for (const PlaneUse& one : m_image.statements[statement]) {
                if (one.role == PlaneUse::Role::Destination)
                    write(one.plane, always ? nullptr : &guard);
            }
        }
    }

    const Planes& reads() const { return m_reads; }   ///< before it writes them
    const Planes& writes() const { return m_writes; } ///< on every way through

private:
    using Guard = std::pair<std::uint32_t, std::uint32_t>; ///< plane and flip

    /// Written under the same guard it has been written, too.
    void use(std::uint32_t plane, const Guard* guard)
    {
        const auto found = guard != nullptr ? m_guarded.find(plane) : m_guarded.end();
        if (!has(m_writes, plane) && (found == m_guarded.end() || found->second != *guard))
            add(m_reads, plane);
    }
    void write(std::uint32_t plane, const Guard* guard)
    {
        std::erase_if(m_guarded, [plane](const auto& one) { return one.second.first == plane; }); // it guards no more
        if (guard == nullptr)
            add(m_writes, plane);
        else if (guard->first != plane)
            m_guarded[plane] = *guard;
    }

    const KernelImage& m_image;
    Planes m_reads, m_writes;
    std::unordered_map<std::uint32_t, Guard> m_guarded; ///< planes that were written where this guard holds, last
};

std::vector<std::size_t> nextBlocks(const KernelImage& image, const BasicBlock& block)
{
    std::vector<std::size_t> next;
    const auto lead = [&](std::uint32_t op) {
        if (op != kNone)
            next.push_back(image.places[op].block);
    };
    lead(block.next);
    if (block.kind == EndKind::Branch)
        lead(block.target);
    if (block.kind == EndKind::Table)
        std::for_each(image.tables[block.target].begin(), image.tables[block.target].end(), lead);
    return next;
}

/// Planes that some way from the entry reads before it writes them.
Planes readFirst(const KernelImage& image, std::size_t words)
{
    std::vector<BlockReader> readers;
    std::vector<std::vector<std::size_t>> next;
    std::vector<Planes> needs;
    for (const BasicBlock& block : image.blocks) {
        readers.emplace_back(image, words);
        readers.back().read(block);
        next.push_back(nextBlocks(image, block));
        needs.push_back(readers.back().reads());
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t block = image.blocks.size(); block-- > 0;) {
            for (const std::size_t after : next[block]) {
                for (std::size_t word = 0; word < words; ++word) {
                    const std::uint64_t more = needs[after][word] & ~readers[block].writes()[word];
                    changes = changes || (more & ~needs[block][word]) != 0;
                    needs[block][word] |= more;
                }
            }
        }
    }
    return needs[image.places.front().block];
}

/// Planes that lanes look at in other lanes.
void addShared(const KernelImage& image, Planes& planes)
{
    for (std::size_t pc = 0; pc < image.ops.size(); ++pc) {
        const std::uint32_t statement = image.statementOf[pc];
        if (statement == kNone || image.ops[pc].run == nullptr)
            continue;
        const std::string& text = image.texts[image.places[pc].text];
        if (!isWarpOp(image.ops[pc].run) && text.find(".sync") == std::string::npos)
            continue;
        for (const PlaneUse& one : image.statements[statement]) {
            if (one.role != PlaneUse::Role::Destination)
                add(planes, one.plane);
        }
    }
}

} // namespace

std::vector<PlaneRange> readUnwritten(const KernelImage& image)
{
    if (image.ops.empty())
        return {};
    const std::size_t words = (image.registerBytes / 4 + 63) / 64;
    Planes planes = readFirst(image, words);
    addShared(image, planes);
    for (const PlaneFill& fill : image.fills)
        planes[fill.offset / 4 / 64] &= ~(std::uint64_t{1} << (fill.offset / 4 % 64));
    std::vector<PlaneRange> ranges;
    for (const NamedRegister& one : image.registers) {
        if (has(planes, one.plane))
            ranges.push_back({one.plane, one.bytes == 0 ? 4u : std::uint32_t{one.bytes} * kWarpSize});
    }
    return ranges;
}

} // namespace ridge::gpu::simt
