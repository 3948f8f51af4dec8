// SPDX-License-Identifier: GPL-3.0-or-later
// wmma.load and wmma.store.
#include "gpu/simt/run/matrix_parts.h"
#include "gpu/simt/run/store_log.h"

#include <algorithm>
#include <bit>

namespace ridge::gpu::simt {

namespace {

constexpr unsigned kTile = 8; ///< rows of 16 bytes that a register of all lanes holds

class FragmentAccess {
public:
    FragmentAccess(Warp& warp, const MicroOp& op, std::uint32_t mask)
        : m_warp(warp), m_t(detailOf(warp, op)), m_shape(fragmentShape(m_t)), m_mask(mask)
    {
        const MemoryDetail& memory = warp.launch->image->memory[op.detail];
        gatherAddresses(warp, op, memory, m_base);
        m_wide = memory.wideAddress;
        m_move = fragmentMove(m_t, memory.space == Space::Shared);
        if (mask != ~0u &&
            (m_move == FragmentMove::Turned || isByRows(m_move))) // nobody is there to fetch for the others
            m_move = m_shape.alongInner ? FragmentMove::Words : FragmentMove::Elements;
    }

    const std::array<std::uint64_t, kWarpSize>& base() const { return m_base; }
    unsigned registers(std::size_t planes) const { return std::min(m_shape.registers, static_cast<unsigned>(planes)); }
    unsigned step() const { return registersOfAccess(m_move); }
    unsigned parts() const { return m_move == FragmentMove::Elements ? m_shape.pack : 1; }

    /// The access for `count` registers from `index` on; of element `part` where each has its own.
    PlacedAccess place(unsigned index, unsigned count, unsigned part)
    {
        PlacedAccess access;
        access.lanes.mask = m_mask;
        const unsigned bytes = bitsOf(m_shape.element) * (parts() > 1 ? 1 : m_shape.pack) / 8;
        access.lanes.bytes = isByRows(m_move) ? 16 : m_move == FragmentMove::Pairs ? 2 * bytes : bytes;
        if (isByRows(m_move) && count < step())
            access.lanes.mask = (1u << (kTile * count)) - 1;
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            access.lanes.address[lane] = addressOf(lane, cellOf(lane, index, count, part));
        return access;
    }

    /// Moves registers [index, index + count) of all lanes.
    template<bool Load>
    void transfer(const PlacedAccess& access, const std::vector<std::uint32_t>& planes, unsigned index, unsigned count,
                  unsigned part)
    {
        const bool apart = parts() > 1 || m_move == FragmentMove::Turned || m_move == FragmentMove::TurnedRows;
        const Element whole = bitsOf(m_shape.element) == 64 ? Element::F64 : Element::S32;
        const Element element = apart ? m_shape.element : whole;
        const unsigned bytes = bitsOf(m_shape.element) * (apart ? 1 : m_shape.pack) / 8;
        const unsigned first = parts() > 1 ? part : 0;
        const unsigned last = parts() > 1 ? part + 1 : apart ? m_shape.pack : 1;
        for (unsigned at = index; at < index + count; ++at) {
            for (unsigned p = first; p < last; ++p) {
                forMask(m_mask, [&](std::size_t lane) {
                    const auto own = static_cast<unsigned>(lane);
                    std::byte* host = holder(access, own, at - index, p);
                    std::uint64_t value = 0;
                    if (Load) {
                        std::memcpy(&value, host, bytes);
                        setElement(m_warp, planes[at], element, own, p, value);
                    } else {
                        value = elementAt(m_warp, planes[at], element, own, p);
                        std::memcpy(host, &value, bytes);
                    }
                });
            }
        }
    }

private:
    Cell placeIn(unsigned lane, unsigned index, unsigned part) const
    {
        return placeInFragment(m_t, m_shape, lane, index, part);
    }

