// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/matrix_ops.h"

#include "gpu/simt/run/fragments.h"
#include "gpu/simt/run/memory_access.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

using Bits = std::vector<std::uint64_t>;

template<class T>
T* plane(WarpRegisters& warp, std::uint32_t offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

const MatrixDetail& detailOf(Warp& warp, const MicroOp& op)
{
    return warp.launch->image->matrices[op.e];
}

/// All lanes that live take part; the instruction waits for those that went another way.
bool allHere(Warp& warp, std::uint32_t mask)
{
    warp.waitMask = warp.live;
    return (warp.live & ~mask) == 0;
}

std::uint64_t elementAt(WarpRegisters& warp, std::uint32_t offset, Element element, unsigned lane, unsigned part)
{
    const unsigned bits = bitsOf(element);
    if (bits == 64)
        return plane<std::uint64_t>(warp, offset)[lane];
    const std::uint32_t word = plane<std::uint32_t>(warp, offset)[lane];
    return bits == 32 ? word : word >> (part * bits) & ((1u << bits) - 1);
}

void setElement(WarpRegisters& warp, std::uint32_t offset, Element element, unsigned lane, unsigned part,
                std::uint64_t value)
{
    if (bitsOf(element) == 64) {
        plane<std::uint64_t>(warp, offset)[lane] = value;
        return;
    }
    std::uint32_t& word = plane<std::uint32_t>(warp, offset)[lane];
    const unsigned bits = bitsOf(element);
    if (bits == 32) {
        word = static_cast<std::uint32_t>(value);
        return;
    }
    const std::uint32_t ones = ((1u << bits) - 1) << (part * bits);
    word = (word & ~ones) | (static_cast<std::uint32_t>(value) << (part * bits) & ones);
}

/// Calls visit(lane, register, part, place) for every element of a fragment.
template<class PlaceOf, class Visit>
void forFragment(std::size_t registers, unsigned pack, PlaceOf placeOf, Visit visit)
{
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned index = 0; index < registers; ++index)
            for (unsigned part = 0; part < pack; ++part)
                visit(lane, index, part, placeOf(lane, index, part));
}

unsigned packOfC(Element element)
{
    return element == Element::F16 ? 2 : 1;
}

Step multiplyFragments(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    const unsigned m = t.m, n = t.n, k = t.k;
    Bits a(std::size_t{m} * k), b(std::size_t{n} * k), c(std::size_t{m} * n), d(std::size_t{m} * n);
    forFragment(
        registersOf(t.a, m, k), packOf(t.a), [&](auto... at) { return placeInA(t.a, m, k, at...); },
        [&](unsigned lane, unsigned index, unsigned part, Cell at) {
            a[at.outer * k + at.inner] = elementAt(warp, t.planesA[index], t.a, lane, part);
        });
    forFragment(
        registersOf(t.b, n, k), packOf(t.b), [&](auto... at) { return placeInB(t.b, n, k, at...); },
        [&](unsigned lane, unsigned index, unsigned part, Cell at) {
            b[at.outer * k + at.inner] = elementAt(warp, t.planesB[index], t.b, lane, part);
        });
    forFragment(
        t.planesC.size(), packOfC(t.c), [&](auto... at) { return placeInC(t.c, m, at...); },
        [&](unsigned lane, unsigned index, unsigned part, Cell at) {
            c[at.outer * n + at.inner] = elementAt(warp, t.planesC[index], t.c, lane, part);
        });
    multiply({&t, a.data(), b.data(), c.data(), d.data(), m, n, k});
    forFragment(
        t.planesD.size(), packOfC(t.d), [&](auto... at) { return placeInC(t.d, m, at...); },
        [&](unsigned lane, unsigned index, unsigned part, Cell at) {
            if ((mask >> lane & 1) != 0)
                setElement(warp, t.planesD[index], t.d, lane, part, d[at.outer * n + at.inner]);
        });
    return Step::Next;
}

