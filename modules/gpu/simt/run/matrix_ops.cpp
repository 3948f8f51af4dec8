// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/matrix_ops.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/matrix_parts.h"
#include "gpu/simt/run/sparse_row.h"
#include "gpu/simt/run/tensor_lanes.h"

#include <deque>

namespace ridge::gpu::simt {

namespace {

using Bits = std::vector<std::uint64_t>;

/// Calls visit(lane, register, part, place) for every element of a fragment.
template<class PlaceOf, class Visit>
void forFragment(std::size_t registers, unsigned pack, PlaceOf placeOf, Visit visit)
{
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned index = 0; index < registers; ++index)
            for (unsigned part = 0; part < pack; ++part)
                visit(lane, index, part, placeOf(lane, index, part));
}

/// Where the elements of a fragment lie in its matrix: by register, lane and part. Of A and B the words, whose
/// neighbours along k stay together, by register and lane.
using Places = std::vector<std::uint16_t>;
enum class Operand : std::uint8_t { A, B, C, TurnedC };

/// Worked out once for each shape: rows of A, columns of B, words of k; C by rows, or by columns where it is turned.
const Places& placesOf(Operand operand, Element element, unsigned rows, unsigned depth, std::size_t registers,
                       unsigned stride)
{
    struct Known {
        std::array<std::size_t, 6> key;
        Places places;
    };
    thread_local std::deque<Known> all;
    const std::array<std::size_t, 6> key{
        static_cast<std::size_t>(operand), static_cast<std::size_t>(element), rows, depth, registers, stride};
    for (const Known& known : all)
        if (known.key == key)
            return known.places;
    const bool isC = operand == Operand::C || operand == Operand::TurnedC;
    const unsigned pack = isC ? packOfC(element) : 1;
    Places places(registers * kWarpSize * pack);
    for (unsigned index = 0; index < registers; ++index) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            for (unsigned part = 0; part < pack; ++part) {
                const Cell at = isC                     ? placeInC(element, rows, lane, index, part)
                                : operand == Operand::A ? placeInA(element, rows, depth, lane, index, part)
                                                        : placeInB(element, rows, depth, lane, index, part);
                const unsigned place = operand == Operand::C         ? at.outer * stride + at.inner
                                       : operand == Operand::TurnedC ? at.inner * stride + at.outer
                                                                     : at.inner / packOf(element) * stride + at.outer;
                places[(index * kWarpSize + lane) * pack + part] = static_cast<std::uint16_t>(place);
            }
        }
    }
    return all.emplace_back(Known{key, std::move(places)}).places;
}

void gatherWords(WarpRegisters& warp, const std::vector<std::uint32_t>& planes, std::size_t registers, unsigned depth,
                 Operand operand, TensorSide& side)
{
    const std::uint16_t* place = placesOf(operand, side.element, side.outer, depth, registers, side.stride).data();
    for (std::size_t index = 0; index < registers; ++index) {
        const std::uint32_t* const words = plane<std::uint32_t>(warp, planes[index]);
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            side.words[*place++] = words[lane];
    }
}

/// A product sixteen sums at a time; false where that is not for it, and nothing has been done.
bool multiplyInLanes(WarpRegisters& registers, std::uint32_t mask, const MatrixDetail& t, const TensorRules& rules)
{
    if (t.metadata != kNone || !TensorLanes::takes(t, rules))
        return false;
    TensorLanes& lanes = TensorLanes::ofThisThread();
    lanes.prepare(t, t.m, t.n, t.k, rules);
    gatherWords(registers, t.planesA, registersOf(t.a, t.m, t.k), t.k, Operand::A, lanes.a);
    gatherWords(registers, t.planesB, registersOf(t.b, t.n, t.k), t.k, Operand::B, lanes.b);
    const Operand turned = lanes.rowsAreLanes() ? Operand::TurnedC : Operand::C;
    const std::uint16_t* place = placesOf(turned, t.c, t.m, 0, t.planesC.size(), lanes.stride()).data();
    for (const std::uint32_t at : t.planesC)
        place = takeSums(lanes, plane<std::uint32_t>(registers, at), t.c == Element::F16, place);
    if (!lanes.multiply())
        return false;
    place = placesOf(turned, t.d, t.m, 0, t.planesD.size(), lanes.stride()).data();
    for (const std::uint32_t at : t.planesD) {
        std::uint32_t* const words = plane<std::uint32_t>(registers, at);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            const std::uint32_t word = wordOfSums(lanes, t.d == Element::F16, place);
            words[lane] = (mask >> lane & 1) != 0 ? word : words[lane];
        }
    }
    return true;
}