    /// The element that the lane's address points at.
    Cell cellOf(unsigned lane, unsigned index, unsigned count, unsigned part) const
    {
        switch (m_move) {
        case FragmentMove::Rows:
        case FragmentMove::TurnedRows: {
            Cell at = placeIn(0, index + std::min(lane / kTile, count - 1), 0);
            (m_move == FragmentMove::Rows ? at.outer : at.inner) += lane % kTile;
            return at;
        }
        case FragmentMove::Turned: {
            Cell at = placeIn(0, index, 0);
            at.inner += lane / 4;
            at.outer += lane % 4 * 2;
            return at;
        }
        default:
            return placeIn(lane, index, part);
        }
    }

    std::uint64_t addressOf(unsigned lane, Cell at) const
    {
        const std::uint64_t stride = m_t.stride != kNone  ? plane<std::uint32_t>(m_warp, m_t.stride)[lane]
                                     : m_shape.alongInner ? m_shape.inner
                                                          : m_shape.outer;
        const std::uint64_t along = m_shape.alongInner ? at.inner : at.outer;
        const std::uint64_t across = m_shape.alongInner ? at.outer : at.inner;
        const std::uint64_t bytes = (across * stride + along) * bitsOf(m_shape.element) / 8;
        return m_wide ? m_base[lane] + bytes
                      : effectiveAddress(static_cast<std::uint32_t>(m_base[lane]), static_cast<std::int64_t>(bytes));
    }

    /// Where the lane's element `part` of the access's register `index` is in memory.
    std::byte* holder(const PlacedAccess& access, unsigned lane, unsigned index, unsigned part) const
    {
        switch (m_move) {
        case FragmentMove::Pairs:
            return hostOf(access, lane) + index * access.lanes.bytes / 2;
        case FragmentMove::Rows:
            return hostOf(access, index * kTile + lane / 4) + lane % 4 * 4;
        case FragmentMove::TurnedRows:
            return hostOf(access, index * kTile + lane % 4 * 2 + part) + lane / 4 * 2;
        case FragmentMove::Turned:
            return hostOf(access, (lane % 4 * 2 + part) * 4 + lane / 8) + lane / 4 % 2 * 2;
        default:
            return hostOf(access, lane);
        }
    }

    Warp& m_warp;
    const MatrixDetail& m_t;
    FragmentShape m_shape;
    FragmentMove m_move = FragmentMove::Words;
    std::uint32_t m_mask;
    std::array<std::uint64_t, kWarpSize> m_base;
    bool m_wide = true;
};

} // namespace

template<bool Load>
Step moveFragment(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    const MemoryDetail& memory = warp.launch->image->memory[op.detail];
    FragmentAccess fragment(warp, op, mask);
    if (const StoreLog* log = warp.launch->log; log != nullptr && (!Load || !log->empty())) {
        // Its accesses take effect one after another, and it may not stop between them.
        const std::uint64_t first = fragment.base()[static_cast<std::size_t>(std::countr_zero(mask))];
        if ((memory.space == Space::Generic ? spaceOfGeneric(first) : memory.space) == Space::Global)
            return leaveToOrder(*warp.launch);
    }
    const auto& planes = Load ? t.planesD : t.planesA;
    const unsigned own = fragment.registers(planes.size());
    for (unsigned index = 0; index < own; index += fragment.step()) {
        const unsigned count = std::min(fragment.step(), own - index);
        for (unsigned part = 0; part < fragment.parts(); ++part) {
            PlacedAccess access = fragment.place(index, count, part);
            const Step step = placeAt(warp, op, access, Load ? MemoryOp::Load : MemoryOp::Store);
            if (step != Step::Next)
                return step;
            fragment.transfer<Load>(access, planes, index, count, part);
        }
    }
    for (std::size_t index = own; Load && index < planes.size(); ++index)
        forMask(mask, [&](std::size_t lane) {
            plane<std::uint32_t>(warp, planes[index])[lane] = plane<std::uint32_t>(warp, planes[index % own])[lane];
        });
    warp.launch->changed = warp.launch->changed || !Load;
    return Step::Next;
}

template Step moveFragment<true>(WarpRegisters&, const MicroOp&, std::uint32_t);
template Step moveFragment<false>(WarpRegisters&, const MicroOp&, std::uint32_t);

} // namespace ridge::gpu::simt