/// Moves the addresses out of their window and checks and counts the access.
Step placeAt(Warp& warp, const MicroOp& op, PlacedAccess& access, MemoryOp kind)
{
    const MemoryDetail& memory = warp.launch->image->memory[op.detail];
    access.space = memory.space;
    if (memory.space == Space::Generic) {
        const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes.mask));
        access.space = spaceOfGeneric(access.lanes.address[first]);
        const std::uint64_t window = access.space == Space::Shared  ? kSharedWindow
                                     : access.space == Space::Local ? kLocalWindow
                                                                    : 0;
        forMask(access.lanes.mask, [&](std::size_t lane) { access.lanes.address[lane] -= window; });
    }
    return resolve(warp, op, access, kind);
}

struct FragmentShape {
    Element element;
    unsigned outer, inner; ///< as placeIn… numbers them
    unsigned pack;
    bool alongInner;                    ///< neighbours in a register are neighbours in memory
    std::uint64_t outerStep, innerStep; ///< bits in memory
};

FragmentShape shapeOf(const MatrixDetail& t, std::uint64_t stride)
{
    const bool isC = t.role == MatrixDetail::Role::C;
    const bool isB = t.role == MatrixDetail::Role::B;
    FragmentShape s;
    s.element = isC ? t.c : isB ? t.b : t.a;
    s.outer = isB ? t.n : t.m;
    s.inner = isC ? t.n : t.k;
    s.pack = isC ? packOfC(s.element) : packOf(s.element);
    // A matrix as text shows it has rows; B's columns are its outer places, so that .col is what runs along k.
    s.alongInner = t.transposed == isB;
    const std::uint64_t bits = bitsOf(s.element);
    s.outerStep = s.alongInner ? stride * bits : bits;
    s.innerStep = s.alongInner ? bits : stride * bits;
    return s;
}

Cell placeIn(const MatrixDetail& t, const FragmentShape& s, unsigned lane, unsigned index, unsigned part)
{
    if (t.role == MatrixDetail::Role::C)
        return placeInC(s.element, s.outer, lane, index, part);
    return t.role == MatrixDetail::Role::B ? placeInB(s.element, s.outer, s.inner, lane, index, part)
                                           : placeInA(s.element, s.outer, s.inner, lane, index, part);
}

/// One access for each register where its elements lie side by side, else one for each element.
template<bool Load>
Step moveFragment(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    const MemoryDetail& memory = warp.launch->image->memory[op.detail];
    LaneAddresses base;
    gatherAddresses(warp, op, memory, base);
    const auto& planes = Load ? t.planesD : t.planesA;
    const std::uint64_t own = shapeOf(t, 1).alongInner ? shapeOf(t, 1).inner : shapeOf(t, 1).outer;
    for (unsigned index = 0; index < planes.size(); ++index) {
        const unsigned pack = shapeOf(t, own).pack;
        const bool together = shapeOf(t, own).alongInner || pack == 1;
        for (unsigned part = 0; part < (together ? 1 : pack); ++part) {
            PlacedAccess access;
            access.lanes.mask = mask;
            access.lanes.bytes = bitsOf(shapeOf(t, own).element) * (together ? pack : 1) / 8;
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const FragmentShape s =
                    shapeOf(t, t.stride == kNone ? own : plane<std::uint32_t>(warp, t.stride)[lane]);
                const Cell at = placeIn(t, s, lane, index, part);
                access.lanes.address[lane] = base.address[lane] + (at.outer * s.outerStep + at.inner * s.innerStep) / 8;
            }
            const Step step = placeAt(warp, op, access, Load ? MemoryOp::Load : MemoryOp::Store);
            if (step != Step::Next)
                return step;
            const Element element = shapeOf(t, own).element;
            const Element whole = bitsOf(element) == 64 ? Element::F64 : Element::S32;
            forMask(mask, [&](std::size_t lane) {
                const auto at = static_cast<unsigned>(lane);
                std::uint64_t value = 0;
                std::byte* host = hostOf(access, lane);
                if (Load) {
                    std::memcpy(&value, host, access.lanes.bytes);
                    setElement(warp, planes[index], together ? whole : element, at, part, value);
                } else {
                    value = elementAt(warp, planes[index], together ? whole : element, at, part);
                    std::memcpy(host, &value, access.lanes.bytes);
                }
            });
        }
    }
    warp.launch->changed = warp.launch->changed || !Load;
    return Step::Next;
}