/// The four products of mma.m8n8k4 for f16: lanes 4q … 4q+3 and those sixteen further on compute the qth.
Step multiplyQuads(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    constexpr unsigned kSide = 8, kDepth = 4;
    for (unsigned quad = 0; quad < 4; ++quad) {
        Bits a(kSide * kDepth), b(kSide * kDepth), c(kSide * kSide), d(kSide * kSide);
        const auto forLanesOfQuad = [&](auto visit) {
            for (unsigned at = 0; at < kSide; ++at)
                visit(quad * 4 + at % 4 + at / 4 * 16, at);
        };
        const auto placeInResult = [](Element element, unsigned lane, unsigned at, unsigned i) {
            if (element == Element::F16)
                return Cell{at, i};
            return Cell{at / 4 * 4 + (lane & 1) + (i & 2), (i & 4) + (lane & 2) + (i & 1)};
        };
        forLanesOfQuad([&](unsigned lane, unsigned at) {
            for (unsigned i = 0; i < kDepth; ++i) {
                const auto valueA = elementAt(warp, t.planesA[i / 2], t.a, lane, i % 2);
                const auto valueB = elementAt(warp, t.planesB[i / 2], t.b, lane, i % 2);
                const unsigned outer = at / 4 * 4 + i, inner = at % 4;
                a[t.majorA ? outer * kDepth + inner : at * kDepth + i] = valueA;
                b[t.majorB ? outer * kDepth + inner : at * kDepth + i] = valueB;
            }
            for (unsigned i = 0; i < kSide; ++i) {
                const Cell to = placeInResult(t.c, lane, at, i);
                const bool half = t.c == Element::F16;
                c[to.outer * kSide + to.inner] =
                    elementAt(warp, t.planesC[half ? i / 2 : i], t.c, lane, half ? i % 2 : 0);
            }
        });
        multiply({&t, a.data(), b.data(), c.data(), d.data(), kSide, kSide, kDepth, warp.launch->tensor});
        forLanesOfQuad([&](unsigned lane, unsigned at) {
            for (unsigned i = 0; i < kSide && (mask >> lane & 1) != 0; ++i) {
                const Cell from = placeInResult(t.d, lane, at, i);
                const bool half = t.d == Element::F16;
                setElement(warp, t.planesD[half ? i / 2 : i], t.d, lane, half ? i % 2 : 0,
                           d[from.outer * kSide + from.inner]);
            }
        });
    }
    return Step::Next;
}

Step multiplyFragments(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    if (multiplyInLanes(warp, mask, t, warp.launch->tensor))
        return Step::Next;
    const unsigned m = t.m, n = t.n, k = t.k;
    const unsigned storedK = t.metadata == kNone ? k : k / 2;
    Bits a(std::size_t{m} * storedK), b(std::size_t{n} * k), c(std::size_t{m} * n), d(std::size_t{m} * n);
    forFragment(
        registersOf(t.a, m, storedK), packOf(t.a), [&](auto... at) { return placeInA(t.a, m, storedK, at...); },
        [&](unsigned lane, unsigned index, unsigned part, Cell at) {
            a[at.outer * storedK + at.inner] = elementAt(warp, t.planesA[index], t.a, lane, part);
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
    if (t.metadata != kNone)
        a = expandSparse(t, t.m, a, plane<std::uint32_t>(warp, t.metadata));
    multiply({&t, a.data(), b.data(), c.data(), d.data(), m, n, k, warp.launch->tensor});
    forFragment(
        t.planesD.size(), packOfC(t.d), [&](auto... at) { return placeInC(t.d, m, at...); },
        [&](unsigned lane, unsigned index, unsigned part, Cell at) {
            if ((mask >> lane & 1) != 0)
                setElement(warp, t.planesD[index], t.d, lane, part, d[at.outer * n + at.inner]);
        });
    return Step::Next;
}

/// Rows of 16 bytes whose addresses the first 8, 16 or 32 lanes hold, placed as one access.
Step placeRows(Warp& warp, const MicroOp& op, std::size_t matrices, PlacedAccess& access, MemoryOp kind)
{
    gatherAddresses(warp, op, warp.launch->image->memory[op.detail], access.lanes.address);
    access.lanes.mask = matrices == 4 ? ~0u : (1u << (8 * matrices)) - 1;
    access.lanes.bytes = 16;
    return placeAt(warp, op, access, kind);
}

constexpr std::size_t kTileRows = 8, kRowBytes = 16; ///< a matrix of 8 x 8 halves, as ldmatrix moves it

void transposeHalves(const std::byte* from, std::byte* to)
{
    std::array<std::uint16_t, kTileRows * kTileRows> rows, columns;
    std::memcpy(rows.data(), from, sizeof rows);
    for (std::size_t row = 0; row < kTileRows; ++row)
        for (std::size_t column = 0; column < kTileRows; ++column)
            columns[column * kTileRows + row] = rows[row * kTileRows + column];
    std::memcpy(to, columns.data(), sizeof columns);
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
        auto* const words = reinterpret_cast<std::byte*>(plane<std::uint32_t>(warp, t.planesD[matrix]));
        std::array<std::byte, kTileRows * kRowBytes> tile; // the registers of four lanes are a row
        std::byte* const to = t.transposed ? tile.data() : words;
        for (std::size_t row = 0; row < kTileRows; ++row)
            std::memcpy(to + row * kRowBytes, hostOf(access, matrix * kTileRows + row), kRowBytes);
        if (t.transposed)
            transposeHalves(tile.data(), words);
    }
    return Step::Next;
}

Step storeRows(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const MatrixDetail& t = detailOf(warp, op);
    std::array<std::byte, kWarpSize * kRowBytes> rows; // one of each address
    for (std::size_t matrix = 0; matrix < t.planesA.size(); ++matrix) {
        const auto* const words = reinterpret_cast<const std::byte*>(plane<std::uint32_t>(warp, t.planesA[matrix]));
        std::byte* const to = &rows[matrix * kTileRows * kRowBytes];
        if (t.transposed)
            transposeHalves(words, to);
        else
            std::memcpy(to, words, kTileRows * kRowBytes);
    }
    PlacedAccess access;
    access.rows = rows.data();
    if (const Step step = placeRows(warp, op, t.planesA.size(), access, MemoryOp::Store); step != Step::Next)
        return step;
    warp.launch->changed = true;
    for (std::size_t row = 0; row < t.planesA.size() * kTileRows; ++row)
        std::memcpy(hostOf(access, row), &rows[row * kRowBytes], kRowBytes);
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
    case MatrixOp::MultiplyQuads:
        return &multiplyQuads;
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