/// Rows of 16 bytes whose addresses the first 8, 16 or 32 lanes hold, placed as one access.
Step placeRows(Warp& warp, const MicroOp& op, std::size_t matrices, PlacedAccess& access, MemoryOp kind)
{
    gatherAddresses(warp, op, warp.launch->image->memory[op.detail], access.lanes);
    access.lanes.mask = matrices == 4 ? ~0u : (1u << (8 * matrices)) - 1;
    access.lanes.bytes = 16;
    return placeAt(warp, op, access, kind);
}

/// Where the 16 bits `part` of a lane's register lie in a matrix of 8 x 8.
Cell placeInTile(bool transposed, unsigned lane, unsigned part)
{
    const unsigned row = lane / 4;
    const unsigned column = lane % 4 * 2 + part;
    return transposed ? Cell{column, row} : Cell{row, column};
}

Step loadRows(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    PlacedAccess access;
    if (const Step step = placeRows(warp, op, t.planesD.size(), access, MemoryOp::Load); step != Step::Next)
        return step;
    for (std::size_t matrix = 0; matrix < t.planesD.size(); ++matrix) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            for (unsigned part = 0; part < 2; ++part) {
                const Cell at = placeInTile(t.transposed, lane, part);
                std::uint16_t value = 0;
                std::memcpy(&value, hostOf(access, matrix * 8 + at.outer) + 2 * at.inner, sizeof value);
                setElement(warp, t.planesD[matrix], Element::F16, lane, part, value);
            }
        }
    }
    return Step::Next;
}

Step storeRows(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    PlacedAccess access;
    if (const Step step = placeRows(warp, op, t.planesA.size(), access, MemoryOp::Store); step != Step::Next)
        return step;
    warp.launch->changed = true;
    for (std::size_t matrix = 0; matrix < t.planesA.size(); ++matrix) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            for (unsigned part = 0; part < 2; ++part) {
                const Cell at = placeInTile(t.transposed, lane, part);
                const auto value =
                    static_cast<std::uint16_t>(elementAt(warp, t.planesA[matrix], Element::F16, lane, part));
                std::memcpy(hostOf(access, matrix * 8 + at.outer) + 2 * at.inner, &value, sizeof value);
            }
        }
    }
    return Step::Next;
}

Step transposeTile(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    std::array<std::array<std::uint64_t, 8>, 8> tile{};
    for (const bool writes : {false, true}) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            for (unsigned part = 0; part < 2; ++part) {
                const Cell at = placeInTile(writes, lane, part);
                if (writes)
                    setElement(warp, op.d, Element::F16, lane, part, tile[at.outer][at.inner]);
                else
                    tile[at.outer][at.inner] = elementAt(warp, op.a, Element::F16, lane, part);
            }
        }
    }
    return Step::Next;
}

} // namespace

OpFunction findMatrixOp(MatrixOp op)
{
    switch (op) {
    case MatrixOp::Multiply:
        return &multiplyFragments;
    case MatrixOp::LoadFragment:
        return &moveFragment<true>;
    case MatrixOp::StoreFragment:
        return &moveFragment<false>;
    case MatrixOp::LoadRows:
        return &loadRows;
    case MatrixOp::StoreRows:
        return &storeRows;
    default:
        return &transposeTile;
    }
}

} // namespace ridge::gpu::simt
